/* SPDX-License-Identifier: MIT */
/*
 * The program as the checks see it: functions, what they call, which hooks they call, and
 * what the debug information says of the files that they were compiled from. Private to
 * lint/.
 */
#ifndef MCUPROF_HOST_LINT_PROGRAM_H
#define MCUPROF_HOST_LINT_PROGRAM_H

#include "../image/image.h"
#include "../image/units.h"

/* The compiler's hooks: bits. */
enum hook {
    HOOK_CALL = 1,   /* of -pg */
    HOOK_ENTER = 2,  /* of -finstrument-functions */
    HOOK_EXIT = 4,   /* likewise */
    HOOK_BLOCK = 8,  /* of -fsanitize-coverage=trace-pc */
    HOOK_JUMPED = 16 /* one was jumped to: a sibling call */
};

struct function {
    const struct image_symbol *symbol;
    unsigned is;           /* the hook that it is; 0: none */
    unsigned hooks;        /* those that it calls */
    uint64_t hook;         /* the first such call, */
    unsigned first;        /* and what it calls */
    unsigned instructions; /* without those calls */
    uint32_t unit;         /* that it was written in: 1 + index; 0: unknown */
    bool typed;            /* the symbol says that it is a function */
    bool loops;            /* it jumps back */
    bool leaf;             /* it calls nothing but hooks */
    bool named;            /* it is the library's own */
    bool port;             /* it is one that a board provides for the library */
};

struct call {
    uint32_t from, to; /* functions */
    uint64_t at;
    bool jump;    /* a sibling call */
    bool in_loop; /* of the caller */
};

/* What the compiler said of a file. */
struct unit_flags {
    bool calls, times, blocks; /* it was to call the hooks */
    bool lto, keeps_arguments;
    bool clang; /* which tells its flags with -grecord-command-line alone */
};

/* A function as it was written, by the place of its debug information. */
struct written {
    uint64_t offset;
    uint32_t unit;
    const char *name;               /* as in DWARF; NULL: none */
    const struct line_table *table; /* NULL: its file is not known */
    size_t file;                    /* in the table */
    unsigned line;
    size_t inlined; /* into so many places */
    bool exists;    /* there is code that is called */
};

struct program {
    struct image *image;
    const struct image_symbol *symbols;
    struct function *functions; /* of the symbols; behind them one for nameless code */
    size_t count;
    struct call *calls; /* in the order of the functions that call */
    size_t call_count, call_room;
    struct arch_code code;
    struct units units;
    struct unit_flags *flags; /* of the units */
    struct written *written;  /* ascending by offset */
    size_t written_count, written_room;
    bool dwarf;      /* there is debug information */
    bool short_code; /* a Cortex-M: no A32 code in an ARM's ELF */
};

/* false: out of memory; to be released in any case. */
bool program_read(struct program *program, struct image *image);
void program_release(struct program *program);
/* Reads what the debug information says. false: out of memory. */
bool program_read_units(struct program *program);

/* The function at or around an address; NULL: none. */
struct function *program_in(const struct program *program, uint64_t address);
struct function *program_begins(const struct program *program, uint64_t address);
/* By the symbol's name; NULL: none. */
struct function *program_named(const struct program *program, const char *name);
/* Whether the symbol table has a symbol of that name; *found may be NULL. */
bool program_symbol(const struct program *program, const char *name, GElf_Sym *found);
/* Whether the library times calls. */
bool program_times(const struct program *program);
/* The bytes from an address on in what the ELF holds of memory; NULL: none. */
const uint8_t *program_bytes(const struct program *program, uint64_t address,
                             size_t *size);
uint32_t program_word(const struct program *program, const uint8_t *bytes);
/* Whether a word of memory is the function's address, as a pointer has it. */
bool program_points(const struct program *program, const struct function *function);
/* Whether something calls it, or jumps to it, that is none of the library's own and none
 * of what a board provides for the library: what starts a link may call its interrupt's
 * function. */
bool program_calls(const struct program *program, const struct function *function,
                   bool jump);
/* Whether it is one of the firmware's, which summaries count: not the profiler's own. */
static inline bool function_counts(const struct function *function)
{
    return !function->named && !function->port && function->is == 0 &&
           (function->typed || function->hooks != 0);
}

/* Whether it is instrumented, and none of the library's own. */
static inline bool function_profiled(const struct function *function)
{
    return function->hooks != 0 && function->is == 0 && !function->named;
}

#endif
