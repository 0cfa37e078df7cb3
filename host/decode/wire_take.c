/* SPDX-License-Identifier: MIT */
/* Takes a record of a block that holds: it goes to the file that is for its kind. */
#include "wire.h"

static bool take_other(struct decoder *decoder, const uint8_t *record, size_t bytes,
                       struct error *error)
{
    switch (record_kind(record[0])) {
    case MCUPROF_WIRE_HELLO:
        return wire_take_hello(decoder, record, true, error);
    case MCUPROF_WIRE_TASK:
        return wire_take_task(decoder, record, error);
    case MCUPROF_WIRE_TOTALS:
        wire_take_totals(decoder, record);
        return true;
    case RECORD_STATE:
        return wire_take_state(decoder, record, error);
    case RECORD_STEPS:
        return wire_take_steps(decoder, record, error);
    default:
        wire_take_end(decoder, record, bytes);
        return true;
    }
}

static bool is_event(unsigned kind)
{
    return kind == RECORD_PATH ||
           (kind >= MCUPROF_WIRE_SAMPLE && kind <= MCUPROF_WIRE_CALL);
}

bool wire_take(struct decoder *decoder, const uint8_t *record, size_t bytes,
               struct error *error)
{
    struct wire *wire = decoder->state;
    unsigned kind = record_kind(record[0]);

    if (wire->excluded[record[0] & 0x7F] || (wire->version == 1 && kind > RECORD_PATH)) {
        decoder->profile->damaged++;
        wire->account.damage++;
        return true;
    }
    decoder->profile->records++;
    if (is_event(kind)) {
        if (!wire_take_event(decoder, record, bytes, error))
            return false;
    } else {
        if (!take_other(decoder, record, bytes, error))
            return false;
        wire->blocks += MCUPROF_WIRE_CLOSES(record[0]) || wire_is_first(record);
    }
    if (kind != MCUPROF_WIRE_END && !(wire->run.running && wire->run.begun))
        wire_note_run(decoder);
    if (wire->version == 1)
        wire->account.since.sum += record_accumulate(record, bytes);
    return true;
}
