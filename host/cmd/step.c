/* SPDX-License-Identifier: MIT */
#include "step.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { LINES_SHOWN = 20, TAIL_BYTES = 8192, LOOK_MS = 100 };

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* In the new process. */
static void run_child(const char *command, int output)
{
    if (dup2(output, STDOUT_FILENO) >= 0 && dup2(output, STDERR_FILENO) >= 0)
        execl("/bin/sh", "sh", "-c", command, (char *)NULL);
    _exit(127);
}

/* Waits for the end; on a terminal the seconds count meanwhile. */
static bool wait_for(pid_t child, int *status)
{
    const struct timespec look = {0, LOOK_MS * 1000000L};
    bool counts = isatty(STDERR_FILENO) != 0;
    double started = now();
    pid_t ended;

    while ((ended = waitpid(child, status, WNOHANG)) == 0) {
        if (counts)
            fprintf(stderr, "\r%.0f s", now() - started);
        nanosleep(&look, NULL);
    }
    if (counts)
        fputs("\r\33[K", stderr);
    return ended == child;
}

/* The last lines of what the command printed. */
static void show_tail(FILE *output)
{
    char text[TAIL_BYTES + 1];
    size_t size, lines = 0;

    if (fseek(output, -TAIL_BYTES, SEEK_END) != 0)
        rewind(output);
    size = fread(text, 1, TAIL_BYTES, output);
    while (size > 0 && text[size - 1] == '\n')
        size--;
    text[size] = '\0';
    while (size > 0 && lines < LINES_SHOWN) {
        size--;
        lines += text[size] == '\n';
    }
    fprintf(stderr, "%s\n", text + size + (text[size] == '\n'));
}

static bool ended_well(const char *name, int status, struct error *error)
{
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return true;
    if (WIFSIGNALED(status))
        return error_set(error, EXIT_BAD_INPUT, "%s was ended by signal %d (%s)", name,
                         WTERMSIG(status), strsignal(WTERMSIG(status)));
    return error_set(error, EXIT_BAD_INPUT,
                     "%s ended with status %d; its last lines are above", name,
                     WEXITSTATUS(status));
}

bool step_run(const char *name, const char *command, struct error *error)
{
    FILE *output = tmpfile();
    pid_t child = -1;
    bool done;
    int status = 0;

    fprintf(stderr, "%-8s %s\n", name, command);
    if (output != NULL)
        child = fork();
    if (child == 0)
        run_child(command, fileno(output));
    if (child < 0 || !wait_for(child, &status))
        done = error_set(error, EXIT_BAD_INPUT, "%s: %s", name, strerror(errno));
    else
        done = ended_well(name, status, error);
    if (child > 0 && !done)
        show_tail(output);
    if (output != NULL)
        fclose(output);
    return done;
}
