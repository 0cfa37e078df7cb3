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
 *
 * Else the damage may be text that something else than the firmware's profiler wrote to
 * the line, amid records: printable bytes are taken out of each damaged place, in all
 * ways that leave records whose own checks are right. If exactly one of at most TRIES
 * combinations has the right hash, it is what was sent: wrong 1 time in 10^6 at most.
 */
#include <ctype.h>
#include <stdlib.h>
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

static bool is_text(uint8_t byte)
{
    return (byte >= 0x20 && byte < 0x7F) || byte == '\n' || byte == '\r' || byte == '\t';
}

bool wire_has_words(const uint8_t *bytes, size_t size)
{
    enum { RUN = 10, LETTERS = 8 };
    size_t run = 0, letters = 0;

    for (size_t i = 0; i < size && run < RUN; i++) {
        run++;
        letters += isalnum(bytes[i]) != 0 || bytes[i] == ' ';
        if (!is_text(bytes[i]))
            run = letters = 0;
        if (run == RUN && letters < LETTERS) { /* begin one byte later */
            i -= RUN - 1;
            run = letters = 0;
        }
    }
    return run == RUN;
}

/* Replaces the gap by these records. */
static bool mend(struct decoder *decoder, const uint8_t *records, size_t bytes,
                 size_t gap, struct error *error)
{
    struct wire *wire = decoder->state;
    const struct piece *piece = &wire->block.pieces[gap];
    size_t length, at = gap;

    decoder->profile->foreign +=
        wire_has_words(wire->block.bytes + piece->at, piece->bytes);
    decoder->profile->damaged -= piece->damaged;
    decoder->profile->repaired++;
    for (size_t i = 0; i < bytes; i += length) {
        length = record_bytes(records + i, bytes - i);
        if (!wire_put_piece(&wire->block, at++, i == 0, records + i, length, error))
            return false;
    }
    return true;
}

/* ---- Text amid records ---- */

enum { PLACES = 4, CHOICES = 32, TRIES = 4096, RUN_MIN = 2 /* bytes of text */ };

/* A damaged gap, and what it may have been: itself without a run of text. */
struct damaged_gap {
    size_t gap;
    struct choice {
        uint8_t bytes[GAP_MAX];
        size_t size;
    } choices[CHOICES];
    size_t count;
    /* The records between this place and the next, or the block's end: */
    uint32_t hash;  /* theirs alone */
    uint32_t power; /* the factor by which they multiply the hash before them */
};

struct text_search {
    const struct wire *wire;
    uint32_t stated;
    struct damaged_gap places[PLACES];
    size_t count;
    struct candidate tried[PLACES];
    struct candidate found[PLACES];
    unsigned solutions;
};

/* Whether the bytes are whole records, and perhaps text. */
static bool are_records(const struct wire *wire, const uint8_t *bytes, size_t size)
{
    bool any = false;

    for (size_t at = 0, length = 1; at < size; at += length) {
        length = 1;
        if (bytes[at] < 0x80)
            continue;
        if (!is_record(wire, bytes + at, size - at, &length))
            return false;
        any = true;
    }
    return any;
}

/* Adds the gap without the bytes from `at` to `end`; false: there are too many choices.
 */
static bool add_choice(const struct wire *wire, struct damaged_gap *place,
                       const uint8_t *bytes, size_t size, size_t at, size_t end)
{
    struct choice choice = {.size = size - (end - at)};

    memcpy(choice.bytes, bytes, at);
    memcpy(choice.bytes + at, bytes + end, size - end);
    if (!are_records(wire, choice.bytes, choice.size))
        return true;
    for (size_t i = 0; i < place->count; i++)
        if (place->choices[i].size == choice.size &&
            memcmp(place->choices[i].bytes, choice.bytes, choice.size) == 0)
            return true;
    if (place->count == CHOICES)
        return false;
    place->choices[place->count++] = choice;
    return true;
}

