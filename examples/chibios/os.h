/* SPDX-License-Identifier: MIT */
/* What the program needs of an operating system; each example has it on one. */
#ifndef OS_H
#define OS_H

#include <stdint.h>

enum { OS_THREADS = 4 };

/* Starts a thread; of a higher priority than the caller's, it runs at once. `slot`: 0 to
 * OS_THREADS - 1, free or joined. Priorities are 1 to 4; program() has 2. */
void os_create(unsigned slot, const char *name, void (*run)(void), unsigned priority);

/* Waits until the thread has returned. */
void os_join(unsigned slot);

void os_sleep(unsigned milliseconds);

/* A mutex. */
void os_lock(void);
void os_unlock(void);

/* A mailbox. */
void os_post(uint32_t word);
uint32_t os_fetch(void);

/* A semaphore, signalled by the tick interrupt. */
void os_signal(void);
void os_wait(void);

/* The program: its first thread, then its interrupts. Returns the exit status. */
int program(void);
void on_tick(void);
void on_system_tick(void);

#endif
