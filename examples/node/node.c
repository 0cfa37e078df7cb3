/* SPDX-License-Identifier: MIT */
/*
 * The programs with which a published profiler for sensor nodes was measured: the
 * recursive Fibonacci function, which only calls; a CRC-16; a loop that samples and sends
 * once a second and sleeps in between; and two for two nodes, in peers.c. For an AVR;
 * see bench/evaluation.py.
 */
#include "node.h"
#include <avr/interrupt.h>

#include "board.h"

#ifndef NODE_FIBONACCI /* the largest n */
#define NODE_FIBONACCI 12
#endif
#ifndef NODE_CRC_BYTES
#define NODE_CRC_BYTES 1024
#endif
#ifndef NODE_SECONDS
#define NODE_SECONDS 2
#endif

static volatile uint16_t milliseconds;

static MCUPROF_NOT_PROFILED void on_millisecond(void)
{
    milliseconds++;
}

MCUPROF_NOT_PROFILED void node_tick(void)
{
    milliseconds = 0;
    board_tick(1000, on_millisecond);
}

MCUPROF_NOT_PROFILED void node_sleep_until(uint16_t millisecond)
{
    cli();
    while ((int16_t)(milliseconds - millisecond) < 0) {
        sei(); /* lets nothing in before the next instruction */
        __asm__ volatile("sleep");
        cli();
    }
    sei();
}

#if NODE_PEER == 0
static NODE_TASK uint32_t fibonacci(uint8_t n)
{
    return n <= 2 ? 1 : fibonacci(n - 1) + fibonacci(n - 2);
}

static NODE_TASK uint32_t fibonaccis(void)
{
    uint32_t sum = 0;

    for (uint8_t n = 1; n <= NODE_FIBONACCI; n++) {
        sum += fibonacci(n);
    }
    return sum;
}

static NODE_TASK uint16_t crc(uint32_t bytes)
{
    uint16_t sum = 0xFFFF;

    for (uint32_t i = 0; i < bytes; i++) {
        sum = crc_byte(sum, (uint8_t)i);
    }
    return sum;
}

static volatile uint16_t line;

static NODE_CALLED uint16_t sample(void)
{
    uint16_t sum = 0;

    for (uint8_t i = 0; i < 16; i++) {
        sum += line ^ i;
    }
    return sum;
}

static NODE_CALLED void send(uint16_t value)
{
    line = crc_byte(crc_byte(0xFFFF, (uint8_t)(value >> 8)), (uint8_t)value);
}

static NODE_TASK void sample_and_send(void)
{
    send(sample());
}

static NODE_TASK void loop(void)
{
    node_tick();
    for (uint16_t second = 1; second <= NODE_SECONDS; second++) {
        node_sleep_until((uint16_t)(second * 1000));
        sample_and_send();
    }
    board_tick(0, 0);
}

int main(void)
{
    uint32_t sum;
    uint16_t check;

    mcuprof_start();
    sum = fibonaccis();
    check = crc(NODE_CRC_BYTES);
    loop();
    mcuprof_end();
    board_printf("fibonacci %u %u\ncrc %u\n", (unsigned)(sum >> 16),
                 (unsigned)sum & 0xFFFF, check);
    return 0;
}
#else
int main(void)
{
    mcuprof_start();
    node_peers();
    mcuprof_end();
    board_printf("right %u\n", node_packets_right());
    return 0;
}
#endif
