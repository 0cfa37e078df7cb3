/* SPDX-License-Identifier: MIT */
/* Reads stabs: entries of 12 bytes, one for each function, and behind it one for each of
 * its lines. */
#include "stabs.h"

#include <stab.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/compare.h"
#include "../base/cursor.h"
#include "../base/search.h"
#include "../base/vector.h"
#include "../port/text.h"
#include "debug_sections.h"

enum { STAB_BYTES = 12, UNIT_START = 0, NAME_MAX_BYTES = 1 << 16 };

struct stab {
    uint32_t string; /* offset from the unit's first string */
    uint8_t type;
    uint16_t description;
    uint32_t value;
};

/* A function, or a source file that has no function. */
struct entry {
    uint64_t address;
    size_t stab;
    size_t strings; /* where the unit's strings begin */
    const char *directory, *file;
    const char *name; /* NULL: no function */
};

struct stabs_reader {
    const uint8_t *stabs;
    size_t count; /* number of stabs */
    char *strings;
    size_t string_bytes;
    bool big_endian;

    struct entry *entries; /* room for one for each stab, and for an end */
    size_t entry_count;
    size_t unit_strings, next_strings;
    const char *directory, *file;

    struct stabs *to;
    size_t row_room, file_room;
    uint64_t end; /* end of the function whose rows are being added */
    size_t first; /* index of that function's first row */
};

static struct stab stab_at(const struct stabs_reader *reader, size_t index)
{
    const uint8_t *bytes = reader->stabs + index * STAB_BYTES;
    struct cursor cursor = {bytes, bytes + STAB_BYTES, reader->big_endian, false};
    struct stab stab = {.string = (uint32_t)cursor_take(&cursor, 4)};
    stab.type = (uint8_t)cursor_take(&cursor, 1);
    cursor_skip(&cursor, 1);
    stab.description = (uint16_t)cursor_take(&cursor, 2);
    stab.value = (uint32_t)cursor_take(&cursor, 4);
    return stab;
}

/* The string at an offset; NULL: it lies behind the strings. */
static char *string_at(const struct stabs_reader *reader, size_t strings, uint32_t offset)
{
    return offset < reader->string_bytes - strings ? reader->strings + strings + offset
                                                   : NULL;
}

/* The name in "main:F(0,1)" without its type; NULL if the string has no end. */
static const char *function_name(const struct stabs_reader *reader, uint32_t offset)
{
    char *name = string_at(reader, reader->unit_strings, offset);
    if (name == NULL)
        return NULL;
    size_t left = reader->string_bytes - (size_t)(name - reader->strings);
    size_t length = strnlen(name, left < NAME_MAX_BYTES ? left : NAME_MAX_BYTES);
    if (length == NAME_MAX_BYTES)
        return NULL;
    char *colon = memchr(name, ':', length);
    if (colon != NULL)
        *colon = '\0';
    return name;
}

static void add_entry(struct stabs_reader *reader, size_t index, const struct stab *stab,
                      const char *name)
{
    reader->entries[reader->entry_count++] = (struct entry){
        stab->value, index, reader->unit_strings, reader->directory, reader->file, name};
}

/* Takes a file's name: it is in one stab, or its directory is in one and its name in the
 * next. Returns the index of the last one taken.
 */
static size_t take_file(struct stabs_reader *reader, size_t index,
                        const struct stab *stab)
{
    reader->directory = NULL;
    reader->file = string_at(reader, reader->unit_strings, stab->string);
    if (index + 1 == reader->count || stab_at(reader, index + 1).type != N_SO)
        return index;
    reader->directory = reader->file;
    reader->file =
        string_at(reader, reader->unit_strings, stab_at(reader, index + 1).string);
    return index + 1;
}

/* Makes entries of all functions, and of each file that turns out to have none. */
static void take_entries(struct stabs_reader *reader)
{
    struct stab empty = {0};
    size_t empty_index = SIZE_MAX;
    for (size_t i = 0; i < reader->count; i++) {
        struct stab stab = stab_at(reader, i);
        if (stab.type == UNIT_START &&
            reader->next_strings < reader->string_bytes - reader->unit_strings) {
            reader->unit_strings += reader->next_strings;
            reader->next_strings = stab.value;
        } else if (stab.type == N_SO) {
            if (empty_index != SIZE_MAX)
                add_entry(reader, empty_index, &empty, NULL);
            empty_index = stab.string == 0 ? SIZE_MAX : i;
            empty = stab;
            if (stab.string != 0)
                i = take_file(reader, i, &stab);
        } else if (stab.type == N_SOL) {
            reader->file = string_at(reader, reader->unit_strings, stab.string);
        } else if (stab.type == N_FUN && stab.string != 0) {
            add_entry(reader, i, &stab, function_name(reader, stab.string));
            empty_index = SIZE_MAX;
        }
    }
    if (empty_index != SIZE_MAX)
        add_entry(reader, empty_index, &empty, NULL);
    reader->entries[reader->entry_count] =
        (struct entry){.address = UINT64_MAX, .stab = reader->count};
}

