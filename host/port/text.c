/* SPDX-License-Identifier: MIT */
#include "text.h"

#include <stdio.h>
#include <string.h>

int port_asprintf(char **text, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    int size = vasprintf(text, format, arguments);
    va_end(arguments);
    return size;
}

int port_vasprintf(char **text, const char *format, va_list arguments)
{
    return vasprintf(text, format, arguments);
}

char *port_strsep(char **rest, const char *ends)
{
    return strsep(rest, ends);
}

char *port_strcasestr(const char *text, const char *part)
{
    return (char *)strcasestr(text, part);
}

int port_strverscmp(const char *left, const char *right)
{
    return strverscmp(left, right);
}
