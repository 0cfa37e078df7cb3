/* SPDX-License-Identifier: MIT */
/* mcuprof serve: the page of `html` while the firmware runs. */
#include <poll.h>
#include <stdarg.h>
#include <stdlib.h>

#include "../base/memstream.h"
#include "../base/utf8.h"
#include "../capture/tasks.h"
#include "../live/link.h"
#include "../live/live.h"
#include "../page/server.h"
#include "output.h"
#include "pages.h"
#include "progress.h"
#include "record_input.h"

enum { WAIT_MS = 100, PORT_MAX = 65535 };
/* New data are made at most so often, and making them takes at most a tenth of the time.
 */
#define EVERY_S 0.8
#define REST    10
/* An ELF that does not fit is read again after this time. */
#define ELF_AGAIN_S 1.0
#define ELF_AGAIN   "; the ELF is read again until it fits: build it anew"

static struct {
    struct input_options input;
    struct pages_options pages;
    const char *out;
    unsigned baud, port;
} given = {.pages.sources = PAGES_SOURCES, .input.decode.format = "mcuprof"};

static const struct option_spec options[] = {
    {'o', "output", OPTION_STRING, "FILE", "record into this capture, too", &given.out},
    {'b', "baud", OPTION_UNSIGNED, "N",
     "speed of a serial line, bits a second (default: 115200)", &given.baud},
    {0, "port", OPTION_UNSIGNED, "N", "where to listen; default: any port that is free",
     &given.port},
    {'e', "elf", OPTION_STRING, "ELF", "the firmware's ELF file", &given.input.elf},
    {0, "force", OPTION_FLAG, NULL, "accept an ELF of another build ID",
     &given.input.force},
    {0, "strict", OPTION_FLAG, NULL, "exit 1 if anything was lost", &given.input.strict},
    {0, "format", OPTION_STRING, "NAME",
     "of what is sent: " DECODE_FORMAT_NAMES " (mcuprof)", &given.input.decode.format},
    {0, "hz", OPTION_RATE, "RATE", "sampling rate, where the input does not say",
     &given.input.decode.hz},
    {0, "addr-bytes", OPTION_UNSIGNED, "N", "bytes of an address in pa and pa-hex",
     &given.input.decode.addr_bytes},
    TASK_OPTION_ROW(given.input),
    SHIPPED_OPTION_ROW(given.input),
    THROUGH_OPTION_ROW(given.input),
    TAIL_OPTION_ROW(given.input),
    PAGES_OPTION_ROWS(given.pages),
    {.name = NULL},
};

struct serving {
    struct record_input input;
    struct live_link link;
    struct live live;
    bool living; /* `live` is initialised */
    struct image *image;
    bool wrong_elf, stale; /* wrong_elf: the image belongs to other firmware; stale:
                            * that has changed since the last data */
    double elf_again;      /* when to try next whether a better ELF is there */
    struct error elf_error, problem; /* elf_error, problem: why the page is empty; "":
                                      * it is not */
    uint64_t shown;                  /* bytes that had come when the data were made */
    double made_at, took;
    size_t printed, restarts; /* lines of text that were printed, and restarts that were
                               * reported */
    enum live_link_state link_state;
    struct pages pages;
    struct server *server;
};

static void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

static void say(const char *format, ...)
{
    struct error line = {.status = EXIT_DONE};
    va_list args;

    va_start(args, format);
    vsnprintf(line.text, sizeof line.text, format, args);
    va_end(args);
    cmd_fail(&cmd_serve, &line);
}

/* ---- Data ---- */

static bool write_data(struct serving *serving, struct profile *profile, FILE *out,
                       bool last, struct error *error)
{
    struct analysis analysis;
    const char *problem = serving->problem.text;
    bool done;

    if (!analyse(&analysis, profile, serving->image, error))
        return false;
    serving->pages.page.live = !last;
    serving->pages.page.problem = *problem != '\0' ? problem : NULL;
    pages_set(&serving->pages, profile, &analysis, source_name(serving->input.source));
    done = page_data(out, &serving->pages.page, error) &&
           pages_had_memory(&serving->pages, error);
    analysis_release(&analysis);
    return done;
}

/* Empties the profile, but for what describes the firmware. */
static void empty(struct profile *profile)
{
    struct profile part;

    profile_init_part(&part, profile);
    part.one_task = true;
    profile_release(profile);
    *profile = part;
}

/* Keeps the part that the page shows. That is nothing, and a problem is noted, if there
 * is no such task yet or if the image's names belong to other firmware. */
static bool choose(struct serving *serving, struct profile *profile, struct error *error)
{
    serving->problem.text[0] = '\0';
    if (serving->wrong_elf) {
        error_set(&serving->problem, EXIT_BAD_INPUT, "%s" ELF_AGAIN,
                  serving->elf_error.text);
        empty(profile);
        return true;
    }
    if (!tasks_find_handlers(profile, serving->image))
        return error_set(error, EXIT_BAD_INPUT, "out of memory");
    if (*profile->arch != '\0' && !input_goes_through(&given.input, profile, error))
        return false;
    if (!input_keep_task(&given.input, profile, &serving->problem))
        empty(profile);
    if (serving->live.bytes == 0) /* before the first byte no task can be known */
        serving->problem.text[0] = '\0';
    return true;
}

