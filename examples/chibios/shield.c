/* SPDX-License-Identifier: MIT */
/*
 * A program of several threads that share functions. A timer interrupt wakes a sensor,
 * which sends its readings to a controller through a mailbox. A display takes the mutex
 * of what these two change. Workers come and go. In between the processor sleeps. The
 * source shows how often each thread calls which function.
 */
#include "board.h"
#include "burn.h"
#include "mcuprof_port.h"
#include "os.h"

#define ALONE __attribute__((noinline, noclone, noipa))

#ifndef READINGS
#define READINGS 40
#endif
enum { FRAMES = 30, PIXELS = 8, WORKERS = 5, WORK = 6 };
#ifndef TICK_US
#define TICK_US 700
#endif
enum { SENSOR, CONTROL, DISPLAY, WORKER }; /* slots */

static volatile unsigned counting, ticks, system_ticks, nested, in_system_tick;
static volatile uint32_t value;

static ALONE uint32_t scale(uint32_t x)
{
    BURN(100);
    return x * 3 + 1;
}

/* ---- Interrupts ---- */

static ALONE void count_tick(void)
{
    ticks += counting;
    nested += in_system_tick & counting;
    BURN(40);
}

ALONE void on_tick(void)
{
    count_tick();
    os_signal();
}

static ALONE void count_system_tick(void)
{
    system_ticks += counting;
    BURN(900);
}

/* Its priority is lower, so that the other tick interrupts it. */
ALONE void on_system_tick(void)
{
    in_system_tick = 1;
    count_system_tick();
    in_system_tick = 0;
}

/* ---- Threads ---- */

static ALONE uint32_t filter(uint32_t x)
{
    BURN(200);
    return x + 1;
}

static ALONE uint32_t read_sensor(uint32_t x)
{
    return filter(filter(filter(x)));
}

static ALONE void sensor(void)
{
    for (unsigned i = 0; i < READINGS; i++) {
        os_wait();
        os_post(read_sensor(i));
    }
}

static ALONE void update(uint32_t x)
{
    os_lock();
    value = scale(x);
    os_unlock();
}

static ALONE void control(void)
{
    for (unsigned i = 0; i < READINGS; i++) {
        update(os_fetch());
    }
}

static ALONE void draw(void)
{
    for (unsigned i = 0; i < PIXELS; i++) {
        value = scale(value);
    }
}

static ALONE void display(void)
{
    for (unsigned i = 0; i < FRAMES; i++) {
        os_lock();
        draw();
        os_unlock();
        os_sleep(1);
    }
}

static ALONE void work(void)
{
    BURN(3000);
    (void)scale(0);
}

static ALONE void worker(void)
{
    for (unsigned i = 0; i < WORK; i++) {
        work();
    }
}

/* ---- The profiler ---- */

/* If calls are timed: the time base, and the time the profiler took beside its hooks. */
#if MCUPROF_CALLS
#define NOW()      MCUPROF_TIME()
#define PROFILER() mcuprof_state.time.other
#else
#define NOW()      0
#define PROFILER() 0
#endif

static uint32_t run, profiler; /* times */

/* Interrupts are masked, so that handlers count their own calls exactly while the
 * profiler does.
 */
static MCUPROF_NOT_PROFILED void start(void)
{
    mcuprof_irq irq = mcuprof_irq_mask();

    mcuprof_start();
    counting = 1;
    run = NOW();
    profiler = PROFILER();
    mcuprof_irq_restore(irq);
}

static MCUPROF_NOT_PROFILED void stop(void)
{
    mcuprof_irq irq = mcuprof_irq_mask();

    mcuprof_stop();
    counting = 0;
    run = NOW() - run;
    profiler = PROFILER() - profiler;
    mcuprof_irq_restore(irq);
}

int program(void)
{
    start();
    os_create(SENSOR, "sensor", sensor, 4);
    os_create(CONTROL, "control", control, 3);
    os_create(DISPLAY, "display", display, 1);
    board_tick(TICK_US, on_tick);
    for (unsigned i = 0; i < WORKERS; i++) {
        os_create(WORKER, "worker", worker, 3);
        os_join(WORKER);
        os_sleep(2);
    }
    os_join(SENSOR);
    os_join(CONTROL);
    os_join(DISPLAY);
    board_tick(0, 0);
    stop();
    mcuprof_end();
    board_printf("ticks %u\nsystem_ticks %u\nnested %u\nsamples %u\n", ticks,
                 system_ticks, nested, board_samples);
    board_printf("run %u\nprofiler %u\n", (unsigned)run, (unsigned)profiler);
    return 0;
}
