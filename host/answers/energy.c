/* SPDX-License-Identifier: MIT */
#include "energy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../capture/sampling.h"
#include "../capture/timeline_sums.h"
#include "../hook_cost/timed.h"

/* The rule of three (docs/design.md). */
static const double at_most = 3;

/* ---- Sums ---- */

/* The power of a state, in watts. It may be more by `more`, where it is not known which
 * state it is. */
struct state {
    double watts, more;
};

static struct state state_of(const struct power *power, const struct profile *profile,
                             uint32_t number)
{
    double least, most;

    if (number != TASK_UNKNOWN)
        return (struct state){power->volts * power_of_task(power, profile, number), 0};
    power_bounds(power, &least, &most);
    return (struct state){power->volts * least, power->volts * (most - least)};
}

/* What several states add up to. */
struct sum {
    double joules;
    double errors;  /* the squares of the states' own errors */
    double hidden;  /* the squares of what may be missing; they are errors, too */
    double squares; /* the squares of the states' energies, where their times depend on
                       one another */
};

/* Adds a time and its error, in seconds; `hidden` is a part of that. */
static void add(struct sum *sum, struct state state, double seconds, double error,
                double hidden)
{
    double joules = state.watts * seconds, more = state.more * seconds;

    sum->joules += joules;
    sum->squares += joules * joules;
    sum->errors += pow(state.watts * error, 2) + more * more;
    sum->hidden += pow(state.watts * hidden, 2) + more * more;
}

/* The error of a sum, but for the tolerance. `samples`: of the run; 0: times do not
 * depend on one another. */
static double time_error(const struct sum *sum, double samples)
{
    double together =
        samples > 0 ? (sum->joules * sum->joules - sum->squares) / samples : 0;

    return sqrt(fmax(sum->errors - together, 0));
}

static struct joules joules_of(const struct sum *sum, const struct power *power,
                               double samples)
{
    return (struct joules){
        sum->joules, hypot(time_error(sum, samples), power->tolerance * sum->joules),
        sqrt(sum->hidden)};
}

void joules_add(struct joules *sum, const struct joules *more, double tolerance)
{
    double both = tolerance * tolerance * sum->joules * more->joules;

    sum->error = sqrt(pow(sum->error, 2) + pow(more->error, 2) + 2 * both);
    sum->hidden = hypot(sum->hidden, more->hidden);
    sum->joules += more->joules;
}

/* The samples of the run; 0 where times are not sampled. */
static double samples_of(enum energy_source source, const struct analysis *analysis)
{
    return source == ENERGY_SAMPLED ? fmax(analysis->of_run, analysis->samples) : 0;
}

/* The standard error of a task's time. Timed, each has its part of the program's. */
static double seconds_error(enum energy_source source, const struct analysis *analysis,
                            double seconds)
{
    const struct timed_run *timed = &analysis->timed;

    if (source == ENERGY_SAMPLED)
        return analysis_error(analysis, seconds * analysis->hz) / analysis->hz;
    return source == ENERGY_TIMED && timed->program > 0
               ? seconds * timed->program_error / (double)timed->program
               : 0;
}

/* ---- Functions ---- */

/* The sums of a function. */
struct function_energy {
    struct sum self, total;
};

struct finding {
    const struct energy *of;
    const struct analysis *whole;
    struct function_energy *sums; /* by function of the whole */
};

/* Adds what a function took in the tasks of one state. */
static void add_function(const struct finding *finding, struct function_energy *sum,
                         struct state state, const struct analysis *part,
                         const struct function *function)
{
    double tick = part->timed.tick_seconds;

    if (finding->of->source == ENERGY_TIMED) {
        const struct timed_errors errors = analysis_timed_errors(part, function);

        add(&sum->self, state, (double)function->timed->self * tick, errors.self * tick,
            0);
        add(&sum->total, state, (double)function->timed->total * tick,
            errors.total * tick, 0);
    } else {
        add(&sum->self, state, function->self, function->self_error, 0);
        add(&sum->total, state, function->total, function->total_error, function->hidden);
    }
}

