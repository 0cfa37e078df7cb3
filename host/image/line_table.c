/* SPDX-License-Identifier: MIT */
#include "line_table.h"

#include <dwarf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/search.h"
#include "../base/vector.h"
#include "debug_sections.h"

/* Reads on to `end`, then zeros; `failed` says so. */
struct cursor {
    const uint8_t *at, *end;
    bool big_endian;
    bool failed;
};

static uint64_t take(struct cursor *cursor, size_t bytes)
{
    uint64_t value = 0;
    if (bytes > 8 || (size_t)(cursor->end - cursor->at) < bytes) {
        cursor->at = cursor->end;
        cursor->failed = true;
        return 0;
    }
    for (size_t i = 0; i < bytes; i++) {
        size_t from = cursor->big_endian ? i : bytes - 1 - i;
        value = value << 8 | cursor->at[from];
    }
    cursor->at += bytes;
    return value;
}

static void skip(struct cursor *cursor, uint64_t bytes)
{
    uint64_t left = (uint64_t)(cursor->end - cursor->at);
    cursor->failed = cursor->failed || bytes > left;
    cursor->at += bytes > left ? left : bytes;
}

static uint64_t take_leb(struct cursor *cursor, bool with_sign)
{
    uint64_t value = 0;
    unsigned shift = 0;
    uint8_t byte = 0x80;
    while ((byte & 0x80) != 0 && !cursor->failed) {
        byte = (uint8_t)take(cursor, 1);
        if (shift < 64)
            value |= (uint64_t)(byte & 0x7f) << shift;
        shift += 7;
    }
    if (with_sign && shift < 64 && (byte & 0x40) != 0)
        value |= ~(uint64_t)0 << shift;
    return value;
}

static const char *take_string(struct cursor *cursor)
{
    const uint8_t *start = cursor->at;
    const uint8_t *end = memchr(start, '\0', (size_t)(cursor->end - start));
    if (end == NULL) {
        cursor->at = cursor->end;
        cursor->failed = true;
        return "";
    }
    cursor->at = end + 1;
    return (const char *)start;
}

/* The sequence being read, and the header's constants. */
struct program {
    const struct line_sections *sections;
    struct line_table *table;
    struct cursor cursor;
    unsigned offset_bytes, address_bytes;
    unsigned minimum_bytes, operations;
    int line_base;
    unsigned line_range, opcode_base;
    const uint8_t *opcode_lengths;

    uint64_t address;
    unsigned operation;
    uint32_t file, line;
    size_t row_room;
    size_t sequence_start; /* its first row */
    bool out_of_memory;
};

static const char *string_at(const char *strings, size_t bytes, uint64_t offset)
{
    if (offset >= bytes || memchr(strings + offset, '\0', bytes - offset) == NULL)
        return "";
    return strings + offset;
}

/* A field of the tables of DWARF 5. *text is set for strings. */
static uint64_t take_form(struct program *program, uint64_t form, const char **text)
{
    const struct line_sections *sections = program->sections;
    struct cursor *cursor = &program->cursor;
    switch (form) {
    case DW_FORM_string:
        *text = take_string(cursor);
        return 0;
    case DW_FORM_line_strp:
        *text = string_at(sections->line_strings, sections->line_string_bytes,
                          take(cursor, program->offset_bytes));
        return 0;
    case DW_FORM_strp:
        *text = string_at(sections->strings, sections->string_bytes,
                          take(cursor, program->offset_bytes));
        return 0;
    case DW_FORM_data1:
        return take(cursor, 1);
    case DW_FORM_data2:
        return take(cursor, 2);
    case DW_FORM_data4:
        return take(cursor, 4);
    case DW_FORM_data8:
        return take(cursor, 8);
    case DW_FORM_udata:
        return take_leb(cursor, false);
    case DW_FORM_data16:
        skip(cursor, 16);
        return 0;
    case DW_FORM_block:
        skip(cursor, take_leb(cursor, false));
        return 0;
    default:
        cursor->failed = true;
        return 0;
    }
}

static bool add_directory(struct line_table *table, const char *name)
{
    if ((table->directory_count & (table->directory_count - 1)) == 0) {
        size_t room = table->directory_count == 0 ? 1 : table->directory_count * 2;
        const char **moved = reallocarray(table->directories, room, sizeof(char *));
        if (moved == NULL)
            return false;
        table->directories = moved;
    }
    table->directories[table->directory_count++] = name;
    return true;
}

