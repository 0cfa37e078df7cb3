/* SPDX-License-Identifier: MIT */
/* As Shares, with MCUPROF_ARDUINO_UART 1: the profile goes out over the second UART, while
 * the sketch prints to Serial. The time of printing is in the report, too. */
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
    Serial.begin(115200);
    mcuprof_arduino_begin(250000);
}

void loop()
{
    static uint16_t rounds;

    much();
    some();
    little();
    Serial.print("round ");
    Serial.println(++rounds);
    if (rounds == 300) {
        mcuprof_arduino_end();
        Serial.flush();
        cli();
        sleep_enable();
        sleep_cpu();
    }
}
