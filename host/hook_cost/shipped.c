/* SPDX-License-Identifier: MIT */
#include "shipped.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../base/compare.h"
#include "../base/search.h"
#include "../base/vector.h"

enum {
    CHAIN_MAX = 32, /* a function, and functions inlined in it, one in another */
    DEPTHS = IMAGE_LOOPS_MAX + 1,
    ARGUMENTS = 2, /* instructions that set a hook's */
    TURNS_MAX = 10000,
};

/* A timed function by its name in the source. */
struct compared {
    const char *name;
    size_t length; /* a compiler's suffix (".constprop.0") left out */
    uint32_t function;
    bool several; /* timed functions have the name */
};

/* The code of a function in one place: itself, or where it is inlined. */
struct copy {
    uint32_t function, home; /* home: the function that it lies in; NO_HOME */
    bool inlined, cased, hooked;
    unsigned loops;        /* how many begin in it */
    double counts[DEPTHS]; /* instructions by the number of loops around them */
};

#define NO_HOME UINT32_MAX /* one that is not timed */

struct copies {
    struct copy *items;
    size_t count, room;
};

struct comparison {
    struct compared *named;
    struct compared *instrumented; /* functions with hooks, never called ones as well */
    size_t named_count, instrumented_count;
    struct copies ran, ships;
};

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
    const struct compared *a = left, *b = right;
    return compare_names(a->name, a->length, b->name, b->length);
}

