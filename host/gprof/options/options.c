/* SPDX-License-Identifier: MIT */
/* The command line, as GNU gprof reads it. */
#include "options.h"
#include "../../base/vector.h"
#include "../trace.h"

#include <stdlib.h>
#include <string.h>

#include "../../port/options.h"

enum { OPTIONS_MAX = 64 };

/* The state of parsing. */
struct parser {
    struct gprof_options *options;
    size_t spec_room;
    bool *done;
    int *status;
    struct error *error;
};

static bool out_of_memory(struct parser *parser)
{
    return error_set(parser->error, EXIT_NO, "out of memory");
}

/* Converts as atoi does, but is defined for every text: a number that is too long is cut
 * to its low bits, as GNU gprof does. */
static int to_int(const char *text)
{
    return (int)(uint32_t)strtol(text, NULL, 10);
}

static bool add_spec(struct parser *parser, enum gprof_list list, const char *text)
{
    struct gprof_options *options = parser->options;

    if (!vector_grow(&options->specs, options->spec_count, &parser->spec_room,
                     sizeof *options->specs))
        return out_of_memory(parser);
    options->specs[options->spec_count++] = (struct gprof_spec){list, text};
    return true;
}

/* The six options that choose an output, and the six that exclude from it. */
static const struct output_option {
    char letter;
    bool exclude;
    unsigned output;
    enum gprof_list list, arcs; /* arcs: the list for a spec with '/'; the same as `list`
                                   if there is none */
} output_options[] = {
    {'p', false, GPROF_FLAT, GPROF_INCLUDE_FLAT, GPROF_INCLUDE_FLAT},
    {'P', true, GPROF_FLAT, GPROF_EXCLUDE_FLAT, GPROF_EXCLUDE_FLAT},
    {'q', false, GPROF_GRAPH, GPROF_INCLUDE_GRAPH, GPROF_INCLUDE_ARCS},
    {'B', false, GPROF_GRAPH, GPROF_INCLUDE_GRAPH, GPROF_INCLUDE_ARCS},
    {'Q', true, GPROF_GRAPH, GPROF_EXCLUDE_GRAPH, GPROF_EXCLUDE_ARCS},
    {'A', false, GPROF_ANNOTATED, GPROF_INCLUDE_ANNOTATED, GPROF_INCLUDE_ANNOTATED},
    {'J', true, GPROF_ANNOTATED, GPROF_EXCLUDE_ANNOTATED, GPROF_EXCLUDE_ANNOTATED},
    {'C', false, GPROF_COUNTS, GPROF_INCLUDE_COUNTS, GPROF_INCLUDE_COUNTS},
    {'Z', true, GPROF_COUNTS, GPROF_EXCLUDE_COUNTS, GPROF_EXCLUDE_COUNTS},
};

/* *known: the letter is one of these options. */
static bool choose_output(struct parser *parser, int letter, const char *spec,
                          bool *known)
{
    struct gprof_options *options = parser->options;

    for (size_t i = 0; i < sizeof output_options / sizeof output_options[0]; i++) {
        const struct output_option *row = &output_options[i];

        if (row->letter != letter)
            continue;
        *known = true;
        options->user_output |= row->output;
        if (row->exclude && spec == NULL) {
            options->output &= ~row->output;
            return true;
        }
        options->output |= row->output;
        if (spec == NULL)
            return true;
        return add_spec(parser, strchr(spec, '/') != NULL ? row->arcs : row->list, spec);
    }
    return true;
}

/* The options that add a spec to one list or to two. */
static const struct list_option {
    char letter;
    enum gprof_list lists[2];
} list_options[] = {
    {'n', {GPROF_INCLUDE_TIME, GPROF_LISTS}},
    {'N', {GPROF_EXCLUDE_TIME, GPROF_LISTS}},
    {'k', {GPROF_EXCLUDE_ARCS, GPROF_LISTS}},
    {'e', {GPROF_EXCLUDE_GRAPH, GPROF_LISTS}},
    {'E', {GPROF_EXCLUDE_GRAPH, GPROF_EXCLUDE_TIME}},
    {'f', {GPROF_INCLUDE_GRAPH, GPROF_LISTS}},
    {'F', {GPROF_INCLUDE_GRAPH, GPROF_INCLUDE_TIME}},
};

static bool add_to_lists(struct parser *parser, int letter, const char *spec, bool *known)
{
    for (size_t i = 0; i < sizeof list_options / sizeof list_options[0]; i++) {
        const struct list_option *row = &list_options[i];

        if (row->letter != letter)
            continue;
        *known = true;
        return add_spec(parser, row->lists[0], spec) &&
               (row->lists[1] == GPROF_LISTS || add_spec(parser, row->lists[1], spec));
    }
    return true;
}

