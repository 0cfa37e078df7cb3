/* SPDX-License-Identifier: MIT */
#include "fuzz.h"
#include "fuzz_gprof.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "analysis/analyse.h"
#include "capture/timeline_sums.h"
#include "decode/decode.h"
#include "decode/words.h"
#include "hook_cost/timed.h"
#include "image/image.h"
#include "lint/lint.h"
#include "unwind/unwind.h"

static void expect(bool right, const char *what)
{
    if (!right) {
        fprintf(stderr, "wrong: %s\n", what);
        abort();
    }
}

/* ---- Captures ---- */

static void add_text(void *context, const char *text, size_t bytes)
{
    size_t *sum = context;

    for (size_t i = 0; i < bytes; i++)
        *sum = *sum * 31 + (unsigned char)text[i];
}

/* The size chooses the command line's options, since all bytes belong to the format. */
static struct decode_options options_for(const char *format, size_t size, size_t *text)
{
    return (struct decode_options){
        .format = strcmp(format, "any") == 0 ? NULL : format,
        .hz = 1000,
        .addr_bytes = 2 + size % 3,
        .word_bytes = size / 3 % 3 * 4,
        .big_endian = size / 9 % 2,
        .thumb = size / 18 % 2,
        .console = add_text,
        .context = text,
    };
}

/* Each piece is in memory of its own, so that reading past its end is found. */
static bool decode(struct profile *profile, const struct decode_options *options,
                   const uint8_t *bytes, size_t size, size_t piece)
{
    struct decoder decoder;
    struct error error = {.text = ""};
    bool done = true;

    profile_init(profile);
    if (!decoder_init(&decoder, options, profile, "input", bytes, size, &error)) {
        expect(error.text[0] != '\0', "an error says what it is");
        return false;
    }
    for (size_t at = 0; done && at < size; at += piece) {
        size_t left = size - at < piece ? size - at : piece;
        uint8_t *copy = malloc(left);

        expect(copy != NULL, "memory");
        memcpy(copy, bytes + at, left);
        done = decoder_bytes(&decoder, copy, left, &error);
        free(copy);
    }
    done = done && decoder_finish(&decoder, &error);
    decoder_release(&decoder);
    expect(done || error.text[0] != '\0', "an error says what it is");
    return done;
}

static void expect_sums(const struct profile *profile)
{
    for (int kind = 0; kind < EVENT_KINDS; kind++) {
        const struct counters *counters = &profile->counters[kind];
        uint64_t sum = 0;

        for (size_t i = 0; i < counters->used; i++) {
            uint64_t count = counter_at(counters, i).count;

            sum = sum > UINT64_MAX - count ? UINT64_MAX : sum + count;
        }
        expect(sum == profile->received[kind], "received is the sum of the counters");
    }
}

static void expect_possible(const struct profile *profile)
{
    for (size_t i = 0; i < profile->counters[EVENT_CALL].used; i++) {
        const struct call_times *took = &profile->times[i];
        double count = (double)counter_at(&profile->counters[EVENT_CALL], i).count;
        double total = (double)took->total;

        expect(took->self <= took->total, "no more self than total");
        expect(count * (double)took->shortest <= total * 1.000001, "the shortest call");
        expect(count * (double)took->longest >= total * 0.999999, "the longest call");
    }
}

/* Checks that times add up; without an ELF each address is a function. */
static void expect_time_adds_up(const struct profile *profile)
{
    struct analysis analysis;
    struct error error;
    const struct timed_run *run = &analysis.timed;

    expect(analyse(&analysis, profile, NULL, &error), "memory");
    for (int raw = 0; raw < 2; raw++) {
        uint64_t self = 0;

        for (size_t i = 0; i < analysis.function_count; i++)
            self += analysis.functions[i].timed->self;
        expect(self == run->self, "self times are those of functions");
        expect(run->self + run->profiler + run->unfinished == run->run, "the run");
        analysis_put_back(&analysis);
    }
    analysis_release(&analysis);
}

/* Each tick is of one task or interrupt, or of none that is known. */
static void expect_timeline_adds_up(const struct profile *profile)
{
    struct timeline_sums sums;
    uint64_t ticks = 0;

    expect(timeline_sums_init(&sums, profile), "memory");
    for (size_t i = 0; i < sums.track_count; i++)
        ticks += sums.tracks[i].ticks;
    expect(ticks == sums.known && sums.idle <= sums.known, "the timeline");
    timeline_sums_release(&sums);
}

