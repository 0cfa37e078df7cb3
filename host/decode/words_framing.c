/* SPDX-License-Identifier: MIT */
/*
 * Finds blocks among bytes. A block may begin where a magic does; whether it does is
 * known when the records that follow have led to a close whose sum is right. If they do
 * not, the search goes on one byte further.
 */
#include <stdlib.h>
#include <string.h>

#include "words.h"

/* ---- Words ---- */

/* Words of each kind with a fixed number, with the head; 0: there is no such kind. */
static const uint8_t fixed[16] = {
    [MCUPROF_WIRE3_NOTHING] = 1, [MCUPROF_WIRE3_TASK] = 1,  [MCUPROF_WIRE3_SKIP] = 1,
    [MCUPROF_WIRE3_ARC] = 3,     [MCUPROF_WIRE3_BLOCK] = 2, [MCUPROF_WIRE3_CALL] = 13,
    [MCUPROF_WIRE3_CLOSE] = 3,   [MCUPROF_WIRE3_EVENT] = 3,
};

/* Words of a record whose kind has a fixed number of them, but for a count that is too
 * large for the head. */
static size_t of_fixed(uint32_t head)
{
    uint32_t kind = MCUPROF_WIRE3_KIND(head);
    bool counts = kind == MCUPROF_WIRE3_ARC || kind == MCUPROF_WIRE3_BLOCK;

    return fixed[kind] + (size_t)(counts && MCUPROF_WIRE3_VALUE(head) == 0);
}

size_t words_of_record(const uint32_t *record, size_t have)
{
    uint32_t head = record[0];

    if (MCUPROF_WIRE3_IS_MAGIC(head))
        return 0;
    if (MCUPROF_WIRE3_NEW(head) <= MCUPROF_WIRE3_NEW_MAX)
        return 1 + MCUPROF_WIRE3_NEW(head);
    if (MCUPROF_WIRE3_NEW(head) == MCUPROF_WIRE3_OTHER)
        return MCUPROF_WIRE3_KIND(head) < sizeof fixed ? of_fixed(head)
                                                       : 1 + MCUPROF_WIRE3_WORDS(head);
    if (head != MCUPROF_WIRE3_SAMPLE_LONG || (have > 1 && record[1] >> 18 != 0))
        return 0;
    return 4 + (have > 1 ? record[1] & 255 : 0);
}

static bool is_close(uint32_t head)
{
    return (head & 255) == MCUPROF_WIRE3_HEAD(MCUPROF_WIRE3_CLOSE, 0);
}

/* Whether the block ends with its last word as it should. */
static bool holds(const struct words_block *block)
{
    const uint32_t *close = block->words + block->record;

    return MCUPROF_WIRE3_BEFORE(MCUPROF_WIRE3_VALUE(close[0])) == block->record &&
           close[1] == block->hash && close[2] == block->sum;
}

/* Adds a word to the block: FOUND_NOTHING: there must be more. */
static enum words_found add_word(struct words_block *block, uint32_t word)
{
    bool summed = block->record == 0 || block->count == block->record ||
                  !is_close(block->words[block->record]);
    size_t want;

    if (block->count == WORDS_MAX)
        return FOUND_OTHER;
    block->words[block->count++] = word;
    if (summed)
        MCUPROF_WIRE3_SUM_STEP(block->hash, block->sum, word);
    if (block->count < block->want)
        return FOUND_NOTHING;
    if (block->record > 0) {
        want =
            words_of_record(block->words + block->record, block->count - block->record);
        block->want = block->record + want;
        if (want == 0)
            return FOUND_OTHER;
        if (block->count < block->want)
            return FOUND_NOTHING;
        if (is_close(block->words[block->record]))
            return holds(block) ? FOUND_BLOCK : FOUND_OTHER;
    }
    block->record = block->count;
    block->want = block->count + 1;
    return FOUND_NOTHING;
}

/* ---- Bytes ---- */

/* Whether the bytes begin as a block does in this form. */
static bool begins_as(const uint8_t *bytes, size_t size, enum words_form form)
{
    static const struct {
        uint8_t mask[5], is[5];
        size_t size;
    } begins[] = {
        [FORM_GROUPS] = {{0xC3, 0xFF, 0, 0xFF, 0xFF}, {0xC3, 0xB3, 0, 0x8F, 0xF3}, 5},
        [FORM_LITTLE] = {{0xFF, 0, 0xFF, 0xFF}, {0xB3, 0, 0x8F, 0xF3}, 4},
        [FORM_BIG] = {{0xFF, 0xFF, 0, 0xFF}, {0xF3, 0x8F, 0, 0xB3}, 4},
    };
    bool same = true;

    for (size_t i = 0; i < size && i < begins[form].size; i++)
        same = same && (bytes[i] & begins[form].mask[i]) == begins[form].is[i];
    return same;
}

/* The form of the block that may begin with these bytes. Where there are less than 5,
 * more of them may tell that there is none. */
static enum words_form form_of(const uint8_t *bytes, size_t size)
{
    for (enum words_form form = FORM_GROUPS; form <= FORM_BIG; form++) {
        if (begins_as(bytes, size, form))
            return form;
    }
    return FORM_NONE;
}

