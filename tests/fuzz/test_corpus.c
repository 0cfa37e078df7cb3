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
#include <string.h>

#include "fuzz.h"

enum { TARGETS_MAX = 64 };

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
    struct CMUnitTest tests[TARGETS_MAX] = {{0}};
    glob_t found;
    int failed;

    if (glob("tests/fuzz/corpus/*", 0, NULL, &found) != 0 || found.gl_pathc > TARGETS_MAX)
        return EXIT_FAILURE;
    for (size_t i = 0; i < found.gl_pathc; i++) {
        tests[i].name = strrchr(found.gl_pathv[i], '/') + 1;
        tests[i].test_func = replay;
        tests[i].initial_state = (void *)(uintptr_t)tests[i].name;
    }
    failed = _cmocka_run_group_tests("corpus", tests, found.gl_pathc, NULL, NULL);
    globfree(&found);
    return failed;
}
