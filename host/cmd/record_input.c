/* SPDX-License-Identifier: MIT */
#include "record_input.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../port/system.h"
#include "console.h"
#include "progress.h"

static volatile sig_atomic_t signalled;

static void note_signal(int number)
{
    signalled = number;
}

/* The first signal ends the recording, the second one the program. Writing to a closed
 * pipe, or to a file that must not grow, becomes an error instead of a signal. */
static void catch_signals(void)
{
    struct sigaction stop = {.sa_handler = note_signal, .sa_flags = (int)SA_RESETHAND};

    signalled = 0;
    sigemptyset(&stop.sa_mask);
    sigaction(SIGINT, &stop, NULL);
    sigaction(SIGTERM, &stop, NULL);
    sigaction(SIGHUP, &stop, NULL);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
}

int record_input_signalled(void)
{
    return signalled;
}

int record_input_usage(const struct cmd *cmd, int argc, char **argv)
{
    if (argc == 0 || (strcmp(argv[0], "--") == 0 && argc == 1))
        return cmd_usage(cmd, "expected a SOURCE, or -- and a command");
    if (argc > 1 && strcmp(argv[0], "--") != 0)
        return cmd_usage(cmd, "one SOURCE at a time, not also '%s'", argv[1]);
    return EXIT_DONE;
}

/* Whether output and source are one file: opening the output would empty it. */
static bool is_source(const char *path, const char *spec)
{
    struct stat to, from;

    return strcmp(path, "-") != 0 && stat(path, &to) == 0 && S_ISREG(to.st_mode) &&
           (strcmp(spec, "-") == 0 ? fstat(STDIN_FILENO, &from) : stat(spec, &from)) ==
               0 &&
           to.st_dev == from.st_dev && to.st_ino == from.st_ino;
}

static bool open_source(struct record_input *input, char **argv, unsigned baud,
                        const char *output, struct error *error)
{
    if (strcmp(argv[0], "--") == 0)
        return source_command(&input->source, argv + 1, error);
    if (output != NULL && is_source(output, argv[0]))
        return error_set(error, EXIT_USAGE, "%s: is both the source and the capture",
                         output);
    return source_open(&input->source, argv[0], baud, error);
}

/* Opens and locks the capture. */
static int open_locked(const char *path)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    struct stat status;

    if (fd < 0 || fstat(fd, &status) != 0 || !S_ISREG(status.st_mode) ||
        (port_lock(fd, true) && ftruncate(fd, 0) == 0))
        return fd;
    close(fd);
    return -1;
}

/* Whether the name leads to the regular file that is open. */
static bool is_named(int fd, const char *path)
{
    struct stat status, named;

    return fstat(fd, &status) == 0 && S_ISREG(status.st_mode) &&
           stat(path, &named) == 0 && status.st_dev == named.st_dev &&
           status.st_ino == named.st_ino;
}

static bool open_output(struct record_input *input, const char *output,
                        struct error *error)
{
    if (output == NULL)
        return true;
    if (strcmp(output, "-") == 0) {
        input->fd = STDOUT_FILENO;
        input->file = "standard output";
        return true;
    }
    input->file = output;
    input->fd = open_locked(output);
    if (input->fd >= 0) {
        input->named = is_named(input->fd, output);
        return true;
    }
    return error_set(error, EXIT_BAD_INPUT, "%s: %s", output,
                     errno == EWOULDBLOCK ? "another mcuprof records to it"
                                          : strerror(errno));
}

bool record_input_open(struct record_input *input, char **argv, unsigned baud,
                       const char *output, struct error *error)
{
    *input = (struct record_input){.fd = -1};
    if (!open_source(input, argv, baud, output, error))
        return false;
    catch_signals();
    return open_output(input, output, error);
}

bool record_input_write(struct record_input *input, const uint8_t *bytes, size_t size,
                        struct error *error)
{
    if (input->fd < 0 || console_write(input->fd, bytes, size, &input->written))
        return true;
    return error_set(error, EXIT_BAD_INPUT, "%s: %s after %llu bytes", input->file,
                     strerror(errno), input->written);
}

/* A terminal device gives at most 4 kB at a time. */
bool record_input_take(struct record_input *input, struct live_link *link,
                       struct live *live, int wait_ms, size_t *got, struct error *error)
{
    static uint8_t bytes[RECORD_INPUT_BYTES];
    size_t more;

    *got = 0;
    do {
        more = live_link_read(link, bytes + *got, sizeof bytes - *got,
                              *got == 0 ? wait_ms : 0, progress_now());
        *got += more;
    } while (more > 0 && *got < sizeof bytes);
    double now = progress_now();
    return (*got == 0 || (record_input_write(input, bytes, *got, error) &&
                          live_bytes(live, bytes, *got, now, error))) &&
           live_pass(live, now, error);
}

bool record_input_close(struct record_input *input, struct error *error)
{
    int fd = input->fd;
    bool gone = input->named && !is_named(fd, input->file);

    input->fd = -1;
    input->named = false;
    if (fd < 0 || fd == STDOUT_FILENO)
        return true;
    if (close(fd) != 0)
        return error_set(error, EXIT_BAD_INPUT, "%s: %s", input->file, strerror(errno));
    if (!gone)
        return true;
    input->written = 0;
    return error_set(error, EXIT_BAD_INPUT,
                     "%s: was removed, moved or replaced while it was recorded",
                     input->file);
}

void record_input_release(struct record_input *input)
{
    source_close(input->source);
    input->source = NULL;
}
