/* SPDX-License-Identifier: MIT */
/*
 * Follows a firmware through QEMU's log of its instructions, and says how many were
 * executed in each place of the code, by the calls that led there. Interrupts are left
 * out.
 *
 *     timed FACTS PLACES < LOG > TREE
 *
 * FACTS is what tests/real/follow.c reads. PLACES has these lines:
 *     p START END NUMBER        code that belongs to the place NUMBER, from 0
 *     t NUMBER                  the function that is followed, with all that it calls
 *
 * TREE has these lines, each node after its parent:
 *     n NODE PARENT PLACE CALLS NODE was called so often, from PLACE in PARENT; NODE 0 is
 *                               the function that is followed
 *     i NODE PLACE COUNT        instructions
 */
#include "../tests/real/follow.h"
#include "log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NODES_MAX = 1 << 21, SUMS_MAX = 1 << 23 };

struct node {
    uint32_t parent, place;
    uint64_t calls;
};
static struct node nodes[NODES_MAX];
static uint32_t node_index[2 * NODES_MAX]; /* by parent and place: number + 1 */
static uint32_t node_count;

struct sum {
    uint32_t node, place;
    uint64_t count;
};
static struct sum sums[SUMS_MAX];

struct frame {
    uint32_t node, back; /* the return address */
    uint32_t function;
    bool jumped; /* its function was jumped to, so that it returns as the one below */
};
static struct frame frames[FRAMES_MAX];
static unsigned depth; /* 0: the function that is followed does not run */
static unsigned level; /* interrupts in one another */
static uint32_t *place_of, followed, last;

static uint32_t spread(uint32_t a, uint32_t b)
{
    return a * 2654435761u ^ (b + 1) * 2246822519u ^ (a >> 13);
}

/* The node of the calls from this place in that node. */
static uint32_t node_of(uint32_t parent, uint32_t place)
{
    uint32_t at = spread(parent, place) % (2 * NODES_MAX);

    for (; node_index[at]; at = (at + 1) % (2 * NODES_MAX)) {
        const struct node *node = &nodes[node_index[at] - 1];

        if (node->parent == parent && node->place == place) {
            return node_index[at] - 1;
        }
    }
    if (node_count == NODES_MAX) {
        fail("too many ways to call something");
    }
    nodes[node_count] = (struct node){parent, place, 0};
    node_index[at] = ++node_count;
    return node_count - 1;
}

static void count(uint32_t node, uint32_t place)
{
    static struct sum *last_sum = sums;
    static uint32_t used;
    uint32_t at = spread(node, place) % SUMS_MAX;

    if (last_sum->count && last_sum->node == node && last_sum->place == place) {
        last_sum->count++;
        return;
    }
    while (sums[at].count && (sums[at].node != node || sums[at].place != place)) {
        at = (at + 1) % SUMS_MAX;
    }
    if (sums[at].count == 0 && ++used == SUMS_MAX) {
        fail("too many places");
    }
    sums[at].node = node;
    sums[at].place = place;
    sums[at].count++;
    last_sum = &sums[at];
}

/* ---- The stack of calls ---- */

static void push(uint32_t from, uint32_t back, uint32_t to, bool jumped)
{
    uint32_t node = 0;

    if (depth == FRAMES_MAX) {
        fail("too many calls in one another");
    }
    if (depth) {
        node = node_of(frames[depth - 1].node, place_of[slot(from)]);
    }
    nodes[node].calls++;
    frames[depth++] = (struct frame){node, back, function_at(to), jumped};
}

/* Takes off the frames above those that are left, and what was jumped to from there. */
static void pop(unsigned left)
{
    while (left && frames[left].jumped) {
        left--;
    }
    depth = left;
}

/* Only the innermost call returns: the address may also be a case of a switch, in front
 * of which a call further out was made. */
static bool returns(uint32_t to)
{
    if (depth == 0 || frames[depth - 1].back != to) {
        return false;
    }
    pop(depth - 1);
    return true;
}

/* longjmp() goes back into a function that has called setjmp(), a library's function for
 * switches into the one that has called it. */
static void jumps_back(uint32_t to)
{
    for (unsigned i = depth; i-- > 0;) {
        if (frames[i].function == function_at(to)) {
            depth = i + 1;
            return;
        }
    }
}

/* The instruction at `at` has gone to `to`. */
static void went(uint32_t at, uint32_t to)
{
    uint32_t i = next_transfer[slot(at)];
    const struct transfer *jump = i ? &transfers[i - 1] : NULL;

    if (!jump || jump->address != at || to == at + jump->size) {
        return;
    }
    if (jump->kind == CALL && function_at(to) == function_at(at) && !entry_of[slot(to)]) {
        return; /* a far jump in Thumb-1 */
    }
    if (jump->kind == CALL || jump->kind == CALL_ANY) {
        if (depth || function_at(to) == followed) {
            push(at, at + jump->size, to, false);
        }
    } else if (depth && function_at(to) != frames[depth - 1].function &&
               !(jump->kind == JUMP_ANY && returns(to))) {
        if (entry_of[slot(to)]) {
            push(at, frames[depth - 1].back, to, true);
        } else if (jump->kind == JUMP_ANY) {
            jumps_back(to);
        }
    } else if (depth && jump->kind == JUMP_ANY) {
        (void)returns(to); /* of a function that calls itself */
    }
}

static void executed(uint32_t pc)
{
    if (level || !is_code(pc)) {
        return;
    }
    if (last) {
        if (depth) {
            count(frames[depth - 1].node, place_of[slot(last)]);
        }
        went(last, pc);
    }
    last = pc;
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
            last = level ? last : 0;
        } else if (says == LOG_ENTERED) {
            level++;
        } else {
            level--;
        }
    }
}

static void read_places(const char *path)
{
    FILE *file = fopen(path, "r");
    char line[200];
    uint32_t from, to, number;

    place_of = calloc(slot_count(), sizeof *place_of);
    if (!file || !place_of) {
        fail("%s: cannot read it", path);
    }
    while (fgets(line, sizeof line, file)) {
        if (sscanf(line, "p %x %x %u", &from, &to, &number) == 3) {
            for (; from < to; from += 2) {
                place_of[slot(from)] = number;
            }
        } else if (sscanf(line, "t %u", &number) == 1) {
            followed = number + 1;
        }
    }
    fclose(file);
}

static void print(void)
{
    for (uint32_t i = 0; i < node_count; i++) {
        printf("n %u %u %u %llu\n", i, nodes[i].parent, nodes[i].place,
               (unsigned long long)nodes[i].calls);
    }
    for (uint32_t i = 0; i < SUMS_MAX; i++) {
        if (sums[i].count) {
            printf("i %u %u %llu\n", sums[i].node, sums[i].place,
                   (unsigned long long)sums[i].count);
        }
    }
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fail("usage: timed FACTS PLACES < LOG > TREE");
    }
    read_facts(argv[1]);
    read_places(argv[2]);
    node_count = 1;
    follow(stdin);
    print();
    return 0;
}
