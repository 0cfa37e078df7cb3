/* SPDX-License-Identifier: MIT */
/* Checks that all objects were compiled with the same knobs (mcuprof_knobs.h). */
#include <inttypes.h>
#include <string.h>

#include "../port/memory.h"
#include "findings.h"
#include "mcuprof_knobs.h"

#define NAME(name) "MCUPROF_" #name,
static const char *const names[] = {MCUPROF_KNOBS(NAME)};
enum { KNOBS = sizeof names / sizeof names[0], WORD = 4 };

/* The piece of one object. */
struct piece {
    const uint8_t *values;
    const char *file; /* without its folders */
    size_t file_bytes;
};

/* Finds the next piece from *at on, and sets *at behind it; false: there is none. */
static bool next_piece(const struct program *program, const Elf_Data *data, size_t *at,
                       struct piece *piece)
{
    const uint8_t *bytes = data->d_buf;
    size_t head = WORD * (1 + KNOBS);

    for (; *at + head < data->d_size; ++*at) {
        if (program_word(program, bytes + *at) != MCUPROF_KNOBS_MAGIC)
            continue;
        const char *file = (const char *)bytes + *at + head;
        size_t length = strnlen(file, data->d_size - *at - head);
        const char *slash = port_memrchr(file, '/', length);
        size_t folders = slash != NULL ? (size_t)(slash + 1 - file) : 0;

        *piece = (struct piece){bytes + *at + WORD, file + folders, length - folders};
        *at += head + length;
        return true;
    }
    return false;
}

static bool is_named(const struct piece *piece, const char *name)
{
    return piece->file_bytes == strlen(name) &&
           memcmp(piece->file, name, piece->file_bytes) == 0;
}

/* The first knob of which the two have another value; KNOBS: none. */
static size_t differs(const struct piece *one, const struct piece *other)
{
    size_t i = 0;

    while (i < KNOBS &&
           memcmp(one->values + WORD * i, other->values + WORD * i, WORD) == 0)
        i++;
    return i;
}

static void tell(struct findings *findings, const struct piece *piece,
                 const struct piece *library, size_t knob)
{
    const struct program *program = &findings->program;

    finding(findings, "other-knobs", "%.*s has %s = %" PRIu32 ", %.*s has %" PRIu32 ".",
            (int)(piece->file_bytes < 60 ? piece->file_bytes : 60), piece->file,
            names[knob], (uint32_t)program_word(program, piece->values + WORD * knob),
            (int)(library->file_bytes < 60 ? library->file_bytes : 60), library->file,
            (uint32_t)program_word(program, library->values + WORD * knob));
}

void check_knobs(struct findings *findings)
{
    const struct elf_file *file = image_file(findings->image);
    struct piece piece, library;
    GElf_Shdr header;
    size_t section = elf_file_find(file, 0, ".mcuprof_knobs", &header), at = 0;
    const Elf_Data *data = section != 0 ? elf_file_bytes(file, section) : NULL;
    bool known = false;

    if (data == NULL || data->d_buf == NULL)
        return;
    while (next_piece(&findings->program, data, &at, &piece)) {
        if (!known || is_named(&piece, "mcuprof.c"))
            library = piece;
        known = true;
    }
    at = 0;
    while (known && next_piece(&findings->program, data, &at, &piece)) {
        size_t knob = differs(&piece, &library);
        if (knob < KNOBS) {
            tell(findings, &piece, &library, knob);
            return;
        }
    }
}
