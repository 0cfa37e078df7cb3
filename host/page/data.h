/* SPDX-License-Identifier: MIT */
/*
 * The page's data; private to this folder. The data are blocks of JSON, each an object in
 * a script element of its own, so that the page parses a block only when it is shown; a
 * large one is compressed by zlib, in base64 (PACKED_TYPE).
 * Times are in seconds or, where `units` says so, in samples or ticks; their errors stand
 * beside them. Where totals are estimated (`knows.paths` tells), their errors are those
 * of as many samples, which is enough to choose digits; the true errors are larger and
 * unknown. A function is given by its index in `functions`, null means none. Tables are
 * arrays of rows, and name their columns; a long table is one flat array, row after row
 * or, that of the tree, column after column.
 */
#ifndef MCUPROF_HOST_PAGE_DATA_H
#define MCUPROF_HOST_PAGE_DATA_H

#include "../base/json.h"
#include "../report/report.h"
#include "page.h"

enum { NAME_BYTES = 2000 }; /* a longer name is cut, with an ellipsis */

/* How the report of this profile would show times and name its rows. */
struct report data_report(const struct page *page);
/* Whether times are those of timed calls, because there are no samples. */
bool data_is_timed(const struct analysis *analysis);

#define DATA_TYPE   "application/json"
#define PACKED_TYPE "application/zlib"

/* data_begin() begins a block of that name, data_end() ends it. */
void data_begin(struct json *json, FILE *out, const char *name);
void data_end(struct json *json);

/* Each writes one block or more. false: error filled in. */
bool data_overview(FILE *out, const struct page *page, struct error *error);
bool data_functions(FILE *out, const struct page *page, struct error *error);
bool data_gains(FILE *out, const struct page *page, struct error *error);
bool data_tree(FILE *out, const struct page *page, struct error *error);
bool data_timeline(FILE *out, const struct page *page, struct error *error);
bool data_source(FILE *out, const struct page *page, struct error *error);
bool data_changes(FILE *out, const struct page *page, struct error *error);

typedef bool data_writer(FILE *out, const struct page *page, struct error *error);
/* Writes these blocks, large ones compressed. */
bool data_pack(FILE *out, const struct page *page, data_writer *write,
               struct error *error);

/* Puts an index; SIZE_MAX and NO_FUNCTION become null. */
void data_index(struct json *json, const char *key, size_t index);
/* Puts a name without characters that cannot be shown. false, error filled in: out of
 * memory. */
bool data_name(struct json *json, const char *key, const char *name, struct error *error);
/* Puts an array of words, which ends with NULL. */
void data_words(struct json *json, const char *key, const char *const *words);

#endif
