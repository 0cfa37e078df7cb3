/* SPDX-License-Identifier: MIT */
/* mcuprof completion: scripts for the shells, made from the commands' option tables. */
#include <stdio.h>
#include <string.h>

#include "cmd.h"

struct shell {
    const char *name;
    void (*begin)(void);
    void (*command)(const struct cmd *cmd);
    void (*end)(void);
};

/* Prints text in single quotes, which all three shells read alike: help texts have no
 * backslashes. */
static void print_quoted(const char *text)
{
    putchar('\'');
    for (; *text != '\0'; text++) {
        if (*text == '\'')
            fputs("'\\''", stdout);
        else
            putchar(*text);
    }
    putchar('\'');
}

/* Prints a pattern of the options that take a value; behind them a file's name is
 * completed. */
static void print_valued(const struct cmd *cmd, const char *separator)
{
    const char *before = "";

    for (const struct option_spec *spec = cmd_options(cmd); spec->name != NULL; spec++) {
        if (spec->type == OPTION_FLAG || spec->type == OPTION_OPTIONAL)
            continue;
        if (spec->name[0] != '\0') {
            printf("%s--%s", before, spec->name);
            before = separator;
        }
        if (spec->letter != 0) {
            printf("%s-%c", before, spec->letter);
            before = separator;
        }
    }
}

static bool has_operands(const struct cmd *cmd)
{
    return cmd->operands != NULL || cmd->print_operands != NULL;
}

static void print_operands(const struct cmd *cmd, const char *before, const char *behind)
{
    fputs(before, stdout);
    if (cmd->print_operands != NULL)
        cmd->print_operands();
    else if (cmd->operands != NULL)
        fputs(cmd->operands, stdout);
    fputs(behind, stdout);
}

static void bash_begin(void)
{
    fputs(
        "# bash completion for mcuprof: source <(mcuprof completion bash)\n"
        "_mcuprof()\n{\n"
        "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}\n"
        "    local options= valued= operands=\n"
        "    COMPREPLY=()\n"
        "    if ((COMP_CWORD == 1)); then\n"
        "        COMPREPLY=($(compgen -W '",
        stdout);
    cmd_print_names();
    fputs(" --help --version' -- \"$word\"))\n        return\n    fi\n"
          "    case ${COMP_WORDS[1]} in\n",
          stdout);
}

static void bash_command(const struct cmd *cmd)
{
    printf("    %s)\n        options='--help", cmd->name);
    for (const struct option_spec *spec = cmd_options(cmd); spec->name != NULL; spec++)
        printf(" %s%s", spec->name[0] != '\0' ? "--" : "-",
               spec->name[0] != '\0' ? spec->name : (const char[]){spec->letter, '\0'});
    fputs("'\n        valued='", stdout);
    print_valued(cmd, " ");
    print_operands(cmd, "'\n        operands='", "'\n        ;;\n");
}

static void bash_end(void)
{
    fputs("    esac\n"
          "    if [[ \" $valued \" == *\" $before \"* ]]; then\n"
          "        COMPREPLY=($(compgen -f -- \"$word\"))\n"
          "    elif [[ $word == -* ]]; then\n"
          "        COMPREPLY=($(compgen -W \"$options\" -- \"$word\"))\n"
          "    elif [[ -n $operands ]]; then\n"
          "        COMPREPLY=($(compgen -W \"$operands\" -- \"$word\"))\n"
          "    else\n"
          "        COMPREPLY=($(compgen -f -- \"$word\"))\n"
          "    fi\n}\n"
          "complete -o filenames -F _mcuprof mcuprof\n",
          stdout);
}

static void zsh_begin(void)
{
    fputs("#compdef mcuprof\n"
          "# zsh completion for mcuprof: source <(mcuprof completion zsh)\n"
          "_mcuprof()\n{\n"
          "    if ((CURRENT == 2)); then\n"
          "        local -a commands=(\n",
          stdout);
    for (size_t i = 0; cmd_all[i] != NULL; i++) {
        char line[160];

        snprintf(line, sizeof line, "%s:%s", cmd_all[i]->name, cmd_all[i]->summary);
        fputs("            ", stdout);
        print_quoted(line);
        putchar('\n');
    }
    fputs("        )\n        _describe command commands\n        return\n    fi\n"
          "    local name=$words[2]\n    shift words\n    ((CURRENT--))\n"
          "    case $name in\n",
          stdout);
}

/* The suffix that zsh wants behind an option's name; an optional value must be attached.
 */
