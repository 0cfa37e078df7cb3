/* SPDX-License-Identifier: MIT */
#include "text.h"

enum { TAB = 8 };

static void put(struct live_text *text, char c)
{
    char *line;

    if (!text->open) {
        text->count++;
        text->used = 0;
        text->open = true;
    }
    line = text->lines[(text->count - 1) % LIVE_LINES];
    if (text->used < LIVE_LINE_MAX - 1)
        line[text->used++] = c;
    line[text->used] = '\0';
}

static void put_tab(struct live_text *text)
{
    do
        put(text, ' ');
    while (text->used % TAB != 0 && text->used < LIVE_LINE_MAX - 1);
}

static void end_line(struct live_text *text)
{
    if (!text->open) { /* begins an empty line */
        put(text, ' ');
        text->lines[(text->count - 1) % LIVE_LINES][0] = '\0';
    }
    text->open = false;
}

/* Skips a byte of an escape sequence: ESC, then either '[' and all up to a letter, or one
 * byte. */
static void skip(struct live_text *text, char c)
{
    if (text->state == TEXT_ESCAPE)
        text->state = c == '[' ? TEXT_SEQUENCE : TEXT_PLAIN;
    else if (c >= '@' || c == '\n')
        text->state = TEXT_PLAIN;
}

static void take(struct live_text *text, char c)
{
    if (c == '\033')
        text->state = TEXT_ESCAPE;
    else if (text->state != TEXT_PLAIN)
        skip(text, c);
    else if (c == '\n')
        end_line(text);
    else if (c == '\t')
        put_tab(text);
    else if (c != '\r')
        put(text, c);
}

void live_text_add(void *context, const char *text, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        take(context, text[i]);
}

size_t live_text_lines(const struct live_text *text)
{
    return text->count < LIVE_LINES ? text->count : LIVE_LINES;
}

const char *live_text_line(const struct live_text *text, size_t back)
{
    return text->lines[(text->count - 1 - back) % LIVE_LINES];
}