static bool find_choices(const struct wire *wire, struct damaged_gap *place)
{
    const struct piece *piece = &wire->block.pieces[place->gap];
    const uint8_t *bytes = wire->block.bytes + piece->at;

    for (size_t at = 1; at < piece->bytes; at++)
        for (size_t end = at; end < piece->bytes && is_text(bytes[end]); end++)
            if (end + 1 - at >= RUN_MIN &&
                !add_choice(wire, place, bytes, piece->bytes, at, end + 1))
                return false;
    return place->count > 0;
}

/* Finds the damaged places and their choices; false: they cannot be told. */
static bool find_places(struct text_search *search, size_t from, size_t to)
{
    const struct block *block = &search->wire->block;
    size_t tries = 1;

    for (size_t i = from; i < to; i++) {
        const struct piece *piece = &block->pieces[i];
        struct damaged_gap *place = &search->places[search->count];

        if (piece->record || piece->damaged == 0)
            continue;
        if (search->count == PLACES || piece->bytes == GAP_MAX)
            return false;
        *place = (struct damaged_gap){.gap = i};
        search->count++;
        if (!find_choices(search->wire, place))
            return false;
        tries *= place->count;
        if (tries > TRIES)
            return false;
    }
    for (size_t i = 0; i < search->count; i++) {
        size_t next = i + 1 < search->count ? search->places[i + 1].gap : to;

        search->places[i].hash = wire_hash(block, search->places[i].gap, next, 0);
        search->places[i].power =
            power_of(record_bytes_of(block, search->places[i].gap, next));
    }
    return search->count > 0;
}

/* Makes the choice at each place in turn, from `number` on, and notes each combination
 * with the right hash. `hash`: of the block up to the place. Recursion: PLACES deep. */
static void combine(struct text_search *search, size_t number, uint32_t hash)
{
    const struct damaged_gap *place = &search->places[number];

    if (number == search->count) {
        if (hash != search->stated)
            return;
        memcpy(search->found, search->tried, sizeof search->found);
        search->solutions++;
        return;
    }
    for (size_t i = 0; i < place->count; i++) {
        struct search at = {.wire = search->wire, .before = hash};
        struct candidate *tried = &search->tried[number];

        if (parse(&at, place->choices[i].bytes, place->choices[i].size, tried))
            combine(search, number + 1, tried->hash * place->power + place->hash);
    }
}

/* Looks for the only way to take text out of the damaged places of these pieces that
 * makes the block right, and does so. */
static bool take_text_out(struct decoder *decoder, size_t from, size_t to,
                          uint32_t stated, bool *found, struct error *error)
{
    const struct wire *wire = decoder->state;
    struct text_search *search = calloc(1, sizeof *search);
    bool done = true;

    if (search == NULL)
        return error_no_memory(error);
    search->wire = wire;
    search->stated = stated;
    if (find_places(search, from, to))
        combine(search, 0, wire_hash(&wire->block, from, search->places[0].gap, 0));
    *found = search->solutions == 1;
    for (size_t i = search->count; done && *found && i-- > 0;)
        done = mend(decoder, search->found[i].records, search->found[i].used,
                    search->places[i].gap, error);
    free(search);
    return done;
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

/* As wire_repair(), by one byte of one place. */
static bool repair_byte(struct decoder *decoder, size_t from, size_t to,
                        const uint32_t *stated, bool *found, struct error *error)
{
    const struct wire *wire = decoder->state;
    size_t only, place = NO_PIECE;
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
    return !*found || mend(decoder, result.found, result.found_bytes, place, error);
}

bool wire_repair(struct decoder *decoder, size_t from, const uint32_t *stated,
                 bool *found, struct error *error)
{
    const struct wire *wire = decoder->state;
    size_t to = wire->block.count - (stated != NULL ? 1 : 0);

    if (!repair_byte(decoder, from, to, stated, found, error))
        return false;
    return *found || stated == NULL ||
           take_text_out(decoder, from, to, *stated, found, error);
}
