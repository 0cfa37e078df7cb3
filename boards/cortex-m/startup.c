/* SPDX-License-Identifier: MIT */
/* Start-up of a Cortex-M: vector table, data, main. The board's header board_irqs.h lists
 * its interrupt handlers as [NUMBER] = HANDLER. */
#include <stdint.h>
#include <string.h>

#include "board.h"
#include "cortex-m.h"
#include "mcuprof_port.h"

extern uint32_t __stack_top, __data_load, __data_start, __data_end, __bss_start,
    __bss_end;

extern void (*__init_array_start[])(void), (*__init_array_end[])(void);

int main(void);
void reset_handler(void);
void fault_handler(void);

/* An operating system may define these. */
__attribute__((weak)) void SVC_Handler(void);
__attribute__((weak)) void PendSV_Handler(void);
__attribute__((weak)) void SysTick_Handler(void);

void reset_handler(void)
{
    int status;

    memcpy(&__data_start, &__data_load,
           (size_t)((char *)&__data_end - (char *)&__data_start));
    memset(&__bss_start, 0, (size_t)((char *)&__bss_end - (char *)&__bss_start));
    board_init();
#if MCUPROF_AUTO_START
    for (void (**constructor)(void) = __init_array_start; constructor != __init_array_end;
         constructor++) {
        (*constructor)();
    }
#endif
    status = main();
    while (mcuprof_state.busy) { /* while the last bytes are being sent */
#if MCUPROF_RTT
        mcuprof_link_isr();
#endif
    }
    board_exit(status);
}

/* An unexpected exception ends the run. */
void fault_handler(void)
{
    board_exit(127);
}

#ifdef BOARD_WEAK_VECTORS
__attribute__((weak)) void UARTTX0_Handler(void)
{
    board_exit(126);
}

__attribute__((weak)) void DUALTIMER_HANDLER(void)
{
    board_exit(125);
}
#endif

struct vector_table {
    uint32_t *stack;
    void (*system[15])(void);
    void (*irq[64])(void);
};

__attribute__((section(".vectors"), used)) static const struct vector_table vectors = {
    .stack = &__stack_top,
    .system =
        {
            [0] = reset_handler,
            [1] = fault_handler,
            [2] = fault_handler,
            [3] = fault_handler,
            [4] = fault_handler,
            [5] = fault_handler,
            [10] = SVC_Handler,
            [13] = PendSV_Handler,
#ifdef BOARD_LINK_CYCLES
            [14] = mcuprof_link_entry,
#else
            [14] = SysTick_Handler,
#endif
        },
    .irq = {BOARD_IRQS},
};

_Noreturn void board_exit(int status)
{
    /* Semihosting SYS_EXIT_EXTENDED: ADP_Stopped_ApplicationExit and the status. */
    volatile uint32_t block[2] = {0x20026, (uint32_t)status};
    register uint32_t operation __asm__("r0") = 0x20;
    register volatile uint32_t *argument __asm__("r1") = block;

    __asm__ volatile("bkpt 0xab" : : "r"(operation), "r"(argument) : "memory");
    for (;;) {
    }
}
