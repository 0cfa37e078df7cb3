/* SPDX-License-Identifier: MIT */
/* A source that is a regular file, a named pipe or standard input. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backend.h"

bool source_file_open(struct source *source, bool standard_input, struct error *error)
{
    int fd = standard_input ? STDIN_FILENO : open(source->name, O_RDONLY | O_CLOEXEC);
    struct stat status;

    if (fd < 0 || fstat(fd, &status) != 0)
        return error_set(error, EXIT_BAD_INPUT, "%s: %s", source->name, strerror(errno));
    source->fd = fd;
    if (S_ISDIR(status.st_mode))
        return error_set(error, EXIT_BAD_INPUT,
                         "%s: is a directory, expected a capture or a serial device",
                         source->name);
    source->live = !S_ISREG(status.st_mode);
    return true;
}
