/* SPDX-License-Identifier: MIT */
/*
 * Finds out which symbols and arcs the options' specs mean.
 *
 * To GNU gprof a list is a table of ranges of addresses. It has a range for each symbol
 * that a spec of the list means; an empty spec has one range, from the first symbol to
 * the end of the last. A symbol is listed if the range that starts last at or before it
 * reaches it. Where two ranges have the same start, the later spec's replaces the other:
 * if several -k name the same caller, the last one counts.
 */
#include "specs.h"
#include "../../base/search.h"
#include "../../base/vector.h"
#include "../trace.h"

#include <stdlib.h>
#include <string.h>

/* The symbols that an arc spec names behind its '/'. */
struct callees {
    bool any;
    size_t *symbols; /* indices, ascending */
    size_t count, room;
};

struct gprof_lists {
    bool used[GPROF_LISTS];
    /* For each symbol 1 + the index of the spec that put it into the list, 0 for none.
     * NULL: the list has no symbol. After reading, only the arc lists keep it; with -l a
     * symbol in the range of another one then has the other one's spec. */
    uint32_t *owners[GPROF_LISTS];
    uint32_t any_owner[GPROF_LISTS]; /* the same for a spec that means everything */
    bool *members[GPROF_LISTS]; /* symbol lists: which symbols are listed; NULL: none */
    struct callees *callees;    /* for each spec */
    size_t spec_count;
};

/* The state while the lists are made. */
struct maker {
    struct gprof *gprof;
    struct gprof_lists *lists;
    size_t symbol; /* index of the symbol that is being matched */
};

static bool is_arc_list(enum gprof_list list)
{
    return list == GPROF_INCLUDE_ARCS || list == GPROF_EXCLUDE_ARCS;
}

static bool add_callee(struct callees *callees, size_t symbol)
{
    if (!vector_grow(&callees->symbols, callees->count, &callees->room,
                     sizeof *callees->symbols))
        return false;
    callees->symbols[callees->count++] = symbol;
    return true;
}

/* What a list is for, as the trace says it. */
static const char *purpose(enum gprof_list list)
{
    static const char *const purposes[GPROF_LISTS] = {
        [GPROF_INCLUDE_FLAT] = "flat profile only of",
        [GPROF_EXCLUDE_FLAT] = "flat profile without",
        [GPROF_INCLUDE_GRAPH] = "graph only of",
        [GPROF_EXCLUDE_GRAPH] = "graph without",
        [GPROF_INCLUDE_ARCS] = "calls only of",
        [GPROF_EXCLUDE_ARCS] = "calls without",
        [GPROF_INCLUDE_TIME] = "time only of",
        [GPROF_EXCLUDE_TIME] = "time without",
        [GPROF_INCLUDE_ANNOTATED] = "source only of",
        [GPROF_EXCLUDE_ANNOTATED] = "source without",
        [GPROF_INCLUDE_COUNTS] = "counts only of",
        [GPROF_EXCLUDE_COUNTS] = "counts without",
    };

    return purposes[list];
}

/* symbol: NULL for all symbols. */
static void trace_match(const struct gprof *gprof, const struct gprof_pattern *pattern,
                        const struct gprof_symbol *symbol)
{
    const struct gprof_spec *spec = &gprof->options.specs[pattern->spec];
    bool arcs = is_arc_list(spec->list);

    if (!gprof_trace(gprof, GPROF_TRACE_SPECS))
        return;
    fprintf(gprof->out, "%s `%s': ", purpose(spec->list), spec->text);
    if (symbol != NULL)
        gprof_trace_name(gprof, symbol);
    else
        fputs("all", gprof->out);
    fputs(!arcs ? "\n" : pattern->callee ? " as callee\n" : " as caller\n", gprof->out);
}

static bool found(const struct gprof_pattern *pattern, void *context)
{
    struct maker *maker = context;
    struct gprof_lists *lists = maker->lists;
    enum gprof_list list = maker->gprof->options.specs[pattern->spec].list;
    uint32_t owner = (uint32_t)pattern->spec + 1;

    trace_match(maker->gprof, pattern, &maker->gprof->symbols[maker->symbol]);
    if (pattern->callee) {
        if (!is_arc_list(list))
            return true;
        return add_callee(&lists->callees[pattern->spec], maker->symbol);
    }
    lists->used[list] = true;
    if (lists->owners[list] == NULL)
        lists->owners[list] = calloc(maker->gprof->symbol_count, sizeof(uint32_t));
    if (lists->owners[list] == NULL)
        return false;
    if (lists->owners[list][maker->symbol] < owner)
        lists->owners[list][maker->symbol] = owner;
    return true;
}

