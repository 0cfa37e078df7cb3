/* SPDX-License-Identifier: MIT */
#include "server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <loaded.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../base/library.h"
#include "../base/memstream.h"
#include "difference.h"
#include "page.h"

#define TAKEN(NAME)                                                                      \
    NAME(MHD_add_response_header)                                                        \
    NAME(MHD_create_response_from_buffer)                                                \
    NAME(MHD_create_response_from_callback)                                              \
    NAME(MHD_destroy_response)                                                           \
    NAME(MHD_get_daemon_info)                                                            \
    NAME(MHD_lookup_connection_value)                                                    \
    NAME(MHD_queue_response)                                                             \
    NAME(MHD_start_daemon)                                                               \
    NAME(MHD_stop_daemon)
LIBRARY(http, TAKEN);

enum {
    CONNECTIONS = 32,
    QUIET_S = 5,    /* then a comment is sent, which fails if the page is gone */
    SILENT_S = 15,  /* then a connection on which nothing moves ends */
    HTTP_PORT = 80, /* the one that browsers leave out */
    EVENT_BYTES = 64,
};

struct server {
    struct MHD_Daemon *daemon;
    unsigned port;
    pthread_mutex_t lock; /* guards the members below */
    pthread_cond_t changed;
    char *data; /* with its version behind it */
    size_t size;
    char *news; /* what makes the data out of those before; NULL: there are none */
    size_t news_size;
    unsigned long version; /* of the data; 0: there are no data yet */
    bool last, stopping;
};

/* A page that listens to events. */
struct listener {
    struct server *server;
    unsigned long seen;
    bool ended;
};

/* ---- Answers ---- */

static enum MHD_Result answer(struct MHD_Connection *connection, unsigned status,
                              const char *type, struct MHD_Response *response)
{
    enum MHD_Result result = MHD_NO;

    if (response == NULL)
        return MHD_NO;
    if (http.MHD_add_response_header(response, "Content-Type", type) == MHD_YES &&
        http.MHD_add_response_header(response, "Cache-Control", "no-store") == MHD_YES &&
        http.MHD_add_response_header(response, "X-Content-Type-Options", "nosniff") ==
            MHD_YES)
        result = http.MHD_queue_response(connection, status, response);
    http.MHD_destroy_response(response);
    return result;
}

static enum MHD_Result answer_text(struct MHD_Connection *connection, unsigned status,
                                   const char *text)
{
    return answer(connection, status, "text/plain",
                  http.MHD_create_response_from_buffer(
                      strlen(text), (char *)(uintptr_t)text, MHD_RESPMEM_PERSISTENT));
}

/* Answers with the data; `whole`: with the page around them. */
static enum MHD_Result answer_data(struct MHD_Connection *connection,
                                   struct server *server, bool whole)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = port_open_memstream(&text, &size);

    if (out == NULL)
        return MHD_NO;
    if (whole)
        page_begin(out, true);
    pthread_mutex_lock(&server->lock);
    if (server->data != NULL)
        fwrite(server->data, 1, server->size, out);
    pthread_mutex_unlock(&server->lock);
    if (whole)
        page_end(out);
    if (!memstream_close(out, &text))
        return MHD_NO;
    return answer(
        connection, MHD_HTTP_OK, "text/html; charset=utf-8",
        http.MHD_create_response_from_buffer(size, text, MHD_RESPMEM_MUST_FREE));
}

/* Answers with what makes the current data out of those of a version; with all of them
 * where that is not the one before. */
static enum MHD_Result answer_news(struct MHD_Connection *connection,
                                   struct server *server)
{
    const char *from =
        http.MHD_lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, "from");
    struct MHD_Response *response = NULL;

    pthread_mutex_lock(&server->lock);
    if (from != NULL && server->news != NULL &&
        strtoul(from, NULL, 10) + 1 == server->version)
        response = http.MHD_create_response_from_buffer(server->news_size, server->news,
                                                        MHD_RESPMEM_MUST_COPY);
    pthread_mutex_unlock(&server->lock);
    if (response == NULL)
        return answer_data(connection, server, false);
    return answer(connection, MHD_HTTP_OK, "application/json", response);
}

/* ---- Events ---- */

/* Waits for news, at most QUIET_S seconds. The lock is held. */
static void wait_for_news(const struct listener *listener)
{
    struct server *server = listener->server;
    struct timespec until;
    int status = 0;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += QUIET_S;
    while (status == 0 && !server->stopping && server->version == listener->seen &&
           (!server->last || listener->ended))
        status = pthread_cond_timedwait(&server->changed, &server->lock, &until);
}

static ssize_t next_event(void *context, uint64_t position, char *text, size_t most)
{
    struct listener *listener = context;
    struct server *server = listener->server;
    ssize_t size;

    (void)position;
    pthread_mutex_lock(&server->lock);
    wait_for_news(listener);
    if (server->stopping) {
        size = MHD_CONTENT_READER_END_OF_STREAM;
    } else if (server->version != listener->seen) {
        listener->seen = server->version;
        size = snprintf(text, most, "data: %lu\n\n", listener->seen);
    } else if (server->last && !listener->ended) {
        listener->ended = true;
        size = snprintf(text, most, "event: end\ndata: 0\n\n");
    } else {
        size = snprintf(text, most, ":\n\n");
    }
    pthread_mutex_unlock(&server->lock);
    return size;
}

static enum MHD_Result answer_events(struct MHD_Connection *connection,
                                     struct server *server)
{
    struct listener *listener = calloc(1, sizeof *listener);
    struct MHD_Response *response;

