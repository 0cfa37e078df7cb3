/* SPDX-License-Identifier: MIT */
#include "timed.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "../base/compare.h"
#include "internal.h"
#include "outside.h"

static int by_ends(const void *left, const void *right)
{
    const struct arc *a = left, *b = right;
    ORDER_BY(a->caller, b->caller);
    return (a->callee > b->callee) - (a->callee < b->callee);
}

static struct arc *arc_of(const struct analysis *analysis, const struct call_site *site)
{
    const struct arc key = {.caller = (uint32_t)site->caller,
                            .callee = (uint32_t)site->callee};
    struct arc *arc =
        bsearch(&key, analysis->arcs, analysis->arc_count, sizeof key, by_ends);
    assert(arc != NULL); /* arcs are those of the sites */
    return arc;
}

static bool is_recursive(const struct analysis *analysis, const struct call_site *site)
{
    unsigned cycle = analysis->functions[site->callee].cycle;
    return site->caller == site->callee ||
           (site->caller != NO_FUNCTION && cycle != NO_CYCLE &&
            analysis->functions[site->caller].cycle == cycle);
}

static void add_site(struct timed *timed, const struct call_site *site)
{
    const struct call_times *took = &site->took;
    timed->self += took->self;
    if (site->recursive) {
        timed->recursive += site->count;
        return;
    }
    if (timed->calls == 0 || took->shortest < timed->shortest)
        timed->shortest = took->shortest;
    if (took->longest > timed->longest)
        timed->longest = took->longest;
    timed->total += took->total;
    timed->calls += site->count;
}

static struct timed *function_of(const struct analysis *analysis, size_t function)
{
    return &analysis->function_times[function].timed;
}

static struct timed *cycle_of(const struct analysis *analysis, size_t function)
{
    unsigned cycle = analysis->functions[function].cycle;
    return cycle == NO_CYCLE ? NULL : &analysis->cycles[cycle - 1].timed;
}

/* Sums up call sites by arc, function and cycle. */
static void sum_sites(struct analysis *analysis)
{
    static const struct timed zero;
    for (size_t i = 0; i < analysis->site_count; i++)
        analysis->times[i].timed = zero;
    for (size_t i = 0; i < analysis->function_count; i++)
        *function_of(analysis, i) = zero;
    for (size_t i = 0; i < analysis->cycle_count; i++)
        analysis->cycles[i].timed = zero;
    for (size_t i = 0; i < analysis->site_count; i++) {
        const struct call_site *site = &analysis->sites[i];
        struct timed *cycle = cycle_of(analysis, site->callee);
        add_site(&arc_of(analysis, site)->times->timed, site);
        add_site(function_of(analysis, site->callee), site);
        if (cycle != NULL)
            add_site(cycle, site);
        if (site->recursive || site->caller == NO_FUNCTION)
            continue;
        cycle = cycle_of(analysis, site->caller);
        function_of(analysis, site->caller)->children += site->took.total;
        if (cycle != NULL)
            cycle->children += site->took.total;
    }
}

static uint64_t rounded(double ticks)
{
    return ticks > 0 ? (uint64_t)fmin(rint(ticks), 0x1p62) : 0;
}

static double share(uint64_t part, uint64_t whole)
{
    return whole > 0 ? (double)part / (double)whole : 0;
}

/* What the hooks cost a function in its own calls. */
static double inside_of(const struct function *function, const struct time_base *time)
{
    return (double)timed_all_calls(function->timed) * time->inside;
}

/* And in the calls that it makes. */
static double outside_of(const struct analysis *analysis, const struct function *function,
                         const struct time_base *time)
{
    double cost = 0;
    for (size_t i = 0; i < function->outs; i++) {
        const struct arc *arc = &analysis->arcs[function->first_out + i];
        if (arc->times != NULL)
            cost += (double)timed_all_calls(&arc->times->timed) * time->outside;
    }
    return cost;
}

/* The time of the calls along an arc. Where ticks are so coarse that they took none, the
 * calls weigh a little. */
