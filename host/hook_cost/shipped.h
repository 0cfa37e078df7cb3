/* SPDX-License-Identifier: MIT */
/* A step of timed_find(): how long functions' own code is, in the firmware that ran and
 * in that which ships; nobody else calls it. */
#ifndef MCUPROF_HOST_SHIPPED_H
#define MCUPROF_HOST_SHIPPED_H

#include "../functions/analysis.h"

/*
 * With hooks the compiler makes other code: a hook's arguments take registers, some
 * functions are no longer inlined, and -fno-tree-ter computes values in another order. A
 * loop that has one instruction more is longer by its part of the loop.
 *
 * Where the firmware is known as it ships (image_shipped()), the code of each function is
 * compared. An instruction in n loops counts t^n times, one in no loop once, where t is
 * how often the loops turn: as often as a call's time tells (shipped_ratio()), and where
 * that is not known SHIPPED_TURNS times;
 * and a call of a function that is not timed has the instructions of that function
 * besides. In no loop there are as many in the firmware that ran as in that which ships,
 * because what hooks change there is taken off elsewhere (outside.h). Code belongs to the
 * innermost timed function that is inlined there, by DWARF. Copies of an inlined function
 * lie in the loops around them: their deepest instruction counts as being as deep as in
 * other copies. Nothing is compared if a function's code that is not inlined is not as
 * deep in both, if it has more loops in one than in the other, if it has hooks in the
 * firmware that ships, or if several functions have its name.
 */
#define SHIPPED_TURNS 8
/* Nothing is compared that is more than so many times longer in one than the other. */
#define SHIPPED_ALIKE 2

struct shipped_code {
    unsigned loops; /* the deepest instruction's */
    double counts; /* of the firmware that ran: instructions, without hooks; 0: not known,
                      or there is a switch through which an unknown loop may lead */
    bool moved;    /* functions are inlined in it in one firmware alone, or it in one */
    bool longer_known;
    double longer; /* instructions in no loop, beside those that call hooks and set their
                      arguments, that it has more than as it ships, each call of it */
    double ratio;  /* how much longer it is than as it ships, which is 1; 0: not known */
    double ran[IMAGE_LOOPS_MAX + 1], ships[IMAGE_LOOPS_MAX + 1]; /* private */
};

/* Fills in codes[0 .. function_count), from zeros. image may be NULL. false: out of
 * memory. */
bool shipped_compare(const struct analysis *analysis, struct image *image,
                     struct shipped_code *codes);

/* The ratio, which is known, of a function whose calls execute so many instructions of
 * its own in the mean: its loops turn as often as that takes, all of them equally often.
 * 0 instructions: not known. *error: how far this is from the ratio in the code, a part
 * of 1. */
double shipped_ratio(const struct shipped_code *code, double instructions, double *error);

#endif
