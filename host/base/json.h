/* SPDX-License-Identifier: MIT */
/*
 * JSON as it is made: what is said goes to `out` at once, and nothing of it is kept. A
 * member of an object has a key; an item of an array, and what is outside of all, has the
 * key NULL. Whether it could be written is for the caller to see (ferror).
 */
#ifndef MCUPROF_HOST_JSON_H
#define MCUPROF_HOST_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct json {
    FILE *out;
    unsigned indent; /* blanks of a level */
    unsigned depth;  /* private, as what follows: levels that are open */
    bool any;        /* the innermost has something in it */
};

/* `bracket`: '{' or '['; its other half closes it. */
void json_open(struct json *json, const char *key, char bracket);
void json_close(struct json *json, char bracket);

/* What is above 2^63 - 1, which readers take for too much, loses its last digits. */
void json_whole(struct json *json, const char *key, uint64_t number);
/* 12 digits; null if it is not finite */
void json_real(struct json *json, const char *key, double number);
/* UTF-8 without control characters; NULL: null */
void json_text(struct json *json, const char *key, const char *text);
void json_bool(struct json *json, const char *key, bool is);
void json_null(struct json *json, const char *key);

#endif