/* Adds all functions of a part: they are among those of the whole, in the same order. */
static void add_part(const struct finding *finding, struct state state,
                     const struct analysis *part)
{
    size_t at = 0;

    for (size_t i = 0; i < part->function_count; i++) {
        const struct function *function = &part->functions[i];

        while (at < finding->whole->function_count &&
               (finding->whole->functions[at].symbol != function->symbol ||
                finding->whole->functions[at].address != function->address))
            at++;
        if (at == finding->whole->function_count)
            return;
        add_function(finding, &finding->sums[at], state, part, function);
    }
}

/* Analyses the tasks of one state alone. */
static bool add_tasks(const struct finding *finding, struct state state,
                      const struct profile *profile, struct image *image,
                      const struct task_sums *tasks)
{
    struct profile part;
    struct analysis analysis;
    struct error error;
    bool done;

    if (!profile_part(&part, profile, tasks))
        return false;
    done = analyse(&analysis, &part, image, &error);
    if (done) {
        add_part(finding, state, &analysis);
        analysis_release(&analysis);
    }
    profile_release(&part);
    return done;
}

/* Moves the tasks that have the first one's state to `same`. */
static struct state take_state(struct task_sums *tasks, struct task_sums *same,
                               const struct power *power, const struct profile *profile)
{
    struct state state = state_of(power, profile, tasks->items[0].number);
    size_t left = 0;

    same->count = 0;
    for (size_t i = 0; i < tasks->count; i++) {
        struct state next = state_of(power, profile, tasks->items[i].number);

        if (next.watts == state.watts && next.more == state.more)
            same->items[same->count++] = tasks->items[i];
        else
            tasks->items[left++] = tasks->items[i];
    }
    tasks->count = left;
    return state;
}

static bool add_states(const struct finding *finding, const struct profile *profile,
                       struct image *image)
{
    struct task_sums tasks, same = {.items = NULL};
    bool done = task_sums_init(&tasks, profile);

    if (!done)
        return false;
    size_t all = tasks.count;
    same.items = calloc(all + 1, sizeof *same.items);
    done = same.items != NULL;
    while (done && tasks.count > 0) {
        struct state state = take_state(&tasks, &same, finding->of->power, profile);

        if (same.count == all)
            add_part(finding, state, finding->whole);
        else
            done = add_tasks(finding, state, profile, image, &same);
    }
    free(same.items);
    task_sums_release(&tasks);
    return done;
}

bool energy_find_functions(struct energy_functions *functions, const struct energy *of,
                           const struct profile *profile, const struct analysis *analysis,
                           struct image *image)
{
    size_t count = analysis->function_count;
    const struct finding finding = {of, analysis,
                                    calloc(count + 1, sizeof *finding.sums)};
    double samples = samples_of(of->source, analysis);
    bool guess = of->source == ENERGY_SAMPLED && !analysis->measured;
    bool done;

    functions->self = calloc(count + 1, sizeof *functions->self);
    functions->total = calloc(count + 1, sizeof *functions->total);
    done = finding.sums != NULL && functions->self != NULL && functions->total != NULL &&
           add_states(&finding, profile, image);
    for (size_t i = 0; done && i < count; i++) {
        functions->self[i] = joules_of(&finding.sums[i].self, of->power, samples);
        functions->total[i] = joules_of(&finding.sums[i].total, of->power, samples);
        if (guess)
            functions->total[i].error = 0;
    }
    free(finding.sums);
    if (!done)
        energy_release_functions(functions);
    return done;
}

void energy_release_functions(struct energy_functions *functions)
{
    free(functions->self);
    free(functions->total);
    *functions = (struct energy_functions){NULL, NULL};
}

/* ---- Tasks ---- */

