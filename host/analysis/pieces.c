/* SPDX-License-Identifier: MIT */
#include "pieces.h"
#include "../base/compare.h"
#include "../base/saturate.h"
#include "../base/vector.h"

#include <stdlib.h>
#include <string.h>

static bool push(struct pieces *pieces, const struct piece *piece)
{
    if (!vector_grow(&pieces->items, pieces->used, &pieces->allocated,
                     sizeof *pieces->items))
        return false;
    pieces->items[pieces->used++] = *piece;
    return true;
}

static bool add_inlined(struct pieces *pieces, const struct piece *piece,
                        const struct image_line *chain, size_t level)
{
    struct piece inlined = *piece;
    inlined.symbol = NULL;
    inlined.function = chain[level].function != NULL ? chain[level].function : "?";
    inlined.at = chain[level];
    inlined.home = chain[level].file;
    inlined.elsewhere = false;
    inlined.here.entries = 0;
    if (level == 0)
        inlined.from = (struct image_line){.function = NULL};
    return push(pieces, &inlined);
}

/* Whether this function was inlined into itself further in: its code counts once. */
static bool is_inlined_into_itself(const struct image_line *chain, size_t level)
{
    for (size_t i = 0; i < level; i++)
        if (compare_known(chain[i].function, chain[level].function) == 0 &&
            compare_known(chain[i].file, chain[level].file) == 0)
            return true;
    return false;
}

bool pieces_add(struct pieces *pieces, const struct piece *piece,
                const struct image_line *chain, size_t depth)
{
    struct piece whole = *piece;
    whole.landed_in = piece->symbol->demangled;
    if (depth > 0) {
        whole.at = chain[depth - 1];
        whole.copy = chain[0].copy;
    }
    if (whole.first)
        pieces->home = whole.at.file;
    if (depth > 1) {
        whole.from = chain[0];
        whole.from.function = chain[0].function != NULL ? chain[0].function : "?";
    }
    whole.home = pieces->home;
    whole.elsewhere = compare_known(whole.at.file, whole.home) != 0;
    if (!push(pieces, &whole))
        return false;
    for (size_t level = 0; level + 1 < depth; level++)
        if (!is_inlined_into_itself(chain, level) &&
            !add_inlined(pieces, &whole, chain, level))
            return false;
    return true;
}

void pieces_release(struct pieces *pieces)
{
    free(pieces->items);
}

/* ---- Sums ---- */

static int compare_functions(const struct piece *a, const struct piece *b)
{
    ORDER_BY(a->symbol, b->symbol);
    if (a->symbol != NULL)
        return 0;
    int order = compare_known(a->function, b->function);
    return order != 0 ? order : compare_known(a->home, b->home);
}

static int compare_lines(const struct piece *a, const struct piece *b)
{
    int order = compare_numbers(a->elsewhere, b->elsewhere);
    if (order == 0)
        order = compare_known(a->at.file, b->at.file);
    if (order == 0)
        order = compare_numbers(a->at.line, b->at.line);
    if (order == 0)
        order = compare_numbers(a->from.function != NULL, b->from.function != NULL);
    if (order == 0)
        order = compare_known(a->from.file, b->from.file);
    if (order == 0)
        order = compare_numbers(a->from.line, b->from.line);
    return order != 0 ? order : compare_known(a->from.function, b->from.function);
}

static int by_place(const void *left, const void *right)
{
    const struct piece *a = left, *b = right;
    int order = compare_functions(a, b);
    if (order == 0)
        order = compare_lines(a, b);
    return order != 0 ? order : compare_numbers(a->copy, b->copy);
}

/* The larger one; NOT_COUNTED is less than any count. */
static uint64_t busiest(uint64_t a, uint64_t b)
{
    if (a == NOT_COUNTED || b == NOT_COUNTED)
        return a == NOT_COUNTED ? b : a;
    return a > b ? a : b;
}

static int by_place_and_block(const void *left, const void *right)
{
    int order = by_place(left, right);
    return order != 0 ? order
                      : compare_numbers(((const struct piece *)left)->block,
                                        ((const struct piece *)right)->block);
}

/* Adds up one copy's pieces of a line, which stand side by side; returns how many they
 * are. Conditional code in several blocks runs at most as often as all of them. */
static size_t add_copy(struct annotated *sum, const struct piece *pieces, size_t count)
{
    uint64_t begun = NOT_COUNTED, inside = NOT_COUNTED, all = 0;
    bool conditional = false;
    size_t i = 0;
    for (; i < count && by_place(&pieces[i], pieces) == 0; i++) {
        begun = busiest(begun, pieces[i].here.ran);
        inside = busiest(inside, pieces[i].inside);
        if (pieces[i].inside != NOT_COUNTED &&
            (i == 0 || pieces[i].block != pieces[i - 1].block))
            all = add_saturating(all, pieces[i].inside);
        conditional = conditional || pieces[i].here.at_most;
        sum->samples += pieces[i].here.samples;
        sum->calls = add_saturating(sum->calls, pieces[i].here.calls);
        sum->entries = add_saturating(sum->entries, pieces[i].here.entries);
    }
    bool at_most = conditional && begun == NOT_COUNTED && inside != NOT_COUNTED;
    uint64_t ran = at_most ? all : begun != NOT_COUNTED ? begun : inside;
    sum->at_most = sum->at_most || at_most;
    if (ran != NOT_COUNTED)
        sum->ran = sum->ran == NOT_COUNTED ? ran : add_saturating(sum->ran, ran);
    return i;
}

