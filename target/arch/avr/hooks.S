/* SPDX-License-Identifier: MIT */
/*
 * The hooks of calls, the sampling interrupt, and constants from flash. Program counters
 * are counted in words; here they become addresses of bytes.
 */
#include "asm.h"
#include "mcuprof_arch.h"
#include "mcuprof_layout.h"

#if !MCUPROF_CALLS
/*
 * __cyg_profile_func_enter: what -finstrument-functions calls at each function's entry.
 * In:  r25:r24 the function, r23:r22 its return address.
 * Out: nothing; clobbers what a function of C may. Goes on to mcuprof_hook(r25:r22 from,
 *      r21:r18 to).
 */
    function __cyg_profile_func_enter
#if MCUPROF_ARCS
    lds     r18, mcuprof_state + MCUPROF_HOOKS_ON_OFFSET
    tst     r18
    breq    1f
    movw    r18, r24
    clr     r20
    clr     r21
    lsl     r18
    rol     r19
    rol     r20
    ori     r18, 1
    clr     r24
    clr     r25
    lsl     r22
    rol     r23
    rol     r24
    jmp     mcuprof_hook
1:
#endif
    ret

    function __cyg_profile_func_exit
    ret
#endif

#if MCUPROF_PATHS
#define SAMPLE      mcuprof_sample_path
#else
#define SAMPLE      mcuprof_sample
#endif
#if MCUPROF_PATHS && defined(__AVR_HAVE_ELPMX__)
#define SAVED       16
#else
#define SAVED       15
#endif

/*
 * The sampling timer's interrupt, for the vector table: -Wl,--defsym=__vector_N=
 * mcuprof_sample_isr. The program counter that the hardware has pushed lies above the
 * registers saved here, its high byte first. With paths, mcuprof_sample_path() gets the
 * begin of a struct mcuprof_context, which is made on the stack: pc, sp.
 * Stack: 15 bytes and mcuprof_sample()'s; with paths 22, and mcuprof_sample_path()'s.
 */
    function mcuprof_sample_isr
#if MCUPROF_SAMPLES
    for_each push, r0, r1, r18, r19, r20, r21, r22, r23, r24, r25, r26, r27, r30, r31
    in      r0, __SREG__
    push    r0
#if SAVED == 16
    in      r0, __RAMPZ__
    push    r0
#endif
    clr     r1
    in      r30, __SP_L__
    in      r31, __SP_L__ + 1
    clr     r24
    clr     r25
#ifdef __AVR_3_BYTE_PC__
    ldd     r24, Z + SAVED + 1
    ldd     r23, Z + SAVED + 2
    ldd     r22, Z + SAVED + 3
#else
    ldd     r23, Z + SAVED + 1
    ldd     r22, Z + SAVED + 2
#endif
    lsl     r22
    rol     r23
    rol     r24
#if MCUPROF_PATHS
    adiw    r30, SAVED + PC_BYTES
    for_each push, r31, r30, r25, r24, r23, r22
    in      r24, __SP_L__
    in      r25, __SP_L__ + 1
    adiw    r24, 1
#endif
    call    SAMPLE
#if MCUPROF_PATHS
    .rept   6
    pop     r0
    .endr
#endif
#if SAVED == 16
    pop     r0
    out     __RAMPZ__, r0
#endif
    pop     r0
    out     __SREG__, r0
    .irp    register, r31, r30, r27, r26, r25, r24, r23, r22, r21, r20, r19, r18, r1, r0
    pop     \register
    .endr
#endif
    reti

/* mcuprof_flash_read(r25:r24 to, r23:r22 from, r20 bytes). The build ID is behind the code,
 * perhaps where 16 bits do not reach; all else is before the code. */
    function mcuprof_flash_read
    movw    r26, r24
    movw    r30, r22
#ifdef __AVR_HAVE_ELPMX__
    in      r21, __RAMPZ__
    ldi     r18, hi8(__mcuprof_build_id)
    cpi     r30, lo8(__mcuprof_build_id)
    cpc     r31, r18
    ldi     r18, 0
    brne    1f
    ldi     r18, hh8(__mcuprof_build_id)
1:
    out     __RAMPZ__, r18
2:
    elpm    r18, Z+
#else
2:
    lpm     r18, Z+
#endif
    st      X+, r18
    dec     r20
    brne    2b
#ifdef __AVR_HAVE_ELPMX__
    out     __RAMPZ__, r21
#endif
    ret
    .weak   __mcuprof_build_id
