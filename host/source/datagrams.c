/* SPDX-License-Identifier: MIT */
#include "datagrams.h"

#include <string.h>

/* So far behind what is due, a number is none of a late datagram: the firmware has
 * started anew. */
enum { LATE_MAX = 1024 };

static struct datagram *slot_of(struct datagrams *datagrams, uint32_t number)
{
    return &datagrams->slot[number % DATAGRAM_WINDOW];
}

static bool is_one(const uint8_t *bytes, size_t size)
{
    return size >= DATAGRAM_HEADER_BYTES && memcmp(bytes, "mcup", 4) == 0 &&
           size - DATAGRAM_HEADER_BYTES <= DATAGRAM_BYTES_MAX;
}

static uint32_t number_of(const uint8_t *bytes)
{
    return (uint32_t)bytes[4] << 24 | (uint32_t)bytes[5] << 16 | (uint32_t)bytes[6] << 8 |
           bytes[7];
}

/* Gives up as many as are missing, for none is held. */
static void skip(struct datagrams *datagrams, uint32_t missing)
{
    datagrams->lost += missing;
    datagrams->next += missing;
    datagrams->seen = 0;
}

/* Whether this is the first since power-on, and not one that came twice. */
static bool restarts(const struct datagrams *datagrams, uint32_t number)
{
    return number == 0 && datagrams->next > DATAGRAM_WINDOW;
}

/* Goes on to the datagram after the one that is due, which came or is given up. */
static void go_on(struct datagrams *datagrams, bool came)
{
    datagrams->seen = datagrams->seen << 1 | came;
    datagrams->lost += !came;
    datagrams->next++;
    datagrams->given = 0;
}

/* Takes in what came when its turn was over. */
static void add_late(struct datagrams *datagrams, uint32_t behind)
{
    bool came = behind <= 64 && datagrams->seen >> (behind - 1) & 1;

    if (came)
        datagrams->doubled++;
    else
        datagrams->disordered++;
}

static void store(struct datagrams *datagrams, uint32_t number, const uint8_t *bytes,
                  size_t size)
{
    struct datagram *slot = slot_of(datagrams, number);

    if (slot->there) {
        datagrams->doubled++;
        return;
    }
    slot->there = true;
    slot->size = (uint16_t)size;
    memcpy(slot->bytes, bytes, size);
    datagrams->held++;
    datagrams->came++;
    if ((int32_t)(number - datagrams->ahead) < 0)
        datagrams->disordered++;
    else
        datagrams->ahead = number + 1;
}

/* Begins with this number. */
static void begin(struct datagrams *datagrams, uint32_t number)
{
    datagrams->begun = true;
    datagrams->next = datagrams->ahead = number;
    datagrams->seen = 0;
}

bool datagrams_add(struct datagrams *datagrams, const uint8_t *bytes, size_t size)
{
    uint32_t number, ahead;

    if (!is_one(bytes, size)) {
        datagrams->strange++;
        return true;
    }
    number = number_of(bytes);
    if (!datagrams->begun)
        begin(datagrams, number);
    ahead = number - datagrams->next;
    if (ahead > UINT32_MAX - LATE_MAX && !restarts(datagrams, number)) {
        add_late(datagrams, -ahead);
        return true;
    }
    if (ahead >= DATAGRAM_WINDOW && datagrams->held > 0)
        return false;
    if (ahead > INT32_MAX)
        begin(datagrams, number);
    else if (ahead >= DATAGRAM_WINDOW)
        skip(datagrams, ahead);
    store(datagrams, number, bytes + DATAGRAM_HEADER_BYTES, size - DATAGRAM_HEADER_BYTES);
    return true;
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

    while (taken < size && datagrams->held > 0) {
        struct datagram *due = slot_of(datagrams, datagrams->next);

        if (due->there)
            taken += take_due(datagrams, due, bytes + taken, size - taken);
        else if (hurry)
            go_on(datagrams, false);
        else
            break;
    }
    return taken;
}
