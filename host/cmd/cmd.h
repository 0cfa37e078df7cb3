/* SPDX-License-Identifier: MIT */
/*
 * The subcommands. Each is one file, cmd/NAME.c, with one struct cmd; one option table
 * feeds parsing, --help and shell completion. cmd.c holds the list.
 */
#ifndef MCUPROF_HOST_CMD_H
#define MCUPROF_HOST_CMD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "../base/error.h"
#include "../decode/decode.h"
#include "../image/image.h"
#include "../profile/analyse.h"
#include "../profile/profile.h"
#include "../report/style.h"

#define MCUPROF_VERSION "0.1.0"

/* An option: its value is stored through `value` as its type says. Numbers are whole
 * decimal numbers (OPTION_UNSIGNED) or finite and not negative (OPTION_DOUBLE). */
enum option_type {
    OPTION_FLAG,
    OPTION_STRING,
    OPTION_UNSIGNED,
    OPTION_DOUBLE,
    OPTION_LIST,     /* may be given several times */
    OPTION_OPTIONAL, /* a value may be attached; here: a whole number, or the next one is
                      */
};

/* The value of an OPTION_OPTIONAL: `number` stays as it is where none is attached. */
struct option_number {
    bool given;
    unsigned number;
};

/* The values of an OPTION_LIST; ends with NULL. */
enum { OPTION_LIST_MAX = 64 };
struct option_list {
    const char *items[OPTION_LIST_MAX + 1];
    size_t count;
};

struct option_spec {
    char letter;      /* 0: none */
    const char *name; /* without dashes; own_options: "" if it has only a letter */
    enum option_type type;
    const char *argument; /* its name in the help, NULL for a flag */
    const char *help;     /* one line */
    void *value; /* bool *, const char **, unsigned *, double *, struct option_list *,
                    struct option_number * */
};

/* Captures as a command gets them. */
struct shown {
    int files;
    char **paths;
    const struct profile *profile;
    struct image *image;       /* NULL: no -e was given */
    struct analysis *analysis; /* NULL: it was not asked for */
    struct style style;        /* of standard output */
};

struct input_options;

/* What a command needs that reads captures and shows something of them. */
struct cmd_input {
    struct input_options *options;
    const char *files; /* what is expected where no FILE is given */
    bool elf;          /* -e must be given */
    /* What the captures say of functions, too: analyse() or analyse_functions(); NULL: it
     * is not wanted. */
    bool (*analyse)(struct analysis *analysis, const struct profile *profile,
                    struct image *image, struct error *error);
    const char *const *color; /* the value of --color; NULL: it has no such option */
    /* Looks at the other options before anything is read: EXIT_DONE to go on, or what
     * cmd_usage() returned. May be NULL. */
    int (*check)(void);
    /* false: error filled in. */
    bool (*show)(const struct shown *shown, struct error *error);
};

struct cmd {
    const char *name;
    const char *summary;               /* one line, as in `mcuprof --help` */
    const char *synopsis;              /* the arguments, as in the manual */
    const char *details;               /* further lines of the help; may be NULL */
    void (*print_details)(FILE *out);  /* or prints them; may be NULL */
    const struct option_spec *options; /* ends with a NULL name; NULL: none */
    /* In place of options: run() reads its own command line, argv[-1] is the command's
     * name. This table is for help and completion only. */
    const struct option_spec *(*own_options)(void);
    /* Runs with the operands left after the options, argv[argc] NULL. Returns an
     * exit status; prints its own errors with cmd_fail. */
    int (*run)(int argc, char **argv);
    /* In place of run(): see cmd_show(). */
    const struct cmd_input *input;
    /* The words an operand can be, separated by blanks, for shell completion; NULL:
     * files. */
    const char *operands;
    void (*print_operands)(void); /* in place of these: prints them */
    bool keeps_dashes; /* a "--" is left among the operands (record: a command follows) */
};

extern const struct cmd cmd_record, cmd_report, cmd_annotate, cmd_diff, cmd_check,
    cmd_info, cmd_export, cmd_merge, cmd_flags, cmd_unwind, cmd_help, cmd_completion,
    cmd_gprof;

/* All of them, in the order of `mcuprof --help`; ends with NULL. */
extern const struct cmd *const cmd_all[];

/* The command of that name, NULL if there is none. */
const struct cmd *cmd_find(const char *name);
/* The command whose name is nearest to a mistyped one; NULL if none is near. */
const struct cmd *cmd_nearest(const char *name);
/* Says that there is no such command, and the nearest one; returns EXIT_USAGE. */
int cmd_unknown(const char *name);
/* How many letters to add, drop, change or swap to make one word the other. Words longer
 * than 63 bytes are as far from all others as can be. */
size_t cmd_distance(const char *a, const char *b);

/* The nearest of some names to a wanted one that is none of them; nearest is NULL where
 * none is near. */
