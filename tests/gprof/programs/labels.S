/* SPDX-License-Identifier: MIT */
/* Labels as hand-written code has them: untyped, doubled, dotted, of a wrong type. */
#ifdef __thumb__
    .syntax unified
    .thumb
#endif
    .text
    .balign 4
    .globl plain_label
plain_label:
    nop
    nop
local_label:
    nop
    nop
    .globl typed_label
    .type typed_label, STT_FUNC
typed_label:
    nop
    nop
    .globl __both
    .globl _both
    .globl both
    .type __both, STT_FUNC
    .type _both, STT_FUNC
    .type both, STT_FUNC
__both:
_both:
both:
    nop
    nop
    .globl _under
    .globl __under
    .type _under, STT_FUNC
    .type __under, STT_FUNC
__under:
_under:
    nop
    nop
    .type kept_static, STT_FUNC
    .globl kept_global
kept_static:
kept_global:
    nop
    nop
    .type first_weak, STT_FUNC
    .weak first_weak
    .globl second_global
    .type second_global, STT_FUNC
first_weak:
second_global:
    nop
    nop
    .type number.12, STT_FUNC
number.12:
    nop
    nop
    .type some.constprop.3, STT_FUNC
some.constprop.3:
    nop
    nop
    .type some.isra.4, STT_FUNC
some.isra.4:
    nop
    nop
    .globl global.part.5
    .type global.part.5, STT_FUNC
global.part.5:
    nop
    nop
    .type copy.clone.6, STT_FUNC
copy.clone.6:
    nop
    nop
#ifndef __AVR__
    .type with$dollar, STT_FUNC
with$dollar:
    nop
    nop
    .globl global$dollar
    .type global$dollar, STT_FUNC
global$dollar:
    nop
    nop
#endif
__gnu_compiled_c:
    nop
    nop
    .globl table
    .type table, STT_OBJECT
table:
    .long 1, 2, 3
    .type local_table, STT_OBJECT
local_table:
    .long 4
    .weak weak_code
weak_code:
    nop
    nop
#ifdef __thumb__
    .globl odd_label
    .set odd_label, weak_code + 1
    .globl thumb_function
    .thumb_func
thumb_function:
    nop
    nop
#endif
    .globl tail
    .type tail, STT_FUNC
tail:
    nop
    nop
    .globl absolute
    .set absolute, 0x1234
    .data
    .weak weak_data
weak_data:
    .long 1
    .weak weak_object
    .type weak_object, STT_OBJECT
weak_object:
    .long 2