static const char *zsh_value(const char *dashes, enum option_type type)
{
    if (type == OPTION_FLAG)
        return "";
    if (type == OPTION_OPTIONAL)
        return dashes[1] != '\0' ? "=-" : "-";
    return dashes[1] != '\0' ? "=" : "+";
}

/* Prints '--name=[help]:ARGUMENT:_files' with the help's brackets and colons escaped. */
static void zsh_option(const char *dashes, const char *name,
                       const struct option_spec *spec)
{
    bool value = spec->type != OPTION_FLAG;

    printf(" \\\n            '%s%s%s[", dashes, name, zsh_value(dashes, spec->type));
    for (const char *c = spec->help; *c != '\0'; c++) {
        if (*c == '\'')
            fputs("'\\''", stdout);
        else
            printf("%s%c", strchr("[]:", *c) != NULL ? "\\" : "", *c);
    }
    printf("]%s%s%s'",
           !value                          ? ""
           : spec->type == OPTION_OPTIONAL ? "::"
                                           : ":",
           value ? spec->argument : "", value ? ":_files" : "");
}

static void zsh_command(const struct cmd *cmd)
{
    printf("    %s)\n        _arguments -s '--help[this text]'", cmd->name);
    for (const struct option_spec *spec = cmd_options(cmd); spec->name != NULL; spec++) {
        const char letter[2] = {spec->letter, '\0'};

        if (spec->name[0] != '\0')
            zsh_option("--", spec->name, spec);
        if (spec->letter != 0)
            zsh_option("-", letter, spec);
    }
    if (has_operands(cmd))
        print_operands(cmd, " \\\n            '*:operand:(", ")'");
    else
        fputs(" \\\n            '*:file:_files'", stdout);
    fputs("\n        ;;\n", stdout);
}

static void zsh_end(void)
{
    fputs("    esac\n}\n"
          "if [[ $funcstack[1] = _mcuprof ]]; then\n    _mcuprof \"$@\"\n"
          "else\n    compdef _mcuprof mcuprof\nfi\n",
          stdout);
}

static void fish_begin(void)
{
    fputs("# fish completion for mcuprof: mcuprof completion fish | source\n"
          "complete -c mcuprof -l help -s h\n"
          "complete -c mcuprof -n __fish_use_subcommand -f -l version -s V\n",
          stdout);
    for (size_t i = 0; cmd_all[i] != NULL; i++) {
        printf("complete -c mcuprof -n __fish_use_subcommand -f -a %s -d ",
               cmd_all[i]->name);
        print_quoted(cmd_all[i]->summary);
        putchar('\n');
    }
}

static void fish_command(const struct cmd *cmd)
{
    for (const struct option_spec *spec = cmd_options(cmd); spec->name != NULL; spec++) {
        printf("complete -c mcuprof -n '__fish_seen_subcommand_from %s'", cmd->name);
        if (spec->name[0] != '\0')
            printf(" -l %s", spec->name);
        if (spec->letter != 0)
            printf(" -s %c", spec->letter);
        fputs(spec->type == OPTION_FLAG || spec->type == OPTION_OPTIONAL ? " -d "
                                                                         : " -r -d ",
              stdout);
        print_quoted(spec->help);
        putchar('\n');
    }
    if (!has_operands(cmd))
        return;
    printf("complete -c mcuprof -n '__fish_seen_subcommand_from %s'", cmd->name);
    print_operands(cmd, " -f -a '", "'\n");
}

static void fish_end(void)
{
}

static const struct shell shells[] = {
    {"bash", bash_begin, bash_command, bash_end},
    {"zsh", zsh_begin, zsh_command, zsh_end},
    {"fish", fish_begin, fish_command, fish_end},
};

static int run(int argc, char **argv)
{
    if (argc != 1)
        return cmd_usage(&cmd_completion, "expected one shell: bash, zsh or fish");
    for (size_t i = 0; i < sizeof shells / sizeof shells[0]; i++) {
        if (strcmp(shells[i].name, argv[0]) != 0)
            continue;
        shells[i].begin();
        for (size_t j = 0; cmd_all[j] != NULL; j++)
            shells[i].command(cmd_all[j]);
        shells[i].end();
        return EXIT_DONE;
    }
    return cmd_usage(&cmd_completion, "unknown shell '%s', expected bash, zsh or fish",
                     argv[0]);
}

const struct cmd cmd_completion = {
    .name = "completion",
    .summary = "a completion script for a shell",
    .synopsis = "bash|zsh|fish",
    .details = "bash, zsh: source <(mcuprof completion bash)\n"
               "fish: mcuprof completion fish | source",
    .run = run,
    .operands = "bash zsh fish",
};
