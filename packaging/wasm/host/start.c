/* SPDX-License-Identifier: MIT */
/* Before main(): musl's buffer of 1 KiB would make each KiB a call into JavaScript. */
#include <stdio.h>

__attribute__((constructor)) static void widen_output(void)
{
    static char buffer[1 << 16];

    setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
}
