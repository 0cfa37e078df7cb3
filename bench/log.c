/* SPDX-License-Identifier: MIT */
#include "log.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static bool starts(const char *line, const char *with)
{
    return strncmp(line, with, strlen(with)) == 0;
}

/* "Trace 0: 0x7f.. [00000000/000001a4/00110100/...] name" */
static bool has_pc(const char *line, uint32_t *pc)
{
    const char *at = starts(line, "Trace") ? strchr(line, '[') : NULL;

    at = at ? strchr(at, '/') : NULL;
    if (at) {
        *pc = (uint32_t)strtoul(at + 1, NULL, 16);
    }
    return at != NULL;
}

enum log_says log_next(FILE *log, uint32_t *pc)
{
    static char line[4096];

    while (fgets(line, sizeof line, log)) {
        if (has_pc(line, pc)) {
            return LOG_RAN;
        }
        if (starts(line, "cpu_io_recompile") || starts(line, "Stopped execution")) {
            return LOG_AGAIN;
        }
        if (starts(line, "...taking pending")) {
            return LOG_ENTERED;
        }
        if (starts(line, "Exception return")) {
            return LOG_LEFT;
        }
    }
    return LOG_END;
}
