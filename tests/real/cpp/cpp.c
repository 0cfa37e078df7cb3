/* SPDX-License-Identifier: MIT */
/* Runs the constructors, then the program of classes.cpp. */
#include "real.h"

extern void (*__init_array_start[])(void);
extern void (*__init_array_end[])(void);
uint32_t classes(unsigned rounds);
void *__dso_handle;

uint32_t program(unsigned rounds)
{
    for (void (**constructor)(void) = __init_array_start; constructor < __init_array_end;
         constructor++) {
        (*constructor)();
    }
    return classes(rounds);
}
