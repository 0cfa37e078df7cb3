/* SPDX-License-Identifier: MIT */
/* Turns rows into the bytes that wire/mcuprof_unwind.h describes. */
#include <stdlib.h>
#include <string.h>

#include "../base/compare.h"
#include "mcuprof_unwind.h"
#include "unwind.h"

/* A frame, and the number of rows that have it. */
struct use {
    uint32_t frame, count;
};

struct table_writer {
    const struct unwind *unwind;
    struct use *uses; /* without frames[0]; the frames that the table keeps come first */
    size_t use_count, kept;
    struct unwind_table *table;
    size_t written;
};

static int by_frame(const void *left, const void *right)
{
    const struct use *a = left, *b = right;
    return (a->frame > b->frame) - (a->frame < b->frame);
}

static int by_count(const void *left, const void *right)
{
    const struct use *a = left, *b = right;
    ORDER_BY(b->count, a->count);
    return by_frame(left, right);
}

static uint32_t frame_of(const struct unwind_row *row)
{
    return MCUPROF_UNWIND_FRAME(row->size, row->where) |
           (uint32_t)row->saved << MCUPROF_UNWIND_SAVED_BIT |
           (row->based ? MCUPROF_UNWIND_BASED : 0);
}

/* The number of a plain frame; 0: it is none. */
static unsigned plain_number(const struct table_writer *writer,
                             const struct unwind_row *row)
{
    bool plain =
        writer->unwind->word == 4 && row->where == 1 && row->saved == 0 && !row->based &&
        row->size % 4 == 0 &&
        (unsigned)row->size / 4 < MCUPROF_UNWIND_FRAMES_MAX - MCUPROF_UNWIND_PLAIN;
    return plain ? MCUPROF_UNWIND_PLAIN + (unsigned)row->size / 4 : 0;
}

/* Counts the different frames that need an entry and sorts them, the most used first.
 * Frames without room in the table become UNKNOWN. */
static bool count_frames(struct table_writer *writer)
{
    size_t rows = writer->unwind->row_count, kinds = 0;
    struct use *uses = calloc(rows + 1, sizeof *uses);
    writer->uses = uses;
    if (uses == NULL)
        return false;
    size_t count = 0, most = writer->unwind->word == 4 ? MCUPROF_UNWIND_PLAIN
                                                       : MCUPROF_UNWIND_FRAMES_MAX;
    for (size_t i = 0; i < rows; i++)
        if (plain_number(writer, &writer->unwind->rows[i]) == 0)
            uses[count++] = (struct use){frame_of(&writer->unwind->rows[i]), 1};
    qsort(uses, count, sizeof *uses, by_frame);
    for (size_t i = 0; i < count; i++) {
        if (uses[i].frame == MCUPROF_UNWIND_FRAME(0, MCUPROF_UNWIND_UNKNOWN))
            continue;
        if (kinds > 0 && uses[kinds - 1].frame == uses[i].frame)
            uses[kinds - 1].count++;
        else
            uses[kinds++] = uses[i];
    }
    qsort(uses, kinds, sizeof *uses, by_count);
    writer->use_count = kinds;
    writer->kept = kinds < most - 1 ? kinds : most - 1;
    return true;
}

/* The number of the row's frame; 0: UNKNOWN. */
static unsigned number_of(const struct table_writer *writer, const struct unwind_row *row)
{
    unsigned plain = plain_number(writer, row);
    if (plain != 0)
        return plain;
    for (size_t i = 0; i < writer->kept; i++)
        if (writer->uses[i].frame == frame_of(row))
            return (unsigned)i + 1;
    return 0;
}

static void put(struct table_writer *writer, uint32_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++) {
        unsigned shift = 8 * (writer->unwind->big_endian ? bytes - 1 - i : i);
        writer->table->bytes[writer->written++] = (uint8_t)(value >> shift);
    }
}

static void put_header(struct table_writer *writer)
{
    const struct unwind_table *table = writer->table;
    put(writer, MCUPROF_UNWIND_MAGIC, 4);
    put(writer, (uint32_t)writer->unwind->low, 4);
    put(writer, (uint32_t)table->page_count, 2);
    put(writer, (uint32_t)table->frame_count, 2);
    put(writer, (uint32_t)table->row_count, 2);
    put(writer, (uint32_t)table->passed_count, 2);
    put(writer, (uint32_t)writer->unwind->ram_low, 4);
    put(writer, (uint32_t)table->ram_page_count, 2);
    put(writer, writer->unwind->based_count > 0 ? writer->unwind->fp : 0, 2);
    put(writer, MCUPROF_UNWIND_FRAME(0, MCUPROF_UNWIND_UNKNOWN), 4);
    for (size_t i = 0; i < writer->kept; i++)
        put(writer, writer->uses[i].frame, 4);
}

