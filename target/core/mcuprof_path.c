/* SPDX-License-Identifier: MIT */
/*
 * The call path of a sample: a walk along the stack by the table that `mcuprof unwind`
 * has made (mcuprof_unwind.h), and a tree of the paths found.
 *
 * Paths repeat, and change at their inner end. So the walk begins at the outside, with
 * the last path: as long as its return addresses still lie where they lay, they are as
 * they were (a load and a compare each). Then it goes from the program counter outwards
 * until it meets one of these. What it found new gets nodes in the tree: those that were
 * seen of late are in a small cache, others are defined on the wire.
 */
#include "mcuprof.h"
#include "mcuprof_port.h"

#if MCUPROF_PATHS
#define FN MCUPROF_NOT_PROFILED

#include "mcuprof_unwind.h"

/* A port whose stack has no words of 32 bits has these. */
#ifndef MCUPROF_WORD
#define MCUPROF_WORD   4u
#define MCUPROF_AT(at) (*(const uint32_t *)(at)) /* the return address in this slot */
#endif
/* A port whose link register has not the return address itself has this. */
#ifndef MCUPROF_RETURN
#define MCUPROF_RETURN(link) (link)
#endif
/* A port whose handlers return to an address of their own has this. */
#ifndef MCUPROF_IS_EXCEPTION_RETURN
#define MCUPROF_IS_EXCEPTION_RETURN(address) ((void)(address), false)
#endif

/* The table's first bytes; mcuprof.ld leaves room behind them, and `mcuprof unwind`
 * writes it. */
__attribute__((section(".mcuprof_unwind"), used))
const struct mcuprof_unwind mcuprof_unwind_table = {0, 0, 0, 0, 0, 0};

/* Not by its name: link-time optimisation would take it for what it was compiled as. */
static inline __attribute__((always_inline)) FN const struct mcuprof_unwind *
the_table(void)
{
    const struct mcuprof_unwind *table = &mcuprof_unwind_table;

    __asm__("" : "+r"(table));
    return table;
}

FN void mcuprof_paths_start(void)
{
    struct mcuprof_paths *p = &mcuprof_state.paths;
    const struct mcuprof_unwind *table = the_table();

    if (table->magic == MCUPROF_UNWIND_MAGIC) {
        p->pages = (const uint16_t *)((const uint32_t *)(table + 1) + table->frame_count);
        p->rows = p->pages + table->page_count + 1;
    }
}

/* ---- Nodes ---- */

/* Where a node may be: here, or next to it. */
static FN struct mcuprof_node *place_of(uint16_t parent, uint32_t address)
{
    return mcuprof_state.paths.node +
           ((address >> 1) + parent * 5u) % (MCUPROF_NODES / 2) * 2;
}

/* A number is used for no more than so many definitions, so that a reader who waits for
 * one to be said again knows which node it means. Then nothing that has an old one is
 * left here. */
#define NUMBERS ((MCUPROF_WIRE_NODE_MAX + 1) / 2)

static FN bool begins_anew(struct mcuprof_paths *p)
{
    if (p->last % NUMBERS != NUMBERS - 1) {
        return false;
    }
    for (struct mcuprof_node *node = p->node; node < p->node + MCUPROF_NODES; node++) {
        node->number = 0;
    }
    mcuprof_lose_samples();
    return true;
}

/* Apart: this is seldom wanted. */
__attribute__((noinline, used)) FN uint16_t mcuprof_new_node(uint16_t parent,
                                                             uint32_t address)
{
    struct mcuprof_paths *p = &mcuprof_state.paths;
    struct mcuprof_node *node = place_of(parent, address) + (p->last & 1);
    uint16_t number = MCUPROF_NO_NODE;
    mcuprof_irq irq = mcuprof_irq_mask();

    if (mcuprof_sample_fits()) {
        bool anew = begins_anew(p);

        if (p->last == 0 || p->last == MCUPROF_WIRE_NODE_MAX) {
            p->last = MCUPROF_WIRE_NODE_FIRST - 1;
        }
        p->last++;
        if (!anew || parent < MCUPROF_WIRE_NODE_FIRST) { /* else it is nobody's child */
            number = p->last;
            node->number = number;
            node->address = address;
            node->parent = parent;
            mcuprof_put_node(node);
        }
    }
    mcuprof_irq_restore(irq);
    return number;
}

