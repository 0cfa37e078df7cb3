/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mcuprof_port.h"
#include "pc.h"

struct pc_link pc_link = {.ready = SIZE_MAX};
struct pc_timer pc_timer;
#if MCUPROF_TIMELINE
uint32_t pc_time;
#endif

/* ---- Link ---- */

static void send(uint8_t byte)
{
    if (pc_link.used == pc_link.allocated) {
        size_t allocated = pc_link.allocated ? 2 * pc_link.allocated : 4096;
        uint8_t *bytes = realloc(pc_link.bytes, allocated);

        if (!bytes) {
            perror("realloc");
            abort();
        }
        pc_link.bytes = bytes;
        pc_link.allocated = allocated;
    }
    pc_link.bytes[pc_link.used++] = byte;
}

void mcuprof_link_idle(void)
{
}

#if MCUPROF_SPAN_BYTES
/* The span that is being sent: its bytes leave at the end, so they must not change
 * before. */
static struct {
    const uint8_t *bytes;
    unsigned count;
} span;

void mcuprof_link_isr(void)
{
    enum { MOST = 23 };

    if (pc_link.ready == 0 || !mcuprof_state.busy) {
        return;
    }
    for (unsigned i = 0; i < span.count; i++) {
        send(span.bytes[i]);
    }
    span.count = mcuprof_tx_span(&span.bytes,
                                 pc_link.ready < MOST ? (unsigned)pc_link.ready : MOST);
    if (pc_link.ready != SIZE_MAX) {
        pc_link.ready -= span.count;
    }
}
#else
void mcuprof_link_start(void)
{
}

void mcuprof_link_isr(void)
{
    int byte;

    if (pc_link.ready == 0) {
        return;
    }
    byte = mcuprof_tx_next();
    if (byte >= 0) {
        send((uint8_t)byte);
        pc_link.ready -= pc_link.ready != SIZE_MAX;
    }
}
#endif

void pc_link_drain(void)
{
    while (mcuprof_state.busy && pc_link.ready) {
        mcuprof_link_isr();
    }
}

void pc_link_release(void)
{
    free(pc_link.bytes);
    pc_link = (struct pc_link){.ready = SIZE_MAX};
}

/* ---- Timer ---- */

void mcuprof_timer_start(uint32_t ticks)
{
    pc_timer = (struct pc_timer){.running = true, .ticks = ticks};
}

void mcuprof_timer_set(uint32_t ticks)
{
    pc_timer.ticks = ticks;
}

void mcuprof_timer_stop(void)
{
    pc_timer.running = false;
}

/* ---- The assembly's part ---- */

static void count(uint32_t from, uint32_t to)
{
#if MCUPROF_BY_TASK
    mcuprof_state.context = mcuprof_what_runs();
#endif
#if MCUPROF_ENTRIES
    enum { PAIRS = (MCUPROF_ENTRIES + 1) / 2, WAYS = MCUPROF_ENTRIES > 1 ? 2 : 1 };
    struct mcuprof_entry *own = mcuprof_state.entry + (from + to) / 4 % PAIRS * WAYS;

    for (struct mcuprof_entry *entry = own; entry < own + WAYS; entry++) {
        if (entry->from == from && entry->to == to && MCUPROF_OF_CONTEXT(entry) &&
            entry->count != UINT32_MAX) {
            entry->count++;
            return;
        }
    }
#endif
    mcuprof_count(from, to, mcuprof_irq_mask());
}

void pc_call(uint32_t from, uint32_t to)
{
#if MCUPROF_ARCS
    if (mcuprof_state.hooks_on) {
        count(from | 1u, to | 1u);
    }
#else
    (void)from;
    (void)to;
#endif
}

void pc_sample(uint32_t pc)
{
    if (pc_timer.running) {
        count(pc, pc);
    }
}

void pc_block(uint32_t to)
{
#if MCUPROF_BLOCKS
    if (mcuprof_state.hooks_on) {
        count((to | 1u) - 1, to | 1u);
    }
#else
    (void)to;
#endif
}

void pc_reset(void)
{
    memset(&mcuprof_state, 0, sizeof mcuprof_state);
#if MCUPROF_SPAN_BYTES
    span.count = 0;
#endif
    pc_timer = (struct pc_timer){.running = false};
    pc_link_release();
}
