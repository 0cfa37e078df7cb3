/* SPDX-License-Identifier: MIT */
/* The functions that the examples need; each board defines them in its own folder. */
#ifndef BOARD_H
#define BOARD_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Sets up the serial line, and nothing else. Called before main(). */
void board_init(void);

/* Ends the run: in an emulator with this exit status, on a chip by waiting for ever. */
void board_exit(int status) __attribute__((noreturn));

/* Calls `handler` every `microseconds` from a timer interrupt, whose priority is below
 * sampling's and above the link's. 0 stops it: no more calls come. */
void board_tick(uint32_t microseconds, void (*handler)(void));

/* A period of the tick that leaves most of the time to the program. */
#ifndef BOARD_TICK_US
#define BOARD_TICK_US 300
#endif

/* Puts a byte on the serial line at once, past the profiler. */
void board_put(uint8_t byte);

/* With the knob BOARD_COUNT_SAMPLES the board counts the sampling interrupts here. */
extern volatile unsigned board_samples;

/* Prints to the console, through the profiler's link. board_printf knows %s %d %u %x %%.
 */
void board_printf(const char *format, ...) __attribute__((format(printf, 1, 2)));

#ifdef __cplusplus
}
#endif

#endif
