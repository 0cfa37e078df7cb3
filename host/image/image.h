/* SPDX-License-Identifier: MIT */
/*
 * The firmware's ELF: symbols, source lines, inlined functions, build ID. 32- and 64-bit,
 * both byte orders, any machine; read with elfutils. Every ELF counts as hostile.
 */
#ifndef MCUPROF_HOST_IMAGE_H
#define MCUPROF_HOST_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../base/error.h"

/* A function of the symbol table: an STT_FUNC or, at addresses that have none, a global
 * untyped label in code. Mapping symbols ($t $d $a $x) are dropped. One of several names
 * at one address is kept: mcuprof_* before others, then typed before untyped, then global
 * before local, then the one with fewer leading underscores, then the first in the table.
 */
struct image_symbol {
    uint64_t address; /* Thumb bit cleared */
    uint64_t end; /* address of the next symbol, or end of the section: as in GNU gprof a
                   * symbol reaches there, unless its size is known and padding follows */
    const char *name;      /* as in the ELF */
    const char *demangled; /* the same as name if that is not mangled */
    const char *source;    /* for a local symbol its file, as the symbol table has it or,
                            * where the linker left none there, the debug information;
                            * else NULL */
    bool global;
};

/* The source line of an address, from DWARF or, for code that DWARF does not know, from
 * stabs. file is NULL where it is unknown, and absolute where the debug information names
 * the directory of the compilation; line is 0 for code that belongs to no line. */
struct image_line {
    const char *file;
    unsigned line;
    const char *function; /* demangled; the inlined function where one was inlined */
    uint64_t copy;        /* tells copies of the function apart: each place where it was
                           * inlined has its own; 0: unknown */
    bool begins; /* innermost only: a statement of the line begins at exactly this
                  * address */
};

struct arch;
struct image;
struct elf_file;

/* The error names the file and what is wrong: not a regular file, not a linked ELF,
 * truncated, stripped. A damaged ELF is refused or read in part, but never beyond its
 * bounds. */
bool image_open(struct image **image, const char *path, struct error *error);
void image_close(struct image *image);

/* image_open() in two steps, for a caller who does not need the memory of symbols yet:
 * image_begin(), then image_read_symbols(). Before the second step nothing may be asked
 * that depends on symbols or lines. The caller closes the image in any case, also where
 * image_read_symbols() fails. */
bool image_begin(struct image **image, const char *path, struct error *error);
bool image_read_symbols(struct image *image, struct error *error);

const char *image_path(const struct image *image);
size_t image_symbols(const struct image *image, const struct image_symbol **symbols);
/* The symbol that contains the address, NULL if none does. */
const struct image_symbol *image_symbol_at(const struct image *image, uint64_t address);
/* The name by which people tell a function: demangled or, where other functions of the
 * ELF have that name, too, FILE:NAME of a local one; of files of one name, their last
 * folder is a part of FILE, where the debug information tells it. Lives as long as the
 * image. */
const char *image_name(struct image *image, const struct image_symbol *symbol);
/* Whether the ELF has a function of that name that was not written in that file. */
bool image_has_other(struct image *image, const char *name, const char *file);
/* How many parts tell files of one name apart. */
enum { IMAGE_FOLDERS = 2 };
/* The build ID; 0 and NULL if the ELF has none. It is found in a note section or, where
 * the linker script put the note into another section, in that section's bytes. */
size_t image_build_id(const struct image *image, const uint8_t **bytes);
unsigned
image_word_bytes(const struct image *image); /* size of addresses in its gmon.out: 4 or
                                              * 8 */
bool image_big_endian(const struct image *image);
const struct arch *image_arch(const struct image *image); /* arch/arch.h */
unsigned image_machine(const struct image *image);        /* EM_* */
const char *image_machine_name(const struct image *image);
unsigned image_code_align(const struct image *image); /* bytes: 2 for Thumb, AVR and RVC;
                                                       * 1 for x86; else 4 */
/* The file itself, with its symbols found; see elf_file.h. */
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
/* The directory that a unit of the debug information was compiled in; "" where it does
 * not say; NULL: there are no more units. */
const char *image_compiled_in(struct image *image, size_t unit);
/* Whether some of the code [low, high) was inlined; reads no lines. */
bool image_inlines(struct image *image, uint64_t low, uint64_t high);
/* The first address beyond this one for which image_lines() may answer differently. */
uint64_t image_lines_until(struct image *image, uint64_t address);

/* Whether memory ran out in one of the three functions above, in image_call_target(), in
 * image_call_graph() or in image_tail_calls(), which then returned less than the file
 * has. Ask once, at the end. image may be NULL. */
bool image_no_memory(const struct image *image);

/* A frame that call paths go past, by the unwind table: behind a return address, or a
 * call that is to be made before that, the return address `back` belongs. */
struct image_skipped_frames {
    uint64_t behind, back;
};
/* Those of the table in the ELF; the caller frees the list. false: out of memory. */
bool image_skipped_frames(const struct image *image, struct image_skipped_frames **list,
                          size_t *count);

/* What the file holds from an address in code on, to the end of its section; NULL and 0
 * if that is nothing. */
const uint8_t *image_bytes(const struct image *image, uint64_t address, size_t *size);
/* Whether image_bytes() has none only because memory ran out. */
bool image_bytes_lost(const struct image *image, uint64_t address);

/*
 * A call site that `mcuprof patch` has led through a thunk, which counts. The image has
 * its code, and all that is asked about it, as before that.
 */
