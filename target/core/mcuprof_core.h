/* SPDX-License-Identifier: MIT */
/* The functions that the parts of the library and a port's assembly call in one another.
 * Private to them and, through mcuprof_port.h, to ports. */
#ifndef MCUPROF_CORE_H
#define MCUPROF_CORE_H

#include "mcuprof_state.h"

/* Whether calls or samples are timed. */
#define MCUPROF_TIMED (MCUPROF_CALLS || MCUPROF_SAMPLES_TIMED)

/* The records that hold nothing but words. */
enum mcuprof_words {
    MCUPROF_PUT_HELLO,
    MCUPROF_PUT_BUILD_ID,
#if MCUPROF_TIMED
    MCUPROF_PUT_TIME,
#endif
    MCUPROF_PUT_TOTALS,
    MCUPROF_PUT_END, /* + the wire's END_STOPPED, END_CHECK, END_FLUSHED */
    MCUPROF_PUT_CHECK,
    MCUPROF_PUT_FLUSHED
};

/* Indices into mcuprof_state.total. */
#define MCUPROF_OF_SAMPLES 0u
#define MCUPROF_OF_ARCS    (MCUPROF_SAMPLES ? 1u : 0u)
#define MCUPROF_OF_BLOCKS  (MCUPROF_OF_ARCS + (MCUPROF_ARCS ? 1u : 0u))
#define MCUPROF_OF_CALLS   (MCUPROF_OF_BLOCKS + (MCUPROF_BLOCKS ? 1u : 0u))

/* Returns the kind of an event: one of these indices. */
static inline __attribute__((always_inline)) MCUPROF_NOT_PROFILED unsigned
mcuprof_kind_of(uint32_t from, uint32_t to)
{
    if (MCUPROF_BLOCKS && to - from == 1) {
        return MCUPROF_OF_BLOCKS;
    }
    if (MCUPROF_CALLS && (MCUPROF_KINDS == 1 || to & 1)) {
        return MCUPROF_OF_CALLS;
    }
    return MCUPROF_ARCS && (!MCUPROF_SAMPLES || to & 1) ? MCUPROF_OF_ARCS
                                                        : MCUPROF_OF_SAMPLES;
}

#define MCUPROF_TOTALS_WORDS (2 * MCUPROF_KINDS + 1)

/* After this many records, one that announces or closes something is due. */
#define MCUPROF_DUE_RECORDS 32

/* For mcuprof_control.c. Each returns false where the ring has no room now. Called with
 * interrupts masked, or by sampling; `irq` is the state before. With MCUPROF_LETS_IN each
 * restores `irq` now and then to let interrupts in, also returns false where one of these
 * has appended something, and leaves interrupts masked; mcuprof_put_due() then returns
 * true only if nothing was due, so that `irq` is restored before more is done. */
bool mcuprof_put_words(uintptr_t which, mcuprof_irq irq);
bool mcuprof_put_due(mcuprof_irq irq);

/* Behind a mcuprof_put_due() that was false: whether there was no room. */
#define MCUPROF_STILL_DUE()                                                              \
    (!MCUPROF_LETS_IN || mcuprof_state.due % MCUPROF_DUE_RECORDS == 0)
bool mcuprof_send_counter(uintptr_t at, mcuprof_irq irq);

#if MCUPROF_SITES
/* What the thunks of `mcuprof patch` count, modulo 2^32; nothing else writes it. */
extern uint32_t mcuprof_site_counts[MCUPROF_SITE_PLACES];

/* From the first on, what is counted there is to be sent; from the second on it is not.
 * Context: as mcuprof_start() and mcuprof_stop(). */
void mcuprof_sites_start(void);
void mcuprof_sites_stop(void);

/* Sends the site whose count is at this address; as mcuprof_send_counter(). */
bool mcuprof_send_site(uintptr_t count, mcuprof_irq irq);
#endif

/* Appends a byte of text, in the same way. With MCUPROF_WAIT it waits for room; `irq`
 * is the state before. */
bool mcuprof_put_text(uint8_t byte, mcuprof_irq irq);

#if MCUPROF_FLUSH_SAMPLES
/* Does the next step of a flush, one each sample, until all was sent. The next flush
 * begins MCUPROF_FLUSH_SAMPLES samples after this one began. Context: the sampling
 * interrupt, after its sample; never blocks. */
void mcuprof_sweep(void);
#else
#define mcuprof_sweep() (void)0
#endif

#if MCUPROF_SPAN_BYTES
/* Makes the link send all bytes that wait, however few. Context: any but code that has
 * interrupted sampling. */
void mcuprof_link_push(void);
#else
#define mcuprof_link_push() (void)0
#endif

#if MCUPROF_BY_TASK
/* The task with this number; NULL: there is none, or it has ended. */
struct mcuprof_task *mcuprof_task_of(uint32_t number);

/* Sends a task's name, unless it was sent already, nothing may be sent (before the first
 * hello and behind the end) or there is no room. Called with interrupts masked. */
void mcuprof_put_name(struct mcuprof_task *task);

