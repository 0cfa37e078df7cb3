/* SPDX-License-Identifier: MIT */
#include "engine.h"

#include <stdlib.h>
#include <string.h>

#include "../base/memstream.h"
#include "../capture/tasks.h"
#include "../cmd/advice.h"
#include "../cmd/loss.h"
#include "../cmd/pages.h"
#include "../live/live.h"

struct engine {
    struct image *image;
    struct live live;
    struct pages pages;
    char *source;
    struct error error, problem;
    size_t told;   /* how many of the firmware's lines engine_console() has given */
    char *text;    /* what the last call gave; NULL: nothing */
    size_t size;   /* its bytes */
    bool has_page; /* pages_init() succeeded */
    bool has_live; /* live_init() did */
};

static const struct pages_options page_options = {.sources = PAGES_SOURCES};

_Static_assert((int)LIVE_OVER == (int)ENGINE_OVER, "the states have the same numbers");
_Static_assert(ENGINE_TEXT_MAX >= sizeof((struct error *)0)->text, "an error fits");

/* ---- Open and close ---- */

static bool open_all(struct engine *engine, const char *elf, const char *source)
{
    struct decode_options decode = {.format = "mcuprof"};
    struct error *error = &engine->error;

    engine->source = strdup(source);
    if (engine->source == NULL)
        return error_set(error, EXIT_BAD_INPUT, "out of memory");
    if (elf != NULL && !image_open(&engine->image, elf, error))
        return false;
    input_ask_image(engine->image, &decode);
    engine->has_live = live_init(&engine->live, &decode, engine->source, 0, error);
    if (!engine->has_live || elf == NULL)
        return engine->has_live;
    engine->has_page =
        pages_init(&engine->pages, &cmd_serve, &page_options, engine->image, error);
    return engine->has_page;
}

struct engine *engine_open(const char *elf, const char *source,
                           char error[ENGINE_TEXT_MAX])
{
    struct engine *engine = calloc(1, sizeof *engine);

    if (engine != NULL && open_all(engine, elf, source))
        return engine;
    snprintf(error, ENGINE_TEXT_MAX, "%s",
             engine != NULL ? engine->error.text : "out of memory");
    engine_close(engine);
    return NULL;
}

void engine_close(struct engine *engine)
{
    if (engine == NULL)
        return;
    if (engine->has_page)
        pages_release(&engine->pages);
    if (engine->has_live)
        live_release(&engine->live);
    image_close(engine->image);
    free(engine->text);
    free(engine->source);
    free(engine);
}

const char *engine_error(const struct engine *engine)
{
    return engine->error.text;
}

/* ---- Bytes ---- */

bool engine_push(struct engine *engine, const uint8_t *bytes, size_t size, double now)
{
    engine->error.text[0] = '\0';
    return live_bytes(&engine->live, bytes, size, now, &engine->error);
}

bool engine_pass(struct engine *engine, double now)
{
    engine->error.text[0] = '\0';
    return live_pass(&engine->live, now, &engine->error);
}

bool engine_finish(struct engine *engine, double now)
{
    engine->error.text[0] = '\0';
    return live_finish(&engine->live, now, &engine->error);
}

enum engine_state engine_state(const struct engine *engine)
{
    return (enum engine_state)live_state(&engine->live);
}

/* ---- Texts ---- */

/* Begins a text in place of the last one; NULL: out of memory. */
static FILE *begin_text(struct engine *engine)
{
    free(engine->text);
    engine->text = NULL;
    engine->error.text[0] = '\0';
    FILE *out = port_open_memstream(&engine->text, &engine->size);
    if (out == NULL)
        error_set(&engine->error, EXIT_BAD_INPUT, "out of memory");
    return out;
}

/* Ends it; `done`: it is what was asked for. */
static const char *end_text(struct engine *engine, FILE *out, bool done, size_t *size)
{
    bool closed = memstream_close(out, &engine->text);

    if (done && !closed)
        error_set(&engine->error, EXIT_BAD_INPUT, "out of memory");
    if (size != NULL)
        *size = engine->size;
    return done ? engine->text : NULL;
}

/* Whether the ELF is that of the firmware, as far as it has told. */
static bool is_right(const struct engine *engine, struct error *error)
{
    const struct profile *profile = &engine->live.profile;

    return engine->image == NULL ||
           (profile->build_id_bytes == 0 && *profile->arch == '\0') ||
           cmd_check_image(profile, engine->image, engine->source, error);
}

