/* SPDX-License-Identifier: MIT */
#include "gprof.h"

bool gprof_add_static_calls(struct gprof *gprof, struct error *error)
{
    (void)gprof;
    return error_set(error, EXIT_NO, "gprof_add_static_calls: not written yet");
}
