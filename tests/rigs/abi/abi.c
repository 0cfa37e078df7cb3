/* SPDX-License-Identifier: MIT */
/*
 * Calls the profiler's hook as the compiler does, from assembly with a known value in
 * each register: afterwards all must be as before, on each path through the hook. Exits
 * with 1 if something has changed.
 */
#include <stdbool.h>
#include <stddef.h>

#include "abi_call.h"
#include "board.h"
#include "cortex-m.h"
#include "mcuprof.h"
#include "mcuprof_port.h"
#include "xorshift.h"

/* Only the call that the assembly makes is profiled here. */
#define FN MCUPROF_NOT_PROFILED

/* ---- One call ---- */

static unsigned failures, calls;

static FN uint32_t next_random(void)
{
    static uint32_t x = 0x12345678;

    return xorshift(&x);
}

static FN uint32_t events(void)
{
    uint32_t sum = 0;

#if MCUPROF_ENTRIES
    for (unsigned i = 0; i < MCUPROF_ENTRIES; i++) {
        sum += mcuprof_state.entry[i].count;
    }
#endif
    for (unsigned i = 0; i < MCUPROF_KINDS; i++) {
        sum += mcuprof_state.total[i].sent + mcuprof_state.total[i].lost;
    }
    return sum;
}

static FN void expect(const char *where, const char *what, uint32_t got, uint32_t wanted)
{
    if (got != wanted && failures++ < 20) {
        board_printf("%s: %s is %x, was %x\n", where, what, (unsigned)got,
                     (unsigned)wanted);
    }
}

static FN void fill(uint32_t caller, uint32_t flags, bool masked)
{
    for (unsigned i = 0; i < 12; i++) {
        abi_in.r[i] = next_random();
    }
    for (unsigned i = 0; i < 32; i++) {
        abi_in.s[i] = next_random() & 0x3FFFFFFF; /* no NaN */
    }
    abi_in.fpscr = abi_has_fpu ? next_random() & 0xF0C0009F : 0;
    abi_in.caller = caller;
    abi_in.flags = flags << (__ARM_ARCH >= 7 ? 27 : 28); /* nzcv, and q if there is one */
    abi_in.masked = masked;
}

static FN void compare(const char *where)
{
    for (unsigned i = 0; i < 12; i++) {
        expect(where, "a register", abi_out.r[i], abi_in.r[i]);
    }
    for (unsigned i = 0; abi_has_fpu && i < 32; i++) {
        expect(where, "an FP register", abi_out.s[i], abi_in.s[i]);
    }
    expect(where, "fpscr", abi_out.fpscr, abi_in.fpscr);
    expect(where, "lr", abi_out.caller, abi_in.caller);
    expect(where, "sp", abi_out.sp, abi_in.sp);
    expect(where, "primask", abi_out.masked, abi_in.masked);
#if MCUPROF_KEEP_FLAGS
    expect(where, "flags", abi_out.flags, abi_in.flags);
#endif
}

static FN void call(const char *where, uint32_t caller, uint32_t flags, bool masked,
                    uint32_t counted)
{
    uint32_t before = events();

    fill(caller, flags, masked);
    abi_call();
    compare(where);
    expect(where, "events", events() - before, counted);
    calls++;
}

/* ---- The ways through the hook ---- */

enum { CALLER = 0x1235, OTHER = 0x4001 }; /* as in lr: bit 0 is set */

#if MCUPROF_ENTRIES
static unsigned own; /* the first of the call's own entries */

static FN uint32_t callee(void)
{
    return (uint32_t)(uintptr_t)abi_callee | 1u;
}

static FN void set(unsigned entry, uint32_t from, uint32_t to, uint32_t count)
{
    mcuprof_state.entry[entry % MCUPROF_ENTRIES] =
        (struct mcuprof_entry){from, to, count};
}

/* All entries belong to other calls. */
static FN void taken(void)
{
    for (unsigned i = 0; i < MCUPROF_ENTRIES; i++) {
        set(i, OTHER + 2 * i, OTHER, 100);
    }
}

