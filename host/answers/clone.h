/* SPDX-License-Identifier: MIT */
/* Names of functions that a compiler has cloned. */
#ifndef MCUPROF_HOST_CLONE_H
#define MCUPROF_HOST_CLONE_H

#include <stddef.h>

/* How many bytes of a name stand before the suffix of a compiler's clone
 * (".constprop.0", " [clone .part.1]"): all, where there is none. */
size_t clone_plain_length(const char *name);

#endif
