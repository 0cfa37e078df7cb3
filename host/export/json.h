/* SPDX-License-Identifier: MIT */
/* What info says as well as the export. */
#ifndef MCUPROF_HOST_JSON_H
#define MCUPROF_HOST_JSON_H

#include <jansson.h>

#include "../profile/profile.h"

/* What sampling itself took; null where it is not known. */
json_t *export_sampling(const struct profile *profile);

#endif
