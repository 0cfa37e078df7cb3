/* SPDX-License-Identifier: MIT */
#ifndef SYS_PLATFORM_H
#define SYS_PLATFORM_H

/* Waits for an interrupt, if there is nothing to do. */
void platform_idle(void);

#endif
