/* SPDX-License-Identifier: MIT */
/*
 * mcuprof under Contiki and Contiki-NG: compile this file with the library, choose
 * MCUPROF_TASKS, and link with -Wl,--wrap=process_start and -Wl,--wrap=platform_idle
 * (Contiki-NG; else leave the latter out). Each process is then a task, known by its
 * name; "contiki" is the kernel between them, main() included, and "idle" is idle.
 * Nothing of the kernel is touched: it calls a process by the pointer in its structure,
 * and process_start() puts a function of this file there.
 *
 * MCUPROF_TASKS is the number of processes and 2 more. A process that finds no place is
 * counted as what calls it, mostly the kernel, whose name is then "contiki, others".
 * Processes keep their places when they end, for they may be started again.
 */
#include <contiki.h>

#include "mcuprof.h"
#include "mcuprof_config.h"

#define FN MCUPROF_NOT_PROFILED

void __real_process_start(struct process *process, process_data_t data);
void __wrap_process_start(struct process *process, process_data_t data);
__attribute__((weak)) void __real_platform_idle(void);
void __wrap_platform_idle(void);

#if MCUPROF_TASKS
#if MCUPROF_TASKS < 3
#error "MCUPROF_TASKS: the number of processes, and 2 more for the kernel and idle"
#endif

enum { PLACES = MCUPROF_TASKS - 2 };

static struct {
    struct process *process; /* NULL: free, and so are those behind it */
    PT_THREAD((*thread)(struct pt *, process_event_t, process_data_t));
} places[PLACES];
static const struct process *running; /* NULL: the kernel */
static const char *kernel = "contiki";
static const char idle[] = "idle";

static FN void runs(const struct process *process)
{
    running = process;
    if (process) {
        mcuprof_task_switch(process, PROCESS_NAME_STRING(process), false);
    } else {
        mcuprof_task_switch(&kernel, kernel, false);
    }
}

/* In place of the current process' own function. Another process may have called this
 * one, by process_post_synch(). */
static FN PT_THREAD(mcuprof_contiki_call(struct pt *pt, process_event_t event,
                                         process_data_t data))
{
    const struct process *caller = running;
    unsigned i = 0;
    char state;

    while (&places[i].process->pt != pt) {
        i++;
    }
    runs(places[i].process);
    state = places[i].thread(pt, event, data);
    runs(caller);
    return state;
}

FN void __wrap_process_start(struct process *process, process_data_t data)
{
    unsigned i = 0;

    runs(running); /* the first to call this is the kernel */
    while (i < PLACES && places[i].process && places[i].process != process) {
        i++;
    }
    if (i == PLACES) {
        kernel = "contiki, others";                       /* the longest that is sent */
    } else if (process->thread != mcuprof_contiki_call) { /* new, or loaded anew */
        places[i].process = process;
        places[i].thread = process->thread;
        process->thread = mcuprof_contiki_call;
    }
    __real_process_start(process, data);
}

FN void __wrap_platform_idle(void)
{
    mcuprof_task_switch(idle, idle, true);
    __real_platform_idle();
    runs(NULL);
}
#else
FN void __wrap_process_start(struct process *process, process_data_t data)
{
    __real_process_start(process, data);
}

FN void __wrap_platform_idle(void)
{
    __real_platform_idle();
}
#endif
