/* SPDX-License-Identifier: MIT */
#include "frame_tree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/compare.h"
#include "../base/utf8.h"
#include "../capture/sampling.h"
#include "../capture/tasks.h"
#include "../port/text.h"
#include "estimate.h"

/* Longer names are cut: a hostile ELF could fill the memory. */
enum { NAME_BYTES = 4096 };

/* What may become a frame of the tree: kinds without a number, tasks, then functions or
 * frames of the analysis. */
struct item {
    struct tree_frame frame;
    const char *inlined_file; /* tells inlined functions of one name apart */
    bool used;
};

/* A path as the numbers of its items, later as those of the tree's frames. */
struct path_steps {
    uint32_t *steps;
    size_t depth;
    uint64_t weight;
};

struct builder {
    struct frame_tree *tree;
    enum tree_view view;
    const struct profile *profile;
    const struct analysis *analysis;
    struct image *image;
    struct task_sums tasks; /* none where the firmware has told of none */
    struct item *items;
    size_t item_count;
    size_t first;   /* the item of the first frame or function */
    uint32_t *pool; /* steps of lines */
    size_t step_count;
    struct path_steps *lines;
    size_t line_count;
};

/* ---- What there is ---- */

static const char *const kind_names[TREE_FUNCTION] = {
    [TREE_ALL] = "all",
    [TREE_INTERRUPT] = "<interrupt>",
    [TREE_CUT] = "[unknown]",
    [TREE_UNSURE] = "[unknown]",
    [TREE_PROFILER] = "[profiler]",
    [TREE_UNFINISHED] = TIMED_UNFINISHED,
};

/* Keeps a text that was allocated; NULL: out of memory. */
static const char *keep(struct frame_tree *tree, char *text)
{
    if (text != NULL)
        tree->texts[tree->text_count++] = text;
    return text;
}

static bool name_item(struct builder *builder, struct item *item, const char *name)
{
    const char *suffix = tree_suffix(&item->frame);
    char *text = NULL;

    item->frame.name = keep(builder->tree, utf8_text(name, NAME_BYTES));
    if (item->frame.name != NULL && *suffix != '\0' &&
        port_asprintf(&text, "%s%s", item->frame.name, suffix) < 0)
        text = NULL;
    item->frame.text = *suffix != '\0' ? keep(builder->tree, text) : item->frame.name;
    return item->frame.text != NULL;
}

static bool add_task(struct builder *builder, size_t task)
{
    struct item *item = &builder->items[TREE_FUNCTION + task];

    item->frame.kind = TREE_TASK;
    item->frame.number = builder->tasks.items[task].number;
    return name_item(builder, item, builder->tasks.items[task].label);
}

static bool add_function(struct builder *builder, size_t function)
{
    struct item *item = &builder->items[builder->first + function];

    item->frame.kind = TREE_FUNCTION;
    item->frame.number = (uint32_t)function;
    return name_item(builder, item, builder->analysis->functions[function].name);
}

static bool add_frame(struct builder *builder, size_t number)
{
    const struct frame *frame = &builder->analysis->frames[number];
    struct item *items = &builder->items[builder->first], *item = &items[number];

    item->frame.number = (uint32_t)frame->function;
    item->frame.kind = frame->inlined == NULL ? TREE_FUNCTION
                       : frame_is_interrupt(builder->analysis, (uint32_t)number)
                           ? TREE_INTERRUPT
                           : TREE_INLINED;
    item->frame.of = frame;
    if (item->frame.kind == TREE_INLINED)
        item->inlined_file = frame->file;
    if (builder->view == TREE_BY_ADDRESS && item->frame.kind != TREE_INTERRUPT) {
        item->frame.file = frame->file;
        item->frame.line = frame->line;
        item->frame.address = frame->address;
    }
    if (frame->same == number)
        return name_item(builder, item, frame->name);
    item->frame.name = items[frame->same].frame.name;
    item->frame.text = items[frame->same].frame.text;
    return true;
}

