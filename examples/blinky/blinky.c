/* SPDX-License-Identifier: MIT */
/*
 * Blinky with something to find: two LEDs blink at different rates by busy waiting, a
 * brightness curve is computed the slow way, and the console tells what goes on. Where
 * does the time go?
 */
#include "board.h"
#include "mcuprof.h"

/* Parts of a real program are too large to be inlined; these small ones stand for them.
 */
#define PART __attribute__((noinline, noclone))

static volatile uint32_t leds;
static volatile uint32_t brightness;

static PART void wait_cycles(unsigned cycles)
{
    for (volatile unsigned i = 0; i < cycles; i++) {
    }
}

static PART void wait_ms(unsigned ms)
{
    while (ms--) {
        wait_cycles(1000);
    }
}

static PART void led_set(unsigned led)
{
    leds |= 1u << led;
}

static PART void led_clear(unsigned led)
{
    leds &= ~(1u << led);
}

static PART void led_toggle(unsigned led)
{
    if (leds & 1u << led) {
        led_clear(led);
    } else {
        led_set(led);
    }
}

/* Fibonacci numbers make a fine brightness curve; this is the slow way to them. */
static PART unsigned curve(unsigned n)
{
    return n < 2 ? n : curve(n - 1) + curve(n - 2);
}

static PART void fade(unsigned step)
{
    brightness = curve(10 + step % 8);
}

/* A timer interrupt, 500 times a second. */
static void on_timer(void)
{
    static unsigned ticks;

    if (++ticks % 50 == 0) {
        led_toggle(1);
    }
}

int main(void)
{
    mcuprof_start();
    board_tick(2000, on_timer);
    for (unsigned beat = 0; beat < 100; beat++) {
        led_toggle(0);
        fade(beat);
        wait_ms(10);
        if (beat % 25 == 0) {
            board_printf("beat %u, brightness %u\n", beat, (unsigned)brightness);
        }
    }
    board_tick(0, 0);
    mcuprof_end();
    return 0;
}
