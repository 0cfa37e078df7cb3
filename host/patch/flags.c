/* SPDX-License-Identifier: MIT */
/*
 * Whether code relies on flags that it has not set. A thunk changes the flags; compilers
 * keep nothing in them across a call, but assembly may. Encodings: ARM DDI 0403E, A5.
 */
#include "internal.h"

enum { NZ = 1, C = 2, V = 4, ALL = NZ | C | V, LOOK_MAX = 16 };

/* The flags that a condition reads. */
static unsigned condition(uint32_t number)
{
    static const uint8_t reads[] = {NZ, C, NZ, V, NZ | C, NZ | V, NZ | V};
    return number >> 1 < sizeof reads ? reads[number >> 1] : 0;
}

/* What an instruction does. */
struct effect {
    unsigned reads, sets;
    bool leaves; /* what comes behind it is not looked at */
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
        return (struct effect){.reads = condition(half >> 8 & 15), .leaves = true};
    if (half >> 8 == 0xbf && (half & 15) != 0) /* IT */
        return (struct effect){.reads = condition(half >> 4 & 15), .leaves = true};
    return (struct effect){.leaves = half >> 8 == 0x47 || half >> 8 == 0xbd ||
                                     half >> 12 >= 13};
}

static struct effect of_wide(uint32_t high, uint32_t low)
{
    bool modified = high >> 11 == 0x1e && (low & 0x8000) == 0; /* an immediate */
    if (high >> 11 == 0x1e && (low & 0xd000) == 0x8000 && (high & 0x380) != 0x380)
        return (struct effect){.reads = condition(high >> 6 & 15), .leaves = true};
    if ((high & 0xfff0) == 0xf3e0 && (low & 0xff) < 4) /* MRS of the flags */
        return (struct effect){.reads = ALL};
    if (high >> 11 == 0x1e && !modified)
        return (struct effect){.leaves = (low & 0xd000) != 0x8000};
    bool rotates = high >> 9 == 0x75 && (low & 0x70f0) == 0x30; /* an operand, by RRX */
    if ((high & 0xffc0) == 0xeb40 || (modified && (high & 0xfbc0) == 0xf140) || rotates)
        return (struct effect){.reads = C}; /* ADC, SBC; RRX */
    if (high == 0xeef1 && low == 0xfa10)    /* VMRS to the flags */
        return (struct effect){.sets = ALL};
    bool selects = (high & 0xfff0) == 0xea50 && low >> 12 >= 8 && low >> 12 <= 11;
    if (selects || (high & 0xffc0) == 0xfe00) /* CSEL, VSEL */
        return (struct effect){.reads = ALL};
    if (((high & 0xfe10) == 0xea10 || (modified && (high & 0xfa10) == 0xf010)) &&
        (high >> 5 & 8) != 0) /* sums and comparisons that set the flags */
        return (struct effect){.sets = ALL};
    if ((high & 0xfe10) == 0xea10 || (modified && (high & 0xfa10) == 0xf010))
        return (struct effect){.sets = NZ};
    return (struct effect){.sets = 0};
}

bool flags_are_read(const struct image *image, uint64_t at)
{
    size_t size;
    const uint8_t *code = image_bytes(image, at, &size);
    unsigned known = 0;
    for (size_t i = 0, looked = 0; code != NULL && looked < LOOK_MAX; looked++) {
        if (size - i < 4)
            return false;
        uint32_t half = code[i] | (uint32_t)code[i + 1] << 8;
        bool wide = half >> 11 >= 0x1d;
        struct effect effect =
            wide ? of_wide(half, code[i + 2] | (uint32_t)code[i + 3] << 8)
                 : of_narrow(half);
        if ((effect.reads & ~known) != 0)
            return true;
        known |= effect.sets;
        if (effect.leaves || known == ALL)
            return false;
        i += wide ? 4 : 2;
    }
    return false;
}
