/* SPDX-License-Identifier: MIT */
/*
 * The call path of a sample: a walk along the stack by the table that `mcuprof unwind`
 * has made (mcuprof_unwind.h).
 *
 * Paths repeat, and change at their inner end. So the walk begins at the outside, with
 * the last path: it takes over the return addresses that still lie where they lay, for a
 * load and a compare each. Then it goes from the program counter outwards until it
 * meets one of these. Only what is new is sent (mcuprof_path_encoder.h).
 */
#include "mcuprof_port.h"

#if MCUPROF_PATHS
#define FN MCUPROF_NOT_PROFILED

#include "mcuprof_unwind.h"

#if MCUPROF_THROUGH_INTERRUPTS && !defined(MCUPROF_KNOWS_WHAT_IT_HIT)
#error "MCUPROF_THROUGH_INTERRUPTS: only on a Cortex-M is it known what an interrupt hit"
#endif

/* The table's first bytes; mcuprof.ld leaves room behind them, and `mcuprof unwind`
 * writes the table there. */
__attribute__((section(".mcuprof_unwind"), used))
const struct mcuprof_unwind mcuprof_unwind_table = {0, 0, 0, 0, 0, 0, 0, 0, 0};

_Static_assert(offsetof(struct mcuprof_unwind, fp) == MCUPROF_UNWIND_FP_OFFSET,
               "mcuprof_unwind.h");

/* Hides the table's address from the compiler: link-time optimisation would otherwise
 * take the table for the zeros that it was compiled as. */
static inline __attribute__((always_inline)) FN const struct mcuprof_unwind *
the_table(void)
{
    const struct mcuprof_unwind *table = &mcuprof_unwind_table;

    __asm__("" : "+r"(table));
    return table;
}

#ifndef MCUPROF_S_TABLE
enum { PAGES_MAX = 0x10000 / MCUPROF_UNWIND_PAGE_UNITS * MCUPROF_PATH_CACHE };

/* Makes the cache look as if it had an address behind the code in RAM in each place.
 * Return addresses in RAM, and others with the same key in the cache, are never
 * remembered; so none may find its key there. */
static FN void hide_ram(struct mcuprof_paths *p, const struct mcuprof_unwind *table)
{
    uint32_t behind =
        table->ram_base + ((uint32_t)table->ram_page_count
                           << (MCUPROF_UNWIND_PAGE_BITS + MCUPROF_ARCH_UNIT));

    for (unsigned i = 0; i < MCUPROF_PATH_CACHE; i++) {
        p->frame[i] = MCUPROF_PATH_TAG(MCUPROF_PATH_KEY(behind));
    }
}

static FN void mcuprof_find_table(struct mcuprof_paths *p)
{
    const struct mcuprof_unwind *table = the_table();
    uint32_t pages = 0;

    if (table->magic == MCUPROF_UNWIND_MAGIC) {
        pages = table->page_count;
        __asm__("" : "+r"(pages)); /* else GCC extends it twice */
        if (pages <= PAGES_MAX && table->ram_page_count < PAGES_MAX) {
            p->pages =
                (const uint16_t *)((const uint32_t *)(table + 1) + table->frame_count) +
                table->ram_page_count;
            if (table->ram_page_count) {
                hide_ram(p, table);
            }
            p->rows = p->pages + pages;
#ifndef MCUPROF_S_WALK
            p->rows++;
#else
            if (table->ram_page_count) {
                p->rows = MCUPROF_ROWS_IN_RAM;
            }
#endif
        }
    }
}
#endif

FN void mcuprof_paths_start(void)
{
    struct mcuprof_paths *p = mcuprof_the_paths();

#if MCUPROF_SAMPLES_TIMED
    p->sampling.least = UINT32_MAX;
#endif
    mcuprof_find_table(p);
}

#if !defined(MCUPROF_S_WALK) && !defined(MCUPROF_S_TABLE)
/* ---- Frames ---- */

/* The units from the page's begin up to the address are in *units. Returns where the page
 * is in the table; NULL: the address is none of the code. */
static FN const uint16_t *page_of(uint32_t address, uint32_t *units)
{
    const struct mcuprof_unwind *table = the_table();
    const uint16_t *pages = mcuprof_state.paths.pages;

    *units = (address - table->base) >> MCUPROF_ARCH_UNIT;
    if (*units / MCUPROF_UNWIND_PAGE_UNITS >= table->page_count) {
        *units = (address - table->ram_base) >> MCUPROF_ARCH_UNIT;
        if (*units / MCUPROF_UNWIND_PAGE_UNITS >= table->ram_page_count) {
            return 0;
        }
        pages -= table->ram_page_count;
    }
    return pages + *units / MCUPROF_UNWIND_PAGE_UNITS;
}

