/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "source/source.h"

enum { TIMEOUT_MS = 2000 };

static struct error error;

/* Reads all until the end; returns the last result of source_read(). */
static ssize_t read_all(struct source *source, char *text, size_t size)
{
    size_t used = 0;
    ssize_t got;

    while ((got = source_read(source, (uint8_t *)text + used, size - 1 - used, TIMEOUT_MS,
                              &error)) > 0)
        used += (size_t)got;
    text[used] = '\0';
    return got;
}

static void assert_error(const char *spec, enum exit_status status, const char *part)
{
    struct source *source;

    error.text[0] = '\0';
    assert_false(source_open(&source, spec, 0, &error));
    assert_null(source);
    assert_int_equal(error.status, status);
    assert_non_null(strstr(error.text, spec));
    assert_non_null(strstr(error.text, part));
}

static void refuses_what_cannot_be_read(void **state)
{
    (void)state;
    assert_error("/nonexistent/x", EXIT_BAD_INPUT, "No such file");
    assert_error("/tmp", EXIT_BAD_INPUT, "is a directory");
    assert_error("udp:", EXIT_USAGE, "expected udp:PORT");
    assert_error("udp:0", EXIT_USAGE, "expected udp:PORT");
    assert_error("udp:65536", EXIT_USAGE, "expected udp:PORT");
    assert_error("udp:", EXIT_USAGE, "expected udp:PORT or udp:ADDRESS:PORT");
    assert_error("udp::5000", EXIT_USAGE, "expected udp:PORT");
    assert_error("udp:localhost:", EXIT_USAGE, "expected udp:PORT");
    assert_error("udp:::1:5000", EXIT_USAGE, "expected udp:PORT");
    assert_error("udp:[]:5000", EXIT_USAGE, "expected udp:PORT");
    assert_error("udp:192.0.2.1:5000", EXIT_BAD_INPUT, "udp:192.0.2.1:5000: ");
    assert_error("tcp:localhost", EXIT_USAGE, "expected tcp:HOST:PORT");
    assert_error("tcp::1", EXIT_USAGE, "expected tcp:HOST:PORT");
    assert_error("tcp:::1:99", EXIT_USAGE, "expected tcp:HOST:PORT");
    assert_error("tcp:[::1]:", EXIT_USAGE, "expected tcp:HOST:PORT");
    assert_error("tcp:localhost:http", EXIT_USAGE, "expected tcp:HOST:PORT");
    assert_error("tcp:127.0.0.1:1", EXIT_BAD_INPUT, "refused");
}

static void reads_a_file_to_its_end(void **state)
{
    char path[] = "/tmp/mcuprof-source-XXXXXX", text[64];
    struct source *source;
    int fd = mkstemp(path);

    (void)state;
    assert_int_equal(write(fd, "capture", 7), 7);
    close(fd);
    assert_true(source_open(&source, path, 0, &error));
    assert_false(source_live(source));
    assert_int_equal(source_baud(source), 0);
    assert_int_equal(read_all(source, text, sizeof text), 0);
    assert_string_equal(text, "capture");
    assert_null(source_warning(source));
    source_close(source);
    unlink(path);
}

static int listen_on(int family, struct sockaddr *address, socklen_t size)
{
    int fd = socket(family, SOCK_STREAM, 0);

    if (bind(fd, address, size) != 0 || listen(fd, 1) != 0 ||
        getsockname(fd, address, &size) != 0) {
        close(fd);
        return -1;
    }
    return fd;
}

static void read_from_server(int server, const char *spec)
{
    struct source *source;
    char text[64];
    int peer;

    assert_true(source_open(&source, spec, 0, &error));
    peer = accept(server, NULL, NULL);
    assert_int_equal(source_read(source, (uint8_t *)text, 9, 20, &error), SOURCE_NOTHING);
    assert_int_equal(write(peer, "over tcp", 8), 8);
    close(peer);
    assert_int_equal(read_all(source, text, sizeof text), 0);
    assert_string_equal(text, "over tcp");
    source_close(source);
    close(server);
}

