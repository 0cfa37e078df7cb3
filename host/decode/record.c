/* SPDX-License-Identifier: MIT */
#include "record.h"

#include "../arch/arch.h"

const char *record_arch_name(uint32_t arch)
{
    const struct arch_port *port = arch_port_on_wire(arch);

    return port != NULL ? port->name : "unknown";
}

uint32_t record_arch(const char *name)
{
    const struct arch_port *port = arch_port_named(name);

    return port != NULL ? port->wire : MCUPROF_WIRE_ARCH(UINT32_MAX);
}

static unsigned hello_words(uint8_t start)
{
    switch (start & MCUPROF_WIRE_HELLO_TIME) {
    case MCUPROF_WIRE_HELLO_TIME:
        return MCUPROF_WIRE_TIME_WORDS;
    case MCUPROF_WIRE_HELLO_ID:
        return MCUPROF_WIRE_BUILD_ID_WORDS;
    default:
        return MCUPROF_WIRE_HELLO_WORDS;
    }
}

/* The number of groups of an address in a path, which its first group shows. */
static unsigned frame_groups(uint8_t first)
{
    return first < MCUPROF_WIRE_PATH_SHORT    ? 1
           : first < MCUPROF_WIRE_PATH_MIDDLE ? 2
           : first < MCUPROF_WIRE_PATH_LONG   ? 3
                                              : 5;
}

static bool has_drop_group(uint8_t shape)
{
    return shape >> 3 == MCUPROF_WIRE_PATH_DROP_MORE;
}

/* Bits 14 and 15 of a sample's program counter, if the start byte of its path has them;
 * else 0. */
static uint32_t pc_bits(uint8_t start)
{
    return start & 4u ? start & 3u : 0;
}

static unsigned pc_groups(uint8_t start)
{
    if ((start & 15u) == MCUPROF_WIRE_END_PATH)
        return 0;
    return pc_bits(start) ? 2 : MCUPROF_WIRE_ADDRESS_GROUPS((start & 3u) << 2);
}

/* The length of the record, as far as it shows: each address that has not come yet has at
 * least one group. */
static size_t path_bytes(const uint8_t *record, size_t have)
{
    size_t bytes = 2, behind = pc_groups(record[0]) + 1;

    if (have < 2)
        return bytes + behind;
    bytes += has_drop_group(record[1]);
    for (unsigned left = record[1] & MCUPROF_WIRE_PATH_FRAMES; left > 0; left--) {
        if (bytes >= have)
            return bytes + left + behind;
        bytes += frame_groups(record[bytes]);
    }
    return bytes + behind;
}

size_t record_bytes(const uint8_t *record, size_t have)
{
    uint8_t start = record[0];
    unsigned parameters = start & 15u, words = 0;

    switch (record_kind(start)) {
    case MCUPROF_WIRE_HELLO:
        if ((parameters & MCUPROF_WIRE_HELLO_VERSION) < RECORD_VERSION_MIN ||
            (parameters & MCUPROF_WIRE_HELLO_VERSION) > MCUPROF_WIRE_VERSION)
            return 0;
        words = hello_words(start);
        break;
    case MCUPROF_WIRE_SAMPLE:
    case MCUPROF_WIRE_BLOCK:
        return 2 + MCUPROF_WIRE_ADDRESS_GROUPS(parameters) +
               MCUPROF_WIRE_COUNT_GROUPS(parameters);
    case MCUPROF_WIRE_ARC:
        return 2 + 2 * MCUPROF_WIRE_ADDRESS_GROUPS(parameters) +
               MCUPROF_WIRE_COUNT_GROUPS(parameters);
    case MCUPROF_WIRE_CALL:
        return 2 + 2 * MCUPROF_WIRE_ADDRESS_GROUPS(parameters) +
               MCUPROF_WIRE_CALL_TIMES(parameters) * MCUPROF_WIRE_CALL_GROUPS(parameters);
    case MCUPROF_WIRE_TASK:
        return 2 + MCUPROF_WIRE_TASK_GROUPS + parameters;
    case MCUPROF_WIRE_TOTALS:
        for (words = 1; parameters; parameters &= parameters - 1)
            words += 2;
        break;
    case RECORD_PATH:
        return path_bytes(record, have);
    case RECORD_STEPS:
        return 2 + MCUPROF_WIRE_STEPS * MCUPROF_WIRE_STEP_GROUPS;
    case RECORD_STATE:
        words = MCUPROF_WIRE_STATE_WORDS;
        break;
    default:
        if (parameters > MCUPROF_WIRE_END_RESET)
            return 0;
        words = 1;
    }
    return 2 + MCUPROF_WIRE_WORD_GROUPS * words;
}