/* The number of the frame at an address of the code; 0: nothing is known of it. */
static FN uint32_t frame_at(uint32_t address)
{
    const uint16_t *row, *first, *page;
    uint32_t units, last;

    page = page_of(address, &units);
    if (!page) {
        return 0;
    }
    last = MCUPROF_UNWIND_ROW(units % MCUPROF_UNWIND_PAGE_UNITS + 1, 0);
    first = mcuprof_state.paths.rows + page[0];
    row = mcuprof_state.paths.rows + page[1];
    do { /* the row before the first of this page is valid into it */
        row--;
    } while (row >= first && *row >= last);
    return MCUPROF_UNWIND_ROW_FRAME(*row);
}

/* The frame with this number. */
static FN uint32_t frame_of(uint32_t number)
{
    if (MCUPROF_WORD == 4 && number >= MCUPROF_UNWIND_PLAIN) {
        return MCUPROF_UNWIND_FRAME((number - MCUPROF_UNWIND_PLAIN) * 4, 1);
    }
    return ((const uint32_t *)(the_table() + 1))[number];
}

/* Whether a call may return to this address, which is read only if it is code. */
static FN bool is_return_address(uint32_t address)
{
    uint32_t units;

    return page_of(address, &units) && units > 2 && mcuprof_behind_call(address);
}

/* Whether a return address is in RAM, or has the same key in the cache as one there. */
static FN bool is_ambiguous(uint32_t address)
{
    const struct mcuprof_unwind *table = the_table();
    uint32_t units = (MCUPROF_PATH_CALL(address) - table->ram_base) >> MCUPROF_ARCH_UNIT;

    return units / MCUPROF_UNWIND_PAGE_UNITS % PAGES_MAX < table->ram_page_count;
}

/* The number of the frame behind a return address; -1: no call returns there. */
static FN int frame_behind(uint32_t address)
{
    struct mcuprof_paths *p = &mcuprof_state.paths;
    uint32_t key = MCUPROF_PATH_KEY(address);
    unsigned place = key % MCUPROF_PATH_CACHE;
    uint32_t tag = MCUPROF_PATH_TAG(key), frame = 0;

    if (p->frame[place] >> 16 == tag >> 16) {
        frame = MCUPROF_UNWIND_ROW_FRAME(p->frame[place]);
    }
    if (frame == 0) {
        if (!is_return_address(address)) {
            return -1;
        }
        frame = frame_at(MCUPROF_PATH_CALL(address));
        if (!is_ambiguous(address)) {
            p->frame[place] = tag | frame;
        }
    }
    return (int)frame;
}

/* ---- The walk ---- */

/* Whether the last path's slot, if it is in a register window, still leads to the slot
 * further out. */
static inline FN bool is_next(const struct mcuprof_paths *p,
                              const struct mcuprof_slot *slot)
{
#ifdef MCUPROF_WINDOW_NEXT
    return slot == p->slot || MCUPROF_WINDOW_NEXT(slot->at) == slot[-1].at;
#else
    (void)p;
    (void)slot;
    return true;
#endif
}

/* Returns one past the last slot of the last path that still has its return address. If
 * the last path was cut and few of its slots still do, it keeps none: the frames beyond
 * the cut may be within reach now.
 *
 * What the walk meets is the rest of the path because a return address fixes the size of
 * the frame behind it, and so where the next slot is. In a BASED frame it does not: there
 * the next slot moves, and an old word may be left where it was. So step() makes the slot
 * of such a frame one that is nowhere. A register window says where the next one is.
 */
static FN struct mcuprof_slot *verified(struct mcuprof_paths *p, uintptr_t sp)
{
    struct mcuprof_slot *slot = p->slot;
    const struct mcuprof_slot *end = (struct mcuprof_slot *)((uint8_t *)slot + p->used);

    while (slot != end && slot->at >= sp && MCUPROF_AT(slot->at) == slot->address &&
           is_next(p, slot)) {
        slot++;
    }
    if (p->root == MCUPROF_WIRE_ROOT_CUT && slot < p->slot + MCUPROF_PATHS / 4) {
        return p->slot;
    }
    return slot;
}

/* A walk that is not over. The slots that are kept of the last path are at the beginning
 * of paths.slot, up to `kept`. The slots that were found are at its end, from `found` on,
 * outermost first. */
