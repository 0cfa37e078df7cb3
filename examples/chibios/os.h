/* SPDX-License-Identifier: MIT */
/* The functions of an operating system that the program needs. Each example implements
 * them for its system. */
#ifndef OS_H
#define OS_H

#include <stdint.h>

enum { OS_THREADS = 4 };

/* Starts a thread, which runs at once if its priority is above the caller's. `slot`: 0 to
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

/* A semaphore, which the tick interrupt signals. */
void os_signal(void);
void os_wait(void);

/* The program's first thread, which returns the exit status; and the program's
 * interrupts. */
int program(void);
void on_tick(void);
void on_system_tick(void);

#endif
