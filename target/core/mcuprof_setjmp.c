/* SPDX-License-Identifier: MIT */
/* Takes the shadow stack back to where setjmp() was called: see mcuprof_setjmp.h. */
#include "mcuprof.h"
#include "mcuprof_port.h"

#if MCUPROF_CALLS
#define FN MCUPROF_NOT_PROFILED

/* Whether the mark is of these frames; else it is of some that there were before. */
static FN bool is_of(const struct mcuprof_mark *mark, const struct mcuprof_stack *s)
{
    return (uintptr_t)mark->top >= (uintptr_t)(s->limit - MCUPROF_DEPTH) &&
           (uintptr_t)mark->top <= (uintptr_t)s->top;
}

static FN void take_back(struct mcuprof_stack *s, const struct mcuprof_mark *mark)
{
    uint32_t clock = mcuprof_clock();

    if (s->beyond != 0) {
        s->beyond = mark->beyond;
    }
    if (mark->beyond == 0) {
        if (s->top > s->limit) { /* a port's mark of calls without a frame */
            s->top = s->limit;
        }
        while (s->top != mark->top) {
            uint32_t children = s->top->children;

            mcuprof_call_lost();
            s->top--;
            s->top->children += children;
        }
    }
    mcuprof_hide(clock);
}

FN int mcuprof_setjmp_returned(int value, struct mcuprof_mark *mark)
{
    struct mcuprof_stack *s = &mcuprof_state.stack;

    if (value == 0) {
        mark->top = s->top;
        mark->beyond = s->beyond;
    } else if (mcuprof_state.hooks_on) {
        mcuprof_irq irq = mcuprof_irq_mask();

        if (is_of(mark, s)) {
            take_back(s, mark);
        }
        mcuprof_irq_restore(irq);
    }
    return value;
}
#endif
