/* SPDX-License-Identifier: MIT */
/* mcuprof run: builds, flashes, records and shows, as mcuprof.conf says. */
#include <errno.h>
#include <libgen.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../port/text.h"
#include "cmd.h"
#include "conf.h"
#include "step.h"

enum { WORDS_MAX = 64 };

static const char default_path[] = CONF_FILE;
static const char *path = default_path;
static struct option_list skipped;
static bool init;
static struct error failure;

static const struct option_spec options[] = {
    {0, "init", OPTION_FLAG, NULL, "write " CONF_FILE " from what lies here, and ask",
     &init},
    {'f', "file", OPTION_STRING, "CONF", "read this file; default: " CONF_FILE, &path},
    {0, "skip", OPTION_LIST, "STEP", "leave build, flash, record, show or check out",
     &skipped},
    {.name = NULL},
};

static const char *const steps[] = {"build", "flash", "record", "show", "check"};

static bool is_step(const char *name)
{
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        if (strcmp(steps[i], name) == 0)
            return true;
    }
    return false;
}

static bool is_skipped(const char *step)
{
    for (size_t i = 0; i < skipped.count; i++) {
        if (strcmp(skipped.items[i], step) == 0)
            return true;
    }
    return false;
}

/* The words of a command line of mcuprof. */
struct words {
    char *items[WORDS_MAX + 1];
    int count;
    bool too_many;
};

/* Adds a word; those without a text are left out. */
static void add(struct words *words, const char *option, const char *text)
{
    if (text == NULL)
        return;
    if (words->count + 2 > WORDS_MAX) {
        words->too_many = true;
        return;
    }
    if (option != NULL)
        words->items[words->count++] = (char *)(uintptr_t)option;
    words->items[words->count++] = (char *)(uintptr_t)text;
}

/* Waits; Ctrl-C meanwhile is for the command alone. */
static int wait_for(pid_t child)
{
    void (*before)(int) = signal(SIGINT, SIG_IGN);
    int status;
    pid_t ended;

    do
        ended = waitpid(child, &status, 0);
    while (ended < 0 && errno == EINTR);
    signal(SIGINT, before);
    return ended == child && WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_BAD_INPUT;
}

/* Runs a command of mcuprof, in a process of its own, for a command is run once in one.
 * One that fails has said why. */
static bool run_words(struct words *words, const char *step)
{
    int status = EXIT_BAD_INPUT;
    pid_t child;

    if (words->too_many)
        return error_set(&failure, EXIT_BAD_INPUT, "%s: show has more than %d words",
                         path, WORDS_MAX);
    fflush(stdout);
    child = fork();
    if (child == 0) {
        status = cmd_execute(words->count, words->items);
        exit(status);
    }
    if (child > 0)
        status = wait_for(child);
    if (status != EXIT_DONE)
        error_set(&failure, (enum exit_status)status, "%s failed", step);
    return status == EXIT_DONE;
}

static bool run_shell(const char *step, const char *command)
{
    return command == NULL || is_skipped(step) || step_run(step, command, &failure);
}

static bool record(const struct conf *conf, const char *capture)
{
    struct words words = {0};

    if (is_skipped("record"))
        return true;
    add(&words, NULL, "record");
    add(&words, "-e", conf->elf);
    add(&words, "-b", conf->baud);
    add(&words, "-d", conf->duration);
    add(&words, "-o", capture);
    if (conf->emulator != NULL) {
        add(&words, "--", "sh");
        add(&words, "-c", conf->emulator);
    } else {
        add(&words, NULL, conf->source);
    }
    cmd_report_follows();
    return run_words(&words, "record");
}

/* Takes the next word, within the text: blanks part words, quotes of either kind keep
 * them. NULL: there is no more. *open: a quote has no end. */
static char *next_word(char **rest, bool *open)
{
    char *from = *rest + strspn(*rest, " \t"), *word = from, *to = from, quote = '\0';

    if (*from == '\0')
        return NULL;
    for (; *from != '\0' && (quote != '\0' || strchr(" \t", *from) == NULL); from++) {
        if (*from == quote)
            quote = '\0';
        else if (quote == '\0' && (*from == '"' || *from == '\''))
            quote = *from;
        else
            *to++ = *from;
    }
    *rest = from + (*from != '\0');
    *open = quote != '\0';
    *to = '\0';
    return word;
}

/* `shown`: a command of mcuprof with its options. */
static bool show(const struct conf *conf, char *shown, const char *capture)
{
    struct words words = {0};
    char *rest = shown, *word;
    bool open = false;

    putchar('\n');
    fflush(stdout);
    fprintf(stderr, "%-8s %s\n", "show", shown);
    while ((word = next_word(&rest, &open)) != NULL)
        add(&words, NULL, word);
    if (open)
        return error_set(&failure, EXIT_BAD_INPUT, "%s: show has a quote without an end",
                         path);
    add(&words, "-e", conf->elf);
    add(&words, NULL, capture);
    return run_words(&words, words.items[0]);
}