/* The number of what runs now: the interrupt that is being handled, or the task. */
static inline uint32_t mcuprof_what_runs(void)
{
    uint32_t interrupt = MCUPROF_INTERRUPT();

    return interrupt ? MCUPROF_WIRE_TASK_INTERRUPT + interrupt : mcuprof_state.task;
}

/* MCUPROF_OF_CONTEXT() says whether a counter belongs to mcuprof_state.context, and
 * MCUPROF_SET_CONTEXT() makes it belong there. MCUPROF_IS_SAID() says whether the last
 * sample said was of the same task or interrupt as this one. */
#define MCUPROF_OF_CONTEXT(entry)  ((entry)->task == mcuprof_state.context)
#define MCUPROF_SET_CONTEXT(entry) ((entry)->task = mcuprof_state.context)
#define MCUPROF_IS_SAID(paths)     ((paths)->task == (paths)->context)
#else
#define MCUPROF_OF_CONTEXT(entry)  true
#define MCUPROF_SET_CONTEXT(entry) (void)0
#define MCUPROF_IS_SAID(paths)     true
#endif

#ifndef MCUPROF_S_COUNT
/* Counts an event that the assembly did not find at its own place: a call from `from`
 * to `to` (bit 0 set), a sample at `from` = `to` (bit 0 clear), or a block at `from` +
 * 1 = `to` (bit 0 set). Called with interrupts masked; `irq` is the state before. */
void mcuprof_count(uint32_t from, uint32_t to, mcuprof_irq irq);
#else
/* Appends a record of an entry's events, for which there is room, and takes them off its
 * count, which may grow meanwhile. It does neither if code that it let in has appended
 * something, begun a record or moved a counter. Called with interrupts masked; `irq` is
 * the state before. */
void mcuprof_put_event(struct mcuprof_entry *entry, mcuprof_irq irq);
#endif

/* All of the sampling interrupt, for ports that do not have it in assembly (they define
 * MCUPROF_C_SAMPLE): counts a sample at `pc` and sets the timer. Called with interrupts
 * masked. */
void mcuprof_sample(uint32_t pc);

#if MCUPROF_PROFIL
/* Counts a sample in profil()'s histogram, if that covers it: target/gmon has it.
 * Context: the sampling interrupt. */
void mcuprof_profil_sample(uint32_t pc);
#endif

/* Called at each start where calls are timed, with interrupts masked and something in the
 * ring: empties the shadow stack, and restores `irq`, the state before. At the first
 * start it also measures what the hooks and the link's interrupt cost, and lets that
 * interrupt in. Context: task. */
void mcuprof_calls_start(mcuprof_irq irq);

/* Called at each start where samples have paths: looks for the unwind table. Context:
 * task. */
void mcuprof_paths_start(void);

#if MCUPROF_PATHS
/* As mcuprof_sample(), with the call path, for a stack that ends at MCUPROF_STACK_TOP.
 * The program was interrupted at `pc`, with this stack pointer, these registers (see
 * struct mcuprof_context) and this frame pointer. */
void mcuprof_sample_at(uint32_t pc, uintptr_t sp, const uint32_t *registers,
                       uintptr_t fp);

/* As mcuprof_sample_at(), for a port that makes the context itself. */
void mcuprof_sample_path(const struct mcuprof_context *context);

#ifdef MCUPROF_S_TABLE
/* Called by mcuprof_paths_start(). A port whose table no pointer reaches defines it; such
 * a port also walks, and uses paths.pages and .rows, in its own way. */
void mcuprof_find_table(struct mcuprof_paths *paths);
#endif

/* Finds the path that leads to a sample, and sets paths.slot, used, root, known and
 * link. A port that has it in assembly defines MCUPROF_S_WALK. Context: the sampling
 * interrupt. */
void mcuprof_walk(struct mcuprof_paths *paths, const struct mcuprof_context *context);

/* Does what mcuprof_say_sample() does before it appends a record. It is for a port that
 * does the rest itself, looks for room itself, and defines MCUPROF_S_SAY. false: no room
 * now. Context: the sampling interrupt, while `saying` is set. */
bool mcuprof_prepare_to_say(struct mcuprof_paths *paths);

/* Says a sample at `pc` with the path that was found, or counts it as lost where there
 * is no room. Context: the sampling interrupt, while `saying` is set. */
void mcuprof_say_sample(struct mcuprof_paths *paths, uint32_t pc);

/* Called by mcuprof_say_sample(): appends a record of the path's next `frames` frames
 * and of the sample, or of MCUPROF_PATH_FRAMES frames alone where there are more. There
 * is room for it. A port that has it in assembly defines MCUPROF_S_PUT, or
 * MCUPROF_S_TABLE; with MCUPROF_S_SAY that in assembly has registers of its own. */
void mcuprof_put_path(struct mcuprof_paths *paths, unsigned frames, uint32_t pc);
#endif

#if MCUPROF_CALLS
/* The clock of what runs now, in ticks. Called with interrupts masked. */
static inline __attribute__((always_inline)) uint32_t mcuprof_clock(void)
{
    return MCUPROF_TIME() - mcuprof_state.stack.hidden;
}

