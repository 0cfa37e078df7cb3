/* SPDX-License-Identifier: MIT */
/* The lines of QEMU's log of a Cortex-M: what ran, and its interrupts. */
#ifndef LOG_H
#define LOG_H

#include <stdint.h>
#include <stdio.h>

enum log_says {
    LOG_RAN,     /* the instruction at *pc; it is logged before it runs */
    LOG_AGAIN,   /* the last one did not run: it will be logged again */
    LOG_ENTERED, /* an interrupt */
    LOG_LEFT,    /* one */
    LOG_END,
};

/* Reads on up to a line that says one of these. */
enum log_says log_next(FILE *log, uint32_t *pc);

#endif
