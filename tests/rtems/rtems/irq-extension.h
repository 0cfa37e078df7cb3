/* SPDX-License-Identifier: MIT */
/* What RTEMS' header of this name declares of what target/os/rtems uses: from version 6
 * on there are entries that the caller owns. */
#ifndef RTEMS_IRQ_EXTENSION_H
#define RTEMS_IRQ_EXTENSION_H

#include <rtems.h>

typedef void (*rtems_interrupt_handler)(void *);

rtems_status_code rtems_interrupt_handler_install(rtems_vector_number vector,
                                                  const char *info, rtems_option options,
                                                  rtems_interrupt_handler handler,
                                                  void *arg);
#if __RTEMS_MAJOR__ >= 6
typedef struct rtems_interrupt_entry {
    rtems_interrupt_handler handler;
    void *arg;
    struct rtems_interrupt_entry *next;
    const char *info;
} rtems_interrupt_entry;

rtems_status_code rtems_interrupt_entry_install(rtems_vector_number vector,
                                                rtems_option options,
                                                rtems_interrupt_entry *entry);
#endif

#endif
