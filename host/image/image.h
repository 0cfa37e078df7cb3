/* SPDX-License-Identifier: MIT */
/*
 * The firmware's ELF: symbols, source lines, inlined functions, build ID. 32- and 64-bit,
 * both byte orders, any machine; read with elfutils. Every ELF is hostile until read.
 */
#ifndef MCUPROF_HOST_IMAGE_H
#define MCUPROF_HOST_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../base/error.h"

/* A function of the symbol table: STT_FUNC or, where there is none at an address, a
 * global untyped label in code. Mapping symbols ($t $d $a $x) are dropped. Of several
 * names at one address one is kept: mcuprof_* first, then typed, then global, then fewer
 * leading underscores, then first in the table. */
struct image_symbol {
    uint64_t address; /* Thumb bit cleared */
    uint64_t
        end; /* address of the next symbol or of the section's end: a symbol reaches
                there, as in GNU gprof, unless its size is known and padding follows */
    const char *name;      /* as in the ELF */
    const char *demangled; /* equals name where there is nothing to demangle */
    const char
        *source; /* of a local one: its file, as the symbol table has it; or NULL */
    bool global;
};

/* Where an address was written, as DWARF says or, of code that it does not know, stabs.
 * file is NULL where unknown, and absolute where the debug information names the
 * directory of the compilation; line is 0 for code of no line of its own. */
struct image_line {
    const char *file;
    unsigned line;
    const char *function; /* demangled; the inlined function's where inlined */
    uint64_t copy; /* of the function: each place it is inlined into has its own; 0 where
                      unknown */
    bool begins;   /* innermost: a statement of the line begins at just this address */
};

struct arch;
struct image;
struct elf_file;

/* Names the file and what is wrong: not a regular file, not a linked ELF, truncated,
 * stripped. A damaged ELF is refused or read in part, never followed out of bounds. */
bool image_open(struct image **image, const char *path, struct error *error);
void image_close(struct image *image);

/* image_open() in two steps, for who does not want the memory of symbols yet: until the
 * second there are none, and only what says nothing of symbols and lines may be asked.
 * Whether the second is true or not, the image is to be closed. */
bool image_begin(struct image **image, const char *path, struct error *error);
bool image_read_symbols(struct image *image, struct error *error);

const char *image_path(const struct image *image);
size_t image_symbols(const struct image *image, const struct image_symbol **symbols);
/* The symbol that contains the address, NULL if none does. */
const struct image_symbol *image_symbol_at(const struct image *image, uint64_t address);
/* 0 and NULL if the ELF has no build ID. Found in a note section or, where the linker
 * script folded the note into another section, in its bytes. */
size_t image_build_id(const struct image *image, const uint8_t **bytes);
unsigned
image_word_bytes(const struct image *image); /* of addresses in its gmon.out: 4 or 8 */
bool image_big_endian(const struct image *image);
const struct arch *image_arch(const struct image *image); /* arch/arch.h */
unsigned image_machine(const struct image *image);        /* EM_* */
const char *image_machine_name(const struct image *image);
unsigned
image_code_align(const struct image *image); /* bytes: 2 Thumb, AVR, RVC; 4; 1 x86 */
/* The file itself, its symbols found; elf_file.h says what is in it. */
const struct elf_file *image_file(const struct image *image);
/* The executable ranges, ascending and disjoint. */
struct image_range {
    uint64_t low, high;
};
size_t image_code(const struct image *image, const struct image_range **ranges);

/*
 * The line of an address and, outward, of the calls it was inlined into: lines[0] is the
 * innermost. Returns how many were filled in, at most max; 0 without debug information.
 * The strings live as long as the image.
 */
size_t image_lines(struct image *image, uint64_t address, struct image_line *lines,
                   size_t max);
/* Whether any of the code [low, high) was inlined there; needs no lines to be read. */
bool image_inlines(struct image *image, uint64_t low, uint64_t high);
/* The first address beyond this one of which image_lines() may tell something else. */
uint64_t image_lines_until(struct image *image, uint64_t address);

/* Whether memory ran out in one of these three, which then told less than the file does;
 * to be asked once, at the end. image may be NULL. */
bool image_no_memory(const struct image *image);

/* A frame that call paths go past, by the unwind table: behind a return address, or a
 * call that is to be made before that, the return address `back` belongs. */
struct image_passed {
    uint64_t behind, back;
};
/* Those of the table in the ELF; the caller frees the list. false: out of memory. */
bool image_passed(const struct image *image, struct image_passed **list, size_t *count);

/* What the file holds from an address in code on, to the end of its section; NULL and 0
 * if that is nothing. */
const uint8_t *image_bytes(const struct image *image, uint64_t address, size_t *size);

/* The handler of a Cortex-M's exception (16: the chip's interrupt 0), by the vector table
 * in the ELF. NULL: there is no table, or other exceptions have the same handler, so that
 * its name does not say which it is. */
const char *image_handler(const struct image *image, uint32_t exception);

/* The text in the file at an address, of code or data; NULL: none that ends there. */
const char *image_text(const struct image *image, uint64_t address);

/*
 * A basic block, as far as branches tell, with the call of the hook that the compiler put
 * into it (-fsanitize-coverage=trace-pc). Of a few it left the call out.
 */
struct image_block {
    uint64_t low, high;
    uint64_t hook;       /* address of the call */
    unsigned hook_bytes; /* of it; 0: there is none */
};
/* Those of a function's code [low, high), ascending, without gaps; to be freed. None
 * where it calls no hook, or its machine's calls are not known here. false: out of
 * memory. */
bool image_blocks(struct image *image, uint64_t low, uint64_t high,
                  struct image_block **blocks, size_t *count);

/*
 * What a function whose calls are timed (-finstrument-functions) does outside of its
 * hooks: instructions before the call of the one at its entry, arguments included, and
 * behind the call of the last one at its exit until it returns. 0: the code does not
 * tell, for it branches there.
 */
struct image_hooks {
    unsigned before, behind;
};
/* What the call instruction calls behind which the address is. false: it calls what a
 * register says, or there is none. */
bool image_call_target(struct image *image, uint64_t from, uint64_t *target);

/* Of a function's code [low, high). false: out of memory. */
bool image_hooks(struct image *image, uint64_t low, uint64_t high,
                 struct image_hooks *hooks);

#endif
