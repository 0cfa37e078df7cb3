/* SPDX-License-Identifier: MIT */
/*
 * What is known of processors: one file a family, named as its folder in target/arch is.
 * arch.c has the table of them; nobody else tells machines apart by their number.
 */
#ifndef MCUPROF_HOST_ARCH_H
#define MCUPROF_HOST_ARCH_H

#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- Instructions ---- */

/* Where the code goes behind an instruction. */
enum arch_kind {
    ARCH_GOES_ON, /* to the next one; also where it calls what a register says */
    ARCH_CALL,    /* to the target, and comes back */
    ARCH_JUMP,    /* to the target, maybe in another function: always or at times */
    ARCH_BRANCH,  /* to the target, in the same function: likewise */
    ARCH_LEAVE,   /* to where a register or memory says: a return, a switch; likewise */
};

struct arch_instruction {
    enum arch_kind kind;
    unsigned bytes;  /* to the next one; > 0 */
    unsigned delay;  /* bytes behind it that are run before it goes elsewhere */
    bool annuls;     /* they are run only if it does go there */
    uint64_t target; /* of CALL, JUMP and BRANCH */
};

/* What stands in memory from an address on. For an ARM, WIDE is A32 and CODE is T32. Of
 * two states at one address, the higher one counts. */
enum arch_state { ARCH_WIDE, ARCH_DATA, ARCH_CODE };

struct arch_mark {
    uint64_t address;
    bool mapped; /* by a mapping symbol, which counts for more than a function's symbol */
    enum arch_state state;
};

/* How the code of one ELF is to be read. */
struct arch_code {
    const struct arch *arch;
    bool big_endian;         /* instructions are */
    bool wide;               /* 64-bit addresses */
    struct arch_mark *marks; /* ascending */
    size_t mark_count;
};

/* ---- Architectures ---- */

/* The compiler's flags that count calls on a port's processors. */
struct arch_flags {
    const char *pattern; /* for names as in -mcpu=, -march= or -mmcu= */
    const char *counts;
    const char *thumb;     /* more flags for -mthumb code; NULL: there is none */
    const char *no_blocks; /* why blocks cannot be counted; NULL: they can */
};

/* A folder of target/arch. */
struct arch_port {
    uint32_t wire; /* MCUPROF_WIRE_ARCH_*: its number on the wire */
    const char *name;
    const struct arch_flags *flags; /* the first that matches counts; ends with {0} */
    const char *cpus;               /* words for a shell to complete */
    bool stacks_hit; /* paths have an exception return where an interrupt's handler
                        begins, and then go on with what it hit */
    bool vectors;    /* image_handler() knows interrupts' handlers */
    unsigned pair_instructions; /* about how many a pair of hooks of timed calls executes,
                                   its counter at its own place; 0: unknown */
    /* The interrupt's name; NULL: they have numbers only. */
    void (*interrupt)(uint32_t number, char *name, size_t size);
};

struct arch_machine {
    unsigned number; /* EM_* */
    const char *name;
};

struct arch {
    const struct arch_machine *machines;  /* the first is the ports'; ends with {0} */
    const struct arch_port *const *ports; /* NULL: none; ends with NULL */

    unsigned unit;        /* bytes: instructions begin at multiples of these at least */
    unsigned align;       /* and usually at multiples of these, */
    uint32_t short_flag;  /* unless the ELF's e_flags have this */
    uint32_t little_flag; /* e_flags with this: code is little-endian whatever data are */
    uint64_t state_bit;   /* of a function's address: not set, it is ARCH_WIDE */
    const char *mapping;  /* its mapping symbols: "atd" has $a, $t and $d; NULL: none */

    /* The programs that disassemble it, three at most, and Debian's package of the
     * first. */
    const char *package, *programs[3];

    /* Decodes the instruction at `at`, where `left` bytes are, `unit` at least. *found is
     * preset to one of `unit` bytes that goes on. NULL: no instruction is known. */
    void (*decode)(const struct arch_code *code, enum arch_state state, uint64_t at,
                   const uint8_t *bytes, size_t left, struct arch_instruction *found);
};

extern const struct arch arch_arm, arch_avr, arch_riscv, arch_sparc;
extern const struct arch arch_aarch64, arch_mips, arch_x86; /* without a port */

/* The architecture of a machine (EM_*); an unknown one has 1 for unit and align. */
const struct arch *arch_of(unsigned machine);
const char *arch_machine_name(unsigned machine);

/* NULL: there is none. */
const struct arch_port *arch_port_named(const char *name);
const struct arch_port *arch_port_on_wire(uint32_t wire);
/* Whether an ELF of that machine can be the port's firmware. */
bool arch_port_serves(const struct arch_port *port, unsigned machine);
/* The ports, numbered from 0 up; NULL beyond the last. */
const struct arch_port *arch_port_at(size_t index);

/* Whether it is what a Cortex-M gives a handler as return address: no place in the
 * code. */
static inline bool arch_exception_return(uint64_t address)
{
    return address >= 0xffffff00U && address <= UINT32_MAX;
}

/* ---- Code ---- */

/* How an ELF's code is to be read: by its header and then its symbols, at most so many,
 * then sorted. Mapping symbols are taken and, in case these were stripped, what addresses
 * of functions say. false: out of memory. */
bool arch_code_init(struct arch_code *code, const GElf_Ehdr *header, size_t symbols);
void arch_code_mark(struct arch_code *code, const GElf_Sym *symbol, const char *name);
void arch_code_sort(struct arch_code *code);
void arch_code_release(struct arch_code *code);

/* Decodes the instruction at an address; `bytes` go from there to the end of its section.
 * Data and what is not known count as instructions that go on. */
void arch_decode(const struct arch_code *code, uint64_t at, const uint8_t *bytes,
                 size_t left, struct arch_instruction *found);

#endif
