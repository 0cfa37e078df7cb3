/* SPDX-License-Identifier: MIT */
/*
 * Whether code relies on flags that it has not set. A thunk changes the flags; compilers
 * keep nothing in them across a call, but assembly may. Encodings: ARM DDI 0403E, A5.
 */
#include <string.h>

#include "../base/search.h"
#include "internal.h"

enum { NZ = 1, C = 2, V = 4, ALL = NZ | C | V, LOOK_MAX = 32 };

/* The flags that a condition reads. */
static unsigned condition(uint32_t number)
{
    static const uint8_t reads[] = {NZ, C, NZ, V, NZ | C, NZ | V, NZ | V};
    return number >> 1 < sizeof reads ? reads[number >> 1] : 0;
}

/* What an instruction does. */
struct effect {
    unsigned reads, sets;
    bool ends; /* what comes behind it is not looked at */
};

/* Shifts, sums, and what has an immediate of 8 bits. */
static struct effect of_simple(uint32_t half)
{
    if (half >> 11 < 3)
        return (struct effect){.sets = (half & 0x1fc0) == 0 ? NZ : NZ | C};
    return (struct effect){.sets = half >> 11 == 4 ? NZ : ALL}; /* 4: MOVS */
}

static struct effect of_register(uint32_t half)
{
    switch (half >> 6 & 15) {
    case 2: /* LSLS, LSRS, ASRS, RORS */
    case 3:
    case 4:
    case 7:
        return (struct effect){.sets = NZ};
    case 5: /* ADCS, SBCS */
    case 6:
        return (struct effect){.reads = C, .sets = ALL};
    case 9: /* RSBS, CMP, CMN */
    case 10:
    case 11:
        return (struct effect){.sets = ALL};
    default:
        return (struct effect){.sets = NZ};
    }
}

static struct effect of_narrow(uint32_t half)
{
    if (half >> 14 == 0)
        return of_simple(half);
    if (half >> 10 == 0x10)
        return of_register(half);
    if (half >> 8 == 0x45) /* CMP */
        return (struct effect){.sets = ALL};
    if (half >> 12 == 13 && (half >> 8 & 15) < 14) /* B<c> */
        return (struct effect){.reads = condition(half >> 8 & 15)};
    if (half >> 8 == 0xbf && (half & 15) != 0) /* IT */
        return (struct effect){.reads = condition(half >> 4 & 15), .ends = true};
    return (struct effect){.sets = 0};
}

static struct effect of_wide(uint32_t high, uint32_t low)
{
    bool modified = high >> 11 == 0x1e && (low & 0x8000) == 0; /* an immediate */
    if (high >> 11 == 0x1e && (low & 0xd000) == 0x8000 && (high & 0x380) != 0x380)
        return (struct effect){.reads = condition(high >> 6 & 15)};
    if ((high & 0xfff0) == 0xf3e0 && (low & 0xff) < 4) /* MRS of the flags */
        return (struct effect){.reads = ALL};
    if (high >> 11 == 0x1e && !modified)
        return (struct effect){.sets = 0};
    bool rotates = high >> 9 == 0x75 && (low & 0x70f0) == 0x30; /* an operand, by RRX */
    if ((high & 0xffc0) == 0xeb40 || (modified && (high & 0xfbc0) == 0xf140) || rotates)
        return (struct effect){.reads = C}; /* ADC, SBC; RRX */
    if (high == 0xeef1 && low == 0xfa10)    /* VMRS to the flags */
        return (struct effect){.sets = ALL};
    bool selects = (high & 0xfff0) == 0xea50 && low >> 12 >= 8 && low >> 12 <= 11;
    if (selects || (high & 0xff80) == 0xfe00) /* CSEL, VSEL */
        return (struct effect){.reads = ALL};
    if (((high & 0xfe10) == 0xea10 || (modified && (high & 0xfa10) == 0xf010)) &&
        (high >> 5 & 8) != 0) /* sums and comparisons that set the flags */
        return (struct effect){.sets = ALL};
    if ((high & 0xfe10) == 0xea10 || (modified && (high & 0xfa10) == 0xf010))
        return (struct effect){.sets = NZ};
    return (struct effect){.sets = 0};
}

/* Whether the function gives its result in the flags: RTABI (ARM IHI 0043E), 4.1.2. */
static bool returns_flags(const struct image *image, uint64_t function)
{
    const struct image_symbol *symbol = image_symbol_at(image, function);
    return symbol != NULL && (strncmp(symbol->name, "__aeabi_cd", 10) == 0 ||
                              strncmp(symbol->name, "__aeabi_cf", 10) == 0);
}

bool is_function(const struct image *image, uint64_t at)
{
    const struct image_symbol *symbol = image_symbol_at(image, at);
    return symbol != NULL && symbol->address == at;
}

struct flow flow_of(const struct image *image, const struct arch_code *code,
                    const struct unwind_starts *starts)
{
    size_t ram = 0;
    for (ram = 0; ram < starts->count; ram++)
        if (ram > 0 && starts->at[ram] < starts->at[ram - 1])
            break;
    return (struct flow){image, code, starts, ram};
}

static bool has(const uint64_t *starts, size_t count, uint64_t at)
{
    size_t low = 0;
    SEARCH(low, count, starts[middle] < at);
    return low < count && starts[low] == at;
}

/* Whether an instruction begins there: behind a call that does not return may be data. */
static bool is_start(const struct flow *flow, uint64_t at)
{
    const struct unwind_starts *starts = flow->starts;
    return has(starts->at, flow->in_ram, at) ||
           has(starts->at + flow->in_ram, starts->count - flow->in_ram, at);
}

/* Whether it is a call that does not return, or that returns flags: in large functions of
 * Thumb-1 BL is a jump. */
static bool is_end(const struct flow *flow, const struct arch_instruction *found)
{
    return found->kind == ARCH_CALL && (!is_function(flow->image, found->target) ||
                                        returns_flags(flow->image, found->target));
}

/* Follows the code from an address on, where these flags are set, along all paths. A call
 * may leave the flags as they are. */
static bool follow(const struct flow *flow, uint64_t at, unsigned known, unsigned *steps)
{
    while (known != ALL && *steps < LOOK_MAX && is_start(flow, at)) {
        struct arch_instruction found;
        size_t size;
        const uint8_t *code = image_bytes(flow->image, at, &size);
        if (code == NULL || size < 4)
            return false;
        ++*steps;
        arch_decode(flow->code, at, code, size, &found);
        uint32_t half = code[0] | (uint32_t)code[1] << 8;
        struct effect effect = found.bytes == 4
                                   ? of_wide(half, code[2] | (uint32_t)code[3] << 8)
                                   : of_narrow(half);
        if ((effect.reads & ~known) != 0)
            return true;
        known |= effect.sets;
        if (effect.ends || found.kind == ARCH_LEAVE || found.by_pointer ||
            is_end(flow, &found))
            return false;
        bool goes = found.kind != ARCH_GOES_ON;
        if (goes && !found.always && follow(flow, found.target, known, steps))
            return true;
        at = goes && found.always ? found.target : at + found.bytes;
    }
    return false;
}

bool flags_are_read(const struct flow *flow, uint64_t at)
{
    unsigned steps = 0;
    return follow(flow, at, 0, &steps);
}

bool flags_are_kept(const struct flow *flow, uint64_t behind, uint64_t function)
{
    return is_function(flow->image, function) && !returns_flags(flow->image, function) &&
           flags_are_read(flow, behind);
}
