/* SPDX-License-Identifier: MIT */
#include "shipped.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../base/search.h"
#include "copies.h"

enum { TURNS_MAX = 10000 };

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
    const struct copy *last;
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
        summary->last = copy;
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
    if (a->home != b->home)
        return a->home < b->home ? -1 : 1;
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

/* ---- Ways ---- */

/* Loops of a function as they lie in its code, less deep ones first. */
static int by_function(const void *left, const void *right)
{
    const struct owned_loop *a = left, *b = right;
    if (a->function != b->function)
        return a->function < b->function ? -1 : 1;
    if (a->depth != b->depth)
        return a->depth < b->depth ? -1 : 1;
    return (a->number > b->number) - (a->number < b->number);
}

/* And in the order of their lines. */
static int by_line(const void *left, const void *right)
{
    const struct owned_loop *a = left, *b = right;
    if (a->function == b->function && a->depth == b->depth && a->line != b->line)
        return a->line < b->line ? -1 : 1;
    return by_function(left, right);
}

/* The loops of a function, which are sorted. */
struct loops {
    const struct owned_loop *items;
    size_t count;
};

static struct loops loops_of(const struct copies *copies, uint32_t function)
{
    size_t low = 0, high;
    SEARCH(low, copies->loop_count, copies->loops[middle].function < function);
    high = low;
    SEARCH(high, copies->loop_count, copies->loops[middle].function <= function);
    return (struct loops){copies->loops + low, high - low};
}

/* Adds a way round a loop, and the same one as it ships. */
static void add_way(struct shipped_code *code, unsigned depth, double ran, double ships)
{
    code->ran[depth] += ran / 2;
    code->ships[depth] += ships / 2;
    code->squares[depth] += ships * ships / ran / 2;
}

/* Adds the ways of a pair. false: they are not known. */
static bool add_pair(struct shipped_code *code, const struct owned_loop *ran,
                     unsigned ran_around, const struct owned_loop *ships,
                     unsigned ships_around)
{
    unsigned depth = ran->depth - ran_around;
    if (ran->depth <= ran_around || depth != ships->depth - ships_around ||
        !ran->ways.known || !ships->ways.known || ran->ways.least < 1 ||
        ships->ways.least < 1)
        return false;
    add_way(code, depth, ran->ways.least, ships->ways.least);
    add_way(code, depth, ran->ways.most, ships->ways.most);
    return true;
}

static unsigned around(const struct summary *summary, const struct shipped_code *code)
{
    unsigned depth = deepest(summary->last);
    return depth > code->loops ? depth - code->loops : 0;
}

/* Pairs the loops of the only copies, as they are sorted. `far` becomes how unlike they
 * are. false: they cannot be paired. */
static bool pair_loops(const struct comparison *comparison, uint32_t function,
                       const struct summary *ran, const struct summary *ships,
                       struct shipped_code *code, double *far)
{
    struct loops a = loops_of(&comparison->ran, function),
                 b = loops_of(&comparison->ships, function);
    bool done = a.count == b.count;
    *far = 0;
    memset(code->ran + 1, 0, sizeof code->ran - sizeof *code->ran);
    memset(code->ships + 1, 0, sizeof code->ships - sizeof *code->ships);
    memset(code->squares, 0, sizeof code->squares);
    for (size_t i = 0; done && i < a.count; i++) {
        done = add_pair(code, &a.items[i], around(ran, code), &b.items[i],
                        around(ships, code));
        if (done)
            *far += fabs(log(b.items[i].ways.most / a.items[i].ways.most));
    }
    return done;
}

/* Compares what is in no loop of two copies that are not inlined. */
static void compare_straight(const struct copy *ran, const struct copy *ships,
                             struct shipped_code *code)
{
    double least = ran->ways.least - ships->ways.least;
    double most = ran->ways.most - ships->ways.most;
    code->longer = (least + most) / 2;
    code->longer_error = fmax(fabs(most - least) / sqrt(12), SHIPPED_WAYS_ERROR);
    code->ran[0] = (ran->ways.least + ran->ways.most) / 2;
    code->ships[0] = (ships->ways.least + ships->ways.most) / 2;
}

/* Compares by ways, where a function has one copy in each, and these have the same loops.
 * Of those that were compared already, as they were sorted then, it takes what is more
 * alike. */
