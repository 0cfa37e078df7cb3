/* SPDX-License-Identifier: MIT */
#include "cmd.h"

#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/utf8.h"
#include "../port/text.h"
#include "../report/shorten.h"

const struct cmd *const *cmd_all;

void cmd_print_names(void)
{
    for (size_t i = 0; cmd_all[i] != NULL; i++)
        printf("%s%s", i > 0 ? " " : "", cmd_all[i]->name);
}

const struct option_spec *cmd_options(const struct cmd *cmd)
{
    static const struct option_spec none[] = {{0}};

    if (cmd->own_options != NULL)
        return cmd->own_options();
    return cmd->options != NULL ? cmd->options : none;
}

const struct cmd *cmd_find(const char *name)
{
    for (size_t i = 0; cmd_all[i] != NULL; i++) {
        if (strcmp(cmd_all[i]->name, name) == 0)
            return cmd_all[i];
    }
    return NULL;
}

enum { LONGEST_WORD = 63 };

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Optimal string alignment: the rows belong to the prefixes i, i - 1 and i - 2 of `a`. */
size_t cmd_distance(const char *a, const char *b)
{
    size_t rows[3][LONGEST_WORD + 1];
    size_t a_size = strlen(a), b_size = strlen(b);

    if (a_size > LONGEST_WORD || b_size > LONGEST_WORD)
        return SIZE_MAX;
    for (size_t j = 0; j <= b_size; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= a_size; i++) {
        size_t *row = rows[i % 3], *above = rows[(i + 2) % 3], *two = rows[(i + 1) % 3];

        row[0] = i;
        for (size_t j = 1; j <= b_size; j++) {
            size_t change = above[j - 1] + (a[i - 1] != b[j - 1]);

            row[j] = least(change, least(above[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = least(row[j], two[j - 2] + 1);
        }
    }
    return rows[a_size % 3][b_size];
}

const struct cmd *cmd_nearest(const char *name)
{
    const struct cmd *nearest = NULL;
    size_t near = strlen(name) / 2 + 1; /* at a larger distance it is another word */

    for (size_t i = 0; cmd_all[i] != NULL; i++) {
        size_t distance = cmd_distance(name, cmd_all[i]->name);

        if (distance < near) {
            near = distance;
            nearest = cmd_all[i];
        }
    }
    return nearest;
}

/* On a terminal lines break at words. */
static void print_words(const struct style *style, const struct cmd *cmd,
                        const char *text, const char *hint)
{
    char *line;

    if (port_asprintf(&line, "mcuprof%s%s: %s%s", cmd != NULL ? " " : "",
                      cmd != NULL ? cmd->name : "", text, hint) < 0)
        return;
    style_words(style, stderr, line, 0, 2, CUT_END);
    fputc('\n', stderr);
    free(line);
}

static void print_line(const struct cmd *cmd, const char *text, const char *hint)
{
    struct style style;

    setlocale(LC_CTYPE, "");
    if (style_init(&style, stderr, "never") && style.width > 0) {
        print_words(&style, cmd, text, hint);
        return;
    }
    fprintf(stderr, "mcuprof%s%s: ", cmd != NULL ? " " : "",
            cmd != NULL ? cmd->name : "");
    utf8_print(stderr, text);
    fprintf(stderr, "%s\n", hint);
}

int cmd_fail(const struct cmd *cmd, const struct error *error)
{
    print_line(cmd, error->text, "");
    return (int)error->status;
}

int cmd_usage(const struct cmd *cmd, const char *format, ...)
{
    char text[512], hint[64];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    snprintf(hint, sizeof hint, " (see mcuprof %s%s--help)", cmd != NULL ? cmd->name : "",
             cmd != NULL ? " " : "");
    print_line(cmd, text, hint);
    return EXIT_USAGE;
}

int cmd_unknown(const char *name)
{
    const struct cmd *nearest = cmd_nearest(name);

    if (nearest == NULL)
        return cmd_usage(NULL, "unknown command '%s'", name);
    return cmd_usage(NULL, "unknown command '%s'; did you mean '%s'?", name,
                     nearest->name);
}

void cmd_print_overview(FILE *out)
{
    fputs("usage: mcuprof COMMAND [OPTION...] [ARGUMENT...]\n"
          "       mcuprof ELF [OPTION...] SOURCE     record with that ELF, then report\n"
          "Shows where firmware on a microcontroller spends its time.\n\n",
          out);
    for (size_t i = 0; cmd_all[i] != NULL; i++)
        fprintf(out, "  %-12s %s\n", cmd_all[i]->name, cmd_all[i]->summary);
    fputs("\n  -h, --help     this text; mcuprof COMMAND --help: that command's options\n"
          "  -V, --version  the version\n",
          out);
}

/* Writes "-e, --elf ELF" as in the help; returns its width. */
static int option_title(const struct option_spec *spec, char *title, size_t size)
{
    char letter[5] = "    ";
    bool named = spec->name[0] != '\0', optional = spec->type == OPTION_OPTIONAL;
    const char *before = optional ? "[=" : " ";

    if (spec->letter != 0)
        snprintf(letter, sizeof letter, "-%c%s", spec->letter, named ? ", " : "");
    return snprintf(title, size, "%s%s%s%s%s%s", letter, named ? "--" : "", spec->name,
                    spec->argument != NULL ? before : "",
                    spec->argument != NULL ? spec->argument : "", optional ? "]" : "");
}

static const struct option_spec help_row = {'h',  "help",      OPTION_FLAG,
                                            NULL, "this text", NULL};

static void print_options(const struct option_spec *options, FILE *out)
{
    char title[80];
    int widest = option_title(&help_row, title, sizeof title);

    for (const struct option_spec *spec = options; spec->name != NULL; spec++) {
        int width = option_title(spec, title, sizeof title);

        widest = width > widest ? width : widest;
    }
    for (const struct option_spec *spec = options; spec->name != NULL; spec++) {
        option_title(spec, title, sizeof title);
        fprintf(out, "  %-*s  %s\n", widest, title, spec->help);
    }
    option_title(&help_row, title, sizeof title);
    fprintf(out, "  %-*s  %s\n", widest, title, help_row.help);
}

void cmd_print_help(const struct cmd *cmd, FILE *out)
{
    /* Each line of the synopsis is one form of the command. */
    const char *form = cmd->synopsis;
    const char *lead = "usage:";

    while (*form != '\0') {
        int size = (int)strcspn(form, "\n");

        fprintf(out, "%s mcuprof %s %.*s\n", lead, cmd->name, size, form);
        lead = "      ";
        form += size + (form[size] == '\n');
    }
    fprintf(out, "%s\n\n", cmd->summary);
    print_options(cmd_options(cmd), out);
    if (cmd->details != NULL)
        fprintf(out, "\n%s\n", cmd->details);
    if (cmd->print_details != NULL) {
        fputc('\n', out);
        cmd->print_details(out);
    }
}
