/* SPDX-License-Identifier: MIT */
/* What the kernel's port asks of a chip. */
#ifndef CMPARAMS_H
#define CMPARAMS_H

#define CORTEX_HAS_FPU       0
#define CORTEX_PRIORITY_BITS 2
#define CORTEX_NUM_VECTORS   48

#ifdef __ARM_ARCH_6M__
#define CORTEX_MODEL            0
#define CORTEX_ALTERNATE_SWITCH TRUE /* by PendSV, not NMI */
#else
#define CORTEX_MODEL 3
#endif

#ifndef _FROM_ASM_
/* What CMSIS asks. */
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
