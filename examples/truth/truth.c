/* SPDX-License-Identifier: MIT */
/*
 * Makes calls of every kind, each a known number of times, and checks their results: the
 * profile is known before the program runs (tests/firmware/truth.py has it). Exits with 1
 * if a result is wrong, because then the profiler has disturbed the program.
 */
#include "board.h"
#include "mcuprof.h"

/* The compiler must not inline, clone or drop these functions: each call in the source
 * happens. */
#define CALLED __attribute__((noinline, noclone, noipa))

static unsigned failures;

static CALLED void expect(uint32_t got, uint32_t wanted)
{
    if (got != wanted) {
        failures++;
    }
}

/* ---- loops ---- */

static CALLED uint32_t leaf(uint32_t x)
{
    return x * 3 + 1;
}

static CALLED void loops(void)
{
    uint32_t sum = 0;

    for (uint32_t i = 0; i < 1000; i++) {
        sum += leaf(i);
    }
    expect(sum, 1499500);
}

/* ---- recursion ---- */

static CALLED uint32_t factorial(uint32_t n)
{
    return n < 2 ? 1 : n * factorial(n - 1);
}

static CALLED uint32_t fibonacci(uint32_t n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

static CALLED void recursion(void)
{
    for (unsigned i = 0; i < 20; i++) {
        expect(factorial(10), 3628800);
    }
    expect(fibonacci(15), 610);
}

/* ---- mutual recursion ---- */

static CALLED uint32_t is_odd(uint32_t n);

static CALLED uint32_t is_even(uint32_t n)
{
    return n == 0 ? 1 : is_odd(n - 1);
}

static CALLED uint32_t is_odd(uint32_t n)
{
    return n == 0 ? 0 : is_even(n - 1);
}

static CALLED void mutual(void)
{
    for (unsigned i = 0; i < 30; i++) {
        expect(is_even(i), i % 2 == 0);
    }
}

/* ---- function pointers: one call site, several callees ---- */

static CALLED uint32_t op_add(uint32_t x)
{
    return x + 1;
}

static CALLED uint32_t op_sub(uint32_t x)
{
    return x - 1;
}

static CALLED uint32_t op_shift(uint32_t x)
{
    return x << 1;
}

static CALLED uint32_t op_not(uint32_t x)
{
    return ~x;
}

static CALLED void pointers(void)
{
    static uint32_t (*const volatile ops[])(uint32_t) = {op_add, op_sub, op_shift,
                                                         op_not};
    uint32_t x = 1;

    for (unsigned i = 0; i < 400; i++) {
        x = ops[i % 4](x);
    }
    expect(x, 0x55555555);
}

/* ---- arguments in registers and on the stack; wide, struct and floating results ---- */

struct triple {
    uint32_t a, b, c;
};

static CALLED uint32_t args4(uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    return a + 2 * b + 3 * c + 4 * d;
}

static CALLED uint32_t args8(uint32_t a, uint32_t b, uint32_t c, uint32_t d, uint32_t e,
                             uint32_t f, uint32_t g, uint32_t h)
{
    return args4(a, b, c, d) + 5 * e + 6 * f + 7 * g + 8 * h;
}

static CALLED uint64_t wide(uint64_t a, uint32_t b)
{
    return (a << 8 | b) + 1;
}

static CALLED struct triple triple_of(uint32_t a, uint32_t b)
{
    return (struct triple){a, b, a + b};
}

static CALLED uint32_t triple_sum(struct triple t)
{
    return t.a + t.b + t.c;
}

static CALLED double scaled(double x, float y)
{
    return x * 2 + (double)y;
}

static CALLED void arguments(void)
{
    for (uint32_t i = 0; i < 50; i++) {
        uint64_t w = wide(0x0123456789ABull + i, i);

        expect(args4(i, 1, 2, 3), i + 20);
        expect(args8(i, 1, 2, 3, 4, 5, 6, 7), i + 168);
        expect((uint32_t)w, 0x6789AB00u + 257 * i + 1);
        expect((uint32_t)(w >> 32), 0x012345);
        expect(triple_sum(triple_of(i, 7)), 2 * i + 14);
        expect((uint32_t)scaled(i, 0.5f), 2 * i);
    }
}

/* ---- an interrupt that calls profiled functions, over code that does ---- */

enum { TICKS = 200 };
static volatile unsigned ticks;

static CALLED void count_tick(unsigned by)
{
    ticks += by;
}

static CALLED void on_tick(void)
{
    count_tick(1);
    if (ticks == TICKS) {
        board_tick(0, 0);
    }
}

static void on_timer(void)
{
    if (ticks < TICKS) {
        on_tick();
    }
}

static CALLED uint32_t work(uint32_t x)
{
    return leaf(x) ^ x;
}

/* How often it works depends on the interrupts' timing, so it prints the number. */
static CALLED void interrupts(void)
{
    unsigned rounds = 0;
    uint32_t x = 0;

    board_tick(BOARD_TICK_US, on_timer);
    while (ticks < TICKS) {
        x += work(x);
        rounds++;
    }
    expect(ticks, TICKS);
    board_printf("rounds %u\n", rounds);
}

int main(void)
{
    mcuprof_start();
    loops();
    recursion();
    mcuprof_flush(); /* allowed at any time */
    mutual();
    mcuprof_stop();
    loops(); /* not counted */
    mcuprof_start();
    pointers();
    arguments();
    interrupts();
    mcuprof_end();
    board_printf("samples %u\n", board_samples);
    board_printf("failures %u\n", failures);
    return failures != 0;
}
