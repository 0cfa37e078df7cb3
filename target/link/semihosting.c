/* SPDX-License-Identifier: MIT */
/*
 * Semihosting, for emulators and first tries: the debugger or the emulator writes spans
 * to a file on its PC. The processor stands still meanwhile, for milliseconds with a
 * probe, and faults where there is none: never leave it in firmware that runs alone. The
 * file is mcuprof.wire, or MCUPROF_LINK_FILE; ":tt" is the emulator's or debugger's
 * console.
 */
#include "mcuprof_link.h"

#if !MCUPROF_SPAN_BYTES
#error "MCUPROF_LINK = semihosting sends spans: set the knob MCUPROF_SPAN_BYTES"
#endif

#define FN MCUPROF_NOT_PROFILED

#ifndef MCUPROF_LINK_FILE
#define MCUPROF_LINK_FILE "mcuprof.wire"
#endif

enum { SYS_OPEN = 0x01, SYS_WRITE = 0x05 };
enum { BINARY_WRITE = 5 };

/* The call of Arm's specification of semihosting, which RISC-V's takes over. The name
 * tells `mcuprof lint` that no vector is to lead to mcuprof_link_isr(). */
uintptr_t mcuprof_semihosting(uintptr_t operation, const volatile uintptr_t *arguments);
__attribute__((noinline)) FN uintptr_t
mcuprof_semihosting(uintptr_t operation, const volatile uintptr_t *arguments)
{
#ifdef __riscv
    register uintptr_t r0 __asm__("a0") = operation;
    register const volatile uintptr_t *r1 __asm__("a1") = arguments;

    /* The three instructions must be uncompressed, and on one page. */
    __asm__ volatile(".option push\n\t.option norvc\n\t.balign 16\n\t"
                     "slli x0, x0, 0x1f\n\tebreak\n\tsrai x0, x0, 7\n\t.option pop"
                     : "+r"(r0)
                     : "r"(r1)
                     : "memory");
#elif defined(__ARM_ARCH_PROFILE) && __ARM_ARCH_PROFILE == 'M'
    register uintptr_t r0 __asm__("r0") = operation;
    register const volatile uintptr_t *r1 __asm__("r1") = arguments;

    __asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
#else
#error "MCUPROF_LINK = semihosting: for Cortex-M and RISC-V"
#endif
    return r0;
}

static FN uintptr_t open_file(void)
{
    static const char name[] = MCUPROF_LINK_FILE;
    const volatile uintptr_t arguments[] = {(uintptr_t)name, BINARY_WRITE,
                                            sizeof name - 1};

    return mcuprof_semihosting(SYS_OPEN, arguments);
}

FN void mcuprof_link_isr(void)
{
    static uintptr_t file; /* 0: not opened yet; no debugger gives this handle */
    const uint8_t *bytes;
    unsigned count;

    while (mcuprof_state.busy && (count = mcuprof_tx_span(&bytes, ~0u)) != 0) {
        if (!file) {
            file = open_file();
        }
        const volatile uintptr_t arguments[] = {file, (uintptr_t)bytes, count};
        (void)mcuprof_semihosting(SYS_WRITE, arguments);
    }
}

FN void mcuprof_link_idle(void)
{
}
