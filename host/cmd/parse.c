/* SPDX-License-Identifier: MIT */
/* The command line of a subcommand, parsed by its option table. */
#include "cmd.h"
#include "conf.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { GO_ON = -1 };

struct parser {
    const struct cmd *cmd;
    int argc;
    char **argv;
    int next;     /* the argument to look at */
    int operands; /* how many operands are already at the front of argv */
};

static bool help_wanted;

static const struct option_spec help_option = {'h',  "help", OPTION_FLAG,
                                               NULL, NULL,   &help_wanted};
static const struct option_spec no_options[] = {{0}};

static const struct option_spec *table(const struct cmd *cmd)
{
    return cmd->options != NULL ? cmd->options : no_options;
}

static const struct option_spec *find_letter(const struct cmd *cmd, char letter)
{
    for (const struct option_spec *spec = table(cmd); spec->name != NULL; spec++) {
        if (spec->letter == letter)
            return spec;
    }
    return letter == help_option.letter ? &help_option : NULL;
}

/* Finds the option with this name, or the only one that begins so; *other is a second one
 * that begins so. */
static const struct option_spec *find_name(const struct cmd *cmd, const char *name,
                                           size_t size, const struct option_spec **other)
{
    const struct option_spec *found = NULL;
    const struct option_spec *spec = table(cmd);

    *other = NULL;
    for (bool last = false; !last; spec++) {
        last = spec->name == NULL;

        const struct option_spec *row = last ? &help_option : spec;

        if (strncmp(row->name, name, size) != 0)
            continue;
        if (row->name[size] == '\0') {
            *other = NULL;
            return row;
        }
        if (found == NULL)
            found = row;
        else if (*other == NULL)
            *other = row;
    }
    return found;
}

static int store_unsigned(const struct cmd *cmd, const char *shown, const char *text,
                          unsigned *value)
{
    unsigned long number;
    size_t digits = strspn(text, "0123456789");

    if (digits == 0 || text[digits] != '\0')
        return cmd_usage(cmd, "%s: '%s' is not a whole number", shown, text);
    errno = 0;
    number = strtoul(text, NULL, 10);
    if (errno != 0 || number > UINT_MAX)
        return cmd_usage(cmd, "%s: %s is too large (at most %u)", shown, text, UINT_MAX);
    *value = (unsigned)number;
    return GO_ON;
}

static int store_double(const struct cmd *cmd, const char *shown, const char *text,
                        double *value)
{
    char *end;
    double number;

    /* This refuses "inf", "nan", hexadecimal numbers and blanks. */
    if (text[strspn(text, "0123456789.eE+-")] != '\0' ||
        (number = strtod(text, &end), end == text || *end != '\0'))
        return cmd_usage(cmd, "%s: '%s' is not a number", shown, text);
    if (!isfinite(number))
        return cmd_usage(cmd, "%s: %s is too large", shown, text);
    if (signbit(number) != 0)
        return cmd_usage(cmd, "%s: %s is negative", shown, text);
    *value = number;
    return GO_ON;
}

/* A sampling rate in Hz: nothing samples faster than a clock of 1 GHz ticks. */
static int store_rate(const struct cmd *cmd, const char *shown, const char *text,
                      double *value)
{
    static const double most = 1e9;
    int status = store_double(cmd, shown, text, value);

    if (status == GO_ON && !(*value > 0))
        return cmd_usage(cmd, "%s: %s is no rate", shown, text);
    if (status == GO_ON && *value > most)
        return cmd_usage(cmd, "%s: %s is too large (at most %g)", shown, text, most);
    return status;
}

static int store_listed(const struct cmd *cmd, const char *shown, const char *text,
                        struct option_list *list)
{
    if (list->count == OPTION_LIST_MAX)
        return cmd_usage(cmd, "%s: more than %d of them", shown, OPTION_LIST_MAX);
    list->items[list->count++] = text;
    return GO_ON;
}

static int store_number(const struct cmd *cmd, const char *shown, const char *text,
                        struct option_number *value)
{
    value->given = true;
    return text != NULL ? store_unsigned(cmd, shown, text, &value->number) : GO_ON;
}

/* Whether the command compares two builds, and this is the ELF of one of them. */
static bool is_one_of_two(const struct cmd *cmd, const struct option_spec *spec)
{
    const struct option_spec *other;

    return spec->letter == 'e' && find_name(cmd, "base-elf", 8, &other) != NULL;
}

static int store_string(const struct cmd *cmd, const struct option_spec *spec,
                        const char *value)
{
    const char **stored = spec->value;

    if (*stored != NULL && is_one_of_two(cmd, spec))
        return cmd_usage(cmd,
                         "-e %s -e %s: the ELF of the earlier capture is given by "
                         "--base-elf",
                         *stored, value);
    *stored = value;
    return GO_ON;
}

/* `value` is NULL for a flag, or for an option without its optional value. */
static int store(const struct cmd *cmd, const struct option_spec *spec, const char *shown,
                 const char *value)
{
    switch (spec->type) {
    case OPTION_FLAG:
        *(bool *)spec->value = true;
        return GO_ON;
    case OPTION_OPTIONAL:
        return store_number(cmd, shown, value, spec->value);
    case OPTION_STRING:
        return store_string(cmd, spec, value);
    case OPTION_UNSIGNED:
        return store_unsigned(cmd, shown, value, spec->value);
    case OPTION_DOUBLE:
        return store_double(cmd, shown, value, spec->value);
    case OPTION_RATE:
        return store_rate(cmd, shown, value, spec->value);
    case OPTION_LIST:
        return store_listed(cmd, shown, value, spec->value);
    }
    return GO_ON;
}