struct walk {
    struct mcuprof_slot *kept, *found;
    uintptr_t sp, top;
    uintptr_t fp; /* the frame pointer; 0: not known */
    int frame;    /* the number of the next frame; -1: there is none */
    bool any;     /* a return address was found, and no register has the next one */
    const struct mcuprof_context *context;
};

/* The result of a step of the walk. One of the wire's roots: the path is known to its
 * end. ON: the walk goes on. MET: it met the last path. */
enum { ON = 4, MET };

/* A thread's outermost function may return to a function that nothing calls, as those of
 * FreeRTOS return to prvTaskExitError(). That function is no frame of the path. */
static FN bool is_end(uint32_t address)
{
    uint32_t frame = frame_of(frame_at(address));

    return MCUPROF_UNWIND_FRAME_WHERE(frame) == MCUPROF_UNWIND_END;
}

/* Goes on to the frame behind a return address. */
static FN unsigned take(struct walk *walk, uint32_t address)
{
    if (MCUPROF_IS_EXCEPTION_RETURN(address)) {
        return MCUPROF_WIRE_ROOT_INTERRUPT;
    }
    walk->frame = frame_behind(address);
    if (walk->frame >= 0) {
        return ON;
    }
    return is_end(address) ? MCUPROF_WIRE_ROOT_WHOLE : MCUPROF_WIRE_ROOT_UNSURE;
}

/* Does what take() does, and adds the return address to the path's slots. */
static FN unsigned take_into(struct walk *walk, uintptr_t at, uint32_t address)
{
    struct mcuprof_slot *first = mcuprof_state.paths.slot;
    unsigned came = take(walk, address);

    if (came != ON) {
        return came;
    }
    if (walk->found == walk->kept) {
        if (walk->kept == first) { /* drops the outer half, for more may come */
            walk->found += MCUPROF_PATHS / 2;
            return MCUPROF_WIRE_ROOT_CUT;
        }
        walk->kept--;
    }
    walk->found--;
    walk->found->at = at;
    walk->found->address = address;
    return ON;
}

/* Does what take_into() does with the return address in this slot of the stack, unless
 * the last path has that slot. */
static FN unsigned take_slot(struct walk *walk, uintptr_t at)
{
    const struct mcuprof_slot *first = mcuprof_state.paths.slot;

    walk->any = true;
    while (walk->kept != first && walk->kept[-1].at < at) {
        walk->kept--;
    }
    if (walk->kept != first && walk->kept[-1].at == at) {
        return MET;
    }
    return take_into(walk, at, MCUPROF_AT(at));
}

/* Goes on to the frame behind the return address in a register of the leaf. If there is a
 * second such address, it gets a slot at 0, which is nowhere, so that the next walk does
 * not keep it. */
static FN unsigned take_register(struct walk *walk, unsigned where)
{
    uint32_t address =
        MCUPROF_RETURN(walk->context->registers[where - MCUPROF_UNWIND_R0]);
    unsigned came;

    walk->any = MCUPROF_LINKS == 1 || where == MCUPROF_UNWIND_LINK;
    if (MCUPROF_LINKS > 1 && mcuprof_state.paths.link) {
        return take_into(walk, 0, address);
    }
    came = take(walk, address);
    if (came == ON) {
        mcuprof_state.paths.link = address;
    }
    return came;
}

#ifdef MCUPROF_LINK_LEADS
/* Goes on to the frame at the address in the leaf's link register, which no call returns
 * to, unless it is the second one. */
static FN unsigned take_target(struct walk *walk)
{
    uint32_t address = walk->context->registers[MCUPROF_LINK_LEADS - MCUPROF_UNWIND_R0];

    walk->any = MCUPROF_LINKS == 1;
    walk->frame = (int)frame_at(address & ~(uint32_t)1);
    mcuprof_state.paths.link = MCUPROF_LINKS == 1 ? address + 2 : address;
    return ON;
}
#endif

#ifdef MCUPROF_WINDOW_SP
/* Goes on to the frame behind the return address of a register window, which was stored
 * on the stack. */
static FN unsigned take_window(struct walk *walk)
{
    uintptr_t sp = walk->sp, caller;

    if (sp % 8 != 0 || sp >= walk->top) {
        return MCUPROF_WIRE_ROOT_UNSURE;
    }
    caller = MCUPROF_WINDOW_SP(sp);
    if (caller <= sp || caller > walk->top) {
        return MCUPROF_WIRE_ROOT_UNSURE;
    }
    walk->sp = caller;
    return take_slot(walk, MCUPROF_WINDOW_SLOT(sp));
}
#endif