static void add_line(struct annotated_function *function, struct piece *piece,
                     size_t count, const struct annotated *here)
{
    for (size_t i = 0; i < count; i++)
        piece[i].line = &function->lines[function->line_count];
    function->lines[function->line_count++] =
        (struct annotated_line){piece->at.file, piece->at.line, piece->from, *here};
    function->samples += here->samples;
    function->entries = add_saturating(function->entries, here->entries);
    function->ran += here->ran == NOT_COUNTED ? 0 : (double)here->ran;
}

/* Adds up the pieces of one function, which stand side by side; returns how many they
 * are. */
static size_t add_function(struct annotated_function *function, struct piece *pieces,
                           size_t count)
{
    const struct piece *first = pieces;
    size_t done = 0;
    function->symbol = first->symbol;
    function->name = first->symbol != NULL ? first->landed_in : first->function;
    function->file = first->home;
    while (done < count && compare_functions(&pieces[done], first) == 0) {
        struct piece *line = &pieces[done];
        struct annotated here = {.ran = NOT_COUNTED};
        while (done < count && compare_functions(&pieces[done], first) == 0 &&
               compare_lines(&pieces[done], line) == 0)
            done += add_copy(&here, &pieces[done], count - done);
        add_line(function, line, (size_t)(&pieces[done] - line), &here);
    }
    function->line = function->lines[0].line;
    for (size_t i = 0; i < done && first->symbol != NULL; i++)
        if (pieces[i].first)
            function->line = pieces[i].at.line;
    return done;
}

static int by_name(const void *left, const void *right)
{
    const struct annotated_landing *a = left, *b = right;
    return strcmp(a->function, b->function);
}

static int by_samples(const void *left, const void *right)
{
    const struct annotated_landing *a = left, *b = right;
    if (a->samples != b->samples)
        return a->samples < b->samples ? 1 : -1;
    return by_name(left, right);
}

static void add_landings(struct annotated_function *function, const struct piece *pieces,
                         size_t count)
{
    struct annotated_landing *landings = function->landings;
    for (size_t i = 0; i < count; i++)
        landings[i] =
            (struct annotated_landing){pieces[i].landed_in, pieces[i].here.samples};
    qsort(landings, count, sizeof *landings, by_name);
    for (size_t i = 0; i < count; i++) {
        struct annotated_landing *last = &landings[function->landing_count];
        if (function->landing_count > 0 && by_name(last - 1, &landings[i]) == 0)
            last[-1].samples += landings[i].samples;
        else
            landings[function->landing_count++] = landings[i];
    }
    qsort(landings, function->landing_count, sizeof *landings, by_samples);
}

static int by_heat(const void *left, const void *right)
{
    const struct annotated_function *a = left, *b = right;
    if (a->samples != b->samples)
        return a->samples < b->samples ? 1 : -1;
    if ((a->symbol == NULL) != (b->symbol == NULL))
        return a->symbol == NULL ? 1 : -1;
    if (a->ran != b->ran)
        return a->ran < b->ran ? 1 : -1;
    if (a->entries != b->entries)
        return a->entries < b->entries ? 1 : -1;
    int order = strcmp(a->name, b->name);
    return order != 0 ? order : compare_known(a->file, b->file);
}

bool pieces_tabulate(struct pieces *pieces, struct annotation *annotation)
{
    size_t count = pieces->used;
    annotation->functions = calloc(count + 1, sizeof *annotation->functions);
    annotation->lines = calloc(count + 1, sizeof *annotation->lines);
    annotation->landings = calloc(count + 1, sizeof *annotation->landings);
    if (annotation->functions == NULL || annotation->lines == NULL ||
        annotation->landings == NULL)
        return false;
    if (count > 0)
        qsort(pieces->items, count, sizeof *pieces->items, by_place_and_block);
    for (size_t at = 0; at < count;) {
        struct annotated_function *function =
            &annotation->functions[annotation->function_count++];
        /* a piece makes at most one line and one landing */
        function->lines = &annotation->lines[at];
        function->landings = &annotation->landings[at];
        size_t used = add_function(function, &pieces->items[at], count - at);
        if (function->symbol == NULL)
            add_landings(function, &pieces->items[at], used);
        at += used;
    }
    if (annotation->function_count > 0)
        qsort(annotation->functions, annotation->function_count,
              sizeof *annotation->functions, by_heat);
    return true;
}
