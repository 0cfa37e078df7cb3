/* SPDX-License-Identifier: MIT */
/* Firmware as it is linked for a device: with the C library, libgcc and its start-up. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"

volatile unsigned long sink;

static int compare(const void *left, const void *right)
{
    const int *a = left, *b = right;

    return *a < *b ? -1 : *a > *b;
}

static unsigned long print(char *text, size_t room, unsigned n)
{
    int length = snprintf(text, room, "%u of %s, %ld", n, "many", (long)sink);

    return length < 0 ? 0 : strtoul(text, NULL, 10) + strlen(text);
}

static void sort(unsigned n)
{
    int numbers[16];

    for (unsigned i = 0; i < 16; i++)
        numbers[i] = (int)weigh(n + i) % 100;
    qsort(numbers, 16, sizeof(*numbers), compare);
    sink += (unsigned long)numbers[n % 16];
}

/* Called by nobody: -ffunction-sections and --gc-sections leave it out. */
unsigned forgotten(unsigned n)
{
    sink = blend(n, 3);
    return n;
}

int main(void)
{
    char text[40];

    for (unsigned i = 1; i < 10; i++) {
        void *memory = calloc(i, 8);

        sink += print(text, sizeof(text), i);
        sort(i);
        sink += divide(sink, i) + scale(i) + objects(i);
        free(memory);
    }
    return 0;
}
