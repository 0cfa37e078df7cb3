/* SPDX-License-Identifier: MIT */
/* What was counted in each piece of code; pieces.c adds them up by line. */
#include <stdlib.h>
#include <string.h>

#include "../base/saturate.h"
#include "../base/search.h"
#include "../base/select.h"
#include "pieces.h"

/* A basic block: where it is, and how often it ran. */
struct block {
    uint64_t low, high; /* where it is not known, high is low */
    uint64_t hook;
    uint64_t ran; /* or NOT_COUNTED */
};

struct blocks {
    struct block *items; /* ascending */
    size_t count;
    uint64_t *conditional; /* addresses of instructions, ascending */
    size_t conditional_count;
};

static void blocks_release(struct blocks *blocks)
{
    free(blocks->items);
    free(blocks->conditional);
}

static int by_place(const void *left, const void *right)
{
    const struct counted *a = left, *b = right;
    return (a->at > b->at) - (a->at < b->at);
}

static bool sort_blocks(struct annotation *annotation, const struct profile *profile)
{
    const struct counters *blocks = &profile->counters[EVENT_BLOCK];
    annotation->blocks = calloc(blocks->used + 1, sizeof(struct counted));
    if (annotation->blocks == NULL)
        return false;
    for (size_t i = 0; i < blocks->used; i++) {
        const struct counter block = counter_at(blocks, i);
        annotation->blocks[annotation->block_count++] =
            (struct counted){block.to, block.count};
    }
    qsort(annotation->blocks, annotation->block_count, sizeof(struct counted), by_place);
    return true;
}

/* A call is where the byte before its return address is. */
static bool is_call_in(const struct image_range *code, size_t count, uint64_t from)
{
    return is_in_code(code, count, from - (from > 0), from);
}

/* Whether a timed call has an instruction in that code. */
static bool is_site_in(const struct image_range *code, size_t count,
                       const struct call_site *site)
{
    return !site->inlined && is_call_in(code, count, site->from);
}

static size_t count_calls(const struct counters *arcs, const struct analysis *analysis,
                          const struct image_range *code, size_t count)
{
    size_t calls = 0;
    for (size_t i = 0; i < arcs->used; i++)
        calls += is_call_in(code, count, counter_at(arcs, i).from);
    for (size_t i = 0; i < analysis->site_count; i++)
        calls += is_site_in(code, count, &analysis->sites[i]);
    return calls;
}

/* Lists the calls, timed or not, from that code, by call site. */
static bool sort_calls(struct annotation *annotation, const struct profile *profile,
                       const struct analysis *analysis, const struct image_range *code,
                       size_t count)
{
    const struct counters *arcs = &profile->counters[EVENT_ARC];
    size_t room = count_calls(arcs, analysis, code, count);
    annotation->calls = calloc(room + 1, sizeof(struct counted));
    if (annotation->calls == NULL)
        return false;
    for (size_t i = 0; i < arcs->used; i++) {
        const struct counter call = counter_at(arcs, i);
        if (is_call_in(code, count, call.from))
            annotation->calls[annotation->call_count++] =
                (struct counted){call.from, call.count};
    }
    for (size_t i = 0; i < analysis->site_count; i++)
        if (is_site_in(code, count, &analysis->sites[i]))
            annotation->calls[annotation->call_count++] =
                (struct counted){analysis->sites[i].from, analysis->sites[i].count};
    qsort(annotation->calls, annotation->call_count, sizeof(struct counted), by_place);
    return true;
}

/* The first item at or beyond the address. */
static size_t from_address(const struct counted *items, size_t count, uint64_t address)
{
    size_t low = 0;
    SEARCH(low, count, items[middle].at < address);
    return low;
}

/* Events of the blocks at addresses in [low, high). */
static uint64_t blocks_between(const struct annotation *annotation, uint64_t low,
                               uint64_t high)
{
    uint64_t sum = 0;
    size_t i = from_address(annotation->blocks, annotation->block_count, low);
    for (; i < annotation->block_count && annotation->blocks[i].at < high; i++)
        sum = add_saturating(sum, annotation->blocks[i].count);
    return sum;
}

static struct annotated count_piece(const struct annotation *annotation, uint64_t low,
                                    uint64_t high)
{
    struct annotated here = {.samples = tally_between(&annotation->tally, low, high),
                             .ran = NOT_COUNTED};
    size_t i = from_address(annotation->calls, annotation->call_count, low + 1);
    for (; i < annotation->call_count && annotation->calls[i].at <= high; i++)
        here.calls = add_saturating(here.calls, annotation->calls[i].count);
    return here;
}

