/* SPDX-License-Identifier: MIT */
/* Injects faults into a recorded stream: fault_capture FILE. Exit status 1 if one of them
 * was silent. */
#include <stdio.h>
#include <stdlib.h>

#include "faults.h"

enum { CAPTURE_MAX = 1 << 16 };

int main(int argc, char **argv)
{
    static uint8_t bytes[CAPTURE_MAX];
    struct fault_tally tally;
    size_t size;
    FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;

    if (!file) {
        fprintf(stderr, "expected a capture\n");
        return 2;
    }
    size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    if (size == 0 || size == sizeof bytes) {
        fprintf(stderr, "%s: expected a short capture\n", argv[1]);
        return 2;
    }
    faults_inject(bytes, size, &tally);
    return tally.silent != 0;
}
