/* SPDX-License-Identifier: MIT */
/* Two stacks of other functions, in turn: see example.mk. */
#include "mcuprof.h"
#include "mcuprof_config.h"
#include "real.h"

#define APART __attribute__((noinline, noclone, noipa))

enum { DEPTH = MCUPROF_PATHS - 3 /* below are program(), main() and the start */ };

static volatile uint32_t sink;

APART static void spin(unsigned turns)
{
    for (unsigned i = 0; i < turns; i++) {
        sink += i;
    }
}

/* A function that calls the next one, if more are to come. */
#define CALL(name, next)                                                                 \
    APART static void name(unsigned more)                                                \
    {                                                                                    \
        if (more) {                                                                      \
            next(more - 1);                                                              \
        } else {                                                                         \
            spin(150);                                                                   \
        }                                                                                \
        sink ^= more;                                                                    \
    }

#define TEN(ten, next)                                                                   \
    CALL(ten##9, next)                                                                   \
    CALL(ten##8, ten##9)                                                                 \
    CALL(ten##7, ten##8)                                                                 \
    CALL(ten##6, ten##7)                                                                 \
    CALL(ten##5, ten##6)                                                                 \
    CALL(ten##4, ten##5)                                                                 \
    CALL(ten##3, ten##4)                                                                 \
    CALL(ten##2, ten##3)                                                                 \
    CALL(ten##1, ten##2)                                                                 \
    CALL(ten##0, ten##1)

#define STACK(side)                                                                      \
    TEN(side##12, spin)                                                                  \
    TEN(side##11, side##120)                                                             \
    TEN(side##10, side##110)                                                             \
    TEN(side##9, side##100)                                                              \
    TEN(side##8, side##90)                                                               \
    TEN(side##7, side##80)                                                               \
    TEN(side##6, side##70)                                                               \
    TEN(side##5, side##60)                                                               \
    TEN(side##4, side##50)                                                               \
    TEN(side##3, side##40)                                                               \
    TEN(side##2, side##30)                                                               \
    TEN(side##1, side##20)                                                               \
    TEN(side, side##10)

STACK(left)
STACK(right)

uint32_t program(unsigned rounds)
{
    for (unsigned i = 0; i < rounds; i++) {
        left0(DEPTH - i % 3);
        right0(DEPTH - i % 3);
    }
    return sink;
}
