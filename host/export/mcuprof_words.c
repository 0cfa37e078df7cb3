/* SPDX-License-Identifier: MIT */
/*
 * Writes a profile in version 3 of the wire: one run, in which an account says what a
 * reader found in the captures. Decoding gives the same profile again.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "mcuprof_records.h"
#include "raw.h"

/* ---- Hello ---- */

/* A base from which the program counters of most samples fit into a record's head. */
static uint32_t find_base(const struct profile *profile, unsigned unit)
{
    const struct counters *samples = &profile->counters[EVENT_SAMPLE];
    uint64_t least = UINT64_MAX, most = 0;

    for (size_t i = 0; i < samples->used; i++) {
        uint64_t address = counter_at(samples, i).to;

        least = address < least ? address : least;
        most = address > most ? address : most;
    }
    return most >> unit > MCUPROF_WIRE3_PC_MAX ? (uint32_t)least & ~UINT32_C(0xFFFF) : 0;
}

bool raw_hello(struct raw *raw, const struct profile *profile, struct error *error)
{
    struct record_writer writer = {.profile = profile};

    if (!choose_unit(&writer, error) || !choose_depth(&writer, error) ||
        !find_clock(profile, &raw->hello[0], &raw->hello[1], error))
        return false;
    raw->hello[2] = find_base(profile, writer.unit);
    raw->hello[3] = find_configuration(&writer);
    for (size_t i = 0; i < EVENT_KINDS; i++)
        raw->counts[i] = profile->received[i] > 0 || profile->lost[i] > 0;
    return true;
}

/* ---- What is known beside the events ---- */

static void put_build_id(struct raw *raw, const struct profile *profile)
{
    uint32_t words[MCUPROF_WIRE_BUILD_ID_WORDS] = {0};

    for (size_t i = 0; i < profile->build_id_bytes; i++)
        words[i / 4] |= (uint32_t)profile->build_id[i] << 8 * (i % 4);
    if (profile->build_id_bytes > 0)
        raw_record(raw, MCUPROF_WIRE3_BUILD_ID, 0, words, MCUPROF_WIRE_BUILD_ID_WORDS);
}

static void put_pairs(struct raw *raw, unsigned kind, const uint32_t *words, size_t count,
                      const uint64_t *pairs, size_t pair_count, uint32_t value)
{
    uint32_t all[4 + 2 * MCUPROF_WIRE3_ACCOUNT_FIGURES];

    for (size_t i = 0; i < count; i++)
        all[i] = words[i];
    for (size_t i = 0; i < pair_count; i++) {
        all[count + 2 * i] = (uint32_t)pairs[i];
        all[count + 2 * i + 1] = (uint32_t)(pairs[i] >> 32);
    }
    raw_record(raw, kind, value, all, count + 2 * pair_count);
}

static void put_account(struct raw *raw, const struct profile *profile)
{
    uint64_t figures[MCUPROF_WIRE3_ACCOUNT_FIGURES] = {
        profile->damaged, profile->discarded, profile->repaired,
        profile->foreign, profile->unproven,  profile->unsent,
        profile->resets,  profile->starts,    profile->late_starts,
    };
    const size_t counts = MCUPROF_WIRE3_ACCOUNT_FIGURES - EVENT_KINDS;
    uint32_t flags = (profile->complete ? 0 : MCUPROF_WIRE3_ACCOUNT_INCOMPLETE) |
                     (profile->mismatch ? MCUPROF_WIRE3_ACCOUNT_MISMATCH : 0) |
                     (profile->unaccounted ? MCUPROF_WIRE3_ACCOUNT_UNACCOUNTED : 0) |
                     (profile->accounted ? 0 : MCUPROF_WIRE3_ACCOUNT_UNTOLD);

    for (size_t i = 0; i < counts; i++) {
        if (figures[i] > MCUPROF_WIRE3_ACCOUNT_MAX)
            figures[i] = MCUPROF_WIRE3_ACCOUNT_MAX;
    }
    memcpy(figures + counts, profile->earlier, sizeof profile->earlier);
    put_pairs(raw, MCUPROF_WIRE3_ACCOUNT, NULL, 0, figures, MCUPROF_WIRE3_ACCOUNT_FIGURES,
              flags);
}

static void put_times(struct raw *raw, const struct profile *profile)
{
    const struct time_base *time = &profile->time;
    const struct sampling *sampling = &profile->sampling;
    const uint32_t base[] = {(uint32_t)time->hz, (uint32_t)time->inside,
                             (uint32_t)time->outside};
    const uint64_t times[] = {time->other, time->run};
    const uint32_t late[] = {sampling->least, sampling->most};
    const uint64_t took[] = {sampling->ticks, sampling->samples, sampling->late};

    if (time->hz > 0)
        put_pairs(raw, MCUPROF_WIRE3_TIMES, base, 3, times, 2, 0);
    if (sampling->hz > 0)
        put_pairs(raw, MCUPROF_WIRE3_SAMPLING, late, 2, took, 3, 0);
}

