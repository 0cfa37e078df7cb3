/* SPDX-License-Identifier: MIT */
/*
 * What is known of architectures: instructions as GNU's assemblers write them and objdump
 * reads them, ports, names.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "../../host/arch/arch.h"
#include "mcuprof_wire.h"

enum { AT = 0x8000 };

/* An instruction at AT: its units, each of `size` bytes, in the order of memory. */
struct example {
    const char *text;
    uint32_t units[4];
    enum arch_kind kind;
    unsigned bytes, delay;
    int32_t distance; /* of the target from AT */
    bool annuls;
};

/* The examples that may enter any function. */
static const char *const by_pointer[] = {
    "blx r3",
    "bx r3",
    "mov pc, r3",
    "ldr pc, [r3]",
    "ldr pc, [r1, r2, lsl #2]",
    "blxns r3",
    "ldr.w pc, [r1, #4]",
    "jalr a0",
    "jr a0",
    "c.jalr a0",
    "c.jr a0",
    "jmpl %l0, %o7",
    "jmp %l0",
    "ijmp",
    "icall",
};

/* The examples that are conditional, and no jumps. */
static const char *const conditional[] = {
    "blne",
    "bxeq lr",
    "ldrls pc, [pc, r3, lsl #2]",
    "addls pc, pc, r3, lsl #2",
    "movhi r5, r3",
    "csel r0, r1, r2, eq",
};

static bool is_among(const char *const *texts, size_t count, const char *text)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(text, texts[i]) == 0)
            return true;
    return false;
}

#define IS_AMONG(texts, text) is_among(texts, sizeof(texts) / sizeof *(texts), text)

/* How many instructions behind it "itte hi" makes conditional. */
static unsigned conditional_next(const char *text)
{
    return text[0] == 'i' && text[1] == 't' ? (unsigned)strcspn(text, " ") - 1 : 0;
}

static void check_all(const struct arch_code *code, const struct example *examples,
                      unsigned size, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct example *example = &examples[i];
        struct arch_instruction found;
        uint8_t bytes[16];
        bool has_target = example->kind != ARCH_GOES_ON && example->kind != ARCH_LEAVE;
        uint64_t target = (uint32_t)(AT + example->distance);
        for (unsigned k = 0; k < 4 * size; k++) {
            unsigned shift = 8 * (code->big_endian ? size - 1 - k % size : k % size);
            bytes[k] = (uint8_t)(example->units[k / size] >> shift);
        }
        arch_decode(code, AT, bytes, 4 * size, &found);
        if (found.kind != example->kind || found.bytes != example->bytes ||
            found.delay != example->delay || found.annuls != example->annuls ||
            found.by_pointer != IS_AMONG(by_pointer, example->text) ||
            found.conditional != IS_AMONG(conditional, example->text) ||
            found.conditional_next != conditional_next(example->text) ||
            (has_target && found.target != target))
            fail_msg("%s: kind %d, %u + %u bytes, to %llx, by pointer %d", example->text,
                     found.kind, found.bytes, found.delay,
                     (unsigned long long)found.target, found.by_pointer);
        for (size_t left = 0; left < 4 * size; left++) /* the section may end */
            arch_decode(code, AT, bytes + 4 * size - left, left, &found);
    }
}

#define CHECK(code, examples, size)                                                      \
    check_all(code, examples, size, sizeof(examples) / sizeof *(examples))

