/* SPDX-License-Identifier: MIT */
/*
 * -c: arcs of count 0 for the direct calls in the code. For machines that GNU gprof
 * knows, it finds what GNU gprof finds: calls in .text alone, from histogram to
 * histogram. The encoding of x86's CALL is from Intel's SDM, vol. 2.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../../arch/arch.h"
#include "../../base/search.h"
#include "../../port/sort.h"
#include "../trace.h"
#include "call_sites.h"

/* A section's code. */
struct section_code {
    uint64_t low, high;
    const uint8_t *bytes;
};

struct scan {
    struct gprof *gprof;
    struct arch_code code;
    bool as_gnu;
    struct section_code *codes; /* by address */
    size_t code_count;
    size_t *ranges; /* histograms, by address */
    size_t range_count;
};

static int compare_codes(const void *left, const void *right)
{
    const struct section_code *a = left, *b = right;
    return a->low < b->low ? -1 : a->low > b->low;
}

static bool find_codes(struct scan *scan)
{
    const struct gprof_image *image = scan->gprof->image;
    scan->codes = calloc(image->file.section_count, sizeof(*scan->codes));
    if (scan->codes == NULL)
        return false;
    for (size_t i = 1; i < image->file.section_count; i++) {
        GElf_Shdr header;
        if (!elf_file_header(&image->file, i, &header) ||
            (header.sh_flags & SHF_EXECINSTR) == 0)
            continue;
        Elf_Data *data = elf_file_section(&image->file, i);
        if (data == NULL || (scan->as_gnu && i != image->text_index))
            continue;
        uint64_t low = elf_file_address(&image->file, header.sh_addr);
        if (low <= UINT64_MAX - data->d_size)
            scan->codes[scan->code_count++] =
                (struct section_code){low, low + data->d_size, data->d_buf};
    }
    qsort(scan->codes, scan->code_count, sizeof(*scan->codes), compare_codes);
    return true;
}

static int compare_ranges(const void *left, const void *right, void *context)
{
    const struct gprof_histogram *histograms = context;
    uint64_t a = histograms[*(const size_t *)left].low;
    uint64_t b = histograms[*(const size_t *)right].low;
    return a < b ? -1 : a > b;
}

static bool sort_ranges(struct scan *scan)
{
    const struct gprof *gprof = scan->gprof;
    scan->ranges = calloc(gprof->histogram_count + 1, sizeof(*scan->ranges));
    if (scan->ranges == NULL)
        return false;
    for (size_t i = 0; i < gprof->histogram_count; i++)
        scan->ranges[scan->range_count++] = i;
    port_qsort_r(scan->ranges, scan->range_count, sizeof(*scan->ranges), compare_ranges,
                 gprof->histograms);
    return true;
}

/* How many histograms start at or below the address. */
static size_t range_index(const struct scan *scan, uint64_t address)
{
    size_t low = 0;
    SEARCH(low, scan->range_count,
           scan->gprof->histograms[scan->ranges[middle]].low <= address);
    return low;
}

/* GNU gprof counts only calls from a histogram to a histogram. It looks for a MIPS target
 * by its lowest 32 bits; from 0x80000000 on, where addresses are sign-extended, it finds
 * none.
 * */
static bool in_histogram(const struct scan *scan, uint64_t address)
{
    if (!scan->as_gnu)
        return true;
    if (scan->code.arch == &arch_mips)
        address = (uint32_t)address;
    size_t index = range_index(scan, address);
    return index > 0 && address < scan->gprof->histograms[scan->ranges[index - 1]].high;
}

/* Cuts [*low, *high) to the part that is in a histogram. Of several histograms it takes
 * the one that was read first. */
static bool clip(const struct scan *scan, uint64_t *low, uint64_t *high)
{
    const struct gprof_histogram *histograms = scan->gprof->histograms;
    size_t best = SIZE_MAX, at = range_index(scan, *low);
    if (!scan->as_gnu)
        return true;
    if (at > 0 && histograms[scan->ranges[at - 1]].high > *low)
        at--;
    for (; at < scan->range_count && histograms[scan->ranges[at]].low < *high; at++)
        if (scan->ranges[at] < best)
            best = scan->ranges[at];
    if (best == SIZE_MAX)
        return false;
    *low = *low > histograms[best].low ? *low : histograms[best].low;
    *high = *high < histograms[best].high ? *high : histograms[best].high;
    return *low < *high;
}

/* GNU gprof tries every byte, and reads the distance as unsigned: it finds only calls
 * forward. */
