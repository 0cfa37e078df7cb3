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
    ARCH_GOES_ON, /* to the next one; also: calls what a register says */
    ARCH_CALL,    /* to the target, and comes back */
    ARCH_JUMP,    /* to the target, which may be another function: always or at times */
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

/* What there is from an address on. WIDE: A32, of an ARM, whose CODE is T32. At one
 * address, the higher one counts. */
enum arch_state { ARCH_WIDE, ARCH_DATA, ARCH_CODE };

struct arch_mark {
    uint64_t address;
    bool mapped; /* a mapping symbol says so, which counts for more than a function's */
    enum arch_state state;
};

/* How the code of one ELF is to be read. */
struct arch_code {
    const struct arch *arch;
    bool big_endian;         /* its instructions */
    bool wide;               /* 64-bit addresses */
    struct arch_mark *marks; /* ascending */
    size_t mark_count;
};

/* ---- Architectures ---- */

/* What processors of a port are compiled with, to count calls. */
struct arch_flags {
    const char *pattern; /* of names as in -mcpu=, -march= or -mmcu= */
    const char *counts;
    const char *thumb;     /* and more where it is -mthumb code; NULL: there is none */
    const char *no_blocks; /* why blocks cannot be counted; NULL: they can */
};

/* A folder of target/arch. */
struct arch_port {
    uint32_t wire; /* MCUPROF_WIRE_ARCH_*: its number on the wire */
    const char *name;
    const struct arch_flags *flags; /* the first that matches counts; ends with {0} */
    const char *cpus;               /* words for a shell to complete */
    bool stacks_hit; /* paths have an exception return where an interrupt's handler
                        begins, and what it hit beyond */
    /* The interrupt's name; NULL: they have numbers only. */
    void (*interrupt)(uint32_t number, char *name, size_t size);
};

struct arch_machine {
    unsigned number; /* EM_* */
    const char *name;
};

struct arch {
    const struct arch_machine *machines; /* the first: that of the ports; ends with {0} */
    const struct arch_port *const *ports; /* NULL: none; ends with NULL */

    unsigned unit;        /* bytes: instructions begin at multiples of these at least */
    unsigned align;       /* and usually at multiples of these, */
    uint32_t short_flag;  /* unless the ELF's e_flags have this */
    uint32_t little_flag; /* e_flags with this: code is little-endian whatever data are */
    uint64_t state_bit;   /* of a function's address: not set, it is ARCH_WIDE */
    const char *mapping;  /* its mapping symbols: "atd" has $a, $t and $d; NULL: none */

    /* Whose objdump reads it, at most three, and Debian's package of the first. */
    const char *package, *programs[3];

    /* The instruction at `at`, of which there are so many bytes, `unit` at least; *found
     * is one that goes on, of `unit` bytes. NULL: no instruction is known. */
    void (*decode)(const struct arch_code *code, enum arch_state state, uint64_t at,
                   const uint8_t *bytes, size_t left, struct arch_instruction *found);
};

extern const struct arch arch_arm, arch_avr, arch_riscv, arch_sparc;
extern const struct arch arch_aarch64, arch_mips, arch_x86; /* without a port */

/* That of a machine, EM_*; of one that is not known, unit and align are 1. */
const struct arch *arch_of(unsigned machine);
const char *arch_machine_name(unsigned machine);

/* NULL: there is none. */
const struct arch_port *arch_port_named(const char *name);
const struct arch_port *arch_port_on_wire(uint32_t wire);
/* Whether an ELF of that machine can be its firmware's. */
bool arch_port_serves(const struct arch_port *port, unsigned machine);
/* All of them, from 0 up; NULL beyond the last. */
const struct arch_port *arch_port_at(size_t index);

/* What a Cortex-M gives a handler to return to: nothing in the code calls it. */
static inline bool arch_exception_return(uint64_t address)
{
    return address >= 0xffffff00U && address <= UINT32_MAX;
}

/* ---- Code ---- */

/* Reads how the ELF's code is to be read. false: out of memory. */
bool arch_code_read(struct arch_code *code, Elf *elf);
void arch_code_release(struct arch_code *code);

/* The instruction at an address, whose bytes these are, to the end of its section; data
 * and what is not known are instructions that go on. */
void arch_decode(const struct arch_code *code, uint64_t at, const uint8_t *bytes,
                 size_t left, struct arch_instruction *found);

#endif
