/* SPDX-License-Identifier: MIT */
#include "advice.h"

#include <stdio.h>
#include <string.h>

#include "../arch/arch.h"
#include "../base/saturate.h"
#include "../capture/sampling.h"
#include "../image/elf_file.h"

/* ---- Call paths ---- */

/* Whether the callers of at least one sample are known. */
static bool is_any_followed(const struct profile *profile)
{
    for (size_t i = 0; i < profile->stacks.used; i++)
        if (profile->stacks.items[i].depth > 1 ||
            profile->stacks.items[i].end != STACK_UNSURE)
            return true;
    return false;
}

/* Whether the firmware takes call paths, but none came. */
static bool is_pathless(const struct profile *profile)
{
    enum { ENOUGH = 10 }; /* samples; of fewer, all may be unsure by chance */
    return profile->path_depth > 0 && profile->received[EVENT_SAMPLE] >= ENOUGH &&
           !is_any_followed(profile);
}

/* Whether `mcuprof unwind` has written its table into the ELF. */
static bool has_table(const struct image *image)
{
    GElf_Shdr header;
    size_t section = elf_file_find(image_file(image), 0, ".mcuprof_unwind", &header);
    const Elf_Data *data =
        section != 0 ? elf_file_bytes(image_file(image), section) : NULL;

    for (size_t i = 0; data != NULL && data->d_buf != NULL && i < 4 && i < data->d_size;
         i++)
        if (((const uint8_t *)data->d_buf)[i] != 0)
            return true;
    return false;
}

/* Whether no sample of several hit code of the ELF. */
static bool is_astray(const struct profile *profile, const struct image *image)
{
    enum { ENOUGH = 10 };
    const struct counters *samples = &profile->counters[EVENT_SAMPLE];
    const struct image_range *code;
    size_t count = image != NULL ? image_code(image, &code) : 0;

    for (size_t i = 0; count > 0 && i < samples->used; i++) {
        uint64_t at = counter_at(samples, i).to;

        for (size_t range = 0; range < count; range++)
            if (at >= code[range].low && at < code[range].high)
                return false;
    }
    return count > 0 && profile->received[EVENT_SAMPLE] >= ENOUGH &&
           strcmp(profile->format, "mcuprof") == 0;
}

static void advise_paths(const struct profile *profile, const struct image *image,
                         char text[LOSS_MAX])
{
    bool cortex_m = profile->arch != NULL && strcmp(profile->arch, "cortex-m") == 0;
    const char *top = cortex_m ? "the first vector's word" : "__stack_top";

    if (image == NULL)
        snprintf(text, LOSS_MAX,
                 "no sample has its call path: run `mcuprof unwind FIRMWARE.elf` after "
                 "linking, and flash that; if that was done, the stack lies above %s: "
                 "define MCUPROF_STACK_TOP as the end of the highest stack",
                 top);
    else if (!has_table(image))
        snprintf(
            text, LOSS_MAX,
            "no sample has its call path: run `mcuprof unwind %.400s` after linking, "
            "and flash that",
            image_path(image));
    else
        snprintf(
            text, LOSS_MAX,
            "no sample has its call path, though the ELF has its unwind table: the "
            "stack lies above %s (define MCUPROF_STACK_TOP as the end of the highest "
            "stack), or what was flashed has no table yet",
            top);
}

/* ---- The clock of timed calls and of the timeline ---- */

/* So many calls, or switches and marks, must have come before something is said of the
 * clock. */
enum { CLOCK_EVENTS = 20 };
#define STILL                                                                            \
    "the clock of MCUPROF_TIME() stands still; start it before mcuprof_start() (a "      \
    "Cortex-M's DWT->CYCCNT needs TRCENA in DEMCR and CYCCNTENA in DWT_CTRL; an M0 and " \
    "QEMU have none)"

/* The self times of all calls. */
static uint64_t calls_took(const struct profile *profile)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < profile->counters[EVENT_CALL].used; i++) {
        const struct counter call = counter_at(&profile->counters[EVENT_CALL], i);

        if (call.from != 0 || call.to != 0)
            sum = add_saturating(sum, profile->times[i].self);
    }
    return sum;
}

/* Whether calls take too few ticks for the time of one to say much. */
static bool advise_coarse_clock(const struct profile *profile, uint64_t calls,
                                char text[LOSS_MAX])
{
    const double coarse = 20000; /* Hz: a system's tick, never a processor's clock */
    double mean = (double)calls_took(profile) / (double)calls;

    if (profile->time.hz > coarse || mean >= 2)
        return false;
    snprintf(text, LOSS_MAX,
             "the clock of MCUPROF_TIME() ticks every %.3g ms, and a timed call takes "
             "%.2g ticks in the mean: most calls come as 0 or 1 tick; take a timer of "
             "1 MHz or more",
             1000 / profile->time.hz, mean);
    return true;
}