static double arc_time(const struct arc *arc)
{
    const struct arc_times *times = arc->times;
    return times == NULL ? 0
                         : (double)times->timed.total + 1e-6 * (double)times->timed.calls;
}

const struct arc_weights timed_by_time = {arc_time, arc_time};
/* Each call has hooks of its own, and a longer one has called more. */
const struct arc_weights timed_by_hooks = {arc_calls, arc_time};

double timed_along(const struct analysis *analysis, const struct passed_times *passed,
                   const struct arc *arc)
{
    const struct passed_arc *along = &passed->arcs[arc - analysis->arcs];
    return along->self + along->children;
}

/* Adds costs to those of functions and arcs. */
static void add_costs(struct analysis *analysis, const double *self,
                      const struct passed_times *passed)
{
    for (size_t i = 0; i < analysis->function_count; i++)
        analysis->function_times[i].cost += self[i];
    for (size_t i = 0; i < analysis->arc_count; i++)
        if (analysis->arcs[i].times != NULL)
            analysis->arcs[i].times->cost +=
                timed_along(analysis, passed, &analysis->arcs[i]);
}

/* Finds what the hooks cost each function and each arc. Costs pass on as times do, but by
 * what was measured of calls. */
static bool find_hooks(struct analysis *analysis, const struct time_base *time,
                       const uint32_t *order)
{
    size_t functions = analysis->function_count;
    double *self = calloc(functions + 1, sizeof *self);
    struct passed_times passed;
    bool done = passed_times_init(&passed, analysis) && self != NULL;
    for (size_t i = 0; done && i < functions; i++)
        self[i] = inside_of(&analysis->functions[i], time);
    done = done && propagate(analysis, self, order, &timed_by_hooks, &passed);
    if (done)
        add_costs(analysis, self, &passed);
    for (size_t i = 0; done && i < functions; i++)
        self[i] = outside_of(analysis, &analysis->functions[i], time);
    done = done && propagate(analysis, self, order, &timed_by_time, &passed);
    if (done)
        add_costs(analysis, self, &passed);
    passed_times_release(&passed);
    free(self);
    return done;
}

/* A site's part of what its arc has. */
static double part_of(const struct analysis *analysis, const struct call_site *site,
                      double of_arc)
{
    const struct timed *timed = &arc_of(analysis, site)->times->timed;
    return of_arc * (site->recursive || timed->total == 0
                         ? share(site->count, timed_all_calls(timed))
                         : share(site->took.total, timed->total));
}

static uint64_t less(uint64_t ticks, int64_t by)
{
    if (by < 0)
        return ticks + (uint64_t)-by;
    return ticks > (uint64_t)by ? ticks - (uint64_t)by : 0;
}

/* Takes ticks off the total of a site's calls, which is at least their self time. Each
 * single call loses the mean, for no more is known. */
static void shorten(struct call_site *site, int64_t ticks, int64_t singles)
{
    struct call_times *took = &site->took;
    int64_t most = (int64_t)took->total - (int64_t)took->self;
    int64_t each = site->count > 0 ? singles / (int64_t)site->count : 0;
    ticks = ticks < most ? ticks : most;
    took->total = less(took->total, ticks);
    site->taken += ticks;
    took->shortest = less(took->shortest, each);
    took->longest = less(took->longest, each);
    site->gained -= each;
}

/* Passes ticks of each function on by the time of calls. Returns, by site, its part of
 * what has passed along its arc; the caller frees it. NULL: out of memory. */
static double *find_parts(const struct analysis *analysis, const double *self,
                          const uint32_t *order)
{
    double *parts = calloc(analysis->site_count + 1, sizeof *parts);
    struct passed_times passed;
    bool done = passed_times_init(&passed, analysis) && parts != NULL &&
                propagate(analysis, self, order, &timed_by_time, &passed);
    for (size_t i = 0; done && i < analysis->site_count; i++) {
        const struct call_site *site = &analysis->sites[i];
        const struct arc *arc = arc_of(analysis, site);
        parts[i] = part_of(analysis, site, timed_along(analysis, &passed, arc));
    }
    passed_times_release(&passed);
    if (!done) {
        free(parts);
        return NULL;
    }
    return parts;
}

