/* SPDX-License-Identifier: MIT */
/*
 * Replays calls and samples through the firmware's own encoder, compiled for the PC with
 * the knobs under test. Reads lines "a FROM TO" and "s PC", with addresses in hex.
 * Writes what the firmware would have sent, from mcuprof_start() to mcuprof_end(), over
 * a link that keeps up.
 */
#include <stdint.h>
#include <stdio.h>

#include "mcuprof.h"
#include "pc.h"

static void replay(FILE *events)
{
    char line[64];

    while (fgets(line, sizeof line, events)) {
        unsigned from, to;

        if (sscanf(line, "a %x %x", &from, &to) == 2) {
            pc_call(from, to);
        } else if (sscanf(line, "s %x", &to) == 1) {
            pc_sample(to);
        }
        pc_link_drain();
    }
}

int main(void)
{
    bool written;

    mcuprof_start();
    replay(stdin);
    mcuprof_end();
    written = fwrite(pc_link.bytes, 1, pc_link.used, stdout) == pc_link.used &&
              fflush(stdout) == 0;
    pc_link_release();
    return written ? 0 : 1;
}
