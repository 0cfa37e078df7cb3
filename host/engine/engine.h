/* SPDX-License-Identifier: MIT */
/*
 * mcuprof as a library: a profile of which bytes are pushed as they come, and which is
 * taken out as text at any time. It reads the ELF and source files, but no clock, no line
 * and no standard stream; those belong to the program around it, be it a terminal's,
 * Node's, a browser's or an editor's.
 *
 *     char error[ENGINE_TEXT_MAX];
 *     struct engine *engine = engine_open("firmware.elf", "/dev/ttyUSB0", error);
 *     ...
 *     while ((size = read(line, bytes, sizeof bytes)) > 0)
 *         if (!engine_push(engine, bytes, size, seconds()))
 *             puts(engine_error(engine));
 *     engine_finish(engine, seconds());
 *     puts(engine_report(engine, NULL));
 *     engine_close(engine);
 *
 * What returns false or NULL has failed: engine_error() says why, and the engine can
 * still be used. A text that a function returns is the engine's, and stands until the
 * next call of any function of this engine. Engines are for one thread of a program, and
 * one is open at a time.
 */
#ifndef MCUPROF_ENGINE_H
#define MCUPROF_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { ENGINE_TEXT_MAX = 1024 };

/* How the firmware is doing. */
enum engine_state {
    ENGINE_SILENT,  /* no byte came yet */
    ENGINE_TEXT,    /* bytes came, but no record of a profile */
    ENGINE_RUNNING, /* records come */
    ENGINE_QUIET,   /* nothing has come for 3 s */
    ENGINE_STOPPED, /* the firmware stopped the profiler */
    ENGINE_OVER     /* engine_finish() was called */
};

struct engine;

/* Opens the firmware's ELF; NULL: it is not known, and all is there but the report, the
 * page and the exports. `source` names where the bytes come from, for people. NULL:
 * `error` says why. */
struct engine *engine_open(const char *elf, const char *source,
                           char error[ENGINE_TEXT_MAX]);
/* `engine` may be NULL. */
void engine_close(struct engine *engine);
/* Why the last call that may fail did so; "": it did not. */
const char *engine_error(const struct engine *engine);

/* Takes bytes of the line, as many as there are. `now` is in seconds, by any clock that
 * never goes back. Bytes that are another firmware's, or no profile, are no failure: the
 * engine begins anew with what follows, and engine_problem() says so. */
bool engine_push(struct engine *engine, const uint8_t *bytes, size_t size, double now);
/* Tells the time while no bytes come: about once a second. */
bool engine_pass(struct engine *engine, double now);
/* The line has ended: what waited for more bytes is counted or given up. false: the
 * profile is there, but lacks what engine_error() says. */
bool engine_finish(struct engine *engine, double now);

enum engine_state engine_state(const struct engine *engine);
/* Why the profile is empty, or was begun anew: "" if there is nothing to say. */
const char *engine_problem(struct engine *engine);
/* What came and what was lost, in words: "all 1,028 calls and 600 samples received". */
const char *engine_received(struct engine *engine);
/* Whether something was lost or damaged, or nobody can know. */
bool engine_lost(const struct engine *engine);
/* What is wrong in the firmware, as far as its events tell: a sentence, or "". */
const char *engine_advice(struct engine *engine);
/* The whole lines that the firmware has printed since the last call, 256 at most. They
 * are as they came: what shows them on a terminal has to mask control characters. */
const char *engine_console(struct engine *engine);

/* Each gives the profile so far; *size, which may be NULL, is the text's bytes without
 * the '\0' behind it. engine_page() gives the page of `mcuprof html` or, without `whole`,
 * its data alone, as its script takes them; `live`: it asks its server for newer ones.
 * engine_export() takes a format of `mcuprof export`. */
const char *engine_report(struct engine *engine, size_t *size);
const char *engine_page(struct engine *engine, bool whole, bool live, size_t *size);
const char *engine_export(struct engine *engine, const char *format, size_t *size);

#ifdef __cplusplus
}
#endif

#endif
