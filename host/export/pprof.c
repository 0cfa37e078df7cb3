/* SPDX-License-Identifier: MIT */
/*
 * Writes the tree of frames, by address, as pprof reads it: profile.proto, compressed by
 * gzip. A location is an address, with a line of the function there and, before it, those
 * of the functions inlined into it, the innermost first. A frame that is no function, as
 * a task, is a location without an address.
 */
#include <math.h>
#include <pprof.pb-c.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "../analysis/frame_tree.h"
#include "export.h"

/* Converts a number to the format's integers. */
static int64_t whole(double number)
{
    return number < 0x1p63 ? (int64_t)number : INT64_MAX;
}

/* Strings that every file has; those of functions follow. */
enum { EMPTY, SAMPLES, TICKS, COUNT, TIME, NANOSECONDS, PROGRAM, BUILD_ID, FIXED };

struct message {
    const struct frame_tree *tree;
    const struct analysis *analysis;
    struct image *image;
    Pprof__Profile profile;
    Pprof__ValueType types[2], *type_list[2], period;
    Pprof__Mapping mapping, *mapping_list[1];
    Pprof__Sample *samples, **sample_list;
    Pprof__Location *locations, **location_list;
    Pprof__Line *lines, **line_list;
    Pprof__Function *functions, **function_list;
    size_t line_count;
    size_t *function_of; /* by frame: its function's number */
    uint64_t *located;   /* by frame: its location's number, from 1; 0: it has none yet */
    uint64_t *ids;       /* of the samples' locations */
    int64_t *values;
    char **strings;
    char build_id[2 * BUILD_ID_MAX + 1];
};

/* How many lines all locations have: each has one for every node from that of a function
 * down to the last one that is inlined there, which follow each other. `located` is of
 * zeros, and is left so. */
static size_t count_lines(const struct frame_tree *tree, uint64_t *located)
{
    size_t lines = 0;

    for (size_t i = 0; i < tree->count; i++) {
        bool inlined = tree_frame(tree, i)->kind == TREE_INLINED;
        uint64_t *its = &located[tree->nodes[i].frame];
        size_t head = inlined ? tree->nodes[i].parent : i;

        /* `located` has the first node of a frame that begins a location, and 1 */
        while (tree_frame(tree, head)->kind == TREE_INLINED)
            head = tree->nodes[head].parent;
        if (!inlined && *its == 0)
            *its = i + 1;
        lines += located[tree->nodes[head].frame] == head + 1;
    }
    memset(located, 0, tree->frame_count * sizeof *located);
    return lines;
}

static bool allocate(struct message *message)
{
    const struct frame_tree *tree = message->tree;
    size_t frames = tree->frame_count, samples = 0, ids = 0, lines;

    for (size_t i = 0; i < tree->count; i++) {
        samples += tree->nodes[i].self > 0;
        ids += tree->nodes[i].self > 0 ? tree->nodes[i].depth : 0;
    }
    message->located = calloc(frames, sizeof *message->located);
    if (message->located == NULL)
        return false;
    lines = count_lines(tree, message->located);
    message->samples = calloc(samples, sizeof *message->samples);
    message->sample_list = calloc(samples, sizeof *message->sample_list);
    message->locations = calloc(frames, sizeof *message->locations);
    message->location_list = calloc(frames, sizeof *message->location_list);
    message->lines = calloc(lines, sizeof *message->lines);
    message->line_list = calloc(lines, sizeof *message->line_list);
    message->functions = calloc(frames, sizeof *message->functions);
    message->function_list = calloc(frames, sizeof *message->function_list);
    message->function_of = calloc(frames, sizeof *message->function_of);
    message->ids = calloc(ids, sizeof *message->ids);
    message->values = calloc(2 * samples, sizeof *message->values);
    message->strings = calloc(FIXED + 3 * frames, sizeof *message->strings);
    return message->samples != NULL && message->sample_list != NULL &&
           message->locations != NULL && message->location_list != NULL &&
           message->lines != NULL && message->line_list != NULL &&
           message->functions != NULL && message->function_list != NULL &&
           message->function_of != NULL && message->ids != NULL &&
           message->values != NULL && message->strings != NULL;
}

static void release(struct message *message)
{
    free(message->samples);
    free(message->sample_list);
    free(message->locations);
    free(message->location_list);
    free(message->lines);
    free(message->line_list);
    free(message->functions);
    free(message->function_list);
    free(message->function_of);
    free(message->located);
    free(message->ids);
    free(message->values);
    free(message->strings);
}

/* The text must live as long as the message. */
static int64_t add_string(struct message *message, const char *text)
{
    message->strings[message->profile.n_string_table] = (char *)(uintptr_t)text;
    return (int64_t)message->profile.n_string_table++;
}

