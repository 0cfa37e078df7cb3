/* SPDX-License-Identifier: MIT */
/*
 * The program as the checks see it: functions, their calls, the hooks they call, and what
 * the debug information says of the files that they were compiled from. Private to lint/.
 */
#ifndef MCUPROF_HOST_LINT_PROGRAM_H
#define MCUPROF_HOST_LINT_PROGRAM_H

#include "../image/image.h"
#include "../image/units.h"

/* The compiler's hooks, a bit each. */
enum hook {
    HOOK_CALL = 1,   /* of -pg */
    HOOK_ENTER = 2,  /* of -finstrument-functions */
    HOOK_EXIT = 4,   /* likewise */
    HOOK_BLOCK = 8,  /* of -fsanitize-coverage=trace-pc */
    HOOK_JUMPED = 16 /* a hook was jumped to: a sibling call */
};

struct function {
    const struct image_symbol *symbol;
    unsigned is;           /* which hook it is; 0: none */
    unsigned hooks;        /* the hooks that it calls */
    uint64_t hook;         /* address of the first call of a hook, */
    unsigned first;        /* and which hook that calls */
    unsigned instructions; /* number of them, without calls of hooks */
    uint32_t unit;         /* the unit it was written in: 1 + index; 0: unknown */
    bool typed;            /* the symbol says that it is a function */
    bool loops;            /* it jumps back */
    bool leaf;             /* it calls nothing but hooks */
    bool named;            /* it belongs to the library */
    bool port;             /* the board provides it for the library */
};

struct call {
    uint32_t from, to; /* indices of functions */
    uint64_t at;
    bool jump;    /* a sibling call */
    bool in_loop; /* the caller's loop */
};

/* What the debug information says of a file's flags. */
struct unit_flags {
    bool calls, times, blocks; /* the compiler was told to call these hooks */
    bool lto, keeps_arguments;
    bool clang; /* compiled by clang, which records flags only with
                 * -grecord-command-line */
};

/* A function as it was written, by the place of its debug information. */
struct written {
    uint64_t offset;
    uint32_t unit;
    const char *name;               /* as in DWARF; NULL: none */
    const struct line_table *table; /* NULL: its file is not known */
    size_t file;                    /* index in the table */
    unsigned line;
    size_t inlined; /* number of places it was inlined into */
    bool exists;    /* it has code that is called */
};

struct program {
    struct image *image;
    const struct image_symbol *symbols;
    struct function *functions; /* one for each symbol; the last one is for nameless
                                 * code */
    size_t count;
    struct call *calls; /* in the order of the functions that call */
    size_t call_count, call_room;
    struct arch_code code;
    struct units units;
    struct unit_flags *flags; /* of the units */
    struct written *written;  /* ascending by offset */
    size_t written_count, written_room;
    bool dwarf;      /* there is debug information */
    bool short_code; /* a Cortex-M: an ELF of ARM without A32 code */
};

/* false: out of memory. The caller releases it in any case. */
bool program_read(struct program *program, struct image *image);
void program_release(struct program *program);
/* Reads what the debug information says. false: out of memory. */
bool program_read_units(struct program *program);

/* The function at or around an address; NULL: none. */
struct function *program_in(const struct program *program, uint64_t address);
struct function *program_begins(const struct program *program, uint64_t address);
/* The function of that symbol's name; NULL: none. */
struct function *program_named(const struct program *program, const char *name);
/* Whether the symbol table has a symbol of that name; *found may be NULL. */
bool program_symbol(const struct program *program, const char *name, GElf_Sym *found);
/* Whether the library times calls. */
bool program_times(const struct program *program);
/* The bytes of memory from an address on that the ELF has; NULL: none. */
const uint8_t *program_bytes(const struct program *program, uint64_t address,
                             size_t *size);
uint32_t program_word(const struct program *program, const uint8_t *bytes);
/* Whether a word of memory holds the function's address, as a pointer would. */
bool program_points(const struct program *program, const struct function *function);
/* Whether something calls it, or jumps to it, that is none of the library's own and none
 * of what a board provides for the library: what starts a link may call its interrupt's
 * function. */
bool program_calls(const struct program *program, const struct function *function,
                   bool jump);
/* Whether summaries count the function: it is the firmware's, not the profiler's own. */
static inline bool function_counts(const struct function *function)
{
    return !function->named && !function->port && function->is == 0 &&
           (function->typed || function->hooks != 0);
}

/* Whether the function is instrumented and not the library's own. */
static inline bool function_profiled(const struct function *function)
{
    return function->hooks != 0 && function->is == 0 && !function->named;
}

#endif