/* The samples of each task, by its place in `sums`, that are not the profiler's. */
static void count_program(const struct task_sums *sums, double *samples,
                          const struct profile *profile, const struct analysis *analysis,
                          const struct image *image)
{
    const struct counters *counters = &profile->counters[EVENT_SAMPLE];

    for (size_t i = 0; i < counters->used; i++) {
        const struct counter counter = counter_at(counters, i);
        size_t at = 0, function = analysis_function_at(analysis, image, counter.to);

        while (at < sums->count && sums->items[at].number != counter.task)
            at++;
        if (function == NO_FUNCTION || !analysis->functions[function].overhead)
            samples[at] += (double)counter.count;
    }
}

static void add_task(struct energy *energy, const struct profile *profile,
                     const struct analysis *analysis, uint32_t number, double seconds)
{
    struct energy_task *task = &energy->tasks[energy->task_count++];
    struct state state = state_of(energy->power, profile, number);
    struct sum sum = {0};

    *task = (struct energy_task){.number = number,
                                 .idle = task_is_idle(profile, number),
                                 .amperes = state.watts / energy->power->volts,
                                 .seconds = seconds};
    task_label(task->label, profile, number);
    add(&sum, state, seconds, seconds_error(energy->source, analysis, seconds), 0);
    task->used = joules_of(&sum, energy->power, 0);
}

/* Finds the tasks of samples or of timed calls. false: out of memory. */
static bool find_tasks(struct energy *energy, const struct profile *profile,
                       const struct analysis *analysis, const struct image *image)
{
    double tick = analysis->timed.tick_seconds;
    struct task_sums sums;
    double *samples;

    if (!task_sums_init(&sums, profile))
        return false;
    samples = calloc(sums.count + 1, sizeof *samples);
    energy->tasks = calloc(sums.count + 1, sizeof *energy->tasks);
    bool done = samples != NULL && energy->tasks != NULL;
    if (done && energy->source == ENERGY_SAMPLED)
        count_program(&sums, samples, profile, analysis, image);
    for (size_t i = 0; done && i < sums.count; i++) {
        double seconds = energy->source == ENERGY_SAMPLED
                             ? samples[i] / analysis->hz
                             : (double)sums.items[i].time.total * tick;

        if (seconds > 0)
            add_task(energy, profile, analysis, sums.items[i].number, seconds);
    }
    free(samples);
    task_sums_release(&sums);
    return done;
}

static bool find_tracks(struct energy *energy, const struct profile *profile,
                        const struct analysis *analysis)
{
    struct timeline_sums sums;

    if (!timeline_sums_init(&sums, profile))
        return false;
    energy->tasks = calloc(sums.track_count + 1, sizeof *energy->tasks);
    for (size_t i = 0; energy->tasks != NULL && i < sums.track_count; i++) {
        if (sums.tracks[i].ticks > 0)
            add_task(energy, profile, analysis, sums.tracks[i].number,
                     (double)sums.tracks[i].ticks / profile->timeline.hz);
    }
    if (energy->tasks != NULL && sums.unknown > 0)
        add_task(energy, profile, analysis, TASK_UNKNOWN,
                 (double)sums.unknown / profile->timeline.hz);
    timeline_sums_release(&sums);
    return energy->tasks != NULL;
}

const struct energy_task *energy_of_task(const struct energy *energy, uint32_t number)
{
    for (size_t i = 0; i < energy->task_count; i++) {
        if (energy->tasks[i].number == number)
            return &energy->tasks[i];
    }
    return NULL;
}

/* ---- The whole ---- */

/* Adds the times of all tasks of one state together: `done` says which tasks were added
 * already. */
