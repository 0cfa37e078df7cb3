/* SPDX-License-Identifier: MIT */
/*
 * The programs of two nodes. One-way: the first sends a packet each 20 ms, the second
 * receives and checks it. Ping-pong: the first sends, the second sends back what it has
 * received, and so on. The line between them, the second UART at 76,800 baud, stands for
 * the radio.
 */
#include "board.h"
#include "node.h"

#if NODE_PEER
#include <avr/interrupt.h>
#include <avr/io.h>

#ifndef NODE_PACKETS /* of each program */
#define NODE_PACKETS 10
#endif

enum {
    PAYLOAD_BYTES = 16,
    PACKET_BYTES = PAYLOAD_BYTES + 2, /* and its CRC */
    PERIOD_MS = 20
};

/* ---- the radio ---- */

static volatile uint8_t received[64];
static volatile uint8_t received_count;
static uint8_t taken_count;

MCUPROF_NOT_PROFILED ISR(USART1_RX_vect)
{
    received[received_count % sizeof received] = UDR1;
    received_count++;
}

static MCUPROF_NOT_PROFILED void radio_start(void)
{
    UCSR1A = 1 << U2X1;
    UBRR1 = 12;
    UCSR1B = 1 << TXEN1 | 1 << RXEN1 | 1 << RXCIE1;
}

static NODE_CALLED void radio_put(uint8_t byte)
{
    while (!(UCSR1A & 1 << UDRE1)) {
    }
    UDR1 = byte;
}

static NODE_TASK void radio_wait(void)
{
    while ((uint8_t)(received_count - taken_count) < PACKET_BYTES) {
    }
}

/* ---- packets ---- */

static uint8_t packet[PACKET_BYTES];
static uint16_t right;

static NODE_CALLED uint16_t packet_crc(uint8_t bytes)
{
    uint16_t crc = 0xFFFF;

    for (uint8_t i = 0; i < bytes; i++) {
        crc = crc_byte(crc, packet[i]);
    }
    return crc;
}

static NODE_CALLED void packet_make(uint8_t number)
{
    uint16_t crc;

    for (uint8_t i = 0; i < PAYLOAD_BYTES; i++) {
        packet[i] = (uint8_t)(number + i);
    }
    crc = packet_crc(PAYLOAD_BYTES);
    packet[PAYLOAD_BYTES] = (uint8_t)(crc >> 8);
    packet[PAYLOAD_BYTES + 1] = (uint8_t)crc;
}

static NODE_TASK void packet_send(void)
{
    for (uint8_t i = 0; i < PACKET_BYTES; i++) {
        radio_put(packet[i]);
    }
}

/* A packet with its CRC has the CRC 0. */
static NODE_TASK void packet_handle(void)
{
    for (uint8_t i = 0; i < PACKET_BYTES; i++) {
        packet[i] = received[taken_count++ % sizeof received];
    }
    if (packet_crc(PACKET_BYTES) == 0) {
        right++;
    }
}

/* ---- the two programs ---- */

static NODE_TASK void one_way(void)
{
    node_tick();
    for (uint16_t i = 1; i <= NODE_PACKETS; i++) {
        if (NODE_PEER == 1) {
            node_sleep_until(i * PERIOD_MS);
            packet_make((uint8_t)i);
            packet_send();
        } else {
            radio_wait();
            packet_handle();
        }
    }
    board_tick(0, 0);
}

static NODE_TASK void turn(void)
{
    if (NODE_PEER == 1) {
        packet_send();
    }
    radio_wait();
    packet_handle();
    if (NODE_PEER == 2) {
        packet_send();
    }
}

static NODE_TASK void ping_pong(void)
{
    for (uint16_t i = 0; i < NODE_PACKETS; i++) {
        turn();
    }
}

MCUPROF_NOT_PROFILED void node_peers(void)
{
    radio_start();
    one_way();
    ping_pong();
}

MCUPROF_NOT_PROFILED uint16_t node_packets_right(void)
{
    return right;
}
#endif
