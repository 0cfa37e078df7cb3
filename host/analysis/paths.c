/* SPDX-License-Identifier: MIT */
#include "paths.h"
#include "../base/compare.h"
#include "../base/path.h"
#include "../base/vector.h"
#include "../port/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHAIN_MAX = 32 }; /* frames of an address: a function, and what is inlined there */

/* The frames of one address: finder.raw[first .. + count], outermost first. */
struct spot {
    uint64_t address;
    bool hit; /* by an interrupt */
    size_t first, count;
};

struct finder {
    struct analysis *analysis;
    const struct profile *profile;
    const struct function_ranges *ranges;
    struct image *image;
    uint64_t *stackless; /* by sample counter */
    struct spot *spots;  /* by address */
    size_t spot_count;
    struct frame *raw;
    size_t raw_count, raw_allocated;
    uint32_t *ids; /* of raw: the frames' numbers in analysis.frames */
};

/* A frame of this name follows, further in, the frame that an interrupt hit. */
static const char interrupt_name[] = "<interrupt>";

/* Where a frame of a stack is in the code: all but the leaf are return addresses. */
static struct spot spot_of(const struct finder *finder, const struct stack *stack,
                           size_t level)
{
    uint64_t address = stack->addresses[level];
    if (level > 0)
        address = address_of_call(finder->ranges, address);
    return (struct spot){address, stack_is_hit(stack, level), 0, 0};
}

void paths_mark(struct function_ranges *ranges, const struct profile *profile)
{
    for (size_t i = 0; i < profile->stacks.used; i++) {
        const struct stack *stack = &profile->stacks.items[i];
        for (size_t level = 0; level < stack->depth; level++) {
            uint64_t address = stack->addresses[level];
            ranges->used[range_at(ranges, level > 0 ? address_of_call(ranges, address)
                                                    : address)] = true;
        }
    }
}

/* ---- Addresses and their frames ---- */

static int by_address(const void *left, const void *right)
{
    const struct spot *a = left, *b = right;
    ORDER_BY(a->address, b->address);
    return (a->hit > b->hit) - (a->hit < b->hit);
}

/* How many of the outermost levels two stacks have in common, their leaves left out. */
static size_t levels_shared(const struct stack *a, const struct stack *b)
{
    size_t shared = 0;
    if (a->hit != 0 || b->hit != 0)
        return 0;
    while (shared + 1 < a->depth && shared + 1 < b->depth &&
           a->addresses[a->depth - 1 - shared] == b->addresses[b->depth - 1 - shared])
        shared++;
    return shared;
}

static bool collect_spots(struct finder *finder)
{
    const struct stacks *stacks = &finder->profile->stacks;
    const struct counters *samples = &finder->profile->counters[EVENT_SAMPLE];
    size_t most = samples->used, found = 0;
    for (size_t i = 0; i < stacks->used; i++)
        most += stacks->items[i].depth;
    finder->spots = calloc(most + 1, sizeof *finder->spots);
    if (finder->spots == NULL)
        return false;
    for (size_t i = 0; i < stacks->used; i++) {
        const struct stack *stack = &stacks->items[i];
        /* the levels that a stack shares with the one before are there already */
        size_t shared = i > 0 ? levels_shared(stack, stack - 1) : 0;
        for (size_t level = 0; level < stack->depth - shared; level++)
            finder->spots[found++] = spot_of(finder, stack, level);
    }
    for (size_t i = 0; i < samples->used; i++)
        if (finder->stackless[i] > 0)
            finder->spots[found++].address = counter_at(samples, i).to;
    qsort(finder->spots, found, sizeof *finder->spots, by_address);
    for (size_t i = 0; i < found; i++)
        if (i == 0 || by_address(&finder->spots[i], &finder->spots[i - 1]) != 0)
            finder->spots[finder->spot_count++] = finder->spots[i];
    return true;
}

