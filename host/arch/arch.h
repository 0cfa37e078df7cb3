/* SPDX-License-Identifier: MIT */
/*
 * What is known of processors: one file for each family, named like its folder in
 * target/arch. arch.c has the table of them. No other file tells machines apart by their
 * numbers.
 */
#ifndef MCUPROF_HOST_ARCH_H
#define MCUPROF_HOST_ARCH_H

#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- Instructions ---- */

/* Where execution continues after an instruction. */
enum arch_kind {
    ARCH_GOES_ON, /* at the next one; so also after a call to an address in a register */
    ARCH_CALL,    /* at the target, and later returns behind the call */
    ARCH_JUMP,    /* at the target, maybe in another function: always or under a
                   * condition */
    ARCH_BRANCH,  /* at the target, in the same function: always or under a condition */
    ARCH_LEAVE,   /* where a register or memory says (a return, a switch): always or
                   * under a condition */
};

struct arch_instruction {
    enum arch_kind kind;
    unsigned bytes;  /* distance to the next one; > 0 */
    unsigned delay;  /* bytes behind it that are executed before execution leaves */
    bool annuls;     /* these bytes are executed only if execution leaves */
    bool data;       /* it is none */
    bool always;     /* a jump, branch or leave without condition; only T32's decoder says
                        so, and it does not know IT's conditions */
    bool by_pointer; /* it calls, or goes on at, what a register or memory says, and is no
                        return: it may enter any function. Some switches and returns are
                        not told from that. */
    bool conditional; /* under a condition it does nothing, or something else: A32's
                         conditions, CSEL. Said of no JUMP and no BRANCH. */
    unsigned conditional_next; /* so many instructions behind it are conditional: IT */
    uint64_t target;           /* of CALL, JUMP and BRANCH */
};

/* What memory holds from an address on. On ARM, WIDE is A32 and CODE is T32. Where an
 * address has two states, the higher one counts. */
enum arch_state { ARCH_WIDE, ARCH_DATA, ARCH_CODE };

struct arch_mark {
    uint64_t address;
    bool mapped; /* a mapping symbol says it, which counts for more than a function's
                  * symbol */
    enum arch_state state;
};

/* How the code of one ELF is read. */
struct arch_code {
    const struct arch *arch;
    bool big_endian;         /* instructions are big-endian */
    bool wide;               /* 64-bit addresses */
    struct arch_mark *marks; /* ascending */
    size_t mark_count;
};

/* ---- Architectures ---- */

/* The compiler's flags that make code count calls on a port's processors. */
struct arch_flags {
    const char *pattern; /* for processor names as in -mcpu=, -march= or -mmcu= */
    const char *counts;
    const char *thumb;     /* more flags for -mthumb code; NULL: there is none */
    const char *no_blocks; /* why blocks cannot be counted; NULL: they can */
    const char *links;     /* more flags of the linker; NULL: there are none */
};

/* A folder of target/arch. */
struct arch_port {
    uint32_t wire; /* MCUPROF_WIRE_ARCH_*: its number on the wire */
    const char *name;
    const struct arch_flags *flags; /* the first one that matches is used; ends with
                                     * {0} */
    const char *cpus;               /* names that a shell completes, separated by
                                     * blanks */
    bool stacks_hit; /* a path has an exception return where an interrupt's handler
                      * begins, and behind it the code that the interrupt hit */
    bool vectors;    /* image_handler() knows interrupts' handlers */
    unsigned pair_instructions; /* about how many instructions a pair of hooks of timed
                                 * calls executes if its counter is at its own place; 0:
                                 * unknown */
    /* Writes the interrupt's name; NULL: interrupts have only numbers. */
    void (*interrupt)(uint32_t number, char *name, size_t size);
};

struct arch_machine {
    unsigned number; /* EM_* */
    const char *name;
};

struct arch {
    const struct arch_machine *machines;  /* the ports run on the first one; ends with
                                           * {0} */
    const struct arch_port *const *ports; /* NULL: none; ends with NULL */

    unsigned unit;        /* bytes: instructions begin at multiples of this, */
    unsigned align;       /* and usually at multiples of this, */
    uint32_t short_flag;  /* unless the ELF's e_flags have this bit */
    uint32_t little_flag; /* e_flags with this bit: code is little-endian, even where
                           * data are not */
    uint64_t state_bit;   /* bit of a function's address; where it is 0, code is
                           * ARCH_WIDE */
    const char *mapping;  /* the letters of its mapping symbols: "atd" for $a, $t and
                           * $d; NULL: none */

    /* The programs that disassemble its code, three at most, and the Debian package of
     * the first one. */
    const char *package, *programs[3];

    /* Decodes the instruction at `at`, from `left` bytes, which are at least `unit`.
     * *found is preset to an instruction of `unit` bytes that goes on. NULL: no
     * instruction is known. */
    void (*decode)(const struct arch_code *code, enum arch_state state, uint64_t at,
                   const uint8_t *bytes, size_t left, struct arch_instruction *found);

    /* Makes the call or jump of 4 bytes at `at` go to another address. false: it is none
     * that can be told, or cannot reach; nothing has changed. NULL: calls are not counted
     * at their sites. On ARM it is T32's BL, B.W or B<c>.W, little-endian. */
    bool (*retarget)(uint8_t bytes[4], uint64_t at, uint64_t to);
};

extern const struct arch arch_arm, arch_avr, arch_riscv, arch_sparc;
extern const struct arch arch_aarch64, arch_mips, arch_x86; /* without a port */

/* The architecture of a machine (EM_*); an unknown one has 1 for unit and align. */
const struct arch *arch_of(unsigned machine);
const char *arch_machine_name(unsigned machine);

/* The port of that name; NULL: there is none. */
const struct arch_port *arch_port_named(const char *name);
const struct arch_port *arch_port_on_wire(uint32_t wire);
/* Whether an ELF of that machine can be the port's firmware. */
bool arch_port_serves(const struct arch_port *port, unsigned machine);
/* The ports, numbered from 0 up; NULL beyond the last. */
const struct arch_port *arch_port_at(size_t index);

/* Whether the address is one that a Cortex-M gives a handler as return address: such an
 * address is no place in the code. */
static inline bool arch_exception_return(uint64_t address)
{
    return address >= 0xffffff00U && address <= UINT32_MAX;
}

/* ---- Code ---- */

/* Finds out how an ELF's code is read. Begin with its header, give it at most `symbols`
 * symbols, then sort. It uses mapping symbols and, in case these were stripped, the
 * addresses of functions. false: out of memory. */
bool arch_code_init(struct arch_code *code, const GElf_Ehdr *header, size_t symbols);
void arch_code_mark(struct arch_code *code, const GElf_Sym *symbol, const char *name);
void arch_code_sort(struct arch_code *code);
void arch_code_release(struct arch_code *code);

/* Decodes the instruction at an address; `bytes` reach from there to the end of its
 * section. Data and unknown instructions count as instructions that go on. */
void arch_decode(const struct arch_code *code, uint64_t at, const uint8_t *bytes,
                 size_t left, struct arch_instruction *found);

#endif
