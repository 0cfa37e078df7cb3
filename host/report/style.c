/* SPDX-License-Identifier: MIT */
#include "style.h"

#include <langinfo.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

#include "../base/utf8.h"
#include "../port/stream.h"
#include "../port/terminal.h"

enum { WIDTH_MIN = 40, WIDTH_DEFAULT = 80, WIDTH_MAX = 1000 };

static unsigned terminal_width(int fd)
{
    const char *columns = getenv("COLUMNS");
    unsigned long width = columns == NULL ? 0 : strtoul(columns, NULL, 10);
    if (width == 0)
        width = port_terminal_columns(fd);
    if (width == 0)
        return WIDTH_DEFAULT;
    return width < WIDTH_MIN   ? WIDTH_MIN
           : width > WIDTH_MAX ? WIDTH_MAX
                               : (unsigned)width;
}

/* Whether a variable is set to anything but "" or, with `zero`, "0". */
static bool is_set(const char *name, bool zero)
{
    const char *value = getenv(name);
    return value != NULL && value[0] != '\0' && !(zero && strcmp(value, "0") == 0);
}

/* Decides as no-color.org and bixense.com/clicolors describe. */
static bool colour_wanted(bool terminal)
{
    const char *want = getenv("CLICOLOR"), *term = getenv("TERM");
    if (is_set("NO_COLOR", false))
        return false;
    if (is_set("CLICOLOR_FORCE", true))
        return true;
    return terminal && (want == NULL || strcmp(want, "0") != 0) && term != NULL &&
           strcmp(term, "dumb") != 0;
}

bool style_init(struct style *style, FILE *out, const char *when)
{
    bool terminal = isatty(fileno(out)) == 1;
    *style = (struct style){
        .utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0,
        .width = terminal ? terminal_width(fileno(out)) : 0,
    };
    if (strcmp(when, "always") == 0)
        style->colour = true;
    else if (strcmp(when, "auto") == 0)
        style->colour = colour_wanted(terminal);
    else if (strcmp(when, "never") != 0)
        return false;
    return true;
}

static const char *const codes[] = {
    [TINT_PLAIN] = "\033[0m", [TINT_DIM] = "\033[2m",  [TINT_BOLD] = "\033[1m",
    [TINT_WARM] = "\033[33m", [TINT_HOT] = "\033[31m",
};

void style_tint(const struct style *style, FILE *out, enum tint tint)
{
    if (style->colour)
        fputs(codes[tint], out);
}

bool style_tinted(const char **text, enum tint *tint)
{
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++) {
        size_t bytes = strlen(codes[i]);
        if (strncmp(*text, codes[i], bytes) != 0)
            continue;
        *text += bytes;
        *tint = (enum tint)i;
        return true;
    }
    return false;
}

size_t style_character(const struct style *style, const char **text, char shown[8])
{
    const char *from = *text;
    wchar_t character = 0;
    if ((style->utf8 || (unsigned char)from[0] < 0x80) && utf8_length(from) == 0) {
        *text += utf8_show(from, shown);
        return strlen(shown);
    }
    mbstate_t state = {0};
    size_t bytes = style->utf8 ? mbrtowc(&character, from, MB_CUR_MAX, &state) : 1;
    int width = -1;
    if (style->utf8 && bytes >= 1 && bytes <= 4)
        width = wcwidth(character);
    else if (!style->utf8 && from[0] >= ' ' && from[0] <= '~')
        width = 1;
    if (bytes < 1 || bytes > 4)
        bytes = 1;
    *text = from + bytes;
    memcpy(shown, width < 0 ? "?" : from, width < 0 ? 1 : bytes);
    shown[width < 0 ? 1 : bytes] = '\0';
    return width < 0 ? 1 : (size_t)width;
}

size_t style_plain(const char *text)
{
    size_t bytes = 0;
    while (text[bytes] >= ' ' && text[bytes] <= '~')
        bytes++;
    return bytes;
}

size_t style_columns(const struct style *style, const char *text, bool *as_is)
{
    char shown[8];
    size_t columns = style_plain(text);
    bool all = true;
    text += columns;
    while (*text != '\0') {
        char first = *text;
        columns += style_character(style, &text, shown);
        all = all && shown[0] == first;
    }
    if (as_is != NULL)
        *as_is = all;
    return columns;
}

/* Prints as many characters as fit; returns their columns. */
static size_t text_up_to(const struct style *style, FILE *out, const char *text,
                         size_t columns)
{
    char shown[8];
    size_t printed = style_plain(text);
    printed = printed < columns ? printed : columns;
    port_fwrite_unlocked(text, 1, printed, out);
    text += printed;
    while (*text != '\0') {
        size_t width = style_character(style, &text, shown);
        if (width > columns - printed)
            break;
        fputs(shown, out);
        printed += width;
    }
    return printed;
}

size_t style_text(const struct style *style, FILE *out, const char *text, size_t columns)
{
    if (columns == SIZE_MAX || style_columns(style, text, NULL) <= columns)
        return text_up_to(style, out, text, columns);
    if (columns == 0)
        return 0;
    size_t printed = text_up_to(style, out, text, columns - 1);
    fputs(style->utf8 ? "…" : "~", out);
    return printed + 1;
}

void style_rule(const struct style *style, FILE *out, size_t columns)
{
    static const char plain[] = "--------------------------------";
    static const char utf8[] = "────────────────────────────────";
    const char *dashes = style->utf8 ? utf8 : plain;
    size_t bytes = style->utf8 ? sizeof "─" - 1 : 1, most = sizeof plain - 1;
    style_tint(style, out, TINT_DIM);
    for (; columns > most; columns -= most)
        port_fwrite_unlocked(dashes, bytes, most, out);
    port_fwrite_unlocked(dashes, bytes, columns, out);
    style_tint(style, out, TINT_PLAIN);
    fputc('\n', out);
}
