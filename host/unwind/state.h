/* SPDX-License-Identifier: MIT */
/*
 * The known values of registers and stack before an instruction. Private to unwind/.
 */
#ifndef MCUPROF_HOST_UNWIND_STATE_H
#define MCUPROF_HOST_UNWIND_STATE_H

#include <stdbool.h>
#include <stdint.h>

enum value_kind {
    VALUE_NONE,     /* not known */
    VALUE_CONSTANT, /* number */
    VALUE_STACK,    /* number + the stack pointer that the function was entered with */
    VALUE_RETURN,   /* the return address (AVR: its byte `number`) */
    VALUE_FRAME,    /* the caller's frame pointer */
    VALUE_OUTER,    /* an address in the caller's frame, made from its frame pointer */
    VALUE_INNER,    /* an address behind the call of the inner entry `number` of flow.c */
    VALUE_SECOND,   /* what the second link register was entered with */
    VALUE_TARGET,   /* an address of the caller's code, behind no call */
    VALUE_PLACE,    /* number + something unknown: a place in an array of constants */
    VALUE_TABLE,    /* a word of the array of constants at `number`; it may be a distance:
                       see value_distance() */
    VALUE_OFFSET,   /* a byte or halfword of the array at `number`, times a scale: see
                       value_offset() */
};

struct value {
    int32_t number;
    uint32_t kind;
};

enum { REGISTERS_MAX = 36, SLOTS_MAX = 24 };

/* A word of the stack, `at` bytes from the stack pointer at the entry. Only words whose
 * value may be needed are kept. */
struct slot {
    int32_t at;
    struct value value;
};

struct state {
    struct value registers[REGISTERS_MAX];
    struct slot slots[SLOTS_MAX];
    uint8_t slot_count;
    bool first;     /* nothing called this function */
    bool spoiled;   /* what was saved on the stack may have been overwritten */
    bool raised;    /* the last move of the stack pointer freed stack */
    uint32_t entry; /* index of the function */
    uint8_t fp;     /* which register is the frame pointer; 0: none is followed */
};

/* What the table says of a state. */
struct answer {
    int32_t size; /* less than 0: see answer() in flow.h */
    uint8_t where, saved;
    bool based;
};

/* Whether both say the same of the return address; the caller's frame pointer may differ.
 */
static inline bool answer_same_return(struct answer a, struct answer b)
{
    return a.size == b.size && a.where == b.where && a.based == b.based;
}

static inline bool answer_same(struct answer a, struct answer b)
{
    return answer_same_return(a, b) && a.saved == b.saved;
}

static inline struct value value_constant(uint32_t number)
{
    return (struct value){(int32_t)number, VALUE_CONSTANT};
}

static inline struct value value_stack(int64_t number)
{
    bool fits = number > -(1 << 28) && number < 1 << 28;
    return fits ? (struct value){(int32_t)number, VALUE_STACK} : (struct value){0};
}

/* A number from an array of so many bytes each, which is to be added to the pc. */
static inline struct value value_offset(uint32_t array, unsigned bytes, bool is_signed,
                                        unsigned scale)
{
    return (struct value){(int32_t)array, VALUE_OFFSET | bytes << 8 |
                                              (uint32_t)is_signed << 15 | scale << 16};
}

/* A word of an array, which is to be added to an address: that of a label, at this
 * distance from the array. The array has addresses where the distance is 0. */
static inline struct value value_distance(uint32_t array, int32_t distance)
{
    return (struct value){(int32_t)array, VALUE_TABLE | (uint32_t)distance << 8};
}

static inline bool value_is_table(struct value value)
{
    return (value.kind & 255) == VALUE_TABLE;
}

static inline uint32_t value_origin(struct value value)
{
    uint32_t sign = (value.kind >> 31) * 0xff000000u, distance = value.kind >> 8 | sign;
    return distance == 0 ? 0 : (uint32_t)value.number + distance;
}

static inline bool value_is_offset(struct value value)
{
    return (value.kind & 255) == VALUE_OFFSET;
}

static inline unsigned value_offset_bytes(struct value value)
{
    return value.kind >> 8 & 127;
}

static inline bool value_offset_signed(struct value value)
{
    return (value.kind >> 15 & 1) != 0;
}

static inline unsigned value_offset_scale(struct value value)
{
    return value.kind >> 16;
}

bool value_same(struct value a, struct value b);
struct value value_sum(struct value a, struct value b);
struct value value_difference(struct value a, struct value b);

bool state_same(const struct state *a, const struct state *b);
/* Joins the state of another path to the same place: keeps what both agree on. Returns
 * whether the state changed. */
bool state_join(struct state *state, const struct state *other);

/* Stores to and loads from memory; only the stack is known. */
void state_store(struct state *state, struct value address, struct value value);
struct value state_load(const struct state *state, struct value address);

/* Moves the stack pointer; slots below it are lost. */
void state_move(struct state *state, unsigned sp, struct value to);
void state_add(struct state *state, unsigned sp, int32_t bytes);

/* state_answer() gives the table's answer for a state whose return address is in the
 * register `link` or on the stack; state_repair() sets a state from an answer. */
struct answer state_answer(const struct state *state, unsigned sp, unsigned link,
                           unsigned word);
void state_repair(struct state *state, unsigned link, unsigned word,
                  struct answer answer);

#endif
