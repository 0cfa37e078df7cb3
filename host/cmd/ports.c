/* SPDX-License-Identifier: MIT */
/* mcuprof ports: lists the serial devices that `record` can take as SOURCE. */
#include "../source/ports.h"

#include "../report/columns.h"
#include "terminal.h"

static struct terminal_options terminal = TERMINAL_OPTIONS;

static const struct port *port_of(const void *view, size_t row)
{
    const struct ports *ports = view;
    return &ports->items[row];
}

static void cell_source(struct cell *cell, const void *view, size_t row)
{
    cell->string = port_of(view, row)->source;
}

static void cell_usb(struct cell *cell, const void *view, size_t row)
{
    cell->string = port_of(view, row)->usb;
}

static void cell_device(struct cell *cell, const void *view, size_t row)
{
    cell->string = port_of(view, row)->device;
}

static const struct column columns[] = {
    {{"", "source"}, .left = true, .cell = cell_source},
    {{"", "USB id"}, .left = true, .cell = cell_usb},
    {{"", "device"}, .left = true, .cell = cell_device},
};

static bool print(const struct ports *ports, const struct style *style,
                  struct error *error)
{
    const struct table table = {
        .columns = columns,
        .column_count = sizeof columns / sizeof columns[0],
        .view = ports,
        .rows = ports->count,
    };
    if (ports->count == 0)
        return error_set(error, EXIT_NO,
                         "no serial device: is it connected, and its driver loaded?");
    return table_print(&table, style, stdout, error);
}

static int run(int argc, char **argv)
{
    struct style style;
    struct ports ports;
    struct error error;
    int status = terminal_style(&cmd_ports, &terminal, &style);

    if (status != EXIT_DONE)
        return status;
    if (argc > 0)
        return cmd_usage(&cmd_ports, "expected no argument, not '%s'", argv[0]);
    bool done = ports_find(&ports, &error) && print(&ports, &style, &error);
    ports_release(&ports);
    return done ? EXIT_DONE : cmd_fail(&cmd_ports, &error);
}

static const struct option_spec options[] = {
    {0, "wide", OPTION_FLAG, NULL, "all of each line, also where the terminal is narrow",
     &terminal.wide},
    {.name = NULL},
};

const struct cmd cmd_ports = {
    .name = "ports",
    .summary = "the serial devices that record can take as SOURCE",
    .synopsis = "[OPTION...]",
    .options = options,
    .run = run,
    .operands = "",
};
