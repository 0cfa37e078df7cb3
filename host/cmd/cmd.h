/* SPDX-License-Identifier: MIT */
/*
 * The subcommands. Each is one file, cmd/NAME.c, with one struct cmd, whose option table
 * serves parsing, --help and shell completion. commands.c holds the list.
 */
#ifndef MCUPROF_HOST_CMD_H
#define MCUPROF_HOST_CMD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "../analysis/analyse.h"
#include "../answers/energy.h"
#include "../base/error.h"
#include "../decode/decode.h"
#include "../image/image.h"
#include "../profile/profile.h"
#include "../report/style.h"

#define MCUPROF_VERSION "0.1.0"

/* The type of an option says how its value is stored through `value`. OPTION_UNSIGNED
 * takes whole decimal numbers, OPTION_DOUBLE finite numbers that are not negative,
 * OPTION_RATE those above 0 and up to 1e9 Hz. */
enum option_type {
    OPTION_FLAG,
    OPTION_STRING,
    OPTION_UNSIGNED,
    OPTION_DOUBLE,
    OPTION_RATE,
    OPTION_LIST,     /* may be given several times */
    OPTION_OPTIONAL, /* a value may be attached; cmd_parse() also takes the next argument
                        if it is a whole number */
};

/* The value of an OPTION_OPTIONAL: `number` keeps its value if none is given. */
struct option_number {
    bool given;
    unsigned number;
};

/* The values of an OPTION_LIST; the list ends with NULL. */
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

/* The captures that a command has read. */
struct shown {
    int files;
    char **paths;
    const struct profile *profile;
    struct image *image;         /* NULL: no -e was given */
    struct analysis *analysis;   /* NULL: it was not asked for */
    const struct energy *energy; /* NULL: no --power was given */
    struct style style;          /* of standard output */
};

struct input_options;
struct terminal_options;

/* The needs of a command that reads captures and shows something of them. */
struct cmd_input {
    struct input_options *options;
    const char *files; /* what the error says is expected if no FILE is given */
    bool elf;          /* -e must be given */
    bool tells_losses; /* what it shows tells the losses; other commands print a
                        * warning */
    /* Analyses the captures by function: analyse() or analyse_sums(); NULL: no analysis
     * is wanted. */
    bool (*analyse)(struct analysis *analysis, const struct profile *profile,
                    struct image *image, struct error *error);
    const struct terminal_options *terminal; /* NULL: it has no such options */
    /* Checks the other options before anything is read; returns EXIT_DONE to go on, or
     * what cmd_usage() returned. May be NULL. */
    int (*check)(void);
    /* Shows the captures. false: *error is set. */
    bool (*show)(const struct shown *shown, struct error *error);
};

struct cmd {
    const char *name;
    const char *summary;               /* one line, as in `mcuprof --help` */
    const char *synopsis;              /* the arguments, as in the manual */
    const char *details;               /* further lines of the help; may be NULL */
    void (*print_details)(FILE *out);  /* prints further lines of the help; may be NULL */
    const struct option_spec *options; /* ends with a NULL name; NULL: none */
    /* In place of `options`, for a command whose run() reads its own command line
     * (argv[-1] is the command's name). The table serves only help and completion. */
    const struct option_spec *(*own_options)(void);
    /* Gets the operands that are left after the options; argv[argc] is NULL. Prints its
     * errors with cmd_fail() and returns an exit status. */
    int (*run)(int argc, char **argv);
    /* Instead of run(): see cmd_show(). */
    const struct cmd_input *input;
    /* For shell completion: the words that an operand can be, separated by blanks; NULL:
     * operands are files. */
    const char *operands;
    void (*print_operands)(void); /* prints these words, in place of `operands` */
    bool takes_conf;   /* without -e, the ELF is that of mcuprof.conf (conf.h) */
    bool keeps_dashes; /* a "--" is left among the operands (record: a command follows) */
};

extern const struct cmd cmd_record, cmd_ports, cmd_top, cmd_report, cmd_annotate,
    cmd_html, cmd_serve, cmd_diff, cmd_check, cmd_info, cmd_export, cmd_merge, cmd_flags,
    cmd_unwind, cmd_patch, cmd_lint, cmd_help, cmd_completion, cmd_gprof, cmd_run;

/* All commands in the order of `mcuprof --help`; the list ends with NULL. */
extern const struct cmd *const commands[];
/* The same, for who lies below the list; main sets it. */
extern const struct cmd *const *cmd_all;
/* Prints the names of all commands, separated by blanks. */
void cmd_print_names(void);

/* Runs a command: argv[0] is its name. Returns its exit status. */
int cmd_execute(int argc, char **argv);

/* Finds a command by its name; NULL: there is none. */
const struct cmd *cmd_find(const char *name);
/* The command whose name is nearest to a mistyped one; NULL if none is near. */
const struct cmd *cmd_nearest(const char *name);
/* Says that there is no such command, and the nearest one; returns EXIT_USAGE. */
int cmd_unknown(const char *name);
/* The number of letters to add, drop, change or swap that turns one word into the other.
 * A word longer than 63 bytes has the largest distance from all others. */
