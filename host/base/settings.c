/* SPDX-License-Identifier: MIT */
#include "settings.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "quantity.h"

/* Editors of Windows put a mark before the first line. */
static char *skip_mark(char *text)
{
    static const char mark[] = "\xef\xbb\xbf";

    return strncmp(text, mark, sizeof mark - 1) == 0 ? text + sizeof mark - 1 : text;
}

bool settings_read(const char *path, settings_line *take, void *context,
                   struct error *error)
{
    FILE *file = fopen(path, "r");
    char *line = NULL;
    size_t room = 0;
    bool done = true;

    if (file == NULL)
        return error_set(error, EXIT_BAD_INPUT, "%.300s: %s", path, strerror(errno));
    for (unsigned number = 1; done && getline(&line, &room, file) >= 0; number++) {
        char *text = quantity_trim(number == 1 ? skip_mark(line) : line);
        struct error wrong;

        done =
            *text == '\0' || *text == '#' || take(context, number, text, &wrong) ||
            error_set(error, wrong.status, "%.200s:%u: %.250s", path, number, wrong.text);
    }
    if (done && feof(file) == 0)
        done = error_set(error, EXIT_BAD_INPUT, "%.300s: %s", path, strerror(errno));
    free(line);
    fclose(file);
    return done;
}
