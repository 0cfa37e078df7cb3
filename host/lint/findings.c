/* SPDX-License-Identifier: MIT */
#include "findings.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/vector.h"
#include "../image/demangle.h"
#include "../port/text.h"

static const struct lint_rule *rule_named(const char *name)
{
    const struct lint_rule *rule = lint_rules;
    while (rule->name != NULL && strcmp(rule->name, name) != 0)
        rule++;
    return rule;
}

static __attribute__((format(printf, 2, 0))) char *
text_of(struct findings *findings, const char *format, va_list arguments)
{
    char *text = NULL;
    if (format != NULL && port_vasprintf(&text, format, arguments) < 0) {
        text = NULL;
        findings->failed = true;
    }
    return text;
}

static char *copy_of(struct findings *findings, const char *text)
{
    char *copy = text == NULL ? NULL : strdup(text);
    findings->failed |= text != NULL && copy == NULL;
    return copy;
}

static struct lint_finding *begin(struct findings *findings, const char *rule)
{
    struct lint *lint = findings->lint;
    if (!vector_grow(&lint->findings, lint->count, &lint->room, sizeof *lint->findings)) {
        findings->failed = true;
        return NULL;
    }
    lint->findings[lint->count] = (struct lint_finding){.rule = rule_named(rule)};
    return &lint->findings[lint->count++];
}

struct lint_finding *finding(struct findings *findings, const char *rule,
                             const char *format, ...)
{
    struct lint_finding *added = begin(findings, rule);
    va_list arguments;
    va_start(arguments, format);
    if (added != NULL)
        added->detail = text_of(findings, format, arguments);
    va_end(arguments);
    return added;
}

/* The rule's last finding; if it has none yet, a new one. */
static struct lint_finding *last(struct findings *findings, const char *rule)
{
    const struct lint *lint = findings->lint;
    for (size_t i = lint->count; i-- > 0;)
        if (strcmp(lint->findings[i].rule->name, rule) == 0)
            return &lint->findings[i];
    return begin(findings, rule);
}

static void add_place(struct findings *findings, const char *rule,
                      const struct lint_place *place)
{
    struct lint_finding *found = last(findings, rule);
    if (found != NULL && vector_grow(&found->places, found->place_count,
                                     &found->place_room, sizeof *found->places)) {
        found->places[found->place_count++] = *place;
        return;
    }
    findings->failed = true;
    free(place->function);
    free(place->file);
    free(place->detail);
}

static void add_address(struct findings *findings, const char *rule, uint64_t address,
                        char *detail)
{
    const struct image_symbol *symbol = image_symbol_at(findings->image, address);
    struct image_line line;
    struct lint_place place = {.address = address, .detail = detail};
    if (symbol != NULL)
        place.function = copy_of(findings, symbol->demangled);
    if (image_lines(findings->image, address, &line, 1) == 1) {
        place.file = copy_of(findings, line.file);
        place.line = line.line;
    }
    add_place(findings, rule, &place);
}

void finding_at(struct findings *findings, const char *rule, uint64_t address,
                const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    add_address(findings, rule, address, text_of(findings, format, arguments));
    va_end(arguments);
}

void finding_in(struct findings *findings, const char *rule,
                const struct function *function, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    add_address(findings, rule, function->symbol->address,
                text_of(findings, format, arguments));
    va_end(arguments);
}

void finding_written(struct findings *findings, const char *rule,
                     const struct written *written, const char *format, ...)
{
    struct demangle_budget budget = {4096, 1 << 20};
    struct lint_place place = {.address = UINT64_MAX, .line = written->line};
    const struct unit *unit = &findings->program.units.items[written->unit];
    va_list arguments;
    if (written->name != NULL)
        place.function = demangle(written->name, 0, &budget);
    if (written->name != NULL && place.function == NULL)
        place.function = copy_of(findings, written->name);
    if (written->table != NULL)
        place.file = line_table_path(written->table, written->file, unit->directory);
    findings->failed |= written->table != NULL && place.file == NULL;
    va_start(arguments, format);
    place.detail = text_of(findings, format, arguments);
    va_end(arguments);
    add_place(findings, rule, &place);
}
