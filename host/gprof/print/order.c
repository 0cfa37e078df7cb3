/* SPDX-License-Identifier: MIT */
/*
 * -r and -R: an order of functions, or of object files, that puts those that call each
 * other next to each other. Functions are linked into chains by their arcs, the busiest
 * first; a chain knows its ends, so that no arc costs a walk along it.
 */
#include <stdlib.h>
#include <string.h>

#include "../gprof.h"
#include "../symbols/map.h"

/* The constants of GNU gprof's heuristics. */
static const double USES_SHARE = 0.90;   /* of all calls: these arcs count as uses */
static const double PLACED_SHARE = 0.99; /* of all calls: these arcs are placed first */
enum { HOT_FUNCTIONS = 80, HOT_ENDS_AT_USES = 5 }; /* one in 80 is hot */

#define NONE SIZE_MAX

/* A symbol's place: `chain` is an index into chains, `position` ascends along it. */
struct node {
    size_t next, previous; /* indices of symbols, or NONE */
    size_t chain;
    int64_t position;
    uint64_t uses;
    bool placed;
};

struct chain {
    size_t first, last;
};

struct arc_list {
    struct gprof_arc **items;
    size_t count;
};

struct order {
    struct gprof *gprof;
    bool *placed;         /* for each arc, by its number */
    struct node *nodes;   /* for each symbol */
    struct chain *chains; /* for each symbol: at first each symbol is a chain */
};

static size_t index_of(const struct order *order, const struct gprof_symbol *symbol)
{
    return (size_t)(symbol - order->gprof->symbols);
}

static struct node *caller_of(const struct order *order, const struct gprof_arc *arc)
{
    return &order->nodes[index_of(order, arc->parent)];
}

static struct node *callee_of(const struct order *order, const struct gprof_arc *arc)
{
    return &order->nodes[index_of(order, arc->child)];
}

static bool *placed(const struct order *order, const struct gprof_arc *arc)
{
    return &order->placed[arc - order->gprof->arcs];
}

static bool order_init(struct order *order, struct gprof *gprof)
{
    size_t count = gprof->symbol_count;

    *order = (struct order){.gprof = gprof};
    order->nodes = calloc(count + 1, sizeof *order->nodes);
    order->chains = calloc(count + 1, sizeof *order->chains);
    order->placed = calloc((size_t)gprof->arc_count + 1, sizeof *order->placed);
    if (order->nodes == NULL || order->chains == NULL || order->placed == NULL)
        return false;
    for (size_t i = 0; i < count; i++) {
        order->nodes[i] = (struct node){.next = NONE, .previous = NONE, .chain = i};
        order->chains[i] = (struct chain){i, i};
    }
    return true;
}

static void order_release(struct order *order)
{
    free(order->nodes);
    free(order->chains);
    free(order->placed);
}

static bool list_init(struct arc_list *list, size_t room)
{
    list->count = 0;
    list->items = calloc(room + 1, sizeof(struct gprof_arc *));
    return list->items != NULL;
}

/* Adds all arcs but those from a symbol to itself, by creation. The list has room. */
static void add_all(struct arc_list *list, const struct gprof *gprof)
{
    for (size_t i = 1; i <= gprof->arc_count; i++)
        if (gprof->arcs[i].parent != gprof->arcs[i].child)
            list->items[list->count++] = &gprof->arcs[i];
}

/* ---- Printing ---- */

static void print_symbol(struct order *order, size_t symbol)
{
    const char *name = order->gprof->symbols[symbol].name;

    fprintf(order->gprof->out,
            order->gprof->options.ordering == GPROF_ORDER_LD ? "*(.text.%s)\n" : "%s\n",
            name);
    order->nodes[symbol].placed = true;
}

static void print_chain(struct order *order, size_t symbol)
{
    size_t at = order->chains[order->nodes[symbol].chain].first;

    for (; at != NONE; at = order->nodes[at].next)
        print_symbol(order, at);
}

/* ---- Chains ---- */

static bool linked(const struct node *node)
{
    return node->next != NONE || node->previous != NONE;
}

