/* SPDX-License-Identifier: MIT */
/* -C: how often each function, and with -l each of its basic blocks, was executed. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "print.h"

static bool wanted(const struct gprof *gprof, const struct gprof_symbol *symbol)
{
    if (gprof_list_used(gprof, GPROF_INCLUDE_COUNTS))
        return gprof_listed(gprof, GPROF_INCLUDE_COUNTS, symbol);
    return !gprof_listed(gprof, GPROF_EXCLUDE_COUNTS, symbol);
}

/* The listing shows that GNU gprof's sort has no order where only some symbols have
 * files; so this has none either. */
static int compare(const void *left, const void *right, void *context)
{
    const struct gprof_symbol *a = left, *b = right;

    (void)context;
    if (a->file != NULL && b->file != NULL) {
        int names = strcmp(a->file->path, b->file->path);

        if (names != 0)
            return names;
        if (a->line != b->line)
            return a->line < b->line ? -1 : 1;
    }
    return (a->address > b->address) - (a->address < b->address);
}

static void print_count(const struct gprof *gprof, const struct gprof_symbol *symbol,
                        uint64_t address, uint64_t count)
{
    if (count == 0 && !gprof->options.unused)
        return;
    fprintf(gprof->out, "%s:%u: (%s:0x%" PRIx64 ") %" PRIu64 " executions\n",
            symbol->file != NULL ? symbol->file->path : "<unknown>", symbol->line,
            symbol->name, address, count);
}

static void print_symbol(const struct gprof *gprof, const struct gprof_symbol *symbol)
{
    const struct gprof_blocks *blocks = symbol->blocks;

    print_count(gprof, symbol, symbol->address, symbol->calls);
    for (size_t i = 0; blocks != NULL && i < blocks->count; i++)
        print_count(gprof, symbol, blocks->addresses[i], blocks->executions[i]);
}

bool gprof_print_counts(struct gprof *gprof, struct error *error)
{
    struct gprof_symbol **symbols = malloc((gprof->symbol_count + 1) * sizeof *symbols);
    size_t count = 0;
    bool ok;

    gprof_put_section_break(gprof);
    if (symbols == NULL)
        return error_set(error, EXIT_NO, "out of memory");
    for (size_t i = 0; i < gprof->symbol_count; i++) {
        if (wanted(gprof, &gprof->symbols[i]))
            symbols[count++] = &gprof->symbols[i];
    }
    ok = sort_stable((void **)symbols, count, compare, NULL);
    for (size_t i = 0; ok && i < count; i++)
        print_symbol(gprof, symbols[i]);
    free(symbols);
    return ok || error_set(error, EXIT_NO, "out of memory");
}
