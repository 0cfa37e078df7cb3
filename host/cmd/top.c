/* SPDX-License-Identifier: MIT */
/*
 * mcuprof top: reads a source as `record` does, and shows the profile while it grows: on
 * a terminal as frames, elsewhere as a line for each window.
 */
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../base/plural.h"
#include "../live/link.h"
#include "../top/terminal.h"
#include "../top/top.h"
#include "advice.h"
#include "cmd.h"
#include "loss.h"
#include "output.h"
#include "progress.h"
#include "record_input.h"

enum { WAIT_MS = 50, WINDOW_S = 10 };
/* The time between reads: each read wakes the program, and a serial line brings only a
 * few bytes at a time. Linux keeps 64 kB for it. */
#define READ_EVERY_S 0.02
#define KEYS_EVERY_S 0.03
/* The time between looks, which grows if looks take long: they may use no more than this
 * share of the time. */
#define LOOK_EVERY_S 0.25
#define LOOK_SHARE   0.02
#define ELF_AGAIN_S  1.0

static struct input_options in = {.decode.format = "mcuprof"};
static const char *output, *sort = "self", *columns, *color = "auto";
static unsigned baud, window = WINDOW_S;
static double duration_s = -1; /* negative: no limit */

static const struct option_spec options[] = {
    {'e', "elf", OPTION_STRING, "ELF", "the firmware's ELF file, for names", &in.elf},
    {'o', "output", OPTION_STRING, "FILE", "record into this capture, too", &output},
    {'b', "baud", OPTION_UNSIGNED, "N",
     "speed of a serial line, bits a second (default: 115200)", &baud},
    {'w', "window", OPTION_UNSIGNED, "N",
     "of the last N seconds, 1 to 60 (default: 10); 0: since the start", &window},
    {0, "columns", OPTION_STRING, "LIST",
     "of functions: these figures, such as self_percent,calls,mean", &columns},
    {0, "sort", OPTION_STRING, "BY", "self (default), name, or any other figure", &sort},
    {'d', "duration", OPTION_DOUBLE, "S", "stop after S seconds", &duration_s},
    {0, "force", OPTION_FLAG, NULL, "accept an ELF of another build ID", &in.force},
    {0, "strict", OPTION_FLAG, NULL, "exit 1 if anything was lost", &in.strict},
    {0, "format", OPTION_STRING, "NAME",
     "of what is sent: " DECODE_FORMAT_NAMES " (mcuprof)", &in.decode.format},
    {0, "hz", OPTION_RATE, "RATE", "sampling rate, where the firmware does not say",
     &in.decode.hz},
    {0, "addr-bytes", OPTION_UNSIGNED, "N", "bytes of an address in pa and pa-hex",
     &in.decode.addr_bytes},
    {0, "color", OPTION_STRING, "WHEN", "auto (default), always or never", &color},
    {0},
};

struct session {
    struct record_input input;
    struct live_link link;
    struct live live;
    bool living; /* `live` is initialised */
    struct top top;
    struct grid grid;
    bool on_terminal;
    struct image *image;
    bool wrong_elf;
    double elf_again; /* when to try next whether the ELF fits */
    struct error elf_error;
    struct error end_error; /* what the decoder missed at the end */
    double began, next_read, next_keys, next_look, next_line;
    bool quit, dirty; /* dirty: a frame must be drawn */
};

/* ---- The ELF ---- */

/* The image, if its names may be shown. */
static struct image *names(const struct session *session)
{
    return session->wrong_elf ? NULL : session->image;
}

static bool is_right(struct session *session)
{
    const struct profile *profile = &session->live.profile;

    return session->image == NULL || in.force ||
           (profile->build_id_bytes == 0 && *profile->arch == '\0') ||
           cmd_check_image(profile, session->image, source_name(session->input.source),
                           &session->elf_error);
}

