/* SPDX-License-Identifier: MIT */
/* Reads what the disassembly says: see follow.c. */
#include "follow.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct machine machine;
struct function functions[FUNCTIONS_MAX];
uint32_t base, limit, ram, ram_limit;
uint32_t *function_of;
uint32_t *entry_of;
uint32_t *count_before;
uint64_t *cycles_before;
struct transfer *transfers;
uint32_t *next_transfer;
size_t transfer_count;
uint32_t sample_entry, path_found, timer_start, timer_stop, set_jump[4];

_Noreturn void fail(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    fputs("follow: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    exit(1);
}

static void *zeroed(size_t count, size_t size)
{
    void *memory = calloc(count, size);

    if (!memory) {
        fail("no memory");
    }
    return memory;
}

/* ---- Text ---- */

uint32_t hex(const char *text)
{
    return (uint32_t)strtoul(text, NULL, 16);
}

uint32_t hex8(const char *text)
{
    uint32_t value = 0;

    for (unsigned i = 0; i < 8; i++) {
        unsigned digit = (unsigned char)text[i];

        value = value << 4 | (digit <= '9' ? digit - '0' : (digit | 32) - 'a' + 10);
    }
    return value;
}

bool starts(const char *line, const char *with)
{
    return strncmp(line, with, strlen(with)) == 0;
}

/* ---- What the disassembly says ---- */

/* The name may be that of a veneer to the hook. */
static enum hook hook_of(const char *name)
{
    if (strstr(name, "__sanitizer_cov_trace_pc")) {
        return BLOCKS;
    }
    return strstr(name, "mcount") || strstr(name, "__cyg_profile_func_enter") ? CALLS
                                                                              : NO_HOOK;
}

static void add_function(uint32_t start, uint32_t end, uint32_t number, const char *name)
{
    static const char *const jumpers[] = {"setjmp", "_setjmp", "sigsetjmp",
                                          "__sigsetjmp"};

    if (number + 1 >= FUNCTIONS_MAX) {
        fail("too many functions");
    }
    if (functions[number + 1].name[0] == '\0') {
        snprintf(functions[number + 1].name, sizeof functions->name, "%s", name);
        functions[number + 1].hook = hook_of(name);
        functions[number + 1].profiler = functions[number + 1].hook ||
                                         strstr(name, "__cyg_profile_func_exit") ||
                                         strncmp(name, "mcuprof_", 8) == 0;
    }
    for (uint32_t at = start; at < end && is_code(at); at += 2) {
        function_of[slot(at)] = number + 1;
    }
    if (is_code(start)) {
        entry_of[slot(start)] = 1;
    }
    if (strcmp(name, "mcuprof_sample_isr") == 0) {
        sample_entry = start;
    } else if (strcmp(name, "mcuprof_timer_start") == 0) {
        timer_start = start;
    } else if (strcmp(name, "mcuprof_timer_stop") == 0) {
        timer_stop = start;
    }
    for (size_t i = 0; i < sizeof jumpers / sizeof *jumpers; i++) {
        if (strcmp(name, jumpers[i]) == 0) {
            set_jump[i] = start;
        }
    }
}

static void set_machine(const char *name)
{
    machine.arm_m = strcmp(name, "arm-m") == 0;
    machine.arm = strcmp(name, "arm") == 0;
    machine.riscv = strcmp(name, "riscv") == 0;
    machine.sparc = strcmp(name, "sparc") == 0;
    machine.avr = strcmp(name, "avr") == 0;
}

static void make_tables(void)
{
    size_t slots = slot_count();

    function_of = zeroed(slots, sizeof *function_of);
    entry_of = zeroed(slots, sizeof *entry_of);
    count_before = zeroed(slots, sizeof *count_before);
    cycles_before = zeroed(slots, sizeof *cycles_before);
    next_transfer = zeroed(slots, sizeof *next_transfer);
    transfers = zeroed(slots, sizeof *transfers);
}

static void add_fact(const char *line)
{
    char name[80], kind;
    uint32_t a, b, number, target;
    unsigned cycles;

    if (sscanf(line, "machine %79s %x %x %x %x", name, &base, &limit, &ram, &ram_limit) >=
        3) {
        set_machine(name);
        make_tables();
    } else if (sscanf(line, "f %x %x %u %79s", &a, &b, &number, name) == 4) {
        add_function(a, b, number, name);
    } else if (sscanf(line, "m %x", &a) == 1) {
        path_found = a;
    } else if (sscanf(line, "i %x %u", &a, &cycles) == 2) {
        count_before[slot(a) + 1] = 1;
        cycles_before[slot(a) + 1] = cycles;
    } else if (sscanf(line, "t %x %u %c %x %u", &a, &number, &kind, &target, &cycles) ==
               5) {
        transfers[transfer_count] =
            (struct transfer){a, number, target, cycles, (enum kind)kind};
        next_transfer[slot(a)] = (uint32_t)++transfer_count;
    } else {
        fail("%s: what?", line);
    }
}

void read_facts(const char *path)
{
    FILE *file = fopen(path, "r");
    char line[200];

    if (!file) {
        fail("%s: cannot read it", path);
    }
    while (fgets(line, sizeof line, file)) {
        add_fact(line);
    }
    fclose(file);
    for (uint32_t i = 1; i < slot_count(); i++) {
        count_before[i] += count_before[i - 1];
        cycles_before[i] += cycles_before[i - 1];
    }
    for (uint32_t i = slot_count() - 4; i-- > 0;) {
        if (next_transfer[i] == 0) {
            next_transfer[i] = next_transfer[i + 1];
        }
    }
}
