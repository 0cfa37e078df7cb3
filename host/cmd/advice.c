/* SPDX-License-Identifier: MIT */
#include "advice.h"

#include <stdio.h>
#include <string.h>

#include "../arch/arch.h"
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

/* Whether the firmware said that it samples, and no sample was taken. Those of which
 * nobody told yet may be in its counters, where others were. */
static bool is_timer_silent(const struct profile *profile)
{
    const uint64_t *events = came(profile);
    bool others = events[EVENT_ARC] > 0 || events[EVENT_CALL] > 0;

    return profile->hz > 0 && strcmp(profile->format, "mcuprof") == 0 &&
           !is_damaged(profile) && (profile->accounted || !others) &&
           events[EVENT_SAMPLE] == 0 && profile->lost[EVENT_SAMPLE] == 0 &&
           profile->earlier[EVENT_SAMPLE] == 0;
}

static void advise_timer(const struct profile *profile, char text[LOSS_MAX])
{
    snprintf(text, LOSS_MAX,
             "the firmware says that it samples at %g Hz, but no sample came: does the "
             "timer's interrupt reach mcuprof_sample_isr (its vector, its enable bit in "
             "the interrupt controller)?",
             profile->hz);
}

/* Whether hardly more came than what waits in the firmware for a line that takes none:
 * a slow line has many records in the same time. */
static bool is_link_silent(const struct profile *profile)
{
    enum { RECORDS = 1000, TIMES = 20, ENOUGH = 100 };
    uint64_t lost = 0, received = 0;

    for (int kind = 0; kind < EVENT_KINDS; kind++) {
        lost += profile->lost[kind];
        received += came(profile)[kind];
    }
    return profile->accounted && !is_damaged(profile) && lost >= ENOUGH &&
           profile->records <= RECORDS && lost / TIMES > received;
}

/* ---- The line ---- */

enum { FOREIGN_MIN = 2 }; /* once may be noise that reads like words */

static void advise_text(const struct profile *profile, char text[LOSS_MAX])
{
    char figure[FIGURE_MAX];

    snprintf(text, LOSS_MAX,
             "text stands amid records in %s places: something else writes to this UART "
             "(printf? a bootloader? an assertion?) and damages them; send that text "
             "through mcuprof_write(), or over another UART",
             loss_figure(profile->foreign, figure));
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

static void advise_name(const struct image *image, char text[LOSS_MAX])
{
    snprintf(text, LOSS_MAX,
             "the firmware sends no build ID, so nobody can tell whether %.300s is its "
             "ELF: link with MCUPROF_LDFLAGS (-Wl,--build-id and mcuprof.ld), and let no "
             "linker script discard .note.gnu.build-id",
             image_path(image));
}

const char *advice(const struct profile *profile, const struct image *image,
                   char text[LOSS_MAX])
{
    text[0] = '\0';
    if (profile->foreign >= FOREIGN_MIN)
        advise_text(profile, text);
    else if (is_timer_silent(profile))
        advise_timer(profile, text);
    else if (is_link_silent(profile))
        snprintf(
            text, LOSS_MAX,
            "nearly all was lost: where the line is fast enough, the UART's transmit "
            "interrupt does not come: look at its enable bit in the UART, its number "
            "in the interrupt controller, its vector (mcuprof_link_isr)");
    else if (is_pathless(profile))
        advise_paths(profile, image, text);
    else if (image != NULL && is_nameless(profile))
        advise_name(image, text);
    return text;
}
