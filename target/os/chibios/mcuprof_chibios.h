/* SPDX-License-Identifier: MIT */
/*
 * mcuprof under ChibiOS/RT: include this from chconf.h in place of the hooks that it
 * defines, compile the kernel with mcuprof's include paths and configuration, and choose
 * MCUPROF_TASKS. Threads are known from chSysInit() on by their names in the registry.
 * A hook of your own goes before the #include and does MCUPROF_CHIBIOS_... itself.
 *
 * The timeline of MCUPROF_TIMELINE has the handlers between CH_IRQ_PROLOGUE() and
 * CH_IRQ_EPILOGUE(), too. It tells how long threads waited to run if the kernel's
 * chschd.c, which has no hook for it, calls MCUPROF_CHIBIOS_READY(): see docs/porting.md.
 *
 * With MCUPROF_CALLS the handlers between CH_IRQ_PROLOGUE() and CH_IRQ_EPILOGUE() are
 * timed; leave these handlers themselves out (MCUPROF_NOT_PROFILED). The profiler's own
 * interrupts need neither macro. Sampling's priority is 0, above the kernel's.
 */
#ifndef MCUPROF_CHIBIOS_H
#define MCUPROF_CHIBIOS_H

#ifndef __ASSEMBLER__
#include "mcuprof.h"
#endif
#include "mcuprof_config.h"

/* This is for RT 4 to 6; later ones need (tp)->hdr.pqueue.prio. */
#ifndef MCUPROF_CHIBIOS_PRIORITY
#define MCUPROF_CHIBIOS_PRIORITY(tp) ((tp)->prio)
#endif

#if MCUPROF_TASKS
#define MCUPROF_CHIBIOS_RUNS(tp)                                                         \
    mcuprof_task_switch((tp), chRegGetThreadNameX(tp),                                   \
                        MCUPROF_CHIBIOS_PRIORITY(tp) == IDLEPRIO)

/* A thread that has ended is left for good. */
#define MCUPROF_CHIBIOS_SWITCH(ntp, otp)                                                 \
    do {                                                                                 \
        MCUPROF_CHIBIOS_RUNS(ntp);                                                       \
        if ((otp)->state == CH_STATE_FINAL) {                                            \
            mcuprof_task_end(otp);                                                       \
        }                                                                                \
    } while (0)

/* The first thread is what called chSysInit(): it runs without being switched to. */
#define MCUPROF_CHIBIOS_INIT(tp)                                                         \
    do {                                                                                 \
        if (chThdGetSelfX() == NULL) {                                                   \
            MCUPROF_CHIBIOS_RUNS(tp);                                                    \
        }                                                                                \
    } while (0)
#else
#define MCUPROF_CHIBIOS_SWITCH(ntp, otp) (void)0
#define MCUPROF_CHIBIOS_INIT(tp)         (void)0
#endif

#if MCUPROF_TASKS && MCUPROF_CALLS
#define MCUPROF_CHIBIOS_TIMED_ENTER() MCUPROF_INTERRUPT_ENTER()
#define MCUPROF_CHIBIOS_TIMED_LEAVE() MCUPROF_INTERRUPT_LEAVE()
#else
#define MCUPROF_CHIBIOS_TIMED_ENTER() (void)0
#define MCUPROF_CHIBIOS_TIMED_LEAVE() (void)0
#endif

#if MCUPROF_TIMELINE
#define MCUPROF_CHIBIOS_ENTER()                                                          \
    (mcuprof_interrupt_enter(0), MCUPROF_CHIBIOS_TIMED_ENTER())
#define MCUPROF_CHIBIOS_LEAVE() (MCUPROF_CHIBIOS_TIMED_LEAVE(), mcuprof_interrupt_leave())
#else
#define MCUPROF_CHIBIOS_ENTER() MCUPROF_CHIBIOS_TIMED_ENTER()
#define MCUPROF_CHIBIOS_LEAVE() MCUPROF_CHIBIOS_TIMED_LEAVE()
#endif

/* Put this where a thread is made ready. A thread that is preempted does not wait. */
#if MCUPROF_TASKS && MCUPROF_TIMELINE
#define MCUPROF_CHIBIOS_READY(tp)                                                        \
    ((tp)->state == CH_STATE_CURRENT ? (void)0 : mcuprof_task_ready(tp))
#else
#define MCUPROF_CHIBIOS_READY(tp) (void)0
#endif

#ifndef CH_CFG_CONTEXT_SWITCH_HOOK
#define CH_CFG_CONTEXT_SWITCH_HOOK(ntp, otp) MCUPROF_CHIBIOS_SWITCH(ntp, otp)
#endif
#ifndef CH_CFG_THREAD_INIT_HOOK
#define CH_CFG_THREAD_INIT_HOOK(tp) MCUPROF_CHIBIOS_INIT(tp)
#endif
#ifndef CH_CFG_IRQ_PROLOGUE_HOOK
#define CH_CFG_IRQ_PROLOGUE_HOOK() MCUPROF_CHIBIOS_ENTER()
#endif
#ifndef CH_CFG_IRQ_EPILOGUE_HOOK
#define CH_CFG_IRQ_EPILOGUE_HOOK() MCUPROF_CHIBIOS_LEAVE()
#endif

#endif