static void a32(void **state)
{
    static const struct example examples[] = {
        {"b", {0xeafffffe}, ARCH_JUMP, 4, 0, 0, false},
        {"bl", {0xebfffffd}, ARCH_CALL, 4, 0, -4, false},
        {"bne", {0x1afffffc}, ARCH_JUMP, 4, 0, -8, false},
        {"blne", {0x1bfffffb}, ARCH_CALL, 4, 0, -12, false},
        {"blx, to T32", {0xfb000011}, ARCH_CALL, 4, 0, 0x4e, false},
        {"bx lr", {0xe12fff1e}, ARCH_LEAVE, 4, 0, 0, false},
        {"bxeq lr", {0x012fff1e}, ARCH_LEAVE, 4, 0, 0, false},
        {"blx r3", {0xe12fff33}, ARCH_GOES_ON, 4, 0, 0, false},
        {"mov pc, lr", {0xe1a0f00e}, ARCH_LEAVE, 4, 0, 0, false},
        {"bx r3", {0xe12fff13}, ARCH_LEAVE, 4, 0, 0, false},
        {"mov pc, r3", {0xe1a0f003}, ARCH_LEAVE, 4, 0, 0, false},
        {"subs pc, lr, #4", {0xe25ef004}, ARCH_LEAVE, 4, 0, 0, false},
        {"ldr pc, [r3]", {0xe593f000}, ARCH_LEAVE, 4, 0, 0, false},
        {"ldrls pc, [pc, r3, lsl #2]", {0x979ff103}, ARCH_LEAVE, 4, 0, 0, false},
        {"movs pc, lr", {0xe1b0f00e}, ARCH_LEAVE, 4, 0, 0, false},
        {"ldr pc, [sp], #4", {0xe49df004}, ARCH_LEAVE, 4, 0, 0, false},
        {"ldr pc, [r1, r2, lsl #2]", {0xe791f102}, ARCH_LEAVE, 4, 0, 0, false},
        {"addls pc, pc, r3, lsl #2", {0x908ff103}, ARCH_LEAVE, 4, 0, 0, false},
        {"add pc, pc, #8", {0xe28ff008}, ARCH_LEAVE, 4, 0, 0, false},
        {"pop {r4, pc}", {0xe8bd8010}, ARCH_LEAVE, 4, 0, 0, false},
        {"pop {r4, lr}", {0xe8bd4010}, ARCH_GOES_ON, 4, 0, 0, false},
        {"cmp pc, #1", {0xe35f0001}, ARCH_GOES_ON, 4, 0, 0, false},
        {"cmpp r1, #1", {0xe351f001}, ARCH_GOES_ON, 4, 0, 0, false},
        {"teq pc, r1", {0xe13f0001}, ARCH_GOES_ON, 4, 0, 0, false},
        {"msr cpsr_f, r0", {0xe128f000}, ARCH_GOES_ON, 4, 0, 0, false},
        {"ldrb r1, [r2]", {0xe5d21000}, ARCH_GOES_ON, 4, 0, 0, false},
        {"pld [r1]", {0xf5d1f000}, ARCH_GOES_ON, 4, 0, 0, false},
        {"smull r1, pc, r2, r1", {0xe0cf1192}, ARCH_GOES_ON, 4, 0, 0, false},
        {"mov r0, pc", {0xe1a0000f}, ARCH_GOES_ON, 4, 0, 0, false},
        {"str pc, [r1]", {0xe581f000}, ARCH_GOES_ON, 4, 0, 0, false},
        {"movhi r5, r3", {0x81a05003}, ARCH_GOES_ON, 4, 0, 0, false},
    };
    struct arch_code code = {.arch = &arch_arm};
    (void)state;
    CHECK(&code, examples, 4);
    code.big_endian = true;
    CHECK(&code, examples, 4);
}