static int compare_entries(const void *left, const void *right)
{
    const struct entry *a = left, *b = right;
    ORDER_BY(a->address, b->address);
    return a->stab < b->stab ? -1 : a->stab > b->stab;
}

static bool add_file(struct stabs_reader *reader, const char *directory, const char *name)
{
    struct stabs *to = reader->to;
    const struct stab_file *last =
        to->file_count == 0 ? NULL : &to->files[to->file_count - 1];
    if (last != NULL && last->directory == directory && last->name == name)
        return true;
    if (!vector_grow(&to->files, to->file_count, &reader->file_room, sizeof *to->files))
        return false;
    to->files[to->file_count++] = (struct stab_file){directory, name};
    return true;
}

/* Adds a row that begins at the address. If the function's last row begins there or
 * later, the new row takes its place. */
static bool add_row(struct stabs_reader *reader, const struct entry *entry,
                    uint64_t address, uint32_t line)
{
    struct stabs *to = reader->to;
    if (to->row_count > reader->first && address <= to->rows[to->row_count - 1].address) {
        address = to->rows[to->row_count - 1].address;
        to->row_count--;
    }
    if (address >= reader->end)
        return true;
    if (!vector_grow(&to->rows, to->row_count, &reader->row_room, sizeof *to->rows))
        return false;
    to->rows[to->row_count++] =
        (struct stab_row){address, entry->name, (uint32_t)to->file_count - 1, line};
    return true;
}

/* Adds the rows of the stabs between this entry's and the next one's. */
static bool add_rows(struct stabs_reader *reader, const struct entry *entry)
{
    bool with_line = false, with_function = false;
    reader->end = entry[1].address;
    reader->first = reader->to->row_count;
    if (!add_file(reader, entry->directory, entry->file) ||
        !add_row(reader, entry, entry->address, 0))
        return false;
    for (size_t i = entry->stab + 1; entry->name != NULL && i < entry[1].stab; i++) {
        struct stab stab = stab_at(reader, i);
        bool done = true;
        switch (stab.type) {
        case N_SOL:
            done = add_file(reader, entry->directory,
                            string_at(reader, entry->strings, stab.string)) &&
                   add_row(reader, entry, stab.value, 0);
            break;
        case N_SLINE:
        case N_DSLINE:
        case N_BSLINE:
            /* Code before the first line counts to the first line. */
            done = add_row(reader, entry, entry->address + (with_line ? stab.value : 0),
                           stab.description);
            with_line = true;
            break;
        case N_FUN:
        case N_SO:
            if (with_line || with_function)
                return true;
            with_function = true;
            break;
        }
        if (!done)
            return false;
    }
    return true;
}

bool stabs_read(const struct elf_file *elf, struct stabs *to)
{
    struct stabs_reader reader = {.big_endian = elf->big_endian, .to = to};
    size_t bytes = 0;
    reader.stabs = debug_section(elf, ".stab", &bytes);
    const char *strings = debug_section(elf, ".stabstr", &reader.string_bytes);
    if (reader.stabs == NULL || strings == NULL || reader.string_bytes == 0)
        return true;
    reader.count = bytes / STAB_BYTES;
    reader.strings = to->strings = malloc(reader.string_bytes);
    reader.entries = calloc(reader.count + 2, sizeof(*reader.entries));
    bool done = reader.strings != NULL && reader.entries != NULL;
    if (done) {
        memcpy(reader.strings, strings, reader.string_bytes);
        reader.strings[reader.string_bytes - 1] = '\0';
        take_entries(&reader);
        qsort(reader.entries, reader.entry_count, sizeof(*reader.entries),
              compare_entries);
    }
    for (size_t i = 0; done && i < reader.entry_count; i++)
        done = add_rows(&reader, &reader.entries[i]);
    free(reader.entries);
    return done;
}

const struct stab_row *stabs_at(const struct stabs *stabs, uint64_t address,
                                uint64_t *until)
{
    size_t low = 0;
    SEARCH(low, stabs->row_count, stabs->rows[middle].address <= address);
    if (low < stabs->row_count && stabs->rows[low].address < *until)
        *until = stabs->rows[low].address;
    const struct stab_row *row = low == 0 ? NULL : &stabs->rows[low - 1];
    return row == NULL || row->name == NULL || row->line == 0 ? NULL : row;
}

/* The path; the directory ends with a slash. */
char *stabs_path(const struct stab_file *file)
{
    char *path;
    if (file->directory == NULL || file->name[0] == '/')
        return strdup(file->name);
    return port_asprintf(&path, "%s%s", file->directory, file->name) < 0 ? NULL : path;
}

void stabs_release(struct stabs *stabs)
{
    free(stabs->rows);
    free(stabs->files);
    free(stabs->strings);
}
