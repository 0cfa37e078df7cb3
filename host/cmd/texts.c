/* SPDX-License-Identifier: MIT */
/* Warnings of source files, for the commands that show them. */
#include <stdlib.h>

#include "../image/texts.h"
#include "../report/shorten.h"
#include "cmd.h"

/* Warns once of all files that have the same fault. */
static void warn(const struct cmd *cmd, const struct texts_fault *fault, const char *one,
                 const char *many)
{
    struct error warning;
    char *path = fault->files > 0 ? path_clean(fault->first) : NULL;
    if (path == NULL)
        return;
    if (fault->files == 1)
        error_set(&warning, EXIT_DONE, "warning: %s %s", path, one);
    else
        error_set(&warning, EXIT_DONE, "warning: %zu source files %s; one is %s",
                  fault->files, many, path);
    cmd_fail(cmd, &warning);
    free(path);
}

void cmd_warn_of_texts(const struct cmd *cmd, const struct texts *texts)
{
    fflush(stdout);
    warn(cmd, &texts->missing,
         "not found: -I DIR or --source-map FROM=TO tell where it is",
         "not found: -I DIR or --source-map FROM=TO tell where they are");
    warn(cmd, &texts->outside,
         "is not a file below the current folder or the ELF's: -I DIR shows source below "
         "DIR",
         "are not files below the current folder or the ELF's: -I DIR shows source below "
         "DIR");
    warn(cmd, &texts->newer, "is newer than the ELF: its lines may have moved",
         "are newer than the ELF: their lines may have moved");
}
