/* SPDX-License-Identifier: MIT */
/* mcuprof's knobs on this board. */
#if defined(BOARD_SPI)
#define MCUPROF_LINK_ADDRESS 0x4C /* SPCR */
#elif defined(BOARD_TWI)
#define MCUPROF_LINK_ADDRESS 0xB8 /* TWBR */
#define MCUPROF_LINK_TARGET  0x42
#else
#define MCUPROF_LINK_ADDRESS 0xC0 /* UCSR0A */
#endif
#define MCUPROF_LINK_HELD()    board_in_handler
#define MCUPROF_TIMER_HZ       1000000
#define MCUPROF_TIMER_RESTARTS 1
#define MCUPROF_TIME_HZ        8000000
#define MCUPROF_TIME()         board_time()
/* TCNT3, TIFR3 */
#define MCUPROF_TIMER_COUNT 0x94
#define MCUPROF_TIMER_FLAGS 0x18
#define MCUPROF_TIMER_HIGH  board_time_high

#ifndef __ASSEMBLER__
#include <stdbool.h>
#include <stdint.h>
extern volatile bool board_in_handler;
uint32_t board_time(void);
#endif