static bool make_items(struct builder *builder)
{
    const struct analysis *analysis = builder->analysis;
    size_t tasks = builder->tasks.count;
    size_t frames = analysis->measured ? analysis->frame_count : analysis->function_count;
    bool done;

    builder->first = TREE_FUNCTION + tasks;
    builder->item_count = builder->first + frames;
    builder->items = calloc(builder->item_count, sizeof *builder->items);
    builder->tree->texts = calloc(2 * builder->item_count, sizeof(char *));
    done = builder->items != NULL && builder->tree->texts != NULL;
    for (size_t i = 0; done && i < TREE_FUNCTION; i++) {
        builder->items[i].frame.kind = (enum tree_kind)i;
        builder->items[i].frame.text = builder->items[i].frame.name = kind_names[i];
    }
    for (size_t i = 0; done && i < tasks; i++)
        done = add_task(builder, i);
    for (size_t i = 0; done && i < frames; i++)
        done = analysis->measured ? add_frame(builder, i) : add_function(builder, i);
    return done;
}

/* ---- Lines ---- */

static void add_step(struct builder *builder, size_t item)
{
    builder->items[item].used = true;
    builder->pool[builder->step_count++] = (uint32_t)item;
}

/* A task's item; 0: there is none. */
static size_t task_item(const struct builder *builder, uint32_t number)
{
    for (size_t i = 0; i < builder->tasks.count; i++)
        if (builder->tasks.items[i].number == number)
            return TREE_FUNCTION + i;
    return 0;
}

/* Begins a line; the steps that are added next are its steps. `task`: its item; 0: none.
 */
static struct path_steps *begin_line(struct builder *builder, size_t task,
                                     uint64_t weight)
{
    struct path_steps *line = &builder->lines[builder->line_count++];

    *line = (struct path_steps){.steps = builder->pool + builder->step_count,
                                .weight = weight};
    if (task != 0)
        add_step(builder, task);
    return line;
}

static void end_line(struct builder *builder, struct path_steps *line)
{
    line->depth = (size_t)(builder->pool + builder->step_count - line->steps);
}

/* How many inner frames belong to the profiler. 0: the sample is the program's; the
 * profiler may have called that code. */
static size_t own_frames(const struct analysis *analysis, const struct call_path *path)
{
    size_t own = 0;

    for (; own < path->depth; own++) {
        uint32_t frame = path->frames[path->depth - 1 - own];

        if (frame_is_interrupt(analysis, frame) ||
            !analysis->functions[analysis->frames[frame].function].overhead)
            break;
    }
    return own;
}

/* What is above a path's outermost function; TREE_ALL: nothing. */
static enum tree_kind above(const struct builder *builder, const struct call_path *path,
                            bool task)
{
    bool interrupt = path->task >= TASK_INTERRUPT && path->task < TASK_UNKNOWN;

    switch (path->end) {
    case STACK_INTERRUPT:
        return task && interrupt ? TREE_ALL : TREE_INTERRUPT;
    case STACK_CUT:
        return builder->view == TREE_BY_ADDRESS ? TREE_CUT : TREE_UNSURE;
    case STACK_UNSURE:
        return TREE_UNSURE;
    default:
        return TREE_ALL;
    }
}

static void add_path(struct builder *builder, const struct call_path *path, size_t task)
{
    size_t own = own_frames(builder->analysis, path);
    enum tree_kind root = own > 0 ? TREE_PROFILER : above(builder, path, task != 0);
    struct path_steps *line = begin_line(builder, task, path->samples);

    if (root != TREE_ALL)
        add_step(builder, root);
    for (size_t i = own > 0 ? path->depth - own : 0; i < path->depth; i++)
        add_step(builder, builder->first + path->frames[i]);
    end_line(builder, line);
}

static bool make_room(struct builder *builder, size_t lines, size_t steps)
{
    builder->pool = calloc(steps + 1, sizeof *builder->pool);
    builder->lines = calloc(lines + 1, sizeof *builder->lines);
    return builder->pool != NULL && builder->lines != NULL;
}

static bool add_paths(struct builder *builder)
{
    const struct analysis *analysis = builder->analysis;
    size_t steps = 0, task = 0;

    for (size_t i = 0; i < analysis->path_count; i++)
        steps += analysis->paths[i].depth + 2;
    if (!make_room(builder, analysis->path_count, steps))
        return false;
    for (size_t i = 0; i < analysis->path_count; i++) {
        const struct call_path *path = &analysis->paths[i];

        if (i == 0 || path->task != path[-1].task)
            task = task_item(builder, path->task);
        if (path->samples > 0)
            add_path(builder, path, task);
    }
    return true;
}

/* ---- Estimated lines ---- */

