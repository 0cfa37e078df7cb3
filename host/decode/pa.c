/* SPDX-License-Identifier: MIT */
/*
 * The packets of M. D'Argenio, "A Low Footprint gprof-based Profiler for
 * Microcontrollers" (NC State, 2020): 'P' and an address are a PC sample; 'A' and two
 * addresses are a call arc, from the return address of the call to the return address of
 * the mcount call in the callee. Addresses are big-endian. Packets have no start mark,
 * length or check: a byte that cannot begin a packet is skipped and counted. The packets
 * come as bytes or as hex text.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "decode.h"
#include "hex.h"

enum { ADDR_BYTES_MIN = 2, ADDR_BYTES = 3, ADDR_BYTES_MAX = 4, NO_NIBBLE = -1 };
enum { PACKET_MAX = 1 + 2 * ADDR_BYTES_MAX };

struct pa {
    unsigned addr_bytes;
    uint8_t packet[PACKET_MAX];
    unsigned have; /* bytes of the packet so far */
    unsigned want; /* its length, if `have` is not 0 */
    int nibble;    /* hex text: the first digit of a byte; NO_NIBBLE between bytes */
};

/* The length of a packet that begins with this byte; 0: no packet begins so. */
static unsigned packet_bytes(uint8_t first, unsigned addr_bytes)
{
    if (first == 'P')
        return 1 + addr_bytes;
    return first == 'A' ? 1 + 2 * addr_bytes : 0;
}

static uint64_t address_at(const uint8_t *bytes, unsigned addr_bytes)
{
    uint64_t address = 0;

    for (unsigned i = 0; i < addr_bytes; i++)
        address = address << 8 | bytes[i];
    return address;
}

static bool take_packet(struct profile *profile, const struct pa *pa)
{
    uint64_t first = address_at(pa->packet + 1, pa->addr_bytes);

    profile->records++;
    if (pa->packet[0] == 'P')
        return profile_count(profile, EVENT_SAMPLE, 0, first, 1);
    return profile_count(
        profile, EVENT_ARC, first & ~1ull,
        address_at(pa->packet + 1 + pa->addr_bytes, pa->addr_bytes) & ~1ull, 1);
}

static bool take_byte(struct profile *profile, struct pa *pa, uint8_t byte)
{
    if (pa->have == 0) {
        pa->want = packet_bytes(byte, pa->addr_bytes);
        if (pa->want == 0) {
            profile->damaged++;
            return true;
        }
    }
    pa->packet[pa->have++] = byte;
    if (pa->have < pa->want)
        return true;
    pa->have = 0;
    return take_packet(profile, pa);
}

/* Where no packet begins, digits are skipped one at a time: after the line lost one
 * digit, packets begin in the middle of what would be a byte. */
static bool take_digit(struct profile *profile, struct pa *pa, uint8_t c)
{
    int value = hex_digit(c), high = pa->nibble;

    if (value < 0) {
        /* white space after half a byte is damage, and so is a character that is no digit
         */
        if (!isspace(c) || high != NO_NIBBLE)
            profile->damaged++;
        pa->nibble = NO_NIBBLE;
        return true;
    }
    if (high == NO_NIBBLE) {
        pa->nibble = value;
        return true;
    }
    if (pa->have == 0 &&
        packet_bytes((uint8_t)(high << 4 | value), pa->addr_bytes) == 0) {
        profile->damaged++;
        pa->nibble = value;
        return true;
    }
    pa->nibble = NO_NIBBLE;
    return take_byte(profile, pa, (uint8_t)(high << 4 | value));
}

static bool out_of_memory(struct error *error)
{
    return error_no_memory(error);
}

static bool pa_init(struct decoder *decoder, struct error *error)
{
    struct pa *pa = calloc(1, sizeof *pa);

    if (pa == NULL)
        return out_of_memory(error);
    pa->addr_bytes =
        decoder->options.addr_bytes != 0 ? decoder->options.addr_bytes : ADDR_BYTES;
    pa->nibble = NO_NIBBLE;
    decoder->state = pa;
    decoder->profile->hz = decoder->options.hz;
    decoder->profile->accounted = false;
    return true;
}

static bool pa_bytes(struct decoder *decoder, const uint8_t *bytes, size_t size,
                     struct error *error)
{
    for (size_t i = 0; i < size; i++) {
        if (!take_byte(decoder->profile, decoder->state, bytes[i]))
            return out_of_memory(error);
    }
    return true;
}

static bool pa_hex_bytes(struct decoder *decoder, const uint8_t *bytes, size_t size,
                         struct error *error)
{
    for (size_t i = 0; i < size; i++) {
        if (!take_digit(decoder->profile, decoder->state, bytes[i]))
            return out_of_memory(error);
    }
    return true;
}

static bool pa_finish(struct decoder *decoder, struct error *error)
{
    struct profile *profile = decoder->profile;
    const struct pa *pa = decoder->state;

    profile->complete = pa->have == 0 && pa->nibble == NO_NIBBLE;
    if (!profile->complete)
        profile->damaged++;
    /* with more damage than packets, the packets were found by chance */
    if (profile->damaged > profile->records)
        return error_set(
            error, EXIT_BAD_INPUT,
            "%s: offset 0: expected P and A packets of %u address bytes, but "
            "%llu bytes are in none and %llu packets whole (see --addr-bytes)",
            decoder->path, pa->addr_bytes, (unsigned long long)profile->damaged,
            (unsigned long long)profile->records);
    return true;
}

static void pa_release(struct decoder *decoder)
{
    free(decoder->state);
    decoder->state = NULL;
}

