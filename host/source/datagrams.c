/* SPDX-License-Identifier: MIT */
#include "datagrams.h"

#include <string.h>

/* A number that is this far behind the one that is due is not that of a late datagram:
 * the firmware has restarted, and its datagrams have no run number or the old one. */
enum { LATE_MAX = 1024 };

/* The record MCUPROF_WIRE_END_RESET. */
static const uint8_t reset_record[] = {0xF3, 0x72, 0x6A, 0x0D, 0x6B, 0x06, 0x58};

static struct datagram *slot_of(struct datagrams *datagrams, uint32_t number)
{
    return &datagrams->slot[number % DATAGRAM_WINDOW];
}

static uint32_t word(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 |
           bytes[3];
}

static struct datagram_header header_of(const uint8_t *bytes, size_t size)
{
    struct datagram_header header = {0};

    if (size >= 12 && memcmp(bytes, "mcur", 4) == 0)
        header = (struct datagram_header){false, 12, word(bytes + 4), word(bytes + 8)};
    else if (size >= 8 && memcmp(bytes, "mcup", 4) == 0)
        header = (struct datagram_header){true, 8, 0, word(bytes + 4)};
    if (size - header.size > DATAGRAM_BYTES_MAX)
        header.size = 0;
    return header;
}

size_t datagram_header_bytes(const uint8_t *bytes, size_t size)
{
    return header_of(bytes, size).size;
}

/* Gives up `missing` datagrams, while none is held. */
static void skip(struct datagrams *datagrams, uint32_t missing)
{
    datagrams->reset_due = datagrams->begins;
    datagrams->begins = false;
    datagrams->lost += missing;
    datagrams->next += missing;
    datagrams->seen = 0;
}

/* Goes on to the datagram after the one that is due, which came or is given up. */
static void go_on(struct datagrams *datagrams, bool came)
{
    datagrams->reset_due = datagrams->begins && !came;
    datagrams->begins = false;
    datagrams->seen = datagrams->seen << 1 | came;
    datagrams->lost += !came;
    datagrams->next++;
    datagrams->given = 0;
}

/* Counts a datagram that came after its turn, late or for the second time. */
static void add_late(struct datagrams *datagrams, uint32_t behind)
{
    bool came = behind <= 64 && datagrams->seen >> (behind - 1) & 1;

    if (came)
        datagrams->doubled++;
    else
        datagrams->disordered++;
}

static void put(struct datagram *slot, const uint8_t *bytes, size_t size)
{
    slot->there = true;
    slot->size = (uint16_t)size;
    memcpy(slot->bytes, bytes, size);
}

static void store(struct datagrams *datagrams, uint32_t number, const uint8_t *bytes,
                  size_t size)
{
    struct datagram *slot = slot_of(datagrams, number);

    if (slot->there) {
        datagrams->doubled++;
        return;
    }
    put(slot, bytes, size);
    datagrams->held++;
    datagrams->came++;
    if ((int32_t)(number - datagrams->ahead) < 0)
        datagrams->disordered++;
    else
        datagrams->ahead = number + 1;
}

/* Begins with the datagram of this number. */
static void begin(struct datagrams *datagrams, uint32_t number)
{
    datagrams->begun = true;
    datagrams->next = datagrams->ahead = number;
    datagrams->seen = 0;
}

static bool same_run(const struct datagrams *datagrams,
                     const struct datagram_header *header)
{
    return header->old == datagrams->old && header->run == datagrams->run;
}

static bool same_as_other(const struct datagrams *datagrams,
                          const struct datagram_header *header)
{
    return datagrams->other.there && header->old == datagrams->other_header.old &&
           header->run == datagrams->other_header.run;
}

static bool is_former(const struct datagrams *datagrams, uint32_t run)
{
    for (size_t i = 0; i < datagrams->formers && i < DATAGRAM_RUNS; i++) {
        if (datagrams->former[i] == run)
            return true;
    }
    return false;
}

/* Begins another run at its first datagram, though it may not have come first. */
static void begin_run(struct datagrams *datagrams, const struct datagram_header *header)
{
    if (!datagrams->old)
        datagrams->former[datagrams->formers++ % DATAGRAM_RUNS] = datagrams->run;
    datagrams->resets++;
    datagrams->old = header->old;
    datagrams->run = header->run;
    begin(datagrams, 0);
    datagrams->begins = true;
}

/* Whether the firmware seems to have restarted without a new run number. */
static bool restarts(const struct datagrams *datagrams, uint32_t number)
{
    uint32_t behind = datagrams->next - number;

    return behind <= INT32_MAX && (behind >= LATE_MAX || (datagrams->old && number == 0 &&
                                                          behind > DATAGRAM_WINDOW));
}