/* The frame pointer of the caller, whose stack pointer is `caller`; 0: not known. */
static FN uintptr_t fp_of(const struct walk *walk, uint32_t frame, uintptr_t caller)
{
    uint32_t saved = MCUPROF_UNWIND_FRAME_SAVED(frame);
    uintptr_t at = caller - MCUPROF_WORD * saved;

    if (saved == 0) {
        return walk->fp;
    }
    return saved == MCUPROF_UNWIND_SAVED_LOST || at < walk->sp ? 0 : MCUPROF_AT(at);
}

/* The next walk must not keep the slot of a BASED frame, nor any further in. */
static FN void forget_last(struct walk *walk)
{
    if (walk->found != mcuprof_state.paths.slot + MCUPROF_PATHS) {
        walk->found->at = 0;
    }
}

/* Goes one frame outwards. */
static FN unsigned step(struct walk *walk)
{
    uint32_t frame = frame_of((uint32_t)walk->frame);
    uint32_t where = MCUPROF_UNWIND_FRAME_WHERE(frame);
    uintptr_t base = frame & MCUPROF_UNWIND_BASED ? walk->fp : walk->sp;
    uintptr_t caller = base + MCUPROF_UNWIND_FRAME_SIZE(frame);
    uintptr_t at = caller - MCUPROF_WORD * where;

    if (where == MCUPROF_UNWIND_END) {
        return MCUPROF_WIRE_ROOT_WHOLE;
    }
    if (where == MCUPROF_UNWIND_HANDLER) {
        return MCUPROF_WIRE_ROOT_INTERRUPT;
    }
#ifdef MCUPROF_WINDOW_SP
    if (where == MCUPROF_UNWIND_WINDOW) {
        return take_window(walk);
    }
#endif
    if (where == MCUPROF_UNWIND_UNKNOWN || base < walk->sp || caller < base ||
        caller > walk->top || caller % MCUPROF_WORD != 0) {
        return MCUPROF_WIRE_ROOT_UNSURE;
    }
    if (where < MCUPROF_UNWIND_HANDLER && at < walk->sp) {
        return MCUPROF_WIRE_ROOT_UNSURE;
    }
    if (where > MCUPROF_UNWIND_HANDLER && walk->any) { /* the registers are the leaf's */
        return MCUPROF_WIRE_ROOT_UNSURE;
    }
    if (frame & MCUPROF_UNWIND_BASED) {
        forget_last(walk);
    }
    walk->fp = fp_of(walk, frame, caller);
    walk->sp = caller;
#ifdef MCUPROF_LINK_LEADS
    if (where == MCUPROF_UNWIND_TARGET) {
        return take_target(walk);
    }
#endif
    return where < MCUPROF_UNWIND_HANDLER ? take_slot(walk, at)
                                          : take_register(walk, where);
}

/* Puts the slots that were found behind those that are kept. Frames that were walked anew
 * may be as they were said, as far as no slot that was found has taken their room. */
static FN void take_found(struct mcuprof_paths *p, const struct walk *walk)
{
    const struct mcuprof_slot *from = walk->found;
    const struct mcuprof_slot *said =
        (struct mcuprof_slot *)((uint8_t *)p->slot + p->known);
    struct mcuprof_slot *to = walk->kept;

    while (to < said && to < walk->found && from != p->slot + MCUPROF_PATHS &&
           to->address == from->address) {
        *to++ = *from++;
    }
    if (to < said) {
        p->known = (uint16_t)((uint8_t *)to - (uint8_t *)p->slot);
    }
    while (from != p->slot + MCUPROF_PATHS) {
        *to++ = *from++;
    }
    p->used = (uint16_t)((uint8_t *)to - (uint8_t *)p->slot);
}

FN void mcuprof_walk(struct mcuprof_paths *p, const struct mcuprof_context *context)
{
    struct walk walk;
    unsigned came = MCUPROF_WIRE_ROOT_UNSURE;

    p->link = 0;
    walk.found = p->slot + MCUPROF_PATHS;
    walk.sp = context->sp;
    walk.top = context->top;
    walk.fp = context->fp;
    walk.any = false;
    walk.context = context;
    walk.kept = verified(p, walk.sp);
    if (p->rows) {
        walk.frame = (int)frame_at(context->pc);
        do {
            came = step(&walk);
        } while (came == ON);
    }
    if (came != MET) {
        walk.kept = p->slot;
        mcuprof_path_root(p, came);
    }
    if (came == MCUPROF_WIRE_ROOT_CUT) { /* what was said is overwritten */
        p->known = 0;
    }
    take_found(p, &walk);
}
#endif
#endif
