/* SPDX-License-Identifier: MIT */
/*
 * The part of Contiki's processes that target/os/contiki and examples/contiki use, with
 * the names that the documentation of Contiki-NG gives them ("Processes and events").
 * What is behind them is our own: protothreads here, the kernel in
 * examples/contiki/process.c.
 */
#ifndef SYS_PROCESS_H
#define SYS_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- Protothreads: functions that go on from the line at which they returned ---- */

struct pt {
    unsigned short line; /* 0: from the start */
};
enum { PT_YIELDED = 1, PT_EXITED, PT_ENDED };
#define PT_THREAD(function_and_parameters) char function_and_parameters

/* ---- Processes ---- */

typedef uint8_t process_event_t;
typedef void *process_data_t;
typedef uint8_t process_num_events_t;

enum { PROCESS_ERR_OK, PROCESS_ERR_FULL };
enum { PROCESS_EVENT_INIT = 0x81, PROCESS_EVENT_POLL, PROCESS_EVENT_CONTINUE = 0x85 };

struct process {
    struct process *next;
    const char *name;
    PT_THREAD((*thread)(struct pt *, process_event_t, process_data_t));
    struct pt pt;
    uint8_t state;
    bool needspoll;
};
#define PROCESS_NAME_STRING(process) ((process)->name)

#define PROCESS_THREAD(name, ev, data)                                                   \
    static PT_THREAD(                                                                    \
        name##_thread(struct pt *process_pt, process_event_t ev, process_data_t data))
#define PROCESS(variable, label)                                                         \
    PROCESS_THREAD(variable, ev, data);                                                  \
    struct process variable = {.name = label, .thread = variable##_thread}

#define PROCESS_BEGIN()                                                                  \
    switch (process_pt->line) {                                                          \
    case 0:
#define PROCESS_END()                                                                    \
    }                                                                                    \
    process_pt->line = 0;                                                                \
    return PT_ENDED
/* Returns; each event goes on behind it if `condition` holds then. */
#define PROCESS_WAIT_EVENT_UNTIL(condition)                                              \
    process_pt->line = __LINE__;                                                         \
    return PT_YIELDED;                                                                   \
    case __LINE__:                                                                       \
        if (!(condition)) {                                                              \
            return PT_YIELDED;                                                           \
        }

void process_init(void);
void process_start(struct process *process, process_data_t data);
bool process_is_running(struct process *process);
int process_post(struct process *process, process_event_t event, process_data_t data);
void process_post_synch(struct process *process, process_event_t event,
                        process_data_t data);
void process_poll(struct process *process);

/* Handles polls and an event; returns how many wait. */
process_num_events_t process_run(void);

#endif
