/* SPDX-License-Identifier: MIT */
/*
 * A function in RAM and one in flash that have the same low bits in their return
 * addresses, and frames of other sizes. (The emulator loads the RAM.)
 */
#include "real.h"

#define APART __attribute__((noinline, noclone, noipa))

static volatile uint32_t sink;

void in_ram(unsigned turns);
void twin(unsigned turns);

/* Both call this. */
APART void spin(unsigned turns);
APART void spin(unsigned turns)
{
    for (unsigned i = 0; i < turns; i++) {
        sink += i;
    }
}

#ifdef __riscv
__asm__(".option push\n"
        ".option norvc\n"
        ".section .ram_twin, \"ax\", %progbits\n"
        ".balign 4\n"
        ".global in_ram\n"
        ".type in_ram, %function\n"
        "in_ram:\n"
        "    addi sp, sp, -16\n"
        "    sw ra, 12(sp)\n"
        "    call spin\n"
        "    lw ra, 12(sp)\n"
        "    addi sp, sp, 16\n"
        "    ret\n"
        "    .size in_ram, . - in_ram\n"
        ".section .twin, \"ax\", %progbits\n"
        ".balign 4\n"
        ".global twin\n"
        ".type twin, %function\n"
        "twin:\n"
        "    addi sp, sp, -48\n"
        "    sw ra, 44(sp)\n"
        "    .option push\n"
        "    .option norelax\n"
        "    call spin\n"
        "    .option pop\n"
        "    lw ra, 44(sp)\n"
        "    addi sp, sp, 48\n"
        "    ret\n"
        "    .size twin, . - twin\n"
        ".text\n"
        ".option pop\n");
#else
__asm__(".syntax unified\n"
        ".section .ram_twin, \"ax\", %progbits\n"
        ".balign 4\n"
        ".global in_ram\n"
        ".thumb_func\n"
        ".type in_ram, %function\n"
        "in_ram:\n"
        "    push {r4, lr}\n"
        "    ldr r3, =spin\n"
        "    nop\n"
        "    blx r3\n"
        "    pop {r4, pc}\n"
        "    .ltorg\n"
        "    .size in_ram, . - in_ram\n"
        ".section .twin, \"ax\", %progbits\n"
        ".balign 4\n"
        ".global twin\n"
        ".thumb_func\n"
        ".type twin, %function\n"
        "twin:\n"
        "    push {r4, r5, r6, r7, lr}\n"
        "    sub sp, #4\n"
        "    bl spin\n"
        "    add sp, #4\n"
        "    pop {r4, r5, r6, r7, pc}\n"
        "    .size twin, . - twin\n"
        ".text\n");
#endif

static void (*const volatile ram)(unsigned) = in_ram;
static void (*const volatile flash)(unsigned) = twin;

APART static void into_ram(unsigned turns)
{
    ram(turns);
    sink++;
}

APART static void into_flash(unsigned turns)
{
    flash(turns);
    sink++;
}

uint32_t program(unsigned rounds)
{
    for (unsigned i = 0; i < rounds; i++) {
        into_ram(300);
        if (i % 4 == 0) {
            into_flash(200);
        }
    }
    return sink;
}
