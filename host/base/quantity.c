/* SPDX-License-Identifier: MIT */
#include "quantity.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { HOUR = 3600, DAY = 24 * HOUR };

static const struct {
    const char *name;
    enum quantity quantity;
    double factor;
} units[] = {{"", QUANTITY_NUMBER, 1},     {"%", QUANTITY_PERCENT, 1},
             {"h", QUANTITY_TIME, HOUR},   {"days", QUANTITY_TIME, DAY},
             {"s", QUANTITY_TIME, 1},      {"J", QUANTITY_ENERGY, 1},
             {"A", QUANTITY_CURRENT, 1},   {"V", QUANTITY_VOLTAGE, 1},
             {"Ah", QUANTITY_CHARGE, HOUR}};
enum { PREFIXED = 4 }; /* units from here on may have a prefix */

static const struct {
    const char *name;
    double factor;
} prefixes[] = {{"", 1},          {"m", 1e-3},      {"u", 1e-6},
                {"\u00b5", 1e-6}, {"\u03bc", 1e-6}, {"n", 1e-9}};

#define COUNT_OF(array) (sizeof(array) / sizeof(array)[0])

/* Finds a unit. false: there is none of that name. */
static bool find_unit(const char *name, double *factor, enum quantity *quantity)
{
    for (size_t i = 0; i < COUNT_OF(units); i++) {
        for (size_t j = 0; j < (i < PREFIXED ? 1 : COUNT_OF(prefixes)); j++) {
            size_t length = strlen(prefixes[j].name);

            if (strncmp(name, prefixes[j].name, length) != 0 ||
                strcmp(name + length, units[i].name) != 0)
                continue;
            *factor = units[i].factor * prefixes[j].factor;
            *quantity = units[i].quantity;
            return true;
        }
    }
    return false;
}

bool quantity_read(const char *text, double *value, enum quantity *quantity)
{
    double factor, number;
    char *end;

    number = strtod(text, &end);
    if (end == text)
        return false;
    while (isspace((unsigned char)*end))
        end++;
    if (!find_unit(end, &factor, quantity))
        return false;
    *value = number * factor;
    return isfinite(*value) && *value >= 0;
}

char *quantity_trim(char *text)
{
    char *end;

    while (isspace((unsigned char)*text))
        text++;
    end = text + strlen(text);
    while (end > text && isspace((unsigned char)end[-1]))
        end--;
    *end = '\0';
    return text;
}