static const struct compared *find_in(const struct compared *named, size_t count,
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

static const struct compared *find_named(const struct comparison *comparison,
                                         const char *name)
{
    return find_in(comparison->named, comparison->named_count, name);
}

static bool list_names(struct comparison *comparison, const struct analysis *analysis)
{
    size_t count = 0;
    struct compared *named = calloc(analysis->function_count + 1, sizeof *named);
    comparison->named = named;
    for (size_t i = 0; named != NULL && i < analysis->function_count; i++) {
        const struct function *function = &analysis->functions[i];
        if (function->symbol == NULL ||
            function->timed->calls + function->timed->recursive == 0)
            continue;
        const char *name = function->symbol->demangled;
        named[count++] = (struct compared){name, source_length(name), (uint32_t)i, false};
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
static bool list_instrumented(struct comparison *comparison, struct image *image)
{
    const struct image_symbol *symbols;
    size_t count = image_symbols(image, &symbols), step_count;
    struct compared *list = calloc(count + 1, sizeof *list);
    comparison->instrumented = list;
    for (size_t i = 0; list != NULL && i < count; i++) {
        const char *name = symbols[i].demangled;
        struct image_step *steps;
        bool hooked = false;
        if (!image_steps(image, symbols[i].address, symbols[i].end, &steps, &step_count))
            return false;
        for (size_t at = 0; at < step_count; at++)
            hooked = hooked || steps[at].hook;
        free(steps);
        if (hooked)
            list[comparison->instrumented_count++] =
                (struct compared){.name = name, .length = source_length(name)};
    }
    if (list != NULL)
        qsort(list, comparison->instrumented_count, sizeof *list, by_name);
    return list != NULL;
}

/* ---- Copies ---- */

/* The copy of a function among those from `first` on, which are in one place. NULL: out
 * of memory. */
static struct copy *copy_of(struct copies *copies, size_t first, uint32_t function,
                            const struct compared *home, bool inlined)
{
    for (size_t i = copies->count; i-- > first;)
        if (copies->items[i].function == function)
            return &copies->items[i];
    if (!vector_grow(&copies->items, copies->count, &copies->room, sizeof *copies->items))
        return NULL;
    copies->items[copies->count] =
        (struct copy){.function = function,
                      .home = home != NULL ? home->function : NO_HOME,
                      .inlined = inlined};
    return &copies->items[copies->count++];
}

/* What code at an address belongs to: the innermost timed function there. */
static const struct compared *owner(const struct comparison *comparison,
                                    struct image *image, uint64_t address,
                                    const struct compared *home, bool *inlined)
{
    struct image_line chain[CHAIN_MAX];
    size_t depth = image_lines(image, address, chain, CHAIN_MAX);
    *inlined = false;
    for (size_t level = 0; level + 1 < depth; level++) {
        const char *name = chain[level].function;
        const struct compared *found = name != NULL ? find_named(comparison, name) : NULL;
        if (found != NULL && found != home) {
            *inlined = true;
            return found;
        }
        if (found != NULL)
            break;
    }
    return home;
}

/* The instructions of a function that is called and has no hooks; 0: it has. Its time is
 * its own then, if it ever ran. */
static double called(const struct comparison *comparison, const struct image *image,
                     uint64_t target)
{
    const struct image_symbol *symbol = image_symbol_at(image, target);
    if (symbol == NULL || find_named(comparison, symbol->demangled) != NULL ||
        find_in(comparison->instrumented, comparison->instrumented_count,
                symbol->demangled) != NULL)
        return 0;
    return (double)(symbol->end - symbol->address) / 2;
}

static bool add_steps(const struct comparison *comparison, struct image *image,
                      const struct compared *home, const struct image_step *steps,
                      size_t count, struct copies *copies)
{
    size_t first = copies->count;
    const struct compared *named = home;
    uint64_t until = 0;
    bool inlined = false;
    for (size_t i = 0; i < count; i++) {
        const struct image_step *step = &steps[i];
        if (step->address >= until) {
            named = owner(comparison, image, step->address, home, &inlined);
            until = image_lines_until(image, step->address);
        }
        if (named == NULL)
            continue;
        struct copy *copy = copy_of(copies, first, named->function, home, inlined);
        if (copy == NULL)
            return false;
        copy->loops += step->begins;
        copy->cased = copy->cased || step->cased;
        copy->hooked = copy->hooked || step->hook;
        copy->counts[step->loops] +=
            step->hook
                ? -ARGUMENTS
                : 1 + (step->calls != 0 ? called(comparison, image, step->calls) : 0);
    }
    return true;
}

static bool collect(const struct comparison *comparison, struct image *image,
                    struct copies *copies)
{
    const struct image_symbol *symbols;
    size_t count = image_symbols(image, &symbols), step_count;
    for (size_t i = 0; i < count; i++) {
        const struct image_symbol *symbol = &symbols[i];
        const struct compared *home = find_named(comparison, symbol->demangled);
        struct image_step *steps;
        if (home == NULL && !image_inlines(image, symbol->address, symbol->end))
            continue;
        if (!image_steps(image, symbol->address, symbol->end, &steps, &step_count))
            return false;
        bool done = add_steps(comparison, image, home, steps, step_count, copies);
        free(steps);
        if (!done)
            return false;
    }
    return true;
}

/* ---- Comparing ---- */

/* The copies of a function, in one firmware. */
struct summary {
    unsigned copies, own;  /* `own` are not inlined */
    unsigned loops;        /* of the deepest instruction of its own code, */
    unsigned most, least;  /* or of any copy */
    unsigned begin;        /* loops in all copies */
    bool cased;            /* there is a switch, through which loops may lead */
    bool hooked;           /* there are hooks */
    double counts[DEPTHS]; /* instructions of a copy, in the mean, by the number of its
                              own loops around them */
};

static unsigned deepest(const struct copy *copy)
{
    unsigned loops = IMAGE_LOOPS_MAX;
    while (loops > 0 && copy->counts[loops] <= 0)
        loops--;
    return loops;
}

static struct summary *summarise(const struct copies *copies, size_t functions)
{
    struct summary *summaries = calloc(functions + 1, sizeof *summaries);
    for (size_t i = 0; summaries != NULL && i < copies->count; i++) {
        const struct copy *copy = &copies->items[i];
        struct summary *summary = &summaries[copy->function];
        unsigned loops = deepest(copy);
        if (!copy->inlined) {
            summary->own++;
            summary->loops = loops;
        }
        summary->begin += copy->loops;
        summary->cased = summary->cased || copy->cased;
        summary->hooked = summary->hooked || copy->hooked;
        summary->most = loops > summary->most ? loops : summary->most;
        if (summary->copies++ == 0 || loops < summary->least)
            summary->least = loops;
    }
    return summaries;
}

/* How deep the function's own loops are; DEPTHS: that is not the same everywhere. */
static unsigned own_loops(const struct summary *ran, const struct summary *ships)
{
    if (ran->copies == 0 || ran->own > 1 || ships->own > 1)
        return DEPTHS;
    if (ran->own > 0 && ships->own > 0 && ran->loops != ships->loops)
        return DEPTHS;
    unsigned least =
        ran->least < ships->least || ships->copies == 0 ? ran->least : ships->least;
    unsigned loops = ran->own > 0 ? ran->loops : ships->own > 0 ? ships->loops : least;
    return loops > least ? DEPTHS : loops;
}

static void add_weights(const struct copies *copies, const struct shipped_code *codes,
                        struct summary *summaries)
{
    for (size_t i = 0; i < copies->count; i++) {
        const struct copy *copy = &copies->items[i];
        struct summary *summary = &summaries[copy->function];
        unsigned deep = deepest(copy), loops = codes[copy->function].loops;
        unsigned around = deep > loops ? deep - loops : 0;
        for (unsigned at = 0; at < DEPTHS; at++)
            summary->counts[at > around ? at - around : 0] +=
                copy->counts[at] / summary->copies;
    }
}

/* ---- What is inlined ---- */

/* A function is inlined in another one, in the firmware that ran, in that which ships, or
 * in both. */
struct inlining {
    uint32_t function, home;
    unsigned in; /* 1: in that which ran, 2: in the other */
};

static int by_functions(const void *left, const void *right)
{
    const struct inlining *a = left, *b = right;
    ORDER_BY(a->home, b->home);
    return (a->function > b->function) - (a->function < b->function);
}

static size_t add_inlinings(const struct copies *copies, unsigned in,
                            struct inlining *inlinings)
{
    size_t count = 0;
    for (size_t i = 0; i < copies->count; i++)
        if (copies->items[i].inlined)
            inlinings[count++] =
                (struct inlining){copies->items[i].function, copies->items[i].home, in};
    return count;
}

/* Marks functions that are inlined, or have others inlined, in one firmware alone. */
static bool mark_moved(const struct comparison *comparison, struct shipped_code *codes)
{
    size_t most = comparison->ran.count + comparison->ships.count;
    struct inlining *all = calloc(most + 1, sizeof *all);
    if (all == NULL)
        return false;
    size_t count = add_inlinings(&comparison->ran, 1, all);
    count += add_inlinings(&comparison->ships, 2, all + count);
    qsort(all, count, sizeof *all, by_functions);
    for (size_t i = 0, next; i < count; i = next) {
        unsigned in = 0;
        for (next = i; next < count && by_functions(&all[i], &all[next]) == 0; next++)
            in |= all[next].in;
        if (in == 3)
            continue;
        codes[all[i].function].moved = true;
        if (all[i].home != NO_HOME)
            codes[all[i].home].moved = true;
    }
    free(all);
    return true;
}

/* How many instructions in loops are executed, if each loop turns so often. */
static double looped(const double *counts, double turns)
{
    double sum = 0;
    for (unsigned loops = DEPTHS - 1; loops > 0; loops--)
        sum = (sum + counts[loops]) * turns;
    return sum;
}

/* How much longer the loops of the function make it, if they turn so often. What is in no
 * loop is another step's (outside.h). */
static double longer_by(const struct shipped_code *code, double turns)
{
    return (looped(code->ran, turns) + code->ships[0]) /
           (looped(code->ships, turns) + code->ships[0]);
}

/* How often the loops turn where a call executes so many instructions. */
static double turns_of(const struct shipped_code *code, double instructions)
{
    double low = 1, high = TURNS_MAX;
    while (high / low > 1 + 1e-9) {
        double turns = sqrt(low * high);
        if (code->ran[0] + looped(code->ran, turns) < instructions)
            low = turns;
        else
            high = turns;
    }
    return low;
}

double shipped_ratio(const struct shipped_code *code, double instructions, double *error)
{
    *error = 0;
    if (instructions <= 0)
        return code->ratio;
    double ratio = longer_by(code, turns_of(code, instructions));
    if (!(ratio > 0 && ratio <= SHIPPED_ALIKE && ratio * SHIPPED_ALIKE >= 1)) {
        *error = log(SHIPPED_ALIKE); /* the turns tell nothing */
        return code->ratio;
    }
    *error = fabs(log(ratio / code->ratio));
    return ratio;
}

/* The ratio that shipped_code.ratio tells. */
static double ratio_of(const struct summary *ran, const struct summary *ships)
{
    double longer = looped(ran->counts, SHIPPED_TURNS) + ships->counts[0];
    double shipped = looped(ships->counts, SHIPPED_TURNS) + ships->counts[0];
    bool alike = shipped > 0 &&
                 ran->begin * ships->copies == ships->begin * ran->copies &&
                 longer <= SHIPPED_ALIKE * shipped && shipped <= SHIPPED_ALIKE * longer;
    return alike ? longer / shipped : 0;
}

static void judge(const struct comparison *comparison, size_t functions,
                  struct summary *ran, struct summary *ships, struct shipped_code *codes)
{
    for (size_t i = 0; i < functions; i++) {
        unsigned loops = own_loops(&ran[i], &ships[i]);
        codes[i].loops = loops < DEPTHS ? loops : ran[i].most;
        codes[i].ratio = loops < DEPTHS && ships[i].copies > 0 && !ships[i].hooked;
    }
    for (size_t i = 0; i < comparison->named_count; i++)
        if (comparison->named[i].several)
            codes[comparison->named[i].function].ratio = 0;
    add_weights(&comparison->ran, codes, ran);
    add_weights(&comparison->ships, codes, ships);
    for (size_t i = 0; i < functions; i++) {
        memcpy(codes[i].ran, ran[i].counts, sizeof codes[i].ran);
        memcpy(codes[i].ships, ships[i].counts, sizeof codes[i].ships);
        codes[i].longer = ran[i].counts[0] - ships[i].counts[0];
        codes[i].longer_known = codes[i].ratio > 0 && !codes[i].moved &&
                                ran[i].copies == 1 && ran[i].own == 1 &&
                                ships[i].copies == 1 && ships[i].own == 1;
        if (ran[i].copies > 0 && ran[i].own <= 1 && (codes[i].loops > 0 || !ran[i].cased))
            codes[i].counts =
                fmax(ran[i].counts[0] + looped(ran[i].counts, SHIPPED_TURNS), 1);
        codes[i].ratio = codes[i].ratio > 0 ? ratio_of(&ran[i], &ships[i]) : 0;
    }
}

static bool compare(const struct comparison *comparison, size_t functions,
                    struct shipped_code *codes)
{
    struct summary *ran = summarise(&comparison->ran, functions);
    struct summary *ships = summarise(&comparison->ships, functions);
    bool done = ran != NULL && ships != NULL && mark_moved(comparison, codes);
    if (done)
        judge(comparison, functions, ran, ships, codes);
    free(ran);
    free(ships);
    return done;
}

bool shipped_compare(const struct analysis *analysis, struct image *image,
                     struct shipped_code *codes)
{
    struct comparison comparison = {0};
    struct image *ships = image != NULL ? image_shipped(image) : NULL;
    if (image == NULL)
        return true;
    bool done = list_names(&comparison, analysis) &&
                (ships == NULL || list_instrumented(&comparison, image)) &&
                collect(&comparison, image, &comparison.ran) &&
                (ships == NULL || collect(&comparison, ships, &comparison.ships)) &&
                compare(&comparison, analysis->function_count, codes);
    free(comparison.named);
    free(comparison.instrumented);
    free(comparison.ran.items);
    free(comparison.ships.items);
    return done;
}