static bool add_file(struct line_table *table, const char *name, uint64_t directory)
{
    if ((table->file_count & (table->file_count - 1)) == 0) {
        size_t room = table->file_count == 0 ? 1 : table->file_count * 2;
        void *moved = reallocarray(table->files, room, sizeof(*table->files));
        if (moved == NULL)
            return false;
        table->files = moved;
    }
    table->files[table->file_count++] = (struct line_file){name, directory};
    return true;
}

/* DWARF 5: a table of directories or files that says itself what is in it. */
static bool read_entries(struct program *program, bool files)
{
    struct cursor *cursor = &program->cursor;
    uint64_t content[256], form[256];
    size_t columns = take(cursor, 1);
    for (size_t i = 0; i < columns; i++) {
        content[i] = take_leb(cursor, false);
        form[i] = take_leb(cursor, false);
    }
    uint64_t count = take_leb(cursor, false);
    for (uint64_t i = 0; columns > 0 && i < count && !cursor->failed; i++) {
        const char *name = "", *text = "";
        uint64_t directory = 0;
        const uint8_t *before = cursor->at;
        for (size_t k = 0; k < columns; k++) {
            uint64_t value = take_form(program, form[k], &text);
            if (content[k] == DW_LNCT_path)
                name = text;
            else if (content[k] == DW_LNCT_directory_index)
                directory = value;
        }
        /* Entries of no bytes could go on for ever. */
        if (cursor->failed || cursor->at == before)
            return !program->out_of_memory;
        if (files ? !add_file(program->table, name, directory)
                  : !add_directory(program->table, name))
            return false;
    }
    return true;
}

/* DWARF 2 to 4: names up to an empty one. */
static bool read_old_entries(struct program *program)
{
    struct cursor *cursor = &program->cursor;
    while (!cursor->failed) {
        const char *name = take_string(cursor);
        if (*name == '\0')
            break;
        if (!add_directory(program->table, name))
            return false;
    }
    while (!cursor->failed) {
        const char *name = take_string(cursor);
        if (*name == '\0')
            break;
        uint64_t directory = take_leb(cursor, false);
        take_leb(cursor, false);
        take_leb(cursor, false);
        if (!add_file(program->table, name, directory))
            return false;
    }
    return true;
}

/* What stands before the file tables. *start: where the program begins. */
static bool read_header(struct program *program, const uint8_t **start)
{
    struct cursor *cursor = &program->cursor;
    uint64_t bytes = take(cursor, 4);
    program->offset_bytes = bytes == 0xffffffff ? 8 : 4;
    if (program->offset_bytes == 8)
        bytes = take(cursor, 8);
    if (bytes > (uint64_t)(cursor->end - cursor->at))
        return false;
    cursor->end = cursor->at + bytes;
    program->table->version = (unsigned)take(cursor, 2);
    if (program->table->version < 2 || program->table->version > 5)
        return false;
    program->address_bytes = program->sections->elf->word_bytes;
    if (program->table->version >= 5) {
        program->address_bytes = (unsigned)take(cursor, 1);
        take(cursor, 1);
    }
    uint64_t header = take(cursor, program->offset_bytes);
    if (header > (uint64_t)(cursor->end - cursor->at))
        return false;
    *start = cursor->at + header;
    program->minimum_bytes = (unsigned)take(cursor, 1);
    program->operations = program->table->version >= 4 ? (unsigned)take(cursor, 1) : 1;
    take(cursor, 1);
    program->line_base = (int8_t)take(cursor, 1);
    program->line_range = (unsigned)take(cursor, 1);
    program->opcode_base = (unsigned)take(cursor, 1);
    program->opcode_lengths = cursor->at;
    if (program->opcode_base > 0)
        skip(cursor, program->opcode_base - 1);
    return !cursor->failed && program->line_range != 0;
}

static void add_row(struct program *program, uint32_t file, uint32_t line)
{
    struct line_table *table = program->table;
    if (!vector_grow(&table->rows, table->row_count, &program->row_room,
                     sizeof *table->rows)) {
        program->out_of_memory = true;
        return;
    }
    uint64_t address = elf_file_address(program->sections->elf, program->address);
    table->rows[table->row_count++] = (struct line_row){address, file, line};
}

