/* SPDX-License-Identifier: MIT */
/* Reads the emulator's log: see follow.c. */
#include "follow.h"

#include <string.h>

static void block(const char *line)
{
    const char *at = strchr(line + 8, '[');
    uint32_t pc;

    if (!at || strlen(at) < 20) {
        return;
    }
    pc = hex8(at + 10);
    arrived(pc, machine.sparc && hex8(at + 1) != pc + 4);
}

/* `own`: the instruction itself has trapped, so the block that has it ran up to there,
 * and no further. */
static void trap_at(const char *line, const char *key, bool own)
{
    const char *at = strstr(line, key);

    if (at) {
        uint32_t pc = hex(at + strlen(key));
        const char *next = machine.sparc ? strstr(line, "npc: ") : NULL;
        bool delayed = next && hex(next + 5) != pc + 4;

        if (own && !delayed) {
            stopped();
        }
        arrived(pc, delayed);
        stopped();
        interrupted();
    }
}

static void event(const char *line)
{
    static bool window; /* the trap that the next line is about is of a window */

    if (machine.arm_m) {
        if (starts(line, "...taking pending")) {
            interrupted();
        } else if (starts(line, "Exception return")) {
            resumed();
        }
    } else if (machine.arm) {
        if (starts(line, "Taking exception") && !strstr(line, "Semihosting")) {
            interrupted();
        } else if (starts(line, "Exception return")) {
            resumed();
        }
    } else if (machine.riscv && starts(line, "riscv_cpu_do_interrupt")) {
        trap_at(line, "epc:0x", false);
    } else if (machine.sparc && strstr(line, " (v=")) {
        window = strstr(line, ": Window ") != NULL;
    } else if (machine.sparc && starts(line, "pc: ")) {
        trap_at(line, "pc: ", window);
    } else if (machine.avr && starts(line, "Interrupt")) {
        trap_at(line, "at: ", false);
    }
}

/* Takes the stack pointer from a line of registers, of which an Arm's are "R12=" and so
 * on, a RISC-V's " x0/zero". */
static bool takes_sp(const char *line)
{
    const char *at = line[0] == 'R' && starts(line, "R12=") ? strstr(line, "R13=") + 4
                     : line[0] == ' ' && starts(line, " x0/zero")
                         ? strstr(line, "x2/sp") + 5
                         : NULL;

    if (at) {
        set_sp(hex(at));
    }
    return at != NULL;
}

void follow_log(FILE *log, bool with_sp)
{
    static char line[4096], waiting[4096];

    while (fgets(line, sizeof line, log)) {
        if (is_over()) {
            continue;
        }
        if (line[0] == 'T' && line[1] == 'r') {
            if (with_sp) {
                strcpy(waiting, line);
            } else {
                block(line);
            }
        } else if (with_sp && takes_sp(line)) {
            block(waiting);
        } else if (starts(line, "cpu_io_recompile") ||
                   starts(line, "Stopped execution")) {
            stopped();
        } else {
            event(line);
        }
    }
}
