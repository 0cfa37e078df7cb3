/* SPDX-License-Identifier: MIT */
/* A command whose standard output is the wire, as an emulator's is. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../port/system.h"
#include "backend.h"

/* As much as Linux lets a user have. Where the pipe is full, QEMU's nRF51 UART sets its
 * event later without its interrupt, and the firmware's link stops for good. */
enum { PIPE_BYTES = 1 << 20 };
enum { WAIT_STEP_MS = 5, END_MS = 500, TERMINATE_MS = 1000 };

/* In the new process: becomes the command, or reports errno on `report`. */
static void run_child(char *const argv[], int wire, int report)
{
    int nothing = open("/dev/null", O_RDONLY);
    ssize_t sent;

    setpgid(0, 0);
    /* A signal that the caller ignores would be ignored in the command too. */
    signal(SIGPIPE, SIG_DFL);
    signal(SIGXFSZ, SIG_DFL);
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    signal(SIGHUP, SIG_DFL);
    /* An emulator should not outlive an mcuprof that was killed. */
    port_end_with_parent();
    if (nothing >= 0 && dup2(nothing, STDIN_FILENO) >= 0 &&
        dup2(wire, STDOUT_FILENO) >= 0) {
        if (nothing > STDERR_FILENO)
            close(nothing);
        execvp(argv[0], argv);
    }
    sent = write(report, &errno, sizeof errno);
    _exit(sent == sizeof errno ? 127 : 126);
}

/* The errno of a command that could not be run, 0 if it runs. */
static int start_result(int report)
{
    int code = 0;
    ssize_t got;

    do
        got = read(report, &code, sizeof code);
    while (got < 0 && errno == EINTR);
    return got == sizeof code ? code : 0;
}

/* Starts the command with the given pipes; returns 0 or the errno. */
static int start(struct source *source, char *const argv[], int wire[2], int report[2])
{
    int code;
    pid_t child = fork();

    if (child == 0)
        run_child(argv, wire[1], report[1]);
    code = child < 0 ? errno : 0;
    close(wire[1]);
    close(report[1]);
    if (child > 0) {
        setpgid(child, child); /* the child does the same; either may run first */
        code = start_result(report[0]);
        if (code != 0)
            waitpid(child, NULL, 0);
    }
    close(report[0]);
    if (code != 0) {
        close(wire[0]);
        return code;
    }
    source->fd = wire[0];
    source->child = source->group = child;
    return 0;
}

static bool open_command(struct source *source, char *const argv[], struct error *error)
{
    int wire[2], report[2], code;

    if (!port_pipe2(wire))
        return error_set(error, EXIT_BAD_INPUT, "%s: %s", source->name, strerror(errno));
    if (!port_pipe2(report)) {
        error_set(error, EXIT_BAD_INPUT, "%s: %s", source->name, strerror(errno));
        close(wire[0]);
        close(wire[1]);
        return false;
    }
    port_pipe_holds(wire[1], PIPE_BYTES);
    code = start(source, argv, wire, report);
    if (code != 0)
        return error_set(error, EXIT_BAD_INPUT, "%s: cannot run: %s", source->name,
                         strerror(code));
    return true;
}

bool source_command(struct source **source, char *const argv[], struct error *error)
{
    struct source *made = calloc(1, sizeof *made);

    *source = NULL;
    if (made == NULL || (made->name = strdup(argv[0])) == NULL) {
        free(made);
        return error_set(error, EXIT_BAD_INPUT, "%s: out of memory", argv[0]);
    }
    made->fd = -1;
    made->live = true;
    if (!open_command(made, argv, error)) {
        source_close(made);
        return false;
    }
    *source = made;
    return true;
}

static void note_status(struct source *source, int status)
{
    char how[64] = "";

    if (WIFSIGNALED(status))
        snprintf(how, sizeof how, "killed by signal %d (%s)", WTERMSIG(status),
                 strsignal(WTERMSIG(status)));
    else if (WEXITSTATUS(status) != 0)
        snprintf(how, sizeof how, "exit status %d", WEXITSTATUS(status));
    if (how[0] != '\0')
        snprintf(source->warning, sizeof source->warning, "the command ended with %s",
                 how);
}

/* Waits up to limit_ms for the command's end; true: *status is set. */
static bool wait_child(struct source *source, int limit_ms, int *status)
{
    const struct timespec step = {.tv_nsec = WAIT_STEP_MS * 1000000L};

    for (int waited = 0; waited <= limit_ms; waited += WAIT_STEP_MS) {
        pid_t done = waitpid(source->child, status, WNOHANG);

        if (done == source->child || (done < 0 && errno == ECHILD)) {
            source->child = 0;
            return done > 0;
        }
        nanosleep(&step, NULL);
    }
    return false;
}

void source_command_ended(struct source *source)
{
    int status;

    if (source->child != 0 && wait_child(source, END_MS, &status))
        note_status(source, status);
}

void source_command_close(struct source *source)
{
    int status;

    kill(-source->group, SIGTERM);
    if (source->child != 0 && !wait_child(source, TERMINATE_MS, &status) &&
        source->child != 0) {
        kill(-source->group, SIGKILL);
        waitpid(source->child, NULL, 0);
        source->child = 0;
    }
    source->group = 0;
}
