/* SPDX-License-Identifier: MIT */
/*
 * Blocks have the number of their run and their own, so it is known which run a block is
 * of, and whether it came before. Totals have 64 bits, so what was lost between a run's
 * first and last block is their difference less what came.
 */
#include <stdlib.h>
#include <string.h>

#include "../base/vector.h"
#include "wire.h"
#include "words.h"

/* ---- Blocks that came ---- */

static uint64_t mix(uint64_t bits)
{
    bits = (bits ^ bits >> 32) * 0xD6E8FEB86659FD93u;
    bits = (bits ^ bits >> 32) * 0xD6E8FEB86659FD93u;
    return bits ^ bits >> 32;
}

static bool put_key(uint64_t *keys, size_t room, uint64_t key)
{
    size_t at = key & (room - 1);

    while (keys[at] != 0 && keys[at] != key)
        at = (at + 1) & (room - 1);
    if (keys[at] == key)
        return false;
    keys[at] = key;
    return true;
}

static bool is_seen(const struct words_runs *runs, uint64_t key)
{
    size_t at = key & (runs->seen_room - 1);

    while (runs->seen_room > 0 && runs->seen[at] != 0 && runs->seen[at] != key)
        at = (at + 1) & (runs->seen_room - 1);
    return runs->seen_room > 0 && runs->seen[at] == key;
}

static bool note_seen(struct words_runs *runs, uint64_t key, struct error *error)
{
    if (2 * runs->seen_used >= runs->seen_room) {
        size_t room = runs->seen_room > 0 ? 2 * runs->seen_room : 64;
        uint64_t *keys = calloc(room, sizeof *keys);

        if (keys == NULL)
            return error_no_memory(error);
        for (size_t i = 0; i < runs->seen_room; i++) {
            if (runs->seen[i] != 0)
                put_key(keys, room, runs->seen[i]);
        }
        free(runs->seen);
        runs->seen = keys;
        runs->seen_room = room;
    }
    runs->seen_used += put_key(runs->seen, runs->seen_room, key);
    return true;
}

/* What tells a block from all others, and its place from all other places. Neither is 0.
 */
static uint64_t key_of(uint64_t seed, const struct words_header *header, uint64_t more)
{
    uint64_t key = mix(seed ^ header->number);

    key = mix(key ^ ((uint64_t)header->run << 8 | header->core));
    return mix(key ^ more) | 1;
}

static uint64_t block_key(uint64_t seed, const struct words_header *header)
{
    return key_of(seed, header, (uint64_t)header->hash << 32 | header->sum);
}

static uint64_t place_key(uint64_t seed, const struct words_header *header,
                          size_t run_index)
{
    return key_of(~seed, header, run_index);
}

/* ---- Runs ---- */

/* The last run of this block's core and, if `same`, of its number. */
static struct words_run *last_run(struct words_runs *runs,
                                  const struct words_header *header, bool same)
{
    enum { LOOK = 64 }; /* at so many: a datagram is never that late */
    size_t least = runs->used > LOOK ? runs->used - LOOK : 0;

    for (size_t i = runs->used; i-- > least;) {
        struct words_run *run = &runs->items[i];

        if (run->core == header->core && (!same || run->run == header->run))
            return run;
    }
    return NULL;
}

/* Notes that the run before this one on its core is over. */
static void end_run(struct profile *profile, const struct words_run *run)
{
    if (run == NULL || run->why == MCUPROF_WIRE3_STOPPED)
        return;
    profile->resets++;
    profile->unaccounted = true; /* what it lost behind its last block */
    if (run->index < RUNS_MAX)
        profile->runs[run->index].cut = true;
}

static bool begin_run(struct decoder *decoder, const struct words_header *header,
                      struct error *error)
{
    struct words *words = decoder->state;
    struct words_runs *runs = &words->runs;
    struct profile *profile = decoder->profile;
    const struct words_run *before;

    if (!vector_grow(&runs->items, runs->used, &runs->room, sizeof *runs->items))
        return error_no_memory(error);
    before = last_run(runs, header, false);
    end_run(profile, before);
    if (profile->run_count < RUNS_MAX)
        profile->runs[profile->run_count] =
            (struct run){words->framing.offset, profile->inputs, false};
    runs->items[runs->used++] = (struct words_run){
        .run = header->run,
        .core = header->core,
        .index = profile->run_count++,
        .first = before == NULL,
    };
    return true;
}

