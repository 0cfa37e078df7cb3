# SPDX-License-Identifier: MIT
"""`mcuprof lint`: firmware of a Cortex-M that is built wrong in one way has the finding for it, and
firmware that is built well has no finding."""
import os
import re
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from lint_firmware import (APP, FIXED, INCLUDES, LEAVES, LINK, MANY, PROFILED,  # noqa: E402
                           PROGRAM, TIMED, Board, lint, lint_on_terminal, run)


class CortexM(Board):
    arch = "cortex-m"
    machine = ["-mcpu=cortex-m0", "-mthumb"]
    includes = ["-Iboards/microbit", "-Iboards/cortex-m", "-Itarget/arch/cortex-m"]
    board = ["boards/microbit/board.c", "boards/cortex-m/startup.c", "target/link/nrf_uart.c"]
    profiled = [*PROFILED, *FIXED]
    link = ["-nostartfiles", "--specs=nano.specs", "--specs=nosys.specs", "-Wl,--gc-sections",
            "-Lboards/cortex-m", "-Tboards/microbit/memory.ld"]
    START, BOARD, UART = board[1], board[0], board[2]

    def test_good(self):
        self.build()
        self.assertEqual(self.bad(), {})
        self.assertEqual(self.summary["count_calls"], 3)
        self.assertEqual(self.summary["followed"], self.summary["all"])

    def test_good_timed(self):
        self.build(flags=TIMED, knobs=["-DMCUPROF_CALLS=1"])
        self.assertEqual(self.bad(), {})
        self.assertEqual((self.summary["count_calls"], self.summary["time_calls"]), (0, 3))

    def test_good_blocks(self):
        self.build(flags=[*self.profiled, "-fsanitize-coverage=trace-pc"],
                   knobs=["-DMCUPROF_BLOCKS=1"])
        self.assertEqual(self.bad(), {})
        self.assertEqual((self.summary["count_calls"], self.summary["count_blocks"]), (3, 3))

    def test_good_with_lto_of_the_rest(self):
        self.build(again={self.BOARD: ["-flto"]}, more=["-flto"])
        self.assertEqual(self.bad(), {})

    def test_text(self):
        self.build(again={self.START: self.profiled}, script=LINK[1:])
        done = lint(self.elf)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr, f"mcuprof lint: {self.elf}: 1 error\n")
        first, second, *_, last = done.stdout.split("\n\n")
        with open(self.START, encoding="utf-8") as file:
            line = file.read().partition("void reset_handler(void)\n{")[0].count("\n") + 2
        self.assertEqual(first, f"""\
error: Start-up code is instrumented. [start-instrumented]
  reset_handler  boards/cortex-m/startup.c:{line}
  It calls the hook before RAM is set up: the hook may jump anywhere.
  To do: Compile its file without mcuprof's flags.""")
        self.assertEqual(second, """\
warning: There is no build ID. [no-build-id]
  mcuprof cannot tell this ELF from another one.
  To do: Link with -Wl,--build-id. (avr-ld 2.26 makes none for chips with more
  than 128 KiB.)""")
        self.assertRegex(last, r"^\d+ functions: \d+ count calls, 0 time calls, 0 count blocks\n"
                         r"Samples bring whole call paths from \d+ of \d+ functions\.\n"
                         r"1 error, 1 warning, 1 note\n$")
        self.assertLessEqual(max(map(len, done.stdout.splitlines())), 80)

    def test_long_names_and_lists(self):
        names = [f"a_function_with_a_long_name_that_does_not_fit_number_{i}" for i in range(7)]
        self.build(APP + "".join(f"MCUPROF_NOT_PROFILED void {name}(void);\n"
                                 f"void {name}(void) {{ seen = {i}; }}\n"
                                 for i, name in enumerate(names)),
                   more=[f"-Wl,-u,{name}" for name in names])
        text, full = lint_on_terminal(self.elf, 80), lint_on_terminal(self.elf, 80, "-v")
        self.assertIn("... and 2 more, which -v names", text)
        self.assertNotIn("more, which", full)
        self.assertEqual(full, lint_on_terminal(self.elf, 80, "--all"))
        self.assertEqual((text.count("a_function_with"), full.count("a_function_with")), (5, 7))
        self.assertEqual(self.places("left-out"), names)
        self.assertNotIn(names[0], text)
        for columns, said in ((80, text + full), (60, lint_on_terminal(self.elf, 60, "-v"))):
            self.assertLessEqual(max(map(len, said.splitlines())), columns)
        for whole in (lint(self.elf).stdout, lint_on_terminal(self.elf, 80, "--wide")):
            self.assertIn(f"  {names[0]}  {self.folder}/app.c:", whole)
        colours = lint_on_terminal(self.elf, 80, "--color", "always")
        self.assertEqual(re.sub("\033\\[[0-9;]*m", "", colours), text)
        self.assertNotEqual(colours, text)
        self.assertEqual(lint(self.elf, "--color", "often").returncode, 2)

    def test_not_an_elf(self):
        done = lint("Makefile")
        self.assertEqual((done.returncode, done.stdout), (3, ""))
        self.assertEqual(done.stderr, "mcuprof lint: Makefile: not an ELF file\n")

    def test_every_rule_is_in_the_manual_in_its_order(self):
        with open("host/lint/rules.c", encoding="utf-8") as file:
            rules = re.findall(r'^    \{"([a-z-]+)", LINT', file.read(), re.M)
        with open("man/mcuprof-lint.1", encoding="utf-8") as file:
            items = re.findall(r"^\.It Cm ([a-z-]+)$", file.read(), re.M)
        self.assertGreater(len(rules), 35)
        self.assertEqual(items, rules)

    # ---- The library ----

    def test_no_library(self):
        source = self.write("app.c", "int start(void) { return 0; }")
        run("arm-none-eabi-gcc", *self.machine, "-nostdlib", "-Wl,-estart", "-o", self.elf, source)
        self.assertEqual(self.bad(), {"no-library": []})

    def test_several_libraries(self):
        part = os.path.join(self.folder, "copy.o")
        core = [path for source, path in self.library(()).items() if "target/" in source]
        run("arm-none-eabi-ld", "-r", "-o", part, *core)
        run("arm-none-eabi-objcopy", "--keep-global-symbol=other", part)
        self.build(more=[part, "-Wl,--no-gc-sections"])
        self.assertIn("several-libraries", self.bad())

    def test_never_started(self):
        self.build(APP.replace("mcuprof_start();", ""))
        self.assertEqual(self.bad(), {"never-started": []})

    def test_never_flushed(self):
        self.build(APP.replace("mcuprof_end();", ""))
        self.assertEqual(self.bad(), {})
        self.assertIn("never-flushed", self.findings())

    # ---- Build ID and memory ----

    def test_object_of_other_knobs(self):
        for source in ("target/core/mcuprof_control.c", "target/core/mcuprof.c"):
            self.build(again={source: ["-DMCUPROF_RING_BYTES=1024"]})
            said = lint(self.elf).stdout
            self.assertIn("error: An object was compiled with other knobs than the rest. "
                          "[other-knobs]", said)
            self.assertIn("MCUPROF_RING_BYTES", said)
            self.assertIn("mcuprof.c has ", said)

    def test_no_build_id(self):
        self.build(script=LINK[1:])
        self.assertEqual(self.bad(), {"no-build-id": []})

    def test_build_id_of_a_script_of_ones_own(self):
        with open("target/mcuprof.ld", encoding="utf-8") as file:
            text = file.read()
        for line, rule in (("", "build-id-not-sent"),
                           ("__mcuprof_build_id = . + 12;", "wrong-build-id"),
                           ("__mcuprof_build_id = . + 16;", None)):
            own = self.write("own.ld",
                             re.sub(r"PROVIDE\(__mcuprof_build_id.*", "", text).replace(
                                 "KEEP(*(.note", line + " KEEP(*(.note"))
            self.build(script=["-Wl,--build-id", "-Wl,-T," + own])
            self.assertEqual(list(self.bad()), [rule] if rule else [])

    def test_far_code(self):
        def script(base):
            with open("boards/cortex-m/sections.ld", encoding="utf-8") as sections:
                text = sections.read()
            own = self.write("memory.ld", "MEMORY { FLASH (rx) : ORIGIN = 0x08000000, "
                             "LENGTH = 256K\nRAM (rwx) : ORIGIN = 0x20000000, LENGTH = 16K }\n"
                             + (text if base else re.sub("__mcuprof_base.*", "", text)))
            return [*self.link[:-1], "-T" + own]
        with open("target/mcuprof.ld", encoding="utf-8") as file:
            without = self.write("own.ld", re.sub("PROVIDE.__mcuprof_base.*", "", file.read()))
        for base in (False, True):
            self.link = script(base)
            self.build(script=["-Wl,--build-id", "-Wl,-T," + without])
            self.assertEqual(self.bad(), {})
            self.assertEqual("far-code" in self.findings(), not base)

    def test_constants_in_ram(self):
        """A script that lists RAM before FLASH: ld puts sections without a region there."""
        own = self.write("memory.ld", "MEMORY { RAM (rwx) : ORIGIN = 0x20000000, LENGTH = 16K\n"
                         "FLASH (rx) : ORIGIN = 0, LENGTH = 256K }\nINCLUDE sections.ld\n")
        self.link = [*self.link[:-1], "-T" + own]
        with open("target/mcuprof.ld", encoding="utf-8") as file:
            unchecked = self.write("own.ld", file.read().partition("ASSERT")[0])
        self.build(script=["-Wl,--build-id", "-Wl,-T," + unchecked])
        self.assertEqual(self.bad(), {"image-gap": []})
        self.assertRegex(self.findings()["image-gap"]["detail"], "file of 53[67] MB")

    # ---- The unwind table ----

    def test_unwind_table_is_empty(self):
        self.build(unwind=False)
        self.assertEqual(self.bad(), {"unwind-empty": []})
        self.assertEqual(self.summary["followed"], 0)

    def test_unwind_table_of_other_code(self):
        self.build()
        self.patch(".mcuprof_unwind", 40, b"\xa5")
        self.assertEqual(self.bad(), {"unwind-stale": []})

    def test_unwind_table_of_an_elf_without_debug_information(self):
        """The table was made before the debug information was removed: it is the same image."""
        self.build()
        run(self.tools + "strip", "--strip-debug", self.elf)
        self.assertNotIn("unwind-stale", self.bad())

    def test_no_room_for_the_unwind_table(self):
        self.build(more=["-Wl,--defsym=__mcuprof_unwind_bytes=100"])
        self.assertEqual(self.bad(), {"unwind-room": []})
        self.assertIn("100 bytes", self.findings()["unwind-room"]["detail"])

    def test_no_paths(self):
        self.build(knobs=["-DMCUPROF_PATHS=0"])
        self.assertEqual(self.bad(), {})
        self.assertIn("no-paths", self.findings())

    def test_functions_that_are_not_followed(self):
        self.build(APP + 'void odd(void); __asm__(".thumb\\n.global odd\\n.type odd, %function\\n'
                   'odd: mov sp, r0\\nmov sp, r1\\npop {r0, pc}\\n.size odd, . - odd");'
                   "__attribute__((used)) void uses(void) { odd(); }",
                   more=["-Wl,--no-gc-sections"])
        self.assertIn("odd", self.places("not-followed"))
        self.assertEqual(self.summary["followable"], self.summary["all"])
        self.assertLess(self.summary["followed"], self.summary["all"])

    # ---- Hooks ----

    def test_link_time_optimisation_drops_the_hooks(self):
        self.build(flags=[*self.profiled, "-flto"], more=["-flto"])
        self.assertEqual(list(self.bad()), ["hooks-lost"])
        self.assertIn("-flto", self.findings()["hooks-lost"]["places"][0]["detail"])

    def test_pg_of_clang_calls_nothing(self):
        objects = self.library(())
        source, part = self.write("app.c", APP), os.path.join(self.folder, "app.o")
        for flags, rules in ((["-pg", "-grecord-command-line"], ["hooks-lost"]), (["-pg"], [])):
            run("clang", "--target=arm-none-eabi", "-mcpu=cortex-m0", "-Os", "-g",
                "-ffreestanding", *INCLUDES, *flags, "-c", "-o", part, source)
            run("arm-none-eabi-gcc", *self.machine, *LINK, *self.link, "-o", self.elf,
                *objects.values(), part)
            run(PROGRAM, "unwind", self.elf)
            self.assertEqual(list(self.bad()), rules)
            self.assertIn("clang", self.findings()["nothing-instrumented"]["detail"])

    def test_nothing_instrumented(self):
        self.build(flags=[])
        self.assertEqual(self.bad(), {})
        self.assertIn("nothing-instrumented", self.findings())

    def test_hook_that_counts_nothing(self):
        self.build(knobs=["-DMCUPROF_ARCS=0"])
        self.assertEqual(self.bad(), {"idle-hook": ["__gnu_mcount_nc"]})

    def test_left_out_and_inlined(self):
        self.build(APP.replace("int main", "MCUPROF_NOT_PROFILED int main")
                   + "static inline int half(int n) { return n / 2; }\n"
                   "int halves(int n);\n"
                   "__attribute__((used)) int halves(int n) { return half(n) + half(n * 3); }\n",
                   more=["-Wl,--no-gc-sections"])
        self.assertEqual(self.bad(), {})
        self.assertEqual(self.places("left-out"), ["main"])
        inlined, = self.findings()["inlined"]["places"]
        self.assertEqual((inlined["function"], inlined["detail"], inlined["address"]),
                         ("half", "in 2 places", None))
        self.assertEqual(inlined["line"], APP.count("\n") + 1)
        self.assertTrue(inlined["file"].endswith("/app.c"))

    def test_short_function_in_a_loop(self):
        self.build(APP.replace("int sum =", "int sum = 0; for (int i = 0; i < 9; i++) tiny();\n"
                               "sum +=").replace(
            "int main", "__attribute__((noinline)) void tiny(void) { seen = 1; }\nint main"))
        self.assertEqual(self.bad(), {})
        self.assertEqual(self.places("short"), ["tiny"])

    def test_no_debug_information(self):
        self.build()
        run("arm-none-eabi-strip", "-g", self.elf)
        self.assertIn("no-debug-information", self.findings())

    # ---- Flags ----

    def test_high_registers_go_through_lr(self):
        app = APP.replace("int main(void)", MANY).replace("twice(3)", "many(seen, 1, 2, 3)")
        self.build(app, [*PROFILED, "-O2"])
        self.assertEqual(self.bad(), {"caller-lost": ["many"]})
        self.build(app, [*self.profiled, "-O2"])
        self.assertEqual(self.bad(), {})

    # ---- What must not be instrumented ----

    def test_start_is_instrumented(self):
        self.build(again={self.START: self.profiled})
        self.assertEqual(self.bad()["start-instrumented"], ["reset_handler"])

    def test_memory_is_set_up_by_an_instrumented_function(self):
        self.build(APP + "void *memcpy(void *to, const void *from, size_t n)\n"
                   "{ for (size_t i = 0; i < n; i++) ((volatile char *)to)[i] = "
                   "((const char *)from)[i]; return to; }\n")
        self.assertIn("memcpy", self.bad()["early-instrumented"])

    def test_system_init_comes_first(self):
        """As in many vendors' start-up code, SystemInit() comes before the loops."""
        start = """
void late_init(void);
#include <stdint.h>
#include "mcuprof.h"
#include "mcuprof_link.h"
extern uint32_t __stack_top, __data_load, __data_start, __data_end, __bss_start, __bss_end;
int main(void); void SystemInit(void); void board_init(void); void reset_handler(void);
__attribute__((used)) void __libc_init_array(void) { board_init(); }
void board_exit(int status) { for (;;) (void)status; }
void reset_handler(void)
{
    SystemInit();
    uint32_t *from = &__data_load, *to = &__data_start;
    while (to < &__data_end) *to++ = *from++;
    for (to = &__bss_start; to < &__bss_end;) *to++ = 0;
    __libc_init_array();
    late_init();
    main();
    for (;;) { }
}
static void fault(void) { for (;;) { } }
__attribute__((section(".vectors"), used)) void *const vectors[48] = {
    &__stack_top, reset_handler, fault, fault,
    [4 ... 17] = fault, [18] = mcuprof_link_isr, [19 ... 23] = fault, [24] = mcuprof_sample_isr,
    [25 ... 47] = fault };
"""
        app = APP + "void SystemInit(void) { seen = 2; }\nvoid late_init(void) { seen = 3; }\n"
        for flags, expected in ((self.profiled, {"early-instrumented": ["SystemInit"]}),
                                ([], {})):
            self.build(app, flags, instead={self.START: lambda _: start},
                       again={self.START: ["-fno-tree-loop-distribute-patterns"]})
            self.assertEqual(self.bad(), expected)

    def test_what_the_hook_calls_is_instrumented(self):
        self.build(instead={self.UART: lambda text: text.replace("FN void", "void")},
                   again={self.UART: self.profiled})
        bad = self.bad()
        self.assertIn("mcuprof_link_start", bad["recursion"])
        self.assertIn("mcuprof_link_isr", bad["port-instrumented"])

    def test_port_is_instrumented(self):
        self.build(again={self.BOARD: self.profiled})
        bad = self.bad()
        self.assertIn("mcuprof_timer_set", bad["recursion"])
        self.assertIn("mcuprof_timer_start", bad["port-instrumented"])
        self.assertNotIn("board_tick_entry", [name for names in bad.values() for name in names])

    def test_functions_in_ram(self):
        self.build(APP.replace("int twice", '__attribute__((section(".ramcode"))) int twice') +
                   'int once(int);\n__attribute__((section(".ramcode"), used, '
                   "no_instrument_function)) int once(int x) { return twice(x) + 1; }\n")
        self.assertEqual(self.bad(), {})
        self.assertEqual(self.places("ram-instrumented"), ["twice"])
        self.assertEqual({"once", "twice"} & set(self.places("not-followed")), set())
        self.assertGreaterEqual(self.summary["in_ram"], 2)  # and veneers

    NAKED = APP + ('__attribute__((naked)) void PendSV_Handler(void);\n__attribute__((naked)) '
                   'void PendSV_Handler(void) { __asm__("bx lr"); }\n')

    def test_naked_function(self):
        blocks = ["-fsanitize-coverage=trace-pc"]
        for flags, knobs, rules in (
                (TIMED, ["-DMCUPROF_CALLS=1"], ["naked-instrumented"]),
                (blocks, ["-DMCUPROF_BLOCKS=1"], ["naked-instrumented"]),
                (self.profiled, [], [])):  # this hook restores the link register
            self.build(self.NAKED, flags, knobs)
            self.assertEqual(list(self.bad()), rules, flags)
            if rules:
                self.assertEqual(self.places(rules[0]), ["PendSV_Handler"])

    # ---- Vectors ----

    def build_with_vectors(self, text, **others):
        """Builds with a board_irqs.h of its own."""
        self.write("board_irqs.h", "#define BOARD_IRQS " + text + "\nvoid board_tick_entry(void);\n"
                   "void other(void);\nvoid fault_handler(void);\n")
        self.library(others.get("knobs", ()))  # others share it: with the board's vectors
        kept = type(self).includes
        type(self).includes = ["-I" + self.folder, *kept]
        try:
            self.build(again={self.START: []}, **others)
        finally:
            type(self).includes = kept

    def test_no_vector_samples(self):
        self.build_with_vectors("[2] = mcuprof_link_entry, [8 ... 31] = fault_handler",
                                more=["-Wl,-u,mcuprof_sample_isr"])
        self.assertEqual(self.bad(), {"vector-sampling": []})
        self.assertIn("fault_handler", self.findings()["vector-sampling"]["detail"])

    def test_sampling_is_called(self):
        self.build_with_vectors(
            "[2] = mcuprof_link_entry, [8] = other",
            app=APP + "void other(void);\n"
            "MCUPROF_NOT_PROFILED void other(void) { mcuprof_sample_isr(); seen++; }")
        self.assertEqual(self.bad(), {"sampling-called": ["other"]})

    def test_vector_that_is_set_at_run_time(self):
        self.build_with_vectors(
            "[2] = mcuprof_link_entry, [8] = fault_handler",
            app=APP.replace("mcuprof_start();", "*(void (*volatile *)(void))0x20000060 = "
                            "mcuprof_sample_isr; mcuprof_start();"))
        self.assertEqual(self.bad(), {})

    def test_no_vector_sends(self):
        self.build_with_vectors("[8] = mcuprof_sample_isr, [2] = fault_handler")
        self.assertEqual(self.bad(), {"vector-link": []})
        self.build_with_vectors(
            "[8] = mcuprof_sample_isr, [2] = other",
            app='#include "mcuprof_link.h"\n' + APP + "void other(void);\n"
            "MCUPROF_NOT_PROFILED void other(void) { mcuprof_link_isr(); }")
        self.assertEqual(self.bad(), {})

    def test_link_that_starts_by_its_first_byte(self):
        """What starts the link calls its interrupt's function; no interrupt does."""
        starts = {self.UART: lambda text: re.sub(
            r"FN void mcuprof_link_start\(void\)\n{.*?\n}",
            "FN void mcuprof_link_start(void)\n{\n    mcuprof_link_isr();\n}", text, flags=re.S)}
        self.build_with_vectors("[8] = mcuprof_sample_isr, [2] = fault_handler", instead=starts)
        self.assertEqual(self.bad(), {"vector-link": []})
        self.build_with_vectors("[8] = mcuprof_sample_isr, [2] = mcuprof_link_isr",
                                instead=starts)
        self.assertEqual(self.bad(), {})

    def test_number_of_the_links_interrupt(self):
        other = ('#include "mcuprof_link.h"\n' + APP + "void other(void);\n"
                 "MCUPROF_NOT_PROFILED void other(void) { mcuprof_link_isr(); }")
        wait = "-DMCUPROF_WAIT=1"
        for knobs, vectors, app, expected in (
                ([wait], "[2] = mcuprof_link_entry", APP, {}),
                ([wait], "[2] = other", other, {}),
                ([wait], "[3] = mcuprof_link_entry", APP, {"link-irq": []}),
                ([wait], "[4] = other", other, {"link-irq": []}),
                ([], "[3] = mcuprof_link_entry", APP, {})):
            with self.subTest(knobs=knobs, vectors=vectors):
                self.build_with_vectors(f"[8] = mcuprof_sample_isr, {vectors}", app=app,
                                        knobs=knobs)
                self.assertEqual(self.bad(), expected)
                if expected:
                    number = vectors[1]
                    self.assertIn(f"MCUPROF_LINK_IRQ is 2; the link's vector is that of {number}.",
                                  self.findings()["link-irq"]["detail"])

    def test_a_link_without_an_interrupt_needs_no_vector(self):
        for name in "mcuprof_rtt_wait", "mcuprof_semihosting":
            declared = f"__attribute__((noinline)) MCUPROF_NOT_PROFILED void {name}(void);\n"
            self.build_with_vectors(
                "[8] = mcuprof_sample_isr, [2] = fault_handler",
                app=APP.replace("int main", f"{declared}void {name}(void) {{ seen++; }}\nint main")
                .replace("mcuprof_start();", f"{name}(); mcuprof_start();"))
            self.assertEqual(self.bad(), {})

    def test_link_interrupt_that_is_timed(self):
        self.build_with_vectors("[2] = mcuprof_link_isr, [10] = mcuprof_sample_isr",
                                flags=TIMED, knobs=["-DMCUPROF_CALLS=1"])
        self.assertEqual(self.bad(), {"link-timed": []})

    def test_even_vector(self):
        self.build_with_vectors(
            "[2] = mcuprof_link_entry, [8] = mcuprof_sample_isr, [3] = other",
            app=APP + '__asm__(".text\\n.thumb\\n.align 2\\n.global other\\nother: bx lr");')
        self.assertEqual(self.bad(), {"vector-state": ["other"]})

    def test_stack_pointer(self):
        for value in (0x100, 0x20003ffc):
            self.build()
            self.patch(".vectors", 0, value.to_bytes(4, "little"))
            self.assertEqual(self.bad(), {"vector-stack": []})

    def test_stack_below_the_variables(self):
        self.build()
        self.patch(".vectors", 0, (0x20000000).to_bytes(4, "little"))
        self.assertEqual(self.bad(), {})
        self.assertIn("0x20000000", self.findings()["stacks-above"]["detail"])

    def test_no_vector_table(self):
        self.build()
        run("arm-none-eabi-objcopy", "--rename-section", ".vectors=.table", "-N", "vectors",
            self.elf)
        self.assertEqual(self.bad(), {})  # the table is what is loaded lowest
        self.build(APP.replace("int main", '__attribute__((section(".first"), used)) const int '
                               'first[4] = {1, 2, 3};\nint main'),
                   more=["-Wl,--section-start=.first=0x3fff0"])
        run("arm-none-eabi-objcopy", "--rename-section", ".vectors=.table", "-N", "vectors",
            "--change-section-address", ".first=0", "--change-section-address", ".vectors=0x3f000",
            self.elf)
        self.assertIn("no-vectors", self.bad())


