/* SPDX-License-Identifier: MIT */
/* libFuzzer calls these. The program has the name of its target, which fuzz.h knows. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static const char *target;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    const char *path = **argv, *slash = strrchr(path, '/');

    (void)argc;
    target = slash != NULL ? slash + 1 : path;
    if (strcmp(target, "fuzzer") == 0) {
        fputs("fuzzer: call it by the name of a target\n", stderr);
        exit(EXIT_FAILURE);
    }
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    fuzz_one(target, bytes, size);
    return 0;
}