int words_recognise(const uint8_t *bytes, size_t size)
{
    /* the upper word of a block's number; a magic's three bytes alone may be anything's
     */
    enum { UPPER = 12, END = 16 };
    static const uint8_t zero[END - UPPER];
    int found = 0;

    for (size_t i = 0; i + END <= size && found < 2; i++) {
        enum words_form form = form_of(bytes + i, size - i);

        if (form == FORM_GROUPS ||
            (form != FORM_NONE && memcmp(bytes + i + UPPER, zero, sizeof zero) == 0))
            found = 2;
        else if (form != FORM_NONE)
            found = 1;
    }
    return found;
}

/* Takes the tag of a group, or a byte of text before it. false: neither can be there. */
static bool take_tag(struct words_framing *framing, uint8_t byte)
{
    bool first = framing->block.count == 0;

    framing->at++;
    if (byte < MCUPROF_WIRE3_TAG)
        framing->text[framing->text_bytes++] = (char)byte;
    if (byte < MCUPROF_WIRE3_TAG)
        return !first;
    framing->tag = byte;
    framing->in_group = 0;
    return ((byte & MCUPROF_WIRE3_TAG_FIRST) != 0) == first;
}

static uint32_t word_at(const uint8_t *bytes, size_t size, bool big)
{
    uint32_t word = 0;

    for (size_t i = 0; i < size; i++)
        word |= (uint32_t)bytes[i] << 8 * (big ? size - 1 - i : i);
    return word;
}

/* Takes the next word, if all of its bytes came. */
static enum words_found take_word(struct words_framing *framing)
{
    bool groups = framing->form == FORM_GROUPS;
    size_t size = groups ? MCUPROF_WIRE3_TAG_BYTES(framing->tag, framing->in_group) : 4;
    const uint8_t *from = framing->bytes + framing->at;
    enum words_found found;

    if (framing->used - framing->at < size)
        return FOUND_NOTHING;
    framing->at += size;
    framing->in_group += groups;
    found = add_word(&framing->block, word_at(from, size, framing->form == FORM_BIG));
    if (found == FOUND_BLOCK && groups &&
        (framing->tag & 0x3F) >> 2 * framing->in_group != 0)
        return FOUND_OTHER; /* a group that ends early has no bytes there */
    return found;
}

static void begin(struct words_framing *framing)
{
    framing->at = framing->begin;
    framing->form = FORM_NONE;
    framing->in_group = MCUPROF_WIRE3_GROUP_WORDS;
    framing->block.count = framing->block.record = 0;
    framing->block.want = WORDS_HEADER;
    framing->block.hash = framing->block.sum = 0;
    framing->text_bytes = 0;
}

bool words_push(struct words_framing *framing, const uint8_t *bytes, size_t size)
{
    if (framing->begin > 0) {
        memmove(framing->bytes, framing->bytes + framing->begin,
                framing->used - framing->begin);
        framing->used -= framing->begin;
        framing->at -= framing->begin;
        framing->begin = 0;
    }
    if (framing->room < framing->used + size) {
        size_t room = 2 * (framing->used + size);
        uint8_t *moved = realloc(framing->bytes, room);

        if (moved == NULL)
            return false;
        framing->bytes = moved;
        framing->room = room;
    }
    if (framing->used == 0)
        begin(framing);
    memcpy(framing->bytes + framing->used, bytes, size);
    framing->used += size;
    return true;
}

void words_drop(struct words_framing *framing, size_t size)
{
    framing->begin += size;
    framing->offset += size;
    begin(framing);
}

void words_release(struct words_framing *framing)
{
    free(framing->bytes);
}

/* How many bytes there are up to the next that may begin a block. */
static size_t find_next(const struct words_framing *framing, size_t from)
{
    size_t at = framing->begin + from;

    while (at < framing->used &&
           (framing->bytes[at] < 0x80 ||
            form_of(framing->bytes + at, framing->used - at) == FORM_NONE))
        at++;
    return at - framing->begin;
}

/* Looks at the words of the block that may have begun. */
static enum words_found look_on(struct words_framing *framing)
{
    bool groups = framing->form == FORM_GROUPS;
    enum words_found found = FOUND_NOTHING;

    while (found == FOUND_NOTHING && framing->at < framing->used) {
        size_t at = framing->at;

        if (at - framing->begin > WORDS_BYTES_MAX)
            return FOUND_OTHER;
        if (!groups || framing->in_group < MCUPROF_WIRE3_GROUP_WORDS)
            found = take_word(framing);
        else if (!take_tag(framing, framing->bytes[at]))
            return FOUND_OTHER;
        if (framing->at == at)
            break;
    }
    return found;
}

size_t words_find_next(const struct words_framing *framing)
{
    return find_next(framing, 1);
}

enum words_found words_look(struct words_framing *framing, size_t *size)
{
    size_t have = framing->used - framing->begin;
    enum words_found found = FOUND_NOTHING;

    *size = find_next(framing, 0);
    if (*size > 0)
        return FOUND_OTHER;
    if (have < 5)
        return FOUND_NOTHING;
    framing->form = form_of(framing->bytes + framing->begin, have);
    found = look_on(framing);
    *size = found == FOUND_OTHER ? find_next(framing, 1) : framing->at - framing->begin;
    return found;
}
