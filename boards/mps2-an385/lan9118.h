/* SPDX-License-Identifier: MIT */
/* SMSC's LAN9118, polled, as a network interface of lwIP. */
#ifndef BOARDS_LAN9118_H
#define BOARDS_LAN9118_H

#include "lwip/netif.h"

/* For netif_add(). */
err_t lan9118_init(struct netif *netif);

/* Hands the frames that came to lwIP. */
void lan9118_poll(struct netif *netif);

#endif