static bool show_all(struct conf *conf, const char *capture)
{
    static char report[] = "report";

    if (is_skipped("show"))
        return true;
    if (conf->show[0] == NULL)
        return show(conf, report, capture);
    for (size_t i = 0; conf->show[i] != NULL; i++) {
        if (!show(conf, conf->show[i], capture))
            return false;
    }
    return true;
}

static bool check(const struct conf *conf, const char *capture)
{
    struct words words = {0};

    if (conf->budgets == NULL || is_skipped("check"))
        return true;
    add(&words, NULL, "check");
    add(&words, "-e", conf->elf);
    add(&words, "--power", conf->power);
    add(&words, NULL, conf->budgets);
    add(&words, NULL, capture);
    putchar('\n');
    return run_words(&words, "check");
}

/* The capture lies beside the ELF, unless the file says where. NULL: out of memory. */
static char *capture_path(const struct conf *conf)
{
    const char *name = strrchr(conf->elf, '/'), *dot = strrchr(conf->elf, '.');
    int size = (int)strlen(conf->elf);
    char *made;

    if (conf->capture != NULL)
        return strdup(conf->capture);
    if (dot != NULL && dot > (name != NULL ? name + 1 : conf->elf))
        size = (int)(dot - conf->elf);
    return port_asprintf(&made, "%.*s.mprof", size, conf->elf) >= 0 ? made : NULL;
}

static bool run_all(struct conf *conf)
{
    char *capture = capture_path(conf);
    bool done = capture != NULL && setenv("ELF", conf->elf, 1) == 0;

    if (!done)
        error_set(&failure, EXIT_BAD_INPUT, "out of memory");
    done = done && run_shell("build", conf->build) && run_shell("flash", conf->flash) &&
           record(conf, capture) && show_all(conf, capture) && check(conf, capture);
    free(capture);
    return done;
}

/* Goes to the folder of the file: its paths and commands are relative to that. */
static bool go_to(const char *file, struct error *error)
{
    char *copy = strdup(file);
    bool done = copy != NULL && chdir(dirname(copy)) == 0;

    if (!done)
        error_set(error, EXIT_BAD_INPUT, "%s: %s", file, strerror(errno));
    free(copy);
    return done;
}

static bool is_whole(const struct conf *conf, struct error *error)
{
    if (conf->elf == NULL)
        return error_set(error, EXIT_BAD_INPUT,
                         "%s: say which ELF the build makes: elf = PATH", path);
    if (conf->source == NULL && conf->emulator == NULL)
        return error_set(error, EXIT_BAD_INPUT,
                         "%s: say where the firmware's bytes come from: source = "
                         "/dev/tty..., or emulator = COMMAND",
                         path);
    if (conf->source != NULL && conf->source[0] == '-' && conf->source[1] != '\0')
        return error_set(error, EXIT_BAD_INPUT,
                         "%s: source = %s: this is no device, address or file", path,
                         conf->source);
    if (conf->power != NULL && conf->budgets == NULL)
        return error_set(error, EXIT_BAD_INPUT,
                         "%s: power = is for mcuprof check, which runs if budgets = FILE "
                         "is given, too; for a report: show = report --power FILE",
                         path);
    if (conf->source != NULL && conf->emulator != NULL)
        return error_set(error, EXIT_BAD_INPUT,
                         "%s: there is a source and an emulator: which one?", path);
    return true;
}

static int run(int argc, char **argv)
{
    struct conf conf;
    bool done;

    if (argc > 0)
        return cmd_usage(&cmd_run, "expected no argument, not '%s'", argv[0]);
    for (size_t i = 0; i < skipped.count; i++) {
        if (!is_step(skipped.items[i]))
            return cmd_usage(&cmd_run,
                             "--skip %s: the steps are build, flash, record, show, check",
                             skipped.items[i]);
    }
    if (init && path != default_path)
        return cmd_usage(&cmd_run, "--init writes " CONF_FILE " here: not with --file");
    if (init)
        return conf_init(path, &failure) ? EXIT_DONE : cmd_fail(&cmd_run, &failure);
    done = conf_read(&conf, path, &failure) && is_whole(&conf, &failure) &&
           go_to(path, &failure) && run_all(&conf);
    conf_release(&conf);
    return done ? EXIT_DONE : cmd_fail(&cmd_run, &failure);
}

const struct cmd cmd_run = {
    .name = "run",
    .summary = "build, flash, record and show, as a project's " CONF_FILE " says",
    .synopsis = "[OPTION...]",
    .details = CONF_FILE
    " has a setting a line; # begins a comment:\n"
    "  build = make -j4               a command of the shell\n"
    "  elf = build/app.elf            what it makes; in commands it is $ELF\n"
    "  flash = openocd -f board.cfg -c \"program $ELF verify reset exit\"\n"
    "  source = /dev/ttyACM0          as record takes it; or emulator = COMMAND\n"
    "  baud = 1000000                 and duration = SECONDS, capture = FILE\n"
    "  show = report --paths          a command of mcuprof; may be there again:\n"
    "  show = html -o app.html\n"
    "  budgets = budgets.txt          for mcuprof check; power = FILE for its --power\n"
    "Where it lies, commands that show functions take the ELF from it.",
    .options = options,
    .run = run,
    .operands = "",
};
