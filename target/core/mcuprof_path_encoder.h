/* SPDX-License-Identifier: MIT */
/* The encoder of samples with their call paths. It is a part of mcuprof.c alone.
 */
#ifndef MCUPROF_PATH_ENCODER_H
#define MCUPROF_PATH_ENCODER_H

#include "mcuprof_account.h"

#if MCUPROF_PATHS
#if !defined(MCUPROF_S_PUT) && !defined(MCUPROF_S_TABLE)
static FN void put_groups(struct writer *writer, uint32_t value, unsigned groups)
{
    for (; groups; groups--) {
        put_group(writer, value & 0x7F);
        value >>= 7;
    }
}

/* Appends a return address: its place in the cache if the reader has it there, else all
 * of it. */
static FN void put_back(struct mcuprof_paths *p, struct writer *writer, uint32_t address)
{
    uint32_t key = MCUPROF_PATH_KEY(address);
    uint32_t *frame = &p->frame[key % MCUPROF_PATH_CACHE];
    uint32_t differs = *frame ^ (MCUPROF_PATH_TAG(key) | p->block);
    uint32_t sent = ((address & ~(uint32_t)1) - MCUPROF_BASE) >> MCUPROF_ARCH_UNIT;

    if (differs >> 9 == 0) {
        put_group(writer, key % MCUPROF_WIRE_PLACES);
        return;
    }
    *frame &= ~MCUPROF_PATH_BLOCKS;
    if (differs >> 16 == 0) {
        *frame |= p->block;
    }
    if (sent >> MCUPROF_WIRE_PATH_SHORT_BITS == 0) {
        put_group(writer, MCUPROF_WIRE_PATH_SHORT | (sent & 31));
        put_group(writer, sent >> 5);
    } else if (sent >> MCUPROF_WIRE_PATH_MIDDLE_BITS == 0) {
        put_group(writer, MCUPROF_WIRE_PATH_MIDDLE | (sent & 15));
        put_groups(writer, sent >> 4, 2);
    } else {
        put_group(writer, MCUPROF_WIRE_PATH_LONG | (sent & 15));
        put_groups(writer, sent >> 4, 4);
    }
}

/* Appends how the path differs from the last one that was said. */
static FN void put_shape(struct mcuprof_paths *p, struct writer *writer, unsigned known,
                         unsigned frames)
{
    unsigned gone = p->said - known;

    if (known == 0) {
        put_group(writer, MCUPROF_WIRE_PATH_ANEW(p->root) | frames);
    } else if (gone < MCUPROF_WIRE_PATH_DROP_MORE) {
        put_group(writer, MCUPROF_WIRE_PATH_DROP(gone) | frames);
    } else {
        put_group(writer, MCUPROF_WIRE_PATH_DROP(MCUPROF_WIRE_PATH_DROP_MORE) | frames);
        put_group(writer, gone);
    }
}

FN void mcuprof_put_path(struct mcuprof_paths *p, unsigned frames, uint32_t pc)
{
    bool last = frames <= MCUPROF_PATH_FRAMES;
    unsigned known = p->known / sizeof p->slot[0];
    uint32_t sent = (pc - MCUPROF_BASE) >> MCUPROF_ARCH_UNIT, groups = 0;
    uint32_t rest = last ? sent >> 14 : 0;
    bool high = rest - 1 < 3; /* the start byte holds the rest */
    bool differs = known == 0 || p->said != known || frames != 0 || high;
    struct writer writer;

    frames = last ? frames : MCUPROF_PATH_FRAMES;
    for (; rest && !high; rest >>= 7) {
        groups++;
    }
    writer = put_start(
        !last || high ? MCUPROF_WIRE_START(MCUPROF_WIRE_END, MCUPROF_WIRE_END_PATH) + rest
        : differs
            ? MCUPROF_WIRE_START(MCUPROF_WIRE_END, MCUPROF_WIRE_END_PATH_SAMPLE) + groups
            : MCUPROF_WIRE_START(MCUPROF_WIRE_SAMPLE, 0) + groups * 4);
    if (differs) {
        put_shape(p, &writer, known, frames);
    }
    p->said = (uint16_t)(known + frames);
    for (; frames; frames--) {
        if (p->known != p->used) {
            put_back(p, &writer, p->slot[known++].address);
            p->known += sizeof p->slot[0];
        } else {
            put_back(p, &writer, p->link);
        }
    }
    if (last) {
        put_groups(&writer, sent, 2 + groups);
    }
    put_check(&writer);
}
#endif

