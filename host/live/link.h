/* SPDX-License-Identifier: MIT */
/*
 * A source that is read as long as somebody watches. If it ends but may come back
 * (source_returns()), it is opened again and again.
 */
#ifndef MCUPROF_HOST_LIVE_LINK_H
#define MCUPROF_HOST_LIVE_LINK_H

#include "../source/source.h"

enum live_link_state {
    LINK_UP,
    LINK_LOST, /* it is being tried again */
    LINK_ENDED /* it cannot come back */
};

struct live_link {
    struct source *source; /* belongs to the caller */
    enum live_link_state state;
    double since; /* when this state began, by the caller's clock */
    double next;  /* private: when to try again */
    size_t losses;
    struct error error; /* LINK_LOST, LINK_ENDED: the reason; "": the input simply
                         * ended */
};

void live_link_init(struct live_link *link, struct source *source, double now);

/* Waits up to timeout_ms, as source_read() does, or longer if a server does not answer. >
 * 0: bytes read; 0: none came, or the state has changed. */
size_t live_link_read(struct live_link *link, uint8_t *bytes, size_t size, int timeout_ms,
                      double now);

#endif