static bool look(struct serving *serving, FILE *out, bool last, struct error *error)
{
    struct live_look look;
    struct image *image = serving->wrong_elf ? NULL : serving->image;
    bool done = live_look(&serving->live, image, 0, &look, error);

    if (!done)
        return false;
    if (given.input.task == NULL && !serving->wrong_elf)
        look.profile.timeline = serving->live.profile.timeline; /* look.profile does not
                                                                 * own it */
    done = choose(serving, &look.profile, error) &&
           write_data(serving, &look.profile, out, last, error);
    look.profile.timeline = (struct timeline){.bytes = NULL};
    profile_release(&look.profile);
    return done;
}

static bool publish(struct serving *serving, bool last, struct error *error)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = port_open_memstream(&text, &size);
    bool done = out != NULL;
    double started = progress_now();

    done = done && look(serving, out, last, error);
    if (out == NULL || (!memstream_close(out, &text) && done))
        return error_set(error, EXIT_BAD_INPUT, "out of memory");
    if (!done)
        free(text);
    else if (!server_publish(serving->server, text, size, last))
        return error_set(error, EXIT_BAD_INPUT, "out of memory");
    serving->shown = serving->live.bytes;
    serving->stale = false;
    serving->made_at = progress_now();
    serving->took = serving->made_at - started;
    return done;
}

static bool publish_if_due(struct serving *serving, struct error *error)
{
    double rest = REST * serving->took;

    if ((serving->live.bytes == serving->shown && !serving->stale) ||
        progress_now() - serving->made_at < (rest > EVERY_S ? rest : EVERY_S))
        return true;
    return publish(serving, false, error);
}

/* ---- Input ---- */

static bool is_right(struct serving *serving)
{
    const struct profile *profile = &serving->live.profile;

    return (given.input.force ||
            (profile->build_id_bytes == 0 && *profile->arch == '\0') ||
            cmd_check_image(profile, serving->image, source_name(serving->input.source),
                            &serving->elf_error)) &&
           (*profile->arch == '\0' ||
            input_may_ship(&given.input, profile, &serving->elf_error));
}

/* Opens the ELF again, because it may have been built anew for the firmware that runs. */
static bool open_again(struct serving *serving, struct error *error)
{
    struct image *image;
    struct error ignored;

    serving->elf_again = progress_now() + ELF_AGAIN_S;
    if (!image_open(&image, given.input.elf, &ignored))
        return true;
    if (!input_open_shipped(&given.input, image, &ignored)) {
        image_close(image);
        return true;
    }
    pages_release(&serving->pages);
    image_close(serving->image);
    serving->image = image;
    serving->pages.page.image = NULL;
    return pages_init(&serving->pages, &cmd_serve, &given.pages, image, error);
}

/* Checks whether the image belongs to the running firmware, and reports when that
 * changes.
 */
static bool check_image(struct serving *serving, struct error *error)
{
    bool wrong = !is_right(serving);

    if (wrong && progress_now() >= serving->elf_again) {
        if (!open_again(serving, error))
            return false;
        wrong = !is_right(serving);
    }
    if (wrong && !serving->wrong_elf)
        say("%s" ELF_AGAIN, serving->elf_error.text);
    else if (!wrong && serving->wrong_elf)
        say("%s: it is that of the firmware now", given.input.elf);
    serving->stale = serving->stale || wrong != serving->wrong_elf;
    serving->wrong_elf = wrong;
    return true;
}

/* Prints the firmware's lines that are complete. */
static void print_text(struct serving *serving)
{
    const struct live_text *text = &serving->live.text;
    size_t whole = text->count - text->open, kept = live_text_lines(text);
    size_t from =
        text->count - kept > serving->printed ? text->count - kept : serving->printed;

    for (; from < whole; from++) {
        utf8_print(stdout, live_text_line(text, text->count - 1 - from));
        putchar('\n');
    }
    if (serving->printed < whole)
        fflush(stdout);
    serving->printed = whole;
}

/* Reports that the link was lost or found, or that the decoder began anew. */
static void tell(struct serving *serving)
{
    const char *name = source_name(serving->input.source);
    const struct live_link *link = &serving->link;

    if (link->state != serving->link_state && link->state == LINK_LOST)
        say("%s; it is tried again",
            link->error.text[0] != '\0' ? link->error.text : name);
    if (link->state != serving->link_state && link->state == LINK_UP)
        say("%s: it is back", name);
    serving->link_state = link->state;
    if (serving->live.restarts != serving->restarts)
        say("%s; it begins anew", serving->live.error.text);
    serving->restarts = serving->live.restarts;
}

/* Reads until the input ends or a signal comes. */
static bool read_all(struct serving *serving, struct error *error)
{
    size_t got;

    while (serving->link.state != LINK_ENDED && record_input_signalled() == 0) {
        if (!record_input_take(&serving->input, &serving->link, &serving->live, WAIT_MS,
                               &got, error) ||
            !check_image(serving, error) || !publish_if_due(serving, error))
            return false;
        print_text(serving);
        tell(serving);
    }
    return true;
}

