/* SPDX-License-Identifier: MIT */
/*
 * RTT, as OpenOCD, pyOCD, J-Link and probe-rs know it: a debug probe reads the ring while
 * the firmware runs. It searches the RAM for the control block, reads the bytes from
 * `tail` to `head`, and writes `tail`. So there is no UART and no interrupt; this driver
 * makes the control block, and gives up a probe that is not there.
 *
 * Where the processor has a data cache, mcuprof_state must be in memory that is not
 * cached.
 */
#include "mcuprof_link.h"

#if !MCUPROF_RTT
#error "MCUPROF_LINK = rtt: set the knob MCUPROF_RTT to 1"
#endif

#define FN MCUPROF_NOT_PROFILED

void mcuprof_rtt_wait(void);

/* The text is "SEGGER RTT", each character plus 1, so that a probe does not find the text
 * itself. The first character is written last, so that a probe does not find a block that
 * is not complete. */
FN void mcuprof_link_start(void)
{
    static const char shifted[] = "TFHHFS!SUU";
    struct mcuprof *m = &mcuprof_state;
    volatile char *id = m->rtt_id;

    if (!m->rtt_up) {
        m->rtt_up = 1;
        m->rtt_name = "mcuprof";
        m->rtt_ring = m->ring;
        m->rtt_ring_bytes = MCUPROF_RING_BYTES;
        __sync_synchronize();
        for (unsigned i = sizeof shifted - 1; i-- > 0;) {
            id[i] = (char)(shifted[i] - 1);
        }
    }
}

/* Does a turn of waiting for a probe that has not read all. This function's name tells
 * `mcuprof lint` that no vector is to lead to mcuprof_link_isr(). */
__attribute__((noinline)) FN void mcuprof_rtt_wait(void)
{
    struct mcuprof *m = &mcuprof_state;
    mcuprof_index tail = m->tail;

    if (tail != m->rtt_seen) {
        m->rtt_seen = tail;
        m->rtt_turns = 0;
    } else if (m->rtt_turns < MCUPROF_RTT_TURNS) {
        m->rtt_turns++;
    } else {
        m->tail = m->rtt_seen = m->head;
    }
}

/* Only code that waits for the probe calls this. */
FN void mcuprof_link_isr(void)
{
    if (mcuprof_state.tail == mcuprof_state.head) {
        mcuprof_state.busy = 0;
    } else {
        mcuprof_rtt_wait();
    }
}

FN void mcuprof_link_idle(void)
{
}
