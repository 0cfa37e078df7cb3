/* SPDX-License-Identifier: MIT */
#include "line_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/compare.h"
#include "../base/search.h"
#include "../port/text.h"
#include "debug_sections.h"
#include "line_program.h"

/* By start; of those with the same start the longest comes first. */
static int compare_sequences(const void *left, const void *right)
{
    const struct span *a = left, *b = right;
    ORDER_BY(a->low, b->low);
    ORDER_BY(b->high, a->high);
    return a->owner < b->owner ? -1 : a->owner > b->owner;
}

/* The row that has the address `low`: the last one at or before it. */
static const struct line_row *row_with(const struct line_row *rows, size_t count,
                                       uint64_t low)
{
    size_t at = 0;
    SEARCH(at, count, rows[middle].address <= low);
    return &rows[at > 0 ? at - 1 : 0];
}

/* Copies the rows of the sequences to which the spans belong; the spans are disjoint. */
static bool copy_rows(struct line_table *table, const struct span *sequences,
                      const struct spans *spans)
{
    size_t count = 0;
    struct line_row *rows =
        calloc(table->row_count + 2 * spans->count + 1, sizeof(*rows));
    if (rows == NULL)
        return false;
    for (size_t i = 0; i < spans->count; i++) {
        const struct span *span = &spans->items[i];
        const struct span *sequence = &sequences[span->owner];
        const struct line_row *all = &table->rows[sequence->owner];
        const struct line_row *row = row_with(all, sequence->rank, span->low);
        if (i > 0 && span[-1].high < span->low)
            rows[count++] = (struct line_row){.address = span[-1].high, .file = LINE_GAP};
        for (; row < all + sequence->rank && row->address < span->high; row++) {
            rows[count] = *row;
            if (row->address < span->low) {
                rows[count].address = span->low;
                rows[count].begins = false;
            }
            count++;
        }
    }
    if (spans->count > 0)
        rows[count++] = (struct line_row){.address = spans->items[spans->count - 1].high,
                                          .file = LINE_GAP};
    free(table->rows);
    table->rows = rows;
    table->row_count = count;
    return true;
}

/* Makes the sequences disjoint. Where some overlap, the one that starts first keeps the
 * addresses, and of several with the same start the longest. A sequence that lies within
 * another is lost. */
static bool order_sequences(struct line_table *table,
                            const struct line_sections *sections)
{
    const size_t count = table->sequences.count;
    bool done = true;
    struct spans spans = {0};
    struct span *all = calloc(count + 1, sizeof(*all));
    if (all == NULL)
        return false;
    if (count > 0)
        memcpy(all, table->sequences.items, count * sizeof(*all));
    qsort(all, count, sizeof(*all), compare_sequences);
    for (size_t i = 0; done && i < count; i++) {
        struct span span = {all[i].low, all[i].high, i, (uint32_t)i};
        if (!sections->as_bfd && span.low == 0 && span.high != sections->zero_end)
            span.rank += count;
        done = spans_add(&spans, &span);
    }
    done = done && spans_flatten(&spans) && copy_rows(table, all, &spans);
    free(spans.items);
    free(all);
    return done;
}

void line_sections_init(struct line_sections *sections, const struct elf_file *elf)
{
    *sections = (struct line_sections){.elf = elf};
    sections->line = debug_section(elf, ".debug_line", &sections->line_bytes);
    sections->strings = debug_section(elf, ".debug_str", &sections->string_bytes);
    sections->line_strings =
        debug_section(elf, ".debug_line_str", &sections->line_string_bytes);
}

bool line_table_read(const struct line_sections *sections, uint64_t offset,
                     struct line_table *table)
{
    *table = (struct line_table){.offset = offset, .read = true};
    return line_program_read(sections, table) && order_sequences(table, sections);
}

void line_table_release(struct line_table *table)
{
    free(table->directories);
    free(table->files);
    free(table->rows);
    free(table->sequences.items);
}

const struct line_row *line_table_at(const struct line_table *table, size_t *hint,
                                     uint64_t address, uint64_t *until)
{
    size_t low = *hint;
    SEARCH_NEAR(low, table->row_count, table->rows[middle].address <= address);
    *hint = low;
    if (low < table->row_count && table->rows[low].address < *until)
        *until = table->rows[low].address;
    return low == 0 || table->rows[low - 1].file == LINE_GAP ? NULL
                                                             : &table->rows[low - 1];
}

size_t line_table_file(const struct line_table *table, uint32_t file)
{
    size_t index = table->version >= 5 ? file : (size_t)file - 1;
    return index < table->file_count ? index : table->file_count;
}

char *line_table_path(const struct line_table *table, size_t index,
                      const char *compiled_in)
{
    const struct line_file *file = &table->files[index];
    const char *base = compiled_in, *directory = NULL;
    uint64_t at = table->version >= 5 ? file->directory : file->directory - 1;
    char *path;
    if (at < table->directory_count)
        directory = table->directories[at];
    if (directory != NULL && (directory[0] == '/' || base == NULL)) {
        base = directory;
        directory = NULL;
    }
    if (file->name[0] == '/' || base == NULL)
        return strdup(file->name);
    int length = directory == NULL
                     ? port_asprintf(&path, "%s/%s", base, file->name)
                     : port_asprintf(&path, "%s/%s/%s", base, directory, file->name);
    return length < 0 ? NULL : path;
}