static void add_type(struct message *message, int64_t type, int64_t unit)
{
    size_t number = message->profile.n_sample_type++;
    Pprof__ValueType *of = message->type_list[number] = &message->types[number];

    pprof__value_type__init(of);
    of->type = type;
    of->unit = unit;
}

/* Samples have counts, and times if the rate is known. Timed calls have times, or counts
 * if the rate is not known. */
static void add_types(struct message *message)
{
    bool samples = message->tree->samples;
    double hz = message->tree->hz;
    Pprof__Profile *profile = &message->profile;

    profile->sample_type = message->type_list;
    if (samples || !(hz > 0))
        add_type(message, samples ? SAMPLES : TICKS, COUNT);
    if (hz > 0)
        add_type(message, TIME, NANOSECONDS);
    if (samples && hz > 0) {
        pprof__value_type__init(&message->period);
        message->period.type = TIME;
        message->period.unit = NANOSECONDS;
        profile->period_type = &message->period;
        profile->period = whole(rint(1e9 / hz));
    }
}

static void add_mapping(struct message *message)
{
    const struct image *image = message->image;
    const struct image_range *code;
    const uint8_t *id;
    size_t ranges = image_code(image, &code), bytes = image_build_id(image, &id);

    for (size_t i = 0; i < bytes && i < BUILD_ID_MAX; i++)
        sprintf(message->build_id + 2 * i, "%02x", id[i]);
    pprof__mapping__init(&message->mapping);
    message->mapping.id = 1;
    message->mapping.memory_start = ranges > 0 ? code[0].low : 0;
    message->mapping.memory_limit = ranges > 0 ? code[ranges - 1].high : 0;
    message->mapping.filename = PROGRAM;
    message->mapping.build_id = BUILD_ID;
    message->mapping.has_functions = message->mapping.has_filenames = true;
    message->mapping.has_line_numbers = message->mapping.has_inline_frames = true;
    message->mapping_list[0] = &message->mapping;
    message->profile.mapping = message->mapping_list;
    message->profile.n_mapping = 1;
}

/* Whether two frames are of one function. */
static bool is_same(const struct tree_frame *a, const struct tree_frame *b)
{
    if (a->kind != b->kind || strcmp(a->name, b->name) != 0)
        return false;
    return a->kind == TREE_INLINED
               ? (a->file == NULL) == (b->file == NULL) &&
                     (a->file == NULL || strcmp(a->file, b->file) == 0)
               : a->number == b->number;
}

static void add_function(struct message *message, const struct tree_frame *frame)
{
    size_t number = message->profile.n_function++;
    Pprof__Function *made = message->function_list[number] = &message->functions[number];
    const struct function *function = frame->kind == TREE_FUNCTION
                                          ? &message->analysis->functions[frame->number]
                                          : NULL;
    struct image_line place = {.file = frame->file};

    pprof__function__init(made);
    made->id = number + 1;
    made->name = add_string(message, frame->name);
    if (frame->kind != TREE_INTERRUPT) /* else pprof takes the brackets for C++'s */
        made->system_name = made->name;
    if (function != NULL) {
        place = export_place(message->image, function);
        if (function->symbol != NULL)
            made->system_name = add_string(message, function->symbol->name);
    }
    if (place.file != NULL)
        made->filename = add_string(message, place.file);
    made->start_line = place.line;
}

/* Frames of one function follow each other. */
static void add_functions(struct message *message)
{
    const struct frame_tree *tree = message->tree;

    message->profile.function = message->function_list;
    for (size_t i = 1; i < tree->frame_count; i++) {
        if (i == 1 || !is_same(&tree->frames[i - 1], &tree->frames[i]))
            add_function(message, &tree->frames[i]);
        message->function_of[i] = message->profile.n_function - 1;
    }
}

/* Adds a frame's line: that at work or, where that is not known or in another file than
 * the function's, the function's first one. */
static void add_line(struct message *message, size_t number)
{
    const struct tree_frame *frame = &message->tree->frames[number];
    const Pprof__Function *function = &message->functions[message->function_of[number]];
    const char *file = message->strings[function->filename];
    Pprof__Line *line = message->line_list[message->line_count] =
        &message->lines[message->line_count];

    message->line_count++;
    pprof__line__init(line);
    line->function_id = function->id;
    line->line = frame->file != NULL && strcmp(frame->file, file) == 0
                     ? frame->line
                     : function->start_line;
}

/* The location of the frame of path[0], whose last inlined frame, or itself, is
 * path[depth - 1]. */