/* Opens the ELF again, because it may have been built anew for the firmware that runs. */
static void open_again(struct session *session, double now)
{
    struct image *image;
    struct error error;

    session->elf_again = now + ELF_AGAIN_S;
    if (!image_open(&image, in.elf, &error))
        return;
    top_forget(&session->top);
    image_close(session->image);
    session->image = image;
    session->wrong_elf = !is_right(session);
}

static void check_elf(struct session *session, double now)
{
    bool wrong = !is_right(session);

    if (wrong != session->wrong_elf)
        session->top.stale = true;
    session->wrong_elf = wrong;
    if (wrong && now >= session->elf_again)
        open_again(session, now);
    session->top.source.problem = session->wrong_elf ? session->elf_error.text : NULL;
}

/* ---- Bytes ---- */

static void tell_source(struct session *session)
{
    struct top_source *source = &session->top.source;

    source->link = session->link.state;
    source->link_since = session->link.since;
    source->link_error = session->end_error.text[0] != '\0' ? session->end_error.text
                                                            : session->link.error.text;
    source->losses = session->link.losses;
}

/* Ends reading, and settles what waited for more bytes. */
static void finish(struct session *session, double now)
{
    const char *warning = source_warning(session->input.source);
    struct error error;

    if (session->live.over)
        return;
    session->top.stale = true;
    if (!live_finish(&session->live, now, &error))
        session->end_error = session->live.restarts > 0 ? session->live.error : error;
    else if (warning != NULL)
        error_set(&session->end_error, EXIT_DONE, "%s: %s", session->top.source.name,
                  warning);
}

static void rest_until(double when)
{
    double left = when - progress_now();
    struct timespec rest = {0, (long)(1e9 * left)};

    if (left > 0 && left < 1)
        nanosleep(&rest, NULL);
}

static bool take_bytes(struct session *session, struct error *error)
{
    size_t got;

    rest_until(session->next_read);
    bool done = record_input_take(&session->input, &session->link, &session->live,
                                  WAIT_MS, &got, error);
    double now = progress_now();
    session->next_read = got < RECORD_INPUT_BYTES / 2 ? now + READ_EVERY_S : now;
    tell_source(session);
    if (done && session->link.state == LINK_ENDED)
        finish(session, now);
    return done;
}

/* ---- Frames and lines ---- */

static bool look(struct session *session, struct error *error)
{
    double began = progress_now(), took;

    if (began < session->next_look && !session->top.stale)
        return true;
    check_elf(session, began);
    if (!top_look(&session->top, &session->live, names(session), error))
        return false;
    took = progress_now() - began;
    session->next_look =
        began + (took > LOOK_EVERY_S * LOOK_SHARE ? took / LOOK_SHARE : LOOK_EVERY_S);
    session->dirty = true;
    return true;
}

static void draw(struct session *session)
{
    struct grid *grid = &session->grid;

    if (!session->dirty)
        return;
    terminal_size(&grid->columns, &grid->rows);
    tell_source(session);
    top_draw(&session->top, &session->live, grid);
    terminal_show(grid);
    session->dirty = false;
}

static void take_keys(struct session *session)
{
    double now = progress_now();
    int key;

    if (now < session->next_keys)
        return;
    session->next_keys = now + KEYS_EVERY_S;
    while (!session->quit && (key = terminal_key()) != TOP_KEY_NONE) {
        session->quit = !top_key(&session->top, key);
        session->dirty = true;
    }
}

static bool show_frames(struct session *session, struct error *error)
{
    take_keys(session);
    if (session->quit)
        return true;
    if (!look(session, error))
        return false;
    draw(session);
    return true;
}

