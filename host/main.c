/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "gprof/gprof.h"

static bool is_option(const char *argument, char letter, const char *name)
{
    const char short_name[3] = {'-', letter, '\0'};

    return strcmp(argument, short_name) == 0 || strcmp(argument, name) == 0;
}

static bool is_elf(const char *path)
{
    char magic[4];
    FILE *file = fopen(path, "rb");
    bool is = file != NULL && fread(magic, sizeof magic, 1, file) == 1 &&
              memcmp(magic, "\177ELF", sizeof magic) == 0;

    if (file != NULL)
        fclose(file);
    return is;
}

/* Whether a word that is no command was meant as a file. */
static bool is_path(const char *word)
{
    size_t length = strlen(word);

    return strchr(word, '/') != NULL || access(word, F_OK) == 0 ||
           (length > 4 && strcasecmp(word + length - 4, ".elf") == 0);
}

static int no_elf(const char *path)
{
    struct error error;

    error_set(&error, EXIT_BAD_INPUT, "%s: %s", path,
              access(path, R_OK) == 0 ? "is no ELF file, and no command"
                                      : strerror(errno));
    return cmd_fail(NULL, &error);
}

/* `mcuprof ELF ARGUMENT...`: records with these arguments, and reports on that. */
static int profile(int argc, char **argv)
{
    static char record[] = "record", report[] = "report", elf[] = "-e";
    char **words = calloc((size_t)argc + 3, sizeof *words);
    int status = EXIT_BAD_INPUT;

    if (words == NULL)
        return status;
    words[0] = record;
    words[1] = elf;
    memcpy(words + 2, argv, (size_t)argc * sizeof *words);
    cmd_report_follows();
    status = cmd_execute(argc + 2, words);
    if (status == EXIT_DONE && cmd_recorded() != NULL) {
        char *shown[] = {report, elf, argv[0], (char *)(uintptr_t)cmd_recorded(), NULL};

        putchar('\n');
        status = cmd_execute(4, shown);
    }
    free(words);
    return status;
}

/* A link to mcuprof by the name of gprof, or of a cross gprof, is one. */
static bool is_gprof(const char *program)
{
    size_t length = strlen(program);

    return length >= 5 && strcmp(program + length - 5, "gprof") == 0;
}

static int dispatch(int argc, char **argv)
{
    if (argc > 0 && is_gprof(argv[0]))
        return gprof_run(argc, argv);
    if (argc < 2) {
        cmd_print_overview(stderr);
        return EXIT_USAGE;
    }
    if (is_option(argv[1], 'h', "--help")) {
        cmd_print_overview(stdout);
        return EXIT_DONE;
    }
    if (is_option(argv[1], 'V', "--version")) {
        puts("mcuprof " MCUPROF_VERSION);
        return EXIT_DONE;
    }
    if (argv[1][0] == '-')
        return cmd_usage(NULL, "unknown option %s", argv[1]);
    if (cmd_find(argv[1]) == NULL && is_elf(argv[1]))
        return profile(argc - 1, argv + 1);
    if (cmd_find(argv[1]) == NULL && is_path(argv[1]))
        return no_elf(argv[1]);
    return cmd_execute(argc - 1, argv + 1);
}

int main(int argc, char **argv)
{
    cmd_all = commands;
    int status = dispatch(argc, argv);

    /* What was printed counts only once it is written: a full disk shows here, if the
     * command has not said so. */
    if ((fflush(stdout) != 0 || ferror(stdout)) && status == EXIT_DONE) {
        struct error error;

        error_set(&error, EXIT_BAD_INPUT, "standard output: %s", strerror(errno));
        return cmd_fail(NULL, &error);
    }
    return status;
}
