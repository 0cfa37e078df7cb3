/* SPDX-License-Identifier: MIT */
#include "copies.h"

#include <stdlib.h>
#include <string.h>

#include "../base/search.h"

enum {
    CHAIN_MAX = 32,    /* a function, and functions inlined in it, one in another */
    ARGUMENTS = 2,     /* instructions that set a hook's */
    CALLED_MAX = 2048, /* of longer code the ways are not looked for */
};

/* Code that belongs to no timed function. */
#define NO_OWNER UINT32_MAX

/* ---- Names ---- */

static size_t source_length(const char *name)
{
    const char *dot = strchr(name, '.');
    return dot != NULL && dot != name ? (size_t)(dot - name) : strlen(name);
}

static int compare_names(const char *a, size_t a_length, const char *b, size_t b_length)
{
    int order = memcmp(a, b, a_length < b_length ? a_length : b_length);
    return order != 0 ? order : (a_length > b_length) - (a_length < b_length);
}

static int by_name(const void *left, const void *right)
{
    const struct named *a = left, *b = right;
    return compare_names(a->name, a->length, b->name, b->length);
}

static const struct named *find_in(const struct named *named, size_t count,
                                   const char *name)
{
    size_t low = 0, length = source_length(name);
    SEARCH(low, count,
           compare_names(named[middle].name, named[middle].length, name, length) < 0);
    return low < count &&
                   compare_names(named[low].name, named[low].length, name, length) == 0
               ? &named[low]
               : NULL;
}

static const struct named *find_named(const struct comparison *comparison,
                                      const char *name)
{
    return find_in(comparison->named, comparison->named_count, name);
}

bool copies_list_names(struct comparison *comparison, const struct analysis *analysis)
{
    size_t count = 0;
    struct named *named = calloc(analysis->function_count + 1, sizeof *named);
    comparison->named = named;
    for (size_t i = 0; named != NULL && i < analysis->function_count; i++) {
        const struct function *function = &analysis->functions[i];
        if (function->symbol == NULL ||
            function->timed->calls + function->timed->recursive == 0)
            continue;
        const char *name = function->symbol->demangled;
        named[count++] = (struct named){name, source_length(name), (uint32_t)i, false};
    }
    if (named == NULL)
        return false;
    qsort(named, count, sizeof *named, by_name);
    for (size_t i = 1; i < count; i++)
        if (by_name(&named[i - 1], &named[i]) == 0)
            named[i - 1].several = named[i].several = true;
    comparison->named_count = count;
    return true;
}

/* Lists the functions that have hooks in the firmware that ran. */
bool copies_list_instrumented(struct comparison *comparison, struct image *image)
{
    const struct image_symbol *symbols;
    size_t count = image_symbols(image, &symbols);
    struct named *list = calloc(count + 1, sizeof *list);
    comparison->instrumented = list;
    for (size_t i = 0; list != NULL && i < count; i++) {
        const char *name = symbols[i].demangled;
        struct image_code code;
        bool hooked = false;
        if (!image_read_code(image, symbols[i].address, symbols[i].end, 0, NULL, NULL,
                             &code))
            return false;
        for (size_t at = 0; at < code.step_count; at++)
            hooked = hooked || code.steps[at].hook;
        image_release_code(&code);
        if (hooked)
            list[comparison->instrumented_count++] =
                (struct named){.name = name, .length = source_length(name)};
    }
    if (list != NULL)
        qsort(list, comparison->instrumented_count, sizeof *list, by_name);
    return list != NULL;
}

/* ---- Copies ---- */

/* The copy of a function among those from `first` on, which are in one place. NULL: out
 * of memory. */
static struct copy *copy_of(struct copies *copies, size_t first, uint32_t function,
                            const struct named *home, bool inlined)
{
    for (size_t i = copies->count; i-- > first;)
        if (copies->items[i].function == function)
            return &copies->items[i];
    if (copies->count == copies->room) {
        size_t room = 2 * copies->room + 64;
        struct copy *items = realloc(copies->items, room * sizeof *items);
        if (items == NULL)
            return NULL;
        copies->items = items;
        copies->room = room;
    }
    copies->items[copies->count] =
        (struct copy){.function = function,
                      .home = home != NULL ? home->function : NO_HOME,
                      .inlined = inlined};
    return &copies->items[copies->count++];
}

/* What code at an address belongs to: the innermost timed function there. *line: the
 * line of this function, also where others are inlined that are not timed. */
static const struct named *owner(const struct comparison *comparison, struct image *image,
                                 uint64_t address, const struct named *home,
                                 bool *inlined, unsigned *line)
{
    struct image_line chain[CHAIN_MAX];
    size_t depth = image_lines(image, address, chain, CHAIN_MAX);
    *inlined = false;
    *line = depth > 0 ? chain[depth - 1].line : 0;
    for (size_t level = 0; level + 1 < depth; level++) {
        const char *name = chain[level].function;
        const struct named *found = name != NULL ? find_named(comparison, name) : NULL;
        if (found != NULL && found != home) {
            *inlined = true;
            *line = chain[level].line;
            return found;
        }
        if (found != NULL)
            break;
    }
    return home;
}

/* The instructions that a function executes which is called and has no hooks; 0: it has.
 * Its time is its own then, if it ever ran. */