#ifndef MCUPROF_S_WALK
/* ---- Frames ---- */

/* The frame at an address of the code: MCUPROF_UNWIND_FRAME(size, where). */
static FN uint32_t frame_at(uint32_t address)
{
    const struct mcuprof_unwind *table = the_table();
    const struct mcuprof_paths *p = &mcuprof_state.paths;
    const uint32_t *frames = (const uint32_t *)(table + 1);
    const uint16_t *row, *first;
    uint32_t unit = (address - table->base) >> MCUPROF_ARCH_UNIT;
    uint32_t page = unit / MCUPROF_UNWIND_PAGE_UNITS;
    uint32_t last = MCUPROF_UNWIND_ROW(unit % MCUPROF_UNWIND_PAGE_UNITS + 1, 0);

    if (page >= table->page_count) {
        return MCUPROF_UNWIND_UNKNOWN;
    }
    first = p->rows + p->pages[page];
    row = p->rows + p->pages[page + 1];
    do { /* the row before the first of this page is valid into it */
        row--;
    } while (row >= first && *row >= last);
    return frames[MCUPROF_UNWIND_ROW_FRAME(*row)];
}

/* Whether a call may return there. What is no code is not read. */
static FN bool is_return_address(uint32_t address)
{
    const struct mcuprof_unwind *table = the_table();
    uint32_t units = (address - table->base) >> MCUPROF_ARCH_UNIT;

    return units / MCUPROF_UNWIND_PAGE_UNITS < table->page_count && units > 2 &&
           mcuprof_behind_call(address);
}

/* The node of the return address `address` behind `parent`; MCUPROF_NO_NODE: as
 * mcuprof_new_node(). */
static FN uint16_t child(uint16_t parent, uint32_t address)
{
    const struct mcuprof_node *node = place_of(parent, address);

    for (unsigned way = 0; way < 2; way++, node++) {
        if (node->address == address && node->parent == parent && node->number) {
            return node->number;
        }
    }
    return mcuprof_new_node(parent, address);
}

/* Gives the slots from `slot` up to `end` their nodes, each a child of the one before,
 * the first of `node`. The last one's; MCUPROF_NO_NODE: no room for one. */
static FN uint16_t give_nodes(unsigned slot, unsigned end, uint16_t node)
{
    struct mcuprof_paths *p = &mcuprof_state.paths;

    for (; slot != end; slot++) {
        node = child(node, p->slot[slot].address);
        if (node == MCUPROF_NO_NODE) {
            slot = 0; /* the next sample walks anew */
            break;
        }
        p->slot_node[slot] = node;
    }
    p->used = (uint16_t)(slot * sizeof p->slot[0]);
    return node;
}

/* ---- The walk ---- */

/* One past the last slot of the last path that still has its return address. Where few
 * are left of a path that was cut, none: what is beyond the cut may be within reach now.
 */
static FN struct mcuprof_slot *verified(struct mcuprof_paths *p, uintptr_t sp)
{
    struct mcuprof_slot *slot = p->slot;
    const struct mcuprof_slot *end = (struct mcuprof_slot *)((uint8_t *)slot + p->used);

    while (slot != end && slot->at >= sp && MCUPROF_AT(slot->at) == slot->address) {
        slot++;
    }
    if (p->root == MCUPROF_WIRE_ROOT_CUT && slot < p->slot + MCUPROF_PATHS / 4) {
        return p->slot;
    }
    return slot;
}

/* A walk that is not over. Slots of the last path are at the beginning of paths.slot, up
 * to `kept`; those found, outermost first, at its end, from `found`. */
struct walk {
    struct mcuprof_slot *kept, *found;
    uintptr_t sp, top;
    uint32_t address; /* the return address found last */
    uint32_t link;    /* the one in a register, which only the leaf can have; 0: none */
};

/* What a step of the walk came to: one of the wire's roots, the path is known; or: */
enum { ON = 4, MET }; /* it goes on; it met the last path */

