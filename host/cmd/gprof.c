/* SPDX-License-Identifier: MIT */
/* mcuprof gprof: does what GNU gprof does. gprof/ reads its own command line. */
#include "../gprof/options/options.h"

#include <string.h>

#include "cmd.h"

enum { ROWS_MAX = 64 };

/* Returns the option table of gprof/, for help and completion. */
static const struct option_spec *option_rows(void)
{
    static const enum option_type types[] = {OPTION_FLAG, OPTION_STRING, OPTION_OPTIONAL};
    static struct option_spec rows[ROWS_MAX];
    struct option_spec *out = rows;

    for (const struct gprof_option *row = gprof_option_rows; row->name != NULL; row++) {
        if (strcmp(row->name, "help") == 0 || out == rows + ROWS_MAX - 1)
            continue;
        *out++ = (struct option_spec){
            .letter = row->value < 256 ? (char)row->value : 0,
            .name = row->name,
            .type = types[row->kind],
            .argument = row->argument,
            .help = row->help,
        };
    }
    *out = (struct option_spec){0};
    return rows;
}

/* argv[-1] is the command's name, "gprof", with which GNU gprof's messages begin. */
static int run(int argc, char **argv)
{
    if (argc > 0 && (strcmp(argv[0], "--help") == 0 || strcmp(argv[0], "-h") == 0)) {
        cmd_print_help(&cmd_gprof, stdout);
        return EXIT_DONE;
    }
    return gprof_run(argc + 1, argv - 1);
}

const struct cmd cmd_gprof = {
    .name = "gprof",
    .summary = "all that GNU gprof prints, in its words and options",
    .synopsis = "[OPTION...] [IMAGE [PROFILE...]]",
    .details =
        "IMAGE is a.out, PROFILE gmon.out if not given; PROFILEs are summed. '-' is\n"
        "standard input, @FILE stands for the arguments in FILE. SPEC names functions:\n"
        "file.c, file.c:function, file.c:line, function or line; FROM/TO, also with -q\n"
        "and -Q, names calls. Without an option that prints: -p -q.",
    .own_options = option_rows,
    .run = run,
};
