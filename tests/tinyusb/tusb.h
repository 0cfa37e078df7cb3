/* SPDX-License-Identifier: MIT */
/* What docs/links.md uses of TinyUSB, declared as its documentation has it, and of CMSIS.
 * stack.c is behind it. */
#ifndef TUSB_H
#define TUSB_H

#include <stdint.h>

void tud_task(void);
uint32_t tud_cdc_write_available(void);
uint32_t tud_cdc_write(const void *bytes, uint32_t count);
uint32_t tud_cdc_write_flush(void);

static inline uint32_t __get_IPSR(void)
{
    uint32_t ipsr;

    __asm__ volatile("mrs %0, ipsr" : "=r"(ipsr));
    return ipsr;
}

void usb_poll(void); /* of docs/links.md */

#endif