/* Where the value of an option that sets a bool belongs. */
static bool *flag_of(struct gprof_options *options, int value)
{
    switch (value) {
    case 'a':
        return &options->no_static;
    case 'b':
        return &options->brief;
    case 'c':
        return &options->static_calls;
    case 'D':
        return &options->only_functions;
    case 'i':
        return &options->file_info;
    case 'l':
        return &options->lines;
    case 'L':
        return &options->print_path;
    case 'T':
        return &options->traditional;
    case 'x':
        return &options->all_lines;
    case 'y':
        return &options->separate_files;
    case 'z':
        return &options->unused;
    case GPROF_OPTION_INLINE_FILE_NAMES:
        return &options->inline_file_names;
    case GPROF_OPTION_QUIRKS:
        return &options->gnu_text;
    default:
        return NULL;
    }
}

/* Splits the list at its colons and appends the directories. */
static bool add_directories(struct parser *parser, const char *list)
{
    struct gprof_options *options = parser->options;

    for (;;) {
        size_t size = strcspn(list, ":");
        size_t count = options->source_directory_count;
        char **directories =
            realloc(options->source_directories, (count + 1) * sizeof *directories);

        if (directories == NULL)
            return out_of_memory(parser);
        options->source_directories = directories;
        directories[count] = strndup(list, size);
        if (directories[count] == NULL)
            return out_of_memory(parser);
        options->source_directory_count++;
        if (list[size] == '\0')
            return true;
        list += size + 1;
    }
}

/* GNU gprof's message has the two names the wrong way round, so this one has, too. */
static bool unknown_format(struct parser *parser, const char *name)
{
    fprintf(stderr, "%s: unknown file format %s\n", name, parser->options->program);
    *parser->done = true;
    *parser->status = EXIT_NO;
    return true;
}

static bool choose_format(struct parser *parser, const char *name)
{
    enum gprof_format *format = &parser->options->format;

    switch (name[0]) {
    case 'a':
        *format = GPROF_AUTO;
        return true;
    case 'b':
        *format = GPROF_BSD;
        return true;
    case '4':
        *format = GPROF_44BSD;
        return true;
    case 'm':
        *format = GPROF_MAGIC;
        return true;
    case 'p':
        *format = GPROF_PROF;
        return true;
    default:
        return unknown_format(parser, name);
    }
}

static bool choose_demangling(struct parser *parser, const char *style)
{
    struct gprof_options *options = parser->options;

    options->demangle = true;
    if (style == NULL)
        return true;
    if (!gprof_demangle_style(style, &options->demangle_style))
        return error_set(parser->error, EXIT_NO, "unknown demangling style `%s'", style);
    return true;
}

static bool choose_ordering(struct parser *parser, const char *name)
{
    static const char *const names[] = {"names", "ld", "lld"};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(name, names[i]) == 0) {
            parser->options->ordering = (enum gprof_ordering)i;
            return true;
        }
    }
    return error_set(parser->error, EXIT_NO,
                     "--ordering-format: '%s' is none of names, ld, lld", name);
}

static bool finish(struct parser *parser, int status)
{
    *parser->done = true;
    *parser->status = status;
    return true;
}

static bool unknown_option(struct parser *parser)
{
    const char *program = parser->options->program;

    fprintf(stderr,
            "Usage: %s [OPTION...] [IMAGE [PROFILE...]]\n"
            "Try '%s --help' for the options.\n",
            program, program);
    return finish(parser, EXIT_NO);
}

static bool apply_rest(struct parser *parser, int value, const char *argument)
{
    struct gprof_options *options = parser->options;

    switch (value) {
    case 'd':
        options->debug = true;
        options->traced |=
            argument != NULL ? (unsigned)to_int(argument) : GPROF_TRACE_ALL;
        return true;
    case 'h':
        gprof_print_help(options->program, stdout);
        return finish(parser, EXIT_DONE);
    case 'v':
        gprof_print_version(stdout);
        return finish(parser, EXIT_DONE);
    case 'I':
        return add_directories(parser, argument);
    case 'm':
        options->min_count = (uint64_t)(int64_t)to_int(argument);
        return true;
    case 'O':
        return choose_format(parser, argument);
    case 'r':
        options->output |= GPROF_FUNCTION_ORDER;
        return true;
    case 'R':
        options->output |= GPROF_FILE_ORDER;
        options->file_order_map = argument;
        return true;
    case 's':
        options->output |= GPROF_SUM;
        options->lines = true;
        return true;
    case 'S':
        options->symbol_table = argument;
        return true;
    case 't':
        options->table_length = to_int(argument);
        return true;
    case 'w':
        options->index_width = to_int(argument) < 1 ? 1 : to_int(argument);
        return true;
    case GPROF_OPTION_DEMANGLE:
        return choose_demangling(parser, argument);
    case GPROF_OPTION_NO_DEMANGLE:
        options->demangle = false;
        return true;
    case GPROF_OPTION_ORDERING_FORMAT:
        return choose_ordering(parser, argument);
    default:
        return unknown_option(parser);
    }
}

static bool apply(struct parser *parser, int value, const char *argument)
{
    bool *flag = flag_of(parser->options, value);
    bool known = false;

    if (flag != NULL) {
        *flag = true;
        return true;
    }
    if (!choose_output(parser, value, argument, &known) ||
        (!known && !add_to_lists(parser, value, argument, &known)))
        return false;
    return known || apply_rest(parser, value, argument);
}

