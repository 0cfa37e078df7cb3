/* SPDX-License-Identifier: MIT */
/*
 * Processes of Contiki, told apart by name. A tick polls "sense", which posts what it
 * has measured to "filter", which has "radio" send it at once: an event within an event.
 * They work 1 : 2 : 4, and in between the program idles. "sense" ends half-way, and is
 * started again.
 */
#include <contiki.h>
#include <sys/platform.h>

#include "board.h"
#include "burn.h"
#include "mcuprof.h"

#define ALONE __attribute__((noinline, noclone, noipa))

enum { ROUNDS = 100, TICKS = 10 };
enum { TICK_US = 2000 };
#define UNIT 8000u /* a round works for 7 of its 20 ms at 8 MHz */

static volatile unsigned ticks;
static unsigned rounds;

PROCESS(sense_process, "sense");
PROCESS(filter_process, "filter");
PROCESS(radio_process, "radio");

static ALONE void measure(void)
{
    BURN(UNIT);
}

static ALONE void smooth(void)
{
    BURN(2 * UNIT);
}

static ALONE void transmit(void)
{
    BURN(4 * UNIT);
}

static MCUPROF_NOT_PROFILED void on_tick(void)
{
    if (++ticks % TICKS == 0) {
        process_poll(&sense_process);
    }
}

PROCESS_THREAD(sense_process, ev, data)
{
    (void)data;
    PROCESS_BEGIN();
    do {
        PROCESS_WAIT_EVENT_UNTIL(ev == PROCESS_EVENT_POLL);
        measure();
        (void)process_post(&filter_process, PROCESS_EVENT_CONTINUE, NULL);
        rounds++;
    } while (rounds % (ROUNDS / 2) != 0);
    PROCESS_END();
}

PROCESS_THREAD(filter_process, ev, data)
{
    (void)data;
    PROCESS_BEGIN();
    for (;;) {
        PROCESS_WAIT_EVENT_UNTIL(ev == PROCESS_EVENT_CONTINUE);
        smooth();
        process_post_synch(&radio_process, PROCESS_EVENT_CONTINUE, NULL);
    }
    PROCESS_END();
}

PROCESS_THREAD(radio_process, ev, data)
{
    (void)data;
    PROCESS_BEGIN();
    for (;;) {
        PROCESS_WAIT_EVENT_UNTIL(ev == PROCESS_EVENT_CONTINUE);
        transmit();
    }
    PROCESS_END();
}

static MCUPROF_NOT_PROFILED void run(void)
{
    while (process_run()) {
    }
    if (!process_is_running(&sense_process) && rounds < ROUNDS) {
        process_start(&sense_process, NULL);
    }
}

MCUPROF_NOT_PROFILED int main(void)
{
    process_init();
    mcuprof_start();
    process_start(&radio_process, NULL);
    process_start(&filter_process, NULL);
    process_start(&sense_process, NULL);
    board_tick(TICK_US, on_tick);
    for (run(); rounds < ROUNDS; run()) {
        platform_idle();
    }
    board_tick(0, 0);
    mcuprof_end();
    board_printf("rounds %u\n", rounds);
    return 0;
}