static bool push(struct finder *finder, struct frame frame)
{
    if (!vector_grow(&finder->raw, finder->raw_count, &finder->raw_allocated,
                     sizeof *finder->raw))
        return false;
    finder->raw[finder->raw_count++] = frame;
    return true;
}

static bool resolve(struct finder *finder, struct spot *spot)
{
    struct image_line chain[CHAIN_MAX];
    size_t range = range_at(finder->ranges, spot->address);
    size_t depth = 0;
    struct frame frame = {.function = finder->ranges->number[range],
                          .address = spot->address};
    spot->first = finder->raw_count;
    if (finder->image != NULL && range != finder->ranges->count)
        depth = image_lines(finder->image, spot->address, chain, CHAIN_MAX);
    /* the outermost of the chain is the function itself */
    bool done = true;
    for (size_t level = depth > 0 ? depth : 1; done && level > 0; level--) {
        const char *name = level < depth ? chain[level - 1].function : NULL;
        frame.inlined = level < depth && name == NULL ? "?" : name;
        if (depth > 0) {
            frame.file = chain[level - 1].file;
            frame.line = chain[level - 1].line;
        }
        done = push(finder, frame);
    }
    frame.inlined = interrupt_name;
    frame.file = NULL;
    frame.line = 0;
    if (done && spot->hit)
        done = push(finder, frame);
    spot->count = finder->raw_count - spot->first;
    return done;
}

/* By name and file, if they are inlined. */
static int compare_inlined(const struct frame *a, const struct frame *b)
{
    int order = compare_text(a->inlined, b->inlined);
    return order != 0 || a->inlined == NULL ? order : compare_text(a->file, b->file);
}

static int by_frame(const void *left, const void *right)
{
    const struct frame *a = left, *b = right;
    int order;
    ORDER_BY(a->function, b->function);
    if ((order = compare_inlined(a, b)) != 0)
        return order;
    ORDER_BY(a->address, b->address);
    return (a->same > b->same) - (a->same < b->same); /* the order of their spots */
}

/* Sorts the frames, and tells which are of the same function. */
static bool number_frames(struct finder *finder)
{
    struct analysis *analysis = finder->analysis;
    struct frame *frames = calloc(finder->raw_count + 1, sizeof *frames);
    finder->ids = calloc(finder->raw_count + 1, sizeof *finder->ids);
    analysis->frames = frames;
    if (frames == NULL || finder->ids == NULL || finder->raw_count > UINT32_MAX)
        return false;
    for (size_t i = 0; i < finder->raw_count; i++) {
        frames[i] = finder->raw[i];
        frames[i].same = (uint32_t)i;
    }
    qsort(frames, finder->raw_count, sizeof *frames, by_frame);
    for (size_t i = 0; i < finder->raw_count; i++) {
        bool same = i > 0 && frames[i].function == frames[i - 1].function &&
                    compare_inlined(&frames[i], &frames[i - 1]) == 0;
        finder->ids[frames[i].same] = (uint32_t)i;
        frames[i].same = same ? frames[i - 1].same : (uint32_t)i;
    }
    analysis->frame_count = finder->raw_count;
    return true;
}

/* ---- Names of inlined functions ---- */

static int compare_files(const struct frame *a, const struct frame *b, unsigned parts)
{
    return compare_text(path_tail(a->file, parts), path_tail(b->file, parts));
}

static int by_inlined(const void *left, const void *right)
{
    const struct frame *a = *(struct frame *const *)left;
    const struct frame *b = *(struct frame *const *)right;
    int order = compare_text(a->inlined, b->inlined);
    if (order == 0)
        order = compare_files(a, b, 1);
    return order != 0 ? order : compare_files(a, b, IMAGE_FOLDERS);
}

/* Makes FILE:NAME, with so many parts of the file's path. NULL: out of memory. */
static const char *name_by_file(struct analysis *analysis, const struct frame *frame,
                                unsigned parts)
{
    char **text = &analysis->frame_texts[analysis->frame_text_count];
    if (port_asprintf(text, "%s:%s", path_tail(frame->file, parts), frame->inlined) < 0)
        return NULL;
    analysis->frame_text_count++;
    return *text;
}