static void reads_tcp(void **state)
{
    struct sockaddr_in four = {.sin_family = AF_INET};
    struct sockaddr_in6 six = {.sin6_family = AF_INET6,
                               .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    char spec[64];
    int server;

    (void)state;
    four.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    server = listen_on(AF_INET, (struct sockaddr *)&four, sizeof four);
    assert_true(server >= 0);
    snprintf(spec, sizeof spec, "tcp:127.0.0.1:%u", ntohs(four.sin_port));
    read_from_server(server, spec);
    server = listen_on(AF_INET6, (struct sockaddr *)&six, sizeof six);
    if (server < 0) /* a machine without IPv6 */
        return;
    snprintf(spec, sizeof spec, "tcp:[::1]:%u", ntohs(six.sin6_port));
    read_from_server(server, spec);
}

/* ---- A machine without IPv6 ---- */

static bool without_ipv6;

/* Replaces the C library's function. It can refuse what a kernel without IPv6 refuses. */
int socket(int domain, int type, int protocol)
{
    if (without_ipv6 && domain == AF_INET6) {
        errno = EAFNOSUPPORT;
        return -1;
    }
    return (int)syscall(SYS_socket, domain, type, protocol);
}

/* Opens udp:PORT, or with an address, at a port that is free. */
static struct source *open_udp(struct sockaddr_in *to, const char *address)
{
    struct source *source = NULL;

    for (uint16_t port = 40000; source == NULL && port < 41000; port++) {
        char spec[64];

        snprintf(spec, sizeof spec, "udp:%s%u", address, port);
        to->sin_port = htons(port);
        (void)source_open(&source, spec, 0, &error);
    }
    return source;
}

/* Whether it was sent, and nobody's absence was reported at once. */
static bool sent_from(const char *address, const struct sockaddr_in *to,
                      const void *datagram, size_t size)
{
    struct sockaddr_in from = {.sin_family = AF_INET};
    int fd = socket(AF_INET, SOCK_DGRAM, 0), late = 0;
    socklen_t wide = sizeof late;

    assert_int_equal(inet_pton(AF_INET, address, &from.sin_addr), 1);
    assert_int_equal(bind(fd, (struct sockaddr *)&from, sizeof from), 0);
    assert_int_equal(connect(fd, (const void *)to, sizeof *to), 0);
    assert_int_equal(send(fd, datagram, size, 0), size);
    assert_int_equal(getsockopt(fd, SOL_SOCKET, SO_ERROR, &late, &wide), 0);
    close(fd);
    return late == 0;
}

/* A datagram of run 1. `hello`: its bytes begin with that; `wrong` is added to the
 * hello's check. */
struct made {
    uint8_t bytes[64];
    size_t size;
};

static struct made made(uint8_t number, bool hello, uint8_t wrong, const char *text)
{
    struct made made = {.bytes = {'m', 'c', 'u', 'r', 0, 0, 0, 1, 0, 0, 0, number},
                        .size = 12};
    uint32_t check = 0x8a;

    if (hello) {
        made.bytes[made.size] = (uint8_t)check;
        for (int i = 1; i <= 20; i++) {
            made.bytes[made.size + (size_t)i] = (uint8_t)(i % 5);
            check = 3 * check + made.bytes[made.size + (size_t)i];
        }
        made.bytes[made.size + 21] = (uint8_t)((check % 127 + wrong) % 127);
        made.size += 22;
    }
    memcpy(made.bytes + made.size, text, strlen(text));
    made.size += strlen(text);
    return made;
}

static void send_made(const char *from, const struct sockaddr_in *to, struct made made)
{
    assert_true(sent_from(from, to, made.bytes, made.size));
}

/* Reads all that is there, and compares it without its hellos; a read takes one datagram,
 * which may give nothing. */
static void assert_read(struct source *source, const char *expected)
{
    uint8_t bytes[512], text[512] = {0};
    size_t size = 0, told = 0;

    for (int quiet = 0; quiet < 4; quiet++) {
        ssize_t got = source_read(source, bytes + size, sizeof bytes - size, 10, &error);

        assert_true(got > 0 || got == SOURCE_NOTHING);
        size += got > 0 ? (size_t)got : 0;
        quiet = got > 0 ? 0 : quiet;
    }
    for (size_t i = 0; i < size; i += bytes[i] == 0x8a ? 22 : 1)
        if (bytes[i] != 0x8a)
            text[told++] = bytes[i];
    assert_string_equal((const char *)text, expected);
}

static void reads_udp(void **state)
{
    struct sockaddr_in to = {.sin_family = AF_INET};

    (void)state;
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    for (int without = 0; without < 2; without++) {
        struct source *source;

        without_ipv6 = without;
        source = open_udp(&to, "");
        assert_non_null(source);
        send_made("127.0.0.1", &to, made(0, true, 0, "over"));
        send_made("127.0.0.1", &to, made(1, false, 0, " udp"));
        send_made("127.0.0.2", &to, made(2, true, 0, "none"));
        assert_read(source, "over udp");
        assert_string_equal(
            source_warning(source),
            "datagrams: 2 came, 0 lost, 0 doubled, 0 out of order, 0 strange; "
            "1 of 127.0.0.2 refused, as those of 127.0.0.1 are recorded");
        source_close(source);
    }
    without_ipv6 = false;
}

/* Whoever says hello first is recorded; who sent something else before is not. */
static void a_hello_takes_the_sender(void **state)
{
    struct sockaddr_in to = {.sin_family = AF_INET};
    struct source *source;

    (void)state;
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    source = open_udp(&to, "");
    send_made("127.0.0.2", &to, made(0, false, 0, "foreign"));
    send_made("127.0.0.2", &to, made(1, true, 1, "foreign"));
    assert_read(source, "");
    assert_string_equal(source_warning(source),
                        "datagrams: 2 came, 0 lost, 0 doubled, 0 out of order, "
                        "0 strange; none has a hello of mcuprof");
    send_made("127.0.0.1", &to, made(0, true, 0, "our"));
    send_made("127.0.0.2", &to, made(2, true, 0, "foreign"));
    send_made("127.0.0.1", &to, made(1, false, 0, "own"));
    assert_read(source, "ourown");
    assert_string_equal(source_warning(source),
                        "datagrams: 2 came, 0 lost, 0 doubled, 0 out of order, "
                        "0 strange; 3 of 127.0.0.2 refused, as those of 127.0.0.1 are "
                        "recorded");
    source_close(source);
}

/* So does the begin of a block of version 3, in any form. */
static void a_block_takes_the_sender(void **state)
{
    static const char *const begins[] = {"\xcf\xb3\x01\x8f\xf3", "\xb3\x01\x8f\xf3\x01",
                                         "\xf3\x8f\x01\xb3\x01", "\xb3\x01\x8f\xf2\x01"};
    struct sockaddr_in to = {.sin_family = AF_INET};

    (void)state;
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    for (size_t i = 0; i < 4; i++) {
        struct source *source = open_udp(&to, "");

        send_made("127.0.0.1", &to, made(0, false, 0, begins[i]));
        assert_read(source, i < 3 ? begins[i] : "");
        source_close(source);
    }
}

/* The datagram with the hello may come second; and of many without, the last are kept. */
static void a_hello_may_come_late(void **state)
{
    struct sockaddr_in to = {.sin_family = AF_INET};
    struct source *source;

    (void)state;
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    source = open_udp(&to, "");
    send_made("127.0.0.1", &to, made(1, false, 0, "second"));
    send_made("127.0.0.1", &to, made(2, true, 0, ""));
    send_made("127.0.0.1", &to, made(3, false, 0, "fourth"));
    assert_read(source, "secondfourth");
    assert_string_equal(source_warning(source) != NULL ? source_warning(source) : "", "");
    source_close(source);
    source = open_udp(&to, "");
    for (uint8_t i = 0; i < 200; i++) {
        send_made("127.0.0.1", &to, made(i, i == 199, 0, i == 199 ? "last" : "."));
        if (i < 199)
            assert_read(source, "");
    }
    assert_read(source, ".......last");
    source_close(source);
}

static void listens_at_one_address(void **state)
{
    struct sockaddr_in to = {.sin_family = AF_INET};
    struct source *source;
    struct made hello = made(0, true, 0, "there");

    (void)state;
    source = open_udp(&to, "127.0.0.2:");
    assert_non_null(source);
    assert_int_equal(inet_pton(AF_INET, "127.0.0.1", &to.sin_addr), 1);
    assert_false(sent_from("127.0.0.1", &to, hello.bytes, hello.size));
    assert_int_equal(inet_pton(AF_INET, "127.0.0.2", &to.sin_addr), 1);
    send_made("127.0.0.1", &to, hello);
    assert_read(source, "there");
    source_close(source);
}

/* ---- A server that does not answer ---- */

static void note_nothing(int number)
{
    (void)number;
}

/* Lets a signal come each `us` microseconds; 0: no more. */
static void signal_each(suseconds_t us)
{
    struct sigaction action = {.sa_handler = note_nothing};
    struct itimerval often = {{0, us}, {0, us}};

    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &often, NULL);
}

