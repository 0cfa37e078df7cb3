/* SPDX-License-Identifier: MIT */
#include "link.h"

#include <poll.h>
#include <time.h>

#define RETRY_S 0.5

void live_link_init(struct live_link *link, struct source *source, double now)
{
    *link = (struct live_link){.source = source, .state = LINK_UP, .since = now};
}

static void lose(struct live_link *link, ssize_t got, double now)
{
    if (got == 0)
        link->error.text[0] = '\0';
    link->state = source_returns(link->source) ? LINK_LOST : LINK_ENDED;
    link->losses += link->state == LINK_LOST;
    link->since = now;
    link->next = now + RETRY_S;
}

static double seconds(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Sets when to try again. A long attempt is followed by a long pause, because no keys are
 * read during an attempt. */
static void try_again(struct live_link *link, double now)
{
    double began = seconds(), took;
    bool opened = source_reopen(link->source, &link->error);

    took = seconds() - began;
    link->next = now + took + (took > RETRY_S ? 4 * took : RETRY_S);
    if (opened) {
        link->state = LINK_UP;
        link->since = now;
    }
}

size_t live_link_read(struct live_link *link, uint8_t *bytes, size_t size, int timeout_ms,
                      double now)
{
    ssize_t got;

    if (link->state != LINK_UP) {
        poll(NULL, 0, timeout_ms);
        if (link->state == LINK_LOST && now >= link->next)
            try_again(link, now);
        return 0;
    }
    got = source_read(link->source, bytes, size, timeout_ms, &link->error);
    if (got == 0 || got == -1)
        lose(link, got, now);
    return got > 0 ? (size_t)got : 0;
}
