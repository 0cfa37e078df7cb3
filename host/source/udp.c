/* SPDX-License-Identifier: MIT */
/* udp:PORT, udp:ADDRESS:PORT: firmware sends the wire to this port in datagrams, as
 * docs/wire.md describes.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <netdb.h>
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
#include "mcuprof_wire.h"
#include "mcuprof_wire3.h"

/* HOLD_MS: how long a missing datagram is waited for; ROOM_BYTES: the buffer that is
 * requested from the kernel. */
enum { HOLD_MS = 200, ROOM_BYTES = 4 << 20, HOST_MAX = 256 };

struct udp {
    struct datagrams datagrams;
    struct sockaddr_storage sender; /* whose datagrams these are; those of others are
                                     * refused */
    bool taken; /* the sender has said hello; before, nothing is given, and another one
                 * that says hello takes its place */
    uint64_t refused;
    struct sockaddr_storage stranger; /* who sent the first that was refused */
    double waits_since;               /* when waiting for a missing datagram began; 0:
                                       * none is missing */
    size_t size;                      /* length of the datagram in `bytes` that could not
                                       * be added yet; 0: none */
    uint8_t bytes[DATAGRAM_HEADER_MAX + DATAGRAM_BYTES_MAX + 1];
};

static double now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static bool is_port(const char *text)
{
    size_t digits = strspn(text, "0123456789");
    unsigned long port = strtoul(text, NULL, 10);

    return digits > 0 && digits <= 5 && text[digits] == '\0' && port > 0 && port <= 65535;
}

