/* SPDX-License-Identifier: MIT */
/* -S: functions from a list of "address type name". */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "image.h"

enum { LINE_BYTES = 1023 }; /* GNU gprof reads a line in pieces that long */

static bool read_text(struct gprof *gprof, size_t *bytes, struct error *error)
{
    const char *path = gprof->options.symbol_table;
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return error_set(error, EXIT_NO, "could not open %s.", path);
    char *text = NULL;
    size_t room = 0;
    ssize_t length = getdelim(&text, &room, EOF, file);
    fclose(file);
    if (length < 0 && text != NULL)
        text[0] = '\0';
    *bytes = length < 0 ? 0 : (size_t)length;
    gprof->image->table = text;
    return text != NULL || error_set(error, EXIT_NO, "out of memory");
}

/* The next word at *at, cut out of the line; NULL: none. */
static char *next_word(char **at, size_t most)
{
    char *word = *at;
    while (isspace((unsigned char)*word))
        word++;
    if (*word == '\0')
        return NULL;
    char *end = word;
    while (*end != '\0' && !isspace((unsigned char)*end) && (size_t)(end - word) < most)
        end++;
    *at = end;
    return word;
}

/* One line, ended with '\0'. The address keeps its last value where there is no number.
 */
static bool read_line(char *line, struct gprof_label *label)
{
    char *at = line, *address = next_word(&at, SIZE_MAX);
    if (address == NULL)
        return false;
    char *type = next_word(&at, 1);
    if (type == NULL || (*type != 'T' && *type != 't'))
        return false;
    char *name = next_word(&at, SIZE_MAX);
    if (name == NULL)
        return false;
    *at = '\0';
    char *end;
    errno = 0;
    uint64_t value = strtoull(address, &end, 16);
    if (end != address)
        label->address = value;
    label->name = name;
    label->is_function = true;
    label->has_border = true;
    label->is_static = *type == 't';
    return true;
}

bool gprof_read_table(struct gprof *gprof, struct gprof_labels *labels,
                      struct error *error)
{
    size_t bytes = 0;
    if (!read_text(gprof, &bytes, error))
        return false;
    struct gprof_label label = {0};
    char *at = gprof->image->table, *end = at + bytes;
    while (at < end) {
        char *newline = memchr(at, '\n', (size_t)(end - at));
        char *next = newline == NULL ? end : newline + 1;
        if (newline != NULL)
            *newline = '\0';
        if (read_line(at, &label) && !gprof_add_label(labels, &label))
            return error_set(error, EXIT_NO, "out of memory");
        at = next;
    }
    return true;
}