/* Writes what is wrong with the clock of timed calls; false: nothing is seen. */
static bool advise_clock(const struct profile *profile, char text[LOSS_MAX])
{
    const struct time_base *time = &profile->time;
    uint64_t calls = profile->received[EVENT_CALL] - profile_switches(profile);
    char figure[FIGURE_MAX];
    bool many = calls >= CLOCK_EVENTS && time->hz > 0;

    if (profile->run_wrapped > 0) {
        snprintf(
            text, LOSS_MAX,
            "the firmware sent no time for more than 2^32 ticks (%.3g s) of timed calls, "
            "so the run may be longer than shown, by a multiple of that; call "
            "mcuprof_flush() more often",
            0x1p32 / time->hz);
        return true;
    }
    if (!many || profile->one_task)
        return false;
    if (calls_took(profile) > 0)
        return advise_coarse_clock(profile, calls, text);
    if (time->run == 0)
        snprintf(text, LOSS_MAX, "%s timed calls took no tick, nor did the run: " STILL,
                 loss_figure(calls, figure));
    else if (time->run > UINT32_MAX / 2)
        snprintf(text, LOSS_MAX,
                 "%s timed calls took no tick, but the run did: the clock of "
                 "MCUPROF_TIME() goes backwards; it must count up, modulo 2^32 (a timer "
                 "that counts down: 0 less its count)",
                 loss_figure(calls, figure));
    else
        return false;
    return true;
}

/* The ticks between steps of the timeline; a run and a state have the clock itself. */
static uint64_t timeline_ticks(const struct profile *profile)
{
    struct timeline_cursor cursor;
    uint64_t ticks = 0;

    for (timeline_begin(&cursor, &profile->timeline); timeline_next(&cursor);)
        if (cursor.event.what != TIMELINE_RUN && cursor.event.what != TIMELINE_STATE)
            ticks = add_saturating(ticks, cursor.event.ticks);
    return ticks;
}

/* The same of the timeline's clock, which is that of timed calls. */
static bool advise_timeline(const struct profile *profile, char text[LOSS_MAX])
{
    const struct timeline *timeline = &profile->timeline;
    char figure[FIGURE_MAX];

    if (!(timeline->hz > 0) || timeline->received < CLOCK_EVENTS ||
        timeline_ticks(profile) > 0)
        return false;
    snprintf(text, LOSS_MAX,
             "%s switches and marks of the timeline came at one tick: " STILL,
             loss_figure(timeline->received, figure));
    return true;
}

/* Whether the run took another time by this clock than by its samples. Each of these has
 * its error, and the first sample comes a period after the start. */
static bool advise_clocks(const struct profile *profile, char text[LOSS_MAX])
{
    enum { ENOUGH = 50 };
    const double off = 1.25; /* and 0.29 / sqrt(ENOUGH), 4 %, is chance */
    const struct time_base *time = &profile->time;
    double rate = sampling_wall_rate(profile);
    uint64_t samples = profile->received[EVENT_SAMPLE] + profile->lost[EVENT_SAMPLE];

    if (!(time->hz > 0) || !(rate > 0) || samples < ENOUGH || profile->one_task ||
        !profile_is_told(profile))
        return false;
    double timed = (double)time->run / time->hz, sampled = (double)samples / rate;
    if (timed < sampled * off && sampled < timed * off)
        return false;
    snprintf(text, LOSS_MAX,
             "the run took %.3g s by the clock of MCUPROF_TIME(), but %.3g s by its "
             "samples: is MCUPROF_TIME_HZ that clock's rate, does it count in 32 bits, "
             "is MCUPROF_TIMER_HZ right? (A clock that stands while the processor "
             "sleeps, as a Cortex-M's DWT->CYCCNT does, leaves that out.)",
             timed, sampled);
    return true;
}

/* ---- Starts ---- */

/* Whether sampling began so often that what passes before each first sample counts: a
 * period, or a sixteenth of one. */
static bool is_begun_often(const struct profile *profile)
{
    enum { OFTEN = 10, PERIODS = 20, SHORT = 8 };
    uint64_t samples = profile->received[EVENT_SAMPLE] + profile->lost[EVENT_SAMPLE];

    return profile->hz > 0 && profile->starts >= OFTEN &&
           profile->starts > profile->inputs &&
           (profile->late_starts > 0 ? samples / PERIODS < profile->starts
                                     : samples < profile->starts / SHORT);
}