static void t32(void **state)
{
    static const struct example examples[] = {
        {"b", {0xe7fe}, ARCH_JUMP, 2, 0, 0, false},
        {"beq", {0xd0fd}, ARCH_JUMP, 2, 0, -2, false},
        {"b.w", {0xf7ff, 0xbffc}, ARCH_JUMP, 4, 0, -4, false},
        {"beq.w", {0xf43f, 0xaffa}, ARCH_JUMP, 4, 0, -8, false},
        {"bl", {0xf7ff, 0xfff8}, ARCH_CALL, 4, 0, -12, false},
        {"blx, to A32", {0xf001, 0xebce}, ARCH_CALL, 4, 0, 0x17a0, false},
        {"cbz r1", {0xb101}, ARCH_BRANCH, 2, 0, 4, false},
        {"cbnz r7", {0xb90f}, ARCH_BRANCH, 2, 0, 6, false},
        {"bx lr", {0x4770}, ARCH_LEAVE, 2, 0, 0, false},
        {"blx r3", {0x4798}, ARCH_GOES_ON, 2, 0, 0, false},
        {"mov pc, r3", {0x469f}, ARCH_LEAVE, 2, 0, 0, false},
        {"mov pc, lr", {0x46f7}, ARCH_LEAVE, 2, 0, 0, false},
        {"bx r3", {0x4718}, ARCH_LEAVE, 2, 0, 0, false},
        {"blxns r3", {0x479c}, ARCH_GOES_ON, 2, 0, 0, false},
        {"mov r7, r3", {0x461f}, ARCH_GOES_ON, 2, 0, 0, false},
        {"add pc, r3", {0x449f}, ARCH_LEAVE, 2, 0, 0, false},
        {"cmp pc, r3", {0x459f}, ARCH_GOES_ON, 2, 0, 0, false},
        {"pop {r4, pc}", {0xbd10}, ARCH_LEAVE, 2, 0, 0, false},
        {"pop {r4}", {0xbc10}, ARCH_GOES_ON, 2, 0, 0, false},
        {"pop.w {r4, r8, pc}", {0xe8bd, 0x8110}, ARCH_LEAVE, 4, 0, 0, false},
        {"ldmdb r1, {r2, pc}", {0xe911, 0x8004}, ARCH_LEAVE, 4, 0, 0, false},
        {"stmdb sp!, {r4, lr}", {0xe92d, 0x4010}, ARCH_GOES_ON, 4, 0, 0, false},
        {"ldr.w pc, [sp], #4", {0xf85d, 0xfb04}, ARCH_LEAVE, 4, 0, 0, false},
        {"ldr.w pc, [r1, #4]", {0xf8d1, 0xf004}, ARCH_LEAVE, 4, 0, 0, false},
        {"ldr.w r1, [r1, #4]", {0xf8d1, 0x1004}, ARCH_GOES_ON, 4, 0, 0, false},
        {"pld [r1, #4]", {0xf891, 0xf004}, ARCH_GOES_ON, 4, 0, 0, false},
        {"tbb [pc, r0]", {0xe8df, 0xf000}, ARCH_LEAVE, 4, 0, 0, false},
        {"tbh [pc, r0, lsl #1]", {0xe8df, 0xf010}, ARCH_LEAVE, 4, 0, 0, false},
        {"mrs r0, msp", {0xf3ef, 0x8008}, ARCH_GOES_ON, 4, 0, 0, false},
        {"wls lr, r1", {0xf041, 0xc803}, ARCH_BRANCH, 4, 0, 10, false},
        {"le lr", {0xf00f, 0xc027}, ARCH_BRANCH, 4, 0, -72, false},
        {"dls lr, r2", {0xf042, 0xe001}, ARCH_GOES_ON, 4, 0, 0, false},
        {"udf #1", {0xde01}, ARCH_GOES_ON, 2, 0, 0, false},
        {"svc 1", {0xdf01}, ARCH_GOES_ON, 2, 0, 0, false},
        {"it hi", {0xbf88}, ARCH_GOES_ON, 2, 0, 0, false},
        {"itt hi", {0xbf84}, ARCH_GOES_ON, 2, 0, 0, false},
        {"ite hi", {0xbf8c}, ARCH_GOES_ON, 2, 0, 0, false},
        {"itttt hi", {0xbf81}, ARCH_GOES_ON, 2, 0, 0, false},
        {"yield", {0xbf10}, ARCH_GOES_ON, 2, 0, 0, false},
        {"csel r0, r1, r2, eq", {0xea51, 0x8002}, ARCH_GOES_ON, 4, 0, 0, false},
        {"orrs.w r0, r1, r2", {0xea51, 0x0002}, ARCH_GOES_ON, 4, 0, 0, false},
    };
    struct arch_mark mark = {.address = 0, .state = ARCH_CODE};
    struct arch_code code = {.arch = &arch_arm, .marks = &mark, .mark_count = 1};
    (void)state;
    CHECK(&code, examples, 2);
    code.big_endian = true;
    CHECK(&code, examples, 2);
}