static void decode_x86(uint64_t at, const uint8_t *bytes, size_t left,
                       struct arch_instruction *found)
{
    *found = (struct arch_instruction){.bytes = 1};
    if (left < 5 || bytes[0] != 0xe8)
        return;
    uint32_t distance = bytes[1] | (uint32_t)bytes[2] << 8 | (uint32_t)bytes[3] << 16 |
                        (uint32_t)bytes[4] << 24;
    found->kind = ARCH_CALL;
    found->target = at + 5 + distance;
}

/* child: NULL where no symbol begins. */
static void trace_call(const struct scan *scan, const struct gprof_symbol *parent,
                       uint64_t at, uint64_t target, const struct gprof_symbol *child)
{
    const struct gprof *gprof = scan->gprof;
    if (!gprof_trace(gprof, GPROF_TRACE_STATIC))
        return;
    fprintf(gprof->out, "0x%08" PRIx64 ": ", at);
    if (child != NULL) {
        gprof_trace_call(gprof, parent, child);
        fputc('\n', gprof->out);
        return;
    }
    gprof_trace_name(gprof, parent);
    fprintf(gprof->out, " calls 0x%08" PRIx64 ", where no function begins\n", target);
}

static bool scan_code(struct scan *scan, struct gprof_symbol *parent,
                      const struct section_code *code, uint64_t low, uint64_t high)
{
    low = low > code->low ? low : code->low;
    high = high < code->high ? high : code->high;
    for (uint64_t at = low; at < high;) {
        const uint8_t *bytes = code->bytes + (at - code->low);
        struct arch_instruction instruction;
        if (scan->code.arch == &arch_x86)
            decode_x86(at, bytes, code->high - at, &instruction);
        else
            arch_decode(&scan->code, at, bytes, code->high - at, &instruction);
        struct gprof_symbol *child = NULL;
        if ((instruction.kind == ARCH_CALL || instruction.kind == ARCH_JUMP) &&
            in_histogram(scan, instruction.target))
            child = gprof_symbol_at(scan->gprof, instruction.target);
        bool entry = child != NULL && child->address == instruction.target;
        if (instruction.kind == ARCH_CALL || (entry && child != parent))
            trace_call(scan, parent, at, instruction.target, entry ? child : NULL);
        if (entry && (child != parent || scan->as_gnu) &&
            !gprof_add_arc(scan->gprof, parent, child, 0))
            return false;
        at += instruction.bytes;
    }
    return true;
}

/* The next address where an instruction can begin: symbols of GNU as in Thumb code can be
 * odd. */
static uint64_t align(uint64_t address, uint64_t step)
{
    return address > UINT64_MAX - step ? address : (address + step - 1) & ~(step - 1);
}

static bool scan_symbol(struct scan *scan, struct gprof_symbol *symbol)
{
    uint64_t low = symbol->address, high = symbol->end + 1;
    if (symbol->end < symbol->address || symbol->end == UINT64_MAX ||
        !clip(scan, &low, &high))
        return true;
    low = align(low, scan->code.arch->unit);
    size_t at = 0, end = scan->code_count;
    while (at < end) { /* the first section that ends behind `low` */
        size_t middle = at + (end - at) / 2;
        if (scan->codes[middle].high <= low)
            at = middle + 1;
        else
            end = middle;
    }
    for (; at < scan->code_count && scan->codes[at].low < high; at++)
        if (!scan_code(scan, symbol, &scan->codes[at], low, high))
            return false;
    return true;
}

bool gprof_add_static_calls(struct gprof *gprof, struct error *error)
{
    struct scan scan = {.gprof = gprof};
    const struct arch *arch = gprof->image->file.arch;
    scan.as_gnu = arch == &arch_x86 || arch == &arch_aarch64 || arch == &arch_mips;
    if (arch->decode == NULL && arch != &arch_x86) {
        gprof_warn(gprof, "-c not supported on architecture unknown");
        return true;
    }
    bool done = elf_file_code(&gprof->image->file, &scan.code);
    done = done && find_codes(&scan) && sort_ranges(&scan);
    for (size_t i = 0; done && i < gprof->symbol_count; i++)
        done = scan_symbol(&scan, &gprof->symbols[i]);
    if (done && !scan.as_gnu)
        done = gprof_add_call_sites(gprof);
    arch_code_release(&scan.code);
    free(scan.codes);
    free(scan.ranges);
    return done || error_set(error, EXIT_NO, "out of memory");
}
