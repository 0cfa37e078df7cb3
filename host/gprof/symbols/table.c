/* SPDX-License-Identifier: MIT */
/* -S: functions from a list of "address type name". */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "image.h"

enum { TEXT_BYTES_MAX = 1 << 30 };

bool gprof_read_text(const char *path, char **text, size_t *bytes, struct error *error)
{
    FILE *file = fopen(path, "rb");
    size_t room = 0;
    if (file == NULL)
        return error_set(error, EXIT_NO, "could not open %s.", path);
    *bytes = 0;
    do {
        room = room == 0 ? 65536 : 2 * room;
        char *more = room <= TEXT_BYTES_MAX ? realloc(*text, room + 1) : NULL;
        if (more == NULL) {
            fclose(file);
            return error_set(error, EXIT_NO, "out of memory");
        }
        *text = more;
        *bytes += fread(more + *bytes, 1, room - *bytes, file);
    } while (*bytes == room);
    fclose(file);
    (*text)[*bytes] = '\0';
    return true;
}

/* Cuts the next word at *at out of the line; NULL: there is none. */
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

/* Reads one line, which ends with '\0'. Where the line has no number, the label keeps the
 * address of the line before.
 * */
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
    size_t bytes;
    if (!gprof_read_text(gprof->options.symbol_table, &gprof->image->table, &bytes,
                         error))
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