/* Sums up the time for saving registers; `made`: by function, in the calls it makes. */
static void sum_saving(struct analysis *analysis, double *made)
{
    for (size_t i = 0; i < analysis->site_count; i++) {
        const struct call_site *site = &analysis->sites[i];
        analysis->function_times[site->callee].saving += (double)site->saving;
        analysis->function_times[site->callee].astray += site->astray;
        if (site->saving > 0) /* its caller is known */
            made[site->caller] += (double)site->saving;
        analysis->timed.saving += site->saving;
    }
}

/* Subtracts the time for saving registers from the totals that it is in. Between hooks
 * this time is the caller's, and it goes where the caller's time goes. */
static bool take_saving(struct analysis *analysis, const uint32_t *order)
{
    double *made = calloc(analysis->function_count + 1, sizeof *made), *parts = NULL;
    if (made == NULL)
        return false;
    sum_saving(analysis, made);
    bool any = analysis->timed.saving != 0;
    if (any)
        parts = find_parts(analysis, made, order);
    for (size_t i = 0; parts != NULL && i < analysis->site_count; i++) {
        struct call_site *site = &analysis->sites[i];
        int64_t before = site->taken, within = (int64_t)rounded(parts[i]);
        shorten(site, (int64_t)site->saving + within, within);
        arc_of(analysis, site)->times->saving += (double)(site->taken - before);
    }
    if (parts != NULL)
        sum_sites(analysis);
    bool done = !any || parts != NULL;
    free(made);
    free(parts);
    return done;
}

static void find_codes(struct analysis *analysis, const struct shipped_code *codes,
                       double instruction)
{
    for (size_t i = 0; i < analysis->function_count; i++) {
        struct function_times *times = &analysis->function_times[i];
        times->differing = timed_code_error(times, &codes[i], instruction);
        if (codes[i].ratio > 0)
            analysis->timed.compared++;
    }
}

/* A loop that is longer is so by its part in each call: the shortest and the longest
 * change as the total did, which was `was`. */
static void scale_singles(struct call_site *site, uint64_t was)
{
    struct call_times *took = &site->took;
    double part = was > 0 ? (double)took->total / (double)was : 1;
    took->shortest = rounded(fmin((double)took->shortest * part, 0x1p62));
    took->longest = rounded(fmin((double)took->longest * part, 0x1p62));
    site->scaled = site->scaled || took->total != was;
}

/* Finds what loops take longer than in the firmware that ships, and sums it up; it may be
 * less than 0. Returns whether any differs. */
static bool sum_differs(struct analysis *analysis, const struct shipped_code *codes)
{
    bool any = false;
    for (size_t i = 0; i < analysis->site_count; i++) {
        struct call_site *site = &analysis->sites[i];
        const struct shipped_code *code = &codes[site->callee];
        if (code->ratio == 0 || code->loops == 0)
            continue;
        double shipped = fmin((double)site->took.self / code->ratio, 0x1p62);
        site->differs = (int64_t)site->took.self - (int64_t)rounded(shipped);
        site->took.self = rounded(shipped);
        analysis->function_times[site->callee].differs += (double)site->differs;
        analysis->timed.differs += site->differs;
        any = any || site->differs != 0;
    }
    return any;
}

/* Subtracts what loops take longer than in the firmware that ships, or adds it. */
static bool take_differs(struct analysis *analysis, const struct shipped_code *codes,
                         const uint32_t *order)
{
    if (!sum_differs(analysis, codes))
        return true;
    double *differs = calloc(analysis->function_count + 1, sizeof *differs);
    for (size_t i = 0; differs != NULL && i < analysis->function_count; i++)
        differs[i] = analysis->function_times[i].differs;
    double *parts = differs != NULL ? find_parts(analysis, differs, order) : NULL;
    for (size_t i = 0; parts != NULL && i < analysis->site_count; i++) {
        struct call_site *site = &analysis->sites[i];
        double part = site->recursive ? (double)site->differs : parts[i];
        int64_t ticks = (int64_t)rint(fmin(part, 0x1p62));
        uint64_t was = site->took.total;
        shorten(site, ticks, 0);
        scale_singles(site, was);
    }
    bool done = parts != NULL;
    if (done)
        sum_sites(analysis);
    free(differs);
    free(parts);
    return done;
}