/* Puts a symbol that is in no chain behind the last symbol of a chain, or before the
 * first. */
static void extend(struct order *order, size_t symbol, size_t end, bool behind)
{
    struct node *node = &order->nodes[symbol], *old = &order->nodes[end];
    struct chain *chain = &order->chains[old->chain];

    node->chain = old->chain;
    if (behind) {
        node->position = old->position + 1;
        node->previous = end;
        old->next = symbol;
        chain->last = symbol;
    } else {
        node->position = old->position - 1;
        node->next = end;
        old->previous = symbol;
        chain->first = symbol;
    }
}

/* The nearer end of the symbol's chain. Where both are equally near, `last` chooses the
 * last one. */
static size_t nearer_end(const struct order *order, size_t symbol, bool last)
{
    const struct node *node = &order->nodes[symbol];
    const struct chain *chain = &order->chains[node->chain];
    int64_t ahead = order->nodes[chain->last].position - node->position;
    int64_t behind = node->position - order->nodes[chain->first].position;

    if (ahead == behind)
        return last ? chain->last : chain->first;
    return ahead < behind ? chain->last : chain->first;
}

/* One end of the arc is in no chain: puts it to the nearer end of the other one's chain.
 * false: both ends are in chains. */
static bool link_arc(struct order *order, const struct gprof_arc *arc)
{
    size_t caller = index_of(order, arc->parent), callee = index_of(order, arc->child);

    if (!linked(&order->nodes[caller])) {
        callee = nearer_end(order, callee, false);
        extend(order, caller, callee, order->nodes[callee].previous != NONE);
    } else if (!linked(&order->nodes[callee])) {
        caller = nearer_end(order, caller, true);
        extend(order, callee, caller, order->nodes[caller].next == NONE);
    } else {
        return false;
    }
    return true;
}

/* Whether the arc is left for a later turn. */
static bool left_over(struct order *order, const struct gprof_arc *arc, bool all,
                      double share)
{
    if (!all && share > PLACED_SHARE)
        return true;
    if (caller_of(order, arc)->placed || callee_of(order, arc)->placed)
        return true;
    return !link_arc(order, arc);
}

/* Links the ends of the list's arcs, in its order, and prints the chains. Arcs whose ends
 * could not be linked are added to `rest`. */
static void place(struct order *order, const struct arc_list *list, bool all,
                  struct arc_list *rest)
{
    double total = 0, sum = 0;

    for (size_t i = 0; i < list->count; i++)
        total += (double)list->items[i]->count;
    for (size_t i = 0; i < list->count; i++) {
        struct gprof_arc *arc = list->items[i];

        sum += (double)arc->count;
        if (*placed(order, arc))
            continue;
        if (left_over(order, arc, all, sum / total)) {
            if (rest != NULL)
                rest->items[rest->count++] = arc;
        } else {
            *placed(order, arc) = true;
        }
    }
    for (size_t i = 0; i < list->count; i++) {
        const struct gprof_arc *arc = list->items[i];

        if (!caller_of(order, arc)->placed && !callee_of(order, arc)->placed &&
            linked(caller_of(order, arc)))
            print_chain(order, index_of(order, arc->parent));
    }
    for (size_t i = 0; all && i < list->count; i++) {
        const struct gprof_arc *arc = list->items[i];

        if (!caller_of(order, arc)->placed && !callee_of(order, arc)->placed)
            print_symbol(order, index_of(order, arc->parent));
    }
}

/* ---- Functions ---- */

static int by_count(const void *left, const void *right, void *context)
{
    const struct gprof_arc *a = left, *b = right;

    (void)context;
    return a->count > b->count ? -1 : a->count < b->count;
}

static int by_uses(const void *left, const void *right, void *context)
{
    const struct order *order = context;
    uint64_t a = order->nodes[index_of(order, left)].uses;
    uint64_t b = order->nodes[index_of(order, right)].uses;

    return a > b ? -1 : a < b;
}

