/* SPDX-License-Identifier: MIT */
/*
 * A source that is read for as long as somebody looks on: where it ends and may come back
 * (source_returns()), it is tried again and again.
 */
#ifndef MCUPROF_HOST_LIVE_LINK_H
#define MCUPROF_HOST_LIVE_LINK_H

#include "../source/source.h"

enum live_link_state {
    LINK_UP,
    LINK_LOST, /* it is tried again */
    LINK_ENDED /* it does not come back */
};

struct live_link {
    struct source *source; /* the caller's */
    enum live_link_state state;
    double since; /* when it came to that state, by the caller's clock */
    double next;  /* when to try again: private */
    size_t losses;
    struct error error; /* LINK_LOST, LINK_ENDED: why; "" at a plain end of input */
};

void live_link_init(struct live_link *link, struct source *source, double now);

/* Waits up to timeout_ms, as source_read() does. > 0: bytes read; 0: none came, or the
 * state has changed. A server that does not answer can make it wait for longer. */
size_t live_link_read(struct live_link *link, uint8_t *bytes, size_t size, int timeout_ms,
                      double now);

#endif
