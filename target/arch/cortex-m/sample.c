/* SPDX-License-Identifier: MIT */
/* What a sample's call path begins with: the frame that the hardware has stacked. */
#include "mcuprof.h"
#include "mcuprof_port.h"

#if MCUPROF_PATHS
#include "mcuprof_sample.h"

/* Words that the hardware has stacked: r0 to r3, r12, lr, pc, xPSR; 18 more of an FPU
 * where EXC_RETURN says so; one more, to align the stack, where xPSR does. */
enum { WORDS = 8, FPU_WORDS = 18, PC = 6, XPSR = 7 };

__attribute__((used)) FN void mcuprof_sample_frame(uint32_t exc_return,
                                                   const uint32_t *frame, uintptr_t fp)
{
    struct mcuprof_context context;
    const uint32_t *sp = frame + WORDS + (frame[XPSR] >> 9 & 1);

    if (!(exc_return & 16)) {
        sp += FPU_WORDS;
    }
    context.pc = frame[PC];
    context.sp = (uintptr_t)sp;
    context.top = MCUPROF_STACK_TOP;
    context.fp = fp;
    context.registers = frame;
#if MCUPROF_BY_TASK
    {
        uint32_t interrupt = frame[XPSR] & 0x1FF;

        mcuprof_paths()->context =
            interrupt ? MCUPROF_WIRE_TASK_INTERRUPT + interrupt : mcuprof_state.task;
    }
#endif
    sample_path(&context);
}
#endif
