/* SPDX-License-Identifier: MIT */
/* Injects faults into recorded streams: one of each kind at each byte; with a number
 * first, so many random ones in each: fault_capture [TIMES SEED] FILE... Exit status 1 if
 * more of them than 1 in 10^6 had a consequence that must not be: of fewer, none may. A
 * damaged block's hash is right by chance, once a byte was tried that might mend it. */
#include <stdio.h>
#include <stdlib.h>

#include "faults.h"

enum { CAPTURE_MAX = 1 << 16 };

/* How many had. */
static uint64_t inject(const char *path, uint64_t times, uint64_t seed)
{
    static uint8_t bytes[CAPTURE_MAX];
    struct fault_tally tally;
    size_t size;
    FILE *file = fopen(path, "rb");

    if (!file) {
        perror(path);
        exit(2);
    }
    size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    if (size == 0 || size == sizeof bytes) {
        fprintf(stderr, "%s: expected a short capture\n", path);
        exit(2);
    }
    if (times > 0)
        faults_inject_random(path, bytes, size, times, seed, &tally);
    else
        faults_inject(bytes, size, &tally);
    return faults_bad(&tally);
}

int main(int argc, char **argv)
{
    char *end = argv[0];
    uint64_t times = argc > 3 ? strtoull(argv[1], &end, 10) : 0;
    uint64_t bad = 0, injected;

    if (argc < 2) {
        fprintf(stderr, "expected captures\n");
        return 2;
    }
    if (times == 0 || *end != '\0')
        times = 0;
    for (int i = times > 0 ? 3 : 1; i < argc; i++)
        bad += inject(argv[i], times, strtoull(argv[times > 0 ? 2 : 1], NULL, 10));
    injected = times * (uint64_t)(argc - 3);
    return bad > injected / 1000000;
}
