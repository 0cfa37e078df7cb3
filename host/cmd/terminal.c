/* SPDX-License-Identifier: MIT */
#include "terminal.h"

#include <errno.h>
#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int terminal_style(const struct cmd *cmd, const struct terminal_options *options,
                   struct style *style)
{
    setlocale(LC_CTYPE, "");
    if (!style_init(style, stdout, options->color))
        return cmd_usage(cmd, "--color %s: not auto, always or never", options->color);
    if (options->wide)
        style->width = 0;
    return EXIT_DONE;
}

/* ---- The pager ---- */

static struct {
    pid_t process;     /* 0: there is none */
    int output, error; /* copies of standard output and standard error; -1: these were
                        * not replaced */
    void (*interrupt)(int), (*pipe)(int);
} pager;

static const char *pager_command(void)
{
    static const char *const names[] = {"MCUPROF_PAGER", "PAGER"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *command = getenv(names[i]);
        if (command != NULL)
            return *command == '\0' || strcmp(command, "cat") == 0 ? NULL : command;
    }
    return "if command -v less >/dev/null; then exec less; else exec cat; fi";
}

/* A pager that cannot be started has read nothing, so cat can show all of it. */
static const char fallback[] = "eval \"$1\"; case $? in 126|127) exec cat;; esac";

static void run_pager(const char *command, const int pipe_ends[2])
{
    dup2(pipe_ends[0], STDIN_FILENO);
    close(pipe_ends[0]);
    close(pipe_ends[1]);
    setenv("LESS", "FRX", 0);
    setenv("LV", "-c", 0);
    execl("/bin/sh", "sh", "-c", fallback, "sh", command, (char *)NULL);
    _exit(127);
}

static int redirect(int fd, int to)
{
    int kept = dup(fd);
    if (kept >= 0)
        dup2(to, fd);
    return kept;
}

void pager_start(const struct terminal_options *options)
{
    const char *command = pager_command(), *term = getenv("TERM");
    int ends[2];
    if (options->no_pager || command == NULL || term == NULL ||
        strcmp(term, "dumb") == 0 || isatty(STDOUT_FILENO) != 1 || pipe(ends) != 0)
        return;
    fflush(stdout);
    pager.process = fork();
    if (pager.process == 0)
        run_pager(command, ends);
    if (pager.process > 0) {
        pager.interrupt = signal(SIGINT, SIG_IGN); /* Ctrl-C belongs to the pager */
        pager.pipe = signal(SIGPIPE, SIG_IGN);     /* the user may leave it early */
        pager.error = isatty(STDERR_FILENO) == 1 ? redirect(STDERR_FILENO, ends[1]) : -1;
        pager.output = redirect(STDOUT_FILENO, ends[1]);
    } else {
        pager.process = 0;
    }
    close(ends[0]);
    close(ends[1]);
}

static void restore(int kept, int fd)
{
    if (kept < 0)
        return;
    dup2(kept, fd);
    close(kept);
}

void pager_finish(void)
{
    if (pager.process == 0)
        return;
    fflush(stdout);
    restore(pager.output, STDOUT_FILENO);
    restore(pager.error, STDERR_FILENO);
    clearerr(stdout); /* output that a pager did not read is no error */
    while (waitpid(pager.process, NULL, 0) < 0 && errno == EINTR)
        ;
    signal(SIGINT, pager.interrupt);
    signal(SIGPIPE, pager.pipe);
    pager.process = 0;
}
