/* SPDX-License-Identifier: MIT */
    .section .rodata
    .global script
    .balign 4
script:
    .incbin "tests/real/script.js"
    .byte   0
