/* SPDX-License-Identifier: MIT */
/*
 * Tasks of an operating system. Counters are kept for each task and interrupt; where
 * calls are timed, each task has a shadow stack of its own, whose clock stands still
 * while another task runs, and the times between switches are counted like timed calls
 * from nowhere (call site 0, callee 0).
 */
#include "mcuprof_port.h"

#if MCUPROF_BY_TASK
#define FN MCUPROF_NOT_PROFILED

_Static_assert(MCUPROF_TASKS <= 64, "MCUPROF_TASKS: 0 to 64");

FN struct mcuprof_task *mcuprof_task_of(uint32_t number)
{
    for (struct mcuprof_task *task = mcuprof_state.tasks;
         task < mcuprof_state.tasks + MCUPROF_TASKS; task++) {
        if (task->number == number && task->key) {
            return task;
        }
    }
    return NULL;
}

/* The task with this key; a free place if it is new; NULL: no place is free. */
static FN struct mcuprof_task *place_of(const void *key)
{
    struct mcuprof_task *free = NULL;

    for (struct mcuprof_task *task = mcuprof_state.tasks;
         task < mcuprof_state.tasks + MCUPROF_TASKS; task++) {
        if (task->key == key) {
            return task;
        }
        if (!task->key) {
            free = task;
        }
    }
    return free;
}

static FN struct mcuprof_task *task_of(const void *key, const char *name, bool idle)
{
    struct mcuprof_task *task = place_of(key);

    if (!task) {
        return NULL;
    }
    if (task->key && task->name != name) { /* renamed */
        task->name = name;
        task->named = false;
    }
    if (!task->key) {
        task->key = key;
        task->name = name;
        task->idle = idle;
        task->named = false;
        task->number = ++mcuprof_state.last_task;
#if MCUPROF_CALLS
        mcuprof_new_stack(&task->stack, task->frame);
#endif
    }
    return task;
}

#if MCUPROF_CALLS
/* The base frame of what runs: its `entered` is when it was switched to. */
static FN struct mcuprof_frame *base(void)
{
    return mcuprof_state.stack.limit - MCUPROF_DEPTH;
}

/* Adds the time since the switch to the task that runs. */
static FN void leave(uint32_t now, mcuprof_irq irq)
{
    uint32_t total = now - mcuprof_state.stack.hidden - base()->entered;

    mcuprof_state.context = mcuprof_state.task;
    mcuprof_add_call(0, MCUPROF_KEY(1), total, total, irq);
}

/* Forgets calls that cannot come to their end: those of an interrupt that switches
 * tasks from inside a timed function, and all those of a task without a place. */
static FN void forget(bool all)
{
    struct mcuprof_stack *s = &mcuprof_state.stack;

    while (s->top != base() && (all || MCUPROF_IN_INTERRUPT(s->top->stack))) {
        mcuprof_call_lost();
        s->top--;
        s->beyond = 0;
    }
}

/* Lets a task's clock go on from where it stood; NULL: a task without a place starts
 * anew. */
static FN void resume(struct mcuprof_task *task, uint32_t now)
{
    struct mcuprof_stack *s = &mcuprof_state.stack;

    if (task) {
        *s = task->stack;
        s->hidden += now - task->left;
    } else {
        mcuprof_new_stack(s, mcuprof_state.frame);
    }
    base()->entered = now - s->hidden;
}

/* Counts the time of what ran, and stops its clock. Returns the time when that is done.
 */
static FN uint32_t halt(mcuprof_irq irq)
{
    struct mcuprof_task *left = mcuprof_state.running;
    uint32_t now = MCUPROF_TIME(), hidden = mcuprof_state.stack.hidden, then = now;

    if (mcuprof_state.hooks_on) {
        leave(now, irq);
        mcuprof_hide(now - hidden);
        then = now - hidden + mcuprof_state.stack.hidden;
        forget(!left);
    }
    if (left && left->number == mcuprof_state.task) { /* else another has its place */
        left->stack = mcuprof_state.stack;
        left->stack.hidden = hidden;
        left->left = now;
    }
    return then;
}

FN void mcuprof_tasks_start(void)
{
    for (struct mcuprof_task *task = mcuprof_state.tasks;
         task < mcuprof_state.tasks + MCUPROF_TASKS; task++) {
        mcuprof_new_stack(&task->stack, task->frame);
    }
    resume(mcuprof_state.running, MCUPROF_TIME());
}

FN void mcuprof_tasks_stop(mcuprof_irq irq)
{
    leave(MCUPROF_TIME(), irq);
}
#endif

/* Makes this the task that runs; NULL: the task that runs has no place. */
static FN void switch_to(struct mcuprof_task *task, mcuprof_irq irq)
{
#if MCUPROF_CALLS
    resume(task, halt(irq));
#endif
    (void)irq;
#if MCUPROF_TIMELINE
    mcuprof_timeline_task(task ? task->number : 0);
    if (task) {
        mcuprof_put_name(task);
    }
#endif
    mcuprof_state.running = task;
    mcuprof_state.task = task ? task->number : 0;
}

FN void mcuprof_task_switch(const void *key, const char *name, bool idle)
{
    mcuprof_irq irq = mcuprof_irq_mask();
    struct mcuprof_task *task = task_of(key, name, idle);

    if (!task || task->number != mcuprof_state.task) {
        switch_to(task, irq);
    }
    mcuprof_irq_restore(irq);
}

#if MCUPROF_TIMELINE
FN void mcuprof_task_ready(const void *key)
{
    mcuprof_irq irq = mcuprof_irq_mask();
    struct mcuprof_task *task = place_of(key);

    if (task && task->key) { /* else it has not run yet */
        mcuprof_timeline_ready(task->number);
    }
    mcuprof_irq_restore(irq);
}
#endif

/* A task that ends itself runs on under its number until the next switch. */
FN void mcuprof_task_end(const void *key)
{
    mcuprof_irq irq = mcuprof_irq_mask();
    struct mcuprof_task *task = place_of(key);

    if (task && task->key) {
        mcuprof_put_name(task);
        task->key = NULL;
    }
    mcuprof_irq_restore(irq);
}
#endif
