/* SPDX-License-Identifier: MIT */
/*
 * mcuprof: a profiler inside the firmware it profiles.
 *
 * It counts calls (files compiled with -pg call the library), samples of the program
 * counter (a timer interrupt takes them) and, if asked to, basic blocks (files compiled
 * with -fsanitize-coverage=trace-pc), or it times calls (-finstrument-functions). If an
 * operating system tells it of tasks, it keeps all of this for each task. A few counters
 * are in RAM; a counter that must make room for another is sent over a serial line.
 * mcuprof_config.h has the knobs; mcuprof_port.h says what a board provides: a serial
 * line and a timer.
 */
#ifndef MCUPROF_H
#define MCUPROF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Marks a function that must not be counted: one of the port's, or one that NMI or
 * HardFault runs, because no mask keeps these two from changing the counters. (GCC before
 * 12 cannot leave single functions out of the counting of blocks.) */
#ifdef __has_attribute
#if __has_attribute(no_sanitize_coverage)
#define MCUPROF_NOT_PROFILED __attribute__((no_instrument_function, no_sanitize_coverage))
#endif
#endif
#ifndef MCUPROF_NOT_PROFILED
#define MCUPROF_NOT_PROFILED __attribute__((no_instrument_function))
#endif

/* Starts counting, or goes on after mcuprof_stop(). Sends a hello record. While counting
 * is on it does nothing.
 * Context: task only; waits for the link where the ring has no room. (It works in an
 * interrupt, too, but then all code that this interrupt outranks waits as well. If it
 * outranks the link's interrupt, set MCUPROF_LINK_MASKED, or a record is damaged. If it
 * outranks sampling, it damages a record when it interrupts sampling. The same holds for
 * mcuprof_flush() and mcuprof_end(): an interrupt that flushes more often than the line
 * carries leaves the program no time.) */
void mcuprof_start(void);

/* Stops counting; the counters stay. A call then costs a load, a jump and a return, a
 * block costs a load, a test and a return, and no samples are taken. What it is stopped
 * for is no part of the time of a run with timed calls.
 * Context: any; never blocks, unless calls are timed by task with MCUPROF_WAIT: then it
 * counts the time of the task that runs, which may wait for the link. */
void mcuprof_stop(void);

/* Sends all counters, then the totals. Counting goes on if it was on. Between
 * mcuprof_end() and mcuprof_start() it does nothing.
 * Context: task only; waits for the link. */
void mcuprof_flush(void);

/* Stops, flushes, sends the end record (at which `mcuprof record` ends) and waits until
 * all bytes have left. mcuprof_start() may follow; until then, another mcuprof_end() does
 * nothing. Context: task only; waits for the link. */
void mcuprof_end(void);

/* Console text over the same link. Only ASCII gets through: a byte of 128 or more is sent
 * as '?'. Returns how many bytes were taken: all with MCUPROF_WAIT, else those that
 * fitted; 0 in an interrupt that came while a sample was sent. Context: any; waits only
 * as MCUPROF_WAIT says. */
size_t mcuprof_write(const char *text, size_t bytes);

/* As mcuprof_write(), but returns when all of the text, and all that was in the ring
 * before it, has left: for an assertion's or a fault's handler. It needs no interrupt: it
 * asks the link itself, so that it also works where interrupts are masked. Returns how
 * many bytes were sent: all, or 0 in an interrupt that came while a sample was sent. (RTT
 * without a probe: all are given up after MCUPROF_RTT_TURNS.)
 * Context: any, but in an interrupt that outranks the link's set MCUPROF_LINK_MASKED, or
 * a byte may be sent twice; waits for the link. */
size_t mcuprof_write_now(const char *text, size_t bytes);

/* The sampling timer's interrupt handler. Put it into the vector table itself: it must be
 * entered by the hardware, not called, to find the interrupted program counter. */
void mcuprof_sample_isr(void);

/* With MCUPROF_TASKS: says that the task `key` runs from now on. An operating system's
 * switch hook calls it (os/ has some), or a program that wants its states told apart.
 * `key` is any address that no other task has while this one lives; `name` is ASCII, and
 * its first 15 characters are sent. Both must stay valid until mcuprof_task_end(). An
 * `idle` task only waits. Tasks beyond MCUPROF_TASKS are counted as one, number 0, and
 * their calls are not timed.
 * Context: any that outranks neither sampling nor another profiled context; never
 * blocks. */
