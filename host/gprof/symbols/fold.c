/* SPDX-License-Identifier: MIT */
/* Labels are sorted, one is kept of each address, and those that are kept become symbols.
 * */
#include <stdlib.h>
#include <string.h>

#include "../../base/search.h"
#include "../../base/vector.h"
#include "image.h"

bool gprof_add_label(struct gprof_labels *labels, const struct gprof_label *label)
{
    if (!vector_grow(&labels->items, labels->count, &labels->room, sizeof *labels->items))
        return false;
    labels->items[labels->count++] = *label;
    return true;
}

/* By address; at one address functions come first, then global labels, then the rest in
 * the order in which they came. */
static int compare_labels(const void *left, const void *right, void *context)
{
    const struct gprof_label *a = left, *b = right;
    (void)context;
    if (a->address != b->address)
        return a->address < b->address ? -1 : 1;
    if (a->is_function != b->is_function)
        return a->is_function ? -1 : 1;
    if (a->is_static != b->is_static)
        return a->is_static ? 1 : -1;
    return 0;
}

/* Whether the later of two labels at one address replaces the one that was kept so far.
 * */
static bool better(const struct gprof_label *later, const struct gprof_label *kept)
{
    if (later->is_static != kept->is_static)
        return kept->is_static;
    if (later->is_function != kept->is_function)
        return later->is_function;
    if (kept->name[0] != '_')
        return false;
    if (later->name[0] != '_')
        return true;
    return kept->name[1] == '_' && later->name[1] != '_';
}

static bool in_order(const struct gprof_label *items, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (compare_labels(&items[i - 1], &items[i], NULL) > 0)
            return false;
    return true;
}

/* The sort is stable. */
static bool sort_labels(struct gprof_labels *labels)
{
    if (in_order(labels->items, labels->count))
        return true;
    struct gprof_label **order = calloc(labels->count, sizeof(struct gprof_label *));
    struct gprof_label *sorted = calloc(labels->count, sizeof(*sorted));
    bool done = order != NULL && sorted != NULL;
    for (size_t i = 0; done && i < labels->count; i++)
        order[i] = &labels->items[i];
    done = done && sort_stable((void **)order, labels->count, compare_labels, NULL);
    for (size_t i = 0; done && i < labels->count; i++)
        sorted[i] = *order[i];
    free(order);
    if (!done) {
        free(sorted);
        return false;
    }
    free(labels->items);
    labels->items = sorted;
    labels->room = labels->count;
    return true;
}

bool gprof_fold_labels(struct gprof_labels *labels, uint64_t last_end)
{
    if (labels->count == 0)
        return true;
    if (!sort_labels(labels))
        return false;
    struct gprof_label *items = labels->items;
    size_t kept = 0;
    for (size_t i = 1; i < labels->count; i++) {
        if (items[i].address != items[kept].address) {
            items[kept].end = items[i].address - 1;
            items[kept].has_end = true;
            items[++kept] = items[i];
            continue;
        }
        bool border = items[kept].has_border || items[i].has_border;
        if (better(&items[i], &items[kept]))
            items[kept] = items[i];
        items[kept].has_border = border;
    }
    if (!items[kept].has_end)
        items[kept].end = last_end;
    items[kept].has_end = true;
    labels->count = kept + 1;
    return true;
}

bool gprof_make_symbols(struct gprof *gprof, const struct gprof_labels *labels)
{
    gprof->symbols = calloc(labels->count + 1, sizeof(*gprof->symbols));
    if (gprof->symbols == NULL)
        return false;
    gprof->symbol_count = labels->count;
    for (size_t i = 0; i < labels->count; i++) {
        const struct gprof_label *label = &labels->items[i];
        struct gprof_symbol *symbol = &gprof->symbols[i];
        symbol->address = label->address;
        symbol->end = label->end;
        symbol->name = label->name;
        symbol->file = label->file == 0 ? NULL : &gprof->files[label->file - 1];
        symbol->line = label->line;
        symbol->is_function = label->is_function;
        symbol->is_static = label->is_static;
        symbol->is_line = label->is_line;
        symbol->is_border = label->has_border;
        symbol->cycle_head = symbol;
    }
    return true;
}

struct gprof_symbol *gprof_symbol_at(const struct gprof *gprof, uint64_t address)
{
    size_t low = 0;
    SEARCH(low, gprof->symbol_count, gprof->symbols[middle].address <= address);
    if (low == 0 || address > gprof->symbols[low - 1].end)
        return NULL;
    return &gprof->symbols[low - 1];
}
