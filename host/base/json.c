/* SPDX-License-Identifier: MIT */
#include "json.h"

#include <math.h>
#include <string.h>

#include "../port/stream.h"
#include "digits.h"
#include "utf8.h"

static void put(struct json *json, const char *text)
{
    port_fputs_unlocked(text, json->out);
}

static void begin_line(struct json *json)
{
    if (json->in_html)
        return;
    putc_unlocked('\n', json->out);
    for (unsigned i = 0; i < json->indent * json->depth; i++)
        putc_unlocked(' ', json->out);
}

/* Writes a text; bytes that are not text become "\x..". */
static void put_text(struct json *json, const char *text)
{
    char shown[UTF8_SHOWN];

    putc_unlocked('"', json->out);
    while (*text != '\0') {
        if ((*text >= 'a' && *text <= 'z') || *text == '_') { /* most of them */
            putc_unlocked(*text++, json->out);
            continue;
        }
        text += utf8_show(text, shown);
        if (*shown == '"' || *shown == '\\')
            putc_unlocked('\\', json->out);
        put(json, *shown == '<' && json->in_html ? "\\u003c" : shown);
    }
    putc_unlocked('"', json->out);
}

/* Begins a member or an item: comma, new line, key. */
static void begin(struct json *json, const char *key)
{
    if (json->any)
        putc_unlocked(',', json->out);
    if (json->depth > 0)
        begin_line(json);
    if (key != NULL) {
        put_text(json, key);
        put(json, ": ");
    }
    json->any = true;
}

void json_open(struct json *json, const char *key, char bracket)
{
    begin(json, key);
    putc_unlocked(bracket, json->out);
    json->depth++;
    json->any = false;
}

void json_close(struct json *json, char bracket)
{
    json->depth--;
    if (json->any)
        begin_line(json);
    putc_unlocked(bracket, json->out);
    json->any = true;
}

void json_whole(struct json *json, const char *key, uint64_t number)
{
    char digits[DIGITS_ROOM];
    if (number > INT64_MAX) {
        json_real(json, key, (double)number);
        return;
    }
    digits_whole(digits, sizeof digits, "", number, "");
    begin(json, key);
    put(json, digits);
}

/* Removes the plus and the leading zeros of an exponent. */
static void shorten_exponent(char *text)
{
    char *to = strchr(text, 'e');
    if (to == NULL)
        return;
    const char *from = ++to;
    to += *from == '-';
    from += *from == '-' || *from == '+';
    from += strspn(from, "0");
    memmove(to, from, strlen(from) + 1);
}

void json_real(struct json *json, const char *key, double number)
{
    char digits[DIGITS_ROOM];
    if (!isfinite(number)) {
        json_null(json, key);
        return;
    }
    digits_general(digits, sizeof digits, number);
    shorten_exponent(digits);
    begin(json, key);
    put(json, digits);
    if (strpbrk(digits, ".e") == NULL)
        put(json, ".0"); /* without it readers would take the number for a whole one */
}

void json_text(struct json *json, const char *key, const char *text)
{
    if (text == NULL) {
        json_null(json, key);
        return;
    }
    begin(json, key);
    put_text(json, text);
}

void json_bool(struct json *json, const char *key, bool is)
{
    begin(json, key);
    put(json, is ? "true" : "false");
}

void json_null(struct json *json, const char *key)
{
    begin(json, key);
    put(json, "null");
}