static void add_state(const struct energy *energy, struct sum *sum, bool *done,
                      size_t first, const struct profile *profile,
                      const struct analysis *analysis)
{
    struct state state = state_of(energy->power, profile, energy->tasks[first].number);
    double seconds = 0;

    for (size_t i = first; i < energy->task_count; i++) {
        struct state next = state_of(energy->power, profile, energy->tasks[i].number);

        if (next.watts != state.watts || next.more != state.more)
            continue;
        seconds += energy->tasks[i].seconds;
        done[i] = true;
    }
    add(sum, state, seconds, seconds_error(energy->source, analysis, seconds), 0);
}

static double profiler_seconds(const struct energy *energy, const struct profile *profile,
                               const struct analysis *analysis, double ran)
{
    const struct timed_run *timed = &analysis->timed;
    double rate = sampling_wall_rate(profile), more;

    if (energy->source == ENERGY_TIMED)
        return (double)(timed->profiler + timed->put_back) * timed->tick_seconds;
    more =
        energy->source == ENERGY_SAMPLED && rate > 0 ? analysis->samples / rate - ran : 0;
    return more < 1e-9 * ran ? 0 : more; /* no more than was lost by rounding */
}

/* The time of the run that is neither a task's nor the profiler's: records are lost.
 * Below 0: those of the run's time are, as timed calls tell. */
static double lost_seconds(const struct energy *energy, const struct profile *profile,
                           const struct analysis *analysis, double told)
{
    double rate = sampling_wall_rate(profile);

    if (energy->source == ENERGY_TIMED)
        return (double)analysis->timed.run * analysis->timed.tick_seconds - told;
    return energy->source == ENERGY_SAMPLED && rate > 0 && !profile->one_task
               ? (double)profile->lost[EVENT_SAMPLE] / rate
               : 0;
}

/* Finds the battery's life from the mean current. */
static void find_life(struct energy *energy, double error)
{
    const struct power *power = energy->power;

    energy->amperes = energy->whole.joules / power->volts / energy->seconds;
    energy->amperes_error = energy->amperes * hypot(error, power->tolerance);
    if (power->battery > 0 && energy->amperes > 0) {
        energy->life = power->battery / energy->amperes;
        energy->life_error = energy->life * energy->amperes_error / energy->amperes;
    }
}

/* Finds the profiler's time, and what ran in time that nobody told of. Returns by how
 * much all times together exceed that of the run. */
static double find_times(struct energy *energy, const struct profile *profile,
                         const struct analysis *analysis)
{
    double ran = 0, lost;

    for (size_t i = 0; i < energy->task_count; i++)
        ran += energy->tasks[i].seconds;
    energy->profiler = profiler_seconds(energy, profile, analysis, ran);
    energy->seconds = ran + energy->profiler;
    lost = lost_seconds(energy, profile, analysis, energy->seconds);
    if (lost <= 0)
        return -lost;
    add_task(energy, profile, analysis, TASK_UNKNOWN, lost);
    energy->seconds += lost;
    return 0;
}

/* false: out of memory. */
static bool find_whole(struct energy *energy, const struct profile *profile,
                       const struct analysis *analysis)
{
    const struct power *power = energy->power;
    double samples = samples_of(energy->source, analysis), error;
    double beyond = find_times(energy, profile, analysis);
    bool *done = calloc(energy->task_count + 1, sizeof *done);
    struct sum sum = {0};

    if (done == NULL)
        return false;
    for (size_t i = 0; i < energy->task_count; i++)
        if (!done[i])
            add_state(energy, &sum, done, i, profile, analysis);
    free(done);
    energy->waited.joules = power->volts * power->idle * energy->profiler;
    energy->waited.error = power->tolerance * energy->waited.joules;
    energy->whole.hidden = sqrt(sum.hidden);
    error = time_error(&sum, samples); /* the rest of the time is idle, and follows */
    energy->whole.joules = sum.joules + energy->waited.joules;
    energy->whole.error =
        hypot(hypot(error, samples > 0 ? energy->whole.joules / sqrt(12 * samples) : 0),
              power->tolerance * energy->whole.joules);
    find_life(energy, hypot(sum.joules > 0 ? error / energy->whole.joules : 0,
                            beyond / energy->seconds));
    return true;
}