    if (listener == NULL)
        return MHD_NO;
    listener->server = server;
    response = http.MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, EVENT_BYTES,
                                                      next_event, listener, free);
    if (response == NULL)
        free(listener);
    return answer(connection, MHD_HTTP_OK, "text/event-stream", response);
}

/* ---- Requests ---- */

bool server_is_named(const char *host, unsigned port)
{
    static const char *const names[] = {"127.0.0.1", "localhost"};
    char ours[32];

    for (size_t i = 0; host != NULL && i < sizeof names / sizeof names[0]; i++) {
        snprintf(ours, sizeof ours, "%s:%u", names[i], port);
        if (strcmp(host, ours) == 0 || (port == HTTP_PORT && strcmp(host, names[i]) == 0))
            return true;
    }
    return false;
}

static enum MHD_Result take(void *context, struct MHD_Connection *connection,
                            const char *path, const char *method, const char *version,
                            const char *upload, size_t *upload_bytes, void **state)
{
    struct server *server = context;

    (void)version, (void)upload, (void)upload_bytes, (void)state;
    if (!server_is_named(
            http.MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Host"),
            server->port))
        return answer_text(connection, MHD_HTTP_FORBIDDEN, "not asked as localhost\n");
    if (strcmp(method, "GET") != 0)
        return answer_text(connection, MHD_HTTP_METHOD_NOT_ALLOWED, "GET only\n");
    if (strcmp(path, "/") == 0 || strcmp(path, "/data") == 0)
        return answer_data(connection, server, path[1] == '\0');
    if (strcmp(path, "/news") == 0)
        return answer_news(connection, server);
    if (strcmp(path, "/events") == 0)
        return answer_events(connection, server);
    return answer_text(connection, MHD_HTTP_NOT_FOUND, "no such page\n");
}

/* ---- Start and end ---- */

/* Starts the server's threads with all signals blocked, so that the caller's thread gets
 * them. */
static struct MHD_Daemon *start_daemon(struct server *server)
{
    struct sockaddr_in address = {
        .sin_family = AF_INET,
        .sin_port = htons((uint16_t)server->port),
        .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
    };
    sigset_t all, before;
    struct MHD_Daemon *daemon;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    daemon = http.MHD_start_daemon(
        MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_THREAD_PER_CONNECTION, 0, NULL, NULL,
        take, server, MHD_OPTION_SOCK_ADDR, &address, MHD_OPTION_CONNECTION_LIMIT,
        (unsigned)CONNECTIONS, MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)SILENT_S,
        MHD_OPTION_END);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return daemon;
}

bool server_start(struct server **made, unsigned port, struct error *error)
{
    struct server *server = calloc(1, sizeof *server);

    *made = server;
    if (server == NULL)
        return error_no_memory(error);
    pthread_mutex_init(&server->lock, NULL);
    pthread_cond_init(&server->changed, NULL);
    server->port = port;
    if (!library_load(LOADED_microhttpd, http_names, &http, error))
        return false;
    errno = 0;
    server->daemon = start_daemon(server);
    if (server->daemon == NULL)
        return error_set(error, EXIT_BAD_INPUT, "port %u: %s", port,
                         errno != 0 ? strerror(errno) : "cannot listen there");
    server->port =
        http.MHD_get_daemon_info(server->daemon, MHD_DAEMON_INFO_BIND_PORT)->port;
    return true;
}

unsigned server_port(const struct server *server)
{
    return server->port;
}

/* Puts the data's version behind them. false: out of memory. */
static bool put_version(char **data, size_t *size, unsigned long version)
{
    char block[96];
    int used = snprintf(block, sizeof block,
                        "<script id=\"version\" type=\"application/json\">%lu</script>\n",
                        version);
    char *more = realloc(*data, *size + (size_t)used + 1);

    if (more == NULL)
        return false;
    memcpy(more + *size, block, (size_t)used + 1);
    *data = more;
    *size += (size_t)used;
    return true;
}

/* Writes what makes `data` out of those before. NULL: out of memory, or there are none.
 */
static char *news_of(const struct server *server, const char *data, size_t *size)
{
    char *text = NULL;
    FILE *out = server->data != NULL ? port_open_memstream(&text, size) : NULL;
    bool done = out != NULL && difference_write(out, server->data, data);

    if (out != NULL && memstream_close(out, &text) && done)
        return text;
    free(text);
    return NULL;
}

bool server_publish(struct server *server, char *data, size_t size, bool last)
{
    size_t news_size = 0;
    char *news;

    /* only this thread changes the data, so that it may read them without the lock */
    if (!put_version(&data, &size, server->version + 1)) {
        free(data);
        return false;
    }
    news = news_of(server, data, &news_size);
    pthread_mutex_lock(&server->lock);
    free(server->data);
    free(server->news);
    server->data = data;
    server->size = size;
    server->news = news;
    server->news_size = news_size;
    server->version++;
    server->last = last;
    pthread_cond_broadcast(&server->changed);
    pthread_mutex_unlock(&server->lock);
    return true;
}

void server_stop(struct server *server)
{
    if (server == NULL)
        return;
    pthread_mutex_lock(&server->lock);
    server->stopping = true;
    pthread_cond_broadcast(&server->changed);
    pthread_mutex_unlock(&server->lock);
    if (server->daemon != NULL)
        http.MHD_stop_daemon(server->daemon);
    pthread_cond_destroy(&server->changed);
    pthread_mutex_destroy(&server->lock);
    free(server->data);
    free(server->news);
    free(server);
}
