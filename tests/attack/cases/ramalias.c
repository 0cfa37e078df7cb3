/* SPDX-License-Identifier: MIT */
/* A function in RAM with a frame of 8 bytes makes a call whose return address has the low
 * bits of that of a function in flash with a frame of 24 bytes. attack.py chooses FILL
 * and FLASH_FILL so. */
#include "attack.h"

#define TEXT(x)    TEXT_OF(x)
#define TEXT_OF(x) #x

unsigned ramf(unsigned turns, unsigned number);
unsigned twin(unsigned turns, unsigned number);

__asm__(".syntax unified\n"
        ".section .ramcode, \"ax\", %progbits\n"
        "    .balign 4\n"
        "    .space " TEXT(FILL) "\n"
                                 ".global ramf\n"
                                 ".thumb_func\n"
                                 ".type ramf, %function\n"
                                 "ramf:\n"
                                 "    push {r4, lr}\n"
                                 "    ldr r3, =spin\n"
                                 "    nop\n"
                                 "    blx r3\n"
                                 ".global ramret\n"
                                 "ramret:\n"
                                 "    pop {r4, pc}\n"
                                 "    .ltorg\n"
                                 ".size ramf, . - ramf\n"
                                 ".text\n"
                                 "    .balign 4\n"
                                 "    .space " TEXT(FLASH_FILL) "\n"
                                                                ".global twin\n"
                                                                ".thumb_func\n"
                                                                ".type twin, %function\n"
                                                                "twin:\n"
                                                                "    push {r4-r7, lr}\n"
                                                                "    sub sp, #4\n"
                                                                "    bl spin\n"
                                                                ".global twinret\n"
                                                                "twinret:\n"
                                                                "    add sp, #4\n"
                                                                "    pop {r4-r7, pc}\n"
                                                                ".size twin, . - twin\n");

static NI void inner(fn in_ram)
{
    in_ram(300, 0);
    sink++;
}

static NI void other(void)
{
    twin(200, 0);
    sink++;
}

uint32_t program(unsigned rounds)
{
    static fn volatile in_ram = ramf;

    (void)rounds;
    for (unsigned i = 0; board_samples < ATTACK_SAMPLES; i++) {
        inner(in_ram);
        if (i % 4 == 0) {
            other();
        }
    }
    return 7;
}
