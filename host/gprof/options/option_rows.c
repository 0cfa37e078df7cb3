/* SPDX-License-Identifier: MIT */
/* GNU gprof's options and ours, for the parser, the help and shell completion. */
#include <string.h>

#include "options.h"

#define FLAG     GPROF_OPTION_FLAG
#define VALUE    GPROF_OPTION_VALUE
#define OPTIONAL GPROF_OPTION_OPTIONAL

const struct gprof_option gprof_option_rows[] = {
    /* What to print. */
    {'p', "flat-profile", OPTIONAL, "SPEC", "print the flat profile; of SPEC only"},
    {'P', "no-flat-profile", OPTIONAL, "SPEC", "no flat profile; or one without SPEC"},
    {'q', "graph", OPTIONAL, "SPEC", "print the call graph; of SPEC only"},
    {'B', "", FLAG, NULL, "the same as -q"},
    {'Q', "no-graph", OPTIONAL, "SPEC", "no call graph; or one without SPEC"},
    {'A', "annotated-source", OPTIONAL, "SPEC", "print the source with call counts"},
    {'J', "no-annotated-source", OPTIONAL, "SPEC", "no source; or all but SPEC's"},
    {'C', "exec-counts", OPTIONAL, "SPEC", "list how often each function was called"},
    {'Z', "no-exec-counts", OPTIONAL, "SPEC", "no such list; or one without SPEC"},
    {'r', "function-ordering", FLAG, NULL, "propose an order of functions to link in"},
    {'R', "file-ordering", VALUE, "MAP",
     "propose an order of object files; MAP of nm -o"},
    {GPROF_OPTION_ORDERING_FORMAT, "ordering-format", VALUE, "NAME",
     "how -r prints: names, ld or lld (not of GNU gprof)"},
    {'i', "file-info", FLAG, NULL, "tell what the profiles hold"},
    {'s', "sum", FLAG, NULL, "write the sum of the profiles into gmon.sum"},
    {'T', "traditional", FLAG, NULL, "print as BSD gprof did"},
    {'b', "brief", FLAG, NULL, "leave out the explanations"},
    {'z', "display-unused-functions", FLAG, NULL, "also functions that never ran"},
    {'w', "width", VALUE, "N", "columns of the index"},
    {'L', "print-path", FLAG, NULL, "file names with their directories"},
    {GPROF_OPTION_DEMANGLE, "demangle", OPTIONAL, "STYLE",
     "names as in the source (the default); auto, gnu-v3, rust, ..."},
    {GPROF_OPTION_NO_DEMANGLE, "no-demangle", FLAG, NULL, "names as the linker has them"},
    {GPROF_OPTION_INLINE_FILE_NAMES, "inline-file-names", FLAG, NULL,
     "file and line behind each function's name"},
    /* Annotated source. */
    {'x', "all-lines", FLAG, NULL, "-A: annotate every line, not the first of a block"},
    {'y', "separate-files", FLAG, NULL, "-A: one file FILE-ann for each source file"},
    {'t', "table-length", VALUE, "N", "-A: rows of the table of lines run most often"},
    {'m', "min-count", VALUE, "N", "-A: show fewer than N executions as #####"},
    {'I', "directory-path", VALUE, "DIRS", "where to look for sources, separated by ':'"},
    /* What to count. */
    {'a', "no-static", FLAG, NULL, "no static functions: they join the one before"},
    {'D', "ignore-non-functions", FLAG, NULL, "no symbols but functions"},
    {'c', "static-call-graph", FLAG, NULL, "also calls found in the code, counted 0"},
    {'l', "line", FLAG, NULL, "profile lines, not functions"},
    {'n', "time", VALUE, "SPEC", "propagate only the time of SPEC"},
    {'N', "no-time", VALUE, "SPEC", "do not propagate the time of SPEC"},
    {'k', "", VALUE, "FROM/TO", "leave out calls from FROM to TO"},
    {'e', "", VALUE, "SPEC", "no entry for SPEC in the call graph"},
    {'E', "", VALUE, "SPEC", "no entry for SPEC, nor its time"},
    {'f', "", VALUE, "SPEC", "only entries for SPEC and what it calls"},
    {'F', "", VALUE, "SPEC", "only entries for SPEC, and only its time"},
    {'S', "external-symbol-table", VALUE, "FILE", "take the symbols from FILE, as of nm"},
    /* The rest. */
    {'O', "file-format", VALUE, "NAME", "format of profiles: auto, bsd, 4.4bsd or magic"},
    {'d', "debug", OPTIONAL, "N", "trace what is done: all, or the numbers that make N"},
    {GPROF_OPTION_QUIRKS, "quirks", FLAG, NULL,
     "print inf and nan where GNU gprof does (not of GNU gprof)"},
    {'v', "version", FLAG, NULL, "the version"},
    {'h', "help", FLAG, NULL, "this text"},
    {0, NULL, FLAG, NULL, NULL},
};

/* "  -p, --flat-profile[=SPEC]"; returns its width. */
static int option_title(const struct gprof_option *row, char *title, size_t size)
{
    char letter[8] = "    ";
    const char *before = row->kind == OPTIONAL ? "[=" : " ";

    if (row->value < 256)
        snprintf(letter, sizeof letter, "-%c%s", row->value,
                 row->name[0] != '\0' ? ", " : "");
    return snprintf(
        title, size, "  %s%s%s%s%s%s", letter, row->name[0] != '\0' ? "--" : "",
        row->name, row->argument != NULL ? before : "",
        row->argument != NULL ? row->argument : "", row->kind == OPTIONAL ? "]" : "");
}

void gprof_print_help(const char *program, FILE *out)
{
    char title[80];
    int widest = 0;

    fprintf(out, "Usage: %s [OPTION...] [IMAGE [PROFILE...]]\n", program);
    fputs("Prints where the program IMAGE (a.out) spent its time, by its PROFILEs\n"
          "(gmon.out), which are summed. '-' is standard input; @FILE stands for the\n"
          "arguments in FILE. SPEC names functions: file.c, file.c:function,\n"
          "file.c:line, function or line; FROM/TO, also with -q and -Q, names calls.\n"
          "Without an option that prints: -p -q.\n\n",
          out);
    for (const struct gprof_option *row = gprof_option_rows; row->name != NULL; row++) {
        int width = option_title(row, title, sizeof title);

        widest = width > widest ? width : widest;
    }
    for (const struct gprof_option *row = gprof_option_rows; row->name != NULL; row++) {
        option_title(row, title, sizeof title);
        fprintf(out, "%-*s  %s\n", widest, title, row->help);
    }
}

/* Scripts look for the words of the first line and, at its end, for GNU gprof's version.
 * */
void gprof_print_version(FILE *out)
{
    fputs("mcuprof gprof, in place of GNU gprof 2.40\n"
          "Copyright the mcuprof authors, under the MIT licence.\n"
          "There is no warranty.\n",
          out);
}
