/* SPDX-License-Identifier: MIT */
#include "lan9118.h"

#include <string.h>

#include "lwip/etharp.h"
#include "netif/ethernet.h"

#define REGISTER(offset) (*(volatile uint32_t *)(0x40200000u + (offset)))
#define RX_DATA          REGISTER(0x00)
#define TX_DATA          REGISTER(0x20)
#define RX_STATUS        REGISTER(0x40)
#define TX_CFG           REGISTER(0x70)
#define RX_FIFO_INF      REGISTER(0x7C)
#define TX_FIFO_INF      REGISTER(0x80)
#define MAC_CMD          REGISTER(0xA4)
#define MAC_DATA         REGISTER(0xA8)

enum { TX_ON = 1 << 1 };                           /* in TX_CFG */
enum { FIRST = 1 << 13, LAST = 1 << 12 };          /* in a frame's first command */
enum { MAC_CR = 1, MAC_ADDRH = 2, MAC_ADDRL = 3 }; /* MAC's own registers */
enum { TX_ENABLED = 1 << 3, RX_ENABLED = 1 << 2 }; /* in MAC_CR */
enum { FRAME_WORDS_MAX = 400, CRC_BYTES = 4 };
#define MAC_BUSY (1u << 31) /* in MAC_CMD */

static void mac_write(uint32_t number, uint32_t value)
{
    MAC_DATA = value;
    MAC_CMD = MAC_BUSY | number;
    while (MAC_CMD & MAC_BUSY) {
    }
}

static err_t output(struct netif *netif, struct pbuf *packet)
{
    static uint32_t words[FRAME_WORDS_MAX];
    uint32_t bytes = packet->tot_len;

    (void)netif;
    if (bytes > sizeof words) {
        return ERR_BUF;
    }
    pbuf_copy_partial(packet, words, (u16_t)bytes, 0);
    while ((TX_FIFO_INF & 0xFFFF) < bytes + 16) {
    }
    TX_DATA = FIRST | LAST | bytes;
    TX_DATA = bytes;
    for (uint32_t i = 0; i < (bytes + 3) / 4; i++) {
        TX_DATA = words[i];
    }
    return ERR_OK;
}

err_t lan9118_init(struct netif *netif)
{
    static const uint8_t address[] = {0x52, 0x54, 0, 0x12, 0x34, 0x56};

    memcpy(netif->hwaddr, address, sizeof address);
    netif->hwaddr_len = sizeof address;
    netif->mtu = 1500;
    netif->flags = NETIF_FLAG_BROADCAST | NETIF_FLAG_ETHARP | NETIF_FLAG_ETHERNET |
                   NETIF_FLAG_LINK_UP;
    netif->output = etharp_output;
    netif->linkoutput = output;
    mac_write(MAC_ADDRL, 0x12005452);
    mac_write(MAC_ADDRH, 0x5634);
    TX_CFG = TX_ON;
    mac_write(MAC_CR, TX_ENABLED | RX_ENABLED);
    return ERR_OK;
}

void lan9118_poll(struct netif *netif)
{
    static uint32_t words[FRAME_WORDS_MAX];

    while (RX_FIFO_INF >> 16 & 0xFF) {
        uint32_t bytes = RX_STATUS >> 16 & 0x3FFF;
        struct pbuf *packet;

        for (uint32_t i = 0; i < (bytes + 3) / 4; i++) {
            words[i % FRAME_WORDS_MAX] = RX_DATA;
        }
        if (bytes <= CRC_BYTES || bytes > sizeof words) {
            continue;
        }
        packet = pbuf_alloc(PBUF_RAW, (u16_t)(bytes - CRC_BYTES), PBUF_POOL);
        if (packet) {
            pbuf_take(packet, words, (u16_t)(bytes - CRC_BYTES));
            if (netif->input(packet, netif) != ERR_OK) {
                pbuf_free(packet);
            }
        }
    }
}