/* A mark is valid up to the next one; before the first one, an ARM's code is A32. */
static void states(void **state)
{
    static const uint8_t bytes[] = {0x70, 0x47, 0x70, 0x47}; /* bx lr; as A32, ldrb */
    struct arch_mark marks[] = {
        {0x100, false, ARCH_CODE}, {0x110, true, ARCH_DATA}, {0x120, true, ARCH_WIDE}};
    const struct arch_code code = {.arch = &arch_arm, .marks = marks, .mark_count = 3};
    static const struct {
        uint64_t at;
        unsigned bytes;
        enum arch_kind kind;
    } expected[] = {{0xfe, 4, ARCH_GOES_ON},  {0x100, 2, ARCH_LEAVE},
                    {0x10e, 2, ARCH_LEAVE},   {0x110, 2, ARCH_GOES_ON},
                    {0x11e, 2, ARCH_GOES_ON}, {0x120, 4, ARCH_GOES_ON}};
    (void)state;
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        struct arch_instruction found;
        arch_decode(&code, expected[i].at, bytes, sizeof bytes, &found);
        assert_int_equal(found.bytes, expected[i].bytes);
        assert_int_equal(found.kind, expected[i].kind);
    }
}

static void riscv(void **state)
{
    static const struct example words[] = {
        {"j", {0x0000006f}, ARCH_JUMP, 4, 0, 0, false},
        {"jal", {0xffdff0ef}, ARCH_CALL, 4, 0, -4, false},
        {"jal t0", {0xff9ff2ef}, ARCH_CALL, 4, 0, -8, false},
        {"beq a0, a1", {0xfeb50ae3}, ARCH_BRANCH, 4, 0, -12, false},
        {"jr ra", {0x00008067}, ARCH_LEAVE, 4, 0, 0, false},
        {"jalr a0", {0x000500e7}, ARCH_GOES_ON, 4, 0, 0, false},
        {"jr t0", {0x00028067}, ARCH_LEAVE, 4, 0, 0, false},
        {"jr a0", {0x00050067}, ARCH_LEAVE, 4, 0, 0, false},
        {"call far", {0x00001097, 0x008080e7}, ARCH_CALL, 4, 4, 0x1008, false},
        {"tail far", {0x00001317, 0xffc30067}, ARCH_JUMP, 4, 4, 0xffc, false},
        {"la t1", {0x00001317, 0x00430313}, ARCH_GOES_ON, 4, 0, 0, false},
        {"auipc t1; jr t0", {0x00001317, 0x00028067}, ARCH_GOES_ON, 4, 0, 0, false},
    };
    static const struct example halves[] = {
        {"c.j", {0xb7f1}, ARCH_JUMP, 2, 0, -0x34, false},
        {"c.jal", {0x37e9}, ARCH_CALL, 2, 0, -0x36, false},
        {"c.beqz a0", {0xd561}, ARCH_BRANCH, 2, 0, -0x38, false},
        {"c.bnez a0", {0xf179}, ARCH_BRANCH, 2, 0, -0x3a, false},
        {"c.jr ra", {0x8082}, ARCH_LEAVE, 2, 0, 0, false},
        {"c.jalr a0", {0x9502}, ARCH_GOES_ON, 2, 0, 0, false},
        {"c.jr a0", {0x8502}, ARCH_LEAVE, 2, 0, 0, false},
        {"c.jr t0", {0x8282}, ARCH_LEAVE, 2, 0, 0, false},
        {"c.ebreak", {0x9002}, ARCH_GOES_ON, 2, 0, 0, false},
        {"c.mv a0, a1", {0x852e}, ARCH_GOES_ON, 2, 0, 0, false},
    };
    const struct arch_code code = {.arch = &arch_riscv};
    (void)state;
    CHECK(&code, words, 4);
    CHECK(&code, halves, 2);
}

