/* SPDX-License-Identifier: MIT */
/* libFuzzer calls this. FUZZ_TARGET is a target of fuzz.h. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    fuzz_one(FUZZ_TARGET, bytes, size);
    return 0;
}
