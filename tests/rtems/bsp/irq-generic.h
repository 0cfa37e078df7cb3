/* SPDX-License-Identifier: MIT */
/* What a board's header of this name declares of what target/os/rtems uses. */
#ifndef BSP_IRQ_GENERIC_H
#define BSP_IRQ_GENERIC_H

#include <rtems.h>

void bsp_interrupt_handler_dispatch(rtems_vector_number vector);

#endif
