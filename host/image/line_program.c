/* SPDX-License-Identifier: MIT */
#include "line_program.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "../base/compare.h"
#include "../base/cursor.h"
#include "../base/vector.h"

/* The state of the program while it runs, and the header's constants. */
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
    bool is_statement, starts_statement; /* is_statement: its value where a sequence
                                          * starts */
    size_t row_room, directory_room, file_room;
    size_t sequence_start; /* index of the sequence's first row */
    bool out_of_memory;
};

static const char *string_at(const char *strings, size_t bytes, uint64_t offset)
{
    if (offset >= bytes || memchr(strings + offset, '\0', bytes - offset) == NULL)
        return "";
    return strings + offset;
}

/* Reads a field of the tables of DWARF 5. *text is set for strings. */
static uint64_t take_form(struct program *program, uint64_t form, const char **text)
{
    const struct line_sections *sections = program->sections;
    struct cursor *cursor = &program->cursor;
    switch (form) {
    case DW_FORM_string:
        *text = cursor_string(cursor);
        return 0;
    case DW_FORM_line_strp:
        *text = string_at(sections->line_strings, sections->line_string_bytes,
                          cursor_take(cursor, program->offset_bytes));
        return 0;
    case DW_FORM_strp:
        *text = string_at(sections->strings, sections->string_bytes,
                          cursor_take(cursor, program->offset_bytes));
        return 0;
    case DW_FORM_data1:
        return cursor_take(cursor, 1);
    case DW_FORM_data2:
        return cursor_take(cursor, 2);
    case DW_FORM_data4:
        return cursor_take(cursor, 4);
    case DW_FORM_data8:
        return cursor_take(cursor, 8);
    case DW_FORM_udata:
        return cursor_leb(cursor, false);
    case DW_FORM_data16:
        cursor_skip(cursor, 16);
        return 0;
    case DW_FORM_block:
        cursor_skip(cursor, cursor_leb(cursor, false));
        return 0;
    default:
        cursor->failed = true;
        return 0;
    }
}

static bool add_directory(struct program *program, const char *name)
{
    struct line_table *table = program->table;
    if (!vector_grow(&table->directories, table->directory_count,
                     &program->directory_room, sizeof *table->directories))
        return false;
    table->directories[table->directory_count++] = name;
    return true;
}

static bool add_file(struct program *program, const char *name, uint64_t directory)
{
    struct line_table *table = program->table;
    if (!vector_grow(&table->files, table->file_count, &program->file_room,
                     sizeof *table->files))
        return false;
    table->files[table->file_count++] = (struct line_file){name, directory};
    return true;
}

/* DWARF 5: reads a table of directories or files, which describes its own fields. */
static bool read_entries(struct program *program, bool files)
{
    struct cursor *cursor = &program->cursor;
    uint64_t content[256], form[256];
    size_t columns = cursor_take(cursor, 1);
    for (size_t i = 0; i < columns; i++) {
        content[i] = cursor_leb(cursor, false);
        form[i] = cursor_leb(cursor, false);
    }
    uint64_t count = cursor_leb(cursor, false);
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
        /* Without this, entries of no bytes could go on for ever. */
        if (cursor->failed || cursor->at == before)
            return !program->out_of_memory;
        if (files ? !add_file(program, name, directory) : !add_directory(program, name))
            return false;
    }
    return true;
}

/* DWARF 2 to 4: reads names up to an empty one. */
static bool read_old_entries(struct program *program)
{
    struct cursor *cursor = &program->cursor;
    while (!cursor->failed) {
        const char *name = cursor_string(cursor);
        if (*name == '\0')
            break;
        if (!add_directory(program, name))
            return false;
    }
    while (!cursor->failed) {
        const char *name = cursor_string(cursor);
        if (*name == '\0')
            break;
        uint64_t directory = cursor_leb(cursor, false);
        cursor_leb(cursor, false);
        cursor_leb(cursor, false);
        if (!add_file(program, name, directory))
            return false;
    }
    return true;
}

/* Reads what stands before the file tables. *start: where the program begins. */
static bool read_header(struct program *program, const uint8_t **start)
{
    struct cursor *cursor = &program->cursor;
    uint64_t bytes = cursor_take(cursor, 4);
    program->offset_bytes = bytes == 0xffffffff ? 8 : 4;
    if (program->offset_bytes == 8)
        bytes = cursor_take(cursor, 8);
    if (bytes > (uint64_t)(cursor->end - cursor->at))
        return false;
    cursor->end = cursor->at + bytes;
    program->table->version = (unsigned)cursor_take(cursor, 2);
    if (program->table->version < 2 || program->table->version > 5)
        return false;
    program->address_bytes = program->sections->elf->word_bytes;
    if (program->table->version >= 5) {
        program->address_bytes = (unsigned)cursor_take(cursor, 1);
        cursor_take(cursor, 1);
    }
    uint64_t header = cursor_take(cursor, program->offset_bytes);
    if (header > (uint64_t)(cursor->end - cursor->at))
        return false;
    *start = cursor->at + header;
    program->minimum_bytes = (unsigned)cursor_take(cursor, 1);
    program->operations =
        program->table->version >= 4 ? (unsigned)cursor_take(cursor, 1) : 1;
    program->starts_statement = cursor_take(cursor, 1) != 0;
    program->line_base = (int8_t)cursor_take(cursor, 1);
    program->line_range = (unsigned)cursor_take(cursor, 1);
    program->opcode_base = (unsigned)cursor_take(cursor, 1);
    program->opcode_lengths = cursor->at;
    if (program->opcode_base > 0)
        cursor_skip(cursor, program->opcode_base - 1);
    return !cursor->failed && program->line_range != 0;
}