static void advise_starts(const struct profile *profile, char text[LOSS_MAX])
{
    char figure[FIGURE_MAX];
    bool whole = profile->late_starts > 0;

    snprintf(text, LOSS_MAX,
             "sampling was started %s times, and each time %s passes before the first "
             "sample: what runs then is shown too low, or not at all; start once and let "
             "it run, or sample for %s or more at a time",
             loss_figure(profile->starts, figure),
             whole ? "a period" : "a sixteenth of a period",
             whole ? "20 periods" : "half a period");
}

/* ---- Interrupts ---- */

/* What came of the run, of which `lost` tells the rest. */
static const uint64_t *came(const struct profile *profile)
{
    return profile->one_task ? profile->run_received : profile->received;
}

/* Whether what came is not all that was sent: then nothing is known of the chip. */
static bool is_damaged(const struct profile *profile)
{
    return profile->unproven > 0 || profile->discarded > 0 || profile->damaged > 0;
}

/* How long the run was, as far as another clock than the sampling timer's tells: 0: no
 * other does. */
static double run_seconds(const struct profile *profile)
{
    if (profile->time.hz > 0)
        return (double)profile->time.run / profile->time.hz;
    return profile->timeline.hz > 0
               ? (double)timeline_ticks(profile) / profile->timeline.hz
               : 0;
}

/* Whether it was too short for a sample: periods vary, up to one and a half of the mean.
 */
static bool is_too_short(const struct profile *profile)
{
    double seconds = run_seconds(profile);

    return seconds > 0 && seconds * profile->hz < 2;
}

/* Whether the firmware said that it samples, and no sample was taken. Those of which
 * nobody told yet may be in its counters, where others were. */
static bool is_timer_silent(const struct profile *profile)
{
    const uint64_t *events = came(profile);
    bool others = events[EVENT_ARC] > 0 || events[EVENT_CALL] > 0;

    return profile->hz > 0 && strcmp(profile->format, "mcuprof") == 0 &&
           !is_damaged(profile) && (profile->accounted || !others) &&
           events[EVENT_SAMPLE] == 0 && profile->lost[EVENT_SAMPLE] == 0 &&
           profile->earlier[EVENT_SAMPLE] == 0 && !is_too_short(profile);
}

static void advise_timer(const struct profile *profile, char text[LOSS_MAX])
{
    snprintf(text, LOSS_MAX,
             "the firmware says that it samples at %g Hz, but no sample came: does the "
             "timer's interrupt reach mcuprof_sample_isr (its vector, its enable bit in "
             "the interrupt controller)?%s",
             profile->hz,
             run_seconds(profile) > 0 ? "" : " Or was the run shorter than a period?");
}

/* Whether hardly more came than what waits in the firmware for a line that takes none:
 * a slow line has many records in the same time. */
static bool is_link_silent(const struct profile *profile)
{
    enum { RECORDS = 1000, TIMES = 20, ENOUGH = 100 };
    uint64_t lost = events_sum(profile->lost), received = events_sum(came(profile));

    return profile->accounted && !is_damaged(profile) && lost >= ENOUGH &&
           profile->records <= RECORDS && lost / TIMES > received;
}

/* ---- The line ---- */

enum { FOREIGN_MIN = 2 }; /* once may be noise that reads like words */

static void advise_text(const struct profile *profile, char text[LOSS_MAX])
{
    char figure[FIGURE_MAX];

    snprintf(
        text, LOSS_MAX,
        "other text is mixed with the records in %s places: something else writes to "
        "this UART (printf? a bootloader? an assertion?) and damages them; send that "
        "text through mcuprof_write(), or over another UART",
        loss_figure(profile->foreign, figure));
}

/* Whether the line's bytes all came, but the firmware had no room for many events. */
static bool is_crowded(const struct profile *profile)
{
    enum { TIMES = 20 }; /* 5 % */
    uint64_t lost = events_sum(profile->lost), received = events_sum(came(profile));

    return profile->accounted && !profile->unaccounted && !is_damaged(profile) &&
           strcmp(profile->format, "mcuprof") == 0 && lost > (lost + received) / TIMES;
}

/* Whether no more came than the firmware's ring holds, and the few records of the end. */
static bool is_ring_alone(const struct profile *profile)
{
    enum { BYTES = 4, MORE = 16 }; /* of the shortest record */

    return profile->inputs <= 1 && profile->ring_bytes > 0 &&
           profile->records <= profile->ring_bytes / BYTES + MORE;
}

/* ---- Resets ---- */

/* Whether the firmware started over again and again. Once may be the adapter's reset
 * line, as recording began. */
