/* SPDX-License-Identifier: MIT */
#include "source.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backend.h"

static struct source *source_new(const char *name, struct error *error)
{
    struct source *source = calloc(1, sizeof *source);

    if (source != NULL) {
        source->fd = -1;
        source->live = true;
        source->name = strdup(name);
        if (source->name != NULL)
            return source;
    }
    free(source);
    error_set(error, EXIT_BAD_INPUT, "%s: out of memory", name);
    return NULL;
}

/* The text after the prefix; NULL if the spec does not begin with it. */
static const char *after(const char *spec, const char *prefix)
{
    size_t size = strlen(prefix);

    return strncmp(spec, prefix, size) == 0 ? spec + size : NULL;
}

static bool open_path(struct source *source, unsigned baud, struct error *error)
{
    struct stat status;

    if (stat(source->name, &status) != 0)
        return error_set(error, EXIT_BAD_INPUT, "%s: %s", source->name, strerror(errno));
    if (S_ISCHR(status.st_mode))
        return source_serial_open(source, baud, error);
    return source_file_open(source, false, error);
}

static bool open_spec(struct source *source, unsigned baud, struct error *error)
{
    const char *address = after(source->name, "tcp:");
    const char *port = after(source->name, "udp:");

    if (address != NULL)
        return source_tcp_open(source, address, error);
    if (port != NULL)
        return source_udp_open(source, port, error);
    return open_path(source, baud, error);
}

bool source_open(struct source **source, const char *spec, unsigned baud,
                 struct error *error)
{
    bool standard_input = strcmp(spec, "-") == 0;
    struct source *made = source_new(standard_input ? "standard input" : spec, error);

    *source = NULL;
    if (made == NULL)
        return false;
    if (standard_input ? !source_file_open(made, true, error)
                       : !open_spec(made, baud, error)) {
        source_close(made);
        return false;
    }
    *source = made;
    return true;
}

static ssize_t vanished(struct source *source, struct error *error)
{
    error_set(error, EXIT_BAD_INPUT, "%s: vanished after %" PRIu64 " bytes", source->name,
              source->bytes);
    return -1;
}

static ssize_t failed(struct source *source, int code, struct error *error)
{
    if (code == EINTR || (code == EAGAIN && !source->serial))
        return SOURCE_NOTHING;
    if (source->serial && (code == EIO || code == ENODEV || code == ENXIO))
        return vanished(source, error);
    error_set(error, EXIT_BAD_INPUT, "%s: %s after %" PRIu64 " bytes", source->name,
              strerror(code), source->bytes);
    return -1;
}

static ssize_t read_ready(struct source *source, uint8_t *bytes, size_t size,
                          bool hung_up, struct error *error)
{
    ssize_t got = read(source->fd, bytes, size);

    if (got > 0) {
        source->bytes += (uint64_t)got;
        return got;
    }
    if (got < 0 && errno == EAGAIN && source->serial)
        return hung_up ? vanished(source, error) : SOURCE_NOTHING;
    if (got < 0)
        return failed(source, errno, error);
    if (source->serial)
        return vanished(source, error);
    if (source->group != 0)
        source_command_ended(source);
    return 0;
}

ssize_t source_read(struct source *source, uint8_t *bytes, size_t size, int timeout_ms,
                    struct error *error)
{
    struct pollfd wait = {.fd = source->fd, .events = POLLIN};
    int ready;

    if (source->udp != NULL)
        return source_udp_read(source, bytes, size, timeout_ms, error);
    ready = poll(&wait, 1, timeout_ms);
    if (ready < 0)
        return failed(source, errno, error);
    if (ready == 0)
        return SOURCE_NOTHING;
    return read_ready(source, bytes, size, (wait.revents & (POLLHUP | POLLERR)) != 0,
                      error);
}

unsigned source_baud(const struct source *source)
{
    return source->baud;
}

const char *source_name(const struct source *source)
{
    return source->name;
}

bool source_live(const struct source *source)
{
    return source->live;
}

const char *source_warning(const struct source *source)
{
    return source->warning[0] != '\0' ? source->warning : NULL;
}

static void hang_up(struct source *source)
{
    if (source->port != NULL)
        source_serial_close(source);
    else if (source->fd > STDERR_FILENO)
        close(source->fd);
    source->fd = -1;
}

bool source_returns(const struct source *source)
{
    return source->serial || after(source->name, "tcp:") != NULL;
}

bool source_reopen(struct source *source, struct error *error)
{
    bool opened;

    hang_up(source);
    source->reopened = true;
    opened = open_spec(source, source->baud, error);
    if (!opened)
        hang_up(source);
    return opened;
}

void source_close(struct source *source)
{
    if (source == NULL)
        return;
    if (source->group != 0)
        source_command_close(source);
    hang_up(source);
    source_udp_close(source);
    free(source->name);
    free(source);
}