static void count_uses(struct order *order, const struct arc_list *sorted)
{
    double total = 0, sum = 0;

    for (size_t i = 0; i < sorted->count; i++)
        total += (double)sorted->items[i]->count;
    for (size_t i = 0; i < sorted->count; i++) {
        sum += (double)sorted->items[i]->count;
        if (sum / total > USES_SHARE)
            break;
        callee_of(order, sorted->items[i])->uses++;
    }
}

static void add_hot(const struct order *order, struct arc_list *list,
                    struct gprof_arc *arc)
{
    if (arc->parent == arc->child || *placed(order, arc))
        return;
    *placed(order, arc) = true;
    list->items[list->count++] = arc;
}

/* Collects the arcs of the most used functions and marks these functions as placed.
 * Returns how many of them there are. */
static size_t collect_hot(struct order *order, struct gprof_symbol **used, size_t count,
                          struct arc_list *hot)
{
    struct gprof_arc *arcs = order->gprof->arcs;
    size_t i;

    for (i = 0; i < count / HOT_FUNCTIONS; i++) {
        if (order->nodes[index_of(order, used[i])].uses == HOT_ENDS_AT_USES)
            break;
        for (uint32_t at = used[i]->children; at != 0; at = arcs[at].next_child)
            add_hot(order, hot, &arcs[at]);
        for (uint32_t at = used[i]->parents; at != 0; at = arcs[at].next_parent)
            add_hot(order, hot, &arcs[at]);
        order->nodes[index_of(order, used[i])].placed = true;
    }
    return i;
}

/* Keeps the arcs between hot functions, so that these arcs place their ends. As in GNU
 * gprof the arcs stay marked as placed, so none of them links its ends. */
static void keep_hot(struct order *order, struct arc_list *hot)
{
    size_t kept = 0;

    for (size_t i = 0; i < hot->count; i++) {
        struct gprof_arc *arc = hot->items[i];

        if (!caller_of(order, arc)->placed || !callee_of(order, arc)->placed)
            continue;
        caller_of(order, arc)->placed = callee_of(order, arc)->placed = false;
        hot->items[kept++] = arc;
    }
    hot->count = kept;
}

struct function_order {
    struct order order;
    struct arc_list sorted, hot, rest;
    struct gprof_symbol **used;
    size_t used_count;
};

static bool function_order_init(struct function_order *functions, struct gprof *gprof)
{
    size_t arcs = gprof->arc_count;

    *functions = (struct function_order){.used_count = 0};
    functions->used = calloc(gprof->symbol_count + 1, sizeof(struct gprof_symbol *));
    if (functions->used == NULL || !order_init(&functions->order, gprof) ||
        !list_init(&functions->sorted, arcs) || !list_init(&functions->hot, arcs) ||
        !list_init(&functions->rest, 2 * arcs))
        return false;
    add_all(&functions->sorted, gprof);
    for (size_t i = 0; i < gprof->symbol_count; i++) {
        if (gprof->symbols[i].calls > 0)
            functions->used[functions->used_count++] = &gprof->symbols[i];
        else
            functions->order.nodes[i].placed = true;
    }
    return true;
}

static void function_order_release(struct function_order *functions)
{
    order_release(&functions->order);
    free(functions->used);
    free(functions->sorted.items);
    free(functions->hot.items);
    free(functions->rest.items);
}

static bool sort_arcs(struct arc_list *list)
{
    return sort_stable((void **)list->items, list->count, by_count, NULL);
}

static bool print_hot(struct function_order *functions)
{
    struct order *order = &functions->order;
    size_t hot;

    count_uses(order, &functions->sorted);
    if (!sort_stable((void **)functions->used, functions->used_count, by_uses, order))
        return false;
    hot = collect_hot(order, functions->used, functions->used_count, &functions->hot);
    keep_hot(order, &functions->hot);
    for (size_t i = 0; i + 1 < hot; i++) {
        if (order->nodes[index_of(order, functions->used[i])].placed)
            print_symbol(order, index_of(order, functions->used[i]));
    }
    return sort_arcs(&functions->hot);
}