/* Subtracts from that clock a time that the profiler itself took. */
static inline void mcuprof_hide_ticks(uint32_t ticks)
{
    mcuprof_state.stack.hidden += ticks;
    mcuprof_state.time.other += ticks;
}

/* Sets the clock back to `clock`, for the profiler took the time since. Time that
 * interrupts and other tasks took meanwhile is off the clock already. Called with
 * interrupts masked. */
void mcuprof_hide(uint32_t clock);

/* Sets how long the run has been, for the record of time: the time between each start and
 * stop, but for what they send. What the profiler takes while stopped, such as the link's
 * interrupt, is left out, too. */
void mcuprof_set_now(void);
/* Lets the run go on, and the hooks time calls; stops both. */
void mcuprof_calls_go_on(void);
void mcuprof_calls_stop(void);

/* Counts as lost a call that found no frame, or was left by longjmp. */
void mcuprof_call_lost(void);

/* Whether a call can be added to a counter that has counted others. */
static inline bool mcuprof_call_fits(const struct mcuprof_entry *counter, uint32_t total)
{
    return (int32_t)counter->total >= 0 && (int32_t)total >= 0 &&
           counter->count != MCUPROF_EVENTS_MAX && !MCUPROF_TOO_LONG(total);
}

static inline void mcuprof_call_into(struct mcuprof_entry *counter, uint32_t total,
                                     uint32_t self)
{
    counter->count++;
    counter->total += total;
    counter->self += self;
    if (total < counter->shortest) {
        counter->shortest = total;
    }
    if (total > counter->longest) {
        counter->longest = total;
    }
}

#if MCUPROF_ENTRIES
/* Finds the counter of a call where it is not at its own place. It has room for this
 * call, which the caller must add at once. Where the call is too long
 * (MCUPROF_TOO_LONG) the caller must then send the counter by mcuprof_send_counter(),
 * for which there is room. NULL: the call was lost, and counted as that. Called with
 * interrupts masked; `irq` is the state before. */
struct mcuprof_entry *mcuprof_call_counter(mcuprof_key to, mcuprof_key from,
                                           uint32_t total, mcuprof_irq irq);

/* Adds a call whose counter is not at its own place. Called in the same way. */
static inline __attribute__((always_inline)) void
mcuprof_add_call(mcuprof_key from, mcuprof_key to, uint32_t total, uint32_t self,
                 mcuprof_irq irq)
{
    struct mcuprof_entry *counter = mcuprof_call_counter(to, from, total, irq);

    if (counter) {
        mcuprof_call_into(counter, total, self);
        if (MCUPROF_TOO_LONG(total)) {
            (void)mcuprof_send_counter((uintptr_t)counter, MCUPROF_IRQ_MASKED);
        }
    }
}
#else
void mcuprof_add_call(mcuprof_key from, mcuprof_key to, uint32_t total, uint32_t self,
                      mcuprof_irq irq);
#endif

/* The hooks of timed calls. Unless hooks_on is 0, the port's assembly calls them from
 * __cyg_profile_func_enter and _exit, with the arguments and the stack pointer of these.
 * A port that does their work itself, and the work of mcuprof_hide(), defines
 * MCUPROF_S_CALLS. */
void mcuprof_enter(void *callee, void *site, uintptr_t stack);
void mcuprof_exit(void *callee, void *site, uintptr_t stack);

/* Sets up an empty shadow stack on 1 + MCUPROF_DEPTH frames. */
void mcuprof_new_stack(struct mcuprof_stack *stack, struct mcuprof_frame *frames);

#if MCUPROF_BY_TASK
/* Empties the tasks' shadow stacks and starts their clocks. Context: task, with
 * interrupts masked. */
void mcuprof_tasks_start(void);

/* Counts the time of what ran until now; the hooks are off. Context: any, with interrupts
 * masked; `irq`: the state before. */
void mcuprof_tasks_stop(mcuprof_irq irq);
#endif
#else
#define mcuprof_hide_ticks(ticks) (void)0
#endif

#if MCUPROF_TIMELINE
/* The first starts the timeline as of now, in a task; the second stops it, in any
 * context. */
void mcuprof_timeline_start(void);
void mcuprof_timeline_stop(void);

/* Notes that the task of this number runs from now on. Called with interrupts masked,
 * before mcuprof_state.task says so. */
void mcuprof_timeline_task(uint32_t number);

/* Notes that the task of this number may run. Called with interrupts masked. */
void mcuprof_timeline_ready(uint32_t number);

/* Sends the steps that wait; false: the ring has no room now. Called with interrupts
 * masked. */
bool mcuprof_put_steps(void);

/* Sends the steps that wait, then what runs now and since when. false: the ring has no
 * room now. Called with interrupts masked. */
bool mcuprof_put_timeline(uintptr_t unused, mcuprof_irq irq);
#endif

/* A hook of calls and blocks, for ports that do not have theirs in assembly (they define
 * MCUPROF_C_HOOK): counts the event if counting is on. Context: any. */
void mcuprof_hook(uint32_t from, uint32_t to);

#endif
