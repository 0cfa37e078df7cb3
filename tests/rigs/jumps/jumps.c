/* SPDX-License-Identifier: MIT */
/*
 * Calls with which a shadow stack could go wrong: left by longjmp, nested deeper than the
 * shadow stack, expanded inline, in tail position, with a stack that grows meanwhile.
 * Build with MCUPROF_CALLS=1 and MCUPROF_DEPTH=8; tests/firmware/test_timed.py has the
 * numbers of calls.
 */
#ifdef PLAIN_SETJMP
#include <setjmp.h>
#else
#include "mcuprof_setjmp.h"
#endif

#include "board.h"
#include "burn.h"
#include "mcuprof.h"

#ifndef ROUNDS
#define ROUNDS 10
#endif

#define CALLED __attribute__((noinline, noclone, noipa))

static volatile unsigned result;
static jmp_buf env;

static CALLED void leaf(void)
{
    result++;
}

/* ---- left by longjmp, three calls at once ---- */

static CALLED void third(void)
{
    leaf();
    longjmp(env, 1);
}

static CALLED void second(void)
{
    third();
    result++;
}

static CALLED void first(void)
{
    second();
    result++;
}

static CALLED void jumps(void)
{
    for (volatile unsigned i = 0; i < ROUNDS; i++) {
        if (setjmp(env) == 0) {
            first();
        }
        leaf();
    }
}

/* ---- deeper than the shadow stack ---- */

static CALLED unsigned deep(unsigned n)
{
    return n ? 1 + deep(n - 1) : 0;
}

/* Jumps back from calls that found no room on the shadow stack. */
static CALLED unsigned deep_jump(unsigned n)
{
    if (n == 0 && result) {
        longjmp(env, 1);
    }
    return n ? 1 + deep_jump(n - 1) : 0;
}

static CALLED void depths(void)
{
    result += deep(20);
    leaf();
    if (setjmp(env) == 0) {
        result += deep_jump(20);
    }
    leaf();
    leaf();
}

/* ---- expanded inline, also in the call that has the last frame ---- */

static inline __attribute__((always_inline)) void small(void)
{
    result++;
}

static CALLED void nested(unsigned n)
{
    small();
    leaf();
    if (n) {
        nested(n - 1);
        result++;
    }
}

static CALLED void expanded(void)
{
    nested(12);
    result++;
}

/* ---- the same, and an array of variable length ---- */

static CALLED unsigned array(unsigned n);

static CALLED void both(void)
{
    small();
    result += array(3);
}

static CALLED unsigned at_depth(unsigned n)
{
    if (n) {
        return 1 + at_depth(n - 1);
    }
    both();
    return 0;
}

static CALLED void mixed(void)
{
    result += at_depth(5);
}

/* ---- expanded inline, and left by longjmp ---- */

static inline __attribute__((always_inline)) void leaves(void)
{
    third();
}

static CALLED void returns_here(void)
{
    BURN(4000);
    if (setjmp(env) == 0) {
        leaves();
    }
}

static CALLED void calls_it(void)
{
    returns_here();
    result++;
}

/* ---- handlers in a chain: the last one is removed before the jump to it ---- */

struct handler {
    struct handler *previous;
    jmp_buf env;
};
static struct handler *handlers;

static CALLED struct handler *push(struct handler *handler)
{
    handler->previous = handlers;
    handlers = handler;
    return handler;
}

static CALLED void throws(void)
{
    struct handler *handler = handlers;

    handlers = handler->previous;
    longjmp(handler->env, 1);
}

static CALLED void caught(void)
{
    struct handler handler;

    if (setjmp(push(&handler)->env) == 0) {
        volatile unsigned
            values[1 + result % 3]; /* the stack is lower than at the setjmp() */

        values[0] = 0;
        result += values[0];
        throws();
    }
    leaf();
}

static CALLED void chain(void)
{
    struct handler handler;

    if (setjmp(push(&handler)->env) == 0) {
        caught();
        caught();
        throws();
    }
    leaf();
}

static volatile unsigned ticks;
static jmp_buf outermost;

#ifndef PLAIN_SETJMP
/* ---- in an interrupt ---- */

static jmp_buf in_tick;

static CALLED void fails(void)
{
    BURN(400);
    longjmp(in_tick, 1);
}

static CALLED void deeper(void)
{
    fails();
    result++;
}

static MCUPROF_NOT_PROFILED void on_tick(void)
{
    ticks++;
    if (setjmp(in_tick) == 0) {
        deeper();
    }
}

static CALLED void interrupted(void)
{
    BURN(40000);
}

/* ---- a jump to a place from before the profiler's start ---- */

static CALLED void gives_up(void)
{
    longjmp(outermost, 1);
}

static CALLED void tries(void)
{
    gives_up();
    result++;
}
#endif

/* ---- expanded inline, after a call whose arguments are on the stack ---- */

static inline __attribute__((always_inline)) void counts(unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        result++;
    }
}

static CALLED void printed(unsigned n)
{
    board_printf("printed %u\n", n);
    counts(n);
    BURN(4000);
}

/* ---- in tail position ---- */

static CALLED unsigned last(unsigned n)
{
    leaf();
    return n + 1;
}

static CALLED unsigned passes_on(unsigned n)
{
    return last(n * 2);
}

/* ---- an array of variable length: the stack pointer is lower at the function's end ----
 */

static CALLED unsigned array(unsigned n)
{
    volatile unsigned values[n];

    for (unsigned i = 0; i < n; i++) {
        values[i] = i;
        leaf();
    }
    return values[n - 1];
}

static CALLED void rest(void)
{
    for (unsigned i = 1; i <= 10; i++) {
        result += passes_on(i) + array(i);
    }
}

int main(void)
{
    if (setjmp(outermost) == 0) {
        mcuprof_start();
        jumps();
        depths();
        expanded();
        mixed();
        calls_it();
        printed(10);
        chain();
        rest();
#ifndef PLAIN_SETJMP /* with plain setjmp() these may never be noticed */
        board_tick(1000, on_tick);
        interrupted();
        board_tick(0, on_tick);
        tries();
#endif
    }
    leaf();
    mcuprof_end();
    board_printf("result %u\n", result);
    board_printf("ticks %u\n", ticks);
    return 0;
}