const char *engine_problem(struct engine *engine)
{
    engine->problem.text[0] = '\0';
    if (is_right(engine, &engine->problem))
        engine->problem = engine->live.error;
    return engine->problem.text;
}

const char *engine_received(struct engine *engine)
{
    FILE *out = begin_text(engine);
    char text[LOSS_MAX];

    if (out == NULL)
        return "";
    loss_describe(&engine->live.profile, text);
    fputs(text, out);
    return end_text(engine, out, true, NULL);
}

bool engine_lost(const struct engine *engine)
{
    return loss_any(&engine->live.profile);
}

const char *engine_advice(struct engine *engine)
{
    FILE *out = begin_text(engine);
    char text[LOSS_MAX];

    if (out == NULL)
        return "";
    fputs(advice(&engine->live.profile, engine->image, text), out);
    return end_text(engine, out, true, NULL);
}

const char *engine_console(struct engine *engine)
{
    const struct live_text *text = &engine->live.text;
    size_t whole = text->count - text->open, kept = live_text_lines(text);
    FILE *out = begin_text(engine);

    if (out == NULL)
        return "";
    if (engine->told < text->count - kept)
        engine->told = text->count - kept;
    for (; engine->told < whole; engine->told++)
        fprintf(out, "%s\n", live_text_line(text, text->count - 1 - engine->told));
    return end_text(engine, out, true, NULL);
}

/* ---- The profile ---- */

struct view {
    const char *format; /* of an export; NULL: none */
    bool page, whole, live;
};

static bool write_page(struct engine *engine, const struct view *view, FILE *out,
                       const struct shown *shown)
{
    struct error *error = &engine->error;
    bool done = !view->whole || page_is_there(error);

    engine->pages.page.live = view->live;
    pages_set(&engine->pages, shown->profile, shown->analysis, engine->source);
    if (done && view->whole)
        page_begin(out, view->live);
    done = done && page_data(out, &engine->pages.page, error) &&
           pages_had_memory(&engine->pages, error);
    if (done && view->whole)
        page_end(out);
    return done;
}

static bool write_view(struct engine *engine, const struct view *view, FILE *out,
                       struct profile *profile)
{
    struct error *error = &engine->error;
    struct analysis analysis;
    const struct shown shown = {.files = 1,
                                .paths = &engine->source,
                                .profile = profile,
                                .image = engine->image,
                                .analysis = &analysis};

    if (view->format != NULL)
        return cmd_export_to(out, view->format, profile, engine->image, error);
    if (!analyse(&analysis, profile, engine->image, error))
        return false;
    bool done = view->page ? write_page(engine, view, out, &shown)
                           : cmd_report_to(out, &shown, error);
    analysis_release(&analysis);
    return done;
}

/* Writes a view of what has come. The looked-at profile does not own the timeline. */
static bool look(struct engine *engine, const struct view *view, FILE *out)
{
    struct error *error = &engine->error;
    struct live_look look;

    if (engine->image == NULL)
        return error_set(error, EXIT_USAGE, "the firmware's ELF is needed");
    if (!is_right(engine, error) ||
        !live_look(&engine->live, engine->image, 0, &look, error))
        return false;
    look.profile.timeline = engine->live.profile.timeline;
    bool done = tasks_find_handlers(&look.profile, engine->image) ||
                error_set(error, EXIT_BAD_INPUT, "out of memory");
    done = done && write_view(engine, view, out, &look.profile);
    look.profile.timeline = (struct timeline){.bytes = NULL};
    profile_release(&look.profile);
    return done;
}

static const char *text_of(struct engine *engine, const struct view *view, size_t *size)
{
    FILE *out = begin_text(engine);

    return out == NULL ? NULL : end_text(engine, out, look(engine, view, out), size);
}

const char *engine_report(struct engine *engine, size_t *size)
{
    return text_of(engine, &(struct view){.format = NULL}, size);
}

const char *engine_page(struct engine *engine, bool whole, bool live, size_t *size)
{
    return text_of(engine, &(struct view){.page = true, .whole = whole, .live = live},
                   size);
}

const char *engine_export(struct engine *engine, const char *format, size_t *size)
{
    return text_of(engine, &(struct view){.format = format}, size);
}
