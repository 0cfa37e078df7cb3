/* SPDX-License-Identifier: MIT */
/*
 * Counts calls with LEFT bytes of stack left and no more: below lies a guard, which the
 * MPU protects from writes, if there is one. Interrupts are masked, so that no
 * exception's frame comes on top. Prints how much stack the calls took. For Cortex-M.
 */
#include "board.h"
#include "cortex-m.h"
#include "mcuprof.h"
#include "mcuprof_port.h"

#define FN MCUPROF_NOT_PROFILED

enum { CALLS = 5000, WORDS = 128, UNTOUCHED = 0x5AA55AA5, GUARD_WORDS = 8 };

static struct {
    uint32_t guard[GUARD_WORDS]; /* a region of the MPU: 32 bytes, aligned to 32 */
    uint32_t stack[WORDS];
} area __attribute__((aligned(32)));

/* Counts a call from `caller` with this stack pointer. */
void brim_call(uint32_t *stack, uint32_t caller);

__asm__(".syntax unified\n"
        ".section .text.brim_call, \"ax\", %progbits\n"
        ".global brim_call\n"
        ".type brim_call, %function\n"
        ".thumb_func\n"
        ".balign 4\n"
        "brim_call:\n"
        "    push {r4, r5, lr}\n"
        "    mov r4, sp\n"
        "    mov sp, r0\n"
        "    mov lr, r1\n"
        /* as at the entry of a function */
        "    push {lr}\n"
        "    bl __gnu_mcount_nc\n"
        "    mov sp, r4\n"
        "    pop {r4, r5, pc}\n"
        "    .size brim_call, . - brim_call\n"
        ".text\n");

#define MPU_TYPE REGISTER(0xE000ED90u)
#define MPU_CTRL REGISTER(0xE000ED94u)
#define MPU_RNR  REGISTER(0xE000ED98u)
#define MPU_RBAR REGISTER(0xE000ED9Cu)
#define MPU_RASR REGISTER(0xE000EDA0u) /* ARMv8-M: RLAR */

enum { MPU_ON = 5 /* with the usual map where no region is */ };

/* Makes the guard readable but not writable. Returns whether there is an MPU. */
static FN unsigned guard(void)
{
    uint32_t base = (uint32_t)(uintptr_t)area.guard;

    if (MPU_TYPE >> 8 == 0) {
        return 0;
    }
    MPU_RNR = 0;
#if __ARM_ARCH >= 8
    MPU_RBAR = base | 2u << 1;
    MPU_RASR = base | 1u;
#else
    MPU_RBAR = base;
    MPU_RASR = 5u << 24 | 4u << 1 | 1u; /* 2 ^ (4 + 1) bytes */
#endif
    MPU_CTRL = MPU_ON;
    __asm__ volatile("dsb\n\tisb" ::: "memory");
    return 1;
}

static FN unsigned stack_used(void)
{
    unsigned i = 0;

    while (i < WORDS && area.stack[i] == UNTOUCHED) {
        i++;
    }
    return LEFT - 4 * i;
}

FN int main(void)
{
    unsigned has_mpu, broken = 0;

    for (unsigned i = 0; i < WORDS; i++) {
        area.stack[i] = UNTOUCHED;
    }
    for (unsigned i = 0; i < GUARD_WORDS; i++) {
        area.guard[i] = UNTOUCHED;
    }
    has_mpu = guard();
    mcuprof_start();
    for (unsigned i = 0; i < CALLS; i++) {
        mcuprof_irq irq = mcuprof_irq_mask();

        brim_call(area.stack + LEFT / 4, 0x1001 + i % 200 * 0x1232);
        mcuprof_irq_restore(irq);
    }
    mcuprof_end();
    for (unsigned i = 0; i < GUARD_WORDS; i++) {
        broken += area.guard[i] != UNTOUCHED;
    }
    board_printf("\nmpu %u\nbroken %u\nused %u\n", has_mpu, broken, stack_used());
    return broken != 0;
}
