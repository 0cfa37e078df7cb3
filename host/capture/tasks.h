/* SPDX-License-Identifier: MIT */
/*
 * Tasks and interrupts: what each did, and a profile of one of them alone. The second
 * task of a name is "NAME #2", the third "NAME #3". A task that no record names has a
 * label in brackets: "[no task]" before the first task and without tasks, "[unknown]"
 * where bytes were lost, else "[task 3]", "[SysTick]", "[IRQ 8]" or, where the handler is
 * known, "[UART0_Handler]".
 */
#ifndef MCUPROF_HOST_TASKS_H
#define MCUPROF_HOST_TASKS_H

#include "../image/image.h"
#include "../profile/profile.h"

enum { TASK_LABEL_MAX = 48 };

/* A task's name, with its number where others have it, too; or a label where it has none.
 */
void task_label(char label[TASK_LABEL_MAX], const struct profile *profile,
                uint32_t number);

/* Whether a user may call it so: by its label, by a name that several tasks may have, or
 * by "[IRQ 8]" even if its handler is known. */
bool task_is_called(const struct profile *profile, uint32_t number, const char *name);

/* Whether the firmware said that the task only waits. */
bool task_is_idle(const struct profile *profile, uint32_t number);

/* Finds the handlers of interrupts that have a number only, in their vector table. The
 * names are the image's. false: out of memory. */
bool tasks_find_handlers(struct profile *profile, const struct image *image);

/* The handler of an interrupt, NULL where none was found. */
const char *task_handler(const struct profile *profile, uint32_t number);

struct task_sum {
    uint32_t number;
    char label[TASK_LABEL_MAX];
    bool idle;        /* it only waits */
    uint64_t samples; /* that hit it */
    uint64_t calls;   /* that it made: counted and timed */
    uint64_t self;    /* ticks of its timed calls, each without those it made */
    uint64_t runs;    /* how often it was switched to, or entered; 0 where not counted */
    struct call_times time; /* of these runs, in ticks: total, shortest, longest */
};

struct task_sums {
    struct task_sum *items; /* the tasks of which anything is known, the busiest first */
    size_t count;
    uint64_t samples, calls, time; /* of all */
};

/* false: out of memory. */
bool task_sums_init(struct task_sums *sums, const struct profile *profile);

/* The first one with that label; NULL: there is none. */
struct task_sum *task_sums_find(const struct task_sums *sums, const char *label);
/* Keeps what a user may call by this name. false: nothing has it, and all are kept. */
bool task_sums_keep(struct task_sums *sums, const struct profile *profile,
                    const char *name);
/* The sum of all of them, with the number and the label of the busiest. */
struct task_sum task_sums_joined(const struct task_sums *sums);
void task_sums_release(struct task_sums *sums);

/* Makes parts[i] (one_task) of the events of the task whose number is
 * tasks->items[i].number. Each part has the losses of the whole, because nobody knows
 * whose they were. Events of other tasks are left out. false: out of memory, nothing to
 * release. */
bool profile_split(struct profile *parts, const struct profile *whole,
                   const struct task_sums *tasks);

/* The same in one part, of all of `tasks`. */
bool profile_part(struct profile *part, const struct profile *whole,
                  const struct task_sums *tasks);

/* The same in one part, of the events of all tasks but idle ones. */
bool profile_busy(struct profile *part, const struct profile *whole);

#endif