/* Takes the next argument as the value of an option that has none attached. */
static int store_next(struct parser *parser, const struct option_spec *spec,
                      const char *shown)
{
    if (parser->next >= parser->argc)
        return cmd_usage(parser->cmd, "%s needs a value: %s %s", shown, shown,
                         spec->argument);
    return store(parser->cmd, spec, shown, parser->argv[parser->next++]);
}

static int unknown_name(const struct cmd *cmd, const char *name, size_t size)
{
    const struct option_spec *nearest = NULL;
    char word[64];
    size_t near = size / 2 + 1;

    snprintf(word, sizeof word, "%.*s", (int)(size < sizeof word ? size : sizeof word),
             name);
    for (const struct option_spec *spec = table(cmd); spec->name != NULL; spec++) {
        size_t distance = cmd_distance(word, spec->name);

        if (distance < near) {
            near = distance;
            nearest = spec;
        }
    }
    if (nearest != NULL)
        return cmd_usage(cmd, "unknown option --%s; did you mean --%s?", word,
                         nearest->name);
    return cmd_usage(cmd, "unknown option --%s", word);
}

/* Whether the next argument is a whole number. */
static bool is_number(const struct parser *parser)
{
    const char *next = parser->next < parser->argc ? parser->argv[parser->next] : "";

    return next[0] != '\0' && next[strspn(next, "0123456789")] == '\0';
}

/* Parses "name" or "name=value"; the dashes are already removed. */
static int parse_long(struct parser *parser, const char *name)
{
    size_t size = strcspn(name, "=");
    const char *value = name[size] == '=' ? name + size + 1 : NULL;
    const struct option_spec *other;
    const struct option_spec *spec = find_name(parser->cmd, name, size, &other);
    char shown[64];

    if (spec == NULL)
        return unknown_name(parser->cmd, name, size);
    if (other != NULL)
        return cmd_usage(parser->cmd, "--%.*s is ambiguous: --%s, --%s", (int)size, name,
                         spec->name, other->name);
    snprintf(shown, sizeof shown, "--%s", spec->name);
    if (spec->type == OPTION_FLAG && value != NULL)
        return cmd_usage(parser->cmd, "%s takes no value", shown);
    if (spec->type == OPTION_OPTIONAL && value == NULL && is_number(parser))
        value = parser->argv[parser->next++];
    if (spec->type == OPTION_FLAG || spec->type == OPTION_OPTIONAL || value != NULL)
        return store(parser->cmd, spec, shown, value);
    return store_next(parser, spec, shown);
}

/* Parses the letters after one dash: flags; the last may take a value, attached or in the
 * next argument. */
static int parse_letters(struct parser *parser, const char *letters)
{
    for (; *letters != '\0'; letters++) {
        const struct option_spec *spec = find_letter(parser->cmd, *letters);
        const char shown[3] = {'-', *letters, '\0'};
        int status;

        if (spec == NULL)
            return cmd_usage(parser->cmd, "unknown option %s", shown);
        if (spec->type != OPTION_FLAG && letters[1] != '\0')
            return store(parser->cmd, spec, shown, letters + 1);
        if (spec->type != OPTION_FLAG)
            return store_next(parser, spec, shown);
        status = store(parser->cmd, spec, shown, NULL);
        if (status != GO_ON)
            return status;
    }
    return GO_ON;
}

static int parse_argument(struct parser *parser)
{
    char *argument = parser->argv[parser->next++];

    if (argument[0] != '-' || argument[1] == '\0') {
        parser->argv[parser->operands++] = argument;
        return GO_ON;
    }
    if (strcmp(argument, "--") == 0) {
        if (parser->cmd->keeps_dashes)
            parser->argv[parser->operands++] = argument;
        while (parser->next < parser->argc)
            parser->argv[parser->operands++] = parser->argv[parser->next++];
        return GO_ON;
    }
    if (argument[1] == '-')
        return parse_long(parser, argument + 2);
    return parse_letters(parser, argument + 1);
}

/* Where -e is an option and was not given, mcuprof.conf may say which ELF. */
static int take_elf(const struct cmd *cmd)
{
    struct error error;

    for (const struct option_spec *spec = table(cmd);
         cmd->takes_conf && spec->name != NULL; spec++) {
        const char **elf = spec->value;

        if (spec->letter != 'e' || strcmp(spec->name, "elf") != 0 || *elf != NULL)
            continue;
        if (!conf_elf(elf, &error))
            return cmd_fail(cmd, &error);
    }
    return GO_ON;
}

int cmd_parse(const struct cmd *cmd, int *argc, char ***argv)
{
    struct parser parser = {.cmd = cmd, .argc = *argc, .argv = *argv};

    help_wanted = false;
    while (parser.next < parser.argc && !help_wanted) {
        int status = parse_argument(&parser);

        if (status != GO_ON)
            return status;
    }
    if (help_wanted) {
        cmd_print_help(cmd, stdout);
        return EXIT_DONE;
    }
    parser.argv[parser.operands] = NULL;
    *argc = parser.operands;
    return take_elf(cmd);
}
