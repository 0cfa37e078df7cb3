/* SPDX-License-Identifier: MIT */
/*
 * What the kinds of source have in common: a descriptor to poll and to read. Each kind
 * opens it and says what its end means.
 */
#ifndef MCUPROF_HOST_SOURCE_BACKEND_H
#define MCUPROF_HOST_SOURCE_BACKEND_H

#include "source.h"

struct sp_port;

struct source {
    int fd; /* -1: none yet */
    char *name;
    uint64_t bytes; /* read so far, for errors */
    bool serial;    /* an end or an I/O error means that the device is gone */
    bool live;
    unsigned baud;
    struct sp_port *port; /* holds fd open, if not NULL */
    int child;            /* the command's process, 0: none or its status is known */
    int group;            /* the command's process group, 0: none */
    char warning[128];
};

/* Each fills in a source whose name is set, or sets the error and leaves fd -1. */
bool source_serial_open(struct source *source, unsigned baud, struct error *error);
bool source_tcp_open(struct source *source, const char *address, struct error *error);
bool source_file_open(struct source *source, bool standard_input, struct error *error);

void source_serial_close(struct source *source);

/* Learns how the command ended, waiting a moment for it. */
void source_command_ended(struct source *source);
void source_command_close(struct source *source);

#endif
