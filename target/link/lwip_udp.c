/* SPDX-License-Identifier: MIT */
/* UDP by lwIP: see mcuprof_lwip.h. */
#include "mcuprof_lwip.h"

#include "mcuprof_link.h"

#include "lwip/udp.h"

#if !MCUPROF_SPAN_BYTES
#error "MCUPROF_LINK = lwip_udp sends spans: set the knob MCUPROF_SPAN_BYTES"
#endif
#if !defined(MCUPROF_UDP_ADDRESS) || !defined(MCUPROF_UDP_PORT)
#error "MCUPROF_LINK = lwip_udp: say where to by MCUPROF_UDP_ADDRESS, MCUPROF_UDP_PORT"
#endif

#ifndef MCUPROF_UDP_RUN
#error "MCUPROF_LINK = lwip_udp: MCUPROF_UDP_RUN() is a number that no other run had"
#endif

#define FN MCUPROF_NOT_PROFILED

/* The bytes of a datagram behind its header: all of it fits into an Ethernet frame. */
#ifndef MCUPROF_UDP_BYTES
#define MCUPROF_UDP_BYTES 1400
#endif
enum { HEADER_BYTES = 12 };

/* Whether the code running now may call lwIP: a task. */
#ifndef MCUPROF_LWIP_MAY_SEND
#if defined(__ARM_ARCH_PROFILE) && __ARM_ARCH_PROFILE == 'M'
static inline bool is_task(void)
{
    uint32_t number;

    __asm__ volatile("mrs %0, ipsr" : "=r"(number));
    return number == 0;
}
#define MCUPROF_LWIP_MAY_SEND() is_task()
#else
#error "MCUPROF_LWIP_MAY_SEND(): say whether a task runs, and no interrupt"
#endif
#endif

static struct {
    struct udp_pcb *pcb;
    uint32_t run;    /* since power-on */
    uint32_t number; /* of the next datagram */
    bool sending;    /* lwIP runs: functions that it calls may count */
} udp;

/* Takes the bytes that wait, and fills a datagram with them if lwIP has memory for one.
 * Returns how many they are. Where the ring gives two spans, one datagram takes both, so
 * no record is cut. */
static FN unsigned fill(uint8_t *to)
{
    const uint8_t *bytes;
    unsigned filled = 0, count;

    mcuprof_state.push = 1; /* else the second of two spans might be too short */
    while ((count = mcuprof_tx_span(&bytes, MCUPROF_UDP_BYTES - filled)) != 0) {
        for (unsigned i = 0; to && i < count; i++) {
            to[filled + i] = bytes[i];
        }
        filled += count;
        if (filled == MCUPROF_UDP_BYTES) {
            break;
        }
    }
    return filled;
}

static FN void put_word(uint8_t *to, uint32_t word)
{
    to[0] = (uint8_t)(word >> 24);
    to[1] = (uint8_t)(word >> 16);
    to[2] = (uint8_t)(word >> 8);
    to[3] = (uint8_t)word;
}

/* If lwIP has no memory for a datagram, it is lost; the next one's number says so. */
static FN void send(void)
{
    struct pbuf *packet =
        udp.pcb ? pbuf_alloc(PBUF_TRANSPORT, HEADER_BYTES + MCUPROF_UDP_BYTES, PBUF_RAM)
                : NULL;
    uint8_t *at = packet ? packet->payload : NULL;
    unsigned filled = fill(at ? at + HEADER_BYTES : NULL);
    uint32_t number = udp.number;
    ip_addr_t to;

    udp.number += filled != 0;
    if (!packet) {
        return;
    }
    at[0] = 'm';
    at[1] = 'c';
    at[2] = 'u';
    at[3] = 'r';
    put_word(at + 4, udp.run);
    put_word(at + 8, number);
    pbuf_realloc(packet, (u16_t)(HEADER_BYTES + filled));
    ip_addr_set_ip4_u32_val(to, lwip_htonl(MCUPROF_UDP_ADDRESS));
    if (filled) {
        (void)udp_sendto(udp.pcb, packet, &to, MCUPROF_UDP_PORT);
    }
    pbuf_free(packet);
}

FN void mcuprof_link_isr(void)
{
    if (!udp.sending && mcuprof_state.busy && MCUPROF_LWIP_MAY_SEND()) {
        udp.sending = true;
        if (!udp.pcb) {
            udp.pcb = udp_new();
            udp.run = udp.number == 0 ? MCUPROF_UDP_RUN() : udp.run;
        }
        while (mcuprof_state.busy) {
            send();
        }
        udp.sending = false;
    }
}

FN void mcuprof_link_idle(void)
{
}

FN void mcuprof_lwip_poll(void)
{
    mcuprof_irq irq = mcuprof_irq_mask();

    mcuprof_link_isr();
    mcuprof_irq_restore(irq);
}