/* Lists the blocks that ran, at their hooks: the code does not tell where blocks are. */
static bool list_counters(const struct annotation *annotation,
                          const struct image_symbol *symbol, struct blocks *blocks)
{
    size_t first =
        from_address(annotation->blocks, annotation->block_count, symbol->address);
    size_t end = from_address(annotation->blocks, annotation->block_count, symbol->end);
    blocks->items = calloc(end - first + 1, sizeof *blocks->items);
    for (size_t i = first; i < end && blocks->items != NULL; i++) {
        const struct counted *counter = &annotation->blocks[i];
        struct block *last = blocks->count > 0 ? &blocks->items[blocks->count - 1] : NULL;
        if (last != NULL && last->hook == counter->at) /* in another task */
            last->ran = add_saturating(last->ran, counter->count);
        else
            blocks->items[blocks->count++] =
                (struct block){counter->at, counter->at, counter->at, counter->count};
    }
    return blocks->items != NULL;
}

/* A block that made calls or was sampled, but whose hook was not called, began to run
 * before the firmware began to count. A function's first block runs as often as the
 * function is called, where it has no hook. */
static uint64_t ran_of(const struct annotation *annotation,
                       const struct image_block *block, uint64_t entries)
{
    if (block->hook_bytes == 0)
        return entries > 0 ? entries : NOT_COUNTED;
    uint64_t ran =
        blocks_between(annotation, block->hook, block->hook + block->hook_bytes);
    struct annotated here = count_piece(annotation, block->low, block->high);
    return ran == 0 && (here.calls > 0 || here.samples > 0) ? NOT_COUNTED : ran;
}

static bool blocks_of(const struct annotation *annotation, struct image *image,
                      const struct image_symbol *symbol, uint64_t entries,
                      struct blocks *blocks)
{
    struct image_block *found = NULL;
    size_t count = 0;
    *blocks = (struct blocks){.items = NULL};
    if (annotation->block_count == 0)
        return true;
    if (!image_blocks(image, symbol->address, symbol->end, &found, &count) ||
        !image_conditional(image, symbol->address, symbol->end, &blocks->conditional,
                           &blocks->conditional_count)) {
        free(found);
        return false;
    }
    if (count == 0)
        return list_counters(annotation, symbol, blocks);
    blocks->items = calloc(count, sizeof *blocks->items);
    for (size_t i = 0; i < count && blocks->items != NULL; i++) {
        const struct image_block *block = &found[i];
        blocks->items[blocks->count++] = (struct block){
            .low = block->low,
            .high = block->high,
            .hook = block->hook_bytes > 0 ? block->hook : block->low,
            .ran = ran_of(annotation, block, i == 0 ? entries : 0),
        };
    }
    free(found);
    return blocks->items != NULL;
}

/* The first block whose hook is at or beyond the address. */
static size_t from_hook(const struct blocks *blocks, uint64_t address)
{
    size_t low = 0;
    SEARCH(low, blocks->count, blocks->items[middle].hook < address);
    return low;
}

static bool is_conditional(const struct blocks *blocks, uint64_t low, uint64_t high)
{
    size_t first = 0;
    SEARCH(first, blocks->conditional_count, blocks->conditional[middle] < low);
    return first < blocks->conditional_count && blocks->conditional[first] < high;
}

/* Whether code begins with a conditional instruction, or with T32's IT, of 2 bytes, which
 * stands before those. */
static bool begins_conditional(const struct blocks *blocks, uint64_t at)
{
    return is_conditional(blocks, at, at + 3);
}

static uint64_t busier(uint64_t a, uint64_t b)
{
    if (a == NOT_COUNTED || b == NOT_COUNTED)
        return a == NOT_COUNTED ? b : a;
    return a > b ? a : b;
}

/* How often the busiest block ran whose hook is in [low, high): a hook is on its block's
 * first line. */
static uint64_t ran_begun(const struct blocks *blocks, uint64_t low, uint64_t high)
{
    uint64_t most = NOT_COUNTED;
    size_t i = from_hook(blocks, low);
    for (; i < blocks->count && blocks->items[i].hook < high; i++)
        most = busier(most, blocks->items[i].ran);
    return most;
}