/* The rows are in the order of the help. Where an abbreviation fits several names, the
 * message lists them in the order of GNU gprof's table: these names come before all
 * others. */
static const char *const first_names[] = {
    "no-static",
    "no-annotated-source",
    "demangle",
    "directory-path",
    "external-symbol-table",
    "ignore-non-functions",
    "table-length",
    "time",
};
enum { FIRST_NAMES = sizeof first_names / sizeof first_names[0] };

/* The name's place among the first names; FIRST_NAMES: it is not one of them. */
static size_t first_place(const char *name)
{
    size_t i = 0;

    while (i < FIRST_NAMES && strcmp(first_names[i], name) != 0)
        i++;
    return i;
}

static void make_names(struct option *names)
{
    static const int has[] = {no_argument, required_argument, optional_argument};
    struct option *next = names + FIRST_NAMES;

    for (const struct gprof_option *row = gprof_option_rows; row->name != NULL; row++) {
        size_t place = first_place(row->name);

        if (row->name[0] != '\0')
            *(place < FIRST_NAMES ? &names[place] : next++) =
                (struct option){row->name, has[row->kind], NULL, row->value};
    }
    *next = (struct option){0};
}

/* Makes what getopt_long wants: names, and letters, each with as many colons behind it as
 * its kind asks for. letters has room for 3 bytes an option. */
static void make_getopt_tables(char *letters, struct option *names)
{
    for (const struct gprof_option *row = gprof_option_rows; row->name != NULL; row++) {
        if (row->value >= 256)
            continue;
        *letters++ = (char)row->value;
        for (int i = 0; i < (int)row->kind; i++)
            *letters++ = ':';
    }
    *letters = '\0';
    make_names(names);
}

static bool parse_options(struct parser *parser, int argc, char **argv)
{
    char letters[3 * OPTIONS_MAX + 1];
    struct option names[OPTIONS_MAX + 1];

    make_getopt_tables(letters, names);
    optind = 0; /* makes getopt begin anew and read POSIXLY_CORRECT again */
    opterr = 1;
    while (!*parser->done) {
        int value = getopt_long(argc, argv, letters, names, NULL);

        if (value == -1)
            return true;
        if (!apply(parser, value, optarg))
            return false;
    }
    return true;
}

/* The time of these functions is never propagated, and neither flat profile nor graph
 * shows them. */
static bool add_default_exclusions(struct parser *parser)
{
    static const char *const names[] = {
        "_gprof_mcount",     "mcount",     "_mcount", "__mcount",
        "__mcount_internal", "__mcleanup",
    };
    static const enum gprof_list lists[] = {GPROF_EXCLUDE_TIME, GPROF_EXCLUDE_GRAPH,
                                            GPROF_EXCLUDE_FLAT};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        for (size_t j = 0; j < sizeof lists / sizeof lists[0]; j++) {
            if (!add_spec(parser, lists[j], names[i]))
                return false;
        }
    }
    return true;
}

static bool finish_options(struct parser *parser, int argc, char **argv)
{
    static char default_profile[] = "gmon.out";
    static char *const default_profiles[] = {default_profile};
    struct gprof_options *options = parser->options;
    const char *path = getenv("GPROF_PATH");

    if ((options->output & GPROF_FUNCTION_ORDER) && (options->output & GPROF_FILE_ORDER))
        return error_set(parser->error, EXIT_NO,
                         "Only one of --function-ordering and --file-ordering may be "
                         "specified.");
    options->image = optind < argc ? argv[optind++] : "a.out";
    options->profiles = optind < argc ? argv + optind : (char **)default_profiles;
    options->profile_count = optind < argc ? (size_t)(argc - optind) : 1;
    if (path != NULL && !add_directories(parser, path))
        return false;
    return add_default_exclusions(parser);
}

bool gprof_parse(struct gprof_options *options, int argc, char **argv, bool *done,
                 int *status, struct error *error)
{
    struct parser parser = {options, 0, done, status, error};
    struct gprof_arguments *arguments = calloc(1, sizeof *arguments);

    *options = (struct gprof_options){
        .program = argc > 0 ? argv[0] : "gprof",
        .demangle = true,
        .index_width = 80,
        .table_length = 10,
        .min_count = 1,
        .arguments = arguments,
    };
    *done = false;
    if (arguments == NULL)
        return out_of_memory(&parser);
    if (!gprof_expand_arguments(arguments, argc, argv, error) ||
        !parse_options(&parser, arguments->argc, arguments->argv))
        return false;
    return *done || finish_options(&parser, arguments->argc, arguments->argv);
}

void gprof_options_release(struct gprof_options *options)
{
    for (size_t i = 0; i < options->source_directory_count; i++)
        free(options->source_directories[i]);
    free(options->source_directories);
    free(options->specs);
    if (options->arguments != NULL)
        gprof_arguments_release(options->arguments);
    free(options->arguments);
    *options = (struct gprof_options){0};
}
