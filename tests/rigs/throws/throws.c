/* SPDX-License-Identifier: MIT */
/*
 * Random calls: nested deeper than the shadow stack, expanded inline, with arrays of
 * variable length, left by longjmp to any setjmp() below. Prints for each function how
 * often it was called, and how often a call that had a frame ended: the latter must be
 * received. Build with MCUPROF_CALLS=1.
 */
#include "board.h"
#include "burn.h"
#include "mcuprof.h"
#include "mcuprof_config.h"
#include "mcuprof_setjmp.h"

#ifndef SEED
#define SEED 1
#endif
#define CALLS    3000 /* about as many calls are made */
#define DEEPEST  12   /* the deepest nesting of calls by may_call() */
#define HANDLERS (DEEPEST + 1)

#define CALLED  __attribute__((noinline, noclone, noipa))
#define INLINED static inline __attribute__((always_inline))

enum { LEAF, SMALL, PASSES, NODE, ARRAY, CATCHES, THROWS, RUN, FUNCTIONS };

static const char *const names[FUNCTIONS] = {
    "leaf", "small", "passes", "node", "array", "catches", "throws", "run",
};
static volatile unsigned begun[FUNCTIONS], ended[FUNCTIONS];
static volatile unsigned depth; /* number of calls that have not ended */
static volatile unsigned left = CALLS;
static volatile uint32_t random = SEED;
static jmp_buf *volatile handlers[HANDLERS];
static volatile unsigned handling;

/* Marsaglia's xorshift. */
static MCUPROF_NOT_PROFILED CALLED unsigned random_below(unsigned limit)
{
    uint32_t x = random;

    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    random = x;
    return (unsigned)(x >> 8 & 0x7FFF) % limit;
}

static MCUPROF_NOT_PROFILED unsigned begin(unsigned function)
{
    begun[function]++;
    return ++depth;
}

/* Ends a call; `at` is what begin() returned. */
static MCUPROF_NOT_PROFILED void end(unsigned function, unsigned at)
{
    ended[function] += at <= MCUPROF_DEPTH;
    depth = at - 1;
}

static void may_call(unsigned deeper);

static CALLED void leaf(void)
{
    unsigned at = begin(LEAF);

    BURN(400);
    end(LEAF, at);
}

INLINED void small(void)
{
    unsigned at = begin(SMALL);

    end(SMALL, at);
}

INLINED void passes(unsigned deeper)
{
    unsigned at = begin(PASSES);

    may_call(deeper);
    end(PASSES, at);
}

static CALLED void node(unsigned deeper)
{
    unsigned at = begin(NODE);

    small();
    may_call(deeper);
    if (random_below(2)) {
        passes(deeper);
    }
    end(NODE, at);
}

static CALLED void array(unsigned deeper)
{
    unsigned at = begin(ARRAY);
    volatile uint8_t bytes[1 + random_below(20)];

    bytes[0] = 0;
    may_call(deeper);
    passes(deeper);
    (void)bytes[0];
    end(ARRAY, at);
}

static CALLED void throws(void)
{
    unsigned at = begin(THROWS);

    if (handling && random_below(2)) {
        handling = random_below(handling);
        longjmp(*handlers[handling], 1 + (int)random_below(3));
    }
    end(THROWS, at);
}

static CALLED void catches(unsigned deeper)
{
    unsigned at = begin(CATCHES), below = handling;
    jmp_buf env;

    handlers[below] = &env;
    if (setjmp(env) != 3) { /* after 1 and 2 the function jumps again */
        depth = at;
        handling = below + 1;
        may_call(deeper);
    }
    depth = at;
    handling = below;
    small();
    end(CATCHES, at);
}

static MCUPROF_NOT_PROFILED CALLED void may_call(unsigned deeper)
{
    for (unsigned n = random_below(4); n > 0 && deeper > 0 && left > 0; n--) {
        left--;
        switch (random_below(6)) {
        case 0:
            leaf();
            break;
        case 1:
            node(deeper - 1);
            break;
        case 2:
            array(deeper - 1);
            break;
        case 3:
            throws();
            break;
        default:
            catches(deeper - 1);
        }
    }
}

static CALLED void run(void)
{
    unsigned at = begin(RUN);

    while (left > 0) {
        may_call(DEEPEST);
    }
    end(RUN, at);
}

int main(void)
{
    mcuprof_start();
    run();
    mcuprof_end();
    for (unsigned i = 0; i < FUNCTIONS; i++) {
        board_printf("%s %u %u\n", names[i], begun[i], ended[i]);
    }
    return 0;
}