/* The busiest block that has code in [low, high); NULL: none that was counted. */
static const struct block *busiest_inside(const struct blocks *blocks, uint64_t low,
                                          uint64_t high)
{
    const struct block *most = NULL;
    size_t i = from_hook(blocks, low);
    i -= i > 0;
    for (; i < blocks->count && blocks->items[i].low < high; i++) {
        const struct block *block = &blocks->items[i];
        if (block->high > low && block->ran != NOT_COUNTED &&
            (most == NULL || block->ran > most->ran))
            most = block;
    }
    return most;
}

static uint64_t ran_inside(const struct blocks *blocks, uint64_t low, uint64_t high)
{
    const struct block *most = busiest_inside(blocks, low, high);
    return most != NULL ? most->ran : NOT_COUNTED;
}

/* ---- A function's code, line by line ---- */

/* Fills in how often the piece ran. */
static void count_blocks(struct piece *piece, const struct blocks *blocks, bool begins)
{
    const struct block *inside = busiest_inside(blocks, piece->low, piece->high);

    piece->here.ran = ran_begun(blocks, piece->low, piece->high);
    if (begins && !begins_conditional(blocks, piece->low))
        piece->here.ran =
            busier(piece->here.ran, ran_inside(blocks, piece->low, piece->low + 1));
    piece->here.at_most = is_conditional(blocks, piece->low, piece->high);
    piece->inside = inside != NULL ? inside->ran : NOT_COUNTED;
    piece->block = inside != NULL ? inside->hook : 0;
}

static bool add_symbol(struct pieces *pieces, const struct annotation *annotation,
                       struct image *image, const struct image_symbol *symbol,
                       uint64_t entries)
{
    struct image_line chain[PIECE_DEPTH_MAX];
    struct blocks blocks;
    bool done = blocks_of(annotation, image, symbol, entries, &blocks);
    for (uint64_t at = symbol->address, end; done && at < symbol->end; at = end) {
        size_t depth = image_lines(image, at, chain, PIECE_DEPTH_MAX);
        end = image_lines_until(image, at);
        end = end > at && end < symbol->end ? end : symbol->end;
        struct piece piece = {
            .symbol = symbol,
            .low = at,
            .high = end,
            .first = at == symbol->address,
            .here = count_piece(annotation, at, end),
        };
        piece.here.entries = piece.first ? entries : 0;
        count_blocks(&piece, &blocks, depth > 0 && chain[0].begins);
        done = pieces_add(pieces, &piece, chain, depth);
    }
    blocks_release(&blocks);
    return done;
}

/* ---- Which functions ---- */

/* A function. Nothing was inlined into a `plain` one, so that its rank is known without
 * its lines: all of its code is its own. */
struct choice {
    const struct image_symbol *symbol;
    uint64_t entries;
    bool plain;
    double heat; /* its samples or, without any, a negative number that grows with its
                    calls */
};

struct choices {
    struct choice *items;
    size_t count;
};

static double heat_of(const struct function_sum *sum)
{
    return sum->samples > 0 ? sum->samples : -1 / (1 + (double)sum->calls);
}

/* The sums of a symbol; their symbol is NULL if it has none. The search begins at *next,
 * 0 at first, and moves it on: symbols must be asked for in their order. */
static struct function_sum sum_of(const struct analysis *analysis,
                                  const struct image_symbol *symbol, size_t *next)
{
    for (; *next < analysis_sum_count(analysis); ++*next) {
        struct function_sum sum = analysis_sum(analysis, *next);
        if (sum.symbol == symbol)
            return sum;
        if (sum.symbol > symbol)
            break;
    }
    return (struct function_sum){.symbol = NULL};
}

/* Lists the functions in which something was counted, without the profiler's own. */
static void list_functions(struct choices *choices, const struct annotation *annotation,
                           const struct analysis *analysis, struct image *image)
{
    const struct image_symbol *symbols;
    size_t count = image_symbols(image, &symbols), next = 0;
    for (size_t i = 0; i < count; i++) {
        const struct image_symbol *symbol = &symbols[i];
        struct function_sum sum = sum_of(analysis, symbol, &next);
        if (analysis_is_overhead(symbol) ||
            (sum.symbol == NULL &&
             blocks_between(annotation, symbol->address, symbol->end) == 0))
            continue;
        choices->items[choices->count++] = (struct choice){
            .symbol = symbol,
            .entries = sum.calls,
            .plain = annotation->block_count == 0 &&
                     !image_inlines(image, symbol->address, symbol->end),
            .heat = heat_of(&sum),
        };
    }
}