static uint64_t page_bytes(const struct unwind *unwind)
{
    return (uint64_t)MCUPROF_UNWIND_PAGE_UNITS * unwind->unit;
}

static uint64_t pages_of(const struct unwind *unwind, uint64_t low, uint64_t high)
{
    return (high - low + page_bytes(unwind) - 1) / page_bytes(unwind);
}

/* Puts the pages of a range, whose rows are from `row` up to `end`. */
static void put_pages(struct table_writer *writer, uint64_t low, size_t pages, size_t row,
                      size_t end)
{
    const struct unwind *unwind = writer->unwind;
    for (size_t page = 0; page < pages; page++) {
        uint64_t begin = low + page * page_bytes(unwind);
        while (row < end && unwind->rows[row].address < begin)
            row++;
        put(writer, (uint32_t)row, 2);
    }
}

static void put_rows(struct table_writer *writer)
{
    const struct unwind *unwind = writer->unwind;
    for (size_t i = 0; i < unwind->row_count; i++) {
        const struct unwind_row *row = &unwind->rows[i];
        uint64_t offset = row->address % page_bytes(unwind);
        unsigned frame = number_of(writer, row);
        writer->table->dropped += frame == 0 && row->where != MCUPROF_UNWIND_UNKNOWN;
        put(writer, MCUPROF_UNWIND_ROW((uint32_t)(offset / unwind->unit), frame), 2);
    }
}

static void put_passed(struct table_writer *writer)
{
    const struct unwind *unwind = writer->unwind;
    if (unwind->passed_count > 0 && writer->written % 4 != 0)
        put(writer, 0, 2);
    for (size_t i = 0; i < unwind->passed_count; i++) {
        put(writer, (uint32_t)unwind->passed[i].behind, 4);
        put(writer, (uint32_t)unwind->passed[i].back, 4);
    }
}

static bool make(struct table_writer *writer)
{
    const struct unwind *unwind = writer->unwind;
    struct unwind_table *table = writer->table;
    if (!count_frames(writer))
        return false;
    table->frame_count = writer->kept + 1;
    table->row_count = unwind->row_count;
    table->size = 24 + 4 * table->frame_count +
                  2 * (table->ram_page_count + table->page_count + 1) +
                  2 * table->row_count;
    table->passed_count = unwind->passed_count;
    if (table->passed_count > 0)
        table->size = (table->size + 3) / 4 * 4 + 8 * table->passed_count;
    table->bytes = calloc(table->size, 1);
    if (table->bytes == NULL)
        return false;
    put_header(writer);
    put_pages(writer, unwind->ram_low, table->ram_page_count, 0, unwind->ram_row_count);
    put_pages(writer, unwind->low, table->page_count, unwind->ram_row_count,
              unwind->row_count);
    put(writer, (uint32_t)unwind->row_count, 2);
    put_rows(writer);
    put_passed(writer);
    return true;
}

bool unwind_table_make(struct unwind_table *table, const struct unwind *unwind,
                       const char *path, struct error *error)
{
    struct table_writer writer = {.unwind = unwind, .table = table};
    uint64_t pages = pages_of(unwind, unwind->low, unwind->high);
    uint64_t ram_pages = pages_of(unwind, unwind->ram_low, unwind->ram_high);
    *table = (struct unwind_table){.page_count = (size_t)pages,
                                   .ram_page_count = (size_t)ram_pages};
    if (pages > UINT16_MAX || ram_pages > UINT16_MAX ||
        unwind->row_count > MCUPROF_UNWIND_ROWS_MAX)
        return error_set(
            error, EXIT_BAD_INPUT,
            "%s: too much code for one table: %llu pages and %zu rows, of at "
            "most 65535 each",
            path, (unsigned long long)(pages > ram_pages ? pages : ram_pages),
            unwind->row_count);
    bool done = make(&writer);
    free(writer.uses);
    if (!done) {
        unwind_table_release(table);
        return error_set(error, EXIT_BAD_INPUT, "%s: out of memory", path);
    }
    return true;
}

void unwind_table_release(struct unwind_table *table)
{
    free(table->bytes);
    *table = (struct unwind_table){0};
}
