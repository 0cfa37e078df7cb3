/* SPDX-License-Identifier: MIT */
/*
 * Follows a firmware through QEMU's log of its instructions, and says what each counted
 * call took on a Cortex-M0+, which calls there were, and how long interrupts were masked.
 *
 *     counting FACTS MARKS < LOG > COSTS
 *
 * FACTS is what tests/real/follow.c reads. MARKS has a line for each address that
 * matters: k KIND ADDRESS            s: PRIMASK is read, r: written, d: cpsid, e: cpsie,
 *                               h: a call of the call hook
 *     p PART NUMBER             function NUMBER is that part of the profiler: search,
 *                               lost, sent, link, sample; or it stands in for
 *                               hardware: an interrupt that begins there takes no
 *                               cycles until it comes to the link
 *     t NUMBER                  the function that is timed, with all that it calls
 *
 * COSTS has these lines:
 *     total CYCLES INTERRUPTS   of the timed function; the interrupts' part of them
 *     call OUTCOME COUNT CYCLES LEAST MOST
 *                               without the link and other interrupts
 *     sample COUNT CYCLES MOST  sampling interrupts, entry and return included
 *     link BYTES CYCLES         interrupts of the link
 *     masked CYCLES NUMBER      the longest time that interrupts were masked, and the
 *                               function that masked them
 *     arc FROM TO COUNT         calls: the return address of the call site, and an
 *                               address in the callee
 */
#include "../tests/real/follow.h"
#include "log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EXCEPTION_CYCLES = 15 };
enum { SEARCHED = 1, SENT = 2, LOST = 4, LINK = 8, SAMPLE = 16, HARDWARE = 32 };
enum { OWN_PLACE, BY_SEARCH, BY_SENDING, BY_LOSING, OUTCOMES };

/* What runs between an exception's entry and its return, or the program. */
struct level {
    uint32_t last;   /* the instruction that runs */
    uint32_t caller; /* where the last call returns to */
    unsigned before; /* cycles of the instruction before the last one */
    uint32_t hook_end;
    unsigned hook_cycles, parts, nested; /* masks within a mask */
    uint64_t cycles, masked_cycles;
    uint32_t masked_by; /* its function; 0: not masked */
    bool hooked, link, sample;
    bool begun, hardware; /* it has run an instruction; it stands in for hardware */
};

static struct level levels[LEVELS_MAX];
static unsigned level_count = 1;
static char *marks; /* for each 2 bytes: a kind, or 0 */
static unsigned part_of[FUNCTIONS_MAX];
static uint32_t timed;
static bool timing;

static struct {
    uint64_t total, interrupts, samples, sample_cycles, sample_most;
    uint64_t link_bytes, link_cycles, masked_most;
    uint32_t masked_by;
    struct {
        uint64_t count, cycles, least, most;
    } call[OUTCOMES];
} sums;

/* ---- Which calls there were ---- */

struct arc {
    uint32_t from, to;
    uint64_t count;
};
enum { ARCS_MAX = 1 << 16 };
static struct arc arcs[ARCS_MAX];

static void add_counted(uint32_t from, uint32_t to)
{
    uint32_t at = (from * 2654435761u ^ to * 40503u) % ARCS_MAX;

    for (unsigned tries = 0; tries < ARCS_MAX; tries++, at = (at + 1) % ARCS_MAX) {
        if (arcs[at].count == 0) {
            arcs[at].from = from;
            arcs[at].to = to;
        }
        if (arcs[at].from == from && arcs[at].to == to) {
            arcs[at].count++;
            return;
        }
    }
    fail("too many arcs");
}

/* ---- What they took ---- */

static void end_hook(struct level *level)
{
    unsigned outcome = level->parts & SENT       ? BY_SENDING
                       : level->parts & LOST     ? BY_LOSING
                       : level->parts & SEARCHED ? BY_SEARCH
                                                 : OWN_PLACE;
    unsigned cycles = level->hook_cycles;

    level->hooked = false;
    sums.call[outcome].cycles += cycles;
    if (sums.call[outcome].count++ == 0 || cycles < sums.call[outcome].least) {
        sums.call[outcome].least = cycles;
    }
    if (cycles > sums.call[outcome].most) {
        sums.call[outcome].most = cycles;
    }
}

static void end_mask(struct level *level)
{
    if (timing && level->masked_cycles > sums.masked_most) {
        sums.masked_most = level->masked_cycles;
        sums.masked_by = level->masked_by;
    }
    level->masked_by = 0;
}

/* PRIMASK was read, written, set or cleared. A write within a mask inside another one
 * leaves interrupts masked. */
static void mask(struct level *level, char kind, uint32_t function)
{
    if (kind == 's' && level->masked_by) {
        level->nested++;
    } else if (kind == 'r' && level->nested) {
        level->nested--;
    } else if ((kind == 'r' || kind == 'e') && level->masked_by) {
        end_mask(level);
    } else if (kind == 'd' && !level->masked_by) {
        level->masked_by = function;
        level->masked_cycles = 0;
        level->nested = 0;
    }
}

static void spend(struct level *level, unsigned cycles, uint32_t function)
{
    if (!level->begun) {
        level->begun = true;
        level->hardware = part_of[function] == HARDWARE;
    }
    level->hardware &= part_of[function] != LINK;
    if (level->hardware) {
        return;
    }
    level->cycles += cycles;
    if (timing) {
        sums.total += cycles;
        sums.interrupts += level == levels ? 0 : cycles;
    }
    if (level->masked_by) {
        level->masked_cycles += cycles;
    }
    level->link |= part_of[function] == LINK;
    level->sample |= part_of[function] == SAMPLE;
    if (level->hooked && part_of[function] != LINK) {
        level->hook_cycles += cycles;
        level->parts |= part_of[function];
    }
}