static uint64_t location_of(struct message *message, const uint32_t *path, size_t depth)
{
    const struct tree_frame *frame = &message->tree->frames[path[0]];
    Pprof__Profile *profile = &message->profile;

    if (message->located[path[0]] != 0)
        return message->located[path[0]];
    Pprof__Location *location = message->location_list[profile->n_location] =
        &message->locations[profile->n_location];
    message->located[path[0]] = ++profile->n_location;
    pprof__location__init(location);
    location->id = profile->n_location;
    location->line = &message->line_list[message->line_count];
    location->n_line = depth;
    for (size_t i = depth; i > 0; i--)
        add_line(message, path[i - 1]);
    if (frame->kind == TREE_FUNCTION) {
        const struct function *function = &message->analysis->functions[frame->number];

        location->address = frame->address > 0 ? frame->address : function->address;
        location->mapping_id = function->symbol != NULL;
    }
    return location->id;
}

/* Adds the locations of a path of frames to the ids, the leaf's first; returns how many.
 */
static size_t add_locations(struct message *message, const uint32_t *path, size_t depth,
                            uint64_t *ids)
{
    size_t count = 0;

    for (size_t end = depth; end > 0;) {
        size_t first = end - 1;

        while (first > 0 && message->tree->frames[path[first]].kind == TREE_INLINED)
            first--;
        ids[count++] = location_of(message, &path[first], end - first);
        end = first;
    }
    return count;
}

static void add_sample(struct message *message, const struct tree_node *node,
                       uint64_t *ids, size_t id_count)
{
    Pprof__Profile *profile = &message->profile;
    Pprof__Sample *sample = message->sample_list[profile->n_sample] =
        &message->samples[profile->n_sample];
    int64_t *values = message->values + profile->n_sample * profile->n_sample_type;
    double hz = message->tree->hz;

    pprof__sample__init(sample);
    sample->location_id = ids;
    sample->n_location_id = id_count;
    sample->value = values;
    sample->n_value = profile->n_sample_type;
    if (message->tree->samples || !(hz > 0))
        *values++ = node->self < INT64_MAX ? (int64_t)node->self : INT64_MAX;
    if (hz > 0)
        *values = whole(rint((double)node->self * 1e9 / hz));
    profile->n_sample++;
}

/* `path` has room for the deepest path. */
static void add_samples(struct message *message, uint32_t *path)
{
    const struct frame_tree *tree = message->tree;
    Pprof__Profile *profile = &message->profile;
    uint64_t *ids = message->ids;

    for (size_t i = 1; i < tree->count; i++) {
        const struct tree_node *node = &tree->nodes[i];

        path[node->depth - 1] = node->frame;
        if (node->self == 0)
            continue;
        size_t count = add_locations(message, path, node->depth, ids);
        add_sample(message, node, ids, count);
        ids += count;
    }
    profile->sample = message->sample_list;
    profile->location = message->location_list;
    if (tree->hz > 0)
        profile->duration_nanos =
            whole(rint((double)tree->nodes[0].total * 1e9 / tree->hz));
}

static bool write_gzip(FILE *out, const uint8_t *bytes, size_t size)
{
    enum { WINDOW = 15, GZIP = 16, MEMORY = 8 };
    z_stream stream = {0};
    uint8_t chunk[65536];
    int came = deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, WINDOW + GZIP,
                            MEMORY, Z_DEFAULT_STRATEGY);

    stream.next_in = (uint8_t *)(uintptr_t)bytes;
    stream.avail_in = (uInt)size;
    while (came == Z_OK) {
        stream.next_out = chunk;
        stream.avail_out = sizeof chunk;
        came = deflate(&stream, Z_FINISH);
        fwrite(chunk, 1, sizeof chunk - stream.avail_out, out);
    }
    deflateEnd(&stream);
    return came == Z_STREAM_END;
}

static bool write_message(FILE *out, const Pprof__Profile *profile)
{
    size_t size = pprof__profile__get_packed_size(profile);
    uint8_t *bytes = malloc(size + 1);
    bool done = bytes != NULL && size < UINT32_MAX;

    if (done) {
        pprof__profile__pack(profile, bytes);
        done = write_gzip(out, bytes, size);
    }
    free(bytes);
    return done;
}

static bool build(struct message *message)
{
    uint32_t *path = calloc(message->tree->depth, sizeof *path);
    bool done = path != NULL && allocate(message);
    const char *const fixed[FIXED] = {"",
                                      "samples",
                                      "ticks",
                                      "count",
                                      "time",
                                      "nanoseconds",
                                      image_path(message->image),
                                      message->build_id};

    message->profile.string_table = message->strings;
    for (size_t i = 0; done && i < FIXED; i++)
        add_string(message, fixed[i]);
    if (done) {
        add_types(message);
        add_mapping(message);
        add_functions(message);
        add_samples(message, path);
    }
    free(path);
    return done;
}

bool export_pprof(FILE *out, const struct frame_tree *tree,
                  const struct analysis *analysis, struct image *image,
                  struct error *error)
{
    struct message message = {.tree = tree,
                              .analysis = analysis,
                              .image = image,
                              .profile = PPROF__PROFILE__INIT};

    bool done = (build(&message) && write_message(out, &message.profile)) ||
                error_no_memory(error);
    release(&message);
    return done;
}
