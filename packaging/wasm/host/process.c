/* SPDX-License-Identifier: MIT */
/* Another program, which is objdump: the shell runs it to its end as it is started. Its
 * output then lies in a file that nobody else can name. */
#include "shell.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { DESCRIPTORS = 4 }; /* standard ones, and 3: what objdump reads */

static int given[DESCRIPTORS]; /* which of ours the program gets; 0: none */
static int ended;              /* how the last one ended, as waitpid() tells it */

int posix_spawn_file_actions_init(posix_spawn_file_actions_t *actions)
{
    (void)actions;
    for (int fd = 0; fd < DESCRIPTORS; fd++)
        given[fd] = 0;
    return 0;
}

int posix_spawn_file_actions_destroy(posix_spawn_file_actions_t *actions)
{
    (void)actions;
    return 0;
}

int posix_spawn_file_actions_addclose(posix_spawn_file_actions_t *actions, int fd)
{
    (void)actions;
    (void)fd;
    return 0;
}

int posix_spawn_file_actions_adddup2(posix_spawn_file_actions_t *actions, int from,
                                     int to)
{
    (void)actions;
    given[to] = from;
    return 0;
}

int posix_spawn_file_actions_addopen(posix_spawn_file_actions_t *restrict actions, int fd,
                                     const char *restrict path, int flags, mode_t mode)
{
    (void)actions;
    (void)fd;
    (void)path;
    (void)flags;
    (void)mode;
    return 0;
}

int posix_spawnp(pid_t *restrict process, const char *restrict program,
                 const posix_spawn_file_actions_t *actions,
                 const posix_spawnattr_t *restrict attributes,
                 char *const arguments[restrict], char *const environment[restrict])
{
    int status = shell_spawn(program, arguments, given);

    (void)actions;
    (void)attributes;
    (void)environment;
    *process = 1;
    ended = status < 256 ? status << 8 : status - 256;
    return status < 0 ? ENOENT : 0;
}

pid_t waitpid(pid_t process, int *status, int options)
{
    (void)options;
    if (status != NULL)
        *status = ended;
    return process;
}

int pipe(int ends[2])
{
    char name[] = "/tmp/mcuprof-XXXXXX";

    ends[1] = mkstemp(name);
    if (ends[1] < 0)
        return -1;
    ends[0] = open(name, O_RDONLY);
    unlink(name);
    if (ends[0] < 0)
        close(ends[1]);
    return ends[0] < 0 ? -1 : 0;
}