/* Functions that must be read in any case come first, then the hottest. */
static int by_heat(const void *left, const void *right)
{
    const struct choice *a = left, *b = right;
    if (a->plain != b->plain)
        return a->plain ? 1 : -1;
    if (a->plain && a->heat != b->heat)
        return a->heat < b->heat ? 1 : -1;
    return (a->symbol > b->symbol) - (a->symbol < b->symbol);
}

/* Keeps the functions that may be among the first, and others that are as hot as the last
 * of these, apart from rounding. Returns how many it leaves out. */
static size_t cut(struct choices *choices, size_t limit)
{
    struct choice *items = choices->items;
    size_t kept = limit, all = choices->count;
    for (size_t i = 0; i < all; i++)
        kept += !items[i].plain;
    if (kept >= all)
        return 0;
    sort_first(items, all, sizeof *items, kept, by_heat);
    double least = items[kept - 1].heat;
    least = least > 0 ? least * (1 - 1e-9) : least;
    for (size_t i = kept; i < all; i++)
        if (items[i].heat >= least)
            items[kept++] = items[i];
    choices->count = kept;
    return all - kept;
}

static int by_low(const void *left, const void *right)
{
    const struct image_range *a = left, *b = right;
    return (a->low > b->low) - (a->low < b->low);
}

/* The code of the chosen functions, ascending; NULL: out of memory. */
static struct image_range *code_of(const struct choices *choices)
{
    struct image_range *code = calloc(choices->count + 1, sizeof *code);
    for (size_t i = 0; i < choices->count && code != NULL; i++)
        code[i] = (struct image_range){choices->items[i].symbol->address,
                                       choices->items[i].symbol->end};
    if (code != NULL)
        qsort(code, choices->count, sizeof *code, by_low);
    return code;
}

/* Sorts what was counted in these functions, and reads their lines. */
static bool read_choices(struct pieces *pieces, struct annotation *annotation,
                         const struct profile *profile, const struct analysis *analysis,
                         struct image *image, const struct choices *choices)
{
    struct image_range *code = code_of(choices);
    bool done = code != NULL &&
                tally_init(&annotation->tally, profile, code, choices->count) &&
                sort_calls(annotation, profile, analysis, code, choices->count);
    for (size_t i = 0; done && i < choices->count; i++)
        done = add_symbol(pieces, annotation, image, choices->items[i].symbol,
                          choices->items[i].entries);
    free(code);
    return done;
}

static bool add_functions(struct pieces *pieces, struct annotation *annotation,
                          const struct profile *profile, const struct analysis *analysis,
                          struct image *image, size_t limit)
{
    const struct image_symbol *symbols;
    struct choices choices = {
        .items = calloc(image_symbols(image, &symbols) + 1, sizeof *choices.items)};
    if (choices.items == NULL)
        return false;
    list_functions(&choices, annotation, analysis, image);
    if (limit > 0)
        annotation->left_out = cut(&choices, limit);
    bool done = read_choices(pieces, annotation, profile, analysis, image, &choices);
    free(choices.items);
    return done;
}

/* ---- What ran below calls ---- */

static int by_code(const void *left, const void *right)
{
    const struct piece *a = left, *b = right;
    return (a->low > b->low) - (a->low < b->low);
}

/* The first piece that has the address; others that have it follow. NULL: none has it. */
static const struct piece *piece_at(const struct pieces *pieces, uint64_t address)
{
    size_t low = 0;
    SEARCH(low, pieces->used, pieces->items[middle].high <= address);
    return low < pieces->used && pieces->items[low].low <= address ? &pieces->items[low]
                                                                   : NULL;
}

struct below {
    struct annotation *annotation;
    const struct pieces *pieces;
    size_t *seen; /* by line: 1 + the last stack that had it */
};

/* A line counts a stack once, however often the stack has it. */
static void add_call(const struct below *below, uint64_t address, size_t number,
                     uint64_t count)
{
    const struct piece *end = below->pieces->items + below->pieces->used;
    const struct piece *piece = piece_at(below->pieces, address);
    for (; piece != NULL && piece < end && piece->low <= address; piece++) {
        size_t line = (size_t)(piece->line - below->annotation->lines);
        if (below->seen[line] != number)
            piece->line->here.below += (double)count;
        below->seen[line] = number;
    }
}

