/* SPDX-License-Identifier: MIT */
/*
 * Where bytes come from: a serial device, tcp:HOST:PORT, a file, "-" or a command's
 * standard output.
 */
#ifndef MCUPROF_HOST_SOURCE_H
#define MCUPROF_HOST_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "../base/error.h"

struct source;

/* spec as in the manual; baud 0: 115200 (serial only). */
bool source_open(struct source **source, const char *spec, unsigned baud,
                 struct error *error);
/* The standard output of argv[0] run with argv (NULL-terminated) is the wire; its
 * standard error stays the caller's, its standard input is /dev/null. It is the leader of
 * a process group of its own, so that Ctrl-C at the terminal does not reach it. */
bool source_command(struct source **source, char *const argv[], struct error *error);
/* Waits up to timeout_ms. > 0: bytes read; 0: end of input; -1: error set;
 * SOURCE_NOTHING: none came in time, or a signal interrupted the wait.
 * A serial device has no end of input: one that is gone is an error. */
enum { SOURCE_NOTHING = -2 };
ssize_t source_read(struct source *source, uint8_t *bytes, size_t size, int timeout_ms,
                    struct error *error);
/* Line speed in bits a second if this is a serial line, else 0 (for the link load). */
unsigned source_baud(const struct source *source);
/* For people: the spec as given, "standard input", or the command's name. */
const char *source_name(const struct source *source);
/* Whether its bytes are made as they are read: all but a regular file. */
bool source_live(const struct source *source);
/* What the user should know of a source that came to its end: that the command failed.
 * NULL if there is nothing to say. */
const char *source_warning(const struct source *source);
/* Ends a command and what it started (SIGTERM, then SIGKILL) and closes. */
void source_close(struct source *source);

#endif