static void begin_sequence(struct program *program)
{
    program->address = 0;
    program->operation = 0;
    /* The standard says 1, and BFD does this. */
    program->file = program->table->version >= 5 ? 0 : 1;
    program->line = 1;
    program->sequence_start = program->table->row_count;
}

static int compare_rows(const void *left, const void *right)
{
    const struct line_row *a = left, *b = right;
    if (a->address != b->address)
        return a->address < b->address ? -1 : 1;
    return 0;
}

/* Ascending, of several at one address the last added. */
static void order_rows(struct program *program)
{
    struct line_table *table = program->table;
    struct line_row *rows = table->rows + program->sequence_start;
    size_t count = table->row_count - program->sequence_start, kept = 0;
    bool ascending = true;
    for (size_t i = 1; i < count && ascending; i++)
        ascending = rows[i - 1].address <= rows[i].address;
    if (!ascending) /* glibc's is stable where there is memory */
        qsort(rows, count, sizeof(*rows), compare_rows);
    for (size_t i = 1; i < count; i++) {
        kept += rows[i].address != rows[kept].address;
        rows[kept] = rows[i];
    }
    table->row_count = program->sequence_start + (count == 0 ? 0 : kept + 1);
}

static void end_sequence(struct program *program)
{
    struct line_table *table = program->table;
    size_t start = program->sequence_start;
    add_row(program, LINE_GAP, 0);
    if (program->out_of_memory)
        return;
    uint64_t end = table->rows[table->row_count - 1].address;
    order_rows(program);
    uint64_t low = table->rows[start].address;
    size_t rows = table->row_count - start - 1;
    struct span span = {low, end, rows, (uint32_t)start};
    if (low >= end || start >= UINT32_MAX)
        table->row_count = start;
    else if (!spans_add(&table->sequences, &span))
        program->out_of_memory = true;
    begin_sequence(program);
}

static void advance(struct program *program, uint64_t operations)
{
    if (program->operations <= 1) {
        program->address += operations * program->minimum_bytes;
        return;
    }
    uint64_t all = program->operation + operations;
    program->address += all / program->operations * program->minimum_bytes;
    program->operation = (unsigned)(all % program->operations);
}

static void run_extended(struct program *program)
{
    struct cursor *cursor = &program->cursor;
    uint64_t bytes = take_leb(cursor, false);
    if (bytes == 0 || bytes > (uint64_t)(cursor->end - cursor->at)) {
        cursor->failed = cursor->failed || bytes != 0;
        return;
    }
    const uint8_t *next = cursor->at + bytes;
    switch (take(cursor, 1)) {
    case DW_LNE_end_sequence:
        end_sequence(program);
        break;
    case DW_LNE_set_address:
        program->address = take(cursor, bytes - 1 <= 8 ? bytes - 1 : 8);
        program->operation = 0;
        break;
    case DW_LNE_define_file: {
        const char *name = take_string(cursor);
        uint64_t directory = take_leb(cursor, false);
        program->out_of_memory = !add_file(program->table, name, directory);
        break;
    }
    default:
        break;
    }
    cursor->at = next;
}

static void run_standard(struct program *program, unsigned opcode)
{
    struct cursor *cursor = &program->cursor;
    switch (opcode) {
    case DW_LNS_copy:
        add_row(program, program->file, program->line);
        break;
    case DW_LNS_advance_pc:
        advance(program, take_leb(cursor, false));
        break;
    case DW_LNS_advance_line:
        program->line += (uint32_t)take_leb(cursor, true);
        break;
    case DW_LNS_set_file:
        program->file = (uint32_t)take_leb(cursor, false);
        break;
    case DW_LNS_const_add_pc:
        advance(program, (255 - program->opcode_base) / program->line_range);
        break;
    case DW_LNS_fixed_advance_pc:
        program->address += take(cursor, 2);
        program->operation = 0;
        break;
    case DW_LNS_set_column:
    case DW_LNS_set_isa:
        take_leb(cursor, false);
        break;
    case DW_LNS_negate_stmt:
    case DW_LNS_set_basic_block:
    case DW_LNS_set_prologue_end:
    case DW_LNS_set_epilogue_begin:
        break;
    default:
        for (unsigned i = 0; i < program->opcode_lengths[opcode - 1]; i++)
            take_leb(cursor, false);
    }
}

