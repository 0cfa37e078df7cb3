/* SPDX-License-Identifier: MIT */
/*
 * Blinky with something to find: two LEDs blink, a light of 64 steps fades in waves, and
 * the console tells what happens. Where does the time go?
 */
#include "board.h"
#include "mcuprof.h"

/* In a real program such parts are too large to be inlined; these small ones stand for
 * them.
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

/* The square root by trying each bit: the slow part. */
static PART unsigned square_root(unsigned square)
{
    unsigned root = 0;

    for (unsigned bit = 1u << 15; bit; bit >>= 1) {
        if ((root + bit) * (root + bit) <= square) {
            root += bit;
        }
    }
    return root;
}

/* The eye perceives the square root of a light. */
static PART unsigned corrected(unsigned light)
{
    return square_root(light << 8);
}

/* The place of the wave: Fibonacci's numbers, for a lively start. */
static PART unsigned wave(unsigned n)
{
    return n < 2 ? n : wave(n - 1) + wave(n - 2);
}

static PART void fade(unsigned step)
{
    unsigned sum = 0, front = wave(4 + step % 8);

    for (unsigned i = 0; i < 64; i++) {
        sum += corrected(i * front % 256);
    }
    brightness = sum / 64;
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
