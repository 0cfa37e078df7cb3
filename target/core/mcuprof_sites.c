/* SPDX-License-Identifier: MIT */
/*
 * Call sites that `mcuprof patch` leads through thunks, which count. The thunks count
 * whether the profiler is on or not, and nothing but a thunk writes its count. So a
 * second word for each site tells what of the count is to be sent: while the site is on,
 * all but that word; while it is off, that word.
 */
#include "mcuprof_port.h"

#if MCUPROF_SITES
#ifndef MCUPROF_S_SITES
#error "MCUPROF_SITES: call sites are counted on Cortex-M only so far; leave it at 0"
#endif
#include "mcuprof_sites.h"

#define FN MCUPROF_NOT_PROFILED

#define THUNK_BYTES (MCUPROF_SITES_SHORT ? MCUPROF_THUNK_SHORT : MCUPROF_THUNK_FAST)
struct thunk {
    uint16_t code[(THUNK_BYTES - MCUPROF_THUNK_STEP) / 2], step;
    uint32_t to;
    const uint32_t *count;
};
_Static_assert(sizeof(struct thunk) == THUNK_BYTES, "layout");

extern const uint32_t mcuprof_sites;
void mcuprof_thunks(void);

/* `used`, for -flto does not see who writes it, and might take it for 0. */
__attribute__((used)) uint32_t mcuprof_site_counts[MCUPROF_SITE_PLACES];
static uint32_t other[MCUPROF_SITE_PLACES];
static volatile unsigned on; /* the first so many sites are on */

/* Turns a site on or off: what `other` is for changes. */
static FN void turn(unsigned site)
{
    other[site] = mcuprof_site_counts[site] - other[site];
}

FN void mcuprof_sites_start(void)
{
    while (on < MCUPROF_SITE_PLACES) {
        mcuprof_irq irq = mcuprof_irq_mask();

        if (on < MCUPROF_SITE_PLACES) { /* else an interrupt has done it */
            turn(on);
            on++;
        }
        mcuprof_irq_restore(irq);
    }
}

FN void mcuprof_sites_stop(void)
{
    while (on) {
        mcuprof_irq irq = mcuprof_irq_mask();

        if (on) {
            on--;
            turn(on);
        }
        mcuprof_irq_restore(irq);
    }
}

/* The thunk is read from memory, for the compiler sees only that of the linker. */
static FN const volatile struct thunk *thunk_of(unsigned site)
{
    uintptr_t thunks = (uintptr_t)mcuprof_thunks & ~(uintptr_t)1;

    __asm__("" : "+r"(thunks));
    return (const volatile struct thunk *)thunks + site;
}

/* The address of a call site: the sum of the steps up to it. A flush asks for one after
 * the other, so that each takes one step. Called with interrupts masked. */
static FN uint32_t address_of(unsigned site)
{
    static unsigned next;
    static uint32_t at;

    if (site + 1 < next || next == 0) {
        next = 0;
        at = *(const volatile uint32_t *)&mcuprof_sites;
    }
    for (; next <= site; next++) {
        if (thunk_of(next)->code[0] == MCUPROF_THUNK_USED) {
            at += 2u * thunk_of(next)->step;
        }
    }
    return at;
}

FN bool mcuprof_send_site(uintptr_t count, mcuprof_irq irq)
{
    unsigned site = (unsigned)((const uint32_t *)count - mcuprof_site_counts);
    bool is_on = site < on;
    uint32_t calls = is_on ? mcuprof_site_counts[site] - other[site] : other[site];
    struct mcuprof_entry arc = {.from =
                                    MCUPROF_KEY(address_of(site) + MCUPROF_SITE_BYTES),
                                .to = MCUPROF_KEY(thunk_of(site)->to),
                                .count = calls};

    if (calls == 0) {
        return true;
    }
#if MCUPROF_BY_TASK
    arc.task = 0; /* a site does not know who calls */
#endif
    if (!mcuprof_send_counter((uintptr_t)&arc, irq)) {
        return false;
    }
    if (site < on) { /* it may have been turned meanwhile */
        other[site] += calls;
    } else {
        other[site] -= calls;
    }
    return true;
}
#endif
