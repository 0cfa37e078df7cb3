/* SPDX-License-Identifier: MIT */
/*
 * Decodes mcuprof's own wire of any version. The bytes are looked through for blocks of
 * version 3 and, until one holds, what is none goes to the decoder of versions 1 and 2.
 * The first hello that is proven tells the version.
 */
#include <stdlib.h>
#include <string.h>

#include "wire.h"
#include "words.h"

struct versions {
    struct words words; /* the first member, so that `state` is one */
    struct decoder two; /* of versions 1 and 2 */
    unsigned version;   /* 2: or 1; 0: not known yet */
    bool whole;         /* version 3: nothing but text came since the last block */
    bool foreign;       /* and since it, words that the firmware has not sent */
};

/* ---- Versions 1 and 2 ---- */

static bool give_two(struct decoder *decoder, const uint8_t *bytes, size_t size,
                     struct error *error)
{
    struct versions *versions = decoder->state;
    const struct wire *wire = versions->two.state;

    if (!decode_wire.bytes(&versions->two, bytes, size, error))
        return false;
    versions->two.offset += size;
    decoder->ended = versions->two.ended;
    if (wire->greeted)
        versions->version = 2;
    return true;
}

/* Takes back what the other decoder made of bytes that are not for it. */
static void forget_two(struct decoder *decoder, bool from_power_on)
{
    struct versions *versions = decoder->state;
    struct profile *profile = decoder->profile;
    const struct wire *wire = versions->two.state;

    if (from_power_on)
        decoder_console(decoder, wire->line.held, wire->line.held_bytes);
    profile->damaged = versions->two.offset > 0 && !from_power_on;
    profile->records = 0;
    profile->build_id_bytes = 0;
    versions->version = 3;
}

/* ---- Version 3 ---- */

/* Takes bytes in which no block begins. After a block that holds, they are text up to the
 * first that cannot be. */
static void take_gap(struct decoder *decoder, const uint8_t *bytes, size_t size)
{
    struct versions *versions = decoder->state;
    size_t text = 0;

    while (versions->whole && text < size && bytes[text] < 0x80)
        text++;
    decoder_console(decoder, (const char *)bytes, text);
    if (!versions->foreign && wire_has_words(bytes + text, size - text)) {
        versions->foreign = true;
        decoder->profile->foreign++;
    }
    if (text < size && versions->whole) {
        decoder->profile->damaged++;
        versions->whole = false;
    }
    decoder->ended = decoder->ended && versions->whole;
}

static bool take_other(struct decoder *decoder, const uint8_t *bytes, size_t size,
                       struct error *error)
{
    struct versions *versions = decoder->state;

    if (versions->version != 3)
        return give_two(decoder, bytes, size, error);
    take_gap(decoder, bytes, size);
    return true;
}

static bool take_block(struct decoder *decoder, struct error *error)
{
    struct versions *versions = decoder->state;
    const struct words_framing *framing = &versions->words.framing;

    if (versions->version != 3)
        forget_two(decoder, framing->block.words[2] == 0 && framing->block.words[3] == 0);
    versions->whole = true;
    versions->foreign = false;
    if (!words_take(decoder, error))
        return false;
    decoder_console(decoder, framing->text, framing->text_bytes);
    return true;
}

/* Takes what is whole. */
static bool take_found(struct decoder *decoder, struct error *error)
{
    struct versions *versions = decoder->state;
    struct words_framing *framing = &versions->words.framing;
    enum words_found found = FOUND_OTHER;

    while (found != FOUND_NOTHING && versions->version != 2) {
        size_t size;

        found = words_look(framing, &size);
        if (found == FOUND_BLOCK && !take_block(decoder, error))
            return false;
        if (found == FOUND_OTHER &&
            !take_other(decoder, framing->bytes + framing->begin, size, error))
            return false;
        if (found != FOUND_NOTHING)
            words_drop(framing, size);
    }
    return true;
}

/* Gives away the bytes that wait. */
static bool give_rest(struct decoder *decoder, struct error *error)
{
    struct words_framing *framing = &((struct versions *)decoder->state)->words.framing;
    size_t size = framing->used - framing->begin;
    bool done =
        size == 0 || take_other(decoder, framing->bytes + framing->begin, size, error);

    words_drop(framing, size);
    return done;
}

static bool versions_bytes(struct decoder *decoder, const uint8_t *bytes, size_t size,
                           struct error *error)
{
    struct versions *versions = decoder->state;

    if (versions->version == 2)
        return give_two(decoder, bytes, size, error);
    if (!words_push(&versions->words.framing, bytes, size))
        return error_no_memory(error);
    return take_found(decoder, error) &&
           (versions->version != 2 || give_rest(decoder, error));
}

static bool versions_init(struct decoder *decoder, struct error *error)
{
    struct versions *versions = calloc(1, sizeof *versions);

    decoder->state = versions;
    if (versions == NULL)
        return error_no_memory(error);
    versions->two = (struct decoder){
        .options = decoder->options,
        .profile = decoder->profile,
        .path = decoder->path,
    };
    if (decode_wire.init(&versions->two, error))
        return true;
    free(versions);
    return false;
}

/* Gives away a block that did not end, and looks for others in it. */
static bool give_cut(struct decoder *decoder, struct error *error)
{
    struct versions *versions = decoder->state;
    struct words_framing *framing = &versions->words.framing;

    while (framing->used > framing->begin && versions->version != 2) {
        size_t size = words_find_next(framing);

        if (!take_other(decoder, framing->bytes + framing->begin, size, error))
            return false;
        words_drop(framing, size);
        if (!take_found(decoder, error))
            return false;
    }
    return versions->version != 2 || give_rest(decoder, error);
}

static void finish_three(struct decoder *decoder)
{
    const struct versions *versions = decoder->state;
    struct profile *profile = decoder->profile;

    words_finish_runs(decoder);
    profile->complete = profile->complete && decoder->ended;
    if (versions->words.untold)
        profile->accounted = false;
}

static bool versions_finish(struct decoder *decoder, struct error *error)
{
    struct versions *versions = decoder->state;

    if (!give_cut(decoder, error))
        return false;
    if (versions->version != 3)
        return decode_wire.finish(&versions->two, error);
    finish_three(decoder);
    return true;
}

static void versions_release(struct decoder *decoder)
{
    struct versions *versions = decoder->state;

    decode_wire.release(&versions->two);
    words_release(&versions->words.framing);
    free(versions->words.runs.items);
    free(versions->words.runs.seen);
    free(versions);
    decoder->state = NULL;
}

static int versions_recognise(const uint8_t *bytes, size_t size)
{
    int two = record_recognise(bytes, size), three = words_recognise(bytes, size);

    return two > three ? two : three;
}

const struct decode_format decode_mcuprof = {
    .name = "mcuprof",
    .recognise = versions_recognise,
    .init = versions_init,
    .bytes = versions_bytes,
    .finish = versions_finish,
    .release = versions_release,
};