static double called(const struct comparison *comparison, struct image *image,
                     uint64_t target, bool *no_memory)
{
    const struct image_symbol *symbol = image_symbol_at(image, target);
    if (symbol == NULL || find_named(comparison, symbol->demangled) != NULL ||
        find_in(comparison->instrumented, comparison->instrumented_count,
                symbol->demangled) != NULL)
        return 0;
    double count = (double)(symbol->end - symbol->address) / 2;
    struct image_code code;
    if (count > CALLED_MAX)
        return count;
    if (!image_read_code(image, symbol->address, symbol->end, 0, NULL, NULL, &code)) {
        *no_memory = true;
        return count;
    }
    if (code.loop_count == 0 && code.ways.known && code.ways.most > 0)
        count = (code.ways.least + code.ways.most) / 2;
    image_release_code(&code);
    return count;
}

/* What the steps of one symbol's code share. */
struct reading {
    const struct comparison *comparison;
    struct image *image;
    const struct named *home, *owner;
    unsigned line;
    bool inlined, no_memory;
    uint64_t until; /* below it, all code has this owner and line */
};

/* For image_read_code(). */
static void weigh(void *context, struct image_step *step)
{
    struct reading *reading = context;
    if (step->address >= reading->until) {
        reading->owner = owner(reading->comparison, reading->image, step->address,
                               reading->home, &reading->inlined, &reading->line);
        reading->until = image_lines_until(reading->image, step->address);
    }
    step->owner = reading->owner != NULL ? reading->owner->function : NO_OWNER;
    step->line = reading->line;
    step->weight = step->hook ? -ARGUMENTS : 1;
    if (!step->hook && step->calls != 0)
        step->weight +=
            called(reading->comparison, reading->image, step->calls, &reading->no_memory);
}

static bool add_steps(const struct named *home, const struct image_code *code,
                      struct copies *copies)
{
    size_t first = copies->count;
    for (size_t i = 0; i < code->step_count; i++) {
        const struct image_step *step = &code->steps[i];
        if (step->owner == NO_OWNER)
            continue;
        struct copy *copy = copy_of(copies, first, step->owner, home,
                                    home == NULL || step->owner != home->function);
        if (copy == NULL)
            return false;
        copy->loops += step->begins;
        copy->cased = copy->cased || step->cased;
        copy->hooked = copy->hooked || step->hook;
        copy->counts[step->loops] += step->weight;
    }
    for (size_t i = first; i < copies->count; i++)
        if (!copies->items[i].inlined)
            copies->items[i].ways = code->ways;
    return true;
}

static bool add_loops(const struct named *home, const struct image_code *code,
                      struct copies *copies)
{
    size_t first = copies->loop_count, need = first + code->loop_count;
    if (need > copies->loop_room) {
        struct owned_loop *loops = realloc(copies->loops, 2 * need * sizeof *loops);
        if (loops == NULL)
            return false;
        copies->loops = loops;
        copies->loop_room = 2 * need;
    }
    for (size_t i = 0; i < code->loop_count; i++)
        if (code->loops[i].owner != NO_OWNER)
            copies->loops[copies->loop_count++] = (struct owned_loop){
                .function = code->loops[i].owner,
                .depth = code->loops[i].depth,
                .line = code->loops[i].line,
                .number = first + i,
                .inlined = home == NULL || code->loops[i].owner != home->function,
                .ways = code->loops[i].ways};
    return true;
}

bool copies_collect(const struct comparison *comparison, struct image *image,
                    struct copies *copies)
{
    const struct image_symbol *symbols;
    size_t count = image_symbols(image, &symbols);
    for (size_t i = 0; i < count; i++) {
        const struct image_symbol *symbol = &symbols[i];
        const struct named *home = find_named(comparison, symbol->demangled);
        struct reading reading = {.comparison = comparison, .image = image, .home = home};
        struct image_code code;
        if (home == NULL && !image_inlines(image, symbol->address, symbol->end))
            continue;
        if (!image_read_code(image, symbol->address, symbol->end,
                             home != NULL ? home->function : NO_OWNER, weigh, &reading,
                             &code))
            return false;
        bool done = !reading.no_memory && add_steps(home, &code, copies) &&
                    add_loops(home, &code, copies);
        image_release_code(&code);
        if (!done)
            return false;
    }
    return true;
}

bool copies_drop_idle(struct copies *copies, const struct analysis *analysis)
{
    enum { CALLED = 1, INLINED = 2 };
    uint8_t *ran = calloc(analysis->function_count + 1, sizeof *ran);
    size_t kept = 0;
    if (ran == NULL)
        return false;
    for (size_t i = 0; i < analysis->site_count; i++)
        ran[analysis->sites[i].callee] |= analysis->sites[i].inlined ? INLINED : CALLED;
    for (size_t i = 0; i < copies->count; i++)
        if (ran[copies->items[i].function] &
            (copies->items[i].inlined ? INLINED : CALLED))
            copies->items[kept++] = copies->items[i];
    copies->count = kept;
    kept = 0;
    for (size_t i = 0; i < copies->loop_count; i++)
        if (ran[copies->loops[i].function] &
            (copies->loops[i].inlined ? INLINED : CALLED))
            copies->loops[kept++] = copies->loops[i];
    copies->loop_count = kept;
    free(ran);
    return true;
}

void copies_release(struct comparison *comparison)
{
    free(comparison->named);
    free(comparison->instrumented);
    free(comparison->ran.items);
    free(comparison->ran.loops);
    free(comparison->ships.items);
    free(comparison->ships.loops);
}
