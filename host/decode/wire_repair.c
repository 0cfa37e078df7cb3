/* SPDX-License-Identifier: MIT */
/*
 * Repairs a block whose hash does not hold and in which one place is plainly damaged:
 * bytes that are no record or, if there are none, text, whose first byte may have been
 * the start of a record. It tries all that the place becomes if one byte is replaced,
 * inserted or deleted, and also a record that closes a block. If exactly one candidate
 * has the right hash, that candidate is what was sent.
 *
 * The chance of a wrong repair: a place of 20 bytes has some 10,000 candidates. In 1 of
 * 127 of them all records have the right check, and 1 of 2^32 of these has the right hash
 * by chance: 2 in 10^8 blocks that cannot be repaired. The longest records have 47 bytes,
 * 24,000 candidates: 4 in 10^8. At most, with GAP_MAX bytes, there are 65,000: 1 in 10^7.
 */
#include <string.h>

#include "wire.h"

enum { CANDIDATE_MAX = GAP_MAX + 1, TEXT_MAX = 512 /* bytes of text to try */ };

struct search {
    const struct wire *wire;
    uint32_t before; /* the block's hash up to the place */
    uint32_t after;  /* the hash of only the bytes behind the place */
    uint32_t power;  /* the factor by which these bytes multiply the hash before them */
    const uint32_t *stated;
    const uint8_t *bytes; /* of the place */
    size_t size;
    bool text; /* only a start byte is missing */
    uint8_t found[CANDIDATE_MAX];
    size_t found_bytes;
    bool ambiguous;
};

/* A candidate's records. */
struct candidate {
    uint8_t records[CANDIDATE_MAX];
    size_t used;
    uint32_t hash; /* the block's hash behind these records */
    bool closes;   /* one of them closes a block and states its hash */
};

static bool is_record(const struct wire *wire, const uint8_t *bytes, size_t size,
                      size_t *length)
{
    *length = wire_record_bytes(wire, bytes, size);
    if (*length == 0 || *length > size)
        return false;
    for (size_t i = 1; i < *length; i++) {
        if (bytes[i] >= 0x80)
            return false;
    }
    return record_valid(bytes, *length);
}

/* Divides the bytes into records; false: one that begins like a record is not valid. */
static bool parse(const struct search *search, const uint8_t *bytes, size_t size,
                  struct candidate *candidate)
{
    candidate->used = 0;
    candidate->hash = search->before;
    candidate->closes = false;
    for (size_t at = 0, length = 1; at < size; at += length) {
        length = 1;
        if (bytes[at] < 0x80)
            continue;
        if (!is_record(search->wire, bytes + at, size - at, &length))
            return false;
        if (MCUPROF_WIRE_CLOSES(bytes[at])) {
            if (wire_stated(bytes + at, length) != candidate->hash)
                return false;
            candidate->hash = 0;
            candidate->closes = true;
        }
        if (wire_is_first(bytes + at))
            candidate->hash = 0; /* the firmware was reset here */
        candidate->hash = wire_hash_bytes(bytes + at, length, candidate->hash);
        memcpy(candidate->records + candidate->used, bytes + at, length);
        candidate->used += length;
    }
    return candidate->used > 0;
}

static void try(struct search *search, const uint8_t *bytes, size_t size)
{
    struct candidate candidate;

    if (!parse(search, bytes, size, &candidate) ||
        (search->stated != NULL
             ? candidate.hash * search->power + search->after != *search->stated
             : !candidate.closes))
        return;
    if (search->found_bytes > 0 &&
        (search->found_bytes != candidate.used ||
         memcmp(search->found, candidate.records, candidate.used) != 0))
        search->ambiguous = true;
    memcpy(search->found, candidate.records, candidate.used);
    search->found_bytes = candidate.used;
}

static void try_bytes(struct search *search)
{
    unsigned first = search->text ? 0x80 : 0;
    uint8_t bytes[CANDIDATE_MAX];
    size_t size = search->size;

    for (size_t at = 0; at <= size; at++) {
        memcpy(bytes, search->bytes, at);
        memcpy(bytes + at + 1, search->bytes + at, size - at);
        for (unsigned value = first; value <= 0xFF; value++) {
            bytes[at] = (uint8_t)value;
            try(search, bytes, size + 1); /* inserted */
        }
        if (at == size)
            break;
        memcpy(bytes + at, search->bytes + at, size - at);
        for (unsigned value = first; value <= 0xFF; value++) {
            bytes[at] = (uint8_t)value;
            try(search, bytes, size); /* replaced */
        }
        memcpy(bytes + at, search->bytes + at + 1, size - at - 1);
        try(search, bytes, size - 1); /* deleted */
    }
}

