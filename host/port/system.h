/* SPDX-License-Identifier: MIT */
/* What is asked of the system beyond POSIX: files, pipes, processes. */
#ifndef MCUPROF_HOST_PORT_SYSTEM_H
#define MCUPROF_HOST_PORT_SYSTEM_H

#include <glob.h>
#include <stdbool.h>
#include <stddef.h>

/* glob() whose pattern may have {a,b}; its result is glob()'s, for globfree(). */
int port_glob_braces(const char *pattern, glob_t *paths);

/* flock(): locks an open file without waiting; for all others (`exclusive`) or for those
 * alone that lock so. The lock ends when the file is closed, however that happens. false:
 * errno is EWOULDBLOCK if another has locked it, else files like this have no locks. */
bool port_lock(int fd, bool exclusive);

/* pipe2() with O_CLOEXEC: commands that are started inherit neither end. false: see
 * errno. */
bool port_pipe2(int ends[2]);

/* Linux' F_SETPIPE_SZ: the pipe holds so many bytes. Where it may not, it stays smaller.
 */
void port_pipe_holds(int end, int bytes);

/* Linux' PR_SET_PDEATHSIG: the calling process, and what it executes, gets SIGTERM when
 * its parent ends, also if that is killed. Elsewhere it lives on. */
void port_end_with_parent(void);

/* getrandom(): bytes that nobody can foresee, without waiting. false: there are none
 * (yet). */
bool port_random(void *bytes, size_t size);

#endif