static void fuzz_decode(const char *format, const uint8_t *bytes, size_t size)
{
    size_t text = 0, text_in_pieces = 0;
    struct decode_options options = options_for(format, size, &text);
    struct profile whole, pieces;
    bool done = decode(&whole, &options, bytes, size, size ? size : 1);

    options.context = &text_in_pieces;
    expect(decode(&pieces, &options, bytes, size, 1 + size % 7) == done,
           "pieces are refused where the whole is");
    if (done) {
        expect_sums(&whole);
        expect_possible(&whole);
        expect_time_adds_up(&whole);
        expect_timeline_adds_up(&whole);
        expect(whole.timeline.used == pieces.timeline.used &&
                   (whole.timeline.used == 0 ||
                    memcmp(whole.timeline.bytes, pieces.timeline.bytes,
                           whole.timeline.used) == 0),
               "the timeline in pieces");
        expect(text == text_in_pieces, "the text");
        expect(whole.damaged == pieces.damaged && whole.records == pieces.records &&
                   whole.complete == pieces.complete && whole.mismatch == pieces.mismatch,
               "the records");
        expect(memcmp(whole.received, pieces.received, sizeof whole.received) == 0 &&
                   memcmp(whole.lost, pieces.lost, sizeof whole.lost) == 0,
               "the events");
        expect(whole.hz >= 0 && whole.hz < 1e300, "the rate is a number");
    }
    profile_release(&whole);
    profile_release(&pieces);
}

/* Puts a block's bytes around words, the first of which are the hello. Its sum is right,
 * so that what stands in it is looked at. */
static void fuzz_words(const uint8_t *bytes, size_t size)
{
    enum { WORDS = 1000, RECORDS = MCUPROF_WIRE3_HEADER_WORDS };
    uint32_t words[WORDS + 8] = {MCUPROF_WIRE3_MAGIC(0), 1};
    size_t given = size / 4 < WORDS - RECORDS ? size / 4 : WORDS - RECORDS;
    size_t count = RECORDS - MCUPROF_WIRE_HELLO_WORDS, end = RECORDS, record;
    uint32_t hash = 0, sum = 0;

    memcpy(words + count, bytes, 4 * given);
    count += given;
    while (end < count && (record = words_of_record(words + end, count - end)) > 0 &&
           end + record <= count)
        end += record;
    words[end] = MCUPROF_WIRE3_HEAD(MCUPROF_WIRE3_CLOSE, (uint32_t)end << 2 | size % 4);
    for (size_t i = 0; i <= end; i++)
        MCUPROF_WIRE3_SUM_STEP(hash, sum, words[i]);
    words[end + 1] = hash;
    words[end + 2] = sum;
    fuzz_decode("mcuprof", (const uint8_t *)words, 4 * (end + 3));
}

/* ---- ELFs ---- */

/* Blocks are ascending, without gaps, and hold their hooks. */
static void look_for_blocks(struct image *image, const struct image_symbol *symbol)
{
    struct image_block *blocks;
    size_t count;

    expect(image_blocks(image, symbol->address, symbol->end, &blocks, &count), "memory");
    for (size_t i = 0; i < count; i++) {
        expect(blocks[i].low < blocks[i].high, "a block has code");
        expect(blocks[i].low == (i == 0 ? symbol->address : blocks[i - 1].high),
               "one block after another");
        expect(!blocks[i].hook_bytes ||
                   (blocks[i].low <= blocks[i].hook && blocks[i].hook < blocks[i].high),
               "a hook is in its block");
    }
    free(blocks);
}

enum { ADDRESSES_MAX = 200, LINES_MAX = 16 };

static void look_up(struct image *image, uint64_t address)
{
    struct image_line lines[LINES_MAX];
    const struct image_symbol *symbol = image_symbol_at(image, address);
    size_t found = image_lines(image, address, lines, LINES_MAX);
    size_t bytes;

    expect(address == UINT64_MAX || image_lines_until(image, address) > address,
           "lines go on");
    expect(image_bytes(image, address, &bytes) != NULL || bytes == 0,
           "no bytes, no size");
    expect(found <= LINES_MAX, "no more lines than there is room for");
    for (size_t i = 0; i < found; i++) {
        expect(!lines[i].file || strlen(lines[i].file) < 1 << 20, "a file's name");
        expect(!lines[i].function || strlen(lines[i].function) < 1 << 20, "a name");
    }
    expect(!symbol || (symbol->address <= address && address < symbol->end),
           "a symbol contains its address");
}

