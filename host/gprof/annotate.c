/* SPDX-License-Identifier: MIT */
#include "gprof.h"

bool gprof_print_annotated(struct gprof *gprof, struct error *error)
{
    (void)gprof;
    return error_set(error, EXIT_NO, "gprof_print_annotated: not written yet");
}