static void add_row(struct program *program, unsigned file)
{
    struct line_table *table = program->table;
    if (!vector_grow(&table->rows, table->row_count, &program->row_room,
                     sizeof *table->rows)) {
        program->out_of_memory = true;
        return;
    }
    table->rows[table->row_count++] = (struct line_row){
        .address = elf_file_address(program->sections->elf, program->address),
        .line = program->line,
        .file = file,
        .begins = program->is_statement,
    };
}

static void begin_sequence(struct program *program)
{
    program->address = 0;
    program->operation = 0;
    program->file = program->table->version >= 5 && program->sections->as_bfd ? 0 : 1;
    program->line = 1;
    program->is_statement = program->starts_statement;
    program->sequence_start = program->table->row_count;
}

static int compare_rows(const void *left, const void *right)
{
    const struct line_row *a = left, *b = right;
    ORDER_BY(a->address, b->address);
    return 0;
}

/* The last of several rows of one address; `begins` is true if any of them with the same
 * line begins a statement. */
static struct line_row last_of(const struct line_row *rows, size_t count)
{
    struct line_row last = rows[count - 1];
    for (size_t i = 0; i < count; i++)
        if (rows[i].begins && rows[i].line == last.line)
            last.begins = true;
    return last;
}

/* Sorts the sequence's rows by address. Of several rows at one address the one that was
 * added last stays. */
static void order_rows(struct program *program)
{
    struct line_table *table = program->table;
    struct line_row *rows = table->rows + program->sequence_start;
    size_t count = table->row_count - program->sequence_start, kept = 0, end;
    bool ascending = true;
    for (size_t i = 1; i < count && ascending; i++)
        ascending = rows[i - 1].address <= rows[i].address;
    if (!ascending) /* glibc's qsort is stable as long as it gets memory */
        qsort(rows, count, sizeof(*rows), compare_rows);
    for (size_t i = 0; i < count; i = end) {
        for (end = i + 1; end < count && rows[end].address == rows[i].address;)
            end++;
        rows[kept++] = last_of(&rows[i], end - i);
    }
    table->row_count = program->sequence_start + kept;
}

static void end_sequence(struct program *program)
{
    struct line_table *table = program->table;
    size_t start = program->sequence_start;
    add_row(program, LINE_GAP);
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
    uint64_t bytes = cursor_leb(cursor, false);
    if (bytes == 0 || bytes > (uint64_t)(cursor->end - cursor->at)) {
        cursor->failed = cursor->failed || bytes != 0;
        return;
    }
    const uint8_t *next = cursor->at + bytes;
    switch (cursor_take(cursor, 1)) {
    case DW_LNE_end_sequence:
        end_sequence(program);
        break;
    case DW_LNE_set_address:
        program->address = cursor_take(cursor, bytes - 1 <= 8 ? bytes - 1 : 8);
        program->operation = 0;
        break;
    case DW_LNE_define_file: {
        const char *name = cursor_string(cursor);
        uint64_t directory = cursor_leb(cursor, false);
        program->out_of_memory = !add_file(program, name, directory);
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
        add_row(program, program->file);
        break;
    case DW_LNS_advance_pc:
        advance(program, cursor_leb(cursor, false));
        break;
    case DW_LNS_advance_line:
        program->line += (uint32_t)cursor_leb(cursor, true);
        break;
    case DW_LNS_set_file:
        program->file = (uint32_t)cursor_leb(cursor, false);
        if (program->file >= LINE_GAP)
            program->file = LINE_GAP - 1;
        break;
    case DW_LNS_negate_stmt:
        program->is_statement = !program->is_statement;
        break;
    case DW_LNS_const_add_pc:
        advance(program, (255 - program->opcode_base) / program->line_range);
        break;
    case DW_LNS_fixed_advance_pc:
        program->address += cursor_take(cursor, 2);
        program->operation = 0;
        break;
    case DW_LNS_set_column:
    case DW_LNS_set_isa:
        cursor_leb(cursor, false);
        break;
    case DW_LNS_set_basic_block:
    case DW_LNS_set_prologue_end:
    case DW_LNS_set_epilogue_begin:
        break;
    default:
        for (unsigned i = 0; i < program->opcode_lengths[opcode - 1]; i++)
            cursor_leb(cursor, false);
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
            add_row(program, program->file);
        }
    }
    /* A sequence without an end does not count. */
    program->table->row_count = program->sequence_start;
}

bool line_program_read(const struct line_sections *sections, struct line_table *table)
{
    struct program program = {.sections = sections, .table = table};
    if (table->offset >= sections->line_bytes)
        return true;
    program.cursor = (struct cursor){.at = sections->line + table->offset,
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
        done = !program.out_of_memory;
    }
    return done;
}