static void walk(struct image *image)
{
    const struct image_symbol *symbols;
    const struct image_range *ranges;
    size_t count = image_symbols(image, &symbols), code = image_code(image, &ranges);
    const uint8_t *build_id;

    expect(image_build_id(image, &build_id) <= 4096, "a build ID");
    expect(image_word_bytes(image) == 4 || image_word_bytes(image) == 8, "word bytes");
    expect(image_code_align(image) > 0, "code alignment");
    expect(image_machine_name(image) != NULL, "a machine's name");
    for (size_t i = 0; i < count; i++) {
        expect(strlen(symbols[i].name) + strlen(symbols[i].demangled) > 0, "a name");
        expect(i == 0 || symbols[i - 1].address <= symbols[i].address, "their order");
        expect(symbols[i].address <= symbols[i].end, "a symbol's size");
        if (i >= ADDRESSES_MAX)
            continue;
        look_up(image, symbols[i].address + i % 8);
        look_for_blocks(image, &symbols[i]);
    }
    for (size_t i = 0; i < code; i++) {
        expect(ranges[i].low < ranges[i].high, "a range");
        expect(i == 0 || ranges[i - 1].high <= ranges[i].low, "disjoint ranges");
        for (uint64_t part = 0; i < ADDRESSES_MAX && part < 8; part++)
            look_up(image, ranges[i].low + (ranges[i].high - ranges[i].low) / 8 * part);
    }
    look_up(image, 0);
    look_up(image, UINT64_MAX);
}

/* Checks that the rows of one range ascend and that neighbours differ. */
static void check_rows(const struct unwind *unwind, size_t first, size_t end,
                       uint64_t low, uint64_t high)
{
    expect(end > first && unwind->rows[first].address == low,
           "the first row is at the base");
    for (size_t i = first + 1; i < end; i++) {
        const struct unwind_row *row = &unwind->rows[i];

        expect(row->address > row[-1].address && row->address < high, "order");
        expect(row->size != row[-1].size || row->where != row[-1].where ||
                   row->saved != row[-1].saved || row->based != row[-1].based,
               "they differ");
        expect(row->size >= 0 && row->size < 1 << 17, "a size has room");
        expect(row->saved < 64 && (unwind->based_count > 0 || row->saved == 0),
               "where the frame pointer is has room, and a use");
    }
}

/* Checks the rows, those of code in RAM first, and makes a table of them. */
static void make_unwind_table(struct image *image)
{
    struct unwind unwind;
    struct unwind_table table;
    struct error error = {.text = ""};

    if (!unwind_make(&unwind, image, &error)) {
        expect(error.text[0] != '\0', "an error says what it is");
        return;
    }
    if (unwind.ram_row_count > 0)
        check_rows(&unwind, 0, unwind.ram_row_count, unwind.ram_low, unwind.ram_high);
    check_rows(&unwind, unwind.ram_row_count, unwind.row_count, unwind.low, unwind.high);
    expect(unwind.known_bytes <= unwind.code_bytes, "no more known than there is");
    if (unwind_table_make(&table, &unwind, "input", &error))
        unwind_table_release(&table);
    unwind_release(&unwind);
}

/* Checks that findings come in the order of the rules, and say what they are about. */
static void check_build(struct image *image)
{
    struct lint lint;
    struct error error = {.text = ""};

    expect(lint_elf(&lint, image, &error), "memory");
    for (size_t i = 0; i < lint.count; i++) {
        const struct lint_finding *found = &lint.findings[i];

        expect(found->rule->name != NULL, "a finding has a rule");
        expect(i == 0 || found[-1].rule->level >= found->rule->level, "errors first");
        for (size_t k = 0; k < found->place_count; k++)
            expect(found->places[k].function == NULL ||
                       strlen(found->places[k].function) < 1 << 20,
                   "a name");
    }
    expect(lint.summary.followed <= lint.summary.followable, "no more than there are");
    lint_release(&lint);
}

static void fuzz_elf(const uint8_t *bytes, size_t size, void (*use)(struct image *))
{
    int file = memfd_create("elf", MFD_CLOEXEC);
    struct image *image = NULL;
    struct error error = {.text = ""};
    char path[32];

    expect(file >= 0 && write(file, bytes, size) == (ssize_t)size, "a file");
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    if (image_open(&image, path, &error)) {
        use(image);
        image_close(image);
    } else {
        expect(error.text[0] != '\0', "an error says what it is");
    }
    close(file);
}

void fuzz_one(const char *target, const uint8_t *bytes, size_t size)
{
    if (strcmp(target, "elf") == 0)
        fuzz_elf(bytes, size, walk);
    else if (strcmp(target, "unwind") == 0)
        fuzz_elf(bytes, size, make_unwind_table);
    else if (strcmp(target, "lint") == 0)
        fuzz_elf(bytes, size, check_build);
    else if (strcmp(target, "gprof-elf") == 0)
        fuzz_gprof_elf(bytes, size);
    else if (strcmp(target, "gprof-gmon") == 0)
        fuzz_gprof_gmon(bytes, size);
    else
        fuzz_decode(target, bytes, size);
    if (strcmp(target, "mcuprof") == 0)
        fuzz_words(bytes, size);
}