void mcuprof_task_switch(const void *key, const char *name, bool idle);

/* Says that a task is deleted. Context: as above. */
void mcuprof_task_end(const void *key);

/*
 * With MCUPROF_TIMELINE (without it they do nothing): these say that an interrupt's
 * handler begins and that it ends. An operating system's hooks (os/ has some) or the
 * handler itself calls each of them once. `number` is the number that the processor gives
 * the interrupt; 0: the library asks the processor (Cortex-M). The handlers of sampling
 * and of the link call neither.
 * Context: the interrupt, unless it outranks sampling; never blocks.
 */
void mcuprof_interrupt_enter(unsigned number);
void mcuprof_interrupt_leave(void);

/*
 * These put marks on the timeline: a value; the beginning and the end of a span. Spans of
 * different names may overlap, spans of one name may not. `name` is a text in the ELF, as
 * "packet" is: its address is sent, not its characters.
 * Context: any that does not outrank sampling; never blocks.
 */
void mcuprof_mark(const char *name, int32_t value);
void mcuprof_span_begin(const char *name);
void mcuprof_span_end(const char *name);

/* With MCUPROF_TASKS: says that the task `key` may run now, so that the time until it
 * runs is known. Context: as mcuprof_task_switch(). */
void mcuprof_task_ready(const void *key);

/* With MCUPROF_TASKS and MCUPROF_CALLS: put these at the beginning and the end of an
 * interrupt handler, in the same function. The handler's time is then counted as its own,
 * not as the time of the code that it interrupted. */
#define MCUPROF_INTERRUPT_ENTER()                                                        \
    __cyg_profile_func_enter((void *)0, (void *)~(uintptr_t)0)
#define MCUPROF_INTERRUPT_LEAVE() __cyg_profile_func_exit((void *)0, (void *)0)
void __cyg_profile_func_enter(void *callee, void *site);
void __cyg_profile_func_exit(void *callee, void *site);

/* For mcuprof_setjmp.h alone. The first returns how deep the shadow stack is, as a
 * number. The second, called when setjmp() has returned `value`, returns `value`; if
 * that is not 0, it takes the shadow stack back to `mark`. Context: any. */
uint32_t mcuprof_setjmp_mark(void);
int mcuprof_setjmp_returned(int value, uint32_t mark);

/*
 * With MCUPROF_CALLS, times a function that cannot be compiled with the hooks, such as
 * one of a library. Write it at file level, in a file without the hooks, and give the
 * linker the option --wrap=NAME:
 *
 *     MCUPROF_WRAP(void *, memcpy, (void *to, const void *from, size_t n), (to, from, n))
 *     MCUPROF_WRAP_VOID(free, (void *block), (block))
 *
 * Calls of NAME are then timed in all files but the one that defines it. It does not
 * work for functions that return twice or never, nor for those with "...".
 */
#define MCUPROF_WRAP(type, name, parameters, arguments)                                  \
    type __real_##name parameters;                                                       \
    type __wrap_##name parameters;                                                       \
    MCUPROF_NOT_PROFILED type __wrap_##name parameters                                   \
    {                                                                                    \
        void *site = __builtin_return_address(0);                                        \
        type result;                                                                     \
        __cyg_profile_func_enter((void *)__real_##name, site);                           \
        result = __real_##name arguments;                                                \
        __cyg_profile_func_exit((void *)__real_##name, site);                            \
        return result;                                                                   \
    }
#define MCUPROF_WRAP_VOID(name, parameters, arguments)                                   \
    void __real_##name parameters;                                                       \
    void __wrap_##name parameters;                                                       \
    MCUPROF_NOT_PROFILED void __wrap_##name parameters                                   \
    {                                                                                    \
        void *site = __builtin_return_address(0);                                        \
        __cyg_profile_func_enter((void *)__real_##name, site);                           \
        __real_##name arguments;                                                         \
        __cyg_profile_func_exit((void *)__real_##name, site);                            \
        __asm__ volatile("");                                                            \
    }

#ifdef __cplusplus
}
#endif

#endif