static void add_estimate(struct builder *builder, const struct estimate *estimate)
{
    const struct analysis *analysis = builder->analysis;
    size_t task = estimate->of_task ? task_item(builder, estimate->task) : 0;

    for (size_t i = 0; i < estimate->count; i++) {
        const struct estimated_path *path = &estimate->paths[i];
        uint32_t leaf = path->functions[path->depth - 1];

        if (path->count == 0)
            continue;
        struct path_steps *line = begin_line(builder, task, path->count);
        if (analysis->functions[leaf].overhead)
            add_step(builder, TREE_PROFILER);
        for (size_t j = 0; j < path->depth; j++)
            add_step(builder, builder->first + path->functions[j]);
        end_line(builder, line);
    }
    if (estimate->unfinished > 0) {
        struct path_steps *line = begin_line(builder, task, estimate->unfinished);

        add_step(builder, TREE_UNFINISHED);
        end_line(builder, line);
    }
}

static bool add_parts(struct builder *builder, const struct estimate *parts, size_t count)
{
    size_t lines = count, steps = 2 * count;

    for (size_t i = 0; i < count; i++) {
        lines += parts[i].count;
        for (size_t j = 0; j < parts[i].count; j++)
            steps += parts[i].paths[j].depth + 2;
    }
    if (!make_room(builder, lines, steps))
        return false;
    for (size_t i = 0; i < count; i++)
        add_estimate(builder, &parts[i]);
    return true;
}

static bool add_estimates(struct builder *builder)
{
    struct estimates estimates;
    bool done =
        estimates_find(&estimates, builder->profile, builder->analysis, builder->image) &&
        add_parts(builder, estimates.items, estimates.count);

    estimates_release(&estimates);
    return done;
}

/* ---- Frames ---- */

/* By text, so that views read well; items that compare equal are one frame. */
static int compare_items(const struct item *a, const struct item *b)
{
    int order = compare_text(a->frame.text, b->frame.text);

    if (a->frame.kind == TREE_ALL || b->frame.kind == TREE_ALL) /* the root comes first */
        return (a->frame.kind != TREE_ALL) - (b->frame.kind != TREE_ALL);
    if (order != 0)
        return order;
    ORDER_BY(a->frame.kind, b->frame.kind);
    if (a->frame.kind != TREE_INLINED && a->frame.kind != TREE_INTERRUPT &&
        a->frame.number != b->frame.number)
        return a->frame.number < b->frame.number ? -1 : 1;
    order = compare_text(a->inlined_file, b->inlined_file);
    if (order != 0)
        return order;
    ORDER_BY(a->frame.address, b->frame.address);
    /* a function that is inlined into itself is at two lines */
    return (a->frame.line > b->frame.line) - (a->frame.line < b->frame.line);
}

static int by_item(const void *left, const void *right)
{
    return compare_items(*(struct item *const *)left, *(struct item *const *)right);
}

/* Makes frames of the items that are used, and gives each line their numbers. */
static bool make_frames(struct builder *builder)
{
    struct frame_tree *tree = builder->tree;
    struct item **order = calloc(builder->item_count, sizeof *order);
    uint32_t *ranks = calloc(builder->item_count, sizeof *ranks);
    size_t used = 0;

    builder->items[TREE_ALL].used = true;
    tree->frames = calloc(builder->item_count, sizeof *tree->frames);
    for (size_t i = 0; order != NULL && i < builder->item_count; i++)
        if (builder->items[i].used)
            order[used++] = &builder->items[i];
    bool done = order != NULL && ranks != NULL && tree->frames != NULL;
    if (done)
        qsort(order, used, sizeof *order, by_item);
    for (size_t i = 0; done && i < used; i++) {
        if (i == 0 || compare_items(order[i - 1], order[i]) != 0)
            tree->frames[tree->frame_count++] = order[i]->frame;
        ranks[order[i] - builder->items] = (uint32_t)tree->frame_count - 1;
    }
    for (size_t i = 0; done && i < builder->step_count; i++)
        builder->pool[i] = ranks[builder->pool[i]];
    free(order);
    free(ranks);
    return done;
}

/* ---- Nodes ---- */

static size_t shared(const struct path_steps *a, const struct path_steps *b)
{
    size_t most = a->depth < b->depth ? a->depth : b->depth, same = 0;

    while (same < most && a->steps[same] == b->steps[same])
        same++;
    return same;
}

