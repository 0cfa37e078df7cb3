/* SPDX-License-Identifier: MIT */
/*
 * Threads whose outermost function has a wrong return address: 0, an even address in the
 * code, the begin of a function, an address outside the code. The walk along their stacks
 * must end there, must read nothing outside, and must make no frame. For a Cortex-M.
 */
#include <setjmp.h>

#include "board.h"
#include "burn.h"
#include "mcuprof.h"

#define ALONE __attribute__((noinline, noclone, noipa))

enum { ROUNDS = 40, LINKS = 7, STACK_WORDS = 256 };

static uint32_t stack[STACK_WORDS] __attribute__((aligned(8)));
static jmp_buf out;

static ALONE void work(void)
{
    BURN(20000);
}

static ALONE void thread(void)
{
    work();
    longjmp(out, 1);
}

/* Jumps to thread() with this stack pointer and link register. */
__attribute__((naked, noinline)) static void go(const uint32_t *sp, uintptr_t link,
                                                void (*function)(void))
{
    (void)sp;
    (void)link;
    (void)function;
    __asm__ volatile("mov sp, r0\n\tmov lr, r1\n\tbx r2");
}

int main(void)
{
    const uintptr_t code = (uintptr_t)work & ~(uintptr_t)1;
    const uintptr_t links[LINKS] = {0, 2, code, code + 2, code + 1, code + 3, 0x1FFFFFF1};

    mcuprof_start();
    for (unsigned i = 0; i < ROUNDS * LINKS; i++) {
        if (setjmp(out) == 0) {
            go(stack + STACK_WORDS, links[i % LINKS], thread);
        }
    }
    mcuprof_end();
    board_printf("threads %u\n", ROUNDS * LINKS);
    return 0;
}
