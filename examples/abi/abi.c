/* SPDX-License-Identifier: MIT */
/*
 * Calls the profiler's hook as the compiler does, from assembly with a known value in
 * each register: afterwards all must be as before, on each path through the hook. Exits
 * with 1 if something has changed.
 */
#include <stdbool.h>
#include <stddef.h>

#include "board.h"
#include "cortex-m.h"
#include "mcuprof.h"
#include "mcuprof_port.h"

/* The registers of the processor; .text.abi_call has these offsets too. */
struct registers {
    uint32_t r[12];  /* 0 */
    uint32_t caller; /* 48: lr before push {lr}, and after the hook */
    uint32_t flags;  /* 52: APSR */
    uint32_t sp;     /* 56 */
    uint32_t masked; /* 60: PRIMASK */
    uint32_t s[32];  /* 64 */
    uint32_t fpscr;  /* 192 */
};

struct registers abi_in, abi_out;
uint32_t abi_has_fpu;

/* Loads abi_in, calls the hook from "a function that begins here", stores abi_out. */
void abi_call(void);
extern const uint8_t abi_callee[];

__asm__(".syntax unified\n"
        ".section .text.abi_call, \"ax\", %progbits\n"
#if __ARM_ARCH >= 7
        ".fpu fpv4-sp-d16\n"
#endif
        ".global abi_call\n"
        ".type abi_call, %function\n"
        ".thumb_func\n"
        ".balign 4\n"
        "abi_call:\n"
        "    push {r4, r5, r6, r7, lr}\n"
        "    mov r4, r8\n"
        "    mov r5, r9\n"
        "    mov r6, r10\n"
        "    mov r7, r11\n"
        "    push {r3, r4, r5, r6, r7}\n" /* 40 bytes in all */
        "    ldr r7, =abi_in\n"
#if __ARM_ARCH >= 7
        "    ldr r0, =abi_has_fpu\n"
        "    ldr r0, [r0]\n"
        "    cbz r0, 1f\n"
        "    add r0, r7, #64\n"
        "    vldmia r0!, {s0-s31}\n"
        "    ldr r0, [r0]\n"
        "    vmsr fpscr, r0\n"
        "1:\n"
#endif
        "    ldr r0, [r7, #32]\n"
        "    mov r8, r0\n"
        "    ldr r0, [r7, #36]\n"
        "    mov r9, r0\n"
        "    ldr r0, [r7, #40]\n"
        "    mov r10, r0\n"
        "    ldr r0, [r7, #44]\n"
        "    mov r11, r0\n"
        "    ldr r0, [r7, #48]\n"
        "    mov lr, r0\n"
        "    mov r0, sp\n"
        "    str r0, [r7, #56]\n"
        "    mov r6, r7\n"
        "    adds r6, #16\n"
        "    ldmia r6!, {r0, r1, r2, r3}\n"
        "    push {r0, r1, r2, r3}\n"
        "    ldr r0, [r7]\n"
        "    ldr r1, [r7, #4]\n"
        "    ldr r2, [r7, #8]\n"
        "    ldr r3, [r7, #12]\n"
        "    push {r0, r1, r2, r3}\n"
        "    ldr r0, [r7, #60]\n"
        "    msr primask, r0\n"
        "    ldr r0, [r7, #52]\n"
        "    msr apsr_nzcvq, r0\n"
        "    pop {r0, r1, r2, r3, r4, r5, r6, r7}\n"
        /* as at the entry of a function */
        "    push {lr}\n"
        "    bl __gnu_mcount_nc\n"
        ".global abi_callee\n"
        "abi_callee:\n"
        "    push {r0, r1, r2, r3, r4, r5, r6, r7}\n"
        "    mrs r0, apsr\n"
        "    mrs r1, primask\n"
        "    cpsie i\n"
        "    ldr r7, =abi_out\n"
        "    str r0, [r7, #52]\n"
        "    str r1, [r7, #60]\n"
        "    mov r0, r8\n"
        "    str r0, [r7, #32]\n"
        "    mov r0, r9\n"
        "    str r0, [r7, #36]\n"
        "    mov r0, r10\n"
        "    str r0, [r7, #40]\n"
        "    mov r0, r11\n"
        "    str r0, [r7, #44]\n"
        "    mov r0, lr\n"
        "    str r0, [r7, #48]\n"
        "    mov r0, sp\n"
        "    adds r0, #32\n"
        "    str r0, [r7, #56]\n"
#if __ARM_ARCH >= 7
        "    ldr r0, =abi_has_fpu\n"
        "    ldr r0, [r0]\n"
        "    cbz r0, 2f\n"
        "    add r0, r7, #64\n"
        "    vstmia r0!, {s0-s31}\n"
        "    vmrs r1, fpscr\n"
        "    str r1, [r0]\n"
        "2:\n"
#endif
        "    pop {r0, r1, r2, r3}\n"
        "    stmia r7!, {r0, r1, r2, r3}\n"
        "    pop {r0, r1, r2, r3}\n"
        "    stmia r7!, {r0, r1, r2, r3}\n"
        "    pop {r3, r4, r5, r6, r7}\n"
        "    mov r8, r4\n"
        "    mov r9, r5\n"
        "    mov r10, r6\n"
        "    mov r11, r7\n"
        "    pop {r4, r5, r6, r7, pc}\n"
        "    .pool\n"
        "    .size abi_call, . - abi_call\n"
        ".text\n");

/* Only the call that the assembly makes is profiled here. */
#define FN MCUPROF_NOT_PROFILED

/* ---- One call ---- */

static unsigned failures, calls;

static FN uint32_t next_random(void)
{
    static uint32_t x = 0x12345678;

    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    return x;
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

/* A call takes the first of its own entries if all are free. */
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

/* Writes text until no more fits; a slow link takes none in the meantime. */
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