/* Compares the number of bytes in packets with the number outside. A packet that the end
 * of the window cuts counts as a packet. */
static int score_packets(const uint8_t *bytes, size_t size, unsigned addr_bytes)
{
    size_t at = 0, in = 0, outside = 0;

    while (at < size) {
        unsigned length = packet_bytes(bytes[at], addr_bytes);

        in += length;
        outside += length == 0;
        at += length != 0 ? length : 1;
    }
    if (in == 0 || at > size + PACKET_MAX || outside * 10 > in)
        return 0;
    return outside == 0 && size >= 2 * (1 + ADDR_BYTES_MIN) ? 2 : 1;
}

static int pa_recognise(const uint8_t *bytes, size_t size)
{
    int sure = 0;

    for (unsigned n = ADDR_BYTES_MIN; n <= ADDR_BYTES_MAX; n++) {
        int score = score_packets(bytes, size, n);

        sure = score > sure ? score : sure;
    }
    return sure;
}

static int pa_hex_recognise(const uint8_t *bytes, size_t size)
{
    uint8_t packets[4096];
    size_t used = 0;
    int high = NO_NIBBLE;

    for (size_t i = 0; i < size && used < sizeof packets; i++) {
        int value = hex_digit(bytes[i]);

        if (value < 0 && (!isspace(bytes[i]) || high != NO_NIBBLE))
            return 0;
        if (value < 0)
            continue;
        if (high != NO_NIBBLE)
            packets[used++] = (uint8_t)(high << 4 | value);
        high = high == NO_NIBBLE ? value : NO_NIBBLE;
    }
    return used == 0 ? 0 : pa_recognise(packets, used);
}

/* The digits of text that are looked at; so many in packets are no accident. */
enum { DIGITS_MAX = 8192, DIGITS_SURE = 256, ADDRESS_DIGITS_MAX = 16 };

/* Compares the number of digits in packets with that outside, and with what is no digit.
 * After a lost digit packets begin in the middle of what would be a byte. */
static bool digits_are_packets(const uint8_t *digits, size_t size, size_t bad,
                               unsigned addr_bytes)
{
    size_t at = 0, in = 0, outside = bad;

    while (at + 1 < size) {
        unsigned byte = (unsigned)digits[at] << 4 | digits[at + 1];
        unsigned length = 2 * packet_bytes((uint8_t)byte, addr_bytes);

        in += length;
        outside += length == 0;
        at += length != 0 ? length : 1;
    }
    return in >= DIGITS_SURE && at <= size + 2 * PACKET_MAX && outside * 10 <= in;
}

/* The words of a text: digits without white space or anything else between. */
struct words {
    size_t all, packets; /* `packets`: those that are whole packets */
    size_t addresses;    /* others that are as long as an address */
    size_t foreign;      /* characters that are neither digits nor white space */
};

/* Whether packets fill the word. */
static bool is_packets(const uint8_t *word, size_t digits, unsigned addr_bytes)
{
    size_t at = 0;

    while (at + 1 < digits) {
        int byte = hex_digit(word[at]) << 4 | hex_digit(word[at + 1]);
        unsigned length = 2 * packet_bytes((uint8_t)byte, addr_bytes);

        if (length == 0)
            return false;
        at += length;
    }
    return at == digits;
}

static struct words count_words(const uint8_t *bytes, size_t size, unsigned addr_bytes)
{
    struct words words = {.all = 0};

    for (size_t at = 0, digits; at < size; at += digits + 1) {
        for (digits = 0; at + digits < size && hex_digit(bytes[at + digits]) >= 0;)
            digits++;
        words.foreign += at + digits < size && !isspace(bytes[at + digits]);
        words.all += digits > 0;
        if (digits > 0 && is_packets(bytes + at, digits, addr_bytes))
            words.packets++;
        else if (digits >= 2 * ADDR_BYTES_MIN && digits <= ADDRESS_DIGITS_MAX)
            words.addresses++;
    }
    return words;
}

/* Text whose words are as long as addresses is refused: it may be a log of addresses with
 * a line of something else in it. Words that are whole packets are sure, because the same
 * text without damage is taken for packets, too. */
static int pa_hex_recognise_damaged(const uint8_t *bytes, size_t size)
{
    uint8_t digits[DIGITS_MAX];
    size_t used = 0, bad = 0, since_space = 0;

    for (size_t i = 0; i < size && used < DIGITS_MAX; i++) {
        int value = hex_digit(bytes[i]);

        if (value < 0) {
            bad += !isspace(bytes[i]) || since_space % 2 != 0;
            since_space = 0;
            continue;
        }
        digits[used++] = (uint8_t)value;
        since_space++;
    }
    for (unsigned n = ADDR_BYTES_MIN; n <= ADDR_BYTES_MAX; n++) {
        struct words words;

        if (!digits_are_packets(digits, used, bad, n))
            continue;
        words = count_words(bytes, size, n);
        if (4 * words.addresses <= words.all + 3)
            return words.foreign == 0 && 10 * words.packets >= 9 * words.all ? 2 : 1;
    }
    return 0;
}

const struct decode_format decode_pa = {
    "pa", pa_recognise, pa_init, pa_bytes, pa_finish, pa_release,
};

const struct decode_format decode_pa_hex = {
    "pa-hex", pa_hex_recognise, pa_init, pa_hex_bytes, pa_finish, pa_release,
};

const struct decode_format decode_pa_hex_damaged = {
    "pa-hex", pa_hex_recognise_damaged, pa_init, pa_hex_bytes, pa_finish, pa_release,
};
