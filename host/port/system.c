/* SPDX-License-Identifier: MIT */
#include "system.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <unistd.h>

int port_glob_braces(const char *pattern, glob_t *paths)
{
    return glob(pattern, GLOB_BRACE, NULL, paths);
}

bool port_lock(int fd, bool exclusive)
{
    return flock(fd, (exclusive ? LOCK_EX : LOCK_SH) | LOCK_NB) == 0;
}

bool port_pipe2(int ends[2])
{
    return pipe2(ends, O_CLOEXEC) == 0;
}

void port_pipe_holds(int end, int bytes)
{
    fcntl(end, F_SETPIPE_SZ, bytes);
}

void port_end_with_parent(void)
{
    prctl(PR_SET_PDEATHSIG, SIGTERM);
}

bool port_random(void *bytes, size_t size)
{
    return getrandom(bytes, size, GRND_NONBLOCK) == (ssize_t)size;
}
