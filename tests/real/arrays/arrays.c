/* SPDX-License-Identifier: MIT */
/*
 * Functions with arrays of variable length, whose frames have no fixed size. Where such
 * an array was, old return addresses lie at the places where a walk looked for them last
 * time.
 */
#include "real.h"

#define APART __attribute__((noinline, noclone, noipa))

static volatile uint32_t sink;

APART static void keep(void *data)
{
    __asm__ volatile("" ::"r"(data) : "memory");
}

/* ---- Two handlers that call one helper ---- */

APART static void spin(unsigned turns)
{
    for (unsigned i = 0; i < turns; i++) {
        sink += i;
    }
}

APART static void fill(uint8_t *bytes)
{
    bytes[0] = 1;
    spin(500);
    bytes[1] = 2;
}

APART static void help(unsigned size)
{
    uint8_t bytes[size];

    fill(bytes);
    sink += bytes[0];
}

APART static void often(unsigned size)
{
    help(size);
    sink++;
}

APART static void seldom(unsigned size)
{
    uint8_t own[16];

    keep(own);
    help(size);
    keep(own);
    sink++;
}

/* With these sizes the frames of both handlers' helpers begin at one place. */
static void handle(void)
{
    static void (*volatile const handlers[])(unsigned) = {often, seldom};
    static const unsigned sizes[] = {64, 48};
    unsigned which = next_random() % 4 == 0;

    handlers[which](sizes[which]);
}

/* ---- A parser of nested messages, with a buffer at each level ---- */

APART static uint32_t work(const uint8_t *bytes, unsigned turns)
{
    uint32_t sum = 0;

    for (unsigned i = 0; i < turns; i++) {
        sum = sum * 31 + bytes[i % 8];
    }
    return sum;
}

APART static uint32_t parse(unsigned depth)
{
    unsigned size = 8 + next_random() % 56;
    uint8_t buffer[size];
    uint32_t sum;

    for (unsigned i = 0; i < 8; i++) {
        buffer[i] = (uint8_t)(size + i);
    }
    sum = work(buffer, 60 + size);
    if (depth && next_random() % 4) {
        sum += parse(depth - 1);
    }
    if (depth && next_random() % 3 == 0) {
        sum += parse(depth - 1);
    }
    return sum + buffer[0];
}

APART static uint32_t parse_first(unsigned depth)
{
    return parse(depth) + 1;
}

APART static uint32_t parse_second(unsigned depth)
{
    uint8_t header[24];
    uint32_t sum;

    keep(header);
    sum = parse(depth);
    keep(header);
    return sum + 2;
}

APART static uint32_t parse_third(unsigned depth)
{
    uint8_t header[40];
    uint32_t sum;

    keep(header);
    sum = parse(depth);
    keep(header);
    return sum + 3;
}

uint32_t program(unsigned rounds)
{
    static uint32_t (*volatile const parsers[])(unsigned) = {parse_first, parse_second,
                                                             parse_third};
    uint32_t sum = 0;

    for (unsigned i = 0; i < rounds; i++) {
        for (unsigned k = 0; k < 8; k++) {
            handle();
        }
        sum += parsers[next_random() % 3](next_random() % 6);
    }
    return sum;
}
