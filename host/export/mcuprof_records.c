/* SPDX-License-Identifier: MIT */
/* Records, and the blocks that they make. */
#include "mcuprof_records.h"

#include <string.h>

enum { BLOCK_RECORDS = 64 };

/* The bit of each kind of event in a record of totals. */
static const unsigned totals[EVENT_KINDS] = {
    [EVENT_SAMPLE] = MCUPROF_WIRE_TOTALS_SAMPLES,
    [EVENT_ARC] = MCUPROF_WIRE_TOTALS_ARCS,
    [EVENT_BLOCK] = MCUPROF_WIRE_TOTALS_BLOCKS,
    [EVENT_CALL] = MCUPROF_WIRE_TOTALS_CALLS,
};

void record_begin(struct record *record, unsigned kind, unsigned parameters)
{
    record->bytes[0] = (uint8_t)MCUPROF_WIRE_START(kind, parameters);
    record->used = 1;
}

void record_put(struct record *record, uint32_t value, unsigned groups)
{
    for (unsigned i = 0; i < groups; i++)
        record->bytes[record->used++] = (uint8_t)((uint64_t)value >> 7 * i & 0x7f);
}

void record_put_word(struct record *record, uint32_t word)
{
    record_put(record, word, MCUPROF_WIRE_WORD_GROUPS);
}

void record_finish(struct record_writer *writer, struct record *record)
{
    uint32_t check = record_accumulate(record->bytes, record->used + 1);
    uint32_t hash = writer->hash;

    record->bytes[record->used++] = (uint8_t)(check % MCUPROF_WIRE_CHECK_MODULUS);
    if (MCUPROF_WIRE_CLOSES(record->bytes[0])) {
        writer->records = hash = 0;
        writer->said = (struct said){0};
        writer->stated = false;
    }
    for (size_t i = 0; i < record->used; i++)
        hash = MCUPROF_WIRE_HASH_STEP(hash, record->bytes[i]);
    writer->hash = hash;
    fwrite(record->bytes, 1, record->used, writer->out);
    if (++writer->records == BLOCK_RECORDS)
        put_close(writer, MCUPROF_WIRE_END_CHECK);
}

void put_close(struct record_writer *writer, unsigned parameters)
{
    struct record record;

    record_begin(&record, MCUPROF_WIRE_END, parameters);
    record_put_word(&record, writer->hash);
    record_finish(writer, &record);
}

bool is_counted(const struct profile *profile, size_t kind)
{
    return profile->received[kind] > 0 || profile->lost[kind] > 0 ||
           profile->earlier[kind] > 0;
}

static void leave_one_out(struct record_writer *writer)
{
    for (size_t i = 0; i < EVENT_KINDS; i++) {
        if (writer->since[i] > 0) {
            writer->sent[i]--;
            return;
        }
    }
}

void put_totals(struct record_writer *writer, bool less)
{
    unsigned which = 0;
    struct record record;
    uint32_t hash;

    if (less)
        leave_one_out(writer);
    hash = writer->hash;

    for (size_t i = 0; i < EVENT_KINDS; i++)
        which |= is_counted(writer->profile, i) ? totals[i] : 0;
    record_begin(&record, MCUPROF_WIRE_TOTALS, which);
    for (size_t i = 0; i < EVENT_KINDS; i++) {
        if ((which & totals[i]) == 0)
            continue;
        record_put_word(&record, writer->sent[i]);
        record_put_word(&record, writer->lost[i]);
    }
    record_put_word(&record, hash);
    record_finish(writer, &record);
    memset(writer->since, 0, sizeof writer->since);
}
