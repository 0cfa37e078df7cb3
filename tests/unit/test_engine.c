/* SPDX-License-Identifier: MIT */
/* The library: bytes are pushed in pieces, and texts come out. Of 200 samples at 100 Hz
 * 150 are in `a`, which is 1.5 s and 75 %. */
#include "../../host/engine/engine.h"
#include "../../host/export/export.h"
#include "letters.h"

static struct engine *engine;
static char refused[ENGINE_TEXT_MAX];
static char *capture;
static const char *arch = "cortex-m";
static size_t capture_bytes;

static int make_capture(void **state)
{
    struct error error;
    FILE *out = open_memstream(&capture, &capture_bytes);

    begin(state);
    profile.accounted = profile.complete = true;
    profile.arch = arch;
    sample(A, 150);
    sample(B, 50);
    call(A, B, 7);
    if (!export_mcuprof(out, &profile, "hello\nworld", 11, &error))
        return -1;
    profile_release(&profile);
    engine = engine_open("t.elf", "line", refused);
    return fclose(out) != 0 || engine == NULL;
}

static int close_engine(void **state)
{
    (void)state;
    engine_close(engine);
    free(capture);
    return 0;
}

static void push_all(size_t piece)
{
    for (size_t at = 0; at < capture_bytes; at += piece) {
        size_t left = capture_bytes - at;

        assert_true(engine_push(engine, (const uint8_t *)capture + at,
                                left < piece ? left : piece, (double)at / 1000));
    }
}

static void has(const char *text, const char *part)
{
    if (text == NULL)
        fail_msg("%s", engine_error(engine));
    else if (strstr(text, part) == NULL)
        fail_msg("no '%s' in:\n%s", part, text);
}

static void texts_have_what_was_pushed(void **state)
{
    size_t size;

    (void)state;
    push_all(3);
    assert_true(engine_finish(engine, 9));
    has(engine_received(engine), "all 7 calls and 200 samples received");
    has(engine_report(engine, &size), "line");
    has(engine_report(engine, NULL), "75 ");
    assert_int_equal(size, strlen(engine_report(engine, NULL)));
    has(engine_export(engine, "folded", NULL), "a 150\n");
    has(engine_export(engine, "json", NULL), "\"b\"");
    has(engine_page(engine, false, false, NULL), "line");
}

static void it_can_be_looked_at_meanwhile(void **state)
{
    (void)state;
    has(engine_export(engine, "json", NULL), "{");
    has(engine_page(engine, false, true, NULL), "line");
    push_all(capture_bytes);
    has(engine_export(engine, "folded", NULL), "a 150\n");
    push_all(capture_bytes); /* another run */
    has(engine_export(engine, "folded", NULL), "a 300\n");
}

static void states_follow_the_line(void **state)
{
    (void)state;
    assert_int_equal(engine_state(engine), ENGINE_SILENT);
    assert_true(engine_push(engine, (const uint8_t *)"text\n", 5, 1));
    assert_int_equal(engine_state(engine), ENGINE_TEXT);
    push_all(capture_bytes);
    assert_int_equal(engine_state(engine), ENGINE_STOPPED);
    engine_finish(engine, 9);
    assert_int_equal(engine_state(engine), ENGINE_OVER);
}

static void lines_are_given_once(void **state)
{
    (void)state;
    push_all(1);
    assert_string_equal(engine_console(engine), "hello\n");
    assert_string_equal(engine_console(engine), "");
    assert_true(engine_push(engine, (const uint8_t *)"!\n", 2, 9));
    assert_string_equal(engine_console(engine), "world!\n");
}

static void failures_are_told_and_pass(void **state)
{
    (void)state;
    assert_null(engine_open("none.elf", "line", refused));
    has(refused, "none.elf");
    assert_null(engine_export(engine, "nonsense", NULL));
    has(engine_error(engine), "no format 'nonsense'; there are gmon");
    assert_null(engine_export(engine, "perfetto", NULL));
    has(engine_error(engine), "needs a timeline");
    push_all(9);
    has(engine_export(engine, "folded", NULL), "a 150\n");
    assert_string_equal(engine_error(engine), "");
}

static int make_other(void **state)
{
    arch = "riscv";
    int failed = make_capture(state);
    arch = "cortex-m";
    return failed;
}

static void other_firmware_is_refused(void **state)
{
    (void)state;
    assert_string_equal(engine_problem(engine), "");
    push_all(9);
    has(engine_problem(engine), "t.elf");
    assert_null(engine_report(engine, NULL));
    has(engine_error(engine), "t.elf");
}

static void without_an_elf_it_counts(void **state)
{
    (void)state;
    engine_close(engine);
    engine = engine_open(NULL, "line", refused);
    push_all(5);
    has(engine_received(engine), "all 7 calls and 200 samples received");
    assert_false(engine_lost(engine));
    assert_string_equal(engine_problem(engine), "");
    assert_null(engine_report(engine, NULL));
    has(engine_error(engine), "ELF is needed");
}

static void a_loss_is_told(void **state)
{
    (void)state;
    capture_bytes /= 2;
    push_all(5);
    assert_true(engine_lost(engine));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(texts_have_what_was_pushed, make_capture,
                                        close_engine),
        cmocka_unit_test_setup_teardown(it_can_be_looked_at_meanwhile, make_capture,
                                        close_engine),
        cmocka_unit_test_setup_teardown(states_follow_the_line, make_capture,
                                        close_engine),
        cmocka_unit_test_setup_teardown(lines_are_given_once, make_capture, close_engine),
        cmocka_unit_test_setup_teardown(failures_are_told_and_pass, make_capture,
                                        close_engine),
        cmocka_unit_test_setup_teardown(without_an_elf_it_counts, make_capture,
                                        close_engine),
        cmocka_unit_test_setup_teardown(a_loss_is_told, make_capture, close_engine),
        cmocka_unit_test_setup_teardown(other_firmware_is_refused, make_other,
                                        close_engine),
    };
    return cmocka_run_group_tests(tests, build_image, remove_image);
}