size_t cmd_distance(const char *a, const char *b);

/* Looks for the name that is nearest to a mistyped one; nearest is NULL as long as none
 * is near. */
struct guess {
    const char *wanted, *nearest;
    size_t distance; /* from `wanted` to `nearest` */
};
void cmd_guess(struct guess *guess, const char *name);
/* Sets the error for a --focus on a function that was not counted; returns false. */
bool cmd_no_function(const struct guess *guess, const struct image *image,
                     struct error *error);

/* The path of the capture that cmd_record wrote; NULL: none, or standard output. */
const char *cmd_recorded(void);
/* Says that a report of what cmd_record writes will follow. */
void cmd_report_follows(void);

/* What `report` and `export --to NAME` write without further options, for who has no
 * command line. */
bool cmd_report_to(FILE *out, const struct shown *shown, struct error *error);
bool cmd_export_to(FILE *out, const char *name, const struct profile *profile,
                   struct image *image, struct error *error);

/* Prints what --columns and --sort take, for print_details. */
void cmd_print_figures(FILE *out);

/* The command's option table, `options` or own_options(); never NULL. */
const struct option_spec *cmd_options(const struct cmd *cmd);

/* The text of `mcuprof --help` and of `mcuprof NAME --help`. */
void cmd_print_overview(FILE *out);
void cmd_print_help(const struct cmd *cmd, FILE *out);

/* Prints "mcuprof NAME: TEXT" as one line ("mcuprof: TEXT" if cmd is NULL) and returns
 * error->status. Control characters, which a file's name can hold, are shown as "\x..".
 */
