/* SPDX-License-Identifier: MIT */
#include "faults_words.h"

#include <stdlib.h>
#include <string.h>

#include "base/vector.h"
#include "decode/words.h"

static struct words_framing framing;
static const uint8_t *stream;
static struct block {
    size_t at, bytes;
    uint64_t records;
} * blocks;
static size_t count, room;

static uint64_t count_records(const struct words_block *block)
{
    uint64_t records = 0;

    for (size_t at = WORDS_HEADER; at < block->count;
         at += words_of_record(block->words + at, block->count - at))
        records++;
    return records;
}

bool faults_words_find(const uint8_t *bytes, size_t size)
{
    enum words_found found = FOUND_OTHER;
    size_t at = 0, part;

    count = 0;
    stream = bytes;
    words_release(&framing);
    memset(&framing, 0, sizeof framing);
    if (!words_push(&framing, bytes, size))
        abort();
    for (; found != FOUND_NOTHING; at += part) {
        found = words_look(&framing, &part);
        if (found == FOUND_BLOCK) {
            if (!vector_grow(&blocks, count, &room, sizeof *blocks))
                abort();
            blocks[count++] = (struct block){at, part, count_records(&framing.block)};
        }
        if (found != FOUND_NOTHING)
            words_drop(&framing, part);
    }
    return count > 0;
}

uint64_t faults_words_around(size_t from, size_t to)
{
    uint64_t records = 0;

    for (size_t i = 0; i < count; i++) {
        if (blocks[i].at < to && blocks[i].at + blocks[i].bytes > from)
            records += blocks[i].records;
    }
    return records;
}

bool faults_words_any(const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < count; i++) {
        if (memmem(bytes, size, stream + blocks[i].at, blocks[i].bytes) != NULL)
            return true;
    }
    return false;
}