/* Takes the return address in this slot. */
static FN unsigned take_slot(struct walk *walk, uintptr_t at)
{
    struct mcuprof_slot *first = mcuprof_state.paths.slot;
    uint32_t address;

    while (walk->kept != first && walk->kept[-1].at < at) {
        walk->kept--;
    }
    if (walk->kept != first && walk->kept[-1].at == at) {
        return MET;
    }
    walk->address = address = MCUPROF_AT(at);
    if (MCUPROF_IS_EXCEPTION_RETURN(address)) {
        return MCUPROF_WIRE_ROOT_INTERRUPT;
    }
    if (!is_return_address(address)) {
        return MCUPROF_WIRE_ROOT_UNSURE;
    }
    if (walk->found == walk->kept) {
        if (walk->kept == first) { /* the outer half goes: it may become longer still */
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

/* Takes the return address in a register of the leaf. */
static FN unsigned take_register(struct walk *walk, uint32_t address)
{
    if (MCUPROF_IS_EXCEPTION_RETURN(address)) {
        return MCUPROF_WIRE_ROOT_INTERRUPT;
    }
    if (!is_return_address(address)) {
        return MCUPROF_WIRE_ROOT_UNSURE;
    }
    walk->link = walk->address = address;
    return ON;
}

#ifdef MCUPROF_WINDOW_SP
/* Takes that of a register window, which lies on the stack. */
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

/* One frame outwards. */
static FN unsigned step(struct walk *walk, uint32_t frame, const uint32_t *registers)
{
    uint32_t where = MCUPROF_UNWIND_FRAME_WHERE(frame);
    uintptr_t sp = walk->sp;
    uintptr_t caller = sp + MCUPROF_UNWIND_FRAME_SIZE(frame);

    if (where - 1 < MCUPROF_UNWIND_HANDLER - 1) {
        uintptr_t at = caller - MCUPROF_WORD * where;

        if (at < sp || caller > walk->top) {
            return MCUPROF_WIRE_ROOT_UNSURE;
        }
        walk->sp = caller;
        return take_slot(walk, at);
    }
    if (where == MCUPROF_UNWIND_END) {
        return MCUPROF_WIRE_ROOT_WHOLE;
    }
#ifdef MCUPROF_WINDOW_SP
    if (where == MCUPROF_UNWIND_WINDOW) {
        return take_window(walk);
    }
#endif
    if (where == MCUPROF_UNWIND_HANDLER) {
        return MCUPROF_WIRE_ROOT_INTERRUPT;
    }
    if (where == MCUPROF_UNWIND_UNKNOWN || !registers || caller > walk->top) {
        return MCUPROF_WIRE_ROOT_UNSURE;
    }
    walk->sp = caller;
    return take_register(walk, MCUPROF_RETURN(registers[where - MCUPROF_UNWIND_R0]));
}

/* Puts what was found behind what is kept, and gives it nodes. */
static FN uint16_t take_found(struct walk *walk)
{
    struct mcuprof_paths *p = &mcuprof_state.paths;
    struct mcuprof_slot *from = walk->found, *to = walk->kept;
    unsigned kept = (unsigned)(to - p->slot);
    uint16_t node = kept == 0 ? p->root : p->slot_node[kept - 1];

    while (from != p->slot + MCUPROF_PATHS) {
        *to++ = *from++;
    }
    node = give_nodes(kept, (unsigned)(to - p->slot), node);
    return walk->link && node != MCUPROF_NO_NODE ? child(node, walk->link) : node;
}

FN uint16_t mcuprof_walk(struct mcuprof_paths *p, const struct mcuprof_context *context)
{
    struct walk walk;
    unsigned came;

    if (!p->rows) {
        return MCUPROF_WIRE_ROOT_UNSURE;
    }
    walk.found = p->slot + MCUPROF_PATHS;
    walk.sp = context->sp;
    walk.top = context->top;
    walk.link = 0;
    walk.kept = verified(p, walk.sp);
    came = step(&walk, frame_at(context->pc), context->registers);
    while (came == ON) {
        came = step(&walk, frame_at((walk.address & ~(uint32_t)1) - 1), NULL);
    }
    if (came != MET) {
        walk.kept = p->slot;
        p->root = (uint16_t)came;
    }
    return take_found(&walk);
}
#endif
#endif
