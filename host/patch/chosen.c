/* SPDX-License-Identifier: MIT */
/* The functions to which calls are counted, by names, files and patterns. */
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "../analysis/analyse.h"
#include "../base/name.h"
#include "../base/search.h"
#include "internal.h"

enum { LINES_MAX = 16 };

/* Whether the pattern is this file, or its last parts. */
static bool is_file(const char *pattern, const char *file)
{
    for (; file != NULL; file = strchr(file, '/')) {
        file += *file == '/';
        if (fnmatch(pattern, file, 0) == 0)
            return true;
    }
    return false;
}

/* The file in which a function is written; NULL: not known. */
static const char *file_of(struct image *image, const struct image_symbol *symbol)
{
    struct image_line lines[LINES_MAX];
    size_t count = image_lines(image, symbol->address, lines, LINES_MAX);
    return count > 0 ? lines[count - 1].file : symbol->source;
}

static bool is_named(const char *pattern, struct image *image,
                     const struct image_symbol *symbol)
{
    return fnmatch(pattern, symbol->name, 0) == 0 ||
           fnmatch(pattern, symbol->demangled, 0) == 0 ||
           analysis_is_named(image_name(image, symbol), symbol, pattern) ||
           is_file(pattern, file_of(image, symbol));
}

/* Whether one of the patterns is the function's; notes which were found. */
static bool is_one_of(const char *const *patterns, bool *found, struct image *image,
                      const struct image_symbol *symbol)
{
    bool any = false;
    for (size_t i = 0; patterns[i] != NULL; i++)
        if (is_named(patterns[i], image, symbol))
            any = found[i] = true;
    return any;
}

static bool has_lines(struct image *image, const struct image_symbol *symbol)
{
    struct image_line line;
    return image_lines(image, symbol->address, &line, 1) > 0;
}

static bool any_has_lines(struct image *image, const struct image_symbol *symbols,
                          size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (has_lines(image, &symbols[i]))
            return true;
    return false;
}

/* Whether it is a function that is called: not the profiler's, and no part of another
 * one that the compiler has moved. */
static bool is_callee(const struct image_symbol *symbol)
{
    return !analysis_is_overhead(symbol) && !name_has(symbol->name, ".cold");
}

static bool check_found(const char *const *patterns, const bool *found,
                        const struct image *image, struct error *error)
{
    for (size_t i = 0; patterns[i] != NULL; i++)
        if (!found[i])
            return error_set(error, EXIT_BAD_INPUT,
                             "%s: no function and no file of functions is called '%s'",
                             image_path(image), patterns[i]);
    return true;
}

static size_t length(const char *const *patterns)
{
    size_t count = 0;
    while (patterns[count] != NULL)
        count++;
    return count;
}

static bool choose(struct chosen *chosen, struct image *image,
                   const struct patch_wish *wish, bool *found, struct error *error)
{
    const struct image_symbol *symbols;
    size_t count = image_symbols(image, &symbols), calls = length(wish->calls);
    bool by_lines = calls == 0 && any_has_lines(image, symbols, count);
    for (size_t i = 0; i < count; i++) {
        const struct image_symbol *symbol = &symbols[i];
        if (!is_callee(symbol))
            continue;
        bool wanted = calls > 0 ? is_one_of(wish->calls, found, image, symbol)
                                : !by_lines || has_lines(image, symbol);
        if (!is_one_of(wish->without, found + calls, image, symbol) && wanted)
            chosen->at[chosen->count++] = symbol->address;
    }
    if (image_no_memory(image))
        return error_set(error, EXIT_BAD_INPUT, "%s: out of memory", image_path(image));
    return check_found(wish->calls, found, image, error) &&
           check_found(wish->without, found + calls, image, error);
}

bool chosen_find(struct chosen *chosen, struct image *image,
                 const struct patch_wish *wish, struct error *error)
{
    const struct image_symbol *symbols;
    size_t count = image_symbols(image, &symbols);
    bool *found = calloc(length(wish->calls) + length(wish->without) + 1, sizeof *found);
    chosen->at = calloc(count + 1, sizeof *chosen->at);
    bool done =
        found != NULL && chosen->at != NULL
            ? choose(chosen, image, wish, found, error)
            : error_set(error, EXIT_BAD_INPUT, "%s: out of memory", image_path(image));
    free(found);
    return done;
}

bool chosen_has(const struct chosen *chosen, uint64_t address)
{
    size_t low = 0;
    SEARCH(low, chosen->count, chosen->at[middle] <= address);
    return low > 0 && chosen->at[low - 1] == address;
}