/* Names frames, sorted so, of which `count` have one inlined function's name. */
static bool name_inlined(struct finder *finder, struct frame **frames, size_t count)
{
    bool several = by_inlined(&frames[0], &frames[count - 1]) != 0;
    for (size_t i = 0, next; i < count; i = next) {
        const struct frame *frame = frames[i];
        const char *name = frame->inlined;
        for (next = i + 1; next < count; next++)
            if (by_inlined(&frames[i], &frames[next]) != 0)
                break;
        bool folders = (i > 0 && compare_files(frame, frames[i - 1], 1) == 0) ||
                       (next < count && compare_files(frame, frames[next], 1) == 0);
        if (frame->file != NULL &&
            (several || image_has_other(finder->image, name, frame->file)))
            name = name_by_file(finder->analysis, frame, folders ? IMAGE_FOLDERS : 1);
        if (name == NULL)
            return false;
        for (size_t j = i; j < next; j++)
            frames[j]->name = name;
    }
    return true;
}

/* Names the first frame of each function. */
static bool name_first(struct finder *finder, struct frame **inlined)
{
    struct analysis *analysis = finder->analysis;
    size_t count = 0;
    for (size_t i = 0; i < analysis->frame_count; i++) {
        struct frame *frame = &analysis->frames[i];
        frame->name = frame->inlined != NULL ? frame->inlined
                                             : analysis->functions[frame->function].name;
        if (frame->same == i && frame->inlined != NULL &&
            frame->inlined != interrupt_name)
            inlined[count++] = frame;
    }
    analysis->frame_texts = calloc(count + 1, sizeof *analysis->frame_texts);
    if (analysis->frame_texts == NULL)
        return false;
    qsort(inlined, count, sizeof *inlined, by_inlined);
    for (size_t i = 0, next; i < count; i = next) {
        for (next = i + 1; next < count; next++)
            if (strcmp(inlined[i]->inlined, inlined[next]->inlined) != 0)
                break;
        if (!name_inlined(finder, &inlined[i], next - i))
            return false;
    }
    return true;
}

static bool name_frames(struct finder *finder)
{
    struct analysis *analysis = finder->analysis;
    struct frame **inlined = calloc(analysis->frame_count + 1, sizeof *inlined);
    bool done = inlined != NULL && name_first(finder, inlined);
    for (size_t i = 0; done && i < analysis->frame_count; i++)
        analysis->frames[i].name = analysis->frames[analysis->frames[i].same].name;
    free(inlined);
    return done;
}

static bool find_frames(struct finder *finder)
{
    bool done = collect_spots(finder);
    for (size_t i = 0; done && i < finder->spot_count; i++)
        done = resolve(finder, &finder->spots[i]);
    return done && number_frames(finder) && name_frames(finder);
}

/* ---- Paths ---- */

static const struct spot *find(const struct finder *finder, struct spot key)
{
    return bsearch(&key, finder->spots, finder->spot_count, sizeof key, by_address);
}

/* The spot of a sample without a stack. */
static const struct spot *find_leaf(const struct finder *finder, uint64_t address)
{
    return find(finder, (struct spot){.address = address});
}

static size_t count_frames(const struct finder *finder)
{
    const struct stacks *stacks = &finder->profile->stacks;
    const struct counters *samples = &finder->profile->counters[EVENT_SAMPLE];
    size_t sum = 0;
    for (size_t i = 0; i < stacks->used; i++)
        for (size_t level = 0; level < stacks->items[i].depth; level++)
            sum += find(finder, spot_of(finder, &stacks->items[i], level))->count;
    for (size_t i = 0; i < samples->used; i++)
        if (finder->stackless[i] > 0)
            sum += find_leaf(finder, counter_at(samples, i).to)->count;
    return sum;
}

