/* SPDX-License-Identifier: MIT */
#include "digits.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>

enum { DECIMALS_MAX = 15, GENERAL_DIGITS = 12 };

static const uint64_t powers[DECIMALS_MAX + 1] = {1,
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
                                                  1000000000000000};

size_t digits_whole(char *text, uint64_t number)
{
    size_t used = 1;
    for (uint64_t rest = number; rest >= 10; rest /= 10)
        used++;
    text[used] = '\0';
    for (size_t i = used; i-- > 0; number /= 10)
        text[i] = (char)('0' + number % 10);
    return used;
}

/*
 * number * 10^decimals as the nearest whole number. Below 2^41 the product is off by less
 * than 2^-12: its nearest is that of the exact one if it is further than that from a
 * half. false: it is not, or is larger.
 */
static bool scale(double number, int decimals, uint64_t *whole)
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

/* whole / 10^decimals, with all of these. */
static size_t put_scaled(char *text, uint64_t whole, int decimals)
{
    uint64_t unit = powers[decimals];
    size_t used = digits_whole(text, whole / unit);
    if (decimals == 0)
        return used;
    /* a 1 before the decimals keeps their zeros, and gives its place to the point */
    size_t rest = digits_whole(text + used, unit + whole % unit);
    text[used] = '.';
    return used + rest;
}

size_t digits_fixed(char *text, double number, int decimals)
{
    uint64_t whole;
    if (scale(number, decimals, &whole))
        return put_scaled(text, whole, decimals);
    return (size_t)snprintf(text, DIGITS_MAX, "%.*f", decimals, number);
}

size_t digits_general(char *text, double number)
{
    const uint64_t most = powers[GENERAL_DIGITS], least = most / 10;
    uint64_t whole;
    int decimals = 0;
    while (decimals < DECIMALS_MAX && number * (double)powers[decimals] < (double)least)
        decimals++;
    if (!scale(number, decimals, &whole) ||
        (number > 0 && (whole < least || whole >= most)))
        return (size_t)snprintf(text, DIGITS_MAX, "%.*g", GENERAL_DIGITS, number);
    size_t used = put_scaled(text, whole, decimals);
    while (decimals > 0 && text[used - 1] == '0') {
        used--;
        decimals--;
    }
    used -= text[used - 1] == '.';
    text[used] = '\0';
    return used;
}
