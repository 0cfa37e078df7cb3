/* SPDX-License-Identifier: MIT */
/*
 * The knobs by which an object of the firmware was compiled, for `mcuprof lint`: objects
 * with other knobs take the library's state for another structure. Each object of the
 * library and of a port has them in a section .mcuprof_knobs, which is in the ELF and not
 * in the chip. Both halves include this header.
 *
 * An object's piece is, in the target's byte order, MCUPROF_KNOBS_MAGIC as a word, the
 * knobs' values as words in this order, and the name of its source file, which ends with
 * a 0.
 */
#ifndef MCUPROF_KNOBS_H
#define MCUPROF_KNOBS_H

#define MCUPROF_KNOBS_MAGIC 0x6B6E6F62u

#define MCUPROF_KNOBS(KNOB)                                                              \
    KNOB(CALLS)                                                                          \
    KNOB(ARCS)                                                                           \
    KNOB(SAMPLES)                                                                        \
    KNOB(BLOCKS)                                                                         \
    KNOB(TASKS)                                                                          \
    KNOB(TIMELINE)                                                                       \
    KNOB(PERIOD)                                                                         \
    KNOB(DITHER)                                                                         \
    KNOB(PATHS)                                                                          \
    KNOB(PATH_CACHE)                                                                     \
    KNOB(THROUGH_INTERRUPTS)                                                             \
    KNOB(TIMER_RESTARTS)                                                                 \
    KNOB(SAMPLES_TIMED)                                                                  \
    KNOB(DEPTH)                                                                          \
    KNOB(ENTRIES)                                                                        \
    KNOB(RING_BYTES)                                                                     \
    KNOB(WAIT)                                                                           \
    KNOB(AUTO_START)                                                                     \
    KNOB(FLUSH_SAMPLES)                                                                  \
    KNOB(SPAN_BYTES)                                                                     \
    KNOB(RTT)                                                                            \
    KNOB(LINK_MASKED)

#endif
