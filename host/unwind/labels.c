/* SPDX-License-Identifier: MIT */
#include "labels.h"

#include <stdlib.h>

#include "../base/search.h"

enum {
    ARRAY_MIN = 3,       /* words in a row that point into one function */
    BYTES_MAX = 64 << 20 /* of all data: sections that somebody made up may overlap */
};

static uint32_t word_at(const struct code *code, const struct code_section *section,
                        uint64_t offset)
{
    const uint8_t *bytes = section->bytes + offset;
    uint32_t word = 0;
    for (unsigned i = 0; i < 4; i++)
        word = word << 8 | bytes[code->big_endian ? i : 3 - i];
    return word & (uint32_t)~code->arch.arch->state_bit;
}

/* What is known of the units of the code. MIDST: in the midst of an instruction. LABEL:
 * in an array. */
enum { MIDST = 1, LABEL = 2 };

static void mark_midst(const struct code *code, const struct code_function *function,
                       uint8_t *marks)
{
    for (uint64_t at = function->low; at < function->high;) {
        uint64_t end = at + (code_at(code, at) ? code_length(code, at) : code->unit);
        for (at += code->unit; at < end && at < function->high; at += code->unit)
            marks[code_index(code, at)] = MIDST;
    }
}

/* The function that the word points into, but not to its begin; NULL: none, or a number
 * that looks like an address. */
static const struct code_function *points_into(const struct code *code, uint32_t word,
                                               const uint8_t *marks)
{
    if (!code_at(code, word) || (marks[code_index(code, word)] & MIDST) != 0)
        return NULL;
    const struct code_function *function = code_in(code, word);
    return function != NULL && function->low != word ? function : NULL;
}

/* Marks what the words of an array that ends before `end` point to. */
static void mark(const struct code *code, const struct code_section *section,
                 uint64_t end, size_t words, uint8_t *marks)
{
    for (size_t i = 1; words >= ARRAY_MIN && i <= words; i++)
        marks[code_index(code, word_at(code, section, end - 4 * i))] |= LABEL;
}

/* RISC-V has no symbols that mark data in a section of code; but data are in no function.
 */
static bool is_code(const struct code *code, uint64_t address)
{
    return code_at(code, address) && code_in(code, address) != NULL;
}

static void search(const struct code *code, const struct code_section *section,
                   uint8_t *marks)
{
    const struct code_function *into = NULL, *now;
    uint64_t offset = -section->low & 3;
    size_t words = 0;
    for (; offset + 4 <= section->size; offset += 4, words++) {
        now = is_code(code, section->low + offset)
                  ? NULL
                  : points_into(code, word_at(code, section, offset), marks);
        if (now == into && now != NULL)
            continue;
        mark(code, section, offset, into != NULL ? words : 0, marks);
        into = now;
        words = 0;
    }
    mark(code, section, offset, into != NULL ? words : 0, marks);
}

static void search_all(const struct code *code, uint8_t *marks)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < code->section_count; i++) {
        bytes += code->sections[i].size;
        if (bytes > BYTES_MAX)
            return;
        search(code, &code->sections[i], marks);
    }
}

/* The range of code in RAM may lie before the other. */
static int by_address(const void *left, const void *right)
{
    const uint32_t *a = left, *b = right;

    return (*a > *b) - (*a < *b);
}

bool labels_find(struct labels *labels, const struct code *code)
{
    size_t units = code_units(code), count = 0;
    uint8_t *marks = calloc(units + 1, 1);
    *labels = (struct labels){0};
    for (size_t i = 0; marks != NULL && i < code->function_count; i++)
        mark_midst(code, &code->functions[i], marks);
    if (marks != NULL)
        search_all(code, marks);
    for (size_t i = 0; marks != NULL && i < units; i++)
        count += marks[i] == LABEL;
    labels->at = marks != NULL ? calloc(count + 1, sizeof *labels->at) : NULL;
    for (size_t i = 0; labels->at != NULL && i < units; i++)
        if (marks[i] == LABEL)
            labels->at[labels->count++] = (uint32_t)code_unit_address(code, i);
    if (labels->count > 1)
        qsort(labels->at, labels->count, sizeof *labels->at, by_address);
    free(marks);
    return labels->at != NULL;
}

void labels_release(struct labels *labels)
{
    free(labels->at);
    *labels = (struct labels){0};
}

size_t labels_of(const struct labels *labels, const struct code_function *function,
                 const uint32_t **first)
{
    size_t low = 0, count = 0;
    SEARCH(low, labels->count, labels->at[middle] < function->low);
    while (low + count < labels->count && labels->at[low + count] < function->high)
        count++;
    *first = &labels->at[low];
    return count;
}
