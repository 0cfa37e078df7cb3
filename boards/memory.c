/* SPDX-License-Identifier: MIT */
/* Functions that GCC calls; a C library would have them. */
#include <stddef.h>

void *memcpy(void *restrict to, const void *restrict from, size_t bytes);
void *memset(void *to, int byte, size_t bytes);

/* Keeps the compiler from replacing a copying loop by a call of memcpy(). */
#define AS_IT_IS() __asm__ volatile("" ::: "memory")

void *memcpy(void *restrict to, const void *restrict from, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        ((char *)to)[i] = ((const char *)from)[i];
        AS_IT_IS();
    }
    return to;
}

void *memset(void *to, int byte, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        ((char *)to)[i] = (char)byte;
        AS_IT_IS();
    }
    return to;
}