static bool is_first(const struct stack *stack, size_t level)
{
    for (size_t i = 1; i < level; i++)
        if (stack->addresses[i] == stack->addresses[level])
            return false;
    return true;
}

static void add_calls(const struct below *below, const struct stack *stack, size_t number)
{
    struct annotation *annotation = below->annotation;
    for (size_t level = 1; level < stack->depth; level++) {
        uint64_t address = stack->addresses[level] - (stack->addresses[level] > 0);
        if (!is_first(stack, level))
            continue;
        annotation->below[annotation->below_count++] =
            (struct counted){address, stack->count};
        add_call(below, address, number, stack->count);
    }
}

static bool add_stacks(struct annotation *annotation, const struct profile *profile,
                       struct image *image, struct pieces *pieces)
{
    const struct stacks *stacks = &profile->stacks;
    struct below below = {annotation, pieces, NULL};
    size_t most = 0;
    for (size_t i = 0; i < stacks->used; i++)
        most += stacks->items[i].depth;
    annotation->below = calloc(most + 1, sizeof *annotation->below);
    below.seen = calloc(pieces->used + 1, sizeof *below.seen);
    if (annotation->below == NULL || below.seen == NULL) {
        free(below.seen);
        return false;
    }
    if (pieces->used > 0)
        qsort(pieces->items, pieces->used, sizeof *pieces->items, by_code);
    for (size_t i = 0; i < stacks->used; i++) {
        const struct stack *stack = &stacks->items[i];
        const struct image_symbol *leaf = image_symbol_at(image, stack->addresses[0]);
        if (leaf == NULL || !analysis_is_overhead(leaf))
            add_calls(&below, stack, i + 1);
    }
    qsort(annotation->below, annotation->below_count, sizeof(struct counted), by_place);
    free(below.seen);
    return true;
}

static bool gather(struct annotation *annotation, const struct profile *profile,
                   const struct analysis *analysis, struct image *image, size_t limit)
{
    struct pieces pieces = {.items = NULL};
    bool done = sort_blocks(annotation, profile) &&
                add_functions(&pieces, annotation, profile, analysis, image, limit) &&
                pieces_tabulate(&pieces, annotation) &&
                add_stacks(annotation, profile, image, &pieces);
    pieces_release(&pieces);
    return done;
}

bool annotate(struct annotation *annotation, const struct profile *profile,
              const struct analysis *analysis, struct image *image, size_t limit,
              struct error *error)
{
    *annotation = (struct annotation){
        .has_blocks = profile->received[EVENT_BLOCK] > 0,
        .whole = analysis->program * analysis->hz,
        .unknown = analysis->unknown * analysis->hz,
    };
    if (gather(annotation, profile, analysis, image, limit))
        return true;
    annotation_release(annotation);
    return error_no_memory(error);
}

void annotation_release(struct annotation *annotation)
{
    tally_release(&annotation->tally);
    free(annotation->functions);
    free(annotation->lines);
    free(annotation->landings);
    free(annotation->calls);
    free(annotation->blocks);
    free(annotation->below);
    *annotation = (struct annotation){.functions = NULL};
}

/* Sums up one instruction: a path that has its call counts once, however often it has the
 * call. */
static double below_between(const struct annotation *annotation, uint64_t low,
                            uint64_t high)
{
    const struct counted *below = annotation->below;
    double sum = 0;
    size_t i = from_address(below, annotation->below_count, low);
    for (; i < annotation->below_count && below[i].at < high; i++)
        sum += (double)below[i].count;
    return sum;
}

bool annotate_code(const struct annotation *annotation, struct image *image,
                   const struct annotated_function *function, const uint64_t *at,
                   size_t count, struct annotated *here, struct error *error)
{
    const struct image_symbol *symbol = function->symbol;
    struct blocks blocks;
    if (!blocks_of(annotation, image, symbol, function->entries, &blocks)) {
        blocks_release(&blocks);
        return error_no_memory(error);
    }
    for (size_t i = 0; i < count; i++) {
        uint64_t end = i + 1 < count ? at[i + 1] : symbol->end;
        here[i] = count_piece(annotation, at[i], end);
        here[i].entries = at[i] == symbol->address ? function->entries : 0;
        here[i].ran = ran_inside(&blocks, at[i], end);
        here[i].at_most =
            here[i].ran != NOT_COUNTED && is_conditional(&blocks, at[i], end);
        here[i].below = below_between(annotation, at[i], end);
    }
    blocks_release(&blocks);
    return true;
}
