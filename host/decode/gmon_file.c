/* SPDX-License-Identifier: MIT */
#include "gmon_file.h"

#include <string.h>

bool gmon_is_gnu(const uint8_t *bytes, size_t size)
{
    return size >= 4 && memcmp(bytes, "gmon", 4) == 0;
}

size_t gmon_left(const struct gmon_file *file)
{
    return (size_t)(file->cursor.end - file->cursor.at);
}

uint64_t gmon_word(struct gmon_file *file)
{
    uint64_t word = cursor_take(&file->cursor, file->word_bytes);

    if (file->sign_extend && file->word_bytes == 4)
        return (uint64_t)(int64_t)(int32_t)word;
    return word;
}

uint32_t gmon_u32(struct gmon_file *file)
{
    return (uint32_t)cursor_take(&file->cursor, 4);
}

uint16_t gmon_bin(struct gmon_file *file)
{
    return (uint16_t)cursor_take(&file->cursor, GMON_BIN_BYTES);
}

bool gmon_bsd_header(struct gmon_file *file, struct gmon_histogram *histogram)
{
    const uint8_t *start = file->cursor.at;
    uint32_t header_bytes = 2 * file->word_bytes + 4, bytes;

    *histogram = (struct gmon_histogram){0};
    histogram->low = gmon_word(file);
    histogram->high = gmon_word(file);
    bytes = gmon_u32(file);
    file->bsd = true;
    file->bsd44 = gmon_u32(file) == GMON_BSD44_VERSION;
    if (file->bsd44) {
        histogram->rate = gmon_u32(file);
        header_bytes += 4 + 4 + GMON_SPARE_BYTES;
    }
    if (file->cursor.failed)
        return false;
    file->cursor.at = start;
    cursor_skip(&file->cursor, header_bytes);
    histogram->bytes = bytes - header_bytes;
    return true;
}

bool gmon_histogram(struct gmon_file *file, struct gmon_histogram *histogram)
{
    *histogram = (struct gmon_histogram){0};
    histogram->low = gmon_word(file);
    histogram->high = gmon_word(file);
    histogram->bytes = (uint64_t)GMON_BIN_BYTES * gmon_u32(file);
    histogram->rate = gmon_u32(file);
    for (int i = 0; i < GMON_DIMENSION_BYTES; i++)
        histogram->dimension[i] = (char)cursor_take(&file->cursor, 1);
    histogram->abbreviation = (char)cursor_take(&file->cursor, 1);
    return !file->cursor.failed;
}

bool gmon_blocks(struct gmon_file *file, uint64_t *count)
{
    *count = gmon_u32(file);
    return !file->cursor.failed && gmon_left(file) / (2 * file->word_bytes) >= *count;
}

static void take_arc(struct gmon_file *file, struct gmon_arc *arc)
{
    arc->from = gmon_word(file);
    arc->to = gmon_word(file);
    arc->count = file->bsd ? gmon_word(file) : gmon_u32(file);
}

size_t gmon_arcs(struct gmon_file *file, struct gmon_arc *arcs, size_t most)
{
    size_t arc_bytes = 2 * file->word_bytes + (file->bsd ? file->word_bytes : 4);
    size_t tag_bytes = 0, count = 0;

    for (; count < most && gmon_left(file) >= tag_bytes + arc_bytes &&
           (tag_bytes == 0 || *file->cursor.at == GMON_ARC);
         count++) {
        file->cursor.at += tag_bytes;
        if (arcs != NULL)
            take_arc(file, &arcs[count]);
        else
            file->cursor.at += arc_bytes;
        tag_bytes = file->bsd ? 0 : 1;
    }
    return count;
}
