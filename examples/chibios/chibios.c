/* SPDX-License-Identifier: MIT */
/* The program on ChibiOS/RT. */
#include <ch.h>

#include "board.h"
#include "mcuprof.h"
#include "os.h"

#define FN MCUPROF_NOT_PROFILED

enum { STACK_BYTES = 320, MAILBOX_WORDS = 4 };

static struct {
    const char *name;
    void (*run)(void);
    thread_t *thread;
} threads[OS_THREADS];
static THD_WORKING_AREA(area_0, STACK_BYTES);
static THD_WORKING_AREA(area_1, STACK_BYTES);
static THD_WORKING_AREA(area_2, STACK_BYTES);
static THD_WORKING_AREA(area_3, STACK_BYTES);
static stkalign_t *const areas[OS_THREADS] = {area_0, area_1, area_2, area_3};

static MUTEX_DECL(mutex);
static SEMAPHORE_DECL(semaphore, 0);
static msg_t words[MAILBOX_WORDS];
static MAILBOX_DECL(mailbox, words, MAILBOX_WORDS);

static FN void run(void *slot)
{
    threads[(uintptr_t)slot].run();
}

FN void os_create(unsigned slot, const char *name, void (*runs)(void), unsigned priority)
{
    thread_descriptor_t thread = {
        .name = name,
        .wbase = areas[slot],
        .wend = (stkalign_t *)((uint8_t *)areas[slot] + sizeof area_0),
        .prio = NORMALPRIO + priority - 2,
        .funcp = run,
        .arg = (void *)(uintptr_t)slot,
    };

    threads[slot].run = runs;
    threads[slot].thread = chThdCreate(&thread);
}

FN void os_join(unsigned slot)
{
    (void)chThdWait(threads[slot].thread);
}

FN void os_sleep(unsigned milliseconds)
{
    chThdSleepMilliseconds(milliseconds);
}

FN void os_lock(void)
{
    chMtxLock(&mutex);
}

FN void os_unlock(void)
{
    chMtxUnlock(&mutex);
}

FN void os_post(uint32_t word)
{
    (void)chMBPost(&mailbox, (msg_t)word, TIME_INFINITE);
}

FN uint32_t os_fetch(void)
{
    msg_t word = 0;

    (void)chMBFetch(&mailbox, &word, TIME_INFINITE);
    return (uint32_t)word;
}

FN void os_signal(void)
{
    chSysLockFromISR();
    chSemSignalI(&semaphore);
    chSysUnlockFromISR();
}

FN void os_wait(void)
{
    (void)chSemWait(&semaphore);
}

/* ---- Interrupts ---- */

/* Replaces the board's handler in the vector table (-Wl,--wrap), since the kernel must
 * look where the handler returns to. */
void __real_board_tick_entry(void);

FN CH_IRQ_HANDLER(__wrap_board_tick_entry)
{
    CH_IRQ_PROLOGUE();
    __real_board_tick_entry();
    CH_IRQ_EPILOGUE();
}

FN CH_IRQ_HANDLER(SysTick_Handler)
{
    CH_IRQ_PROLOGUE();
    on_system_tick();
    chSysLockFromISR();
    chSysTimerHandlerI();
    chSysUnlockFromISR();
    CH_IRQ_EPILOGUE();
}

/* ---- Start ---- */

static __attribute__((used)) FN _Noreturn void on_process_stack(void)
{
    NVIC_SetPriority(SysTick_IRQn, 3); /* it must not interrupt the kernel */
    SysTick->LOAD = MCUPROF_TIMER_HZ / CH_CFG_ST_FREQUENCY - 1;
    SysTick->VAL = 0;
    chSysInit();
    SysTick->CTRL = 7; /* the processor's clock, interrupt, run */
    board_exit(program());
}

/* Threads use the process stack, interrupts the main stack. */
FN int main(void)
{
    static uint64_t stack[64];

    __asm__ volatile("cpsid i\n\tmsr psp, %0\n\tmsr control, %1\n\tisb\n\t"
                     "bl on_process_stack"
                     :
                     : "r"(stack + 64), "r"(2)
                     : "memory");
    return 0;
}
