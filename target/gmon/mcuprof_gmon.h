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

/* Does what moncontrol(scale != 0) does. The profiler keeps the histogram, so `samples`
 * stays as it is. Returns 0. */
int profil(unsigned short *samples, size_t bytes, size_t offset, unsigned scale);

#ifdef __cplusplus
}
#endif

#endif