static void put_names(struct raw *raw, const struct profile *profile)
{
    for (size_t i = 0; i < profile->task_count; i++) {
        const struct task *task = &profile->tasks[i];

        raw_text_record(raw, MCUPROF_WIRE3_NAME,
                        task->number | (task->idle ? MCUPROF_WIRE_TASK_IDLE : 0),
                        task->name);
    }
}

/* ---- Events ---- */

static uint32_t at_most(uint64_t left)
{
    return left < UINT32_MAX ? (uint32_t)left : UINT32_MAX;
}

static void put_raw_samples(struct raw *raw, const struct stack *stack)
{
    for (uint64_t left = stack->count; left > 0 && !ferror(raw->out);) {
        uint32_t now = at_most(left);

        raw_sample(raw, stack->task, stack, now);
        left -= now;
    }
}

/* Writes a counter, without the events that `elsewhere` has. */
static void put_counter(struct raw *raw, const struct profile *profile,
                        enum event_kind kind, size_t number, uint64_t elsewhere)
{
    struct counter counter = counter_at(&profile->counters[kind], number);
    uint64_t left = counter.count - elsewhere;
    const struct stack alone = {&counter.to, 1, left, counter.task, STACK_UNSURE, 0};

    if (kind == EVENT_CALL)
        raw_calls(raw, counter.task, &counter, &profile->times[number]);
    else if (kind == EVENT_SAMPLE)
        put_raw_samples(raw, &alone);
    for (; kind != EVENT_CALL && kind != EVENT_SAMPLE && left > 0 && !ferror(raw->out);
         left -= at_most(left)) {
        if (kind == EVENT_ARC)
            raw_arc(raw, counter.task, (uint32_t)counter.from, (uint32_t)counter.to,
                    at_most(left));
        else
            raw_block(raw, counter.task, (uint32_t)counter.to, at_most(left));
    }
}

static bool put_all_counters(struct raw *raw, const struct profile *profile,
                             struct error *error)
{
    uint64_t *with_path = count_with_path(profile, error);

    if (with_path == NULL)
        return false;
    for (enum event_kind kind = 0; kind < EVENT_KINDS; kind++) {
        for (size_t i = 0; i < profile->counters[kind].used && !ferror(raw->out); i++)
            put_counter(raw, profile, kind, i, kind == EVENT_SAMPLE ? with_path[i] : 0);
    }
    free(with_path);
    return true;
}

static bool put_all_stacks(struct raw *raw, const struct profile *profile,
                           struct error *error)
{
    const struct stacks *stacks = &profile->stacks;
    const struct stack **sorted = calloc(stacks->used + 1, sizeof(*sorted));

    if (sorted == NULL)
        return error_no_memory(error);
    for (size_t i = 0; i < stacks->used; i++)
        sorted[i] = &stacks->items[i];
    qsort(sorted, stacks->used, sizeof(*sorted), compare_paths);
    for (size_t i = 0; i < stacks->used; i++)
        put_raw_samples(raw, sorted[i]);
    free(sorted);
    return true;
}

/* Whether no counter takes too many records. */
static bool can_count(const struct profile *profile, struct error *error)
{
    for (enum event_kind kind = 0; kind < EVENT_KINDS; kind++) {
        const struct counters *counters = &profile->counters[kind];

        for (size_t i = 0; kind != EVENT_CALL && i < counters->used; i++) {
            const struct counter counter = counter_at(counters, i);

            if (counter.count / UINT32_MAX > RECORDS_MAX)
                return error_set(error, EXIT_BAD_INPUT,
                                 "%" PRIu64 " events at 0x%" PRIx64
                                 " are more than mcuprof's records should say",
                                 counter.count, counter.to);
        }
    }
    return true;
}

/* ---- All ---- */

bool export_words(FILE *out, const struct profile *profile, const char *text,
                  size_t text_bytes, struct error *error)
{
    struct raw *raw = calloc(1, sizeof *raw);
    bool done;

    if (raw == NULL)
        return error_no_memory(error);
    raw->out = out;
    done = profile->timeline.hz <= 0 ||
           error_set(error, EXIT_BAD_INPUT,
                     "there is a timeline: version 3 of the wire cannot be read with one "
                     "yet; use version 2");
    done = done && raw_hello(raw, profile, error) && can_count(profile, error);
    if (done) {
        raw_begin(raw);
        put_build_id(raw, profile);
        put_account(raw, profile);
        put_times(raw, profile);
        put_names(raw, profile);
        done =
            put_all_counters(raw, profile, error) && put_all_stacks(raw, profile, error);
        raw_end(raw, MCUPROF_WIRE3_FULL);
        export_console(out, text, text_bytes);
        raw_begin(raw);
        memcpy(raw->lost, profile->lost, sizeof raw->lost);
        raw_totals(raw);
        raw_end(raw, MCUPROF_WIRE3_STOPPED);
    }
    free(raw);
    return done;
}