/* Finds the specs that mean everything. */
static void find_any(struct maker *maker, const struct gprof_patterns *patterns)
{
    struct gprof_lists *lists = maker->lists;

    for (size_t i = 0; i < patterns->count; i++) {
        const struct gprof_pattern *pattern = &patterns->list[i];
        enum gprof_list list = maker->gprof->options.specs[pattern->spec].list;

        if (!pattern->any)
            continue;
        trace_match(maker->gprof, pattern, NULL);
        if (pattern->callee) {
            lists->callees[pattern->spec].any = true;
        } else {
            lists->used[list] = true;
            lists->any_owner[list] = (uint32_t)pattern->spec + 1;
        }
    }
}

static bool find_symbols(struct maker *maker, const struct gprof_patterns *patterns)
{
    const struct gprof *gprof = maker->gprof;

    for (; maker->symbol < gprof->symbol_count; maker->symbol++) {
        if (!gprof_patterns_match(patterns, &gprof->symbols[maker->symbol], found, maker))
            return false;
    }
    return true;
}

/* The range of everything starts where the first symbol's range does: only the later
 * spec's stays. */
static void settle_first(struct gprof_lists *lists, enum gprof_list list)
{
    uint32_t *owners = lists->owners[list];

    if (owners == NULL)
        return;
    if (owners[0] > lists->any_owner[list])
        lists->any_owner[list] = 0;
    else if (lists->any_owner[list] != 0)
        owners[0] = 0;
}

/* Where the symbol's range ends. With -l the range of a symbol of the table has all its
 * lines, so it ends before `after`, the start of the table's next symbol (for the last
 * symbol, the address behind its end). */
static uint64_t range_end(const struct gprof *gprof, const struct gprof_symbol *symbol,
                          uint64_t after)
{
    return gprof->options.lines && !symbol->is_line ? after - 1 : symbol->end;
}

static uint64_t last_end(const struct gprof *gprof)
{
    return gprof->symbols[gprof->symbol_count - 1].end;
}

/* For each symbol the start of the next symbol of the table. NULL without -l, which alone
 * needs it. */
static bool next_borders(const struct gprof *gprof, uint64_t **after)
{
    uint64_t next = last_end(gprof) + 1;

    *after = NULL;
    if (!gprof->options.lines)
        return true;
    *after = calloc(gprof->symbol_count, sizeof **after);
    if (*after == NULL)
        return false;
    for (size_t i = gprof->symbol_count; i-- > 0;) {
        (*after)[i] = next;
        if (gprof->symbols[i].is_border)
            next = gprof->symbols[i].address;
    }
    return true;
}

/* Neighbours that one spec means have a common range, which ends where the last of them
 * does. This matters only for the last symbol, which may end before it starts. Returns
 * the first of its neighbours. */
static size_t last_neighbours(const struct gprof *gprof, const uint32_t *owners)
{
    size_t first = gprof->symbol_count - 1;
    if (owners == NULL || gprof->symbols[first].address <= last_end(gprof))
        return gprof->symbol_count;
    while (first > 0 && owners[first - 1] == owners[first])
        first--;
    return first;
}

/* Goes through the ranges and the symbols together, in order of address. */
static bool make_members(struct gprof *gprof, enum gprof_list list, const uint64_t *after)
{
    struct gprof_lists *lists = gprof->lists;
    const uint32_t *owners = lists->owners[list];
    bool in_range = lists->any_owner[list] != 0;
    uint64_t end = last_end(gprof);
    size_t tail = last_neighbours(gprof, owners);

    lists->members[list] = calloc(gprof->symbol_count, sizeof(bool));
    if (lists->members[list] == NULL)
        return false;
    for (size_t i = 0; i < gprof->symbol_count; i++) {
        const struct gprof_symbol *symbol = &gprof->symbols[i];

        if (owners != NULL && owners[i] != 0) {
            in_range = true;
            end = i >= tail ? last_end(gprof)
                            : range_end(gprof, symbol, after != NULL ? after[i] : 0);
        }
        /* A symbol behind the end of .text can end before it starts. */
        lists->members[list][i] = in_range && symbol->address <= end;
    }
    return true;
}

/* -l: a symbol that lies in another one's range gets its owner, unless it is listed
 * itself. Neighbours that one spec means have a common range, which ends where the last
 * of them does. A further symbol of the same spec that lies apart, but still in this
 * range, changes nothing. */
static void spread_owners(const struct gprof *gprof, uint32_t *owners,
                          const uint64_t *after)
{
    uint32_t owner = 0;
    uint64_t end = 0;
    size_t last = SIZE_MAX - 1; /* the symbol that set owner and end last */

    for (size_t i = 0; i < gprof->symbol_count; i++) {
        const struct gprof_symbol *symbol = &gprof->symbols[i];
        bool listed = owners[i] != 0;

        if (listed && (owners[i] != owner || last + 1 == i || symbol->address > end)) {
            owner = owners[i];
            end = range_end(gprof, symbol, after[i]);
            last = i;
        } else if (!listed && symbol->address <= end) {
            owners[i] = owner;
        }
    }
}

/* -l: neighbours that one spec means as callees have a common range, too, which ends
 * where the last of them does. The spec means a callee only if this range has all of the
 * callee's own. So it does not mean a function of that name whose first lines are
 * followed by those of an inlined function. */
