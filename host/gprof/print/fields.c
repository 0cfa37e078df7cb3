/* SPDX-License-Identifier: MIT */
/* Numbers and pieces that flat profile and call graph share. */
#include <math.h>
#include <string.h>

#include "../../base/digits.h"
#include "../../port/stream.h"
#include "print.h"

enum { FIELD_WIDTH = 32 };

double gprof_seconds(const struct gprof *gprof, double samples)
{
    if (gprof->rate == 0 && !gprof->options.gnu_text)
        return 0;
    return samples / (double)gprof->rate;
}

/* Puts as many blanks as a field may have; the caller writes over those that are too
 * many. */
static void put_blanks(char *at)
{
    memset(at, ' ', FIELD_WIDTH);
}

char *gprof_put_count(char *at, uint64_t value, int width)
{
    int digits = digits_of(value);
    char *end = at + (digits < width ? width : digits);
    put_blanks(at);
    digits_put(end, value, digits);
    return end;
}

char *gprof_put_count_left(char *at, uint64_t value, int width)
{
    int digits = digits_of(value);
    put_blanks(at);
    digits_put(at + digits, value, digits);
    return at + (digits < width ? width : digits);
}

char *gprof_put_hex(char *at, uint64_t value)
{
    unsigned shift = 0;
    while (shift < 60 && value >> shift >= 16)
        shift += 4;
    for (; shift > 0; shift -= 4)
        *at++ = "0123456789abcdef"[value >> shift & 15];
    *at++ = "0123456789abcdef"[value & 15];
    return at;
}

char *gprof_put_fixed(char *at, double value, int width, int decimals)
{
    uint64_t rounded;
    if (decimals < 1 || decimals > 2 || !digits_scale(value, decimals, &rounded)) {
        int length = snprintf(at, GPROF_FIELD_BYTES, "%*.*f", width, decimals, value);
        return length < 0 ? at : at + length;
    }
    uint64_t whole = rounded / (decimals == 1 ? 10 : 100);
    int digits = digits_of(whole), length = digits + 1 + decimals;
    char *end = at + (length < width ? width : length);
    put_blanks(at);
    digits_put(end, rounded, decimals);
    end[-1 - decimals] = '.';
    digits_put(end - 1 - decimals, whole, digits);
    return end;
}

void gprof_put_line(FILE *out, const char *begin, const char *end)
{
    port_fwrite_unlocked(begin, 1, (size_t)(end - begin), out);
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
    /* A unit is two bytes. GNU gprof rounds down and casts to long, so larger scales are
     * not cast. */
    double units = gprof->scale >= 1 && gprof->scale < 0x1p60 ? floor(gprof->scale) : 0;
    fprintf(gprof->out, "granularity: each sample hit covers %ld byte(s)",
            2 * (long)units);
}