static bool order_functions(struct function_order *functions)
{
    struct order *order = &functions->order;
    const struct gprof *gprof = order->gprof;

    if (!sort_arcs(&functions->sorted) || !print_hot(functions))
        return false;
    place(order, &functions->hot, true, &functions->rest);
    place(order, &functions->sorted, false, &functions->rest);
    place(order, &functions->rest, true, NULL);
    for (size_t i = 0; i < gprof->symbol_count; i++) {
        if (gprof->symbols[i].calls > 0 && !order->nodes[i].placed)
            print_symbol(order, i);
    }
    for (size_t i = 0; i < gprof->symbol_count; i++) {
        if (gprof->symbols[i].calls == 0)
            print_symbol(order, i);
    }
    return true;
}

bool gprof_print_function_order(struct gprof *gprof, struct error *error)
{
    struct function_order functions;
    bool done = function_order_init(&functions, gprof) && order_functions(&functions);

    function_order_release(&functions);
    return done || error_set(error, EXIT_NO, "out of memory");
}

/* ---- Object files ---- */

static bool is_mapped(const struct gprof *gprof, const struct gprof_symbol *symbol)
{
    return gprof_map_has_named(gprof->map, symbol->name);
}

static int by_name(const void *left, const void *right, void *context)
{
    (void)context;
    return strcmp(left, right);
}

/* Collects the names that symbols carry, or the names of all objects of the map. They
 * come out sorted. */
static size_t collect_names(const struct gprof *gprof, bool carried, const char **names)
{
    size_t count = 0;

    for (size_t i = 0; carried && i < gprof->symbol_count; i++) {
        if (is_mapped(gprof, &gprof->symbols[i]))
            names[count++] = gprof->symbols[i].name;
    }
    for (size_t i = 0; !carried && i < gprof->map->count; i++)
        names[count++] = gprof->map->entries[i].object;
    return sort_stable((void **)names, count, by_name, NULL) ? count : NONE;
}

/* Prints the objects that are not carried. Both lists are sorted. */
static void print_missing(FILE *out, const char **objects, size_t count,
                          const char **carried, size_t carried_count)
{
    for (size_t i = 0, at = 0; i < count; i++) {
        if (i > 0 && strcmp(objects[i], objects[i - 1]) == 0)
            continue;
        while (at < carried_count && strcmp(carried[at], objects[i]) < 0)
            at++;
        if (at == carried_count || strcmp(carried[at], objects[i]) != 0)
            fprintf(out, "%s\n", objects[i]);
    }
}

/* Prints the objects of the map that no symbol carries. */
static bool print_missing_objects(struct gprof *gprof)
{
    const char **carried = calloc(gprof->symbol_count + 1, sizeof *carried);
    const char **objects = calloc(gprof->map->count + 1, sizeof *objects);
    size_t carried_count = NONE, count = NONE;

    if (carried != NULL && objects != NULL) {
        carried_count = collect_names(gprof, true, carried);
        count = collect_names(gprof, false, objects);
    }
    if (carried_count != NONE && count != NONE)
        print_missing(gprof->out, objects, count, carried, carried_count);
    free(carried);
    free(objects);
    return carried_count != NONE && count != NONE;
}

bool gprof_print_file_order(struct gprof *gprof, struct error *error)
{
    struct arc_list arcs = {NULL, 0};
    struct order order;

    if (!order_init(&order, gprof) || !list_init(&arcs, gprof->arc_count)) {
        order_release(&order);
        return error_set(error, EXIT_NO, "out of memory");
    }
    add_all(&arcs, gprof);
    for (size_t i = 0; i < arcs.count; i++)
        *placed(&order, arcs.items[i]) = !is_mapped(gprof, arcs.items[i]->parent) ||
                                         !is_mapped(gprof, arcs.items[i]->child);
    place(&order, &arcs, false, NULL);
    free(arcs.items);
    for (size_t i = 0; i < gprof->symbol_count; i++) {
        if (is_mapped(gprof, &gprof->symbols[i]) && !order.nodes[i].placed)
            print_symbol(&order, i);
    }
    order_release(&order);
    return print_missing_objects(gprof) || error_set(error, EXIT_NO, "out of memory");
}
