/* SPDX-License-Identifier: MIT */
/*
 * Counts calls in tables in RAM, as BSD's gprof does: what bench/counting.py compares
 * with. Each HASHFRACTION bytes of code have a place in `froms`, which leads to a list of
 * the callees of the calls there, the last one found first. Linked into a program of
 * tests/real/, whose calls of the hook come here by the linker's --wrap. The tables are
 * as BSD makes them: HASHFRACTION 2, ARCDENSITY 3; nothing of them is sent.
 */
#include <stdint.h>

#include "board.h"
#include "mcuprof.h"

/* One place for 2 * sizeof(uint16_t) bytes of code; room for 3 arcs in 100 bytes. */
enum { PLACE_BYTES = 4, ARCS_PERCENT = 3, TEXT_MAX = 512 * 1024, ARCS_LEAST = 50 };

struct callee {
    uint32_t self;
    uint32_t count;
    uint16_t link;
    uint16_t padding;
};

extern uint8_t __mcuprof_base[], __exidx_start[];

static uint16_t froms[TEXT_MAX / PLACE_BYTES];
static struct callee callees[TEXT_MAX * ARCS_PERCENT / 100];
static volatile uint32_t counting; /* 0: not, or a call is being counted */
static uint32_t low, text_bytes, limit;

void __real_mcuprof_start(void);
void __wrap_mcuprof_start(void);
void __real_mcuprof_end(void);
void __wrap_mcuprof_end(void);
void __wrap___gnu_mcount_nc(void);
void count_in_table(uint32_t from, uint32_t self);

void __wrap_mcuprof_start(void)
{
    low = (uint32_t)__mcuprof_base;
    text_bytes = (uint32_t)__exidx_start - low;
    limit = text_bytes * ARCS_PERCENT / 100;
    limit = limit < ARCS_LEAST ? ARCS_LEAST : limit;
    __real_mcuprof_start();
    counting = 1;
}

/* Says how many calls were counted, in how many bytes. */
void __wrap_mcuprof_end(void)
{
    uint32_t calls = 0;

    counting = 0;
    for (uint32_t i = 1; i <= callees[0].link; i++) {
        calls += callees[i].count;
    }
    board_printf("table: %u calls, %u bytes\n", (unsigned)calls,
                 (unsigned)(text_bytes / 2 + limit * sizeof *callees));
    __real_mcuprof_end();
}

/* A call from a place that has other callees, or none: the callee moves to the front. */
static void count_other(uint16_t *first, uint32_t self)
{
    uint32_t before = 0;

    for (uint32_t i = *first; i; before = i, i = callees[i].link) {
        if (callees[i].self == self) {
            callees[i].count++;
            callees[before].link = callees[i].link;
            callees[i].link = *first;
            *first = (uint16_t)i;
            return;
        }
    }
    if (callees[0].link + 1u < limit) {
        uint32_t made = ++callees[0].link;

        callees[made] = (struct callee){self, 1, *first, 0};
        *first = (uint16_t)made;
    }
}

/* What the hook calls: `from` is the address that the callee returns to. */
void count_in_table(uint32_t from, uint32_t self)
{
    uint32_t at = from - low;

    if (counting) {
        counting = 0;
        if (at < text_bytes) {
            uint16_t *first = &froms[at / PLACE_BYTES];
            struct callee *last = &callees[*first];

            if (*first && last->self == self) {
                last->count++;
            } else {
                count_other(first, self);
            }
        }
        counting = 1;
    }
}

/* As __gnu_mcount_nc: the caller's return address is on the stack. */
__attribute__((naked)) void __wrap___gnu_mcount_nc(void)
{
    __asm__("push {r0-r3, lr}\n\t"
            "ldr r0, [sp, #20]\n\t"
            "mov r1, lr\n\t"
            "bl count_in_table\n\t"
            "ldr r0, [sp, #16]\n\t"
            "mov ip, r0\n\t"
            "ldr r0, [sp, #20]\n\t"
            "mov lr, r0\n\t"
            "pop {r0-r3}\n\t"
            "add sp, #8\n\t"
            "bx ip");
}