/* The check accumulator over all bytes before the check group. */
uint32_t record_accumulate(const uint8_t *record, size_t bytes)
{
    uint32_t check = record[0];

    for (size_t i = 1; i + 1 < bytes; i++)
        check = MCUPROF_WIRE_CHECK_STEP(check, record[i]);
    return check;
}

void record_take_words(const uint8_t *record, uint32_t *words, size_t count)
{
    const uint8_t *at = record + 1;

    while (count--)
        *words++ = record_take_word(&at);
}

/* Whether none of the values, which have `groups` groups each, exceeds 32 bits. */
static bool values_fit(const uint8_t *at, size_t values, unsigned groups)
{
    for (size_t i = 0; i < values && groups == MCUPROF_WIRE_WORD_GROUPS; i++) {
        at += groups;
        if (at[-1] > 15)
            return false;
    }
    return true;
}

static bool event_fits(const uint8_t *record)
{
    unsigned parameters = record[0] & 15u;
    unsigned address_groups = MCUPROF_WIRE_ADDRESS_GROUPS(parameters);
    unsigned addresses = (record[0] >> 4 & 7) == MCUPROF_WIRE_ARC ? 2 : 1;

    return values_fit(record + 1, addresses, address_groups) &&
           values_fit(record + 1 + addresses * address_groups, 1,
                      MCUPROF_WIRE_COUNT_GROUPS(parameters));
}

struct record_call record_take_call(const uint8_t *record)
{
    unsigned parameters = record[0] & 15u;
    unsigned address_groups = MCUPROF_WIRE_ADDRESS_GROUPS(parameters);
    unsigned groups = MCUPROF_WIRE_CALL_GROUPS(parameters);
    bool single = MCUPROF_WIRE_CALL_TIMES(parameters) == 2;
    const uint8_t *at = record + 1;
    struct record_call call;

    call.from = record_take(&at, address_groups);
    call.to = record_take(&at, address_groups);
    call.count = single ? 1 : record_take(&at, groups);
    call.total = record_take(&at, groups);
    call.self = record_take(&at, groups);
    call.shortest = single ? call.total : record_take(&at, groups);
    call.longest = single ? call.total : record_take(&at, groups);
    return call;
}

static struct record_frame take_frame(const uint8_t **at)
{
    unsigned groups = frame_groups(**at), first = *(*at)++;
    unsigned bits = groups == 1 ? 6 : groups == 2 ? 5 : 4; /* in the first group */
    struct record_frame frame = {groups == 1, first & ((1u << bits) - 1)};

    frame.value |= record_take(at, groups - 1) << bits;
    return frame;
}

struct record_path record_take_path(const uint8_t *record)
{
    uint8_t shape = record[1];
    const uint8_t *at = record + 2;
    struct record_path path = {
        .anew = (shape & MCUPROF_WIRE_PATH_ANEW(0)) != 0,
        .root = shape >> 3 & 7u,
        .drop = shape >> 3 & 7u,
        .frames = shape & MCUPROF_WIRE_PATH_FRAMES,
        .sample = pc_groups(record[0]) > 0,
    };

    if (has_drop_group(shape))
        path.drop = record_take(&at, 1);
    for (unsigned i = 0; i < path.frames; i++)
        path.said[i] = take_frame(&at);
    path.pc = pc_bits(record[0]) << 14;
    path.pc |= record_take(&at, pc_groups(record[0]));
    return path;
}