/* Tries a record that closes the block before: its hash is known even if no byte of it
 * came. The numbers of a totals record must have come. */
static void try_close(struct search *search, uint8_t start)
{
    size_t bytes = record_bytes(&start, 1), hash = bytes - 1 - MCUPROF_WIRE_WORD_GROUPS;
    uint8_t record[RECORD_MAX];
    uint32_t word = search->before;

    if (bytes == 0 || search->size < hash)
        return;
    memcpy(record, search->bytes, hash);
    record[0] = start;
    for (size_t i = 0; i < MCUPROF_WIRE_WORD_GROUPS; i++, word >>= 7)
        record[hash + i] = word & 0x7F;
    record[bytes - 1] =
        (uint8_t)(record_accumulate(record, bytes) % MCUPROF_WIRE_CHECK_MODULUS);
    try(search, record, bytes);
}

static void try_all(struct search *search)
{
    try_bytes(search);
    if (search->text || search->stated == NULL)
        return;
    try_close(search, MCUPROF_WIRE_START(MCUPROF_WIRE_END, MCUPROF_WIRE_END_CHECK));
    try_close(search, MCUPROF_WIRE_START(MCUPROF_WIRE_END, MCUPROF_WIRE_END_FLUSHED));
    if ((search->bytes[0] & 0xF0) == MCUPROF_WIRE_START(MCUPROF_WIRE_TOTALS, 0))
        try_close(search, search->bytes[0]);
}

/* ---- In a block ---- */

static size_t record_bytes_of(const struct block *block, size_t from, size_t to)
{
    size_t bytes = 0;

    for (size_t i = from; i < to; i++)
        bytes += block->pieces[i].record ? block->pieces[i].bytes : 0;
    return bytes;
}

static uint32_t power_of(size_t bytes)
{
    uint32_t power = 1;

    while (bytes-- > 0)
        power = MCUPROF_WIRE_HASH_STEP(power, 0);
    return power;
}

static void search_gap(struct search *search, size_t from, size_t gap, size_t to)
{
    const struct block *block = &search->wire->block;
    const struct piece *piece = &block->pieces[gap];

    search->before = wire_hash(block, from, gap, 0);
    search->after = wire_hash(block, gap, to, 0);
    search->power = power_of(record_bytes_of(block, gap, to));
    search->bytes = block->bytes + piece->at;
    search->size = piece->bytes;
    search->text = piece->damaged == 0;
    try_all(search);
}

/* Replaces the gap by the records that were found. */
static bool mend(struct decoder *decoder, const struct search *search, size_t gap,
                 struct error *error)
{
    struct wire *wire = decoder->state;
    size_t length, at = gap;

    decoder->profile->damaged -= wire->block.pieces[gap].damaged;
    decoder->profile->repaired++;
    for (size_t i = 0; i < search->found_bytes; i += length) {
        length = record_bytes(search->found + i, search->found_bytes - i);
        if (!wire_put_piece(&wire->block, at++, i == 0, search->found + i, length, error))
            return false;
    }
    return true;
}

/* Sets *only to the one damaged place, or to NO_PIECE if all gaps are text and not too
 * long together. false: there are several places, or too much text. */
static bool find_gaps(const struct block *block, size_t from, size_t to, size_t *only)
{
    size_t text = 0, damaged = 0;

    *only = NO_PIECE;
    for (size_t i = from; i < to; i++) {
        const struct piece *piece = &block->pieces[i];

        if (piece->record)
            continue;
        text += piece->bytes;
        if (piece->damaged > 0) {
            *only = i;
            damaged++;
        }
    }
    return damaged == 1 ? block->pieces[*only].bytes < GAP_MAX
                        : damaged == 0 && text > 0 && text <= TEXT_MAX;
}

bool wire_repair(struct decoder *decoder, size_t from, const uint32_t *stated,
                 bool *found, struct error *error)
{
    const struct wire *wire = decoder->state;
    size_t to = wire->block.count - (stated != NULL ? 1 : 0), only, place = NO_PIECE;
    struct search result = {.ambiguous = false};

    *found = false;
    if (!find_gaps(&wire->block, from, to, &only))
        return true;
    for (size_t i = from; i < to; i++) {
        struct search search;

        if (wire->block.pieces[i].record || (only != NO_PIECE && only != i) ||
            wire->block.pieces[i].bytes == GAP_MAX)
            continue;
        search = (struct search){.wire = wire, .stated = stated};
        search_gap(&search, from, i, to);
        if (search.found_bytes == 0)
            continue;
        search.ambiguous = search.ambiguous || place != NO_PIECE;
        result = search;
        place = i;
    }
    *found = place != NO_PIECE && !result.ambiguous;
    return !*found || mend(decoder, &result, place, error);
}
