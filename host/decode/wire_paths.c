/* SPDX-License-Identifier: MIT */
/*
 * Call paths: each record says how its path differs from the last one of its block. It
 * may name an address by the place in which the block has stored it.
 */
#include "wire.h"

/* Finds an address that the block described; false: its place is empty. */
static bool find_address(struct wire *wire, const struct record_frame *said,
                         uint32_t *address)
{
    struct path *path = &wire->path;
    uint32_t place;

    if (said->place) {
        *address = path->places[said->value];
        return path->filled[said->value];
    }
    *address = wire_address(wire, said->value);
    place = MCUPROF_WIRE_PLACE(*address, wire->unit);
    path->places[place] = *address;
    path->filled[place] = true;
    return true;
}

/* Changes the path by what the record says; false: the record is damaged. */
static bool change(struct wire *wire, const struct record_path *said)
{
    static const enum stack_end ends[] = {
        [MCUPROF_WIRE_ROOT_WHOLE] = STACK_WHOLE,
        [MCUPROF_WIRE_ROOT_INTERRUPT] = STACK_INTERRUPT,
        [MCUPROF_WIRE_ROOT_CUT] = STACK_CUT,
        [MCUPROF_WIRE_ROOT_UNSURE] = STACK_UNSURE,
    };
    struct path *path = &wire->path;

    if (said->anew ? said->root > MCUPROF_WIRE_ROOT_UNSURE
                   : !path->known || said->drop > path->depth)
        return false;
    if (said->anew)
        path->end = ends[said->root];
    path->depth = said->anew ? 0 : path->depth - said->drop;
    if (path->depth + said->frames > MCUPROF_WIRE_DEPTH(wire->hello.words[3]) + 1)
        return false;
    for (unsigned i = 0; i < said->frames; i++) {
        if (!find_address(wire, &said->said[i], &path->frames[path->depth++]))
            return false;
    }
    return true;
}

static bool count_samples(struct decoder *decoder, uint32_t pc, uint32_t count,
                          struct error *error)
{
    const struct wire *wire = decoder->state;
    const struct path *path = &wire->path;
    uint64_t stack[FRAMES_MAX + 1] = {wire_address(wire, pc)};

    for (size_t i = 0; i < path->depth; i++)
        stack[path->depth - i] = path->frames[i];
    return profile_stack(decoder->profile, stack, path->depth + 1, path->end, count) ||
           error_no_memory(error);
}

/* Forgets all paths and addresses of the block so far; the record's events are lost. */
static void refuse(struct decoder *decoder, const uint8_t *record)
{
    struct wire *wire = decoder->state;

    wire->path = (struct path){.block = wire->path.block};
    decoder->profile->damaged++;
    decoder->profile->lost[EVENT_SAMPLE] += wire_events_of(record);
}

bool wire_count_path(struct decoder *decoder, const uint8_t *record, uint32_t block,
                     struct error *error)
{
    struct wire *wire = decoder->state;
    struct path *path = &wire->path;
    struct record_path said = {.sample = true};
    const uint8_t *at = record + 1;

    if (path->block != block)
        *path = (struct path){.block = block};
    if (record_kind(record[0]) == RECORD_PATH) {
        said = record_take_path(record);
        path->known = change(wire, &said);
    } else {
        said.pc = record_take(&at, MCUPROF_WIRE_ADDRESS_GROUPS(record[0] & 15u));
    }
    if (!path->known) {
        refuse(decoder, record);
        return true;
    }
    return !said.sample || count_samples(decoder, said.pc, wire_events_of(record), error);
}