static void add_frames(const struct finder *finder, struct call_path *path,
                       const struct spot *spot)
{
    for (size_t i = 0; i < spot->count; i++)
        path->frames[path->depth++] = finder->ids[spot->first + i];
}

static void add_path(struct finder *finder, struct call_path path, uint32_t **next)
{
    struct analysis *analysis = finder->analysis;
    const struct frame *leaf = &analysis->frames[path.frames[path.depth - 1]];
    path.overhead = analysis->functions[leaf->function].overhead;
    path.outermost = (uint32_t)analysis->frames[path.frames[0]].function;
    analysis->ends[path.end] += (double)path.samples;
    analysis->paths[analysis->path_count++] = path;
    *next += path.depth;
}

static void add_paths(struct finder *finder)
{
    const struct stacks *stacks = &finder->profile->stacks;
    const struct counters *samples = &finder->profile->counters[EVENT_SAMPLE];
    uint32_t *next = finder->analysis->path_frames;
    for (size_t i = 0; i < stacks->used; i++) {
        const struct stack *stack = &stacks->items[i];
        struct call_path path = {.frames = next,
                                 .samples = stack->count,
                                 .task = stack->task,
                                 .end = stack->end};
        for (size_t level = stack->depth; level > 0; level--)
            add_frames(finder, &path, find(finder, spot_of(finder, stack, level - 1)));
        add_path(finder, path, &next);
    }
    for (size_t i = 0; i < samples->used; i++) {
        const struct counter sample = counter_at(samples, i);
        struct call_path path = {.frames = next,
                                 .samples = finder->stackless[i],
                                 .task = sample.task,
                                 .end = STACK_UNSURE};
        if (path.samples == 0)
            continue;
        add_frames(finder, &path, find_leaf(finder, sample.to));
        add_path(finder, path, &next);
    }
}

static int by_outermost(const void *left, const void *right)
{
    const struct call_path *a = left, *b = right;
    ORDER_BY(a->task, b->task);
    ORDER_BY(a->end, b->end);
    ORDER_BY(a->outermost, b->outermost);
    return (a->frames > b->frames) - (a->frames < b->frames); /* as they came */
}

static bool make_paths(struct finder *finder)
{
    struct analysis *analysis = finder->analysis;
    size_t most =
        finder->profile->stacks.used + finder->profile->counters[EVENT_SAMPLE].used;
    analysis->paths = calloc(most + 1, sizeof *analysis->paths);
    analysis->path_frames =
        calloc(count_frames(finder) + 1, sizeof *analysis->path_frames);
    if (analysis->paths == NULL || analysis->path_frames == NULL)
        return false;
    add_paths(finder);
    qsort(analysis->paths, analysis->path_count, sizeof *analysis->paths, by_outermost);
    return true;
}

bool paths_find(struct analysis *analysis, const struct profile *profile,
                const struct function_ranges *ranges, struct image *image)
{
    struct finder finder = {analysis, profile, ranges, image, .spots = NULL};
    if (profile->stacks.used == 0)
        return true;
    analysis->measured = true;
    finder.stackless =
        calloc(profile->counters[EVENT_SAMPLE].used + 1, sizeof *finder.stackless);
    bool done = finder.stackless != NULL;
    if (done)
        profile_stackless(profile, finder.stackless);
    done = done && find_frames(&finder) && make_paths(&finder);
    free(finder.stackless);
    free(finder.spots);
    free(finder.raw);
    free(finder.ids);
    return done;
}

/* ---- Names ---- */

const char *call_path_above(enum stack_end end)
{
    return end == STACK_WHOLE       ? NULL
           : end == STACK_INTERRUPT ? interrupt_name
                                    : "[unknown]";
}

bool frame_is_interrupt(const struct analysis *analysis, uint32_t frame)
{
    return analysis->frames[frame].inlined == interrupt_name;
}