struct guess {
    const char *wanted, *nearest;
    size_t distance; /* of nearest */
};
void cmd_guess(struct guess *guess, const char *name);
/* Fills in the error of a --focus that is not among the functions that were counted. */
bool cmd_no_function(const struct guess *guess, const struct image *image,
                     struct error *error);

/* The capture that cmd_record wrote; NULL: none, or to standard output. */
const char *cmd_recorded(void);

/* The table of its options, of either kind; never NULL. */
const struct option_spec *cmd_options(const struct cmd *cmd);

/* The text of `mcuprof --help` and of `mcuprof NAME --help`. */
void cmd_print_overview(FILE *out);
void cmd_print_help(const struct cmd *cmd, FILE *out);

/* Prints "mcuprof NAME: TEXT" as one line (cmd NULL: "mcuprof: TEXT"; control characters
 * in it, as of a file's name, are shown as '?') and returns error->status. */
int cmd_fail(const struct cmd *cmd, const struct error *error);
/* The same for a wrong command line, with a hint at --help; returns EXIT_USAGE. */
int cmd_usage(const struct cmd *cmd, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Parses options (GNU style: anywhere among the operands, "--" ends them, long names may
 * be abbreviated); handles --help. Moves the operands to the front of argv, where argv[0]
 * is the first argument. Returns -1 to go on, else the exit status. */
int cmd_parse(const struct cmd *cmd, int *argc, char ***argv);

/* The options shared by all that read captures, and what they select. */
struct input_options {
    const char *elf;
    bool force;  /* --force: use the ELF though its build ID differs */
    bool strict; /* --strict: status 1 if anything was lost or damaged */
    struct decode_options decode;
    const char *task; /* --task: only what is of this task or interrupt; NULL: all */
    bool through_interrupts; /* paths go on into what interrupts hit; else they end at
                                the handler */
    bool as_decoded;         /* paths are neither */
};
/* For the option tables of those that can show one task alone. */
#define TASK_OPTION_ROW(in)                                                              \
    {                                                                                    \
        0, "task", OPTION_STRING, "NAME", "only this task or interrupt", &(in).task      \
    }
/* Likewise, of all that show call paths. */
#define THROUGH_OPTION_ROW(in)                                                           \
    {                                                                                    \
        0, "through-interrupts", OPTION_FLAG, NULL,                                      \
            "paths go on into what interrupts hit", &(in).through_interrupts             \
    }
/* For option tables: the -e, --force, --strict, --format, --hz, --addr-bytes rows. */
#define INPUT_OPTION_ROWS(in)                                                              \
    {'e', "elf", OPTION_STRING, "ELF", "the firmware's ELF file", &(in).elf},              \
        {0, "force", OPTION_FLAG, NULL, "accept an ELF of another build ID", &(in).force}, \
        {0, "strict", OPTION_FLAG, NULL, "exit 1 if anything was lost", &(in).strict},     \
        {0,                                                                                \
         "format",                                                                         \
         OPTION_STRING,                                                                    \
         "NAME",                                                                           \
         "mcuprof, pa, pa-hex, pclog or gmon; default: recognised by content",             \
         &(in).decode.format},                                                             \
        {0,                                                                                \
         "hz",                                                                             \
         OPTION_DOUBLE,                                                                    \
         "RATE",                                                                           \
         "sampling rate, where the input does not say",                                    \
         &(in).decode.hz},                                                                 \
    {                                                                                      \
        0, "addr-bytes", OPTION_UNSIGNED, "N", "bytes of an address in pa and pa-hex",     \
            &(in).decode.addr_bytes                                                        \
    }

/* A build ID in hex, "none" if it has no bytes; at most BUILD_ID_MAX bytes are shown. */
enum { BUILD_ID_TEXT = 2 * BUILD_ID_MAX + 1 };
const char *cmd_build_id(const uint8_t *bytes, size_t size, char text[BUILD_ID_TEXT]);
/* Whether the ELF is that of the firmware that made `path`: not if the profile has a
 * build ID and the ELF has another or none, or if it is of another architecture; the
 * error shows both. */
bool cmd_check_image(const struct profile *profile, const struct image *image,
                     const char *path, struct error *error);

/* Opens the ELF (if any; *image NULL otherwise), reads all FILEs into *profile, checks
 * the build ID (a wrong ELF is refused with both IDs shown, unless --force). */
bool input_read(const struct input_options *options, int files, char **paths,
                struct profile *profile, struct image **image, struct error *error);

/* Runs a command that has `input`: checks its command line, reads the captures, has them
 * shown, looks at --strict, and releases all. Returns the exit status. */
int cmd_show(const struct cmd *cmd, int files, char **paths);

/* Captures and what they say. */
struct analysed {
    struct profile profile;
    struct image *image;
    struct analysis analysis;
    bool done;
};
/* Reads and analyses them with this ELF. To be released in any case, and where it is 0.
 */
bool input_analyse(const struct input_options *options, const char *elf, int files,
                   char **paths, struct analysed *analysed, struct error *error);
void input_release(struct analysed *analysed);

#endif