static void drop_parts(const struct gprof *gprof, struct callees *callees,
                       const uint64_t *after)
{
    size_t kept = 0;

    for (size_t first = 0, next; first < callees->count; first = next) {
        size_t last;
        uint64_t end;

        for (next = first + 1; next < callees->count; next++)
            if (callees->symbols[next] != callees->symbols[next - 1] + 1)
                break;
        last = callees->symbols[next - 1];
        end = range_end(gprof, &gprof->symbols[last], after[last]);
        for (size_t i = first; i < next; i++) {
            size_t symbol = callees->symbols[i];

            if (range_end(gprof, &gprof->symbols[symbol], after[symbol]) <= end)
                callees->symbols[kept++] = symbol;
        }
    }
    callees->count = kept;
}

static bool settle(struct gprof *gprof)
{
    struct gprof_lists *lists = gprof->lists;
    uint64_t *after;
    bool ok = next_borders(gprof, &after);

    for (size_t i = 0; after != NULL && i < lists->spec_count; i++)
        drop_parts(gprof, &lists->callees[i], after);
    for (int list = 0; ok && list < GPROF_LISTS; list++) {
        if (!lists->used[list])
            continue;
        settle_first(lists, (enum gprof_list)list);
        if (is_arc_list((enum gprof_list)list)) {
            if (after != NULL && lists->owners[list] != NULL)
                spread_owners(gprof, lists->owners[list], after);
            continue;
        }
        ok = make_members(gprof, (enum gprof_list)list, after);
        free(lists->owners[list]);
        lists->owners[list] = NULL;
    }
    free(after);
    return ok;
}

static bool read_specs(struct gprof *gprof)
{
    struct maker maker = {.gprof = gprof, .lists = gprof->lists};
    struct gprof_patterns patterns;
    bool ok = gprof_patterns_init(&patterns, gprof);

    if (ok) {
        find_any(&maker, &patterns);
        ok = find_symbols(&maker, &patterns) && settle(gprof);
    }
    gprof_patterns_release(&patterns);
    return ok;
}

bool gprof_read_specs(struct gprof *gprof, struct error *error)
{
    size_t specs = gprof->options.spec_count;

    if (gprof->symbol_count == 0)
        return true;
    gprof->lists = calloc(1, sizeof *gprof->lists);
    if (gprof->lists != NULL) {
        gprof->lists->spec_count = specs;
        gprof->lists->callees = calloc(specs + 1, sizeof *gprof->lists->callees);
    }
    if (gprof->lists == NULL || gprof->lists->callees == NULL || specs >= UINT32_MAX ||
        !read_specs(gprof))
        return error_set(error, EXIT_NO, "out of memory");
    return true;
}

void gprof_specs_release(struct gprof *gprof)
{
    struct gprof_lists *lists = gprof->lists;

    if (lists == NULL)
        return;
    for (size_t i = 0; lists->callees != NULL && i < lists->spec_count; i++)
        free(lists->callees[i].symbols);
    for (int list = 0; list < GPROF_LISTS; list++) {
        free(lists->owners[list]);
        free(lists->members[list]);
    }
    free(lists->callees);
    free(lists);
    gprof->lists = NULL;
}

bool gprof_list_used(const struct gprof *gprof, enum gprof_list list)
{
    return gprof->lists != NULL && gprof->lists->used[list];
}

bool gprof_listed(const struct gprof *gprof, enum gprof_list list,
                  const struct gprof_symbol *symbol)
{
    size_t index;

    if (gprof->lists == NULL || gprof->lists->members[list] == NULL)
        return false;
    /* The symbols of cycles are in another array, and in no list. */
    if (symbol < gprof->symbols || symbol >= gprof->symbols + gprof->symbol_count)
        return false;
    index = (size_t)(symbol - gprof->symbols);
    return gprof->lists->members[list][index];
}

static bool calls_listed(const struct gprof *gprof, uint32_t owner,
                         const struct gprof_symbol *child)
{
    const struct callees *callees;
    size_t index = (size_t)(child - gprof->symbols);
    size_t low = 0, high;

    if (owner == 0)
        return false;
    callees = &gprof->lists->callees[owner - 1];
    if (callees->any && child->address <= last_end(gprof))
        return true;
    high = callees->count;
    SEARCH(low, high, callees->symbols[middle] < index);
    return low < callees->count && callees->symbols[low] == index;
}

bool gprof_arc_listed(const struct gprof *gprof, enum gprof_list list,
                      const struct gprof_symbol *parent, const struct gprof_symbol *child)
{
    const uint32_t *owners;

    if (!gprof_list_used(gprof, list))
        return false;
    owners = gprof->lists->owners[list];
    if (parent->address <= last_end(gprof) &&
        calls_listed(gprof, gprof->lists->any_owner[list], child))
        return true;
    return owners != NULL && calls_listed(gprof, owners[parent - gprof->symbols], child);
}