/* What the code says: see shipped.h and outside.h. */
static bool read_code(struct analysis *analysis, const struct profile *profile,
                      struct image *image, const uint32_t *order)
{
    struct shipped_code *codes = calloc(analysis->function_count + 1, sizeof *codes);
    sum_sites(analysis);
    bool done = codes != NULL && shipped_compare(analysis, image, codes) &&
                hook_cost_move(analysis, profile, image, codes);
    if (done) {
        sum_sites(analysis);
        timed_find_ratios(analysis, codes, hook_cost_instruction(profile));
        done = take_differs(analysis, codes, order);
        find_codes(analysis, codes, hook_cost_instruction(profile));
    }
    free(codes);
    return done;
}

static uint64_t self_of_all(const struct analysis *analysis)
{
    uint64_t self = 0;
    for (size_t i = 0; i < analysis->site_count; i++)
        self += analysis->sites[i].took.self;
    return self;
}

static void account(struct analysis *analysis)
{
    struct timed_run *timed = &analysis->timed;
    timed->self = self_of_all(analysis);
    if (timed->run < timed->self) /* no time record came, or ticks are coarse */
        timed->run = timed->self;
    if (timed->profiler > timed->run - timed->self)
        timed->profiler = timed->run - timed->self;
    timed->unfinished = timed->run - timed->self - timed->profiler;
    timed->program = timed->run - timed->profiler;
}

/* What the own records of tasks and interrupts say: how long they ran, and how many pairs
 * of hooks were called, one for each run of an interrupt. */
struct own {
    uint64_t ticks, pairs;
};

static struct own own_of(const struct profile *profile)
{
    const struct counters *calls = &profile->counters[EVENT_CALL];
    struct own own = {0, 0};
    for (size_t i = 0; i < calls->used; i++) {
        const struct counter call = counter_at(calls, i);
        if (call.from != 0 || call.to != 0)
            continue;
        own.ticks += profile->times[i].total;
        if (call.task >= TASK_INTERRUPT && call.task < TASK_UNKNOWN)
            own.pairs += call.count;
    }
    return own;
}

/* Finds the time of the run and the profiler's part of it, of the whole program or of one
 * task. One task's time has no part of what the profiler did beside its hooks, and no
 * lost calls, because nobody knows whose they are. */
static void set_run(struct analysis *analysis, const struct profile *profile,
                    const struct own *own)
{
    const struct time_base *time = &profile->time;
    struct timed_run *timed = &analysis->timed;
    uint64_t lost = profile->lost[EVENT_CALL] + profile->earlier[EVENT_CALL];
    uint64_t self = self_of_all(analysis);
    double pairs = (double)own->pairs + (profile->one_task ? 0 : (double)lost);
    for (size_t i = 0; i < analysis->site_count; i++)
        pairs += (double)analysis->sites[i].count;
    timed->profiler =
        rounded(pairs * (time->inside + time->outside) + (double)timed->saving +
                (double)timed->differs + (profile->one_task ? 0 : (double)time->other));
    timed->run = time->run;
    if (profile->one_task) {
        uint64_t ticks = less(own->ticks, (int64_t)timed->saving + timed->differs);
        timed->run = (ticks > self ? ticks : self) + timed->profiler;
    }
    timed->at_most = lost > 0 || profile->damaged > 0 || profile->mismatch;
}