static void sparc(void **state)
{
    static const struct example examples[] = {
        {"ba", {0x10800000}, ARCH_JUMP, 4, 4, 0, false},
        {"ba,a", {0x30bfffff}, ARCH_BRANCH, 4, 0, -4, false},
        {"be", {0x02bffffe}, ARCH_BRANCH, 4, 4, -8, false},
        {"be,a", {0x22bffffd}, ARCH_BRANCH, 4, 4, -12, true},
        {"fba", {0x11bffffb}, ARCH_BRANCH, 4, 4, -20, false},
        {"fbe,a", {0x33bffffa}, ARCH_BRANCH, 4, 4, -24, true},
        {"call", {0x7ffffff9}, ARCH_CALL, 4, 4, -28, false},
        {"retl", {0x81c3e008}, ARCH_LEAVE, 4, 4, 0, false},
        {"jmpl %l0, %o7", {0x9fc40000}, ARCH_GOES_ON, 4, 0, 0, false},
        {"ret", {0x81c7e008}, ARCH_LEAVE, 4, 4, 0, false},
        {"jmp %l0", {0x81c40000}, ARCH_LEAVE, 4, 4, 0, false},
        {"ba,pt %icc", {0x104ffff6}, ARCH_JUMP, 4, 4, -40, false},
        {"bne,a,pt %icc", {0x324ffff5}, ARCH_BRANCH, 4, 4, -44, true},
        {"brz %o0", {0x02fa3ff4}, ARCH_BRANCH, 4, 4, -48, false},
        {"sethi", {0x03000005}, ARCH_GOES_ON, 4, 0, 0, false},
        {"ld [%g1], %g2", {0xc4004000}, ARCH_GOES_ON, 4, 0, 0, false},
    };
    const struct arch_code code = {.arch = &arch_sparc, .big_endian = true};
    (void)state;
    CHECK(&code, examples, 4);
}

static void avr(void **state)
{
    static const struct example examples[] = {
        {"rjmp", {0xcffe}, ARCH_JUMP, 2, 0, -2, false},
        {"rcall", {0xd000}, ARCH_CALL, 2, 0, 2, false},
        {"jmp", {0x940c, 0x091a}, ARCH_JUMP, 4, 0, 0x1234 - AT, false},
        {"call", {0x940e, 0x0fff}, ARCH_CALL, 4, 0, 0x1ffe - AT, false},
        {"call, far", {0x940f, 0x0fff}, ARCH_CALL, 4, 0, 0x21ffe - AT, false},
        {"breq", {0xf001}, ARCH_BRANCH, 2, 0, 2, false},
        {"brne", {0xf7f1}, ARCH_BRANCH, 2, 0, -2, false},
        {"lds", {0x9010, 0x0100}, ARCH_GOES_ON, 4, 0, 0, false},
        {"sts", {0x9210, 0x0100}, ARCH_GOES_ON, 4, 0, 0, false},
        {"ldi", {0xe001}, ARCH_GOES_ON, 2, 0, 0, false},
        {"ret", {0x9508}, ARCH_LEAVE, 2, 0, 0, false},
        {"reti", {0x9518}, ARCH_LEAVE, 2, 0, 0, false},
        {"ijmp", {0x9409}, ARCH_LEAVE, 2, 0, 0, false},
        {"icall", {0x9509}, ARCH_GOES_ON, 2, 0, 0, false},
    };
    const struct arch_code code = {.arch = &arch_avr};
    (void)state;
    CHECK(&code, examples, 2);
}

