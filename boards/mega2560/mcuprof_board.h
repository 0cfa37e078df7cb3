/* SPDX-License-Identifier: MIT */
/* mcuprof's knobs on this board. */
#define MCUPROF_LINK_ADDRESS   0xC0 /* UCSR0A */
#define MCUPROF_LINK_HELD()    board_in_handler
#define MCUPROF_TIMER_HZ       2000000
#define MCUPROF_TIMER_RESTARTS 1
#define MCUPROF_TIME()         board_time()
#ifdef BOARD_CHIP /* or simavr; not QEMU, where the overflow's flag cannot be cleared */
#define MCUPROF_TIME_HZ     16000000
#define MCUPROF_TIMER_COUNT 0xA4 /* TCNT4 */
#define MCUPROF_TIMER_FLAGS 0x19 /* TIFR4 */
#define MCUPROF_TIMER_HIGH  board_time_high
#else
#define MCUPROF_TIME_HZ 2000000
#endif
/* After interrupts are unmasked, QEMU takes a pending one only when `lds` next reads I/O.
 */
#define MCUPROF_IRQ_RESTORED "\n\tlds r0, 0xC0"

#ifndef __ASSEMBLER__
#include <stdbool.h>
#include <stdint.h>
extern volatile bool board_in_handler;
uint32_t board_time(void);
#endif
