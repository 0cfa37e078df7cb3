/* SPDX-License-Identifier: MIT */
/* The parameters of a chip that the kernel's port needs. */
#ifndef CMPARAMS_H
#define CMPARAMS_H

#define CORTEX_HAS_FPU       0
#define CORTEX_PRIORITY_BITS 2
#define CORTEX_NUM_VECTORS   48

#ifdef __ARM_ARCH_6M__
#define CORTEX_MODEL            0
#define CORTEX_ALTERNATE_SWITCH TRUE /* with PendSV, not NMI */
#else
#define CORTEX_MODEL 3
#endif

#ifndef _FROM_ASM_
/* The definitions that CMSIS needs. */
typedef enum { SVCall_IRQn = -5, PendSV_IRQn = -2, SysTick_IRQn = -1 } IRQn_Type;
#define __NVIC_PRIO_BITS       CORTEX_PRIORITY_BITS
#define __Vendor_SysTickConfig 0
#define __MPU_PRESENT          0
#if CORTEX_MODEL == 0
#include <core_cm0.h>
#else
#include <core_cm3.h>
#endif
#endif

#endif
