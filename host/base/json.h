/* SPDX-License-Identifier: MIT */
/*
 * Writes JSON: each call writes to `out` at once, and nothing is kept in memory. A
 * member of an object has a key; an item of an array and the outermost value have the
 * key NULL. The caller checks whether writing failed (ferror).
 */
#ifndef MCUPROF_HOST_JSON_H
#define MCUPROF_HOST_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct json {
    FILE *out;
    unsigned indent; /* blanks for each level */
    bool in_html;    /* JSON is in a script element: no text can end that, and all is on
                      * one line */
    unsigned depth;  /* levels that are open; private, as is `any` */
    bool any;        /* the innermost level is not empty */
};

/* `bracket` is '{' or '[' to open, and '}' or ']' to close. */
void json_open(struct json *json, const char *key, char bracket);
void json_close(struct json *json, char bracket);

/* A number above 2^63 - 1, which many readers refuse, loses its last digits. */
void json_whole(struct json *json, const char *key, uint64_t number);
/* writes 12 digits, or null if the number is not finite */
void json_real(struct json *json, const char *key, double number);
/* writes UTF-8 without control characters; a NULL text becomes null */
void json_text(struct json *json, const char *key, const char *text);
void json_bool(struct json *json, const char *key, bool is);
void json_null(struct json *json, const char *key);

#endif
