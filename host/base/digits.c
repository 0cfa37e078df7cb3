/* SPDX-License-Identifier: MIT */
#include "digits.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { WHOLE_MAX = 20, DECIMALS_MAX = 15, GENERAL_DIGITS = 12 };

static const uint64_t powers[DECIMALS_MAX + 1] = {
    1,
    10,
    100,
    1000,
    10000,
    100000,
    1000000,
    10000000,
    100000000,
    1000000000,
    10000000000,
    100000000000,
    1000000000000,
    10000000000000,
    100000000000000,
    1000000000000000,
};

/* Returns the number of digits. */
static int put_whole(char *text, uint64_t number)
{
    int used = digits_of(number);
    digits_put(text + used, number, used);
    return used;
}

int digits_whole(char *text, size_t size, const char *before, uint64_t number,
                 const char *behind)
{
    size_t first = strlen(before), last = strlen(behind);
    if (first + WHOLE_MAX + last >= size)
        return snprintf(text, size, "%s%" PRIu64 "%s", before, number, behind);
    memcpy(text, before, first);
    first += (size_t)put_whole(text + first, number);
    memcpy(text + first, behind, last + 1);
    return (int)(first + last);
}

/* Below 2^41 the product is off by less than 2^-12. So if it is further than that from a
 * half, it rounds to the same whole number as the exact product. */
bool digits_scale(double number, int decimals, uint64_t *whole)
{
    if (signbit(number) || decimals > DECIMALS_MAX)
        return false;
    double product = number * (double)powers[decimals];
    if (!(product < 0x1p41))
        return false;
    *whole = (uint64_t)product;
    double fraction = product - (double)*whole;
    *whole += fraction > 0.5;
    return fabs(fraction - 0.5) > 0x1p-12;
}

/* Writes whole / 10^decimals with exactly that many decimals. */
static int put_scaled(char *text, uint64_t whole, int decimals)
{
    uint64_t unit = powers[decimals];
    int used = put_whole(text, whole / unit);
    if (decimals > 0) {
        /* a 1 in front keeps the decimals' leading zeros; the point then takes its place
         */
        int rest = put_whole(text + used, unit + whole % unit);
        text[used] = '.';
        used += rest;
    }
    text[used] = '\0';
    return used;
}

int digits_fixed(char *text, size_t size, double number, int decimals)
{
    uint64_t whole;
    if (size >= DIGITS_ROOM && decimals >= 0 && digits_scale(number, decimals, &whole))
        return put_scaled(text, whole, decimals);
    return snprintf(text, size, "%.*f", decimals, number);
}

int digits_general(char *text, size_t size, double number)
{
    const uint64_t most = powers[GENERAL_DIGITS], least = most / 10;
    uint64_t whole;
    int decimals = 0;
    while (decimals < DECIMALS_MAX && number * (double)powers[decimals] < (double)least)
        decimals++;
    if (size < DIGITS_ROOM || !digits_scale(number, decimals, &whole) ||
        (number > 0 && (whole < least || whole >= most)))
        return snprintf(text, size, "%.*g", GENERAL_DIGITS, number);
    int used = put_scaled(text, whole, decimals);
    while (decimals-- > 0 && text[used - 1] == '0')
        used--;
    used -= text[used - 1] == '.';
    text[used] = '\0';
    return used;
}