/* Prints a line for each window, and one at the end. */
static bool print_lines(struct session *session, bool last, struct error *error)
{
    double now = progress_now();

    if (now < session->next_line && !last)
        return true;
    session->next_line += window > 0 ? window : WINDOW_S;
    check_elf(session, now);
    session->top.stale = true;
    if (!top_look(&session->top, &session->live, names(session), error))
        return false;
    if (!top_print_line(&session->top, &session->live, stdout))
        return error_set(error, EXIT_BAD_INPUT, "out of memory");
    if (fflush(stdout) == 0)
        return true;
    return error_set(error, EXIT_BAD_INPUT, "standard output cannot be written");
}

/* ---- The session ---- */

static bool is_over(const struct session *session)
{
    return session->quit || record_input_signalled() != 0 ||
           (duration_s >= 0 && progress_now() - session->began >= duration_s) ||
           (!session->on_terminal && session->live.over);
}

static bool run_session(struct session *session, struct error *error)
{
    while (!is_over(session))
        if (!take_bytes(session, error) ||
            !(session->on_terminal ? show_frames(session, error)
                                   : print_lines(session, false, error)))
            return false;
    if (!session->on_terminal && !print_lines(session, true, error))
        return false;
    finish(session, progress_now());
    return true;
}

static bool open_live(struct session *session, char **argv, struct error *error)
{
    if (in.elf != NULL && !image_open(&session->image, in.elf, error))
        return false;
    if (session->on_terminal && !terminal_open(&session->top.style, error))
        return false;
    if (!output_differs(output, in.elf, 0, NULL, error) ||
        !record_input_open(&session->input, argv, baud, output, error))
        return false;
    session->began = session->next_line = progress_now();
    session->next_line += window > 0 ? window : WINDOW_S;
    live_link_init(&session->link, session->input.source, session->began);
    session->living =
        live_init(&session->live, &in.decode, source_name(session->input.source),
                  session->began, error);
    session->top.source = (struct top_source){
        .name = source_name(session->input.source),
        .elf = in.elf,
        .recording = output,
        .baud = source_baud(session->input.source),
        .lives = source_live(session->input.source),
        .link_error = "",
    };
    grid_init(&session->grid, &session->top.style);
    return session->living;
}

/* Reports what went wrong with a source that ended by itself. */
static int complain(const struct session *session)
{
    struct error nothing;
    int status = EXIT_DONE;

    if (session->quit || record_input_signalled() != 0)
        return EXIT_DONE;
    error_set(&nothing, EXIT_BAD_INPUT, "%s: nothing received", session->top.source.name);
    if (session->live.bytes == 0)
        return cmd_fail(&cmd_top, &nothing);
    if (session->end_error.text[0] != '\0')
        status = cmd_fail(&cmd_top, &session->end_error);
    if (session->wrong_elf)
        status = cmd_fail(&cmd_top, &session->elf_error);
    return status;
}

/* One line: how much came, what was lost; another where that shows what is wrong. */
static int summarise(const struct session *session)
{
    char loss[LOSS_MAX], figure[FIGURE_MAX];
    struct error line;
    int status = complain(session);

    if (status != EXIT_DONE)
        return status;
    loss_describe(&session->live.profile, loss);
    error_set(&line, EXIT_DONE, "%s: %s byte%s in %.1f s, %s",
              output != NULL ? output : session->top.source.name,
              loss_figure(session->live.bytes, figure), plural(session->live.bytes),
              progress_now() - session->began, loss);
    cmd_fail(&cmd_top, &line);
    if (*advice(&session->live.profile, names(session), loss) != '\0') {
        error_set(&line, EXIT_DONE, "%s", loss);
        cmd_fail(&cmd_top, &line);
    }
    cmd_warn_of_sampling(&cmd_top, &session->live.profile, NULL);
    return in.strict && loss_any(&session->live.profile) ? EXIT_NO : EXIT_DONE;
}

static void release(struct session *session)
{
    top_release(&session->top);
    grid_release(&session->grid);
    if (session->living)
        live_release(&session->live);
    record_input_release(&session->input);
    image_close(session->image);
}

