/* SPDX-License-Identifier: MIT */
/* What WebAssembly cannot do, or its shell does: ports, the server, the live terminal. */
#include <stdlib.h>

#include "export/export.h"
#include "page/server.h"
#include "shell.h"
#include "source/backend.h"
#include "source/ports.h"
#include "top/terminal.h"

static bool left_out(struct error *error, const char *what)
{
    return error_set(error, EXIT_BAD_INPUT, "this build has no %s", what);
}

bool ports_find(struct ports *ports, struct error *error)
{
    *ports = (struct ports){.items = NULL};
    return left_out(error, "list of serial devices");
}

void ports_release(struct ports *ports)
{
    (void)ports;
}

bool source_serial_open(struct source *source, unsigned baud, struct error *error)
{
    (void)baud;
    (void)source;
    return left_out(error, "serial devices");
}

void source_serial_close(struct source *source)
{
    (void)source;
}

bool server_start(struct server **server, unsigned port, struct error *error)
{
    (void)port;
    *server = NULL;
    return left_out(error, "server of pages");
}

unsigned server_port(const struct server *server)
{
    (void)server;
    return 0;
}

bool server_publish(struct server *server, char *data, size_t size, bool last)
{
    (void)server;
    (void)size;
    (void)last;
    free(data);
    return true;
}

void server_stop(struct server *server)
{
    (void)server;
}

bool terminal_open(struct style *style, struct error *error)
{
    (void)style;
    return left_out(error, "live terminal");
}

void terminal_close(void)
{
}

void terminal_size(size_t *columns, size_t *rows)
{
    *columns = *rows = 0;
}

void terminal_show(const struct grid *grid)
{
    (void)grid;
}

int terminal_key(void)
{
    return 0;
}

bool export_svg(FILE *out, const char *dot, const struct profile *profile,
                struct image *image, struct error *error)
{
    char *svg = shell_draw(dot);

    (void)profile;
    (void)image;
    if (svg == NULL)
        return error_set(
            error, EXIT_BAD_INPUT,
            "graphviz, which draws the call graph, is missing: install it, or "
            "write --to dot");
    fputs(svg, out);
    free(svg);
    return true;
}
