/* SPDX-License-Identifier: MIT */
/* Streams to memory, and streams that one thread alone writes. */
#ifndef MCUPROF_HOST_PORT_STREAM_H
#define MCUPROF_HOST_PORT_STREAM_H

#include <stddef.h>
#include <stdio.h>

/* open_memstream(): a stream into memory. memstream_close() in base/memstream.h ends it;
 * then *text has the text, *size bytes and a '\0', which the caller frees. POSIX has
 * this, but Windows and some libraries for WebAssembly do not. NULL: out of memory. */
FILE *port_open_memstream(char **text, size_t *size);

/* fwrite_unlocked() and fputs_unlocked(): without the lock, which costs as much as to
 * write some ten bytes. Errors are for ferror() to tell. */
void port_fwrite_unlocked(const void *bytes, size_t size, size_t count, FILE *out);
void port_fputs_unlocked(const char *text, FILE *out);

#endif
