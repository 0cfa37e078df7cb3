/* SPDX-License-Identifier: MIT */
/*
 * The functions that firmware written for another port of gprof calls, on top of
 * mcuprof. Compile mcuprof_gmon.c with the library; this header is for those who have
 * none of their own. No gmon.out is written: what is counted goes over the link, and
 * `mcuprof export --to gmon` writes the file on the PC.
 */
#ifndef MCUPROF_GMON_H
#define MCUPROF_GMON_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Starts counting: calls in all files compiled for it, and samples of all addresses. It
 * ignores the range, which saves nothing here. Context: task; waits for the link. */
void monstartup(unsigned long low, unsigned long high);

/* 0: stops counting; else goes on. Context: 0, any; else task; waits for the link. */
void moncontrol(int mode);

/* Stops, sends all counters and the end. Context: task; waits for the link. */
void _mcleanup(void);

/*
 * With MCUPROF_PROFIL, as its manual pages say (4.4BSD, Linux, System V): starts
 * counting; each sample at `offset` or above adds 1 to bin (pc - offset) / 2 * scale /
 * 65536 of `samples`, if that has so many bins: `bytes` / 2. So 65536 gives each 2 bytes
 * of code a bin, 32768 each 4. `samples` NULL, or a scale of 0 or 1, stops it. Bins are
 * not cleared first, and a bin that is full stays at 65535. Samples are those of
 * MCUPROF_SAMPLE_HZ, and leave by the link, too.
 * On AVR `offset` has 16 bits and is in bytes, where a function's address is in words.
 * Without the knob: does what moncontrol() does, and `samples` stays as it is.
 * Returns 0; -1, and changes nothing, if the scale is above 65536. Context: as
 * moncontrol().
 */
int profil(unsigned short *samples, size_t bytes, size_t offset, unsigned scale);

#ifdef __cplusplus
}
#endif

#endif
