/* SPDX-License-Identifier: MIT */
/* mcuprof's knobs, as Zephyr's Kconfig has them: mcuprof_config.h explains them. */
#ifdef MCUPROF_ZEPHYR_KNOBS
#include MCUPROF_ZEPHYR_KNOBS
#endif

#define MCUPROF_TIMER_HZ   CONFIG_MCUPROF_TIMER_HZ
#define MCUPROF_SAMPLE_HZ  CONFIG_MCUPROF_SAMPLE_HZ
#define MCUPROF_PATHS      CONFIG_MCUPROF_PATHS
#define MCUPROF_RING_BYTES CONFIG_MCUPROF_RING_BYTES
#define MCUPROF_FLUSH_MS   CONFIG_MCUPROF_FLUSH_MS
#ifdef CONFIG_MCUPROF_TASKS
#define MCUPROF_TASKS CONFIG_MCUPROF_TASKS
#endif
#ifdef CONFIG_MCUPROF_ARCS
#define MCUPROF_ARCS 1
#else
#define MCUPROF_ARCS 0
#endif
#ifdef CONFIG_MCUPROF_LINK_RTT
#define MCUPROF_RTT 1
#endif

/* Threads' stacks are above the main stack, too, whose end the vector table knows. */
#ifndef MCUPROF_STACK_TOP
#define MCUPROF_STACK_TOP ((uintptr_t)CONFIG_SRAM_BASE_ADDRESS + CONFIG_SRAM_SIZE * 1024u)
#endif

#ifdef CONFIG_MCUPROF_TIMER_COUNTER
#define MCUPROF_TIMER_RESTARTS 1
#define MCUPROF_TIMER_SINCE()  mcuprof_zephyr_since()

#ifndef __ASSEMBLER__
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif
/* Ticks since the sampling timer's interrupt was due. */
uint32_t mcuprof_zephyr_since(void);
#ifdef __cplusplus
}
#endif
#endif
#endif
