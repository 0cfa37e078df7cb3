/* SPDX-License-Identifier: MIT */
/*
 * Where bytes come from: a serial device, tcp:HOST:PORT, udp:[ADDRESS:]PORT, a file, "-"
 * or a command's standard output.
 */
#ifndef MCUPROF_HOST_SOURCE_H
#define MCUPROF_HOST_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "../base/error.h"

struct source;

/* `spec` is as in the manual; baud 0 means 115200 (serial only). */
bool source_open(struct source **source, const char *spec, unsigned baud,
                 struct error *error);
/* Runs argv (NULL-terminated) and reads its standard output as the wire. Its standard
 * error is the caller's, its standard input is /dev/null. It leads a process group of its
 * own, so that Ctrl-C at the terminal does not reach it. */
bool source_command(struct source **source, char *const argv[], struct error *error);
/* Waits up to timeout_ms. > 0: bytes read; 0: end of input; -1: error set;
 * SOURCE_NOTHING: none came in time, or a signal interrupted the wait.
 * A serial device has no end of input: one that is gone is an error. */
enum { SOURCE_NOTHING = -2 };
ssize_t source_read(struct source *source, uint8_t *bytes, size_t size, int timeout_ms,
                    struct error *error);
/* The speed of a serial line in bits a second, for the link load; 0 for other sources. */
unsigned source_baud(const struct source *source);
/* The name shown to people: the spec as given, "standard input", or the command's name.
 */
const char *source_name(const struct source *source);
/* Whether the bytes arrive while they are read: true for all but a regular file. */
bool source_live(const struct source *source);
/* Whether a source that ended may come back: a serial device that was unplugged, or a TCP
 * server that is started again. */
bool source_returns(const struct source *source);
/* Opens such a source again after its end. Call it as often as needed; the source can be
 * read only after it succeeded. It waits 5 s for each address of a server that does not
 * answer, or until a signal comes. */
bool source_reopen(struct source *source, struct error *error);
/* A warning for the user after the end of the source: the command failed, datagrams were
 * lost. NULL if there is none. */
const char *source_warning(const struct source *source);
/* Ends the command and its process group (SIGTERM, then SIGKILL) and closes the source.
 */
void source_close(struct source *source);

#endif
