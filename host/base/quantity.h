/* SPDX-License-Identifier: MIT */
/* Figures with their unit, as people write them in files of settings (settings.h). */
#ifndef MCUPROF_HOST_QUANTITY_H
#define MCUPROF_HOST_QUANTITY_H

#include <stdbool.h>

/* What a figure is of, and what it is counted in. */
enum quantity {
    QUANTITY_NUMBER,
    QUANTITY_PERCENT,
    QUANTITY_TIME,    /* seconds */
    QUANTITY_ENERGY,  /* joules */
    QUANTITY_CURRENT, /* amperes */
    QUANTITY_VOLTAGE, /* volts */
    QUANTITY_CHARGE,  /* coulombs */
};

/* Reads "5", "5%", "50us", "2.6 uA", "220 mAh", "300 days": a number that is not
 * negative and, with blanks between or not, its unit: s, J, A, V or Ah, also with n, u,
 * µ or m in front; h, days, %. false: it is none. */
bool quantity_read(const char *text, double *value, enum quantity *quantity);

/* Cuts the blanks off both ends of a text; returns where it begins. */
char *quantity_trim(char *text);

#endif
