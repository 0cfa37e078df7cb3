/* SPDX-License-Identifier: MIT */
/* udp:PORT: firmware sends the wire to this port in datagrams, as docs/wire.md describes.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "../base/plural.h"
#include "backend.h"
#include "datagrams.h"

/* HOLD_MS: how long a missing datagram is waited for; ROOM_BYTES: the buffer that is
 * requested from the kernel. */
enum { HOLD_MS = 200, ROOM_BYTES = 4 << 20 };

struct udp {
    struct datagrams datagrams;
    struct sockaddr_storage sender; /* who sent the first datagram; datagrams of others
                                     * count as strange */
    double waits_since;             /* when waiting for a missing datagram began; 0:
                                     * none is missing */
    size_t size;                    /* length of the datagram in `bytes` that could not
                                     * be added yet; 0: none */
    uint8_t bytes[DATAGRAM_HEADER_MAX + DATAGRAM_BYTES_MAX + 1];
};

static double now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

/* Returns the port; 0: the text is not a port. */
static unsigned parse_port(const char *text)
{
    size_t digits = strspn(text, "0123456789");
    unsigned long port = strtoul(text, NULL, 10);

    return digits > 0 && digits <= 5 && text[digits] == '\0' && port <= 65535
               ? (unsigned)port
               : 0;
}

/* Binds a socket to an address; -1: errno says why it failed. */
static int bound_to(const struct sockaddr *at, socklen_t size)
{
    int fd = socket(at->sa_family, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    int off = 0, room = ROOM_BYTES;

    if (fd < 0)
        return -1;
    (void)setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &room, sizeof room);
    if ((at->sa_family == AF_INET6 &&
         setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off) != 0) ||
        bind(fd, at, size) != 0) {
        int code = errno;

        close(fd);
        errno = code;
        return -1;
    }
    return fd;
}

/* A socket of IPv6 takes IPv4, too; but some machines have only IPv4. */
static int bound_socket(unsigned port)
{
    struct sockaddr_in6 six = {.sin6_family = AF_INET6,
                               .sin6_port = htons((uint16_t)port)};
    struct sockaddr_in four = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    int fd = bound_to((struct sockaddr *)&six, sizeof six);

    if (fd < 0 && (errno == EAFNOSUPPORT || errno == EADDRNOTAVAIL))
        fd = bound_to((struct sockaddr *)&four, sizeof four);
    return fd;
}

bool source_udp_open(struct source *source, const char *port, struct error *error)
{
    unsigned number = parse_port(port);

    if (number == 0)
        return error_set(error, EXIT_USAGE, "%s: expected udp:PORT", source->name);
    source->fd = bound_socket(number);
    if (source->fd < 0)
        return error_set(error, EXIT_BAD_INPUT, "%s: %s", source->name, strerror(errno));
    source->udp = calloc(1, sizeof *source->udp);
    if (source->udp == NULL)
        return error_set(error, EXIT_BAD_INPUT, "%s: out of memory", source->name);
    return true;
}

/* Whether two addresses, both of this socket's family, belong to the same machine. */
static bool same_machine(const struct sockaddr_storage *one,
                         const struct sockaddr_storage *other)
{
    const struct sockaddr_in *four = (const void *)one, *other_four = (const void *)other;
    const struct sockaddr_in6 *six = (const void *)one, *other_six = (const void *)other;

    if (one->ss_family == AF_INET)
        return four->sin_addr.s_addr == other_four->sin_addr.s_addr;
    return memcmp(&six->sin6_addr, &other_six->sin6_addr, sizeof six->sin6_addr) == 0;
}

/* Receives a datagram. false: there is none, or errno has the error. */
static bool receive(struct udp *udp, int fd)
{
    struct sockaddr_storage from = {0};
    socklen_t from_size = sizeof from;
    ssize_t got = recvfrom(fd, udp->bytes, sizeof udp->bytes, 0, (struct sockaddr *)&from,
                           &from_size);

    if (got < 0)
        return false;
    if (udp->datagrams.begun && !same_machine(&from, &udp->sender)) {
        udp->datagrams.strange++;
        return true;
    }
    if (!udp->datagrams.begun)
        udp->sender = from;
    if (!datagrams_add(&udp->datagrams, udp->bytes, (size_t)got))
        udp->size = (size_t)got;
    return true;
}

/* Takes the bytes that are in order, and in a hurry also those behind missing datagrams.
 */
static size_t take(struct udp *udp, uint8_t *bytes, size_t size)
{
    bool late = udp->waits_since > 0 && now_ms() - udp->waits_since >= HOLD_MS;
    size_t taken = datagrams_take(&udp->datagrams, bytes, size, late || udp->size > 0);

    if (udp->size > 0 && datagrams_add(&udp->datagrams, udp->bytes, udp->size))
        udp->size = 0;
    if (!datagrams_wait(&udp->datagrams) || taken > 0)
        udp->waits_since = 0;
    if (datagrams_wait(&udp->datagrams) && udp->waits_since <= 0)
        udp->waits_since = now_ms();
    return taken;
}

/* How long to wait for the next datagram. */
static int wait_ms(const struct udp *udp, int timeout_ms)
{
    double left = udp->waits_since + HOLD_MS - now_ms();

    if (udp->waits_since <= 0 || (timeout_ms >= 0 && timeout_ms <= left))
        return timeout_ms;
    return left > 0 ? (int)left + 1 : 0;
}

static void note_losses(struct source *source)
{
    const struct datagrams *d = &source->udp->datagrams;
    char resets[48] = "";

    if (d->resets > 0)
        snprintf(resets, sizeof resets, "; %" PRIu64 " reset%s", d->resets,
                 plural(d->resets));
    if (d->lost + d->doubled + d->disordered + d->strange > 0)
        snprintf(source->warning, sizeof source->warning,
                 "datagrams: %" PRIu64 " came, %" PRIu64 " lost, %" PRIu64
                 " doubled, %" PRIu64 " out of order, %" PRIu64 " strange%s",
                 d->came, d->lost, d->doubled, d->disordered, d->strange, resets);
}

ssize_t source_udp_read(struct source *source, uint8_t *bytes, size_t size,
                        int timeout_ms, struct error *error)
{
    struct udp *udp = source->udp;
    struct pollfd wait = {.fd = source->fd, .events = POLLIN};
    size_t taken = take(udp, bytes, size);

    if (taken == 0 && poll(&wait, 1, wait_ms(udp, timeout_ms)) > 0) {
        if (!receive(udp, source->fd) && errno != EAGAIN && errno != EINTR) {
            error_set(error, EXIT_BAD_INPUT, "%s: %s", source->name, strerror(errno));
            return -1;
        }
        taken = take(udp, bytes, size);
    }
    note_losses(source);
    source->bytes += taken;
    return taken > 0 ? (ssize_t)taken : SOURCE_NOTHING;
}

void source_udp_close(struct source *source)
{
    free(source->udp);
    source->udp = NULL;
}
