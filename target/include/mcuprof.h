/* SPDX-License-Identifier: MIT */
/*
 * mcuprof: a profiler inside the firmware it profiles.
 *
 * It counts calls (files compiled with -pg call __gnu_mcount_nc), samples of the program
 * counter (a timer interrupt) and, if asked to, basic blocks (files compiled with
 * -fsanitize-coverage=trace-pc call __sanitizer_cov_trace_pc) in a few counters in RAM,
 * and sends those that must make room over a serial line. mcuprof_config.h has the knobs;
 * mcuprof_port.h is what a board provides: a serial line and a timer.
 */
#ifndef MCUPROF_H
#define MCUPROF_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* For functions that must not be counted: the port's own, and what runs in NMI or
 * HardFault, which no mask keeps out of the counters. (GCC before 12 cannot leave single
 * functions out of the counting of blocks.) */
#ifdef __has_attribute
#if __has_attribute(no_sanitize_coverage)
#define MCUPROF_NOT_PROFILED __attribute__((no_instrument_function, no_sanitize_coverage))
#endif
#endif
#ifndef MCUPROF_NOT_PROFILED
#define MCUPROF_NOT_PROFILED __attribute__((no_instrument_function))
#endif

/* Starts counting, or goes on after mcuprof_stop(). Sends a hello record.
 * Context: task only; waits for the link where the ring has no room. */
void mcuprof_start(void);

/* Stops counting; what was counted stays. A call then costs a load, a jump and a return,
 * a block a load, a test and a return, and no samples are taken.
 * Context: any; never blocks. */
void mcuprof_stop(void);

/* Sends all counters, then the totals. Counting goes on if it was on.
 * Context: task only; waits for the link. */
void mcuprof_flush(void);

/* Stops, flushes, sends the end record (at which `mcuprof record` ends) and waits until
 * all has left. mcuprof_start() may follow. Context: task only; waits for the link. */
void mcuprof_end(void);

/* Console text over the same link. Only ASCII gets through: a byte of 128 or more is sent
 * as
 * '?'. Returns how many bytes were taken: all with MCUPROF_WAIT, else those that fitted.
 * Context: any; waits only as MCUPROF_WAIT says. */
size_t mcuprof_write(const char *text, size_t bytes);

/* The sampling timer's interrupt handler. Put it into the vector table itself: it must be
 * entered by the hardware, not called, to find the interrupted program counter. */
void mcuprof_sample_isr(void);

#ifdef __cplusplus
}
#endif

#endif
