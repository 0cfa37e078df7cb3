/* SPDX-License-Identifier: MIT */
#include "frames.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdlib.h>

#include "../image/units.h"
#include "mcuprof_unwind.h"

struct frames {
    const struct code *code;
    const struct cpu *cpu;
    struct found *found;
};

/* Sets the frame's base, as an offset from the stack pointer or from the frame pointer.
 */
static bool base_of(const struct frames *frames, Dwarf_Frame *frame,
                    struct answer *answer)
{
    Dwarf_Op *ops;
    size_t count;
    if (dwarf_frame_cfa(frame, &ops, &count) != 0 || count != 1)
        return false;
    bool is_any = ops[0].atom == DW_OP_bregx;
    uint64_t number = is_any ? ops[0].number : (uint64_t)ops[0].atom - DW_OP_breg0;
    int64_t offset = (int64_t)(is_any ? ops[0].number2 : ops[0].number);
    if (offset < 0 || offset >= 1 << 17)
        return false;
    answer->size = (int32_t)offset;
    answer->based = frames->code->fp != 0 && number == frames->code->fp;
    return answer->based || number == frames->cpu->dwarf_sp;
}

/* The number of words below the base at which a value is saved. */
static unsigned slot_of(const struct frames *frames, const Dwarf_Op *ops, size_t count)
{
    int64_t offset = 0;
    if (count == 0 || ops[0].atom != DW_OP_call_frame_cfa)
        return MCUPROF_UNWIND_UNKNOWN;
    if (count == 2 && ops[1].atom == DW_OP_plus_uconst)
        offset = (int64_t)ops[1].number;
    else if (count == 3 && ops[1].atom == DW_OP_consts && ops[2].atom == DW_OP_plus)
        offset = (int64_t)ops[1].number;
    else if (count != 1)
        return MCUPROF_UNWIND_UNKNOWN;
    if (offset >= 0 || offset % (int64_t)frames->cpu->word != 0)
        return MCUPROF_UNWIND_UNKNOWN;
    uint64_t words = (uint64_t)-offset / frames->cpu->word;
    return words < MCUPROF_UNWIND_HANDLER ? (unsigned)words : MCUPROF_UNWIND_UNKNOWN;
}

/* The register with the return address: the link, or one that an exception stacks. */
static unsigned register_of(const struct frames *frames, const Dwarf_Op *op)
{
    uint64_t number = op->number;
    if (op->atom >= DW_OP_reg0 && op->atom <= DW_OP_reg31)
        number = op->atom - DW_OP_reg0;
    else if (op->atom != DW_OP_regx)
        return MCUPROF_UNWIND_UNKNOWN;
    if (number == frames->cpu->dwarf_return)
        return MCUPROF_UNWIND_LINK;
    uint32_t stacked = frames->cpu->dwarf_stacked;
    if (number >= 32 || (stacked >> number & 1) == 0)
        return MCUPROF_UNWIND_UNKNOWN;
    return MCUPROF_UNWIND_R0 +
           (unsigned)__builtin_popcount(stacked & (((uint32_t)1 << number) - 1));
}

/* Where the caller's frame pointer is saved. */
static uint8_t saved_of(const struct frames *frames, Dwarf_Frame *frame)
{
    Dwarf_Op room[3], *ops;
    size_t count;
    unsigned fp = frames->code->fp;
    if (fp == 0)
        return 0;
    if (dwarf_frame_register(frame, (int)fp, room, &ops, &count) != 0)
        return MCUPROF_UNWIND_SAVED_LOST;
    if (count == 0)
        return ops == room ? MCUPROF_UNWIND_SAVED_LOST : 0; /* undefined; or unchanged */
    unsigned slot = slot_of(frames, ops, count);
    return slot != 0 && slot < MCUPROF_UNWIND_SAVED_LOST ? (uint8_t)slot
                                                         : MCUPROF_UNWIND_SAVED_LOST;
}

/* SPARC: whether the function has a register window; then the frame pointer is the base.
 */
static bool in_window(const struct frames *frames, Dwarf_Frame *frame)
{
    Dwarf_Op *ops;
    size_t count;
    unsigned window = frames->cpu->dwarf_window;
    return window != 0 && dwarf_frame_cfa(frame, &ops, &count) == 0 && count == 1 &&
           (ops[0].atom == DW_OP_breg0 + window ||
            (ops[0].atom == DW_OP_bregx && ops[0].number == window));
}

