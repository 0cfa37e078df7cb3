/* SPDX-License-Identifier: MIT */
/* What a longjmp() leaves, where mcuprof_setjmp.h is included. */
#include "mcuprof.h"
#include "mcuprof_port.h"

#if MCUPROF_CALLS

/* A frame's stack pointer, without what is told by its lowest bits. */
static inline MCUPROF_NOT_PROFILED uintptr_t stack_of(const struct mcuprof_frame *frame)
{
#ifdef MCUPROF_NO_ROOTS
    return frame->stack;
#else
    return frame->stack & ~(uintptr_t)3;
#endif
}

static MCUPROF_NOT_PROFILED void land(struct mcuprof_stack *s, uintptr_t stack)
{
    struct mcuprof_frame *top = s->beyond ? s->limit : s->top;
    uint32_t clock = mcuprof_clock();

    if (s->beyond && stack_of(top) > stack) {
        return; /* it has no frame itself, nor have those that were left */
    }
    s->beyond = 0;
    /* It is not expanded inline itself, for it calls setjmp(): of those with its stack
     * pointer, it is the first. */
    while (stack_of(top) < stack ||
           (stack_of(top) == stack && stack_of(top - 1) == stack)) {
        uint32_t children = top->children;

        mcuprof_call_lost();
        top--;
        top->children += children;
    }
    s->top = top;
    mcuprof_hide(clock);
}

MCUPROF_NOT_PROFILED int mcuprof_setjmp_returned(int value, uintptr_t stack)
{
    if (value != 0 && mcuprof_state.hooks_on) {
        mcuprof_irq irq = mcuprof_irq_mask();

        land(&mcuprof_state.stack, stack - MCUPROF_HOOK_STACK);
        mcuprof_irq_restore(irq);
    }
    return value;
}
#endif
