/* SPDX-License-Identifier: MIT */
/*
 * Runs a Cortex-M's program as a task: on the process stack, with nested interrupts on
 * the main stack. Some ticks leave work to PendSV, which has the lowest priority and is
 * hit by the next ticks.
 */
#include "board.h"
#include "burn.h"
#include "cortex-m.h"
#include "mcuprof_port.h"

#define ALONE __attribute__((noinline, noclone, noipa))

#ifndef REAL_STACK_WORDS
#define REAL_STACK_WORDS 4096
#endif

int REAL_MAIN(void);
void PendSV_Handler(void);
void on_process_stack(void);
_Noreturn void run_task(void);

static uint64_t stack[REAL_STACK_WORDS / 2];
static volatile unsigned sink;

#ifdef REAL_TICK_WORK /* another file has what the handlers do */
void REAL_TICK_WORK(unsigned depth, unsigned turns);
#define work REAL_TICK_WORK
#else
/* Makes as many frames as `depth` says, of several sizes. */
static ALONE void work(unsigned depth, unsigned turns)
{
    volatile unsigned room[5];

    BURN(20);
    room[depth % 5] = turns;
    if (depth > 0) {
        work(depth - 1, turns);
    } else {
        BURN(100);
    }
    sink += room[depth % 5];
}
#endif

static ALONE void tick(void)
{
    static unsigned ticks;

    if (ticks % 4 == 0) {
        REGISTER(0xE000ED04u) = 1u << 28; /* ICSR: PendSV is pending */
    }
    work(ticks % 4, ticks);
    ticks++;
}

void PendSV_Handler(void)
{
    static unsigned times;

    times++;
    for (unsigned i = 0; i < 8 + times % 4; i++) {
        work(i % 3, i);
    }
}

/* Enables the FPU, if there is one, so that exceptions stack its registers, too. */
static void use_fpu(void)
{
#if __ARM_ARCH >= 7
    REGISTER(0xE000ED88u) |= 0xFu << 20; /* CPACR; stays 0 where there is none */
    __asm__ volatile("dsb\n\tisb" ::: "memory");
    if (REGISTER(0xE000ED88u) >> 20 & 0xFu) {
        __asm__ volatile(".fpu fpv4-sp-d16\n\tvmov s0, %0" : : "r"(0));
    }
#endif
}

_Noreturn void run_task(void)
{
    int status;

    use_fpu();
    REGISTER(0xE000ED20u) |= 0xC0u << 16; /* SHPR3: PendSV has the lowest priority */
    board_tick(REAL_TICK_US, tick);
    status = REAL_MAIN();
    board_tick(0, 0);
    while (mcuprof_state.busy) {
    }
    board_exit(status);
}

/* Nothing calls this, as when an operating system starts a thread. */
__asm__(".text\n"
        ".thumb_func\n"
        ".type on_process_stack, %function\n"
        "on_process_stack:\n"
        ".cfi_startproc\n"
        ".cfi_undefined lr\n"
        "    movs r0, #0\n"
        "    mov lr, r0\n"
        "    bl run_task\n"
        ".cfi_endproc\n"
        ".size on_process_stack, . - on_process_stack\n");

int main(void)
{
    __asm__ volatile("msr psp, %0\n\t"
                     "msr control, %1\n\t"
                     "isb\n\t"
                     "bl on_process_stack"
                     :
                     : "r"(stack + REAL_STACK_WORDS / 2), "r"(2)
                     : "memory");
    return 1;
}
