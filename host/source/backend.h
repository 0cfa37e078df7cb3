/* SPDX-License-Identifier: MIT */
/*
 * What all kinds of source share: a file descriptor that is polled and read. Each kind
 * opens the descriptor and decides what its end means.
 */
#ifndef MCUPROF_HOST_SOURCE_BACKEND_H
#define MCUPROF_HOST_SOURCE_BACKEND_H

#include "source.h"

struct sp_port;
struct udp;

struct source {
    int fd; /* -1: not open */
    char *name;
    uint64_t bytes; /* read so far, for errors */
    bool serial;    /* the end of input or an I/O error means that the device is gone */
    bool live;
    bool reopened; /* it is being opened again, or was: then a signal ends the attempt */
    unsigned baud;
    struct sp_port *port; /* holds fd open; NULL: fd is our own */
    struct udp *udp;      /* NULL: not udp: */
    int child;         /* process of the command; 0: there is none, or its end is known */
    int group;         /* the command's process group; 0: none */
    char warning[384]; /* has room for five figures of 20 digits about datagrams, for
                        * resets and for who was refused */
};

/* Each opens a source whose name is set, or sets the error and leaves fd -1. */
bool source_serial_open(struct source *source, unsigned baud, struct error *error);
bool source_tcp_open(struct source *source, const char *address, struct error *error);
bool source_udp_open(struct source *source, const char *address, struct error *error);
bool source_file_open(struct source *source, bool standard_input, struct error *error);

/* As source_read(). The warning says which datagrams were lost. */
ssize_t source_udp_read(struct source *source, uint8_t *bytes, size_t size,
                        int timeout_ms, struct error *error);
void source_udp_close(struct source *source);

void source_serial_close(struct source *source);

/* Waits a moment for the command's end and notes how it ended. */
void source_command_ended(struct source *source);
void source_command_close(struct source *source);

#endif
