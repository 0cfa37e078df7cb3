/* SPDX-License-Identifier: MIT */
#include "outside.h"

#include <math.h>
#include <stdlib.h>

#include "../arch/arch.h"

/* Instructions that set a hook's two arguments. A pair's measured time has them. */
enum { ARGUMENTS = 2 };

/* Instructions that any function has outside of its hooks. */
enum { RETURN = 1 };

/* What is moved to and from a function, in ticks. */
struct moved {
    bool read;
    bool over;     /* calls of it are over: their self times can lose something */
    double each;   /* what each call of it takes outside of its hooks */
    double own;    /* the part of `each` that it takes without hooks, too, */
    double astray; /* and the error of that part */
    double gives;  /* what the functions that it calls would gain from it */
    uint64_t self; /* of its calls, before anything is moved */
    /* What its call sites still have to lose, and the self times of these sites. */
    uint64_t loses, left;
};

double hook_cost_instruction(const struct profile *profile)
{
    const struct arch_port *port = arch_port_named(profile->arch);
    if (port == NULL || port->pair_instructions == 0)
        return 0;
    return (profile->time.inside + profile->time.outside) / port->pair_instructions;
}

/* Which part of `count` instructions outside of its hooks is the function's own. */
static void share_code(const struct shipped_code *code, double count, struct moved *moved)
{
    if (code->longer_known && code->longer >= 0 &&
        code->longer <= HOOK_COUNTED_MOST * count) {
        moved->own = 1 - fmin(code->longer, count) / count;
        moved->astray = fmin(HOOK_COUNTED_ERROR, count - RETURN) / count;
    } else {
        moved->own = 1 - HOOK_SAVING * (count - RETURN) / count;
        moved->astray = HOOK_SAVING_ERROR * (count - RETURN) / count;
    }
}

/* Reads the code of a function, if that was not done. false: out of memory. */
static bool read_code(const struct image_symbol *symbol, struct image *image,
                      const struct shipped_code *code, double instruction,
                      struct moved *moved)
{
    struct image_hooks hooks;
    if (moved->read || symbol == NULL)
        return true;
    moved->read = true;
    if (!image_hooks(image, symbol->address, symbol->end, &hooks))
        return false;
    if (hooks.before >= ARGUMENTS && hooks.behind > 0) {
        unsigned count = hooks.before - ARGUMENTS + hooks.behind;
        moved->each = count * instruction;
        share_code(code, count, moved);
    }
    return true;
}

static bool read_functions(const struct analysis *analysis, struct image *image,
                           const struct shipped_code *codes, double instruction,
                           struct moved *moved)
{
    for (size_t i = 0; i < analysis->site_count; i++) {
        const struct call_site *site = &analysis->sites[i];
        struct moved *callee = &moved[site->callee];
        const struct image_symbol *symbol = analysis->functions[site->callee].symbol;
        if (!read_code(symbol, image, &codes[site->callee], instruction, callee))
            return false;
        callee->over = true;
        callee->self += site->took.self;
        if (site->caller != NO_FUNCTION && site->caller != site->callee && !site->inlined)
            moved[site->caller].gives += (double)site->count * callee->each;
    }
    return true;
}

/* What the calls from one place take outside of their hooks. */
static uint64_t gain_of(const struct call_site *site, const struct moved *moved)
{
    if (site->caller == NO_FUNCTION || !moved[site->caller].over || site->inlined)
        return 0;
    const struct moved *caller = &moved[site->caller];
    double gain = (double)site->count * moved[site->callee].each;
    double has = (double)caller->self;
    if (site->caller != site->callee && caller->gives > has)
        gain = floor(gain * has / caller->gives);
    return (uint64_t)fmin(rint(gain), 0x1p52);
}

static void gain(struct call_site *site, struct moved *moved)
{
    uint64_t ticks = gain_of(site, moved);
    uint64_t own = (uint64_t)rint((double)ticks * moved[site->callee].own);
    double each = (double)own / (double)site->count;
    moved[site->callee].left += site->took.self + own;
    if (ticks == 0)
        return;
    moved[site->caller].loses += ticks;
    site->saving = ticks - own;
    site->astray = (double)ticks * moved[site->callee].astray;
    site->took.self += own;
    site->took.total += ticks;
    site->gained = (int64_t)floor(each);
    site->took.shortest += (uint64_t)site->gained;
    site->took.longest += (uint64_t)ceil(each);
}

/* A function's call sites lose in proportion to their self times. */
static void lose(struct call_site *site, struct moved *callee)
{
    uint64_t has = site->took.self;
    if (callee->loses == 0 || has == 0)
        return;
    double part = rint((double)callee->loses * ((double)has / (double)callee->left));
    uint64_t ticks = (uint64_t)fmin(part, (double)has);
    ticks = ticks < callee->loses ? ticks : callee->loses;
    callee->left -= has;
    callee->loses -= ticks;
    site->took.self = has - ticks;
}

bool hook_cost_move(struct analysis *analysis, const struct profile *profile,
                    struct image *image, const struct shipped_code *codes)
{
    double instruction = hook_cost_instruction(profile);
    if (image == NULL || instruction == 0)
        return true;
    struct moved *moved = calloc(analysis->function_count + 1, sizeof *moved);
    bool done =
        moved != NULL && read_functions(analysis, image, codes, instruction, moved);
    for (size_t i = 0; done && i < analysis->site_count; i++)
        gain(&analysis->sites[i], moved);
    for (size_t i = 0; done && i < analysis->site_count; i++)
        lose(&analysis->sites[i], &moved[analysis->sites[i].callee]);
    free(moved);
    return done;
}
