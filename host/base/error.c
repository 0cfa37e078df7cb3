/* SPDX-License-Identifier: MIT */
#include "error.h"

#include <stdarg.h>
#include <stdio.h>

bool error_set(struct error *error, enum exit_status status, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(error->text, sizeof error->text, format, args);
    va_end(args);
    error->status = status;
    return false;
}

bool error_no_memory(struct error *error)
{
    return error_set(error, EXIT_BAD_INPUT, "out of memory");
}
