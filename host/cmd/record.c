/* SPDX-License-Identifier: MIT */
/*
 * mcuprof record: copies bytes unchanged from the source to the capture. Each read is
 * written at once, so that the file is a valid capture whatever happens next. Decoding
 * serves only the console text, the progress and the summary.
 */
#include <ctype.h>
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../base/plural.h"
#include "../live/link.h"
#include "advice.h"
#include "cmd.h"
#include "console.h"
#include "loss.h"
#include "output.h"
#include "progress.h"
#include "rate.h"
#include "record_input.h"

enum { READ_BYTES = 65536, WAIT_MS = 100 };
#define HINT_AFTER_S 5.0
/* After the end record, console text may still come, and an emulator that ends by itself
 * should get time for that. */
#define LINGER_S         0.2
#define LINGER_COMMAND_S 1.0

static struct input_options in = {.decode.format = "mcuprof"};
static const char *output = "mcuprof.mprof";
static unsigned baud;
static double duration_s = -1; /* negative: no limit */
static bool reconnect;
static bool reported; /* a report of the recording follows */
static bool written;  /* a capture with at least one profile record was written */

static const struct option_spec options[] = {
    {'o', "output", OPTION_STRING, "FILE",
     "the capture to write, \"-\" for standard output (default: mcuprof.mprof)", &output},
    {'b', "baud", OPTION_UNSIGNED, "N",
     "speed of a serial line, bits a second (default: 115200)", &baud},
    {'d', "duration", OPTION_DOUBLE, "S", "stop after S seconds", &duration_s},
    {0, "reconnect", OPTION_FLAG, NULL,
     "go on with a serial device or TCP server that comes back", &reconnect},
    {'e', "elf", OPTION_STRING, "ELF",
     "the firmware's ELF: checked by build ID, for the top function", &in.elf},
    {0, "force", OPTION_FLAG, NULL, "accept an ELF of another build ID", &in.force},
    {0, "strict", OPTION_FLAG, NULL, "exit 1 if anything was lost", &in.strict},
    {0, "format", OPTION_STRING, "NAME",
     "of what is sent: " DECODE_FORMAT_NAMES " (mcuprof)", &in.decode.format},
    {0, "addr-bytes", OPTION_UNSIGNED, "N", "bytes of an address in pa and pa-hex",
     &in.decode.addr_bytes},
    {0},
};

enum stop {
    STOP_NOT,
    STOP_END_RECORD,
    STOP_END_OF_INPUT,
    STOP_DURATION,
    STOP_SIGNAL,
    STOP_FAILED, /* recording.error says why */
};

struct recording {
    struct record_input input;
    struct live_link link; /* used with --reconnect */
    size_t gaps;           /* how often the link was lost before the end record */
    double gone_s;         /* how long it was lost, in all */
    uint64_t bytes;        /* received */
    uint64_t odd;          /* how many of these are no text */
    struct image *image;
    struct profile profile;
    struct decoder decoder;
    bool decoding;
    bool undecoded;  /* the decoder failed; the capture goes on without it */
    bool identified; /* the build ID has been checked */
    bool hinted;
    double started;
    double ended_at; /* when the end record came; 0: none came, or more came after it */
    struct rate rate;
    bool command;    /* the source is one */
    double linger_s; /* how long to wait for text after the end record */
    struct console console;
    struct progress progress;
    struct error error;
};

