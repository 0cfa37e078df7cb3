/* SPDX-License-Identifier: MIT */
/* Functions of text that not every C library has. */
#ifndef MCUPROF_HOST_PORT_TEXT_H
#define MCUPROF_HOST_PORT_TEXT_H

#include <stdarg.h>

/* asprintf() and vasprintf(): print into memory that the caller frees; negative: out of
 * memory, and *text means nothing. */
int port_asprintf(char **text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
int port_vasprintf(char **text, const char *format, va_list arguments)
    __attribute__((format(printf, 2, 0)));

/* strsep(): cuts the next word off *rest, at one of these characters; NULL: none is left.
 */
char *port_strsep(char **rest, const char *ends);

/* strcasestr(): strstr() for which upper and lower case are the same. */
char *port_strcasestr(const char *text, const char *part);

/* strverscmp(): strcmp() that compares digits as numbers: "a9" comes before "a10". */
int port_strverscmp(const char *left, const char *right);

#endif