/* Keeps the page after the input's end, until a signal comes. */
static bool stay(struct serving *serving, struct error *error)
{
    const char *name = source_name(serving->input.source);
    char loss[LOSS_MAX];
    struct error missed;

    if (serving->link.error.text[0] != '\0')
        say("%s", serving->link.error.text);
    if (!live_finish(&serving->live, progress_now(), &missed))
        say("%s", missed.text);
    print_text(serving);
    serving->wrong_elf = !is_right(serving);
    if (!publish(serving, true, error))
        return false;
    if (serving->wrong_elf || serving->problem.text[0] != '\0') {
        *error = serving->wrong_elf ? serving->elf_error : serving->problem;
        return false;
    }
    loss_describe(&serving->live.profile, loss);
    cmd_warn_of_sampling(&cmd_serve, &serving->live.profile, NULL);
    say("%s: the input ended, %s; the page stays until Ctrl-C", name, loss);
    while (record_input_signalled() == 0)
        poll(NULL, 0, WAIT_MS);
    return true;
}

/* Closes the capture, and says where it is. */
static bool close_capture(struct serving *serving, struct error *error)
{
    char figure[FIGURE_MAX];

    if (serving->input.fd < 0)
        return true;
    if (!record_input_close(&serving->input, error))
        return false;
    say("%s: %s bytes", serving->input.file, loss_figure(serving->input.written, figure));
    return true;
}

static bool serve(struct serving *serving, struct error *error)
{
    struct error missed; /* it was reported already, or the user ended the input */

    if (!publish(serving, false, error))
        return false;
    say("http://127.0.0.1:%u/", server_port(serving->server));
    if (!read_all(serving, error) ||
        (record_input_signalled() == 0 && !stay(serving, error)))
        return false;
    (void)live_finish(&serving->live, progress_now(), &missed);
    return close_capture(serving, error) &&
           loss_allowed(given.input.strict, &serving->live.profile,
                        source_name(serving->input.source), error);
}

/* ---- Start and end ---- */

static bool open_all(struct serving *serving, char **argv, struct error *error)
{
    double now = progress_now();

    if (!page_is_there(error) || !image_open(&serving->image, given.input.elf, error) ||
        !input_open_shipped(&given.input, serving->image, error) ||
        !input_differs(&given.input, given.out, 0, NULL, error) ||
        !record_input_open(&serving->input, argv, given.baud, given.out, error) ||
        !server_start(&serving->server, given.port, error))
        return false;
    live_link_init(&serving->link, serving->input.source, now);
    input_ask_image(serving->image, &given.input.decode);
    if (!pages_init(&serving->pages, &cmd_serve, &given.pages, serving->image, error))
        return false;
    serving->living = live_init(&serving->live, &given.input.decode,
                                source_name(serving->input.source), now, error);
    serving->live.through_interrupts = given.input.through_interrupts;
    serving->live.tail_calls = given.input.tail_calls;
    return serving->living;
}

static void release(struct serving *serving)
{
    struct error error;

    server_stop(serving->server);
    if (serving->living)
        live_release(&serving->live);
    if (serving->pages.page.image != NULL)
        pages_release(&serving->pages);
    if (!record_input_close(&serving->input, &error))
        say("%s", error.text);
    record_input_release(&serving->input);
    image_close(serving->image);
}

static int run(int argc, char **argv)
{
    static struct serving serving; /* zeroed; too large for the stack */
    struct error error;
    int usage = record_input_usage(&cmd_serve, argc, argv);

    if (usage == EXIT_DONE && given.input.elf == NULL)
        usage = cmd_usage(&cmd_serve, "the firmware's ELF is needed: -e ELF");
    if (usage == EXIT_DONE && given.port > PORT_MAX)
        usage = cmd_usage(&cmd_serve, "--port %u: at most %d", given.port, PORT_MAX);
    if (usage == EXIT_DONE)
        usage = pages_check(&cmd_serve, &given.pages);
    if (usage != EXIT_DONE)
        return usage;
    serving.input.fd = -1;
    bool done = open_all(&serving, argv, &error) && serve(&serving, &error);
    release(&serving);
    return done ? EXIT_DONE : cmd_fail(&cmd_serve, &error);
}

const struct cmd cmd_serve = {
    .name = "serve",
    .summary = "the page of html, live, for a browser on this machine",
    .synopsis = "[OPTION...] -e ELF SOURCE\n[OPTION...] -e ELF -- COMMAND [ARGUMENT...]",
    .details =
        "SOURCE is a serial device, tcp:HOST:PORT, udp:[ADDRESS:]PORT, a file, or - for "
        "standard\n"
        "input. The page is at the address that is printed, until Ctrl-C. Nobody else's\n"
        "machine can reach it.",
    .options = options,
    .takes_conf = true,
    .run = run,
    .keeps_dashes = true,
};
