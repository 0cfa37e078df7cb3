/* SPDX-License-Identifier: MIT */
/* A call of the profiler's hook with known registers. For one file of a program. */
#ifndef VICTIM_H
#define VICTIM_H

#include <stdbool.h>
#include <stdint.h>

#include "mcuprof.h"
#include "mcuprof_port.h"
#include "xorshift.h"

#define FN MCUPROF_NOT_PROFILED

/* A profiled function of one block. */
static __attribute__((noinline, noclone, noipa)) uint32_t victim_mix(uint32_t x,
                                                                     uint32_t y)
{
    return (x ^ y) * 16777619u;
}

static FN uint32_t next_random(void)
{
    static uint32_t x = 0x12345678;

    return xorshift(&x);
}

/* VICTIM_CALLS, VICTIM_BLOCKS: the calls and blocks that victim_changed() makes. It
 * returns how many registers have changed. */
#if MCUPROF_ARCS && defined(__ARM_ARCH_PROFILE) && __ARM_ARCH_PROFILE == 'M'
#include "../abi/abi_call.h"

enum { VICTIM_CALLS = 1, VICTIM_BLOCKS = 0 };

static FN unsigned victim_changed(void)
{
    unsigned count = 0;

    for (unsigned i = 0; i < 12; i++) {
        abi_in.r[i] = next_random();
    }
    abi_in.caller = 0x1235;
    abi_in.flags = next_random() & 0xF0000000u;
    abi_call();
    for (unsigned i = 0; i < 12; i++) {
        count += abi_in.r[i] != abi_out.r[i];
    }
    count += abi_in.caller != abi_out.caller;
    count += abi_in.sp != abi_out.sp;
    count += abi_in.masked != abi_out.masked;
    return count + (MCUPROF_KEEP_FLAGS && abi_in.flags != (abi_out.flags & 0xF0000000u));
}
#elif MCUPROF_ARCS && (defined(__arm__) || defined(__riscv))
#include "../registers/hold.h"

enum { VICTIM_CALLS = 1, VICTIM_BLOCKS = 0 };

static FN unsigned victim_changed(void)
{
    unsigned count = 0;

    for (unsigned i = 0; i < HELD; i++) {
        hold_in[i] = next_random();
    }
    hold();
    for (unsigned i = 0; i < HELD; i++) {
        count += ((hold_in[i] ^ hold_out[i]) & (i == HELD - 1 ? FLAGS : UINT32_MAX)) != 0;
    }
    return count;
}
#else /* in C: values that live across calls */
enum { VICTIM_CALLS = 2, VICTIM_BLOCKS = 2 };

static __attribute__((noinline, noclone, noipa)) FN uint32_t victim_work(uint32_t a,
                                                                         uint32_t b,
                                                                         uint32_t c,
                                                                         uint32_t d)
{
    uint32_t e = a + b, f = c - d;

    e ^= victim_mix(a, b);
    f ^= victim_mix(e, c);
    return (a ^ e) + (b ^ f) * 3u + (c ^ d) * 5u;
}

static FN unsigned victim_changed(void)
{
    uint32_t a = next_random(), b = next_random(), c = next_random(), d = next_random();
    uint32_t e = (a + b) ^ (a ^ b) * 16777619u, f = (c - d) ^ (e ^ c) * 16777619u;

    return victim_work(a, b, c, d) != (a ^ e) + (b ^ f) * 3u + (c ^ d) * 5u;
}
#endif

#endif
