/* SPDX-License-Identifier: MIT */
/*
 * Calls of all kinds, also from an interrupt that comes amid them, for `mcuprof patch`:
 * what they compute is printed. Between the first round and the third the profiler is
 * stopped. The assembly has what must not be taken for a call, and calls that rely on the
 * flags.
 */
#include "board.h"
#include "mcuprof.h"

#ifdef __clang__
#define ALONE __attribute__((noinline, optnone))
#else
#define ALONE __attribute__((noinline, noclone, noipa))
#endif

static volatile unsigned sink, ticks;

/* ---- Assembly: decoys.S ---- */

unsigned carry_in(unsigned a, unsigned b);    /* leads the carry into a call */
unsigned keeps_flags(unsigned a, unsigned b); /* keeps the flags across one */
unsigned data_between(unsigned index);        /* reads words that look like calls */
unsigned shared(unsigned a);                  /* loads its own call as a word */

/* ---- C ---- */

static ALONE unsigned leaf(unsigned x)
{
    sink = x;
    return x * 7 + 1;
}

static ALONE unsigned tail(unsigned x)
{
    return leaf(x ^ 5);
}

static ALONE unsigned maybe(unsigned x)
{
    return x % 3 == 0 ? leaf(x) : tail(x + 1);
}

static ALONE unsigned fibonacci(unsigned n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

static ALONE unsigned many(unsigned a, unsigned b, unsigned c, unsigned d, unsigned e,
                           uint64_t f, unsigned char g)
{
    return a + 2 * b + 3 * c + 4 * d + 5 * e + (unsigned)(f >> 16) + g;
}

struct pair {
    uint64_t low, high;
};

static ALONE struct pair wide(uint64_t x)
{
    return (struct pair){x * 3, x ^ 0x123456789abcdefu};
}

static ALONE double real(double x)
{
    return x * 1.5 + 0.25;
}

static ALONE unsigned choose(unsigned x)
{
    switch (x % 8) {
    case 0:
        return leaf(x);
    case 1:
        return tail(x) + 2;
    case 2:
        return maybe(x) + 3;
    case 3:
        return x;
    case 4:
        return leaf(x + 1) ^ 9;
    case 5:
        return leaf(leaf(x));
    case 6:
        return many(x, 1, 2, 3, 4, 5, 6);
    default:
        return x / 3;
    }
}

/* A function in a function: it gets the address of the other's frame in a register that
 * no other call uses. */
#ifdef __clang__
static ALONE unsigned outer(unsigned x)
{
    return leaf(x);
}
#else
static ALONE unsigned outer(unsigned x)
{
    unsigned sum = 0;
    ALONE unsigned inner(unsigned y)
    {
        sum += y;
        return sum + x;
    }
    for (unsigned i = 0; i < 5; i++) {
        sum ^= inner(i);
    }
    return sum;
}
#endif

/* In RAM, from which no counter is in reach. */
#define IN_RAM ALONE __attribute__((section(".data.code")))
static IN_RAM unsigned near(unsigned x)
{
    return x + 11;
}

static IN_RAM unsigned far(unsigned x)
{
    return near(x) * 3;
}

static unsigned (*const volatile pointers[])(unsigned) = {leaf, tail, maybe, far};

static ALONE unsigned assembly(unsigned x)
{
    return carry_in(x, 20) + 3 * keeps_flags(x, 10) + data_between(x % 4) + shared(x);
}

static ALONE unsigned work(unsigned rounds)
{
    unsigned sum = fibonacci(8);
    for (unsigned i = 0; i < rounds; i++) {
        struct pair pair = wide(i * 0x1234567u);
        sum = sum * 31 + choose(i) + maybe(i) + outer(i) + assembly(i);
        sum += (unsigned)pair.low ^ (unsigned)(pair.high >> 32);
        sum += (unsigned)(int)real(i) + pointers[i % 4](i);
        sum += many(i, sum, 3, 4, 5, (uint64_t)sum << 20, 7);
    }
    return sum;
}

static ALONE void handler(void)
{
    ticks++;
    (void)leaf(ticks);
    (void)tail(ticks);
}

int main(void)
{
    unsigned first, second, third;

    mcuprof_start();
    board_tick(40, handler);
    first = work(60);
    board_tick(0, handler);
    mcuprof_stop();
    second = work(20);
    mcuprof_flush();
    mcuprof_start();
    third = work(30);
    mcuprof_end();
    board_printf("result %u\nresult %u\nresult %u\nticks %u\n", first, second, third,
                 ticks > 0);
    board_exit(0);
}
