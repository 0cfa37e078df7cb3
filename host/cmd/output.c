/* SPDX-License-Identifier: MIT */
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../port/system.h"

/* ---- Signals ---- */

/* Those that end the program; the temporary file goes with it. A file that must not grow
 * becomes an error of the write instead, which says so. */
static const int endings[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE};
enum { ENDINGS = sizeof endings / sizeof endings[0] };
static struct sigaction former[ENDINGS], former_size;
static const char *volatile temporary; /* its path; NULL: there is none */

static void end(int number)
{
    const char *path = temporary;

    if (path != NULL)
        unlink(path);
    signal(number, SIG_DFL);
    raise(number);
}

/* Keeps the signals away while a temporary file gets its path or loses it. */
static void hold_signals(sigset_t *before)
{
    sigset_t held;

    sigemptyset(&held);
    for (int i = 0; i < ENDINGS; i++)
        sigaddset(&held, endings[i]);
    sigprocmask(SIG_BLOCK, &held, before);
}

static void catch_signals(const char *path)
{
    const struct sigaction ended = {.sa_handler = end}, ignored = {.sa_handler = SIG_IGN};

    temporary = path;
    for (int i = 0; i < ENDINGS; i++) {
        sigaction(endings[i], NULL, &former[i]);
        if (former[i].sa_handler != SIG_IGN)
            sigaction(endings[i], &ended, NULL);
    }
    sigaction(SIGXFSZ, &ignored, &former_size);
}

static void release_signals(void)
{
    for (int i = 0; i < ENDINGS; i++)
        sigaction(endings[i], &former[i], NULL);
    sigaction(SIGXFSZ, &former_size, NULL);
    temporary = NULL;
}

/* ---- Before it is opened ---- */

static bool cannot_write(const struct output *output, struct error *error)
{
    return error_set(error, EXIT_BAD_INPUT, "%s: %s", output->name, strerror(errno));
}

static bool is_file(const struct stat *file, const char *path)
{
    struct stat other;

    return path != NULL && stat(path, &other) == 0 && file->st_dev == other.st_dev &&
           file->st_ino == other.st_ino;
}

/* The same for a capture, which "-" may stand for. */
static bool is_capture(const struct stat *file, const char *path)
{
    struct stat other;

    if (strcmp(path, "-") != 0)
        return is_file(file, path);
    return fstat(STDIN_FILENO, &other) == 0 && file->st_dev == other.st_dev &&
           file->st_ino == other.st_ino;
}

bool output_differs(const char *path, const char *elf, int files, char **paths,
                    struct error *error)
{
    bool standard = path == NULL || strcmp(path, "-") == 0;
    struct stat to;

    if ((standard ? fstat(STDOUT_FILENO, &to) : stat(path, &to)) != 0 ||
        !S_ISREG(to.st_mode))
        return true;
    bool same = is_file(&to, elf);
    for (int i = 0; i < files && !same; i++)
        same = is_capture(&to, paths[i]);
    return !same || error_set(error, EXIT_USAGE, "%s: is both input and output",
                              standard ? "standard output" : path);
}

/* Opens a path that exists but is no regular file (/dev/null, a pipe), to write in place.
 */
static bool open_in_place(struct output *output, const char *path, struct error *error)
{
    struct stat status;

    if (stat(path, &status) != 0 || S_ISREG(status.st_mode))
        return true;
    output->file = fopen(path, "wb");
    return output->file != NULL || cannot_write(output, error);
}

/* Finds the file that the name leads to. A link to a missing file is refused. */
static bool find_target(struct output *output, const char *path, struct error *error)
{
    struct stat status;

    if (lstat(path, &status) == 0 && S_ISLNK(status.st_mode))
        return realpath(path, output->target) != NULL || cannot_write(output, error);
    if (snprintf(output->target, sizeof output->target, "%s", path) < PATH_MAX)
        return true;
    errno = ENAMETOOLONG;
    return cannot_write(output, error);
}

/* A capture that a recorder still writes must not lose its name. */
static bool check_unlocked(const struct output *output, struct error *error)
{
    int fd = open(output->target, O_RDONLY | O_CLOEXEC);
    bool locked = fd >= 0 && !port_lock(fd, false) && errno == EWOULDBLOCK;

    if (fd >= 0)
        close(fd);
    return !locked ||
           error_set(error, EXIT_BAD_INPUT,
                     "%s: is locked: does another mcuprof record to it?", output->name);
}

/* The permissions of the file that is replaced or, if there is none, those of a new one.
 */
static mode_t permissions(const char *path)
{
    struct stat status;
    mode_t mask = umask(0);

    umask(mask);
    return stat(path, &status) == 0 ? status.st_mode & 0777 : 0666 & ~mask;
}

static bool open_temporary(struct output *output, struct error *error)
{
    int length = snprintf(output->path, sizeof output->path, "%s.XXXXXX", output->target);
    sigset_t before;
    int file;

    if (length < 0 || (size_t)length >= sizeof output->path) {
        output->path[0] = '\0';
        errno = ENAMETOOLONG;
        return cannot_write(output, error);
    }
    hold_signals(&before);
    file = mkstemp(output->path);
    if (file >= 0)
        catch_signals(output->path);
    sigprocmask(SIG_SETMASK, &before, NULL);
    if (file < 0) {
        output->path[0] = '\0';
        return cannot_write(output, error);
    }
    fchmod(file, permissions(output->target));
    output->file = fdopen(file, "wb");
    return output->file != NULL || cannot_write(output, error);
}

bool output_open(struct output *output, const char *path, struct error *error)
{
    *output = (struct output){.name = path};
    if (path == NULL || strcmp(path, "-") == 0) {
        output->file = stdout;
        output->name = "standard output";
        return true;
    }
    if (!open_in_place(output, path, error))
        return false;
    return output->file != NULL ||
           (find_target(output, path, error) && check_unlocked(output, error) &&
            open_temporary(output, error));
}

bool output_close(struct output *output, bool keep, struct error *error)
{
    bool written =
        output->file == NULL || (fflush(output->file) == 0 && !ferror(output->file));

    if (keep && !written)
        keep = cannot_write(output, error);
    if (output->file != NULL && output->file != stdout && fclose(output->file) != 0 &&
        keep)
        keep = cannot_write(output, error);
    if (output->path[0] != '\0' && keep && rename(output->path, output->target) != 0)
        keep = cannot_write(output, error);
    if (output->path[0] != '\0' && !keep)
        unlink(output->path);
    if (output->path[0] != '\0') {
        sigset_t before;

        hold_signals(&before);
        release_signals();
        sigprocmask(SIG_SETMASK, &before, NULL);
    }
    return keep;
}
