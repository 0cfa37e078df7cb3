/* SPDX-License-Identifier: MIT */
/* A kernel of our own for Contiki's processes, as small as the example allows: events go
 * to one process, and the last that was started is polled first. */
#include <contiki.h>
#include <sys/platform.h>

enum { EVENTS = 8 };
enum { ENDED, WAITS, RUNS }; /* states */

static struct process *all;
static volatile bool polls;
static struct event {
    struct process *to;
    process_event_t event;
    process_data_t data;
} events[EVENTS];
static unsigned first, count;

void process_init(void)
{
    all = NULL;
    count = 0;
}

static void leave(struct process *process)
{
    struct process **at = &all;

    while (*at && *at != process) {
        at = &(*at)->next;
    }
    if (*at) {
        *at = process->next;
    }
    process->state = ENDED;
}

void process_post_synch(struct process *process, process_event_t event,
                        process_data_t data)
{
    char result;

    if (process->state != WAITS) {
        return;
    }
    process->state = RUNS;
    result = process->thread(&process->pt, event, data);
    process->state = WAITS;
    if (result == PT_EXITED || result == PT_ENDED) {
        leave(process);
    }
}

void process_start(struct process *process, process_data_t data)
{
    if (process->state != ENDED) {
        return;
    }
    process->next = all;
    all = process;
    process->state = WAITS;
    process->pt = (struct pt){0};
    process_post_synch(process, PROCESS_EVENT_INIT, data);
}

bool process_is_running(struct process *process)
{
    return process->state != ENDED;
}

int process_post(struct process *process, process_event_t event, process_data_t data)
{
    if (count == EVENTS) {
        return PROCESS_ERR_FULL;
    }
    events[(first + count++) % EVENTS] = (struct event){process, event, data};
    return PROCESS_ERR_OK;
}

void process_poll(struct process *process)
{
    process->needspoll = true;
    polls = true;
}

process_num_events_t process_run(void)
{
    if (polls) {
        polls = false;
        for (struct process *each = all, *next; each; each = next) {
            next = each->next;
            if (each->needspoll) {
                each->needspoll = false;
                process_post_synch(each, PROCESS_EVENT_POLL, NULL);
            }
        }
    }
    if (count != 0) {
        struct event event = events[first];

        first = (first + 1) % EVENTS;
        count--;
        process_post_synch(event.to, event.event, event.data);
    }
    return (process_num_events_t)(count + polls);
}

/* A chip would sleep. */
void platform_idle(void)
{
    while (!polls) {
    }
}
