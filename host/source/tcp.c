/* SPDX-License-Identifier: MIT */
/* tcp:HOST:PORT, tcp:[IPV6]:PORT: a server that sends the wire. */
#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "backend.h"

enum { CONNECT_MS = 5000, HOST_MAX = 256 };

/* Splits HOST:PORT; *port points into address. */
static bool split(const char *address, char host[HOST_MAX], const char **port)
{
    const char *colon = strrchr(address, ':');
    size_t size = colon != NULL ? (size_t)(colon - address) : 0;

    if (size >= 2 && address[0] == '[' && address[size - 1] == ']') {
        address++;
        size -= 2;
    } else if (memchr(address, ':', size) != NULL) {
        return false;
    }
    if (size == 0 || size >= HOST_MAX || colon[1] == '\0')
        return false;
    memcpy(host, address, size);
    host[size] = '\0';
    *port = colon + 1;
    return strspn(*port, "0123456789") == strlen(*port) && strlen(*port) <= 5;
}

/* Waits until the connection is made. Returns 0 or the errno; EINTR: a signal came and
 * `interruptible` is true. */
static int finish_connect(int fd, bool interruptible)
{
    struct pollfd wait = {.fd = fd, .events = POLLOUT};
    int code = 0, ready;
    socklen_t size = sizeof code;

    do
        ready = poll(&wait, 1, CONNECT_MS);
    while (ready < 0 && errno == EINTR && !interruptible);
    if (ready == 0)
        return ETIMEDOUT;
    if (ready < 0 || getsockopt(fd, SOL_SOCKET, SO_ERROR, &code, &size) != 0)
        return errno;
    return code;
}

/* Returns the connected socket, or -1 with the errno in *code. */
static int try_address(const struct addrinfo *to, bool interruptible, int *code)
{
    int fd = socket(to->ai_family, to->ai_socktype | SOCK_NONBLOCK | SOCK_CLOEXEC,
                    to->ai_protocol);

    if (fd < 0) {
        *code = errno;
        return -1;
    }
    *code = connect(fd, to->ai_addr, to->ai_addrlen) == 0 ? 0 : errno;
    if (*code == EINPROGRESS)
        *code = finish_connect(fd, interruptible);
    if (*code == 0)
        return fd;
    close(fd);
    return -1;
}

bool source_tcp_open(struct source *source, const char *address, struct error *error)
{
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV};
    struct addrinfo *list = NULL;
    char host[HOST_MAX];
    const char *port;
    int code = 0, status;

    if (!split(address, host, &port))
        return error_set(error, EXIT_USAGE,
                         "%s: expected tcp:HOST:PORT (an IPv6 address in brackets)",
                         source->name);
    status = getaddrinfo(host, port, &hints, &list);
    if (status != 0)
        return error_set(error, EXIT_BAD_INPUT, "%s: %s", source->name,
                         status == EAI_SYSTEM ? strerror(errno) : gai_strerror(status));
    for (struct addrinfo *to = list; to != NULL && source->fd < 0 && code != EINTR;
         to = to->ai_next)
        source->fd = try_address(to, source->reopened, &code);
    freeaddrinfo(list);
    if (source->fd >= 0)
        return true;
    return error_set(error, EXIT_BAD_INPUT, "%s: %s", source->name, strerror(code));
}