/* The last instruction is over; `to`, or 0, is next. */
static void settle(struct level *level, uint32_t to)
{
    uint32_t at = level->last, i = slot(at);
    const struct transfer *jump =
        next_transfer[i] ? &transfers[next_transfer[i] - 1] : NULL;
    uint32_t function = function_of[i];
    unsigned cycles = (unsigned)(cycles_before[i + 1] - cycles_before[i]);
    bool jumps = jump && jump->address == at;

    if (jumps && to && to != at + jump->size) {
        cycles = jump->taken_cycles;
    }
    spend(level, cycles, function);
    mask(level, marks[i], function);
    if (marks[i] == 'h') {
        if (timing) {
            level->hooked = true;
            level->hook_end = at + 4;
            level->hook_cycles = level->before + cycles;
            level->parts = 0;
            add_counted(level->caller, at + 4);
        }
    } else if (jumps && (jump->kind == CALL || jump->kind == CALL_ANY)) {
        level->caller = at + jump->size;
    }
    level->before = cycles;
    level->last = 0;
}

static void executed(uint32_t pc)
{
    struct level *level = &levels[level_count - 1];

    if (!is_code(pc)) {
        return;
    }
    if (level->last) {
        settle(level, pc);
    }
    if (level->hooked && pc == level->hook_end) {
        end_hook(level);
    }
    if (level == levels) {
        uint32_t function = function_at(pc);

        timing =
            function == timed || (timing && strcmp(functions[function].name, "main"));
    }
    level->last = pc;
}

static void entered(void)
{
    struct level *level = &levels[level_count - 1];
    uint32_t i = level->last ? next_transfer[slot(level->last)] : 0;

    if (level->last && !(i && transfers[i - 1].address == level->last &&
                         transfers[i - 1].kind == JUMP)) {
        settle(level, 0); /* where a branch goes is seen after the return */
    }
    if (level_count == LEVELS_MAX) {
        fail("too many interrupts in one another");
    }
    level = &levels[level_count++];
    memset(level, 0, sizeof *level);
}

static void left(void)
{
    struct level *level = &levels[level_count - 1];

    if (level_count == 1) {
        fail("a return from an interrupt in none");
    }
    settle(level, 0);
    spend(level, 2 * EXCEPTION_CYCLES, 0); /* entry and return */
    level_count--;
    if (!timing) {
        return;
    }
    if (level->sample) {
        sums.samples++;
        sums.sample_cycles += level->cycles;
        if (level->cycles > sums.sample_most) {
            sums.sample_most = level->cycles;
        }
    } else if (level->link) {
        sums.link_bytes++;
        sums.link_cycles += level->cycles;
    }
}

/* ---- Files ---- */

static void follow(FILE *log)
{
    enum log_says says;
    uint32_t pc = 0;

    while ((says = log_next(log, &pc)) != LOG_END) {
        if (says == LOG_RAN) {
            executed(pc);
        } else if (says == LOG_AGAIN) {
            levels[level_count - 1].last = 0;
        } else if (says == LOG_ENTERED) {
            entered();
        } else {
            left();
        }
    }
}

static void read_marks(const char *path)
{
    static const char *const names[] = {"search", "sent",   "lost",
                                        "link",   "sample", "hardware"};
    FILE *file = fopen(path, "r");
    char line[200], part[20], kind;
    uint32_t number;

    marks = calloc(slot_count(), 1);
    if (!file || !marks) {
        fail("%s: cannot read it", path);
    }
    while (fgets(line, sizeof line, file)) {
        if (sscanf(line, "k %c %x", &kind, &number) == 2) {
            marks[slot(number)] = kind;
        } else if (sscanf(line, "t %u", &number) == 1) {
            timed = number + 1;
        } else if (sscanf(line, "p %19s %u", part, &number) == 2) {
            for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
                part_of[number + 1] |= strcmp(part, names[i]) == 0 ? 1u << i : 0;
            }
        }
    }
    fclose(file);
}

static void print(void)
{
    static const char *const outcomes[] = {"own", "searched", "sent", "lost"};

    printf("total %llu %llu\n", (unsigned long long)sums.total,
           (unsigned long long)sums.interrupts);
    for (unsigned i = 0; i < OUTCOMES; i++) {
        printf("call %s %llu %llu %llu %llu\n", outcomes[i],
               (unsigned long long)sums.call[i].count,
               (unsigned long long)sums.call[i].cycles,
               (unsigned long long)sums.call[i].least,
               (unsigned long long)sums.call[i].most);
    }
    printf("sample %llu %llu %llu\n", (unsigned long long)sums.samples,
           (unsigned long long)sums.sample_cycles, (unsigned long long)sums.sample_most);
    printf("link %llu %llu\n", (unsigned long long)sums.link_bytes,
           (unsigned long long)sums.link_cycles);
    printf("masked %llu %d\n", (unsigned long long)sums.masked_most,
           (int)sums.masked_by - 1);
    for (unsigned i = 0; i < ARCS_MAX; i++) {
        if (arcs[i].count) {
            printf("arc %x %x %llu\n", arcs[i].from, arcs[i].to,
                   (unsigned long long)arcs[i].count);
        }
    }
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fail("usage: counting FACTS MARKS < LOG > COSTS");
    }
    read_facts(argv[1]);
    read_marks(argv[2]);
    follow(stdin);
    print();
    return 0;
}
