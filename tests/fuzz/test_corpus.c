/* SPDX-License-Identifier: MIT */
/* Replays the inputs in tests/fuzz/corpus; their folder names the target. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>

#include "fuzz.h"

static void replay_file(const char *target, const char *path)
{
    FILE *file = fopen(path, "rb");
    uint8_t *bytes;
    long size;

    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    size = ftell(file);
    rewind(file);
    assert_true(size >= 0);
    bytes = malloc((size_t)size + 1);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, (size_t)size, file), size);
    fclose(file);
    fuzz_one(target, bytes, (size_t)size);
    free(bytes);
}

static void replay(void **state)
{
    const char *target = *state;
    char pattern[64];
    glob_t found;

    snprintf(pattern, sizeof pattern, "tests/fuzz/corpus/%s/*", target);
    assert_int_equal(glob(pattern, 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++)
        replay_file(target, found.gl_pathv[i]);
    printf("%zu inputs\n", found.gl_pathc);
    globfree(&found);
}

int main(void)
{
#define REPLAY(target)                                                                   \
    {                                                                                    \
        .name = target, .test_func = replay, .initial_state = (void *)(target)           \
    }
    const struct CMUnitTest tests[] = {
        REPLAY("mcuprof"),    REPLAY("pa"),     REPLAY("pa-hex"), REPLAY("pclog"),
        REPLAY("gmon"),       REPLAY("any"),    REPLAY("elf"),    REPLAY("gprof-elf"),
        REPLAY("gprof-gmon"), REPLAY("unwind"),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