int cmd_fail(const struct cmd *cmd, const struct error *error);
/* Reports a wrong command line, with a hint at --help; returns EXIT_USAGE. */
int cmd_usage(const struct cmd *cmd, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Parses options in GNU style (they may stand among the operands, "--" ends them, long
 * names may be abbreviated) and handles --help. Where -e is not given and the
 * command takes_conf, a mcuprof.conf in the current folder says which ELF. argv[0] is the
 * first argument. Moves the operands to the front of argv. Returns -1 to go on, else the
 * exit status. */
int cmd_parse(const struct cmd *cmd, int *argc, char ***argv);

/* The options that all commands share which read captures. */
struct input_options {
    const char *elf;
    const char
        *shipped; /* --shipped: the ELF of the same source without hooks; or NULL */
    const char *counts_from; /* --counts-from: the ELF of a build that counts calls, whose
                                captures are among the files; or NULL */
    /* Where two profiles are compared: those of the earlier one; NULL: the same. */
    const char *base_elf, *base_shipped;
    bool lacks_base; /* the earlier one is read, and --base-elf was not given */
    bool force;      /* --force: use the ELF even if its build ID differs */
    bool strict;     /* --strict: status 1 if anything was lost or damaged */
    struct decode_options decode;
    const char *power; /* --power: the file of currents; NULL: no energy is asked for */
    const char *task;  /* --task: only the events of this task or interrupt; NULL: all */
    bool through_interrupts; /* call paths go on into the interrupted code; else they end
                                at the handler */
    bool tail_calls;         /* functions that left by a tail call are in call paths */
    bool as_decoded;         /* call paths stay as they were decoded */
};
/* A row for option tables of commands that can show one task alone. */
#define TASK_OPTION_ROW(in)                                                              \
    {                                                                                    \
        0, "task", OPTION_STRING, "NAME", "only this task or interrupt", &(in).task      \
    }
/* A row for option tables of commands that show energy. */
#define POWER_OPTION_ROW(in)                                                             \
    {                                                                                    \
        0, "power", OPTION_STRING, "FILE", "energy, by the currents in this file",       \
            &(in).power                                                                  \
    }
/* A row for option tables of commands that show calls. */
#define COUNTS_OPTION_ROW(in)                                                            \
    {                                                                                    \
        0, "counts-from", OPTION_STRING, "ELF",                                          \
            "FILEs of this build count the calls, others the time", &(in).counts_from    \
    }
/* A row for option tables of commands that show call paths. */
#define THROUGH_OPTION_ROW(in)                                                           \
    {                                                                                    \
        0, "through-interrupts", OPTION_FLAG, NULL,                                      \
            "paths go on into what interrupts hit", &(in).through_interrupts             \
    }
#define TAIL_OPTION_ROW(in)                                                              \
    {                                                                                    \
        0, "tail-calls", OPTION_FLAG, NULL,                                              \
            "paths have the functions that left by a tail call", &(in).tail_calls        \
    }
/* A row for option tables of commands that show times of calls. */
#define SHIPPED_OPTION_ROW(in)                                                           \
    {                                                                                    \
        0, "shipped", OPTION_STRING, "ELF",                                              \
            "timed calls: the firmware as it ships, without hooks", &(in).shipped        \
    }
/* And of those that compare times of calls with an earlier profile. */
#define BASE_SHIPPED_OPTION_ROW(in)                                                      \
    {                                                                                    \
        0, "base-shipped", OPTION_STRING, "ELF",                                         \
            "the baseline's --shipped; needed with --base-elf", &(in).base_shipped       \
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
         DECODE_FORMAT_NAMES "; default: by content",                                      \
         &(in).decode.format},                                                             \
        {0,                                                                                \
         "hz",                                                                             \
         OPTION_RATE,                                                                      \
         "RATE",                                                                           \
         "sampling rate, where the input does not say",                                    \
         &(in).decode.hz},                                                                 \
    {                                                                                      \
        0, "addr-bytes", OPTION_UNSIGNED, "N", "bytes of an address in pa and pa-hex",     \
            &(in).decode.addr_bytes                                                        \
    }

/* Writes a build ID in hex, at most BUILD_ID_MAX bytes of it; "none" if it has no bytes.
 */
enum { BUILD_ID_TEXT = 2 * BUILD_ID_MAX + 1 };
const char *cmd_build_id(const uint8_t *bytes, size_t size, char text[BUILD_ID_TEXT]);
/* Checks that the ELF belongs to the firmware that made `path`. It does not if the
 * profile has a build ID and the ELF has another one or none, or if the architectures
 * differ; the error shows both. */
bool cmd_check_image(const struct profile *profile, const struct image *image,
                     const char *path, struct error *error);

/* Takes from the ELF what input formats do not contain. image may be NULL. */
void input_ask_image(const struct image *image, struct decode_options *options);

/* With --task, keeps only that task's part. Each interrupt that has a handler must have
 * got its name before. false: there is no such task, and *profile is unchanged. */
bool input_keep_task(const struct input_options *options, struct profile *profile,
                     struct error *error);
/* false: --through-interrupts is given, but the firmware did not record what lies beyond
 * interrupts' handlers. */
bool input_goes_through(const struct input_options *options,
                        const struct profile *profile, struct error *error);

/* Opens the ELF (*image is NULL if none is given), reads all FILEs into *profile and
 * checks the build ID (a wrong ELF is refused, unless --force). */
bool input_read(const struct input_options *options, int files, char **paths,
                struct profile *profile, struct image **image, struct error *error);

/* As output_differs(), of the captures and of each ELF that is given. */
bool input_differs(const struct input_options *options, const char *out, int files,
                   char **paths, struct error *error);

/* Opens the ELF of --shipped, if it is given, which belongs to the image from then on. */
bool input_open_shipped(const struct input_options *options, struct image *image,
                        struct error *error);
/* false: --shipped is given, and the profile is of firmware whose loops are not found. */
bool input_may_ship(const struct input_options *options, const struct profile *profile,
                    struct error *error);

/* Finds the energy, by the file of --power, which is read into *power; warns of tasks in
 * it that the profile does not have. energy->power is NULL where it is not asked for.
 * Release both in any case. */
bool input_find_energy(const struct cmd *cmd, const struct input_options *options,
                       const struct profile *profile, const struct analysis *analysis,
                       struct image *image, struct power *power, struct energy *energy,
                       struct error *error);
/* --power is of all tasks: EXIT_DONE, or what cmd_usage() returned. */
int input_check_power(const struct cmd *cmd, const struct input_options *options);

/* Whether two inputs have the same bytes. */
bool input_is_same(const struct content *one, const struct content *other);
/* Warns that a capture is compared with itself, if it is. */
void cmd_warn_of_same(const struct cmd *cmd, const struct profile *before,
                      const char *before_path, const struct profile *after,
                      const char *after_path);

/* false: memory ran out while the ELF's lines were read, so the output lacks some. */
bool input_had_memory(const struct image *image, struct error *error);

struct texts;
/* Warns once of source files that were not found, and once of those newer than the ELF.
 */
void cmd_warn_of_texts(const struct cmd *cmd, const struct texts *texts);

/* Warns of samples that came late, and of sampling that took too long. `path` names the
 * captures; NULL: they need no name. */
void cmd_warn_of_sampling(const struct cmd *cmd, const struct profile *profile,
                          const char *path);

/* Warns of losses, unless --strict reports them, and of sampling. For commands whose
 * output does not tell either. */
void cmd_warn_of_losses(const struct cmd *cmd, const struct input_options *options,
                        const struct profile *profile, const char *path);

/* Runs a command that has `input`: checks its command line, reads the captures, calls
 * show(), applies --strict and releases all. Returns the exit status. */
int cmd_show(const struct cmd *cmd, int files, char **paths);

/* Captures that were read, and their analysis. */
struct analysed {
    struct profile profile;
    struct image *image;
    struct analysis analysis;
    bool done;
};
/* Reads and analyses captures with this ELF. Release *analysed in any case, also if it is
 * all zeros. */
bool input_analyse(const struct input_options *options, const char *elf, int files,
                   char **paths, struct analysed *analysed, struct error *error);
/* Checks the options of the earlier profile of two, before anything is read. If one of
 * both profiles alone were corrected by --shipped, they could not be compared: an error.
 */
bool input_check_base(const struct input_options *options, struct error *error);
/* As input_analyse(), of the earlier profile, with base_elf and base_shipped. */
bool input_analyse_base(const struct input_options *options, char *path,
                        struct analysed *analysed, struct error *error);
void input_release(struct analysed *analysed);

#endif