static void a_signal_ends_the_next_attempt(void **state)
{
    struct sockaddr_in at = {.sin_family = AF_INET};
    struct source *source;
    int server, one;
    char spec[64];

    (void)state;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    server = listen_on(AF_INET, (struct sockaddr *)&at, sizeof at);
    assert_int_equal(listen(server, 0), 0);
    snprintf(spec, sizeof spec, "tcp:127.0.0.1:%u", ntohs(at.sin_port));
    assert_true(source_open(&source, spec, 0, &error));
    for (int i = 0; i < 4; i++) { /* they fill the server's queue */
        one = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
        (void)connect(one, (struct sockaddr *)&at, sizeof at);
    }
    signal_each(20000);
    assert_false(source_reopen(source, &error));
    signal_each(0);
    assert_non_null(strstr(error.text, strerror(EINTR)));
    source_close(source);
    close(server);
}

static int open_pty(void)
{
    int pty = posix_openpt(O_RDWR | O_NOCTTY);

    assert_true(pty >= 0);
    assert_int_equal(grantpt(pty), 0);
    assert_int_equal(unlockpt(pty), 0);
    return pty;
}

static void reads_a_pty_raw(void **state)
{
    static const char wire[] = "\x03\x04\r\n\x11\x13\xff\x80\x1a";
    int pty = open_pty();
    struct source *source, *second;
    struct termios line;
    char text[64];

    (void)state;
    assert_true(source_open(&source, ptsname(pty), 31250, &error));
    assert_int_equal(source_baud(source), 31250);
    assert_true(source_live(source));
    assert_int_equal(tcgetattr(pty, &line), 0);
    assert_int_equal(line.c_cflag & (HUPCL | CSIZE | PARENB | CSTOPB), CS8);
    assert_int_equal(line.c_lflag & (ICANON | ECHO | ISIG), 0);
    assert_int_equal(source_read(source, (uint8_t *)text, 9, 20, &error), SOURCE_NOTHING);
    assert_int_equal(write(pty, wire, sizeof wire), sizeof wire);
    assert_int_equal(
        source_read(source, (uint8_t *)text, sizeof text, TIMEOUT_MS, &error),
        sizeof wire);
    assert_memory_equal(text, wire, sizeof wire);
    assert_false(source_open(&second, ptsname(pty), 0, &error));
    assert_non_null(strstr(error.text, "in use"));
    source_close(source);
    close(pty);
}

