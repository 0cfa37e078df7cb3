/* SPDX-License-Identifier: MIT */
/*
 * The facts of the code that follow.c uses, and the lines that it prints:
 * - s ROOT PC RETURN...: a sample, hex, inner first; ROOT: main, interrupt, undecided
 * - c CYCLES FOUND FRAMES: of each sampling interrupt; its own until the path was found
 * - w NUMBER CYCLES: the part of them in this function
 * - y NUMBER INSTRUCTIONS: of this function in other interrupts, the profiler's not
 * - n NUMBER SELF INCLUSIVE TIMED: instructions of each function while sampling was on,
 *   without the profiler's; TIMED: its own and those of all that it called up to the next
 *   function with a hook
 * - a FROM TO INCLUSIVE: instructions in calls of one function by another
 * - h FROM TO COUNT: calls that a hook saw: functions; FROM -1: the hardware
 * - b ADDRESS COUNT: calls of the hook of basic blocks, by their addresses
 * - o NAME FROM TO: among the samples: something odd happened here
 * - x NAME COUNT: how often it happened
 * - x profiler COUNT: the instructions of the profiler, its hooks and all interrupts
 */
#ifndef FOLLOW_H
#define FOLLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum kind {
    CALL = 'c',        /* to TARGET */
    CALL_ANY = 'i',    /* to an address in a register */
    JUMP = 'j',        /* to TARGET, perhaps on a condition */
    JUMP_ANY = 'r',    /* a return, a switch, a tail call */
    TRAP_RETURN = 'x', /* the end of an interrupt that the log does not tell */
};

enum { FUNCTIONS_MAX = 16384, FRAMES_MAX = 4096, LEVELS_MAX = 16, MARKS_MAX = 256 };
enum { PENDING_MAX = 64 };

struct transfer {
    uint32_t address, size, target;
    unsigned taken_cycles;
    enum kind kind;
};

/* The hook that the compiler makes a function call first. */
enum hook { NO_HOOK, CALLS, BLOCKS };

struct function {
    char name[80];
    uint64_t self, inclusive, in_samples, in_handlers, timed;
    enum hook hook;
    bool profiler;
};

struct machine {
    bool arm_m, arm, riscv, sparc, avr;
};
extern struct machine machine;
extern struct function functions[FUNCTIONS_MAX];
extern uint32_t base, limit;    /* of the code */
extern uint32_t ram, ram_limit; /* of the code in RAM, if there is any */
extern uint32_t *function_of;   /* for each 2 bytes: the function's number + 1 */
extern uint32_t *entry_of;      /* 1 where a function begins */
extern uint32_t *count_before;  /* instructions */
extern uint64_t *cycles_before;
extern struct transfer *transfers;
extern uint32_t
    *next_transfer; /* for each 2 bytes: index + 1 of the first transfer here or later */
extern size_t transfer_count;
extern uint32_t sample_entry, path_found, timer_start, timer_stop, set_jump[4];

_Noreturn void fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
void read_facts(const char *path);

/* hex() reads a hexadecimal number, hex8() one of eight digits; starts() tells whether a
 * line starts with a word. */
uint32_t hex(const char *text);
uint32_t hex8(const char *text);
bool starts(const char *line, const char *with);

/* In follow_calls.c; functions are numbers + 1. add_arc() adds instructions in calls of
 * one by another, add_call() a call that a hook saw, add_block() a call of the hook of
 * basic blocks by the instruction at this address. add_sample() adds a sampling
 * interrupt: its cycles, those until its path was found, the path's length. */
void add_arc(uint32_t from, uint32_t to, uint64_t inclusive);
void add_call(uint32_t from, uint32_t to);
void add_block(uint32_t address);
void add_sample(uint64_t cycles, uint64_t found, unsigned frames);
void print_samples(void);
void print_calls(void);

/* In follow_log.c, which calls what is below. follow_log() reads the whole log;
 * `with_sp`: it has the registers, too. */
void follow_log(FILE *log, bool with_sp);

/* The program is before the instruction at `pc`; `delayed`: in a delay slot. stopped(): a
 * device has stopped the block that begins there. The stack pointer is that before the
 * next arrived(). is_over(): the board was told to stop, and the rest of the log is
 * nothing. */
void arrived(uint32_t pc, bool delayed);
void stopped(void);
void interrupted(void);
void resumed(void);
void set_sp(uint32_t sp);
bool is_over(void);

static inline bool is_code(uint32_t address)
{
    return (address >= base && address < limit) ||
           (address >= ram && address < ram_limit);
}

/* The code in RAM has the slots behind that of `limit`. */
static inline uint32_t slot(uint32_t address)
{
    if (address >= ram && address < ram_limit) {
        return (limit - base) / 2 + 4 + (address - ram) / 2;
    }
    return (address - base) / 2;
}

static inline uint32_t slot_count(void)
{
    return (limit - base) / 2 + 4 + (ram_limit - ram) / 2 + 4;
}

/* Whether the address is inside an instruction: a Thumb call on an ARM9 is two halves,
 * which an interrupt may part. */
static inline bool is_between(uint32_t address)
{
    return is_code(address) &&
           count_before[slot(address) + 1] == count_before[slot(address)];
}

/* The number of the function at the address + 1, or 0. */
static inline uint32_t function_at(uint32_t address)
{
    return is_code(address) ? function_of[slot(address)] : 0;
}

#endif