/* Begins a block, in which the reader knows no address yet, and no sample is a repeat:
 * the first one may not fit into it. A block's number comes again after 127 blocks; by
 * then each entry of the cache has lost the number that it had, for at each block one
 * entry loses its number. */
static FN void begin_block(struct mcuprof_paths *p)
{
    p->known = p->said = p->said_used = 0;
    p->said_link = 1;
    p->block += MCUPROF_PATH_BLOCK;
    if (p->block >> 16) {
        p->block = MCUPROF_PATH_BLOCK;
    }
    p->frame[p->block / MCUPROF_PATH_BLOCK % MCUPROF_PATH_CACHE] &= ~MCUPROF_PATH_BLOCKS;
}

/* Whether a record of a path fits. */
static inline FN bool sample_fits(void)
{
    _Static_assert(
        9 + MCUPROF_WIRE_WORD_GROUPS * MCUPROF_PATH_FEW <= MCUPROF_RECORD_BYTES_MAX, "");
    return room_here(MCUPROF_PATH_ROOM);
}

#ifdef MCUPROF_S_SAY /* seldom is anything to be done */
#define PUT_DUE_BEFORE mcuprof_put_due
#else
#define PUT_DUE_BEFORE put_due_here
#endif

/* Appends the records that go before a sample's; false: no room now, for these or for the
 * sample's. */
static inline FN bool prepare(struct mcuprof_paths *p)
{
    if (!PUT_DUE_BEFORE(MCUPROF_IRQ_OPEN) && MCUPROF_STILL_DUE()) {
        return false;
    }
    if (p->said_used == MCUPROF_PATH_NONE) {
        begin_block(p);
    }
    if (p->repeats && !put_repeats()) {
        return false;
    }
#if MCUPROF_BY_TASK || !defined(MCUPROF_S_SAY) /* else the port looks for room itself */
    if (!sample_fits()) {
        return false;
    }
#endif
#if MCUPROF_BY_TASK
    if (p->context != mcuprof_state.sent_task) {
        put_whose(p->context);
    }
#endif
    return true;
}

#ifdef MCUPROF_S_SAY
__attribute__((used)) FN bool mcuprof_prepare_to_say(struct mcuprof_paths *p)
{
    bool fits = prepare(p);

    if (MCUPROF_LETS_IN) { /* appending has left interrupts masked */
        mcuprof_irq_restore(MCUPROF_IRQ_OPEN);
    }
    return fits;
}
#else
/* Appends the records of a sample; false: no room now. */
static inline FN bool put_sample(struct mcuprof_paths *p, uint32_t pc)
{
    unsigned frames;

    p->said_link = 1; /* no sample repeats a part of a path */
    do {
        if (!prepare(p)) {
            return false;
        }
        frames = (p->used - p->known) / sizeof p->slot[0] + (p->link != 0);
        mcuprof_put_path(p, frames, pc);
    } while (frames > MCUPROF_PATH_FRAMES);
    p->said_link = p->link;
    p->pc = pc;
    p->said_used = p->used;
#if MCUPROF_BY_TASK
    p->task = p->context;
#endif
    return true;
}

FN void mcuprof_say_sample(struct mcuprof_paths *p, uint32_t pc)
{
    if (put_sample(p, pc)) {
        mcuprof_state.total[MCUPROF_OF_SAMPLES].sent++;
    } else {
        mcuprof_state.total[MCUPROF_OF_SAMPLES].lost++;
    }
}
#endif
#endif

#endif