static void says_that_a_device_vanished(void **state)
{
    int pty = open_pty();
    struct source *source;
    char text[64], expected[128];

    (void)state;
    assert_true(source_open(&source, ptsname(pty), 0, &error));
    assert_int_equal(source_baud(source), 115200);
    snprintf(expected, sizeof expected, "%s: vanished after 5 bytes", ptsname(pty));
    assert_int_equal(write(pty, "hello", 5), 5);
    assert_int_equal(
        source_read(source, (uint8_t *)text, sizeof text, TIMEOUT_MS, &error), 5);
    close(pty);
    assert_int_equal(read_all(source, text, sizeof text), -1);
    assert_string_equal(error.text, expected);
    assert_int_equal(error.status, EXIT_BAD_INPUT);
    source_close(source);
}

static void runs_a_command(void **state)
{
    char *good[] = {"sh", "-c", "printf wire; cat", NULL};
    char *bad[] = {"sh", "-c", "printf w; exit 7", NULL};
    struct source *source;
    char text[64];

    (void)state;
    assert_true(source_command(&source, good, &error));
    assert_int_equal(read_all(source, text, sizeof text), 0);
    assert_string_equal(text, "wire");
    assert_null(source_warning(source));
    source_close(source);
    assert_true(source_command(&source, bad, &error));
    assert_int_equal(read_all(source, text, sizeof text), 0);
    assert_string_equal(source_warning(source), "the command ended with exit status 7");
    source_close(source);
}

