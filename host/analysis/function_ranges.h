/* SPDX-License-Identifier: MIT */
/* Where functions are, and which counters are calls. */
#ifndef MCUPROF_HOST_FUNCTION_RANGES_H
#define MCUPROF_HOST_FUNCTION_RANGES_H

#include "analyse.h"

/* Code from `start` on, up to `end`. */
struct function_range {
    uint64_t start, end;
};

/* Where a function may be: the image's symbols or, without one, each address seen. The
 * last range, number `count`, is "in no function". There are less than INT32_MAX. */
struct function_ranges {
    const struct image_symbol *symbols; /* NULL: addresses */
    struct function_range *items;
    size_t count;
    uint64_t base;   /* where the first range starts */
    unsigned shift;  /* bucket i has the addresses from base + (i << shift) on */
    uint32_t *first; /* by bucket: the first range that ends beyond its start */
    size_t buckets;
    double *self;     /* samples, count + 1 of them */
    bool *used;       /* count + 1 */
    uint32_t *number; /* count + 1: its place in analysis.functions, where it is used */
};

/* false: out of memory. To be released in any case. */
bool ranges_init(struct function_ranges *ranges, const struct profile *profile,
                 const struct image *image);
void ranges_release(struct function_ranges *ranges);

/* The first range that ends beyond the address, which it may hold or not; `count`:
 * none. */
size_t range_from(const struct function_ranges *ranges, uint64_t address);
/* The range that holds the address, or `count`. */
size_t range_at(const struct function_ranges *ranges, uint64_t address);

/* The address of a call's last byte, by its return address; without symbols, the return
 * address itself. */
uint64_t address_of_call(const struct function_ranges *ranges, uint64_t from);
/* Whether a return address is in the code: 0 and an exception return are not. */
bool is_call_site(uint64_t from);
/* A caller's range, or NO_FUNCTION. */
size_t caller_at(const struct function_ranges *ranges, uint64_t from);
/* Whether a counter is no call but says how often and how long a task ran. */
bool is_tasks_own(const struct counter *call);

#endif
