/* SPDX-License-Identifier: MIT */
/*
 * A program on the process stack, as an RTOS runs its tasks, with an interrupt handler on
 * the main stack, floating-point registers in use where there are any, and a function in
 * RAM. So the interrupted program counter is in different places, and sampling must find
 * it. Shares are as in examples/shares: 4 : 2 : 1, and the handler's own.
 */
#include "board.h"
#include "burn.h"
#include "cortex-m.h"
#include "mcuprof.h"

#define ALONE __attribute__((noinline, noclone, noipa))

enum { ROUNDS = 1500, STACK_WORDS = 512 };

static uint32_t stack[STACK_WORDS] __attribute__((aligned(8)));
static volatile unsigned interrupts;
static unsigned has_fpu;

static ALONE void on_process_stack(void)
{
    BURN(4000);
}

/* Takes as much time with s0 to s31 alive, so that the hardware's frame is larger. */
static ALONE void with_fp_registers(void)
{
#if __ARM_ARCH >= 7
    if (has_fpu) {
        unsigned n = 2000;

        __asm__ volatile(".syntax unified\n"
                         ".fpu fpv4-sp-d16\n"
                         "    vmov s0, %0\n"
                         "    vmov s17, %0\n"
                         "1:  vmov s0, s17\n"
                         "    vmov s17, s0\n"
                         "    subs %0, %0, #1\n"
                         "    bne 1b\n"
                         : "+l"(n)
                         :
                         : "cc");
        return;
    }
#endif
    BURN(4000);
}

__attribute__((section(".ramcode"), noinline, noclone, noipa)) static void in_ram(void)
{
    BURN(2000);
}

static ALONE void called_from_ram(void)
{
    BURN(1000);
}

__attribute__((section(".ramcode"), noinline, noclone, noipa)) static void calls_out(void)
{
    called_from_ram();
}

static ALONE void on_timer(void)
{
    interrupts++;
    BURN(1000);
}

static MCUPROF_NOT_PROFILED void enable_fpu(void)
{
#if __ARM_ARCH >= 7
    REGISTER(0xE000ED88u) |= 0xFu << 20; /* CPACR; stays 0 where there is no FPU */
    __asm__ volatile("dsb\n\tisb" ::: "memory");
    has_fpu = (REGISTER(0xE000ED88u) >> 20 & 0xFu) != 0;
#endif
}

/* From here on the program runs on the process stack. */
static ALONE _Noreturn void program(void)
{
    mcuprof_start();
    board_tick(1000, on_timer);
    for (unsigned i = 0; i < ROUNDS; i++) {
        on_process_stack();
        with_fp_registers();
        in_ram();
        calls_out();
    }
    board_tick(0, 0);
    board_printf("interrupts %u\nfpu %u\n", interrupts, has_fpu);
    mcuprof_end();
    board_exit(0);
}

MCUPROF_NOT_PROFILED int main(void)
{
    enable_fpu();
    __asm__ volatile("msr psp, %0\n\t"
                     "msr control, %1\n\t"
                     "isb" ::"r"(stack + STACK_WORDS),
                     "r"(2)
                     : "memory");
    program();
}