/* ---- All ---- */

static bool has_idle(const struct energy *energy)
{
    for (size_t i = 0; i < energy->task_count; i++) {
        if (energy->tasks[i].idle)
            return true;
    }
    return false;
}

/* Says what the firmware must be built with. */
static bool refuse(const struct profile *profile, struct error *error)
{
    bool tasks = profile->task_count > 0;

    return error_set(error, EXIT_BAD_INPUT,
                     "--power: %s: %s mcuprof_task_switch(key, name, true) when it waits "
                     "(docs/porting.md, Tasks)",
                     tasks
                         ? "the firmware has tasks, but none that ran is an idle one, so "
                           "nothing tells when it slept"
                         : "nothing tells when the firmware was idle or slept",
                     tasks ? "let its idle task, or what sleeps, call"
                           : "build it with MCUPROF_TASKS (and MCUPROF_TIMELINE=1 for "
                             "what ran when), and let it call");
}

static bool find_source(struct energy *energy, const struct profile *profile,
                        const struct analysis *analysis, struct error *error)
{
    energy->source = analysis->has_samples   ? ENERGY_SAMPLED
                     : analysis->timed.known ? ENERGY_TIMED
                                             : ENERGY_TIMELINE;
    if (energy->source == ENERGY_SAMPLED && !analysis->has_time)
        return error_set(error, EXIT_BAD_INPUT,
                         "--power: the sampling rate is not known: --hz");
    if (energy->source == ENERGY_TIMED && !(analysis->timed.tick_seconds > 0))
        return error_set(error, EXIT_BAD_INPUT,
                         "--power: the rate of the clock of timed calls is not known");
    return energy->source != ENERGY_TIMELINE || profile->timeline.hz > 0 ||
           refuse(profile, error);
}

bool energy_find(struct energy *energy, const struct power *power,
                 const struct profile *profile, const struct analysis *analysis,
                 struct image *image, struct error *error)
{
    bool functions;

    *energy = (struct energy){.power = power};
    if (!find_source(energy, profile, analysis, error))
        return false;
    functions = energy->source != ENERGY_TIMELINE;
    if (!(functions ? find_tasks(energy, profile, analysis, image)
                    : find_tracks(energy, profile, analysis)) ||
        !find_whole(energy, profile, analysis) ||
        (functions &&
         !energy_find_functions(&energy->functions, energy, profile, analysis, image)))
        error_no_memory(error);
    else if (has_idle(energy) || refuse(profile, error))
        return true;
    energy_release(energy);
    return false;
}

void energy_release(struct energy *energy)
{
    free(energy->tasks);
    energy_release_functions(&energy->functions);
    *energy = (struct energy){.power = NULL};
}

struct joules energy_of_samples(const struct energy *energy,
                                const struct profile *profile,
                                const struct analysis *analysis, double samples,
                                uint32_t task)
{
    struct state state = state_of(energy->power, profile, task);
    double seconds = samples / analysis->hz;
    struct sum sum = {0};

    add(&sum, state, seconds, seconds_error(ENERGY_SAMPLED, analysis, seconds), 0);
    return joules_of(&sum, energy->power, 0);
}

struct joules energy_of_time(const struct energy *energy, const struct profile *profile,
                             uint32_t task, double seconds)
{
    struct sum sum = {0};

    add(&sum, state_of(energy->power, profile, task), seconds, 0, 0);
    return joules_of(&sum, energy->power, 0);
}

double energy_bound(const struct energy *energy, const struct analysis *analysis)
{
    double least, most;

    power_bounds(energy->power, &least, &most);
    return energy->source == ENERGY_SAMPLED
               ? energy->power->volts * most * at_most / analysis->hz
               : 0;
}