struct image_site {
    uint64_t address, callee, thunk;
};
/* Those of the ELF, ascending; they live as long as the image. 0: it is not patched. */
size_t image_sites(const struct image *image, const struct image_site **sites);
/* What calls of a patched ELF are not counted, in words. NULL: it is not patched. */
const char *image_uncounted(const struct image *image);

/* The room for thunks: wire/mcuprof_sites.h. */
struct image_thunks {
    uint64_t sites, thunks, counts; /* addresses of these symbols */
    uint64_t places;                /* for thunks and tails */
    unsigned bytes_each;            /* MCUPROF_THUNK_FAST or _SHORT */
    uint32_t from;                  /* 0: the ELF is not patched */
    const uint8_t *bytes;           /* of the places, in the image */
};
/* Whether a place is for the tail of short thunks. */
bool image_is_tail(const struct image_thunks *thunks, uint64_t place);
/* false: there is none. */
bool image_thunks(const struct image *image, struct image_thunks *thunks);

/* The name of the handler of a Cortex-M's exception (16: the chip's interrupt 0), from
 * the vector table in the ELF. NULL: there is no table, or other exceptions have the same
 * handler, so that its name would not tell which exception it is. */
const char *image_handler(const struct image *image, uint32_t exception);
/* Whether that table has the address of this function. */
bool image_is_handler(const struct image *image, uint64_t address);

/* The string in the file at an address of code or data; NULL: no string that ends is
 * there. */
const char *image_text(const struct image *image, uint64_t address);

/*
 * A basic block, as far as branches show blocks, with the call of the hook that the
 * compiler put into it (-fsanitize-coverage=trace-pc). The compiler leaves a few blocks
 * without a call.
 */
struct image_block {
    uint64_t low, high;
    uint64_t hook;       /* address of the call */
    unsigned hook_bytes; /* length of the call; 0: there is none */
};
/* The blocks of a function's code [low, high), ascending, without gaps; the caller frees
 * them. There are none if the function calls no hook, or if calls of its machine are not
 * known here. false: out of memory. */
bool image_blocks(struct image *image, uint64_t low, uint64_t high,
                  struct image_block **blocks, size_t *count);

/* The addresses in a function's code of instructions that are conditional, and no
 * branches, ascending; the caller frees them. The compiler makes such instructions of
 * short branches, so less ran there than the block that they are in. false: out of
 * memory. */
bool image_conditional(struct image *image, uint64_t low, uint64_t high,
                       uint64_t **addresses, size_t *count);

/*
 * What a function whose calls are timed (-finstrument-functions) does outside of its
 * hooks: the number of instructions before the call of the hook at its entry (those that
 * set the arguments included), and of those behind the call of the last hook at its exit,
 * up to the return. 0: the code branches there, so the number is not known.
 */
struct image_hooks {
    unsigned before, behind;
};
/* What the call instruction calls behind which the address is. false: it calls what a
 * register says, or there is none. */
bool image_call_target(struct image *image, uint64_t from, uint64_t *target);

/*
 * Who may call whom, by the code. A function's number is that of its symbol
 * (image_symbols()); the last one is all code in no function. `by_pointer` functions
 * call, or jump to, what a register or memory says; what is not known of a function's
 * code counts as that.
 */
struct image_call_graph {
    size_t count;      /* functions, the last one included */
    uint32_t *callers; /* of function f: callers[first[f] .. first[f + 1]): those whose
                        * code calls or jumps to it, some of them more than once */
    uint32_t *first;
    bool *calls; /* its code calls or jumps to some function */
    bool *by_pointer;
};
/* It is made once, and lives as long as the image. NULL: the machine's instructions are
 * not known, or out of memory (image_no_memory()). */
const struct image_call_graph *image_call_graph(struct image *image);

/*
 * How a function that was called leads to another by tail calls, if by the code there is
 * one way only: no other chain of jumps to the begins of functions, and none of the
 * functions to which they lead goes on where a register says. Fills in the addresses
 * behind the jumps, that of the jump to `to` first, and returns their number. 0: there is
 * no way; or there is one, but there are or may be `more`. image_no_memory() as above.
 */
enum { IMAGE_TAILS_MAX = 8 };
size_t image_tail_calls(struct image *image, const struct image_symbol *from,
                        const struct image_symbol *to, uint64_t behind[IMAGE_TAILS_MAX],
                        bool *more);

/* Of a function's code [low, high). false: out of memory. */
bool image_hooks(struct image *image, uint64_t low, uint64_t high,
                 struct image_hooks *hooks);

/*
 * An instruction of a function, and in how many loops it is, one in another. Successors
 * of a switch are not known, and loops through it are not found.
 */
enum { IMAGE_LOOPS_MAX = 4 }; /* more loops count as so many */
struct image_step {
    uint64_t address;
    uint64_t jumps, calls; /* where it jumps or calls to, if it names an address; 0 */
    unsigned loops;
    unsigned begins; /* loops whose first instruction it is */
    bool ends;       /* the next one does not follow it */
    bool hook;       /* it calls a hook of timed calls */
    bool cased;      /* nothing leads there: it is a case of a switch, or never runs */
};
/* Those of a function's code [low, high), ascending; the caller frees them. There are
 * none if it has more than 256 KiB. false: out of memory. */
bool image_steps(struct image *image, uint64_t low, uint64_t high,
                 struct image_step **steps, size_t *count);

/* The firmware of the same source as it ships, built without hooks: image_close(image)
 * closes it, too. NULL: not known. */
void image_set_shipped(struct image *image, struct image *shipped);
struct image *image_shipped(const struct image *image);

#endif
