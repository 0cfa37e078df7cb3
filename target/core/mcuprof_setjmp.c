/* SPDX-License-Identifier: MIT */
/* Takes the shadow stack back to where setjmp() was called: see mcuprof_setjmp.h. */
#include "mcuprof_port.h"

#if MCUPROF_CALLS
#define FN MCUPROF_NOT_PROFILED

/* The lower half of a mark says how many calls are not over, those without a frame
 * included, 65535 at most; the upper half says since which start. */
FN uint32_t mcuprof_setjmp_mark(void)
{
    struct mcuprof_stack *s = &mcuprof_state.stack;
    mcuprof_irq irq = mcuprof_irq_mask();
    uint32_t calls = 0xFFFF;

    if (s->beyond == 0) {
        calls = (uint32_t)(s->top - (s->limit - MCUPROF_DEPTH));
    } else if (s->beyond < 0xFFFF - MCUPROF_DEPTH) {
        calls = MCUPROF_DEPTH + s->beyond;
    }
    mcuprof_irq_restore(irq);
    return (uint32_t)mcuprof_state.starts << 16 | calls;
}

/* Takes off the innermost call, which was left: its caller gets the time of the calls
 * that it made. The first call of an interrupt has no caller, so its time is hidden.
 * Returns the clock to go on with. */
static FN uint32_t leave(struct mcuprof_stack *s, uint32_t clock)
{
    struct mcuprof_frame *left = s->top--;

    mcuprof_call_lost();
    if (left->stack & MCUPROF_ROOT) {
        s->hidden += clock - left->entered;
        return left->entered;
    }
    s->top->children += left->children;
    return clock;
}

/* Takes off all calls but the outermost `calls`, for they were left. */
static FN void take_back(struct mcuprof_stack *s, uint32_t calls)
{
    uint32_t clock = mcuprof_clock();
    unsigned beyond = calls > MCUPROF_DEPTH ? (unsigned)(calls - MCUPROF_DEPTH) : 0;

    if (s->beyond > beyond) {
        s->beyond = beyond;
    }
    if (s->beyond == 0) {
        struct mcuprof_frame *frames = s->limit - MCUPROF_DEPTH;

        if (s->top > s->limit) { /* a port's mark of calls without a frame */
            s->top = s->limit;
        }
        while (s->top > frames + calls) {
            clock = leave(s, clock);
        }
    }
    mcuprof_hide(clock);
}

FN int mcuprof_setjmp_returned(int value, uint32_t mark)
{
    if (value != 0 && mcuprof_state.hooks_on) {
        mcuprof_irq irq = mcuprof_irq_mask();

        /* A mark that was made before the last start has none of today's calls below it.
         */
        take_back(&mcuprof_state.stack,
                  mark >> 16 == mcuprof_state.starts ? mark & 0xFFFF : 0);
        mcuprof_irq_restore(irq);
    }
    return value;
}
#endif
