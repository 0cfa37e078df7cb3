/* SPDX-License-Identifier: MIT */
#include "disassembly.h"
#include "../arch/arch.h"
#include "../base/search.h"
#include "../base/vector.h"
#include "../port/text.h"
#include "elf_file.h"
#include "excerpt.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { LINE_MAX_BYTES = 1024 };

/* Where objdump finds the excerpt: a file without a name, so that none can be left
 * behind. */
enum { EXCERPT = 3 };
static const char excerpt_path[] = "/dev/fd/3";

/* ---- What it prints ---- */

/* From a line such as "    8000:\tpush\t{r4, lr}" takes the address, and returns where
 * the instruction's text begins; NULL: the line has no instruction. */
static char *instruction_text(char *line, uint64_t *address)
{
    char *at = line + strspn(line, " \t"), *end;
    size_t digits = strspn(at, "0123456789abcdefABCDEF");
    if (digits == 0 || digits > 16 || at[digits] != ':')
        return NULL;
    *address = strtoull(at, &end, 16);
    at = end + 1;
    if (*at != ' ' && *at != '\t')
        return NULL;
    at += strspn(at, " \t");
    size_t size = strlen(at);
    while (size > 0 && strchr(" \t\r\n", at[size - 1]) != NULL)
        at[--size] = '\0';
    return size > 0 ? at : NULL;
}

/* The text with the mnemonic in a column of eight characters, as objdump's tabs show it.
 */
static char *without_tabs(const char *text)
{
    size_t mnemonic = strcspn(text, "\t");
    char *plain = NULL;
    if (text[mnemonic] == '\0')
        return strdup(text);
    if (port_asprintf(&plain, "%-7.*s %s", (int)mnemonic, text,
                      text + mnemonic + strspn(text + mnemonic, "\t ")) < 0)
        return NULL;
    for (char *c = plain; *c != '\0'; c++)
        if (*c == '\t')
            *c = ' ';
    return plain;
}

static bool add(struct disassembly *disassembly, uint64_t address, const char *text)
{
    if (disassembly->count > 0 &&
        address <= disassembly->items[disassembly->count - 1].address)
        return true; /* those before are in order */
    if (!vector_grow(&disassembly->items, disassembly->count, &disassembly->allocated,
                     sizeof *disassembly->items))
        return false;
    char *plain = without_tabs(text);
    if (plain == NULL)
        return false;
    disassembly->items[disassembly->count++] = (struct instruction){address, plain};
    return true;
}

static bool read_text(FILE *in, struct disassembly *disassembly)
{
    char line[LINE_MAX_BYTES];
    bool whole = true; /* this piece begins a line */
    while (fgets(line, sizeof line, in) != NULL) {
        bool begins = whole;
        uint64_t address;
        whole = strchr(line, '\n') != NULL;
        char *text = begins ? instruction_text(line, &address) : NULL;
        if (text != NULL && !add(disassembly, address, text))
            return false;
    }
    return true;
}

/* ---- Running it ---- */

/* Starts objdump. Its output goes into the pipe; its messages are dropped, because our
 * error describes the failure. */
