/* SPDX-License-Identifier: MIT */
/*
 * A timeline without an operating system: a tick interrupt measures; between ticks the
 * program filters and sends. A span shows how long a packet took, a mark how many
 * readings waited. Built with MCUPROF_TIMELINE=1; look at it with mcuprof report
 * --timeline -e timeline.elf timeline.mprof mcuprof export --to perfetto -o timeline.json
 * -e timeline.elf timeline.mprof
 */
#include "board.h"
#include "burn.h"
#include "mcuprof.h"

#define ALONE __attribute__((noinline, noclone, noipa))

enum { PACKETS = 40, READINGS = 4 };

static volatile unsigned waiting, ticks;

/* ---- The interrupt ---- */

static ALONE void measure(void)
{
    BURN(100);
    waiting++;
    ticks++;
}

/* Calls of the profiler stand at the beginning and the end of a handler. */
static void on_tick(void)
{
    mcuprof_interrupt_enter(0);
    measure();
    mcuprof_interrupt_leave();
}

/* ---- The program ---- */

static ALONE void filter(void)
{
    BURN(400);
}

static ALONE void send(void)
{
    BURN(600);
}

/* Handles the readings that wait, in packets of a few. */
static ALONE void packet(void)
{
    while (waiting < READINGS) {
    }
    mcuprof_mark("waiting", (int32_t)waiting);
    mcuprof_span_begin("packet");
    for (unsigned i = 0; i < READINGS; i++) {
        waiting--;
        filter();
    }
    send();
    mcuprof_span_end("packet");
}

int main(void)
{
    mcuprof_start();
    board_tick(BOARD_TICK_US, on_tick);
    for (unsigned i = 0; i < PACKETS; i++) {
        packet();
    }
    board_tick(0, 0);
    mcuprof_end();
    board_printf("ticks %u\n", ticks);
    board_exit(0);
}
