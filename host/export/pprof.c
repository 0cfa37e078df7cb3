/* SPDX-License-Identifier: MIT */
/*
 * Writes folded.c's lines as pprof reads them: profile.proto, compressed by gzip. Each
 * frame is a location; it has a file and a line if exactly one function has its name. A
 * task is a frame, as in the lines.
 */
#include <math.h>
#include <pprof.pb-c.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "../base/search.h"
#include "export.h"
#include "folded_lines.h"

/* Converts a number to the format's integers. */
static int64_t whole(double number)
{
    return number < 0x1p63 ? (int64_t)number : INT64_MAX;
}

/* Strings that every file has; the names of frames follow. */
enum { EMPTY, SAMPLES, TICKS, COUNT, TIME, NANOSECONDS, PROGRAM, BUILD_ID, NAMES };

struct message {
    Pprof__Profile profile;
    Pprof__ValueType types[2], *type_list[2], period;
    Pprof__Mapping mapping, *mapping_list[1];
    Pprof__Sample *samples, **sample_list;
    Pprof__Location *locations, **location_list;
    Pprof__Line *lines, **line_list;
    Pprof__Function *functions, **function_list;
    uint64_t *ids;
    int64_t *values;
    char **strings;
    char build_id[2 * BUILD_ID_MAX + 1];
};

/* Symbols, sorted by the name that frames have. */
struct named {
    const struct image_symbol **items;
    size_t count;
};

static int by_demangled(const void *left, const void *right)
{
    const struct image_symbol *const *a = left, *const *b = right;

    return strcmp((*a)->demangled, (*b)->demangled);
}

static bool name_symbols(struct named *named, const struct image *image)
{
    const struct image_symbol *symbols;

    named->count = image_symbols(image, &symbols);
    named->items = calloc(named->count + 1, sizeof *named->items);
    if (named->items == NULL)
        return false;
    for (size_t i = 0; i < named->count; i++)
        named->items[i] = &symbols[i];
    qsort(named->items, named->count, sizeof *named->items, by_demangled);
    return true;
}

/* The only symbol of that name; NULL: there is none, or several. */
static const struct image_symbol *symbol_named(const struct named *named,
                                               const char *name)
{
    size_t low = 0;

    SEARCH(low, named->count, strcmp(named->items[middle]->demangled, name) < 0);
    if (low == named->count || strcmp(named->items[low]->demangled, name) != 0)
        return NULL;
    if (low + 1 < named->count && strcmp(named->items[low + 1]->demangled, name) == 0)
        return NULL;
    return named->items[low];
}

