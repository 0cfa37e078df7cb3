/* SPDX-License-Identifier: MIT */
/* What Cortex-M processors have of their own; their code is T32, which arm.c decodes. */
#include "internal.h"

#include <stdio.h>

/* Numbers of exceptions (ARM DDI 0403E, B1.5.2); from 16 on they are those of the chip.
 */
static void interrupt(uint32_t number, char *name, size_t size)
{
    static const char *const names[16] = {
        [2] = "NMI",        [3] = "HardFault",   [4] = "MemManage", [5] = "BusFault",
        [6] = "UsageFault", [7] = "SecureFault", [11] = "SVCall",   [12] = "DebugMon",
        [14] = "PendSV",    [15] = "SysTick",
    };
    if (number >= 16)
        snprintf(name, size, "IRQ %u", (unsigned)number - 16);
    else if (names[number] != NULL)
        snprintf(name, size, "%s", names[number]);
}

#define THUMB1 ARCH_COUNTS ARCH_THUMB1
static const struct arch_flags flags[] = {
    {.pattern = "cortex-m0*", .counts = THUMB1, .links = ARCH_ARM_LINKS},
    {.pattern = "cortex-m1", .counts = THUMB1, .links = ARCH_ARM_LINKS},
    {.pattern = "cortex-m1.*", .counts = THUMB1, .links = ARCH_ARM_LINKS},
    {.pattern = "cortex-m23", .counts = THUMB1, .links = ARCH_ARM_LINKS},
    {.pattern = "cortex-m*", .counts = ARCH_COUNTS, .links = ARCH_ARM_LINKS},
    {0},
};

const struct arch_port port_cortex_m = {
    .wire = MCUPROF_WIRE_ARCH_CORTEX_M,
    .name = "cortex-m",
    .flags = flags,
    .cpus = "cortex-m0 cortex-m0plus cortex-m1 cortex-m23 cortex-m3 cortex-m4 cortex-m7 "
            "cortex-m33",
    .stacks_hit = true,
    .vectors = true,
    .pair_instructions = 146, /* ARMv6-M: 155, ARMv7-M: 137 */
    .interrupt = interrupt,
};