/* Makes room for the times of each function, and of each arc that has call sites. */
static bool make_times(struct analysis *analysis)
{
    size_t used = 0;
    analysis->times = calloc(analysis->site_count + 1, sizeof *analysis->times);
    analysis->function_times =
        calloc(analysis->function_count + 1, sizeof *analysis->function_times);
    if (analysis->times == NULL || analysis->function_times == NULL)
        return false;
    for (size_t i = 0; i < analysis->function_count; i++)
        analysis->functions[i].timed = function_of(analysis, i);
    for (size_t i = 0; i < analysis->site_count; i++) {
        struct arc *arc = arc_of(analysis, &analysis->sites[i]);
        if (arc->times == NULL)
            arc->times = &analysis->times[used++];
    }
    return true;
}

int timed_by_addresses(const void *left, const void *right)
{
    const struct call_site *a = left, *b = right;
    ORDER_BY(a->from, b->from);
    return (a->to > b->to) - (a->to < b->to);
}

/* Collects the times of the single calls that are in a function's total. */
static bool collect_singles(struct analysis *analysis, const struct profile *profile)
{
    const struct counters *calls = &profile->counters[EVENT_CALL];
    for (size_t i = 0; i < calls->used; i++) {
        const struct counter call = counter_at(calls, i);
        const struct call_site key = {.from = call.from, .to = call.to};
        const struct call_site *site = bsearch(
            &key, analysis->sites, analysis->site_count, sizeof key, timed_by_addresses);
        if (site == NULL || site->recursive || site->scaled)
            continue;
        if (!durations_add_all(&analysis->function_times[site->callee].singles,
                               &profile->singles[i], site->gained))
            return false;
    }
    return true;
}

const struct durations *analysis_singles(const struct analysis *analysis,
                                         const struct function *function)
{
    if (function->timed->calls == 0 || analysis->timed.raw)
        return NULL;
    const struct durations *singles =
        &analysis->function_times[function - analysis->functions].singles;
    return singles->count == function->timed->calls ? singles : NULL;
}

void timed_release(struct analysis *analysis)
{
    for (size_t i = 0; analysis->function_times != NULL && i < analysis->function_count;
         i++)
        durations_release(&analysis->function_times[i].singles);
    free(analysis->function_times);
    free(analysis->times);
}

bool timed_find(struct analysis *analysis, const struct profile *profile,
                struct image *image, const uint32_t *order)
{
    const struct time_base *time = &profile->time;
    struct own own = own_of(profile);
    if (analysis->site_count == 0 && (!profile->one_task || own.ticks == 0))
        return true;
    if (!make_times(analysis))
        return false;
    for (size_t i = 0; i < analysis->site_count; i++)
        analysis->sites[i].recursive = is_recursive(analysis, &analysis->sites[i]);
    if (!read_code(analysis, profile, image, order) || !take_saving(analysis, order) ||
        !find_hooks(analysis, time, order) || !collect_singles(analysis, profile))
        return false;
    analysis->timed.known = true;
    analysis->timed.tick_seconds = time->hz > 0 ? 1 / time->hz : 0;
    set_run(analysis, profile, &own);
    account(analysis);
    return timed_find_errors(analysis, time, order);
}

void analysis_put_back(struct analysis *analysis)
{
    struct timed_run *timed = &analysis->timed;
    int64_t put_back = 0;
    if (!timed->known || timed->raw)
        return;
    for (size_t i = 0; i < analysis->site_count; i++) {
        struct call_site *site = &analysis->sites[i];
        const struct function_times *callee = &analysis->function_times[site->callee];
        uint64_t cost =
            rounded(callee->cost * share(site->count, timed_all_calls(&callee->timed)));
        int64_t self = (int64_t)(cost + site->saving) + site->differs;
        site->took.self = less(site->took.self, -self);
        put_back += self;
        double hooks = part_of(analysis, site, arc_of(analysis, site)->times->cost);
        site->took.total = less(site->took.total, -site->taken - (int64_t)rounded(hooks));
        site->took.shortest = site->took.longest = 0;
    }
    sum_sites(analysis);
    timed->profiler = less(timed->profiler, put_back);
    timed->put_back = put_back > 0 ? (uint64_t)put_back : 0;
    timed->raw = true;
    timed->program_error = 0;
    account(analysis);
}
