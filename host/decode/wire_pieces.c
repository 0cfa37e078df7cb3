/* SPDX-License-Identifier: MIT */
/* Pieces of a block, and what one record says by itself. */
#include <string.h>

#include "wire.h"

uint32_t wire_hash_bytes(const uint8_t *bytes, size_t size, uint32_t hash)
{
    size_t i = 0;

    /* four bytes at once, because their products do not depend on each other */
    for (; i + 4 <= size; i += 4)
        hash = hash * 257u * 257u * 257u * 257u + bytes[i] * 257u * 257u * 257u +
               bytes[i + 1] * 257u * 257u + bytes[i + 2] * 257u + bytes[i + 3];
    for (; i < size; i++)
        hash = MCUPROF_WIRE_HASH_STEP(hash, bytes[i]);
    return hash;
}

uint32_t wire_hash(const struct block *block, size_t from, size_t to, uint32_t hash)
{
    for (size_t i = from; i < to; i++) {
        const struct piece *first = &block->pieces[i], *last = first;

        if (!first->record)
            continue;
        while (i + 1 < to && last[1].record && last[1].at == last->at + last->bytes) {
            last++;
            i++;
        }
        hash = wire_hash_bytes(block->bytes + first->at,
                               last->at + last->bytes - first->at, hash);
    }
    return hash;
}

uint32_t wire_stated(const uint8_t *record, size_t bytes)
{
    const uint8_t *at = record + bytes - 1 - MCUPROF_WIRE_WORD_GROUPS;

    return record_take_word(&at);
}

bool wire_put_piece(struct block *block, size_t place, bool replace,
                    const uint8_t *record, size_t bytes, struct error *error)
{
    struct piece piece;

    if (!wire_append_piece(block, record, bytes, true, error))
        return false;
    piece = block->pieces[--block->count];
    if (!replace) {
        memmove(block->pieces + place + 1, block->pieces + place,
                (block->count - place) * sizeof *block->pieces);
        block->count++;
    }
    block->pieces[place] = piece;
    return true;
}

uint32_t wire_events_of(const uint8_t *record)
{
    unsigned groups = MCUPROF_WIRE_COUNT_GROUPS(record[0] & 15u);
    const uint8_t *at = record + 1;

    switch (record_kind(record[0])) {
    case MCUPROF_WIRE_ARC:
        at += MCUPROF_WIRE_ADDRESS_GROUPS(record[0] & 15u);
        /* fall through */
    case MCUPROF_WIRE_SAMPLE:
    case MCUPROF_WIRE_BLOCK:
        at += MCUPROF_WIRE_ADDRESS_GROUPS(record[0] & 15u);
        return groups > 0 ? record_take(&at, groups) : 1;
    case MCUPROF_WIRE_CALL:
        return record_take_call(record).count;
    case RECORD_PATH:
        return record_take_path(record).sample;
    default:
        return 0;
    }
}

bool wire_is_first(const uint8_t *record)
{
    return record_is_hello(record) &&
           (record[0] & (MCUPROF_WIRE_HELLO_ID | MCUPROF_WIRE_HELLO_FIRST)) ==
               MCUPROF_WIRE_HELLO_FIRST;
}

void wire_find_sizes(struct wire *wire)
{
    for (unsigned i = 0; i < sizeof wire->sizes; i++) {
        uint8_t start = (uint8_t)(0x80 | i);
        bool tells = record_kind(start) != RECORD_PATH && !wire->excluded[i];

        wire->sizes[i] = tells ? (uint8_t)record_bytes(&start, 1) : 0;
    }
}
