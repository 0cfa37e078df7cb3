/* SPDX-License-Identifier: MIT */
/* Injects faults into recorded streams: one of each kind at each byte or, with TIMES, so
 * many random ones in each stream: fault_capture [TIMES SEED] FILE... The exit status is
 * 1 if a fault had a consequence that it must not have. */
#include <stdio.h>
#include <stdlib.h>

#include "faults.h"

enum { CAPTURE_MAX = 1 << 16 };

static struct fault_tally all;

static bool inject(const char *path, uint64_t times, uint64_t seed)
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
    faults_add(&all, &tally);
    return faults_bad(&tally) == 0;
}

int main(int argc, char **argv)
{
    char *end = argv[0];
    uint64_t times = argc > 3 ? strtoull(argv[1], &end, 10) : 0;
    bool good = true;

    if (argc < 2) {
        fprintf(stderr, "expected captures\n");
        return 2;
    }
    if (times == 0 || *end != '\0')
        times = 0;
    for (int i = times > 0 ? 3 : 1; i < argc; i++)
        good =
            inject(argv[i], times, strtoull(argv[times > 0 ? 2 : 1], NULL, 10)) && good;
    faults_print("in all", &all);
    return !good;
}
