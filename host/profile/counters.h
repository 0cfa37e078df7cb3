/* SPDX-License-Identifier: MIT */
/*
 * Counters and the indices that find them; private to counters.c and profile.c.
 */
#ifndef MCUPROF_HOST_COUNTERS_H
#define MCUPROF_HOST_COUNTERS_H

#include "profile.h"

/* A step of a hash. */
uint64_t mix_bits(uint64_t value);
/* Makes room for one more item. false: out of memory. */
bool items_reserve(void **items, size_t used, size_t *allocated, size_t bytes);
/* Makes room in an index for one more item than `used`. false: out of memory. */
bool slots_reserve(struct slot **index, size_t *size, size_t used);

/* Adds events to their counter; SIZE_MAX: out of memory, else its number. */
size_t counters_count(struct profile *profile, const struct event *event);
/* The number of a counter that is there. */
size_t counters_find(const struct counters *counters, uint64_t seed,
                     const struct counter *key);

#endif
