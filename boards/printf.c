/* SPDX-License-Identifier: MIT */
#include <stdarg.h>
#include <stddef.h>

#include "board.h"
#include "mcuprof.h"

static void print(const char *text, size_t bytes)
{
    while (bytes) { /* the link may take only a part */
        size_t taken = mcuprof_write(text, bytes);

        text += taken;
        bytes -= taken;
    }
}

/* The length up to this character or the end. */
static size_t length(const char *text, char end)
{
    size_t bytes = 0;

    while (text[bytes] && text[bytes] != end) {
        bytes++;
    }
    return bytes;
}

static void print_number(unsigned number, unsigned base)
{
    char digits[10];
    size_t at = sizeof digits;

    do {
        digits[--at] = "0123456789abcdef"[number % base];
        number /= base;
    } while (number);
    print(digits + at, sizeof digits - at);
}

static void print_argument(char conversion, va_list *args)
{
    if (conversion == 's') {
        const char *text = va_arg(*args, const char *);

        print(text, length(text, '\0'));
    } else if (conversion == 'd') {
        int number = va_arg(*args, int);

        if (number < 0) {
            print("-", 1);
        }
        print_number(number < 0 ? 0u - (unsigned)number : (unsigned)number, 10);
    } else if (conversion == 'u' || conversion == 'x') {
        print_number(va_arg(*args, unsigned), conversion == 'u' ? 10 : 16);
    } else {
        print(&conversion, 1);
    }
}

void board_printf(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    while (*format) {
        size_t plain = length(format, '%');

        print(format, plain);
        format += plain;
        if (format[0] == '%' && format[1]) {
            print_argument(format[1], &args);
            format += 2;
        }
    }
    va_end(args);
}