static void says_why_a_command_does_not_run(void **state)
{
    char *missing[] = {"/nonexistent/emulator", NULL};
    char *directory[] = {"/tmp", NULL};
    struct source *source;

    (void)state;
    assert_false(source_command(&source, missing, &error));
    assert_int_equal(error.status, EXIT_BAD_INPUT);
    assert_string_equal(error.text,
                        "/nonexistent/emulator: cannot run: No such file or directory");
    assert_false(source_command(&source, directory, &error));
    assert_string_equal(error.text, "/tmp: cannot run: Permission denied");
}

/* Even a command that ignores SIGTERM, and its children, are gone after the close. */
static void ends_a_command_and_its_children(void **state)
{
    char *argv[] = {"sh", "-c", "sleep 100 & trap '' TERM; echo $$ $!; wait; sleep 99",
                    NULL};
    struct source *source;
    char text[64];
    long leader, child;
    char *rest;

    (void)state;
    assert_true(source_command(&source, argv, &error));
    memset(text, 0, sizeof text);
    assert_true(source_read(source, (uint8_t *)text, 63, TIMEOUT_MS, &error) > 0);
    leader = strtol(text, &rest, 10);
    child = strtol(rest, NULL, 10);
    assert_true(leader > 1 && child > 1);
    assert_int_equal(kill((pid_t)leader, 0), 0);
    source_close(source);
    assert_int_equal(kill((pid_t)leader, 0), -1);
    /* The orphan is reaped by init, in its own time. */
    for (int i = 0; i < 100 && kill((pid_t)child, 0) == 0; i++) {
        char path[64];
        char line[128] = "";
        FILE *file;

        snprintf(path, sizeof path, "/proc/%ld/stat", child);
        file = fopen(path, "r");
        if (file == NULL)
            return;
        if (fgets(line, sizeof line, file) != NULL && strstr(line, ") Z ") != NULL) {
            fclose(file);
            return;
        }
        fclose(file);
        nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    }
    assert_int_equal(kill((pid_t)child, 0), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refuses_what_cannot_be_read),
        cmocka_unit_test(reads_a_file_to_its_end),
        cmocka_unit_test(reads_tcp),
        cmocka_unit_test(reads_udp),
        cmocka_unit_test(a_hello_takes_the_sender),
        cmocka_unit_test(a_block_takes_the_sender),
        cmocka_unit_test(a_hello_may_come_late),
        cmocka_unit_test(listens_at_one_address),
        cmocka_unit_test(a_signal_ends_the_next_attempt),
        cmocka_unit_test(reads_a_pty_raw),
        cmocka_unit_test(says_that_a_device_vanished),
        cmocka_unit_test(runs_a_command),
        cmocka_unit_test(says_why_a_command_does_not_run),
        cmocka_unit_test(ends_a_command_and_its_children),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
