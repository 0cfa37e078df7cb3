/* SPDX-License-Identifier: MIT */
/* A user's program on ChibiOS/RT: two threads that work in turn. */
#include <ch.h>

#include "mcuprof.h"

void uart_setup(void);
void park(void);

/* The kernel halts by this. */
_Noreturn void board_exit(int status)
{
    (void)status;
    park();
    for (;;) {
    }
}

static THD_WORKING_AREA(area, 512);
static SEMAPHORE_DECL(turn, 0);

static __attribute__((noinline)) void work(int turns)
{
    for (volatile int i = 0; i < turns; i++) {
    }
}

static THD_FUNCTION(other, argument)
{
    (void)argument;
    for (int i = 0; i < 50; i++) {
        work(2000);
        (void)chSemWait(&turn);
    }
}

static __attribute__((used)) _Noreturn void on_process_stack(void)
{
    thread_descriptor_t thread = {.name = "other",
                                  .wbase = area,
                                  .wend = (stkalign_t *)((uint8_t *)area + sizeof area),
                                  .prio = NORMALPRIO + 1,
                                  .funcp = other};

    uart_setup();
    chSysInit();
    chRegSetThreadName("worker");
    mcuprof_start();
    (void)chThdCreate(&thread);
    for (int i = 0; i < 50; i++) {
        work(4000);
        chSemSignal(&turn);
    }
    mcuprof_end();
    board_exit(0);
}

int main(void)
{
    static uint64_t stack[128];

    __asm__ volatile("cpsid i\n\tmsr psp, %0\n\tmsr control, %1\n\tisb\n\t"
                     "bl on_process_stack"
                     :
                     : "r"(stack + 128), "r"(2)
                     : "memory");
    return 0;
}