class Thumb2(Board):
    """On a Cortex-M3 GCC makes sibling calls."""
    arch = "cortex-m"
    machine = ["-mcpu=cortex-m3", "-mthumb"]
    includes = ["-Iboards/mps2-an385", "-Iboards/cortex-m", "-Itarget/arch/cortex-m"]
    board = ["boards/cortex-m/cmsdk.c", "boards/cortex-m/startup.c", "target/link/cmsdk_uart.c"]
    link = [*CortexM.link[:-1], "-Tboards/mps2-an385/memory.ld"]

    def test_exit_is_jumped_to(self):
        knobs = ["-DMCUPROF_CALLS=1"]
        self.build(APP + LEAVES, ["-finstrument-functions", "-O2"], knobs,
                   more=["-Wl,-u,leaves"])
        self.assertIn("leaves", self.bad()["exit-jumped"])
        self.build(APP + LEAVES, TIMED, knobs, more=["-Wl,-u,leaves"])
        self.assertEqual(self.bad(), {})

    def test_sibling_calls(self):
        app = APP.replace("return work(n) + work(n + 1) + seen", "return work(n + seen)")
        self.build(app, ["-pg"])
        self.assertEqual(self.bad(), {"sibling-call": ["twice"]})
        self.assertEqual(self.findings()["sibling-call"]["places"][0]["detail"],
                         "jumps to work")
        self.build(app)
        self.assertEqual(self.bad(), {})


    def test_longjmp_out_of_timed_calls(self):
        app = ("#include SETJMP\nstatic jmp_buf back;\n" + APP).replace(
            "int sum =", "if (setjmp(back) == 0) longjmp(back, 1);\nint sum =")
        for header, rules in (("<setjmp.h>", ["longjmp-unseen"]),
                              ('"mcuprof_setjmp.h"', [])):
            self.build(app.replace("SETJMP", header), TIMED, ["-DMCUPROF_CALLS=1"])
            self.assertEqual(list(self.bad()), rules)


del Board