/* Writes one line to standard error; the status line is erased first. */
static void say(struct recording *recording, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void say(struct recording *recording, const char *format, ...)
{
    struct error line;
    va_list args;

    va_start(args, format);
    vsnprintf(line.text, sizeof line.text, format, args);
    va_end(args);
    line.status = EXIT_DONE;
    progress_erase(&recording->progress);
    cmd_fail(&cmd_record, &line);
}

static bool open_all(struct recording *recording, char **argv)
{
    struct decode_options *decode = &in.decode;

    if (in.elf != NULL && !image_open(&recording->image, in.elf, &recording->error))
        return false;
    if (!output_differs(output, in.elf, 0, NULL, &recording->error) ||
        !record_input_open(&recording->input, argv, baud, output, &recording->error))
        return false;
    recording->command = strcmp(argv[0], "--") == 0;
    recording->linger_s = recording->command ? LINGER_COMMAND_S : LINGER_S;
    progress_init(&recording->progress, isatty(STDERR_FILENO) == 1,
                  source_baud(recording->input.source), recording->image);
    console_init(&recording->console,
                 recording->input.fd == STDOUT_FILENO ? STDERR_FILENO : STDOUT_FILENO,
                 &recording->progress);
    decode->console = console_text;
    decode->context = &recording->console;
    recording->decoding =
        decoder_init(&recording->decoder, decode, &recording->profile,
                     source_name(recording->input.source), NULL, 0, &recording->error);
    recording->started = progress_now();
    live_link_init(&recording->link, recording->input.source, recording->started);
    return recording->decoding;
}

/* Goes on without the decoder, which failed: the bytes may be worth a later look. */
static void give_up_decoding(struct recording *recording, const struct error *error)
{
    say(recording, "%s (recording goes on)", error->text);
    recording->decoding = false;
    recording->undecoded = true;
    decoder_release(&recording->decoder);
}

static bool check_image(struct recording *recording)
{
    if (recording->identified || recording->image == NULL || in.force ||
        (recording->profile.build_id_bytes == 0 && *recording->profile.arch == '\0'))
        return true;
    recording->identified = recording->profile.build_id_bytes != 0;
    return cmd_check_image(&recording->profile, recording->image,
                           source_name(recording->input.source), &recording->error);
}

/* Whether the last record was an end record. A file never counts as ended, because it may
 * hold several runs and is copied whole. */
static bool has_ended(const struct recording *recording)
{
    return recording->decoding && recording->decoder.ended &&
           source_live(recording->input.source);
}

/* Decodes the bytes that were written to the capture. */
static enum stop take(struct recording *recording, const uint8_t *bytes, size_t size)
{
    unsigned long long before = recording->input.written;
    enum stop stop = STOP_NOT;
    struct error error;

    recording->bytes += size;
    for (size_t i = 0; i < size; i++)
        recording->odd += !isprint(bytes[i]) && !isspace(bytes[i]);
    if (!record_input_write(&recording->input, bytes, size, &recording->error)) {
        size = (size_t)(recording->input.written - before);
        stop = STOP_FAILED;
    }
    if (!recording->decoding)
        return stop;
    if (!decoder_bytes(&recording->decoder, bytes, size, &error))
        give_up_decoding(recording, &error);
    rate_note(&recording->rate, progress_now(), &recording->profile);
    console_flush(&recording->console);
    if (stop == STOP_NOT && !check_image(recording))
        stop = STOP_FAILED;
    if (!has_ended(recording))
        recording->ended_at = 0;
    else if (recording->ended_at <= 0)
        recording->ended_at = progress_now();
    return stop;
}

/* Whether the firmware sends text but no record. At a wrong rate its bytes are no text.
 */
static bool only_prints(const struct recording *recording)
{
    return recording->profile.records == 0 && recording->profile.damaged == 0 &&
           recording->bytes > 0 && recording->odd * 20 < recording->bytes;
}

static const char not_started[] =
    "the firmware prints, but nothing came from the profiler: does it call "
    "mcuprof_start(), and is this the profiler's UART, not the console's?";

/* Says what to look at where nothing came. */
static void describe_silence(const struct recording *recording, char text[LOSS_MAX])
{
    const struct source *source = recording->input.source;
    const char *name = source_name(source);

    if (source_baud(source) > 0)
        snprintf(text, LOSS_MAX,
                 "%.200s: nothing received at %u baud: look at the device (`mcuprof "
                 "ports`), the pins (the chip's TX on this side's RX, and ground), the "
                 "UART's rate (--baud), mcuprof_start(), the transmit interrupt (its "
                 "enable bits, its vector)",
                 name, source_baud(source));
    else if (recording->command)
        snprintf(text, LOSS_MAX,
                 "%.200s: nothing received: does the command run this firmware, with the "
                 "serial line on its standard output (QEMU: -serial stdio)? does the "
                 "firmware call mcuprof_start(), and does the UART's transmit interrupt "
                 "come?",
                 name);
    else
        snprintf(text, LOSS_MAX, "%.200s: nothing received", name);
}

/* Prints a hint for a user at a terminal where nothing happens. */
static void hint(struct recording *recording)
{
    char figure[FIGURE_MAX];

    if (recording->hinted || !recording->progress.on || recording->profile.records > 0 ||
        progress_now() - recording->started < HINT_AFTER_S)
        return;
    recording->hinted = true;
    if (recording->bytes == 0)
        say(recording,
            "nothing received yet: is the profiler started, the line connected?");
    else if (only_prints(recording))
        say(recording, "%s", not_started);
    else
        say(recording,
            "%s byte%s, but no profile record yet: is the baud rate right, "
            "the profiler started?",
            loss_figure(recording->bytes, figure), plural(recording->bytes));
}

static int wait_ms(const struct recording *recording)
{
    double left = recording->started + duration_s - progress_now();

    if (duration_s < 0 || left * 1000 >= WAIT_MS)
        return WAIT_MS;
    return left > 0 ? (int)(left * 1000) + 1 : 0;
}

static void tell_gap(struct recording *recording, double since)
{
    const struct live_link *link = &recording->link;
    const char *name = source_name(recording->input.source);

    if (link->state == LINK_LOST) {
        recording->gaps++;
        say(recording, "%s: gone%s%s (it is tried again)", name,
            link->error.text[0] != '\0' ? ": " : "", link->error.text);
        return;
    }
    recording->gone_s += link->since - since;
    say(recording, "%s: back after %.1f s", name, link->since - since);
}

/* As source_read(), but waits for a source that may come back. */
static ssize_t receive(struct recording *recording, uint8_t *bytes, size_t size)
{
    struct live_link *link = &recording->link;
    enum live_link_state state = link->state;
    double since = link->since;
    size_t got;

    if (!reconnect)
        return source_read(recording->input.source, bytes, size, wait_ms(recording),
                           &recording->error);
    got = live_link_read(link, bytes, size, wait_ms(recording), progress_now());
    recording->error = link->error;
    if (got > 0)
        return (ssize_t)got;
    if (link->state == LINK_ENDED || (link->state == LINK_LOST && has_ended(recording)))
        return link->error.text[0] != '\0' ? -1 : 0;
    if (link->state != state)
        tell_gap(recording, since);
    return SOURCE_NOTHING;
}

static enum stop step(struct recording *recording)
{
    static uint8_t bytes[READ_BYTES];
    enum stop stop = STOP_NOT;
    ssize_t got = receive(recording, bytes, sizeof bytes);

    if (got > 0)
        stop = take(recording, bytes, (size_t)got);
    else if (got != SOURCE_NOTHING) /* an emulator's serial line may vanish as the
                                     * emulator ends */
        stop = has_ended(recording) ? STOP_END_RECORD
               : got == 0           ? STOP_END_OF_INPUT
                                    : STOP_FAILED;
    if (stop != STOP_NOT)
        return stop;
    if (recording->ended_at > 0 &&
        progress_now() - recording->ended_at >= recording->linger_s)
        return STOP_END_RECORD;
    if (record_input_signalled() != 0)
        return STOP_SIGNAL;
    if (duration_s >= 0 && progress_now() - recording->started >= duration_s)
        return STOP_DURATION;
    hint(recording);
    progress_tick(&recording->progress, &recording->profile, recording->bytes);
    return STOP_NOT;
}

/* false: recording.error says what the decoder missed. */
static bool finish_decoding(struct recording *recording)
{
    struct error *error = &recording->error;
    bool done = !recording->decoding || decoder_finish(&recording->decoder, error);

    console_end(&recording->console);
    progress_erase(&recording->progress);
    return done;
}

static const char *why(enum stop stop)
{
    switch (stop) {
    case STOP_SIGNAL:
        return record_input_signalled() == SIGINT ? "; stopped by Ctrl-C"
                                                  : "; stopped by a signal";
    case STOP_DURATION:
        return "; the time is up";
    case STOP_END_OF_INPUT:
        return "; the input ended without an end record";
    default:
        return "";
    }
}

const char *cmd_recorded(void)
{
    return written && strcmp(output, "-") != 0 ? output : NULL;
}

void cmd_report_follows(void)
{
    reported = true;
}

/* Tells a user at a terminal what to do next. */
static void advise(struct recording *recording)
{
    const struct profile *profile = &recording->profile;

    if (!recording->progress.on)
        return;
    if (only_prints(recording))
        say(recording, "%s", not_started);
    if (profile->unsent > 0)
        say(recording, "call mcuprof_flush() now and then, or mcuprof_end() at the end, "
                       "to have all counters");
    if (cmd_recorded() != NULL && !reported)
        say(recording, "next: mcuprof report -e %s %s",
            in.elf != NULL ? in.elf : "FIRMWARE.elf", recording->input.file);
}

/* How many seconds the source was lost. */
static double gone(const struct recording *recording)
{
    const struct live_link *link = &recording->link;

    return recording->gone_s + (link->state == LINK_LOST && !has_ended(recording)
                                    ? progress_now() - link->since
                                    : 0);
}

static int summarise(struct recording *recording, enum stop stop)
{
    char loss[LOSS_MAX], figure[FIGURE_MAX], gaps[64] = "";
    const struct profile *profile = &recording->profile;

    if (recording->gaps > 0)
        snprintf(gaps, sizeof gaps, "; gone %zu time%s, %.1f s in all", recording->gaps,
                 plural(recording->gaps), gone(recording));
    loss_describe(profile, loss);
    say(recording, "%s: %s byte%s in %.1f s, %s%s%s", recording->input.file,
        loss_figure(recording->bytes, figure), plural(recording->bytes),
        progress_now() - recording->started, loss, gaps,
        recording->decoder.ended ? "" : why(stop));
    if (recording->bytes > 0)
        advice(profile, recording->image, loss);
    else if (progress_now() - recording->started < HINT_AFTER_S)
        loss[0] = '\0';
    else
        describe_silence(recording, loss);
    if (*loss == '\0')
        advice_on_name(profile, recording->image, loss);
    if (*loss == '\0' && source_baud(recording->input.source) > 0)
        rate_advice(&recording->rate, profile, loss);
    if (*loss != '\0')
        say(recording, "%s", loss);
    cmd_warn_of_sampling(&cmd_record, profile, NULL);
    if (recording->undecoded)
        return EXIT_BAD_INPUT;
    written = profile->records > 0;
    advise(recording);
    if (in.strict && loss_any(profile))
        return EXIT_NO;
    return EXIT_DONE;
}

/* Prints one line: what went wrong, and that what came before it is kept. */
static int fail(struct recording *recording, const char *warning)
{
    const char *joint = warning != NULL ? "; " : "";
    char loss[LOSS_MAX];

    loss_describe(&recording->profile, loss);
    if (recording->input.written > 0)
        say(recording, "%.*s%s%s; kept in %s: %llu byte%s, %s", 300,
            recording->error.text, joint, warning != NULL ? warning : "",
            recording->input.file, recording->input.written,
            plural(recording->input.written), loss);
    else
        say(recording, "%s%s%s", recording->error.text, joint,
            warning != NULL ? warning : "");
    return (int)recording->error.status;
}

/* Closes the capture after `first` went wrong, which is told whatever else goes wrong. */
static bool close_failed(struct recording *recording, struct error first)
{
    struct error second;

    recording->error = first;
    return record_input_close(&recording->input, &second)
               ? false
               : error_set(&recording->error, first.status, "%.150s; %s", first.text,
                           second.text);
}

/* Says how the recording ended. false: it ended badly, and recording.error says how. If
 * the user stopped it, nothing is printed. */
static bool finish(struct recording *recording, enum stop stop)
{
    struct error first = recording->error;
    bool decoded = finish_decoding(recording);
    char silence[LOSS_MAX];

    if (stop == STOP_FAILED)
        return close_failed(recording, first);
    if (!record_input_close(&recording->input, &recording->error))
        return false;
    if (recording->console.failed != 0 && recording->console.failed != EPIPE)
        return error_set(&recording->error, EXIT_BAD_INPUT, "console text: %s",
                         strerror(recording->console.failed));
    if (stop == STOP_SIGNAL)
        return true;
    if (only_prints(recording))
        return error_set(&recording->error, EXIT_BAD_INPUT, "%s: %s",
                         source_name(recording->input.source), not_started);
    if (recording->bytes == 0) {
        describe_silence(recording, silence);
        return error_set(&recording->error, EXIT_BAD_INPUT, "%s", silence);
    }
    return decoded;
}

static int record(struct recording *recording)
{
    enum stop stop = STOP_NOT;
    const char *warning;
    bool done;

    while (stop == STOP_NOT)
        stop = step(recording);
    done = finish(recording, stop);
    warning = source_warning(recording->input.source);
    if (!done)
        return fail(recording, warning);
    if (warning != NULL)
        say(recording, "%s: %s", source_name(recording->input.source), warning);
    return summarise(recording, stop);
}

static int run(int argc, char **argv)
{
    static struct recording recording; /* zeroed; too large for the stack */
    int status = record_input_usage(&cmd_record, argc, argv);

    if (status != EXIT_DONE)
        return status;
    recording.input.fd = -1;
    profile_init(&recording.profile);
    if (open_all(&recording, argv)) {
        status = record(&recording);
    } else {
        status = cmd_fail(&cmd_record, &recording.error);
        record_input_close(&recording.input, &recording.error);
    }
    if (recording.decoding)
        decoder_release(&recording.decoder);
    progress_release(&recording.progress);
    record_input_release(&recording.input);
    image_close(recording.image);
    profile_release(&recording.profile);
    return status;
}

const struct cmd cmd_record = {
    .name = "record",
    .summary = "what firmware sends into a capture, live progress on a terminal",
    .synopsis = "[OPTION...] SOURCE\n[OPTION...] -- COMMAND [ARGUMENT...]",
    .details =
        "SOURCE is a serial device (mcuprof ports lists them), tcp:HOST:PORT, "
        "udp:[ADDRESS:]PORT, "
        "a file,\n"
        "or - for standard input. A COMMAND's standard output is recorded. Recording "
        "stops at\n"
        "the firmware's end record, at the end of the input, after --duration, or on "
        "Ctrl-C.",
    .options = options,
    .run = run,
    .keeps_dashes = true,
};