static int by_steps(const void *left, const void *right)
{
    const struct path_steps *a = left, *b = right;
    size_t same = shared(a, b);

    if (same == a->depth || same == b->depth)
        return (a->depth > b->depth) - (a->depth < b->depth);
    return a->steps[same] < b->steps[same] ? -1 : 1;
}

/* Sums up from the leaves to the root. */
static void sum_up(struct frame_tree *tree)
{
    struct tree_node *nodes = tree->nodes;

    for (size_t i = tree->count; i-- > 1;) {
        struct tree_node *parent = &nodes[nodes[i].parent];

        nodes[i].total += nodes[i].self;
        parent->total += nodes[i].total;
        if (parent->end < nodes[i].end)
            parent->end = nodes[i].end;
        if (tree->depth < nodes[i].depth)
            tree->depth = nodes[i].depth;
    }
    nodes[0].total += nodes[0].self;
}

/* Adds the nodes of sorted lines: of each, what it does not share with the one before. */
static bool make_nodes(struct builder *builder)
{
    struct frame_tree *tree = builder->tree;
    const struct path_steps *lines = builder->lines;
    size_t most = 1;
    uint32_t at = 0;

    if (builder->line_count > 0)
        qsort(builder->lines, builder->line_count, sizeof *lines, by_steps);
    for (size_t i = 0; i < builder->line_count; i++)
        most += lines[i].depth - (i > 0 ? shared(&lines[i], &lines[i - 1]) : 0);
    struct tree_node *nodes =
        most < UINT32_MAX ? realloc(tree->nodes, most * sizeof *nodes) : NULL;
    if (nodes == NULL)
        return false;
    tree->nodes = nodes;
    for (size_t i = 0; i < builder->line_count; i++) {
        size_t same = i > 0 ? shared(&lines[i], &lines[i - 1]) : 0;

        while (nodes[at].depth > same)
            at = nodes[at].parent;
        for (size_t j = same; j < lines[i].depth; j++) {
            uint32_t next = (uint32_t)tree->count++;

            nodes[next] = (struct tree_node){
                at, lines[i].steps[j], next + 1, (uint32_t)j + 1, 0, 0};
            at = next;
        }
        nodes[at].self += lines[i].weight;
    }
    sum_up(tree);
    return true;
}

static bool build(struct builder *builder)
{
    struct frame_tree *tree = builder->tree;

    tree->nodes = calloc(1, sizeof *tree->nodes);
    if (tree->nodes == NULL)
        return false;
    tree->nodes[tree->count++].end = 1;
    if (builder->profile->task_count > 0 &&
        !task_sums_init(&builder->tasks, builder->profile))
        return false;
    return make_items(builder) &&
           (builder->analysis->measured ? add_paths(builder) : add_estimates(builder)) &&
           make_frames(builder) && make_nodes(builder);
}

bool frame_tree_build(struct frame_tree *tree, enum tree_view view,
                      const struct profile *profile, const struct analysis *analysis,
                      struct image *image, struct error *error)
{
    struct builder builder = {.tree = tree,
                              .view = view,
                              .profile = profile,
                              .analysis = analysis,
                              .image = image};
    bool samples = profile->received[EVENT_SAMPLE] > 0;

    *tree = (struct frame_tree){
        .samples = samples, .hz = samples ? sampling_rate(profile) : profile->time.hz};
    bool done = build(&builder);
    task_sums_release(&builder.tasks);
    free(builder.items);
    free(builder.pool);
    free(builder.lines);
    if (done)
        return true;
    frame_tree_release(tree);
    return error_no_memory(error);
}

void frame_tree_release(struct frame_tree *tree)
{
    for (size_t i = 0; i < tree->text_count; i++)
        free(tree->texts[i]);
    free(tree->texts);
    free(tree->nodes);
    free(tree->frames);
    *tree = (struct frame_tree){.nodes = NULL};
}

size_t frame_tree_path(const struct frame_tree *tree, size_t node, uint32_t *path)
{
    size_t depth = tree->nodes[node].depth;

    for (size_t i = depth; i > 0; node = tree->nodes[node].parent)
        path[--i] = (uint32_t)node;
    return depth;
}

size_t frame_tree_above(const struct frame_tree *tree, size_t node, enum tree_kind kind)
{
    while (node != 0 && tree_frame(tree, node)->kind != kind)
        node = tree->nodes[node].parent;
    return node;
}