static void run(struct program *program)
{
    struct cursor *cursor = &program->cursor;
    begin_sequence(program);
    while (cursor->at < cursor->end && !cursor->failed && !program->out_of_memory) {
        unsigned opcode = *cursor->at++;
        if (opcode == 0) {
            run_extended(program);
        } else if (opcode < program->opcode_base) {
            run_standard(program, opcode);
        } else {
            unsigned by = opcode - program->opcode_base;
            advance(program, by / program->line_range);
            program->line +=
                (uint32_t)(program->line_base + (int)(by % program->line_range));
            add_row(program, program->file, program->line);
        }
    }
    /* A sequence that does not end is none. */
    program->table->row_count = program->sequence_start;
}

/* By start, the longest first. */
static int compare_sequences(const void *left, const void *right)
{
    const struct span *a = left, *b = right;
    if (a->low != b->low)
        return a->low < b->low ? -1 : 1;
    if (a->high != b->high)
        return a->high > b->high ? -1 : 1;
    return a->owner < b->owner ? -1 : a->owner > b->owner;
}

/* Of a sequence's rows [first, last), those from `low` to `high`. */
static size_t copy_rows(struct line_row *to, const struct line_row *first,
                        const struct line_row *last, uint64_t low, uint64_t high)
{
    size_t count = 0, left = (size_t)(last - first);
    while (left > 1) { /* the last row at or below `low` */
        size_t half = left / 2;
        bool above = first[half].address > low;
        first += above ? 0 : half;
        left = above ? half : left - half;
    }
    for (; first < last && first->address < high; first++) {
        to[count] = *first;
        if (to[count].address < low)
            to[count].address = low;
        count++;
    }
    return count;
}

/* Where sequences overlap, the one that starts first has it; of those that start
 * together the longest. What is nested in another is lost. */
static bool order_sequences(struct program *program)
{
    struct line_table *table = program->table;
    const size_t sequences = table->sequences.count;
    struct span *all = calloc(sequences + 1, sizeof(*all));
    if (all == NULL)
        return false;
    if (sequences > 0)
        memcpy(all, table->sequences.items, sequences * sizeof(*all));
    qsort(all, sequences, sizeof(*all), compare_sequences);
    uint64_t low = 0;
    size_t count = 0;
    struct line_row *rows = calloc(table->row_count + 2 * sequences + 1, sizeof(*rows));
    for (size_t i = 0; rows != NULL && i < sequences; i++) {
        const struct span *span = &all[i];
        if (i > 0 && span->high <= low)
            continue;
        uint64_t from = i > 0 && span->low < low ? low : span->low;
        if (i > 0 && from > low)
            rows[count++] = (struct line_row){low, LINE_GAP, 0};
        const struct line_row *first = &table->rows[span->owner];
        count += copy_rows(&rows[count], first, first + span->rank, from, span->high);
        low = span->high;
    }
    free(all);
    if (rows == NULL)
        return false;
    if (count > 0)
        rows[count++] = (struct line_row){low, LINE_GAP, 0};
    free(table->rows);
    table->rows = rows;
    table->row_count = count;
    return true;
}

void line_sections_init(struct line_sections *sections, const struct elf_file *elf)
{
    *sections = (struct line_sections){.elf = elf};
    sections->line = debug_section(elf->elf, ".debug_line", &sections->line_bytes);
    sections->strings = debug_section(elf->elf, ".debug_str", &sections->string_bytes);
    sections->line_strings =
        debug_section(elf->elf, ".debug_line_str", &sections->line_string_bytes);
}

bool line_table_read(const struct line_sections *sections, uint64_t offset,
                     struct line_table *table)
{
    struct program program = {.sections = sections, .table = table};
    *table = (struct line_table){.offset = offset, .read = true};
    if (offset >= sections->line_bytes)
        return true;
    program.cursor = (struct cursor){.at = sections->line + offset,
                                     .end = sections->line + sections->line_bytes,
                                     .big_endian = sections->elf->big_endian};
    const uint8_t *start;
    if (!read_header(&program, &start))
        return true;
    bool done = table->version >= 5
                    ? read_entries(&program, false) && read_entries(&program, true)
                    : read_old_entries(&program);
    if (done && !program.cursor.failed) {
        program.cursor.at = start;
        run(&program);
        done = !program.out_of_memory && order_sequences(&program);
    }
    return done;
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
                     ? asprintf(&path, "%s/%s", base, file->name)
                     : asprintf(&path, "%s/%s/%s", base, directory, file->name);
    return length < 0 ? NULL : path;
}