/* Whether the figures of a list can be known while bytes come. */
static bool are_live(const struct figure_list *list, struct error *error)
{
    for (size_t i = 0; i < list->count; i++) {
        const struct figure *figure = list->keys[i].figure;

        if (figure != NULL && (figure->needs & TOP_LACKS) != 0)
            return error_set(error, EXIT_USAGE,
                             "%s is not known of a window, which has sums alone: see "
                             "mcuprof report",
                             figure->id);
    }
    return true;
}

/* Finds the order: one of those that keys choose, or any figure. */
static bool find_order(struct top *top, struct error *error)
{
    struct figure_list order;

    while (top_sort_name(top->sort) != NULL &&
           strcmp(top_sort_name(top->sort), sort) != 0)
        ++top->sort;
    if (top->sort < TOP_SORTS)
        return true;
    if (!figures_parse_order(&order, sort, error) || !are_live(&order, error))
        return false;
    if (order.count > 1 || order.keys[0].error || figures_by_name(&order))
        return error_set(error, EXIT_USAGE, "'%s' is not one figure", sort);
    top->by = order.keys[0].figure;
    top->reverse = order.keys[0].ascending;
    return true;
}

static bool check_figures(struct top *top)
{
    struct error error;

    if (!find_order(top, &error))
        cmd_usage(&cmd_top, "--sort: %s", error.text);
    else if (columns != NULL && (!figures_parse(&top->columns, columns, &error) ||
                                 !are_live(&top->columns, &error)))
        cmd_usage(&cmd_top, "--columns: %s", error.text);
    else
        return true;
    return false;
}

static bool check_options(struct style *style)
{
    if (window > LIVE_SECONDS_MAX)
        cmd_usage(&cmd_top, "--window %u: not 0 to %d seconds", window, LIVE_SECONDS_MAX);
    else if (output != NULL && strcmp(output, "-") == 0)
        cmd_usage(&cmd_top, "-o -: standard output is for the figures");
    else if (!style_init(style, stdout, color))
        cmd_usage(&cmd_top, "--color %s: not auto, always or never", color);
    else
        return true;
    return false;
}

/* Whether frames can be shown. On a dumb terminal, such as an editor's, lines are
 * printed. */
static bool is_terminal(void)
{
    const char *name = getenv("TERM");

    return isatty(STDOUT_FILENO) == 1 && name != NULL && strcmp(name, "dumb") != 0;
}

static int run(int argc, char **argv)
{
    static struct session session = {.input.fd = -1}; /* too large for the stack */
    struct error error, second;
    struct style style;
    int status = record_input_usage(&cmd_top, argc, argv);
    bool done;

    setlocale(LC_CTYPE, "");
    if (status != EXIT_DONE)
        return status;
    if (!check_options(&style))
        return EXIT_USAGE;
    top_init(&session.top, &style, window, TOP_SELF);
    if (!check_figures(&session.top))
        return EXIT_USAGE;
    session.on_terminal = is_terminal();
    done = open_live(&session, argv, &error) && run_session(&session, &error);
    terminal_close();
    bool closed = record_input_close(&session.input, done ? &error : &second);
    if (!done && !closed)
        cmd_fail(&cmd_top, &second);
    done = done && closed;
    status = done ? summarise(&session) : cmd_fail(&cmd_top, &error);
    release(&session);
    return status;
}

const struct cmd cmd_top = {
    .name = "top",
    .summary = "what runs while it runs: a live view on a terminal",
    .synopsis = "[OPTION...] SOURCE\n[OPTION...] -- COMMAND [ARGUMENT...]",
    .details = "SOURCE and COMMAND are those of `mcuprof record`. A serial line or a TCP "
               "server that\nis gone is waited for. `?` shows the keys, `q` ends. Where "
               "standard output is no\nterminal, a line is printed each --window.",
    .options = options,
    .takes_conf = true,
    .run = run,
    .keeps_dashes = true,
};
