/* SPDX-License-Identifier: MIT */
#include "live.h"
#include "../analysis/insert_frames.h"
#include "../analysis/tails.h"

#include <stdio.h>
#include <string.h>

#define STEP_S 1.0
enum { RATE_STEPS = 4 };

static bool begin(struct live *live, struct error *error)
{
    profile_init(&live->profile);
    live->decoding = decoder_init(&live->decoder, &live->options, &live->profile,
                                  live->name, NULL, 0, error);
    live->decoder.offset = live->bytes;
    history_init(&live->history, &live->profile);
    return live->decoding;
}

static void end(struct live *live)
{
    if (live->decoding)
        decoder_release(&live->decoder);
    live->decoding = false;
    history_release(&live->history);
    profile_release(&live->profile);
}

bool live_init(struct live *live, const struct decode_options *options, const char *name,
               double now, struct error *error)
{
    memset(live, 0, sizeof *live);
    live->options = *options;
    live->options.console = live_text_add;
    live->options.context = &live->text;
    live->name = name;
    live->began = live->now = live->first_at = live->last_at = now;
    return begin(live, error);
}

void live_release(struct live *live)
{
    end(live);
}

/* ---- Bytes and time ---- */

static double step_end(const struct live *live)
{
    return live->began + STEP_S * (double)(live->history.ended + 1);
}

static bool end_steps(struct live *live, double now, struct error *error)
{
    live->now = now;
    while (now >= step_end(live)) {
        if (!history_step(&live->history, &live->profile))
            return error_no_memory(error);
        live->step_bytes[live->history.ended % (HISTORY_STEPS + 1)] = live->bytes;
    }
    return true;
}

/* Begins anew with an empty profile, because the decoder gave up. */
static bool restart(struct live *live, double now, struct error *error)
{
    end(live);
    live->restarts++;
    live->error_at = now;
    live->began = live->first_at = now;
    live->step_bytes[0] = live->bytes;
    return begin(live, error);
}

bool live_bytes(struct live *live, const uint8_t *bytes, size_t size, double now,
                struct error *error)
{
    if (!end_steps(live, now, error))
        return false;
    if (live->bytes == 0)
        live->first_at = now;
    live->bytes += size;
    live->last_at = now;
    return decoder_bytes(&live->decoder, bytes, size, &live->error) ||
           restart(live, now, error);
}

bool live_pass(struct live *live, double now, struct error *error)
{
    return live->over || end_steps(live, now, error);
}

bool live_finish(struct live *live, double now, struct error *error)
{
    if (live->over)
        return true;
    if (!end_steps(live, now, error))
        return false;
    live->over = true;
    return decoder_finish(&live->decoder, error);
}

/* ---- Looks ---- */

enum live_state live_state(const struct live *live)
{
    if (live->over)
        return LIVE_OVER;
    if (live->bytes == 0)
        return LIVE_SILENT;
    if (live->decoder.ended)
        return LIVE_STOPPED;
    if (live->now - live->last_at >= LIVE_QUIET_S)
        return LIVE_QUIET;
    return live->profile.records > 0 ? LIVE_RUNNING : LIVE_TEXT;
}

/* The seconds that the last `steps` whole steps and the current one cover. */
static double seconds_of(const struct live *live, size_t steps)
{
    return live->now - (step_end(live) - STEP_S * (double)(steps + 1));
}

double live_bytes_per_s(const struct live *live)
{
    size_t ended = live->history.ended, steps = ended < RATE_STEPS ? ended : RATE_STEPS;
    uint64_t before = live->step_bytes[(ended - steps) % (HISTORY_STEPS + 1)];
    double seconds = seconds_of(live, steps);

    return seconds > 0.1 ? (double)(live->bytes - before) / seconds : 0;
}

bool live_look(const struct live *live, struct image *image, unsigned seconds,
               struct live_look *look, struct error *error)
{
    size_t kept = history_kept(&live->history);
    size_t steps = seconds < kept ? seconds : kept;

    if (seconds == 0 || (seconds >= live->history.ended && kept < HISTORY_STEPS))
        steps = HISTORY_ALL;
    look->seconds =
        steps == HISTORY_ALL ? live->now - live->first_at : seconds_of(live, steps);
    if (!history_part(&live->history, &live->profile, steps, &look->profile))
        return error_no_memory(error);
    if ((image == NULL || (insert_skipped_frames(&look->profile, image) &&
                           tails_find(&look->profile, image, live->tail_calls))) &&
        profile_follow_interrupts(&look->profile, live->through_interrupts))
        return true;
    profile_release(&look->profile);
    return error_no_memory(error);
}
