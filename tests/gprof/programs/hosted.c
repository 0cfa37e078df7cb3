/* SPDX-License-Identifier: MIT */
/* A program of the PC that really runs, under gcc -pg. */
#include <stdlib.h>

static volatile unsigned long total;

static void spin(unsigned long n)
{
    for (unsigned long i = 0; i < n; i++)
        total += i;
}

static void even(unsigned n);

static void odd(unsigned n)
{
    spin(2000);
    if (n)
        even(n - 1);
}

static void even(unsigned n)
{
    spin(1000);
    if (n)
        odd(n - 1);
}

void recurse(unsigned n)
{
    spin(500);
    if (n)
        recurse(n - 1);
}

int compare(const void *a, const void *b)
{
    spin(5);
    return *(const int *)a - *(const int *)b;
}

void sorted(void)
{
    int numbers[500];

    for (int i = 0; i < 500; i++)
        numbers[i] = i * 7919 % 500;
    qsort(numbers, 500, sizeof *numbers, compare);
}

int main(void)
{
    for (unsigned i = 0; i < 300; i++) {
        even(i % 30);
        recurse(i % 20);
        sorted();
    }
    return 0;
}