static void drop_other(struct datagrams *datagrams)
{
    datagrams->strange += datagrams->other.there;
    datagrams->other.there = false;
}

/* Adds a datagram of this run. */
static bool add(struct datagrams *datagrams, uint32_t number, const uint8_t *bytes,
                size_t size)
{
    uint32_t ahead = number - datagrams->next;

    if (ahead > INT32_MAX && !restarts(datagrams, number)) {
        add_late(datagrams, -ahead);
        return true;
    }
    if (ahead >= DATAGRAM_WINDOW && datagrams->held > 0)
        return false;
    drop_other(datagrams);
    datagrams->formers_in_row = 0;
    if (ahead > INT32_MAX) {
        datagrams->resets++;
        begin(datagrams, number);
        datagrams->reset_due = number > 0;
    } else if (ahead >= DATAGRAM_WINDOW) {
        skip(datagrams, ahead);
    }
    store(datagrams, number, bytes, size);
    return true;
}

/* Goes on with the other run. Nothing of this one is held. */
static void take_other(struct datagrams *datagrams)
{
    datagrams->other.there = false;
    begin_run(datagrams, &datagrams->other_header);
    add(datagrams, datagrams->other_header.number, datagrams->other.bytes,
        datagrams->other.size);
}

/* Adds a datagram of another run. */
static bool add_other(struct datagrams *datagrams, const struct datagram_header *header,
                      const uint8_t *bytes, size_t size)
{
    if (!header->old && is_former(datagrams, header->run) &&
        datagrams->formers_in_row < DATAGRAM_WINDOW) {
        datagrams->formers_in_row++;
        datagrams->disordered++;
        return true;
    }
    if (datagrams->held > 0)
        return false;
    if (same_as_other(datagrams, header) &&
        header->number == datagrams->other_header.number) {
        datagrams->doubled++;
        return true;
    }
    if (same_as_other(datagrams, header)) {
        take_other(datagrams);
        return add(datagrams, header->number, bytes, size);
    }
    drop_other(datagrams);
    datagrams->other_header = *header;
    put(&datagrams->other, bytes, size);
    return true;
}

bool datagrams_add(struct datagrams *datagrams, const uint8_t *bytes, size_t size)
{
    struct datagram_header header = header_of(bytes, size);

    if (header.size == 0) {
        datagrams->strange++;
        return true;
    }
    bytes += header.size;
    size -= header.size;
    if (!datagrams->begun) {
        datagrams->old = header.old;
        datagrams->run = header.run;
        begin(datagrams, header.number);
    } else if (!same_run(datagrams, &header)) {
        return add_other(datagrams, &header, bytes, size);
    }
    return add(datagrams, header.number, bytes, size);
}

bool datagrams_wait(const struct datagrams *datagrams)
{
    return datagrams->held > 0 || datagrams->other.there;
}

/* Takes bytes of the record that says that a run's begin was lost. */
static size_t take_record(struct datagrams *datagrams, uint8_t *bytes, size_t size)
{
    size_t left = sizeof reset_record - datagrams->reset_given;
    size_t taken = left < size ? left : size;

    memcpy(bytes, reset_record + datagrams->reset_given, taken);
    datagrams->reset_given += taken;
    if (taken == left) {
        datagrams->reset_due = false;
        datagrams->reset_given = 0;
    }
    return taken;
}

/* Takes bytes of the datagram that is due. */
static size_t take_due(struct datagrams *datagrams, struct datagram *due, uint8_t *bytes,
                       size_t size)
{
    size_t left = due->size - datagrams->given;

    if (left > size) {
        memcpy(bytes, due->bytes + datagrams->given, size);
        datagrams->given += size;
        return size;
    }
    memcpy(bytes, due->bytes + datagrams->given, left);
    due->there = false;
    datagrams->held--;
    go_on(datagrams, true);
    return left;
}

size_t datagrams_take(struct datagrams *datagrams, uint8_t *bytes, size_t size,
                      bool hurry)
{
    size_t taken = 0;

    if (hurry && datagrams->held == 0 && datagrams->other.there)
        take_other(datagrams);
    while (taken < size && datagrams->held > 0) {
        struct datagram *due = slot_of(datagrams, datagrams->next);

        if (datagrams->reset_due)
            taken += take_record(datagrams, bytes + taken, size - taken);
        else if (due->there)
            taken += take_due(datagrams, due, bytes + taken, size - taken);
        else if (hurry)
            go_on(datagrams, false);
        else
            break;
    }
    return taken;
}