static void compare_ways(const struct comparison *comparison, uint32_t function,
                         const struct summary *ran, const struct summary *ships,
                         struct shipped_code *code)
{
    struct shipped_code ways = *code;
    const struct copy *a = ran->last, *b = ships->last;
    if (code->ratio == 0 || ran->copies != 1 || ships->copies != 1 || a->cased ||
        b->cased || a->inlined || b->inlined || !a->ways.known || !b->ways.known ||
        a->ways.least < 0 || b->ways.least < 1 ||
        !pair_loops(comparison, function, ran, ships, &ways, &ways.far) ||
        (code->paired && code->far <= ways.far))
        return;
    *code = ways;
    compare_straight(a, b, code);
    code->longer_known = code->paired = true;
}

static void sort_loops(struct comparison *comparison,
                       int (*order)(const void *, const void *))
{
    struct copies *both[] = {&comparison->ran, &comparison->ships};
    for (size_t i = 0; i < 2; i++)
        if (both[i]->loop_count > 0)
            qsort(both[i]->loops, both[i]->loop_count, sizeof *both[i]->loops, order);
}

static void compare_all_ways(struct comparison *comparison, size_t functions,
                             const struct summary *ran, const struct summary *ships,
                             struct shipped_code *codes)
{
    for (unsigned lines = 0; lines < 2; lines++) {
        sort_loops(comparison, lines ? by_line : by_function);
        for (size_t i = 0; i < functions; i++)
            compare_ways(comparison, (uint32_t)i, &ran[i], &ships[i], &codes[i]);
    }
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
 * loop is another step's (hooked.h). */
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

/* The error of the ratio, by the spread of the ways, each with its part of the time. */
static double spread_of(const struct shipped_code *code, double turns)
{
    double all = looped(code->ran, turns) + code->ran[0];
    double mean = (looped(code->ships, turns) + code->ran[0]) / all;
    double square = (looped(code->squares, turns) + code->ran[0]) / all;
    return sqrt(fmax(square - mean * mean, 0) / 3) / mean;
}

double shipped_ratio(const struct shipped_code *code, double instructions, double *error)
{
    *error = 0;
    if (code->paired) {
        double turns = instructions > 0 ? turns_of(code, instructions) : SHIPPED_TURNS;
        *error = spread_of(code, turns);
        return longer_by(code, turns);
    }
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

/* The ratio that shipped_code.ratio tells. *unlike: as shipped_code.unlike. */
static double ratio_of(const struct summary *ran, const struct summary *ships,
                       double *unlike)
{
    double longer = looped(ran->counts, SHIPPED_TURNS) + ships->counts[0];
    double shipped = looped(ships->counts, SHIPPED_TURNS) + ships->counts[0];
    bool alike = shipped > 0 &&
                 ran->begin * ships->copies == ships->begin * ran->copies &&
                 longer <= SHIPPED_ALIKE * shipped && shipped <= SHIPPED_ALIKE * longer;
    *unlike = longer > 0 && shipped > 0
                  ? fmin(fabs(log(longer / shipped)), log(SHIPPED_ALIKE))
                  : 0;
    return alike ? longer / shipped : 0;
}

/* Compares the instructions in no loop, on whatever way. */
static void compare_counts(const struct summary *ran, const struct summary *ships,
                           struct shipped_code *code)
{
    code->longer = ran->counts[0] - ships->counts[0];
    code->longer_error = SHIPPED_COUNTED_ERROR;
    code->longer_known = code->ratio > 0 && !code->moved && ran->copies == 1 &&
                         ran->own == 1 && ships->copies == 1 && ships->own == 1;
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
        if (ran[i].copies > 0 && ran[i].own <= 1 && (codes[i].loops > 0 || !ran[i].cased))
            codes[i].counts =
                fmax(ran[i].counts[0] + looped(ran[i].counts, SHIPPED_TURNS), 1);
        if (codes[i].ratio > 0)
            codes[i].ratio = ratio_of(&ran[i], &ships[i], &codes[i].unlike);
        compare_counts(&ran[i], &ships[i], &codes[i]);
    }
}

static bool compare(struct comparison *comparison, size_t functions,
                    struct shipped_code *codes)
{
    struct summary *ran = summarise(&comparison->ran, functions);
    struct summary *ships = summarise(&comparison->ships, functions);
    bool done = ran != NULL && ships != NULL && mark_moved(comparison, codes);
    if (done)
        judge(comparison, functions, ran, ships, codes);
    if (done)
        compare_all_ways(comparison, functions, ran, ships, codes);
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
    bool done =
        copies_list_names(&comparison, analysis) &&
        (ships == NULL || copies_list_instrumented(&comparison, image)) &&
        copies_collect(&comparison, image, &comparison.ran) &&
        copies_drop_idle(&comparison.ran, analysis) &&
        (ships == NULL || copies_collect(&comparison, ships, &comparison.ships)) &&
        compare(&comparison, analysis->function_count, codes);
    copies_release(&comparison);
    return done;
}