/* Architectures without a port: gprof asks no more of their code than this. */
static void others(void **state)
{
    static const struct example aarch64[] = {
        {"b", {0x17ffffff}, ARCH_JUMP, 4, 0, -4, false},
        {"bl", {0x94000001}, ARCH_CALL, 4, 0, 4, false},
        {"ret", {0xd65f03c0}, ARCH_GOES_ON, 4, 0, 0, false},
    };
    static const struct example mips[] = {
        {"jal", {0x0c002001}, ARCH_CALL, 4, 4, 4, false},
        {"jr ra", {0x03e00008}, ARCH_GOES_ON, 4, 0, 0, false},
    };
    struct arch_code code = {.arch = &arch_aarch64};
    (void)state;
    CHECK(&code, aarch64, 4);
    code = (struct arch_code){.arch = &arch_mips, .big_endian = true};
    CHECK(&code, mips, 4);
}

static void machines(void **state)
{
    (void)state;
    assert_ptr_equal(arch_of(EM_ARM), &arch_arm);
    assert_ptr_equal(arch_of(EM_SPARCV9), &arch_sparc);
    assert_ptr_equal(arch_of(EM_X86_64), &arch_x86);
    assert_string_equal(arch_machine_name(EM_SPARCV9), "SPARC V9");
    assert_string_equal(arch_machine_name(EM_TRICORE), "TriCore");
    assert_string_equal(arch_machine_name(0xfffe), "unknown machine");
    assert_int_equal(arch_of(0xfffe)->unit, 1);
}

/* Each port's number and name lead back to it. */
static void ports(void **state)
{
    const struct arch_port *port;
    size_t count = 0;
    (void)state;
    for (; (port = arch_port_at(count)) != NULL; count++) {
        assert_ptr_equal(arch_port_named(port->name), port);
        assert_ptr_equal(arch_port_on_wire(port->wire), port);
    }
    assert_in_range(count, 6, 16);
    assert_null(arch_port_named(""));
    assert_null(arch_port_on_wire(99));
    assert_true(arch_port_serves(arch_port_named("cortex-m"), EM_ARM));
    assert_true(arch_port_serves(arch_port_named("arm"), EM_ARM));
    assert_false(arch_port_serves(arch_port_named("arm"), EM_AVR));
    assert_true(arch_port_serves(arch_port_named("sparc"), EM_SPARC));
    assert_false(arch_port_serves(arch_port_named("sparc"), EM_SPARCV9));
    assert_true(arch_port_serves(arch_port_named("pc"), EM_AARCH64));
}

static void interrupts(void **state)
{
    const struct arch_port *port = arch_port_on_wire(MCUPROF_WIRE_ARCH_CORTEX_M);
    char name[16] = "";
    (void)state;
    port->interrupt(1, name, sizeof name);
    assert_string_equal(name, "");
    port->interrupt(15, name, sizeof name);
    assert_string_equal(name, "SysTick");
    port->interrupt(16, name, sizeof name);
    assert_string_equal(name, "IRQ 0");
    assert_true(arch_exception_return(0xfffffff9) && arch_exception_return(0xffffffb8));
    assert_false(arch_exception_return(0xfffffeff) ||
                 arch_exception_return(0xfffffffffffffff9));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a32),    cmocka_unit_test(t32),
        cmocka_unit_test(states), cmocka_unit_test(riscv),
        cmocka_unit_test(sparc),  cmocka_unit_test(avr),
        cmocka_unit_test(others), cmocka_unit_test(machines),
        cmocka_unit_test(ports),  cmocka_unit_test(interrupts),
    };
    return cmocka_run_group_tests_name("arch", tests, NULL, NULL);
}
