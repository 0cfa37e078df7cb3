/* SPDX-License-Identifier: MIT */
/*
 * Shows a page on this machine, and new data as they come. It listens on the loopback
 * address only, and answers only those who ask it by that address or as localhost, so
 * that no page of somebody else's can read it: GET /        the page with the data of now
 *   GET /data    the data of now
 *   GET /events  server-sent events: a message for new data, `end` after the last
 */
#ifndef MCUPROF_HOST_PAGE_SERVER_H
#define MCUPROF_HOST_PAGE_SERVER_H

#include <stdbool.h>
#include <stddef.h>

#include "../base/error.h"

struct server;

/* port 0: any that is free. */
bool server_start(struct server **server, unsigned port, struct error *error);
unsigned server_port(const struct server *server);

/* New data, as page_data() wrote them; the server takes the text, which malloc() made.
 * `last`: no others will come. */
void server_publish(struct server *server, char *data, size_t size, bool last);

/* Ends all connections. server may be NULL. */
void server_stop(struct server *server);

#endif