static bool allocate(struct message *message, const struct folded_lines *lines,
                     size_t names)
{
    size_t frames = 0;

    for (size_t i = 0; i < lines->count; i++)
        frames += lines->items[i].depth;
    message->samples = calloc(lines->count + 1, sizeof *message->samples);
    message->sample_list = calloc(lines->count + 1, sizeof *message->sample_list);
    message->locations = calloc(names + 1, sizeof *message->locations);
    message->location_list = calloc(names + 1, sizeof *message->location_list);
    message->lines = calloc(names + 1, sizeof *message->lines);
    message->line_list = calloc(names + 1, sizeof *message->line_list);
    message->functions = calloc(names + 1, sizeof *message->functions);
    message->function_list = calloc(names + 1, sizeof *message->function_list);
    message->ids = calloc(frames + 1, sizeof *message->ids);
    message->values = calloc(2 * lines->count + 1, sizeof *message->values);
    message->strings = calloc(NAMES + 3 * names + 1, sizeof *message->strings);
    return message->samples != NULL && message->sample_list != NULL &&
           message->locations != NULL && message->location_list != NULL &&
           message->lines != NULL && message->line_list != NULL &&
           message->functions != NULL && message->function_list != NULL &&
           message->ids != NULL && message->values != NULL && message->strings != NULL;
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
static void add_types(struct message *message, bool samples, double hz)
{
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

static void add_mapping(struct message *message, const struct image *image)
{
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
    message->mapping_list[0] = &message->mapping;
    message->profile.mapping = message->mapping_list;
    message->profile.n_mapping = 1;
}

/* Adds a frame: its function, its line, its location. */
static void add_frame(struct message *message, size_t number, const char *name,
                      const struct image_symbol *symbol, struct image *image)
{
    struct function function = {.symbol = symbol};
    Pprof__Function *named = message->function_list[number] = &message->functions[number];
    Pprof__Line *line = message->line_list[number] = &message->lines[number];
    Pprof__Location *location = message->location_list[number] =
        &message->locations[number];

    pprof__function__init(named);
    pprof__line__init(line);
    pprof__location__init(location);
    named->id = line->function_id = location->id = number + 1;
    named->name = named->system_name = add_string(message, name);
    location->line = &message->line_list[number];
    location->n_line = 1;
    if (symbol == NULL)
        return;
    function.address = location->address = symbol->address;
    location->mapping_id = 1;
    named->system_name = add_string(message, symbol->name);
    struct image_line place = export_place(image, &function);
    if (place.file != NULL)
        named->filename = add_string(message, place.file);
    named->start_line = line->line = place.line;
}

static void add_frames(struct message *message, const struct folded_names *names,
                       const struct named *named, struct image *image)
{
    Pprof__Profile *profile = &message->profile;

    for (size_t i = 0; i < names->count; i++)
        add_frame(message, i, names->items[i], symbol_named(named, names->items[i]),
                  image);
    profile->function = message->function_list;
    profile->location = message->location_list;
    profile->n_function = profile->n_location = names->count;
}

static void add_samples(struct message *message, const struct folded_lines *lines,
                        const struct folded_names *names, bool samples, double hz)
{
    Pprof__Profile *profile = &message->profile;
    uint64_t *ids = message->ids;
    int64_t *values = message->values;

    for (size_t i = 0; i < lines->count; i++) {
        const struct folded_line *line = &lines->items[i];
        Pprof__Sample *sample = message->sample_list[i] = &message->samples[i];

        pprof__sample__init(sample);
        sample->location_id = ids;
        sample->value = values;
        sample->n_value = profile->n_sample_type;
        for (size_t depth = line->depth; depth > 0; depth--)
            *ids++ = folded_name_number(names, line->frames[depth - 1]) + 1;
        sample->n_location_id = line->depth;
        if (samples || !(hz > 0))
            *values++ = line->count < INT64_MAX ? (int64_t)line->count : INT64_MAX;
        if (hz > 0)
            *values++ = whole(rint((double)line->count * 1e9 / hz));
    }
    profile->sample = message->sample_list;
    profile->n_sample = lines->count;
    if (hz > 0)
        profile->duration_nanos = whole(rint((double)lines->total * 1e9 / hz));
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

static bool build(struct message *message, const struct folded_lines *lines,
                  const struct folded_names *names, const struct profile *profile,
                  struct image *image)
{
    bool samples = profile->received[EVENT_SAMPLE] > 0;
    double hz = folded_hz(profile);
    struct named named;
    bool done = allocate(message, lines, names->count) && name_symbols(&named, image);
    const char *const fixed[] = {
        "",     "samples",     "ticks",           "count",
        "time", "nanoseconds", image_path(image), message->build_id};

    if (!done)
        return false;
    pprof__profile__init(&message->profile);
    message->profile.string_table = message->strings;
    for (size_t i = 0; i < NAMES; i++)
        add_string(message, fixed[i]);
    add_types(message, samples, hz);
    add_mapping(message, image);
    add_frames(message, names, &named, image);
    add_samples(message, lines, names, samples, hz);
    free(named.items);
    return true;
}

bool export_pprof(FILE *out, const char *text, const struct profile *profile,
                  struct image *image, struct error *error)
{
    struct message message = {.profile = PPROF__PROFILE__INIT};
    struct folded_names names;
    struct folded_lines lines;
    bool done = folded_lines_read(&lines, &names, text, error);

    if (done)
        done = (build(&message, &lines, &names, profile, image) &&
                write_message(out, &message.profile)) ||
               export_no_memory(error);
    release(&message);
    folded_lines_release(&lines, &names);
    return done;
}
