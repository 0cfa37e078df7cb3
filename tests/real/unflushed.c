/* SPDX-License-Identifier: MIT */
/* Preloaded into QEMU, this keeps it from flushing its log after each line: 12 million
 * instructions a second instead of 3. The rest is flushed at exit. */
#include <stdio.h>

int fflush(FILE *file)
{
    (void)file;
    return 0;
}

int setvbuf(FILE *file, char *buffer, int mode, size_t size)
{
    (void)file, (void)buffer, (void)mode, (void)size;
    return 0;
}