/* Whether a block may be of this run: its place is free, and where it comes last in the
 * run it does in time. */
static bool may_be_of(const struct words_runs *runs, uint64_t seed,
                      const struct words_run *run, const struct words_header *header)
{
    return !is_seen(runs, place_key(seed, header, (size_t)(run - runs->items))) &&
           (header->number < run->last || header->time >= run->last_time);
}

bool words_find_run(struct decoder *decoder, const struct words_header *header,
                    struct words_run **run, struct error *error)
{
    struct words_runs *runs = &((struct words *)decoder->state)->runs;
    uint64_t seed = decoder->profile->seed;

    *run = NULL;
    if (is_seen(runs, block_key(seed, header)))
        return true;
    *run = last_run(runs, header, true);
    if (*run == NULL || !may_be_of(runs, seed, *run, header)) {
        if (!begin_run(decoder, header, error))
            return false;
        *run = &runs->items[runs->used - 1];
    }
    return note_seen(runs, block_key(seed, header), error) &&
           note_seen(runs, place_key(seed, header, (size_t)(*run - runs->items)), error);
}

/* ---- What was lost ---- */

/* What a run lost of a kind, and what came before the recording. */
static uint64_t lost_of(const struct words_run *run, const struct words_tally *tally,
                        uint64_t *earlier, bool *mismatch)
{
    const struct words_kind *sum = &tally->sum;
    uint64_t before = sum->sent + sum->lost, sent = sum->sent_end - sum->sent;

    *earlier = run->first ? before : 0;
    *mismatch = sum->sent_end < sum->sent || sum->lost_end < sum->lost || sent < sum->got;
    return (run->first ? 0 : before) +
           (*mismatch ? 0 : sent - sum->got + sum->lost_end - sum->lost);
}

static void add_kind(struct words_tally *tally, uint64_t number,
                     const struct words_kind *kind)
{
    struct words_kind *sum = &tally->sum;

    if (!tally->told || number < tally->low) {
        tally->low = number;
        sum->sent = kind->sent;
        sum->lost = kind->lost;
    }
    if (!tally->told || number > tally->high) {
        tally->high = number;
        sum->sent_end = kind->sent_end;
        sum->lost_end = kind->lost_end;
    }
    tally->told = true;
    sum->got += kind->got;
}

void words_account(struct decoder *decoder, struct words_run *run,
                   const struct words_header *header, unsigned why,
                   const struct words_kind *kinds)
{
    struct profile *profile = decoder->profile;

    for (size_t i = 0; i < EVENT_KINDS; i++) {
        struct words_tally *tally = &run->kinds[i];
        uint64_t earlier, earlier_then;
        bool mismatch;

        run->untold = run->untold || (kinds[i].got > 0 && !kinds[i].told);
        if (!kinds[i].told)
            continue;
        profile->lost[i] -= lost_of(run, tally, &earlier_then, &mismatch);
        add_kind(tally, header->number, &kinds[i]);
        profile->lost[i] += lost_of(run, tally, &earlier, &mismatch);
        profile->earlier[i] += earlier - earlier_then;
        profile->mismatch = profile->mismatch || mismatch;
        profile->accounted = true;
    }
    if (header->number >= run->last) {
        run->last = header->number;
        run->last_time = header->time;
        run->why = why;
    }
}

void words_finish_runs(struct decoder *decoder)
{
    const struct words *words = decoder->state;
    struct profile *profile = decoder->profile;
    uint64_t entries = MCUPROF_WIRE_ENTRIES(words->hello[3]);

    profile->complete =
        words->runs.used > 0 && profile->resets == 0 && !words->incomplete;
    for (size_t i = 0; i < words->runs.used; i++) {
        const struct words_run *run = &words->runs.items[i];
        bool sent =
            run->why == MCUPROF_WIRE3_STOPPED || run->why == MCUPROF_WIRE3_FLUSHED;

        profile->complete = profile->complete && run->why == MCUPROF_WIRE3_STOPPED;
        profile->unsent += sent ? 0 : entries;
        profile->unaccounted = profile->unaccounted || run->untold;
    }
    profile->unsent += words->unsent;
    profile->resets += words->resets;
}