static FN void all_free(void)
{
    for (unsigned i = 0; i < MCUPROF_ENTRIES; i++) {
        set(i, 0, 0, 0);
    }
}

static FN void first(void)
{
    taken();
    set(own, CALLER, callee(), 1);
}

static FN void first_stale(void)
{
    taken();
    set(own, CALLER, callee(), 0);
}

static FN void first_full(void)
{
    taken();
    set(own, CALLER, callee(), UINT32_MAX);
}

/* If all entries are free, a call takes the first of its own entries. */
static FN void find_own(void)
{
    all_free();
    fill(CALLER, 0, 0);
    abi_call();
    while (mcuprof_state.entry[own].count == 0) {
        own++;
    }
    all_free();
}

#if MCUPROF_ENTRIES > 1
static FN void second(void)
{
    taken();
    set(own + 1, CALLER, callee(), 7);
}

static FN void second_beside_a_like(void)
{
    taken();
    set(own, CALLER, OTHER, 3);
    set(own + 1, CALLER, callee(), 7);
}

static FN void second_full(void)
{
    taken();
    set(own + 1, CALLER, callee(), UINT32_MAX);
}

static FN void elsewhere(void)
{
    taken();
    set(own + (MCUPROF_ENTRIES > 2 ? 3 : 1), CALLER, callee(), 7);
}
#endif
#endif

static FN void as_it_is(void)
{
}

static const struct {
    const char *name;
    void (*prepare)(void);
} ways[] = {
    {"as it is", as_it_is},
#if MCUPROF_ENTRIES
    {"all free", all_free},
    {"first entry", first},
    {"first entry at 0", first_stale},
    {"first entry full", first_full},
    {"all taken", taken},
#if MCUPROF_ENTRIES > 1
    {"second entry", second},
    {"second entry beside a like", second_beside_a_like},
    {"second entry full", second_full},
    {"elsewhere", elsewhere},
#endif
#endif
};

static FN void every_way(const char *state, uint32_t counted)
{
    for (unsigned i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        unsigned before = failures;

        for (uint32_t flags = 0; flags < 64; flags++) {
            ways[i].prepare();
            call(ways[i].name, CALLER, flags >> 1, flags & 1, counted);
        }
        if (failures != before) {
            board_printf("so in the state: %s\n", state);
        }
    }
}

static FN void enable_fpu(void)
{
#if __ARM_ARCH >= 7
    REGISTER(0xE000ED88u) |= 0xFu << 20; /* CPACR; stays 0 where there is no FPU */
    __asm__ volatile("dsb\n\tisb" ::: "memory");
    abi_has_fpu = REGISTER(0xE000ED88u) >> 20 & 0xFu;
#endif
}

/* Sampling interrupts between and during calls change the cache, but no register. */
static FN void sampled(void)
{
    for (uint32_t i = 0; i < 20000; i++) {
        fill(CALLER + 2 * (i % 64), i >> 1, i & 1);
        abi_call();
        compare("sampled");
        calls++;
    }
}

/* Writes text until no more fits. A slow link sends nothing meanwhile. */
static FN void fill_ring(void)
{
    static const char text[] =
        "................................................................";

    for (unsigned i = 0; i < MCUPROF_RING_BYTES; i += 64) {
        (void)mcuprof_write(text, 64);
    }
}

FN int main(void)
{
    enable_fpu();
    every_way("not started", 0);
    mcuprof_start();
#if MCUPROF_SAMPLES
    mcuprof_timer_stop(); /* samples would change the cache between steps */
#endif
#if MCUPROF_ENTRIES
    find_own();
#endif
    every_way("running", 1);
    fill_ring();
    every_way("ring full", 1);
    mcuprof_stop();
    every_way("stopped", 0);
    mcuprof_start();
    sampled();
    mcuprof_end();
    board_printf("\nfpu %u\ncalls %u\nsamples %u\nfailures %u\n", abi_has_fpu != 0, calls,
                 board_samples, failures);
    return failures != 0;
}
