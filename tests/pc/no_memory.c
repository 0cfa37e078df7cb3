/* SPDX-License-Identifier: MIT */
/*
 * To be loaded before the C library: makes each allocation of a program fail once. The
 * program forks at each allocation. In the child this allocation fails, and all later
 * ones do not; the parent waits for the child's end, and goes on as if nothing had
 * happened. So the program starts once, not once for each allocation.
 *
 * NO_MEMORY_RESULTS is the file that gets, for each child, a line with the allocation's
 * number from 1 up, the child's status (below 0: the signal that ended it), whether its
 * output was that of the file NO_MEMORY_GOOD, and how many bytes of output and of errors
 * follow the line: the output follows only if it was another. Standard output and
 * standard error must be files.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* CHILD_S: how long a child may take. FILES: the program's own files have lower
 * numbers. */
enum { CHILD_S = 60, FILES = 256 };

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);

static enum { NOT_YET, PARENT, BUSY, CHILD } state;
static long count;
static int results, good;

static void give_up(const char *what)
{
    dprintf(STDERR_FILENO, "no_memory: %s: %s\n", what, strerror(errno));
    _exit(125);
}

/* Appends all of a file to another one. */
static void append(int to, int from)
{
    char bytes[4096];
    ssize_t got;

    for (off_t at = 0; (got = pread(from, bytes, sizeof bytes, at)) > 0; at += got)
        if (write(to, bytes, (size_t)got) != got)
            give_up("write");
    if (got < 0)
        give_up("read");
}

/* Opens a descriptor's file once more, for reading, with a position of its own. */
static int opened_anew(int file)
{
    char path[64];
    int made;

    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    made = open(path, O_RDONLY | O_CLOEXEC);
    if (made < 0)
        give_up(path);
    return made;
}

static int copy_of(int file)
{
    int made = memfd_create("copy", MFD_CLOEXEC), from = opened_anew(file);

    if (made < 0)
        give_up("memfd_create");
    append(made, from);
    close(from);
    return made;
}

/* Puts a file in the place of another one, at the same position. */
static void replace(int file, int by)
{
    off_t at = lseek(file, 0, SEEK_CUR);
    int flags = fcntl(file, F_GETFD);

    if (lseek(by, at, SEEK_SET) < 0 || dup2(by, file) < 0 ||
        fcntl(file, F_SETFD, flags) < 0)
        give_up("dup2");
    close(by);
}

/* Parent and child share an open file's position, and what they write to it: the child
 * gets files of its own. */
static void part_files(void)
{
    struct stat status;

    for (int file = STDERR_FILENO + 1; file < FILES; file++) {
        int flags = fcntl(file, F_GETFL);

        if (flags >= 0 && fstat(file, &status) == 0 && S_ISREG(status.st_mode))
            replace(file,
                    (flags & O_ACCMODE) == O_RDONLY ? opened_anew(file) : copy_of(file));
    }
}

static off_t size_of(int file)
{
    struct stat status;

    if (fstat(file, &status) != 0)
        give_up("fstat");
    return status.st_size;
}

static int is_good(int output)
{
    char ours[4096], theirs[sizeof ours];
    ssize_t got;

    if (size_of(output) != size_of(good))
        return 0;
    for (off_t at = 0; (got = pread(output, ours, sizeof ours, at)) > 0; at += got)
        if (pread(good, theirs, (size_t)got, at) != got ||
            memcmp(ours, theirs, (size_t)got) != 0)
            return 0;
    return 1;
}

/* Waits for the child's end and tells of it. */
static void tell(pid_t child, int output, int errors)
{
    int status, same;

    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            give_up("waitpid");
    same = is_good(output);
    dprintf(results, "%ld %d %d %ld %ld\n", count,
            WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status), same,
            same ? 0 : (long)size_of(output), (long)size_of(errors));
    if (!same)
        append(results, output);
    append(results, errors);
}

/* Like fork(), but the C library does not know of it: so the child, too, holds a lock
 * that this thread holds, and gives it back. */
static pid_t forked(void)
{
    return (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
}

/* Returns whether this is the child, whose allocation fails. */
static int has_forked(void)
{
    int output = copy_of(STDOUT_FILENO), errors = copy_of(STDERR_FILENO);
    pid_t child = forked();

    if (child < 0)
        give_up("fork");
    if (child == 0) {
        replace(STDOUT_FILENO, output);
        replace(STDERR_FILENO, errors);
        part_files();
        alarm(CHILD_S);
        return 1;
    }
    tell(child, output, errors);
    close(output);
    close(errors);
    return 0;
}

/* Opens a file that an environment variable names, with a number above the program's
 * own. */
static int open_named(const char *variable, int flags)
{
    const char *path = getenv(variable);
    int file = path == NULL ? -1 : open(path, flags | O_CLOEXEC, 0666);
    int far = file < 0 ? -1 : fcntl(file, F_DUPFD_CLOEXEC, FILES);

    if (far < 0)
        give_up(variable);
    close(file);
    return far;
}

/* Opens the files. Programs that the program starts are left alone. */
static void begin(void)
{
    results = open_named("NO_MEMORY_RESULTS", O_WRONLY | O_CREAT | O_TRUNC);
    good = open_named("NO_MEMORY_GOOD", O_RDONLY);
    unsetenv("LD_PRELOAD");
}

static int fails(void)
{
    int was = errno, child;

    if (state == BUSY || state == CHILD)
        return 0;
    if (state == NOT_YET) {
        state = BUSY;
        begin();
    }
    state = BUSY;
    count++;
    child = has_forked();
    state = child ? CHILD : PARENT;
    errno = child ? ENOMEM : was;
    return child;
}

void *malloc(size_t size)
{
    return fails() ? NULL : __libc_malloc(size);
}

void *calloc(size_t items, size_t size)
{
    return fails() ? NULL : __libc_calloc(items, size);
}

void *realloc(void *old, size_t size)
{
    return fails() ? NULL : __libc_realloc(old, size);
}
