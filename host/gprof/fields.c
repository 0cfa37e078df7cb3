/* SPDX-License-Identifier: MIT */
/* Numbers and pieces that flat profile and call graph share. */
#include <math.h>
#include <string.h>

#include "graph.h"

enum { FIELD_WIDTH = 32 };

double gprof_seconds(const struct gprof *gprof, double samples)
{
    if (gprof->rate == 0 && !gprof->options.gnu_text)
        return 0;
    return samples / (double)gprof->rate;
}

/* Writes the digits of value before `end` and returns where they begin. */
static char *put_digits(char *end, uint64_t value)
{
    do {
        *--end = (char)('0' + value % 10);
        value /= 10;
    } while (value != 0);
    return end;
}

/* Copies the field, filled up with blanks on the left. */
static char *put_right(char *at, const char *begin, const char *end, int width)
{
    for (ptrdiff_t length = end - begin; length < width; length++)
        *at++ = ' ';
    return mempcpy(at, begin, (size_t)(end - begin));
}

char *gprof_put_count(char *at, uint64_t value, int width)
{
    char field[FIELD_WIDTH];
    char *end = field + sizeof field;
    return put_right(at, put_digits(end, value), end, width);
}

char *gprof_put_count_left(char *at, uint64_t value, int width)
{
    char *end = gprof_put_count(at, value, 0);
    while (end - at < width)
        *end++ = ' ';
    return end;
}

/*
 * The value times 10^decimals, rounded as printf would. false: too large, or so near to
 * the middle between two that the error of the multiplication (below 1e-5 here) could
 * decide.
 */
static bool round_decimals(double value, int decimals, uint64_t *rounded)
{
    if (!(value >= 0 && value < 1e9) || signbit(value) || decimals < 1 || decimals > 2)
        return false;
    double scaled = value * (decimals == 1 ? 10 : 100);
    double nearest = floor(scaled + 0.5);
    if (fabs(scaled - nearest) > 0.4999)
        return false;
    *rounded = (uint64_t)nearest;
    return true;
}

char *gprof_put_fixed(char *at, double value, int width, int decimals)
{
    char field[FIELD_WIDTH];
    char *end = field + sizeof field, *begin = end;
    uint64_t rounded;
    if (!round_decimals(value, decimals, &rounded)) {
        int length = snprintf(at, GPROF_FIELD_BYTES, "%*.*f", width, decimals, value);
        return length < 0 ? at : at + length;
    }
    for (int i = 0; i < decimals; i++) {
        *--begin = (char)('0' + rounded % 10);
        rounded /= 10;
    }
    *--begin = '.';
    return put_right(at, put_digits(begin, rounded), end, width);
}

char *gprof_put_text(char *at, const char *text)
{
    return mempcpy(at, text, strlen(text));
}

void gprof_put_line(FILE *out, const char *begin, const char *end)
{
    fwrite_unlocked(begin, 1, (size_t)(end - begin), out);
}

void gprof_put_section_break(struct gprof *gprof)
{
    if (gprof->first_output)
        gprof->first_output = false;
    else
        fputs("\f\n", gprof->out);
}

void gprof_put_granularity(const struct gprof *gprof)
{
    /* A unit is two bytes; floor() before the cast, and no more than a long holds. */
    double units = gprof->scale >= 1 && gprof->scale < 0x1p60 ? floor(gprof->scale) : 0;
    fprintf(gprof->out, "granularity: each sample hit covers %ld byte(s)",
            2 * (long)units);
}
