/* SPDX-License-Identifier: MIT */
#include "text_folders.h"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../base/vector.h"

enum { FILE_BYTES_MAX = 16 << 20 };

struct text_folder {
    char *path;  /* without links, and without a slash at its end, but for "/" */
    bool hidden; /* what is hidden in it may be read, too */
};

/* What is below a folder: the rest of the path without a slash at its begin; "": the
 * folder itself. NULL: it is elsewhere. Both paths have no links. */
static const char *below(const char *folder, const char *path)
{
    size_t size = strlen(folder);

    if (strncmp(path, folder, size) != 0)
        return NULL;
    if (path[size] == '/')
        return path + size + 1;
    return path[size] == '\0'        ? path + size
           : folder[size - 1] == '/' ? path + size
                                     : NULL;
}

/* Whether a folder is no project's: it is everybody's, the user's home, or above that. */
static bool is_wide(const char *folder)
{
    const char *home = getenv("HOME");
    char real[PATH_MAX];
    struct stat status;

    if (strcmp(folder, "/") == 0 || stat(folder, &status) != 0 ||
        (status.st_mode & S_ISVTX) != 0)
        return true;
    return home != NULL && realpath(home, real) != NULL && below(folder, real) != NULL;
}

static void add(struct text_folders *folders, const char *path, bool hidden)
{
    char *copy;

    for (size_t i = 0; i < folders->count; i++)
        if (folders->items[i].hidden == hidden &&
            strcmp(folders->items[i].path, path) == 0)
            return;
    copy = strdup(path);
    if (copy == NULL || !vector_grow(&folders->items, folders->count, &folders->room,
                                     sizeof *folders->items)) {
        folders->no_memory = true;
        free(copy);
        return;
    }
    folders->items[folders->count++] = (struct text_folder){copy, hidden};
}

void text_folders_give(struct text_folders *folders, const char *folder)
{
    char real[PATH_MAX];

    if (realpath(folder, real) != NULL)
        add(folders, real, true);
}

static bool has_git(const char *folder)
{
    char path[PATH_MAX];
    struct stat status;

    return snprintf(path, sizeof path, "%s/.git", folder) < (int)sizeof path &&
           lstat(path, &status) == 0;
}

/* Makes the path of a folder that of the Git work tree around it, if there is one. */
static void widen(char folder[PATH_MAX])
{
    char around[PATH_MAX];

    memcpy(around, folder, strlen(folder) + 1);
    for (char *slash; !is_wide(around); *slash = '\0') {
        if (has_git(around)) {
            memcpy(folder, around, strlen(around) + 1);
            return;
        }
        slash = strrchr(around, '/');
        if (slash == NULL || slash == around)
            return;
    }
}

/* Adds a folder, without links, and its work tree. */
static void add_own(struct text_folders *folders, char folder[PATH_MAX])
{
    if (is_wide(folder))
        return;
    widen(folder);
    add(folders, folder, false);
}

/* Fills in the folder of a file, without links. */
static bool folder_of(const char *path, char folder[PATH_MAX])
{
    char *slash;

    if (realpath(path, folder) == NULL || (slash = strrchr(folder, '/')) == NULL)
        return false;
    slash[slash == folder] = '\0';
    return true;
}

/* PlatformIO keeps the ELF in .pio/build, and the sources of the project's libraries in
 * .pio/libdeps: a project that is one has them read, as its other source. */
static void add_platformio(struct text_folders *folders, const char *folder)
{
    const char *hidden = strstr(folder, "/.pio/build/");
    char project[PATH_MAX], path[PATH_MAX + 32], real[PATH_MAX];

    if (hidden == NULL)
        return;
    snprintf(project, sizeof project, "%.*s", (int)(hidden - folder), folder);
    snprintf(path, sizeof path, "%s/platformio.ini", project);
    if (is_wide(project) || access(path, F_OK) != 0)
        return;
    snprintf(path, sizeof path, "%s/.pio/libdeps", project);
    if (realpath(path, real) != NULL && below(project, real) != NULL)
        add(folders, real, false);
    add_own(folders, project);
}

void text_folders_own(struct text_folders *folders, const char *elf)
{
    static const char *const systems[] = {"/usr/include", "/usr/lib", "/usr/share"};
    char folder[PATH_MAX];

    for (size_t i = 0; i < sizeof systems / sizeof systems[0]; i++)
        add(folders, systems[i], false);
    if (realpath(".", folder) != NULL)
        add_own(folders, folder);
    if (folder_of(elf, folder)) {
        add_platformio(folders, folder);
        add_own(folders, folder);
    }
}

void text_folders_compiled(struct text_folders *folders, const char *elf,
                           const char *directory)
{
    char folder[PATH_MAX], real[PATH_MAX];

    if (directory[0] == '/' && realpath(directory, real) != NULL &&
        folder_of(elf, folder) && below(real, folder) != NULL)
        add_own(folders, real);
}

static bool is_hidden(const char *rest)
{
    return rest[0] == '.' || strstr(rest, "/.") != NULL;
}

/* Whether a file may be read; its path has no links. */
static bool is_allowed(const struct text_folders *folders, const char *path)
{
    static const char *const never[] = {"/dev", "/proc", "/sys"};

    for (size_t i = 0; i < sizeof never / sizeof never[0]; i++)
        if (below(never[i], path) != NULL)
            return false;
    for (size_t i = 0; i < folders->count; i++) {
        const struct text_folder *folder = &folders->items[i];
        const char *rest = below(folder->path, path);

        if (rest != NULL && (folder->hidden || !is_hidden(rest)))
            return true;
    }
    return false;
}

static bool is_text(const struct stat *status)
{
    return S_ISREG(status->st_mode) && status->st_size <= FILE_BYTES_MAX;
}

FILE *text_folders_open(const struct text_folders *folders, const char *path,
                        size_t *size, bool *refused)
{
    char real[PATH_MAX];
    struct stat status;
    FILE *file = NULL;
    int fd;

    if (realpath(path, real) == NULL || stat(real, &status) != 0 ||
        S_ISDIR(status.st_mode))
        return NULL;
    if (!is_text(&status) || !is_allowed(folders, real)) {
        *refused = true;
        return NULL;
    }
    fd = open(real, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return NULL;
    if (fstat(fd, &status) == 0 && is_text(&status))
        file = fdopen(fd, "rb");
    if (file == NULL)
        close(fd);
    *size = (size_t)status.st_size;
    return file;
}

void text_folders_release(struct text_folders *folders)
{
    for (size_t i = 0; i < folders->count; i++)
        free(folders->items[i].path);
    free(folders->items);
    *folders = (struct text_folders){0};
}
