/* SPDX-License-Identifier: MIT */
/*
 * Copies bytes from a source into a capture until a signal ends that: the part that
 * `record`, `top` and `serve` share.
 */
#ifndef MCUPROF_HOST_RECORD_INPUT_H
#define MCUPROF_HOST_RECORD_INPUT_H

#include "../live/link.h"
#include "../live/live.h"
#include "cmd.h"

struct record_input {
    struct source *source;
    int fd;                     /* of the capture; -1: none is written */
    const char *file;           /* its name, for people */
    bool named;                 /* `file` led to it when it was opened */
    unsigned long long written; /* bytes, as far as they are kept */
};

/* Checks the operands: a SOURCE, or "--" and a command. Returns EXIT_DONE, or what
 * cmd_usage() returned. */
int record_input_usage(const struct cmd *cmd, int argc, char **argv);

/* Opens the source, then the capture (NULL: none; "-": standard output), so that an
 * earlier capture is not lost when the source is missing. From now on signals that end
 * the program are caught. The caller calls record_input_close() in any case. */
bool record_input_open(struct record_input *input, char **argv, unsigned baud,
                       const char *output, struct error *error);
bool record_input_write(struct record_input *input, const uint8_t *bytes, size_t size,
                        struct error *error);
/* Waits for bytes, `wait_ms` at most, and takes all that are there, into the capture and
 * into the profile. *got: how many, RECORD_INPUT_BYTES at most. */
enum { RECORD_INPUT_BYTES = 64 * 1024 };
bool record_input_take(struct record_input *input, struct live_link *link,
                       struct live *live, int wait_ms, size_t *got, struct error *error);
/* Closes the capture; may be called again. false: it could not be written to the end, or
 * somebody has removed, moved or replaced it meanwhile. The source is closed by
 * record_input_release(). */
bool record_input_close(struct record_input *input, struct error *error);
void record_input_release(struct record_input *input);

/* The signal that came; 0: none. A second signal ends the program. */
int record_input_signalled(void);

#endif
