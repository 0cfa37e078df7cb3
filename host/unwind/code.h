/* SPDX-License-Identifier: MIT */
/*
 * The code that is followed: its bytes, which of them are data, and its functions.
 * Private to unwind/.
 */
#ifndef MCUPROF_HOST_UNWIND_CODE_H
#define MCUPROF_HOST_UNWIND_CODE_H

#include <gelf.h>

#include "../arch/arch.h"
#include "../image/image.h"

/* The content of a unit of the code. */
enum { CODE_NONE, CODE_DATA, CODE_NARROW, CODE_WIDE }; /* WIDE: A32, in an ARM's ELF */

/* `high` is the end by the symbol's size, or the next symbol. */
struct code_function {
    uint64_t low, high;
    const char *name;
    bool typed;  /* false: a label, which may be inside a function */
    bool piece;  /* a part of another function, which jumps here with its frame */
    bool first;  /* nothing calls it */
    bool opaque; /* its callers cannot be known */
    bool second; /* RISC-V: its name says that its return address is in t0 */
    bool spoils; /* after a call of it, the callers of its caller cannot be known */
    bool wide;   /* A32 */
};

/* The bytes of memory from an address on. */
struct code_section {
    uint64_t low, size;
    const uint8_t *bytes;
    bool fixed; /* the program cannot write there */
};

/* The calls from `low` up to `high` have this landing pad: see pads.h. */
struct code_pad {
    uint64_t low, high, pad;
};

/* Bytes that belong to a variable with a name. */
struct code_object {
    uint64_t low, high;
};

struct code {
    uint64_t low,
        high; /* `low` is a multiple of a page's bytes, `high` the end of the code */
    uint64_t ram_low,
        ram_high;   /* the same of code that lies elsewhere, as in RAM; 0, 0 */
    unsigned unit;  /* bytes */
    uint8_t *kinds; /* one for each unit, those in RAM last */
    struct code_function *functions; /* ascending, one at each address */
    size_t function_count;
    struct code_object *objects; /* ascending */
    size_t object_count;
    struct code_section *sections; /* without the unwind table's own */
    size_t section_count;
    struct code_pad *pads; /* ascending */
    size_t pad_count;
    struct arch_code arch; /* how instructions are to be read */
    uint32_t flags;        /* e_flags */
    uint8_t fp;      /* number of the frame pointer's register; 0: it is not followed */
    bool big_endian; /* data */
};

bool code_read(struct code *code, const struct image *image, struct error *error);
void code_release(struct code *code);

size_t code_units(const struct code *code);
/* Whether an instruction can be at the address. */
bool code_at(const struct code *code, uint64_t address);

static inline bool code_in_ram(const struct code *code, uint64_t address)
{
    return address >= code->ram_low && address < code->ram_high;
}

/* The end of the range in which the address is; 0: it is in none. */
static inline uint64_t code_end(const struct code *code, uint64_t address)
{
    if (code_in_ram(code, address))
        return code->ram_high;
    return address >= code->low && address < code->high ? code->high : 0;
}

static inline size_t code_index(const struct code *code, uint64_t address)
{
    uint64_t first = (code->high - code->low + code->unit - 1) / code->unit;
    if (code_in_ram(code, address))
        return (size_t)(first + (address - code->ram_low) / code->unit);
    return (size_t)((address - code->low) / code->unit);
}

/* The address of the unit with that index. */
static inline uint64_t code_unit_address(const struct code *code, size_t index)
{
    uint64_t first = (code->high - code->low + code->unit - 1) / code->unit;
    if (index < first)
        return code->low + index * code->unit;
    return code->ram_low + (index - first) * code->unit;
}

/* The function that begins at the address; the one that contains it. NULL: none. */
const struct code_function *code_begins(const struct code *code, uint64_t address);
const struct code_function *code_in(const struct code *code, uint64_t address);

/* The end of the variable with a name to which the address belongs; 0: to none. */
uint64_t code_object_end(const struct code *code, uint64_t address);

/* The instruction at an address in any section. */
struct arch_instruction code_instruction(const struct code *code, uint64_t at);
/* Bytes of the instruction at an address in the code, and the address that it calls or
 * jumps to; UINT64_MAX: it names none. */
unsigned code_length(const struct code *code, uint64_t at);
uint64_t code_target(const struct code *code, uint64_t at);

/* Reads an instruction's bytes as a number; false: they are not all in the file. */
bool code_fetch(const struct code *code, uint64_t address, unsigned bytes,
                uint32_t *word);
/* Reads data in the same way; code_constant() reads only what the program cannot change.
 */
bool code_data(const struct code *code, uint64_t address, unsigned bytes, uint32_t *word);
bool code_constant(const struct code *code, uint64_t address, unsigned bytes,
                   uint32_t *word);

/* The low `bits` of the word as a signed number. */
static inline int32_t code_signed(uint32_t word, unsigned bits)
{
    uint32_t sign = (uint32_t)1 << (bits - 1), value = word & (sign | (sign - 1));
    return (int32_t)((value ^ sign) - sign);
}

#endif
