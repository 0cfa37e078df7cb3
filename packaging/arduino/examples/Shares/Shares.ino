/* SPDX-License-Identifier: MIT */
/* Three functions whose work is 4 : 2 : 1. The report shows 57, 29 and 14 %. */
#include <avr/sleep.h>
#include <mcuprof_arduino.h>

static volatile uint16_t sink;

static inline __attribute__((always_inline)) void work(uint16_t turns)
{
    while (turns-- > 0) {
        sink ^= turns;
    }
}

__attribute__((noinline)) void much()   { work(4000); sink++; }
__attribute__((noinline)) void some()   { work(2000); sink++; }
__attribute__((noinline)) void little() { work(1000); sink++; }

void setup()
{
    Serial.begin(250000);
    mcuprof_arduino_begin(Serial);
}

void loop()
{
    static uint16_t rounds;

    much();
    some();
    little();
    mcuprof_arduino_send();
    if (++rounds == 300) {
        mcuprof_arduino_end();
        cli();
        sleep_enable();
        sleep_cpu();
    }
}