static int start(const char *program, int excerpt, int out, int other_end, pid_t *pid)
{
    const char *const arguments[] = {
        program, "-d", "-z", "-C", "--no-show-raw-insn", "--", excerpt_path, NULL};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addclose(&actions, other_end);
    posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
    posix_spawn_file_actions_addclose(&actions, out);
    posix_spawn_file_actions_adddup2(&actions, excerpt, EXCERPT);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    int failed =
        posix_spawnp(pid, program, &actions, NULL, (char *const *)arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    return failed;
}

static bool wait_for(const char *program, pid_t pid, struct error *error)
{
    int status;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return true;
    if (WIFSIGNALED(status))
        return error_set(error, EXIT_BAD_INPUT, "%s was ended by signal %d", program,
                         WTERMSIG(status));
    return error_set(error, EXIT_BAD_INPUT,
                     "%s -d failed with status %d: can it read this ELF?", program,
                     WEXITSTATUS(status));
}

static bool read_from(const char *program, pid_t pid, int in,
                      struct disassembly *disassembly, struct error *error)
{
    FILE *stream = fdopen(in, "r");
    bool done = stream != NULL && read_text(stream, disassembly);
    if (stream != NULL)
        fclose(stream);
    else
        close(in);
    if (!wait_for(program, pid, error) && done)
        return false;
    return done || error_no_memory(error);
}

/* *missing: the program is not there. */
static bool run(const char *program, int excerpt, struct disassembly *disassembly,
                bool *missing, struct error *error)
{
    int ends[2];
    pid_t pid;
    *missing = false;
    if (pipe(ends) != 0)
        return error_set(error, EXIT_BAD_INPUT, "%s: %s", program, strerror(errno));
    int failed = start(program, excerpt, ends[1], ends[0], &pid);
    close(ends[1]);
    if (failed == 0)
        return read_from(program, pid, ends[0], disassembly, error);
    close(ends[0]);
    *missing = failed == ENOENT;
    return error_set(error, EXIT_BAD_INPUT, "%s: %s", program, strerror(failed));
}

/* Runs `program` or, if that is NULL, the first one for the machine that is there. */
static bool run_any(const struct image *image, const char *program, int excerpt,
                    struct disassembly *disassembly, struct error *error)
{
    const struct arch *arch = image_arch(image);
    bool missing;
    if (program != NULL)
        return run(program, excerpt, disassembly, &missing, error);
    if (arch->package == NULL)
        return error_set(error, EXIT_USAGE,
                         "which objdump reads %s is not known here: --objdump PROGRAM",
                         image_machine_name(image));
    for (size_t i = 0; i < 3 && arch->programs[i] != NULL; i++) {
        if (run(arch->programs[i], excerpt, disassembly, &missing, error))
            return true;
        if (!missing)
            return false;
    }
    return error_set(error, EXIT_BAD_INPUT,
                     "--asm needs %s, which is not in PATH: install Debian's package %s, "
                     "or give --objdump PROGRAM",
                     arch->programs[0], arch->package);
}

/* ---- What it is given ---- */

/* objdump sorts all symbols for each section and searches them for each instruction. So
 * of many symbols it is given those that it names, which a first run without them tells.
 */
enum { SYMBOLS_MANY = 4096 };

struct addresses {
    uint64_t *items;
    size_t count, allocated;
};

static bool addresses_add(struct addresses *addresses, uint64_t address)
{
    if (!vector_grow(&addresses->items, addresses->count, &addresses->allocated,
                     sizeof *addresses->items))
        return false;
    addresses->items[addresses->count++] = address;
    return true;
}

static int by_value(const void *left, const void *right)
{
    const uint64_t *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

/* Adds the addresses that have a name in the text, such as "bl 1a0 <fib>". */
static bool add_named(struct addresses *named, const char *text)
{
    for (const char *at = strstr(text, " <"); at != NULL; at = strstr(at + 1, " <")) {
        const char *first = at;
        while (first > text && isxdigit((unsigned char)first[-1]))
            first--;
        if (first < at && !addresses_add(named, strtoull(first, NULL, 16)))
            return false;
    }
    return true;
}

static bool find_named(struct addresses *named, const struct disassembly *disassembly)
{
    for (size_t i = 0; i < disassembly->count; i++)
        if (!add_named(named, disassembly->items[i].text))
            return false;
    qsort(named->items, named->count, sizeof *named->items, by_value);
    return true;
}

static int by_low(const void *left, const void *right)
{
    const struct image_range *a = left, *b = right;
    return (a->low > b->low) - (a->low < b->low);
}

/* Disassembles an excerpt; `named` as in excerpt_write(). */
static bool run_on(const struct image *image, const char *program,
                   const struct image_range *ranges, size_t count,
                   const struct addresses *named, struct disassembly *disassembly,
                   struct error *error)
{
    *disassembly = (struct disassembly){.items = NULL};
    FILE *excerpt = tmpfile();
    if (excerpt == NULL)
        return error_set(error, EXIT_BAD_INPUT, "a temporary file for objdump: %s",
                         strerror(errno));
    bool done = excerpt_write(image, ranges, count, named->items, named->count,
                              fileno(excerpt), error) &&
                run_any(image, program, fileno(excerpt), disassembly, error);
    fclose(excerpt);
    return done;
}

bool disassemble(const struct image *image, const char *program,
                 struct image_range *ranges, size_t count,
                 struct disassembly *disassembly, struct error *error)
{
    struct addresses named = {.items = NULL};
    bool many = image_file(image)->symbol_count > SYMBOLS_MANY, done = true;
    *disassembly = (struct disassembly){.items = NULL};
    if (count == 0)
        return true;
    qsort(ranges, count, sizeof *ranges, by_low);
    if (many) {
        struct disassembly first = {.items = NULL};
        done = (addresses_add(&named, 0) || error_no_memory(error)) &&
               run_on(image, program, ranges, count, &named, &first, error) &&
               (find_named(&named, &first) || error_no_memory(error));
        disassembly_release(&first);
    }
    done = done && run_on(image, program, ranges, count, &named, disassembly, error);
    free(named.items);
    return done;
}

void disassembly_release(struct disassembly *disassembly)
{
    for (size_t i = 0; i < disassembly->count; i++)
        free(disassembly->items[i].text);
    free(disassembly->items);
    *disassembly = (struct disassembly){.items = NULL};
}

static size_t from_address(const struct disassembly *disassembly, uint64_t address)
{
    size_t low = 0;
    SEARCH(low, disassembly->count, disassembly->items[middle].address < address);
    return low;
}

size_t disassembly_between(const struct disassembly *disassembly, uint64_t low,
                           uint64_t high, const struct instruction **first)
{
    size_t from = from_address(disassembly, low);
    *first = disassembly->items + from;
    return from_address(disassembly, high) - from;
}
