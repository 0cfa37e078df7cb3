/* SPDX-License-Identifier: MIT */
/*
 * Shows a page on this machine, and new data as they come. It listens on the loopback
 * address only, and answers only requests that name that address or localhost, so that
 * no foreign web page can read it:
 *   GET /        the page with the current data
 *   GET /data    the current data
 *   GET /news?from=VERSION
 *                the difference (difference.h) between the data of that version and the
 *                current ones, or these where it is not known
 *   GET /events  server-sent events: a message for new data, `end` after the last
 * It has 32 connections; one on which nothing moves for a while ends.
 */
#ifndef MCUPROF_HOST_PAGE_SERVER_H
#define MCUPROF_HOST_PAGE_SERVER_H

#include <stdbool.h>
#include <stddef.h>

#include "../base/error.h"

struct server;

/* port 0: any free one. */
bool server_start(struct server **server, unsigned port, struct error *error);
unsigned server_port(const struct server *server);

/* Whether a request's Host, which may be NULL, names a server at this port: by the
 * loopback address or localhost; the port may be left out if it is 80. */
bool server_is_named(const char *host, unsigned port);

/* Publishes new data, as page_data() wrote them; the server takes over the text, which
 * malloc() made. `last`: no more data will come. false: out of memory, and the old ones
 * stay. */
bool server_publish(struct server *server, char *data, size_t size, bool last);

/* Ends all connections. server may be NULL. */
void server_stop(struct server *server);

#endif
