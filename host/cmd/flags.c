/* SPDX-License-Identifier: MIT */
/* mcuprof flags: the options to compile and link profiled firmware with. */
#include <fnmatch.h>
#include <stdio.h>

#include "../answers/skip.h"
#include "../arch/arch.h"
#include "cmd.h"

static bool only_cflags, only_ldflags, calls, blocks, thumb, clang;
static const char *skip_capture;

static const struct option_spec options[] = {
    {0, "cflags", OPTION_FLAG, NULL, "only the compiler's flags, for profiled files",
     &only_cflags},
    {0, "ldflags", OPTION_FLAG, NULL, "only the linker's flags", &only_ldflags},
    {0, "calls", OPTION_FLAG, NULL, "time the files' calls, in place of counting them",
     &calls},
    {0, "blocks", OPTION_FLAG, NULL, "count the files' basic blocks as well", &blocks},
    {0, "thumb", OPTION_FLAG, NULL, "for files compiled with -mthumb (ARM7, ARM9)",
     &thumb},
    {0, "clang", OPTION_FLAG, NULL, "for clang, which can time calls but not count them",
     &clang},
    {0, "skip", OPTION_STRING, "CAPTURE",
     "only the option for functions to leave out of timing; then an ELF", &skip_capture},
    {0},
};

/* Calls the profiler at each function's entry and exit. A sibling call, or arguments that
 * are popped late, would make the stack pointers at entry and exit differ; and without
 * -fno-tree-ter a value to return is computed behind the call at the exit. */
#define CALLS                                                                            \
    "-finstrument-functions -fno-optimize-sibling-calls -fno-defer-pop -fno-tree-ter "   \
    "-fno-lto"
/* clang does not know the last two flags. */
#define CLANG_CALLS "-finstrument-functions -fno-optimize-sibling-calls -fno-lto"
/* The linker script is in target/, which must be given with -L. */
#define LDFLAGS "-Wl,--build-id -Wl,-T,mcuprof.ld"
/* Calls the profiler in each basic block. */
#define BLOCKS " -fsanitize-coverage=trace-pc"

/* The rows of all ports, from 0 up; NULL beyond the last. */
static const struct arch_flags *row_at(size_t index)
{
    const struct arch_port *port;

    for (size_t i = 0; (port = arch_port_at(i)) != NULL; i++)
        for (const struct arch_flags *row = port->flags;
             row != NULL && row->pattern != NULL; row++)
            if (index-- == 0)
                return row;
    return NULL;
}

static const struct arch_flags *find(const char *name)
{
    const struct arch_flags *row;

    for (size_t i = 0; (row = row_at(i)) != NULL; i++)
        if (fnmatch(row->pattern, name, 0) == 0)
            break;
    return row;
}

static int unknown(const char *name)
{
    char known[256] = "";
    const struct arch_flags *row;

    for (size_t i = 0, used = 0; used < sizeof known && (row = row_at(i)) != NULL; i++)
        used += (size_t)snprintf(known + used, sizeof known - used, " %s", row->pattern);
    return cmd_usage(&cmd_flags, "no port for '%s'; there are ones for%s", name, known);
}

static void print(const struct arch_flags *row)
{
    const char *hooks = !calls ? row->counts : clang ? CLANG_CALLS : CALLS;
    const char *fixed = thumb && !calls ? row->thumb : "", *more = blocks ? BLOCKS : "";

    const char *links = row->links != NULL ? row->links : "";

    if (only_cflags == only_ldflags)
        printf("CFLAGS += %s%s%s\nLDFLAGS += %s%s\n", hooks, fixed, more, LDFLAGS, links);
    else if (only_cflags)
        printf("%s%s%s\n", hooks, fixed, more);
    else
        printf("%s%s\n", LDFLAGS, links);
}

static void print_cpus(void)
{
    const struct arch_port *port;

    for (size_t i = 0; (port = arch_port_at(i)) != NULL; i++)
        if (port->cpus != NULL)
            printf("%s%s", i > 0 ? " " : "", port->cpus);
}

/* Prints the option that leaves out functions; without such functions it prints nothing.
 */
static void print_skip(const struct skip *skip)
{
    size_t bytes;

    for (size_t i = 0; i < skip->count; i++) {
        const char *name = skip_name(skip->functions[i], &bytes);

        printf("%s%.*s", i == 0 ? "-finstrument-functions-exclude-function-list=" : ",",
               (int)bytes, name);
    }
    if (skip->count > 0)
        putchar('\n');
}

static int run_skip(int argc, char **argv)
{
    static const struct input_options in;
    char *paths[] = {(char *)skip_capture, NULL};
    struct analysed analysed = {.done = false};
    struct error error;
    struct skip skip;
    bool done;

    if (only_cflags || only_ldflags || calls || blocks || thumb || clang)
        return cmd_usage(&cmd_flags, "--skip goes with no other option");
    if (argc != 1)
        return cmd_usage(&cmd_flags, "--skip CAPTURE: expected one ELF");
    done = input_analyse(&in, argv[0], 1, paths, &analysed, &error);
    if (done && !analysed.analysis.timed.known)
        done = error_set(&error, EXIT_BAD_INPUT, "%s: no timed calls", skip_capture);
    if (done && !skip_find(&skip, &analysed.analysis))
        done = error_set(&error, EXIT_BAD_INPUT, "out of memory");
    if (done) {
        print_skip(&skip);
        skip_release(&skip);
    }
    input_release(&analysed);
    return done ? EXIT_DONE : cmd_fail(&cmd_flags, &error);
}

static int run(int argc, char **argv)
{
    const struct arch_flags *row;

    if (skip_capture != NULL)
        return run_skip(argc, argv);
    if (argc > 1)
        return cmd_usage(&cmd_flags, "one architecture at a time, not also '%s'",
                         argv[1]);
    if (argc == 0) {
        for (size_t i = 0; (row = row_at(i)) != NULL; i++)
            puts(row->pattern);
        return EXIT_DONE;
    }
    row = find(argv[0]);
    if (row == NULL)
        return unknown(argv[0]);
    if (clang && !calls && !only_ldflags)
        return cmd_usage(
            &cmd_flags,
            "--clang: its -pg calls nothing on bare metal; say --calls, and set "
            "the knob MCUPROF_CALLS=1");
    if (thumb && row->thumb == NULL)
        return cmd_usage(&cmd_flags, "--thumb: '%s' has one kind of code only", argv[0]);
    if (blocks && row->no_blocks != NULL)
        return cmd_usage(&cmd_flags, "--blocks: no blocks for '%s': %s", argv[0],
                         row->no_blocks);
    print(row);
    return EXIT_DONE;
}

const struct cmd cmd_flags = {
    .name = "flags",
    .summary = "the compiler and linker flags that profiled firmware needs",
    .synopsis = "[OPTION...] [ARCH | ELF]",
    .details =
        "ARCH: as in -mcpu=, -march= or -mmcu=. Without it: patterns of those that there "
        "are ports for.",
    .options = options,
    .run = run,
    .print_operands = print_cpus,
};
