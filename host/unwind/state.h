/* SPDX-License-Identifier: MIT */
/*
 * What is known of the registers and the stack before an instruction. Private to unwind/.
 */
#ifndef MCUPROF_HOST_UNWIND_STATE_H
#define MCUPROF_HOST_UNWIND_STATE_H

#include <stdbool.h>
#include <stdint.h>

enum value_kind {
    VALUE_NONE,     /* anything */
    VALUE_CONSTANT, /* number */
    VALUE_STACK,    /* number + the stack pointer that the function was entered with */
    VALUE_RETURN,   /* the return address (AVR: its byte `number`) */
    VALUE_FRAME,    /* the caller's frame pointer */
    VALUE_PLACE,    /* number + anything: a place in an array of constants */
    VALUE_TABLE,    /* a word of such an array that begins at number */
};

struct value {
    int32_t number;
    uint32_t kind;
};

enum { REGISTERS_MAX = 36, SLOTS_MAX = 24 };

/* A word of the stack, `at` bytes from the stack pointer at the entry. Only words that
 * hold something of interest are kept. */
struct slot {
    int32_t at;
    struct value value;
};

struct state {
    struct value registers[REGISTERS_MAX];
    struct slot slots[SLOTS_MAX];
    uint8_t slot_count;
    bool first;     /* nothing called this function */
    bool spoiled;   /* what was saved on the stack may have been written over */
    bool raised;    /* the last that moved the stack pointer freed something */
    uint32_t entry; /* index of the function */
    uint8_t fp;     /* which register is the frame pointer; 0: none is followed */
};

/* What the table says. */
struct answer {
    int32_t size; /* less than 0: see enter() in flow.h */
    uint8_t where, saved;
    bool based;
};

/* Where the return address is, whatever is said of the caller's frame pointer. */
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

bool value_same(struct value a, struct value b);
struct value value_sum(struct value a, struct value b);
struct value value_difference(struct value a, struct value b);

bool state_same(const struct state *a, const struct state *b);
/* Joins another way to the same place. Returns whether anything changed. */
bool state_join(struct state *state, const struct state *other);

/* Memory at an address, as far as that is on the stack. */
void state_store(struct state *state, struct value address, struct value value);
struct value state_load(const struct state *state, struct value address);

/* Moves a stack pointer; what is beyond it is lost. */
void state_move(struct state *state, unsigned sp, struct value to);
void state_add(struct state *state, unsigned sp, int32_t bytes);

/* What the table says where a register holds the return address, or a word of the stack,
 * and what that makes known of a state. */
struct answer state_answer(const struct state *state, unsigned sp, unsigned link,
                           unsigned word);
void state_repair(struct state *state, unsigned link, unsigned word,
                  struct answer answer);

#endif