/* Splits ADDRESS:PORT, or PORT, which leaves the host empty. false: it is neither. */
static bool split(const char *text, char host[HOST_MAX], const char **port)
{
    const char *colon = strrchr(text, ':');
    size_t size = colon != NULL ? (size_t)(colon - text) : 0;

    *port = colon != NULL ? colon + 1 : text;
    if (size >= 2 && text[0] == '[' && text[size - 1] == ']') {
        text++;
        size -= 2;
    } else if (memchr(text, ':', size) != NULL) {
        return false;
    }
    if (size >= HOST_MAX || (colon != NULL && size == 0))
        return false;
    memcpy(host, text, size);
    host[size] = '\0';
    return is_port(*port);
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

/* A socket of one address of this machine. */
static int bound_at(struct source *source, const char *host, const char *port,
                    struct error *error)
{
    struct addrinfo hints = {.ai_socktype = SOCK_DGRAM,
                             .ai_flags = AI_NUMERICSERV | AI_PASSIVE};
    struct addrinfo *list = NULL;
    int status = getaddrinfo(host, port, &hints, &list), fd = -1;

    if (status != 0) {
        error_set(error, EXIT_BAD_INPUT, "%s: %s", source->name,
                  status == EAI_SYSTEM ? strerror(errno) : gai_strerror(status));
        return -1;
    }
    for (struct addrinfo *at = list; at != NULL && fd < 0; at = at->ai_next)
        fd = bound_to(at->ai_addr, at->ai_addrlen);
    if (fd < 0)
        error_set(error, EXIT_BAD_INPUT, "%s: %s", source->name, strerror(errno));
    freeaddrinfo(list);
    return fd;
}

bool source_udp_open(struct source *source, const char *address, struct error *error)
{
    char host[HOST_MAX];
    const char *port;

    if (!split(address, host, &port))
        return error_set(error, EXIT_USAGE,
                         "%s: expected udp:PORT or udp:ADDRESS:PORT (an IPv6 address in "
                         "brackets)",
                         source->name);
    if (host[0] != '\0') {
        source->fd = bound_at(source, host, port, error);
    } else {
        source->fd = bound_socket((unsigned)strtoul(port, NULL, 10));
        if (source->fd < 0)
            error_set(error, EXIT_BAD_INPUT, "%s: %s", source->name, strerror(errno));
    }
    if (source->fd < 0)
        return false;
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

/* Whether a hello that firmware can have sent begins here. */
static bool is_hello(const uint8_t *bytes, size_t size)
{
    enum { GROUPS = MCUPROF_WIRE_HELLO_WORDS * MCUPROF_WIRE_WORD_GROUPS };
    uint32_t check = bytes[0];
    unsigned version = bytes[0] & 3u;

    if ((bytes[0] & 0xF4) != MCUPROF_WIRE_START(MCUPROF_WIRE_HELLO, 0) || version == 0 ||
        version > MCUPROF_WIRE_VERSION || size < GROUPS + 2)
        return false;
    for (size_t i = 1; i <= GROUPS; i++) {
        bool last = i % MCUPROF_WIRE_WORD_GROUPS == 0; /* of a word of 32 bits */

        if (bytes[i] > (last ? 15 : 127))
            return false;
        check = 3 * check + bytes[i];
    }
    return bytes[GROUPS + 1] == check % 127;
}

/* Whether a block of version 3 begins here, which has a hello. */
static bool is_block(const uint8_t *bytes, size_t size)
{
    uint32_t little = 0, big = 0;

    bytes += size > 4 && (bytes[0] & 0xC3) == 0xC3 && bytes[1] == 0xB3; /* a tag */
    for (size_t i = 0; size > 4 && i < 4; i++) {
        little |= (uint32_t)bytes[i] << 8 * i;
        big = big << 8 | bytes[i];
    }
    return MCUPROF_WIRE3_IS_MAGIC(little) || MCUPROF_WIRE3_IS_MAGIC(big);
}

static bool says_hello(const uint8_t *bytes, size_t size)
{
    size_t header = datagram_header_bytes(bytes, size);

    for (size_t i = header; header > 0 && i < size; i++)
        if (is_hello(bytes + i, size - i) || is_block(bytes + i, size - i))
            return true;
    return false;
}

static void refuse(struct udp *udp, const struct sockaddr_storage *from, uint64_t count)
{
    if (udp->refused == 0 && count > 0)
        udp->stranger = *from;
    udp->refused += count;
}

/* Drops the datagrams that came of a sender that has not said hello. */
static void drop(struct udp *udp, uint64_t came)
{
    udp->datagrams = (struct datagrams){.came = came, .strange = udp->datagrams.strange};
}

/* Whether the datagram in `bytes` is the sender's. The first sender is it until another
 * says hello first. */
static bool is_senders(struct udp *udp, const struct sockaddr_storage *from, size_t size)
{
    bool ours = same_machine(from, &udp->sender);
    bool hello = !udp->taken && says_hello(udp->bytes, size);

    if (!ours && hello) {
        refuse(udp, &udp->sender, udp->datagrams.came);
        drop(udp, 0);
        udp->sender = *from;
        ours = true;
    }
    udp->taken |= hello;
    return ours;
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
    if (!udp->datagrams.begun && !udp->taken)
        udp->sender = from;
    if (!is_senders(udp, &from, (size_t)got))
        refuse(udp, &from, 1);
    else if (!datagrams_add(&udp->datagrams, udp->bytes, (size_t)got))
        udp->size = (size_t)got;
    return true;
}

/* Takes the bytes that are in order, and in a hurry also those behind missing datagrams.
 */
static size_t take(struct udp *udp, uint8_t *bytes, size_t size)
{
    bool late = udp->waits_since > 0 && now_ms() - udp->waits_since >= HOLD_MS;
    size_t taken;

    if (!udp->taken && udp->size > 0) { /* more came than are held, and no hello */
        drop(udp, udp->datagrams.came);
        datagrams_add(&udp->datagrams, udp->bytes, udp->size);
        udp->size = 0;
    }
    if (!udp->taken)
        return 0;
    taken = datagrams_take(&udp->datagrams, bytes, size, late || udp->size > 0);
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

/* The address of a machine; IPv4 in its own form. */
static const char *name_of(const struct sockaddr_storage *machine,
                           char name[INET6_ADDRSTRLEN])
{
    static const char mapped[] = "::ffff:";
    const struct sockaddr_in *four = (const void *)machine;
    const struct sockaddr_in6 *six = (const void *)machine;
    const void *address = machine->ss_family == AF_INET ? (const void *)&four->sin_addr
                                                        : (const void *)&six->sin6_addr;

    if (inet_ntop(machine->ss_family, address, name, INET6_ADDRSTRLEN) == NULL)
        return "somebody";
    return strncmp(name, mapped, sizeof mapped - 1) == 0 && strchr(name, '.') != NULL
               ? name + sizeof mapped - 1
               : name;
}

/* Names who was refused, and for whom. */
static void note_refused(const struct udp *udp, char *text, size_t size)
{
    char stranger[INET6_ADDRSTRLEN], sender[INET6_ADDRSTRLEN];

    if (!udp->taken && udp->datagrams.came > 0)
        snprintf(text, size, "; none has a hello of mcuprof");
    else if (udp->refused > 0 && udp->taken)
        snprintf(text, size, "; %" PRIu64 " of %s refused, as those of %s are recorded",
                 udp->refused, name_of(&udp->stranger, stranger),
                 name_of(&udp->sender, sender));
}

static void note_losses(struct source *source)
{
    const struct udp *udp = source->udp;
    const struct datagrams *d = &udp->datagrams;
    char resets[48] = "", refused[160] = "";

    if (d->resets > 0)
        snprintf(resets, sizeof resets, "; %" PRIu64 " reset%s", d->resets,
                 plural(d->resets));
    note_refused(udp, refused, sizeof refused);
    source->warning[0] = '\0';
    if (d->lost + d->doubled + d->disordered + d->strange > 0 || refused[0] != '\0')
        snprintf(source->warning, sizeof source->warning,
                 "datagrams: %" PRIu64 " came, %" PRIu64 " lost, %" PRIu64
                 " doubled, %" PRIu64 " out of order, %" PRIu64 " strange%s%s",
                 d->came, d->lost, d->doubled, d->disordered, d->strange, resets,
                 refused);
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
