/* SPDX-License-Identifier: MIT */
/* mcuprof flags: what profiled firmware is compiled and linked with. */
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "cmd.h"

static bool only_cflags, only_ldflags, calls, blocks, thumb;

static const struct option_spec options[] = {
    {0, "cflags", OPTION_FLAG, NULL, "only the compiler's flags, for profiled files",
     &only_cflags},
    {0, "ldflags", OPTION_FLAG, NULL, "only the linker's flags", &only_ldflags},
    {0, "calls", OPTION_FLAG, NULL, "time the files' calls, in place of counting them",
     &calls},
    {0, "blocks", OPTION_FLAG, NULL, "count the files' basic blocks as well", &blocks},
    {0, "thumb", OPTION_FLAG, NULL, "for files compiled with -mthumb (ARM7, ARM9)",
     &thumb},
    {0},
};

/* A sibling call would show its callee as called by the caller's caller; link-time
 * optimisation would drop the hook's calls. */
#define ARCS "-pg -fno-optimize-sibling-calls -fno-lto"
/* For AVR, -pg calls nothing. */
#define ARCS_AVR "-finstrument-functions -fno-optimize-sibling-calls -fno-lto"
/* GCC's Thumb-1 prologue saves r8 to r11 through lr before it calls the hook: the
 * caller's address is then lost. Without them it has nothing to save. */
#define THUMB1      " -ffixed-r8 -ffixed-r9 -ffixed-r10 -ffixed-r11"
#define ARCS_THUMB1 ARCS THUMB1
/* A call of the profiler at each function's entry and exit; a sibling call, or arguments
 * that are popped late, would have the exit's stack pointer differ from the entry's. */
#define CALLS "-finstrument-functions -fno-optimize-sibling-calls -fno-defer-pop -fno-lto"
/* The linker script is in target/, which is to be among the -L. */
#define LDFLAGS "-Wl,--build-id -Wl,-T,mcuprof.ld"
/* A call of the profiler in each basic block. */
#define BLOCKS " -fsanitize-coverage=trace-pc"

/* The first that matches counts. */
static const struct arch {
    const char *pattern, *cflags;
    bool a32; /* its files can be A32 code, or Thumb-1 */
} archs[] = {
    {"cortex-m0*", ARCS_THUMB1, false},
    {"cortex-m1", ARCS_THUMB1, false},
    {"cortex-m1.*", ARCS_THUMB1, false},
    {"cortex-m23", ARCS_THUMB1, false},
    {"cortex-m*", ARCS, false},
    {"arm7*", ARCS, true},
    {"arm9*", ARCS, true},
    {"arm10*", ARCS, true},
    {"rv32*", ARCS, false},
    {"leon*", ARCS, false},
    {"atmega*", ARCS_AVR, false},
    {"at90*", ARCS_AVR, false},
};
enum { ARCHS = sizeof archs / sizeof archs[0] };

static const struct arch *find(const char *name)
{
    for (size_t i = 0; i < ARCHS; i++) {
        if (fnmatch(archs[i].pattern, name, 0) == 0)
            return &archs[i];
    }
    return NULL;
}

static int unknown(const char *name)
{
    char known[256] = "";
    size_t used = 0;

    for (size_t i = 0; i < ARCHS; i++)
        used +=
            (size_t)snprintf(known + used, sizeof known - used, " %s", archs[i].pattern);
    return cmd_usage(&cmd_flags, "no port for '%s'; there are ones for%s", name, known);
}

static void print(const struct arch *arch)
{
    const char *hooks = calls ? CALLS : arch->cflags;
    const char *fixed = thumb && !calls ? THUMB1 : "", *more = blocks ? BLOCKS : "";

    if (only_cflags == only_ldflags)
        printf("CFLAGS += %s%s%s\nLDFLAGS += %s\n", hooks, fixed, more, LDFLAGS);
    else if (only_cflags)
        printf("%s%s%s\n", hooks, fixed, more);
    else
        puts(LDFLAGS);
}

static int run(int argc, char **argv)
{
    const struct arch *arch;

    if (argc > 1)
        return cmd_usage(&cmd_flags, "one architecture at a time, not also '%s'",
                         argv[1]);
    if (argc == 0) {
        for (size_t i = 0; i < ARCHS; i++)
            puts(archs[i].pattern);
        return EXIT_DONE;
    }
    arch = find(argv[0]);
    if (arch == NULL)
        return unknown(argv[0]);
    if (thumb && !arch->a32)
        return cmd_usage(&cmd_flags, "--thumb: '%s' has one kind of code only", argv[0]);
    if (blocks && strcmp(arch->cflags, ARCS_AVR) == 0)
        return cmd_usage(&cmd_flags,
                         "--blocks: no blocks for '%s': avr-gcc 5 has no hook", argv[0]);
    print(arch);
    return EXIT_DONE;
}

const struct cmd cmd_flags = {
    .name = "flags",
    .summary = "the compiler and linker flags that profiled firmware needs",
    .synopsis = "[OPTION...] [ARCH]",
    .details =
        "ARCH: as in -mcpu=, -march= or -mmcu=. Without it: patterns of those that there "
        "are ports for.",
    .options = options,
    .run = run,
    .operands =
        "cortex-m0 cortex-m0plus cortex-m1 cortex-m23 cortex-m3 cortex-m4 cortex-m7 "
        "cortex-m33 arm7tdmi arm920t arm926ej-s arm946e-s arm966e-s rv32imac rv32imc "
        "rv32i rv32emac rv32ec leon3 atmega328p atmega1284p atmega2560",
};
