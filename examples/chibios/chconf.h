/* SPDX-License-Identifier: MIT */
/* The kernel's configuration, with what the program needs and mcuprof's hooks. */
#ifndef CHCONF_H
#define CHCONF_H

#define _CHIBIOS_RT_CONF_

#define CH_CFG_ST_RESOLUTION  32
#define CH_CFG_ST_FREQUENCY   1000
#define CH_CFG_ST_TIMEDELTA   0
#define CH_CFG_TIME_QUANTUM   0
#define CH_CFG_NO_IDLE_THREAD FALSE
#ifdef IDLE_SPINS /* for tests that count the time by instructions */
#define CORTEX_ENABLE_WFI_IDLE FALSE
#else
#define CORTEX_ENABLE_WFI_IDLE TRUE /* idle sleeps */
#endif
#define CH_CFG_OPTIMIZE_SPEED FALSE

#define PORT_IDLE_THREAD_STACK_SIZE 160
#define PORT_INT_REQUIRED_STACK     160

#define CH_CFG_USE_TM                  FALSE
#define CH_CFG_USE_REGISTRY            TRUE
#define CH_CFG_USE_WAITEXIT            TRUE
#define CH_CFG_USE_SEMAPHORES          TRUE
#define CH_CFG_USE_SEMAPHORES_PRIORITY FALSE
#define CH_CFG_USE_MUTEXES             TRUE
#define CH_CFG_USE_MUTEXES_RECURSIVE   FALSE
#define CH_CFG_USE_CONDVARS            FALSE
#define CH_CFG_USE_EVENTS              FALSE
#define CH_CFG_USE_MESSAGES            FALSE
#define CH_CFG_USE_MAILBOXES           TRUE
#define CH_CFG_USE_MEMCORE             FALSE
#define CH_CFG_USE_HEAP                FALSE
#define CH_CFG_USE_MEMPOOLS            FALSE
#define CH_CFG_USE_DYNAMIC             FALSE

#define CH_DBG_STATISTICS         FALSE
#define CH_DBG_SYSTEM_STATE_CHECK FALSE
#define CH_DBG_ENABLE_CHECKS      FALSE
#define CH_DBG_ENABLE_ASSERTS     FALSE
#define CH_DBG_TRACE_MASK         CH_DBG_TRACE_MASK_NONE
#define CH_DBG_TRACE_BUFFER_SIZE  1
#define CH_DBG_ENABLE_STACK_CHECK FALSE
#define CH_DBG_FILL_THREADS       FALSE
#define CH_DBG_THREADS_PROFILING  FALSE

#define CH_CFG_THREAD_EXTRA_FIELDS
#define CH_CFG_THREAD_EXIT_HOOK(tp)
#define CH_CFG_IDLE_ENTER_HOOK()
#define CH_CFG_IDLE_LEAVE_HOOK()
#define CH_CFG_IDLE_LOOP_HOOK()
#define CH_CFG_SYSTEM_TICK_HOOK()
#define CH_CFG_SYSTEM_HALT_HOOK(reason) board_exit(1)
#define CH_CFG_TRACE_HOOK(tep)
#include "mcuprof_chibios.h"
#ifdef SWITCHES_ALONE /* bench/ builds it without what tells when a thread may run */
#undef MCUPROF_CHIBIOS_READY
#define MCUPROF_CHIBIOS_READY(tp) (void)0
#endif
#ifndef __ASSEMBLER__
#include "board.h"
#endif

#endif