/* Whether the times of a record of calls are possible. */
static bool is_possible(const struct record_call *call)
{
    uint64_t count = call->count;

    return count > 0 && call->self <= call->total && call->shortest <= call->longest &&
           count * call->shortest <= call->total && count * call->longest >= call->total;
}

static bool call_fits(const uint8_t *record)
{
    struct record_call call = record_take_call(record);
    unsigned parameters = record[0] & 15u;
    unsigned address_groups = MCUPROF_WIRE_ADDRESS_GROUPS(parameters);

    return values_fit(record + 1, 2, address_groups) &&
           values_fit(record + 1 + 2 * address_groups,
                      MCUPROF_WIRE_CALL_TIMES(parameters),
                      MCUPROF_WIRE_CALL_GROUPS(parameters)) &&
           is_possible(&call);
}

/* Whether firmware can have the configuration of this hello. */
static bool hello_fits(const uint8_t *record)
{
    uint32_t words[MCUPROF_WIRE_HELLO_WORDS], ring;

    record_take_words(record, words, MCUPROF_WIRE_HELLO_WORDS);
    ring = MCUPROF_WIRE_RING_BYTES(words[3]);
    return (words[0] == 0) == (MCUPROF_WIRE_PERIOD(words[1]) == 0) &&
           ((words[3] & MCUPROF_WIRE_CONFIG_THROUGH) == 0 ||
            MCUPROF_WIRE_DEPTH(words[3]) > 0) &&
           ring >= 64 && ring <= 32768 && MCUPROF_WIRE_ENTRIES(words[3]) <= 32768;
}

static bool reset_fits(const uint8_t *record)
{
    uint32_t word;

    record_take_words(record, &word, 1);
    return word == MCUPROF_WIRE_RESET_WORD;
}

bool record_valid(const uint8_t *record, size_t bytes)
{
    if (record_accumulate(record, bytes) % MCUPROF_WIRE_CHECK_MODULUS !=
        record[bytes - 1])
        return false;
    return record_fits(record, bytes);
}

bool record_fits(const uint8_t *record, size_t bytes)
{
    switch (record_kind(record[0])) {
    case RECORD_PATH:
        return values_fit(record + bytes - 1 - pc_groups(record[0]), 1,
                          pc_groups(record[0]));
    case MCUPROF_WIRE_SAMPLE:
    case MCUPROF_WIRE_ARC:
    case MCUPROF_WIRE_BLOCK:
        return event_fits(record);
    case MCUPROF_WIRE_CALL:
        return call_fits(record);
    case MCUPROF_WIRE_TASK:
    case RECORD_STEPS:
        return true;
    default:
        return values_fit(record + 1, (bytes - 2) / MCUPROF_WIRE_WORD_GROUPS,
                          MCUPROF_WIRE_WORD_GROUPS) &&
               (!record_is_reset(record) || reset_fits(record)) &&
               (!record_is_hello(record) || record[0] & MCUPROF_WIRE_HELLO_ID ||
                hello_fits(record));
    }
}

/* More valid records than damaged ones are a sign; with a hello among them they are
 * proof. The bytes of other formats hold some valid records by chance. */
int record_recognise(const uint8_t *bytes, size_t size)
{
    size_t valid = 0, damaged = 0;
    bool hello = false;

    for (size_t i = 0; i < size; i++) {
        size_t want = 0, have = 1;

        if (bytes[i] < 0x80)
            continue;
        while ((want = record_bytes(bytes + i, have)) > have && i + have < size &&
               bytes[i + have] < 0x80)
            have++;
        if (want && i + have == size && have < want)
            break; /* the record continues behind these bytes */
        if (want == 0 || have < want || !record_valid(bytes + i, want)) {
            damaged++;
            continue;
        }
        hello = hello || record_is_hello(bytes + i);
        valid++;
    }
    if (valid <= damaged)
        return hello;
    return hello ? 2 : valid >= 3;
}