static struct answer answer_of(const struct frames *frames, Dwarf_Frame *frame)
{
    struct answer none = {.where = MCUPROF_UNWIND_UNKNOWN}, answer = none;
    Dwarf_Op room[3], *ops;
    size_t count;
    if (dwarf_frame_register(frame, (int)frames->cpu->dwarf_return, room, &ops, &count) !=
        0)
        return none;
    if (in_window(frames, frame))
        return (struct answer){.where = MCUPROF_UNWIND_WINDOW};
    if (count == 0 && ops == room && frames->cpu->dwarf_window == 0) /* undefined */
        return (struct answer){.where = MCUPROF_UNWIND_END};
    if (!base_of(frames, frame, &answer))
        return none;
    unsigned where = count == 0 ? MCUPROF_UNWIND_LINK : slot_of(frames, ops, count);
    if (where == MCUPROF_UNWIND_UNKNOWN && count == 1)
        where = register_of(frames, &ops[0]);
    if (where < MCUPROF_UNWIND_END && !answer.based &&
        (int64_t)where * frames->cpu->word > answer.size)
        where = MCUPROF_UNWIND_UNKNOWN; /* below the stack pointer the word may be
                                           overwritten */
    answer.where = (uint8_t)where;
    answer.saved = saved_of(frames, frame);
    return where == MCUPROF_UNWIND_UNKNOWN ? none : answer;
}

/* Fills in what a frame says from `low` to `high`. */
static void fill(struct frames *frames, uint64_t low, uint64_t high, struct answer answer)
{
    const struct code *code = frames->code;
    uint64_t end = code_end(code, low);
    high = high < end ? high : end;
    for (uint64_t at = low; at < high; at += code->unit) {
        struct found *found = &frames->found[code_index(code, at)];
        if (found->has_frame)
            continue;
        found->has_frame = true;
        found->frame = answer;
    }
}

/* Fills in the frame at an address; returns the next address to look up. */
static uint64_t look_up(struct frames *frames, Dwarf_CFI *cfi, uint64_t at)
{
    Dwarf_Frame *frame = NULL;
    Dwarf_Addr start = 0, end = 0;
    bool is_signal = false;
    uint64_t next = at + frames->code->unit;
    if (dwarf_cfi_addrframe(cfi, at, &frame) != 0)
        return next;
    if (dwarf_frame_info(frame, &start, &end, &is_signal) >= 0 && start <= at &&
        end > at) {
        fill(frames, at, end, answer_of(frames, frame));
        next = end > next ? end : next;
    }
    free(frame);
    return next + (next - frames->code->low) % frames->code->unit;
}

/* Looks up only each function's begin and the ends of frames: each look-up where there is
 * no frame reads all entries. */
static void look_up_all(struct frames *frames, Dwarf_CFI *cfi)
{
    const struct code *code = frames->code;
    for (size_t i = 0; i < code->function_count; i++) {
        const struct code_function *function = &code->functions[i];
        uint64_t at = function->low;
        while (at < function->high) {
            uint64_t next = look_up(frames, cfi, at);
            if (!frames->found[code_index(code, at)].has_frame)
                break;
            at = next;
        }
    }
}

void frames_read(const struct code *code, const struct cpu *cpu,
                 const struct image *image, struct found *found)
{
    struct frames frames = {code, cpu, found};
    Elf *elf = image_file(image)->elf;
    Dwarf *dwarf = dwarf_begin_elf(elf, DWARF_C_READ, NULL);
    if (dwarf != NULL)
        dwarf_new_oom_handler(dwarf, units_end_without_memory);
    Dwarf_CFI *debug = dwarf == NULL ? NULL : dwarf_getcfi(dwarf);
    if (debug != NULL)
        look_up_all(&frames, debug);
    Dwarf_CFI *loaded = dwarf_getcfi_elf(elf);
    if (loaded != NULL) {
        look_up_all(&frames, loaded);
        dwarf_cfi_end(loaded);
    }
    if (dwarf != NULL)
        dwarf_end(dwarf);
}