static bool is_restarting(const struct profile *profile)
{
    enum { ENOUGH = 3 };

    return profile->resets >= ENOUGH && profile->resets > profile->inputs;
}

static void advise_resets(const struct profile *profile, char text[LOSS_MAX])
{
    char figure[FIGURE_MAX];

    snprintf(
        text, LOSS_MAX,
        "the firmware was reset %s times during a run, by a fault (is each stack "
        "large enough for the sampling interrupt and the hooks? bench/README.md says "
        "what they need) or by a watchdog",
        loss_figure(profile->resets, figure));
}

/* ---- Build ID ---- */

/* Whether the firmware has said what it is, but not which build. avr-ld 2.26 makes no
 * build ID for large chips. */
static bool is_nameless(const struct profile *profile)
{
    return profile->arch != NULL && *profile->arch != '\0' &&
           strcmp(profile->arch, "avr") != 0 && strcmp(profile->format, "mcuprof") == 0 &&
           profile->accounted && !is_damaged(profile) && profile->build_id_bytes == 0;
}

bool advice_on_name(const struct profile *profile, const struct image *image,
                    char text[LOSS_MAX])
{
    text[0] = '\0';
    if (image == NULL || !is_nameless(profile))
        return false;
    snprintf(text, LOSS_MAX,
             "the firmware sends no build ID, so nobody can tell whether %.300s is its "
             "ELF: link with MCUPROF_LDFLAGS (-Wl,--build-id and mcuprof.ld), and let no "
             "linker script discard .note.gnu.build-id",
             image_path(image));
    return true;
}

/* ---- Start ---- */

/* Whether all came from power-on to the end, and mcuprof_start() was not called: it
 * closes a block. A sum of captures has more records than these. */
static bool is_never_started(const struct profile *profile)
{
    enum { RECORDS = 8 };
    uint64_t events = events_sum(profile->received) + events_sum(profile->lost) +
                      events_sum(profile->earlier);

    return strcmp(profile->format, "mcuprof") == 0 && profile->complete &&
           profile->accounted && !is_damaged(profile) && profile->run_count <= 1 &&
           profile->starts == 0 && events == 0 && profile->records <= RECORDS;
}

/* ---- What matters most ---- */

/* false: there is nothing wrong with the call paths. */
static bool advise_missing_paths(const struct profile *profile, const struct image *image,
                                 char text[LOSS_MAX])
{
    if (is_pathless(profile))
        advise_paths(profile, image, text);
    return text[0] != '\0';
}

const char *advice(const struct profile *profile, const struct image *image,
                   char text[LOSS_MAX])
{
    text[0] = '\0';
    if (is_never_started(profile))
        snprintf(
            text, LOSS_MAX,
            "mcuprof_end() or mcuprof_flush() was called, but mcuprof_start() never: "
            "nothing was measured; call it once the clocks and interrupts are set up");
    else if (profile->foreign >= FOREIGN_MIN)
        advise_text(profile, text);
    else if (is_restarting(profile))
        advise_resets(profile, text);
    else if (is_begun_often(profile))
        advise_starts(profile, text);
    else if (is_timer_silent(profile))
        advise_timer(profile, text);
    else if (is_astray(profile, image))
        snprintf(text, LOSS_MAX,
                 "no sample lies in code of %.300s: a handler calls mcuprof_sample_isr, "
                 "which must be the vector itself (see mcuprof lint), or what runs is "
                 "not in this ELF",
                 image_path(image));
    else if (is_link_silent(profile))
        snprintf(
            text, LOSS_MAX,
            "nearly all was lost: where the line is fast enough, the UART's transmit "
            "interrupt does not come: look at its enable bit in the UART, its number "
            "in the interrupt controller, its vector (mcuprof_link_isr)");
    else if (!advise_clock(profile, text) && !advise_timeline(profile, text) &&
             !sampling_impossible(profile, text) && !advise_clocks(profile, text) &&
             !advise_missing_paths(profile, image, text) && is_crowded(profile))
        snprintf(
            text, LOSS_MAX,
            "events were lost though no byte was damaged: the ring in the firmware was "
            "full (a larger MCUPROF_RING_BYTES, a faster line, a lower "
            "MCUPROF_SAMPLE_HZ, fewer profiled files, more counters, MCUPROF_WAIT), or "
            "the line dropped whole blocks%s%s",
            is_ring_alone(profile)
                ? ", or, as no more came than that ring holds, the UART's transmit "
                  "interrupt does not come (mcuprof_link_isr)"
                : "",
            profile->lost[EVENT_CALL] > 0
                ? "; timed calls nested deeper than MCUPROF_DEPTH are lost, too"
                : "");
    return text;
}
