# SPDX-License-Identifier: MIT
"""How firmware includes mcuprof: by CMake, by the Makefile fragment, with the template of a port;
and wrong knobs."""
import itertools
import os
import re
import subprocess
import tempfile
import unittest

from firmware import Run, output
from truth import truth

TARGET = ["-std=c11", "-mcpu=cortex-m0", "-mthumb", "-Itarget/include", "-Itarget/core",
          "-Itarget/arch/cortex-m", "-Iwire"]


# Functions of which GCC would compute something behind the hook at the exit, without -fno-tree-ter.
BODIES = """
double square(double x) { return x * x; }
float scaled(float x, int by) { return x * 2.5f + by; }
int mixed(int a, int b, const int *c) { return (a * b + *c) / (a - b); }
long long wide(long long a, int b) { return a * b >> 3; }
struct pair { int a, b; } both(int a, int b) { struct pair p = {a % b, b % a}; return p; }
"""
COMPILERS = (("arm-none-eabi-gcc", "-mcpu=cortex-m0", "-mthumb"),
             ("arm-none-eabi-gcc", "-mcpu=cortex-m4", "-mthumb", "-mfloat-abi=hard"),
             ("riscv64-unknown-elf-gcc", "-march=rv32imac", "-mabi=ilp32"),
             ("avr-gcc", "-mmcu=atmega1284p"), ("sparc64-linux-gnu-gcc", "-m32"))


def compile_c(*arguments):
    return subprocess.run(["arm-none-eabi-gcc", *TARGET, "-c", "-o", os.devnull, *arguments],
                          capture_output=True, text=True, timeout=180)


class Build(unittest.TestCase):
    def test_cmake_example_profiles_itself(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run(["cmake", "-S", "examples/cmake", "-B", folder],
                           check=True, capture_output=True, timeout=120)
            subprocess.run(["cmake", "--build", folder], check=True, capture_output=True,
                           timeout=120)
            elf, capture = f"{folder}/blinky.elf", f"{folder}/blinky.mprof"
            output("record", "-e", elf, "-o", capture, "--strict", "--", "qemu-system-arm",
                   "-M", "microbit", "-icount", "shift=6,sleep=off", "-display", "none",
                   "-monitor", "none", "-serial", "stdio", "-semihosting-config",
                   "enable=on,target=native", "-kernel", elf)
            flat = output("report", "--flat", "-e", elf, capture)
            self.assertIn("wait_cycles", flat)
            self.assertIn("100+8750", flat)  # wave(): calls from others + its own calls to itself

    def test_cmake_project_without_assembly_is_told(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(f"{folder}/CMakeLists.txt", "w") as file:
                file.write("cmake_minimum_required(VERSION 3.16)\n"
                           "set(CMAKE_SYSTEM_NAME Generic)\n"
                           "set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)\n"
                           "set(CMAKE_C_COMPILER arm-none-eabi-gcc)\n"
                           "project(app C)\n"
                           f"add_subdirectory({os.getcwd()}/target mcuprof)\n")
            made = subprocess.run(["cmake", "-S", folder, "-B", f"{folder}/build"],
                                  capture_output=True, text=True, timeout=180)
            self.assertNotEqual(made.returncode, 0)
            self.assertIn("project(app C ASM)", made.stderr)

    def test_cmake_says_which_file_is_not_there(self):
        for function, file, there in (("mcuprof_profile", "src/app.c", True),
                                      ("mcuprof_profile", "${CMAKE_BINARY_DIR}/made.c", True),
                                      ("mcuprof_profile", "app.c", False),
                                      ("mcuprof_time_calls", "app.c", False),
                                      ("mcuprof_count_blocks", "app.c", False)):
            with self.subTest(function=function, file=file), \
                    tempfile.TemporaryDirectory() as folder:
                os.mkdir(f"{folder}/src")
                with open(f"{folder}/src/app.c", "w") as source:
                    source.write("int app(void) { return 1; }\n")
                with open(f"{folder}/CMakeLists.txt", "w") as lists:
                    lists.write("cmake_minimum_required(VERSION 3.16)\n"
                                "set(CMAKE_SYSTEM_NAME Generic)\n"
                                "set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)\n"
                                "set(CMAKE_C_COMPILER arm-none-eabi-gcc)\n"
                                "set(CMAKE_C_FLAGS_INIT \"-mcpu=cortex-m4 -mthumb\")\n"
                                "project(app C ASM)\n"
                                f"add_subdirectory({os.getcwd()}/target mcuprof)\n"
                                "add_custom_command(OUTPUT ${CMAKE_BINARY_DIR}/made.c\n"
                                "    COMMAND touch made.c)\n"
                                "add_library(app OBJECT src/app.c ${CMAKE_BINARY_DIR}/made.c)\n"
                                f"{function}(app {file})\n")
                made = subprocess.run(["cmake", "-S", folder, "-B", folder + "/build"],
                                      capture_output=True, text=True, timeout=180)
                self.assertEqual(made.returncode == 0, there, made.stderr)
                said = " ".join(made.stderr.split())
                self.assertEqual("there is no " + folder + "/app.c" in said, not there, said)

    def test_clang_is_told_that_it_cannot_count(self):
        for compiler in ("clang", "/usr/bin/clang --target=arm-none-eabi", "clang-14"):
            for flags, words in (("PROFILE", "clang.* calls nothing.*MCUPROF_CALLS=1"),
                                 ("CALL", None)):
                made = subprocess.run(
                    ["make", "-f", "-", "MCUPROF_CPU=cortex-m4", f"CC={compiler}"], text=True,
                    input=f"include target/mcuprof.mk\nall:;@echo $(MCUPROF_{flags}_CFLAGS)\n",
                    capture_output=True, timeout=180)
                self.assertEqual(made.returncode != 0, words is not None, made.stderr)
                if words:
                    self.assertRegex(" ".join(made.stderr.split()), words)
                else:
                    self.assertNotIn("tree-ter", made.stdout)

    def test_cmake_with_clang_times_calls_and_counts_none(self):
        for line, words in (("mcuprof_time_calls(app app.c)", None),
                            ("target_link_libraries(app PRIVATE mcuprof::timed)", None),
                            ("mcuprof_profile(app app.c)", "calls nothing"),
                            ("target_link_libraries(app PRIVATE mcuprof::profiled)",
                             "calls nothing.*mcuprof::profiled")):
            with self.subTest(line=line), tempfile.TemporaryDirectory() as folder:
                with open(f"{folder}/app.c", "w") as file:
                    file.write("int app(void) { return 1; }\n")
                with open(f"{folder}/CMakeLists.txt", "w") as file:
                    file.write("cmake_minimum_required(VERSION 3.16)\n"
                               "set(CMAKE_SYSTEM_NAME Generic)\n"
                               "set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)\n"
                               "set(CMAKE_C_COMPILER clang)\n"
                               "set(CMAKE_C_COMPILER_TARGET arm-none-eabi)\n"
                               "set(CMAKE_C_FLAGS_INIT \"-mcpu=cortex-m4 -Werror\")\n"
                               "set(CMAKE_ASM_COMPILER clang)\nproject(app C ASM)\n"
                               f"add_subdirectory({os.getcwd()}/target mcuprof)\n"
                               f"add_library(app OBJECT app.c)\n{line}\n")
                made = subprocess.run(["cmake", "-S", folder, "-B", folder],
                                      capture_output=True, text=True, timeout=120)
                self.assertEqual(made.returncode != 0, words is not None, made.stderr)
                if words:
                    said = " ".join((made.stdout + made.stderr).split())
                    self.assertRegex(said, words)
                    continue
                subprocess.run(["cmake", "--build", folder], check=True, capture_output=True,
                               timeout=120)
                listed = subprocess.run(["find", folder, "-name", "app.c.obj"], text=True,
                                        capture_output=True, check=True).stdout.split()
                symbols = subprocess.run(["arm-none-eabi-nm", *listed], text=True,
                                         capture_output=True, check=True).stdout
                self.assertIn("__cyg_profile_func_exit", symbols)

    def test_clang_counts_and_times_calls(self):
        run = Run("mps2-an385", "truth", "-DMCUPROF_CALLS=1 -DMCUPROF_DEPTH=32 "
                  "-DBOARD_COUNT_SAMPLES", variables=(
                      "EXAMPLE_CC=clang --target=arm-none-eabi -Wno-unknown-attributes",))
        self.assertEqual(run.said("failures"), 0)
        self.assertEqual(run.calls(), truth("mps2-an385", run.said("rounds")))

    def test_port_to_the_pico_sdk(self):
        for more, words in ([], None), (["-DLIB_PICO_MULTICORE=1"], "counts on one core"), \
                (["-DLIB_PICO_MULTICORE=1", "-DMCUPROF_PICO_CORE0=1"], None), \
                (["-DLIB_PICO_STDIO_UART=1", "-DPICO_DEFAULT_UART=1"], "must be 0"), \
                (["-DLIB_PICO_STDIO_UART=1", "-DPICO_DEFAULT_UART=0"], None), \
                (["-DMCUPROF_PICO_TX=20"], None), (["-DMCUPROF_PICO_TX=12"], "4, 8, 20 or 24"):
            made = compile_c("-Wall", "-Wextra", "-Wshadow", "-Werror", "-Itests/pico",
                             "-Ipackaging/pico", '-DMCUPROF_CONFIG="mcuprof_pico.h"', *more,
                             "packaging/pico/mcuprof_pico.c")
            self.assertEqual(made.returncode != 0, words is not None, made.stderr)
            self.assertIn(words or "", made.stderr)

    def test_pico_projects_that_cannot_be_profiled_are_told(self):
        unwind, outputs = ("mcuprof_unwind(app)", "target_compile_definitions(app PRIVATE "
                                                  "PICO_TARGET_NAME=\"app\")")  # the SDK's
        for platform, lines, words in (("rp2040", (unwind, outputs), None),
                                       ("rp2040", (outputs, unwind), "in front of "
                                        "pico_add_extra_outputs(app)"),
                                       ("rp2350-arm-s", (unwind,), "for the RP2040 alone")):
            with self.subTest(words=words), tempfile.TemporaryDirectory() as folder:
                with open(f"{folder}/CMakeLists.txt", "w", encoding="ascii") as file:
                    file.write("cmake_minimum_required(VERSION 3.16)\n"
                               "set(CMAKE_SYSTEM_NAME Generic)\n"
                               "set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)\n"
                               "set(CMAKE_C_COMPILER arm-none-eabi-gcc)\n"
                               f"project(app C ASM)\nset(PICO_PLATFORM {platform})\n"
                               f"add_subdirectory({os.getcwd()}/packaging/pico mcuprof)\n"
                               "add_executable(app app.c)\n" + "\n".join(lines) + "\n")
                with open(f"{folder}/app.c", "w", encoding="ascii") as file:
                    file.write("int main(void) { return 0; }\n")
                made = subprocess.run(["cmake", "-S", folder, "-B", folder + "/build",
                                       f"-DMCUPROF_PROGRAM={os.getcwd()}/build/mcuprof"],
                                      capture_output=True, text=True, timeout=180, check=False)
                self.assertEqual(made.returncode != 0, words is not None, made.stderr)
                self.assertIn(words or "", " ".join(made.stderr.split()))

    def test_processor_without_a_port_is_told(self):
        """In words: no patterns of make."""
        with tempfile.TemporaryDirectory() as folder:
            with open(f"{folder}/CMakeLists.txt", "w", encoding="ascii") as file:
                file.write("cmake_minimum_required(VERSION 3.16)\nproject(app C ASM)\n"
                           f"add_subdirectory({os.getcwd()}/target mcuprof)\n")
            for command in (["cmake", "-S", folder, "-B", f"{folder}/build", "-DMCUPROF_CPU=z80"],
                            ["make", "-f", "target/mcuprof.mk", "MCUPROF_CPU=z80"]):
                made = subprocess.run(command, capture_output=True, text=True, check=False)
                self.assertNotEqual(made.returncode, 0)
                self.assertIn("cortex-m...", made.stderr)
                self.assertNotIn("%", made.stderr)

    def test_readmes_rule_leaves_no_elf_without_its_table(self):
        """mcuprof is not on the PATH: the next make must not say that all is done."""
        with open("README.md", encoding="utf-8") as file:
            rule = re.search(r"^firmware\.elf:.*\n(?:\t.*\n)+", file.read(), re.M)[0]
        with tempfile.TemporaryDirectory() as folder:
            for _ in range(2):
                made = subprocess.run(
                    ["make", "-C", folder, "-f", "-", "CC=sh -c 'touch firmware.elf'"], input=rule,
                    env={"PATH": "/usr/bin:/bin"}, capture_output=True, text=True, check=False)
                self.assertNotEqual(made.returncode, 0)
                self.assertFalse(os.path.exists(f"{folder}/firmware.elf"))

    def test_link_that_is_not_there_is_told(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(f"{folder}/CMakeLists.txt", "w") as file:
                file.write("cmake_minimum_required(VERSION 3.16)\n"
                           "set(CMAKE_SYSTEM_NAME Generic)\n"
                           "set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)\n"
                           "set(CMAKE_C_COMPILER arm-none-eabi-gcc)\n"
                           "project(app C ASM)\nset(MCUPROF_CPU cortex-m0)\n"
                           "set(MCUPROF_LINK pl011x)\n"
                           f"add_subdirectory({os.getcwd()}/target mcuprof)\n")
            for command, text in (
                    (["cmake", "-S", folder, "-B", f"{folder}/build"], ""),
                    (["make", "-f", "-", "MCUPROF_CPU=cortex-m0", "MCUPROF_LINK=pl011x"],
                     "include target/mcuprof.mk\nall:;@:\n")):
                made = subprocess.run(command, input=text, capture_output=True, text=True,
                                      timeout=180)
                self.assertNotEqual(made.returncode, 0)
                self.assertRegex(made.stderr, r"pl011x[^$]*\bpl011\b")

    def test_cmake_takes_the_port_from_the_compilers_flags(self):
        self.build_truth_by_cmake("mcuprof_profile(app.elf {file})\n", [],
                                  r"factorial.*\b180\b")

    def test_cmake_times_calls(self):
        # calls from other functions, then the function's calls to itself
        knobs = ["MCUPROF_CALLS=1", "MCUPROF_DEPTH=32", "MCUPROF_SAMPLES=0"]
        self.build_truth_by_cmake("mcuprof_time_calls(app.elf {file})\n", knobs,
                                  r"factorial,.*,20,180,\d")
        self.build_truth_by_cmake(
            "add_library(truth OBJECT {file})\n"
            "target_compile_definitions(truth PRIVATE MCUPROF_CONFIG=\"mcuprof_board.h\")\n"
            "target_include_directories(truth PRIVATE {root}/target/include {root}/boards)\n"
            "target_link_libraries(truth PRIVATE mcuprof::timed)\n"
            "target_link_libraries(app.elf PRIVATE truth)\n", knobs,
            r"factorial,.*,20,180,\d", library=True)

    def build_truth_by_cmake(self, profiled, knobs, expected, library=False):
        root = os.getcwd()
        for board, uart, tools, flags, link, sources in (
                ("virt", "ns16550", "riscv64-unknown-elf-",
                 "-march=rv32imac -mabi=ilp32 -ffreestanding", "-nostdlib -lgcc",
                 ["memory.c"]),
                ("versatilepb", "pl011", "arm-none-eabi-", "-mcpu=arm7tdmi -mthumb",
                 "--specs=nano.specs --specs=nosys.specs", [])):
            with self.subTest(board=board), tempfile.TemporaryDirectory() as folder:
                truth = f"{root}/examples/truth/truth.c"
                files = [*([] if library else [truth]), f"{root}/boards/{board}/start.S",
                         *(f"{root}/boards/{file}" for file in
                           [f"{board}/board.c", "printf.c", *sources])]
                with open(f"{folder}/CMakeLists.txt", "w") as file:
                    file.write(
                        "cmake_minimum_required(VERSION 3.16)\n"
                        "set(CMAKE_SYSTEM_NAME Generic)\n"
                        "set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)\n"
                        f"set(CMAKE_C_COMPILER {tools}gcc)\n"
                        f"set(CMAKE_C_FLAGS_INIT \"{flags} -Os -g\")\n"
                        f"project(app C ASM)\nset(MCUPROF_LINK {uart})\n"
                        f"add_subdirectory({root}/target mcuprof)\n"
                        f"add_executable(app.elf {' '.join(files)})\n"
                        f"target_include_directories(app.elf PRIVATE {root}/boards "
                        f"{root}/boards/{board})\n"
                        "target_compile_definitions(app.elf PRIVATE MCUPROF_RING_BYTES=4096 "
                        f"{' '.join(knobs)} "
                        "MCUPROF_CONFIG=\"mcuprof_board.h\")\n"
                        "target_link_libraries(app.elf PRIVATE mcuprof::mcuprof)\n"
                        + profiled.format(file=truth, root=root) +
                        "target_link_options(app.elf PRIVATE -nostartfiles\n"
                        f"    -T{root}/boards/{board}/memory.ld)\n"
                        f"target_link_libraries(app.elf PRIVATE {link})\n")
                for step in (["-S", folder, "-B", folder], ["--build", folder]):
                    made = subprocess.run(["cmake", *step], capture_output=True, text=True,
                                          timeout=120)
                    self.assertEqual(made.returncode, 0, made.stdout + made.stderr)
                emulator = subprocess.run(
                    ["make", "-s", "--eval=show: ; @echo $(BOARD_RUN)", "show",
                     f"BOARD={board}"], capture_output=True, text=True, check=True)
                capture = f"{folder}/app.mprof"
                output("record", "-e", f"{folder}/app.elf", "-o", capture, "--strict", "--",
                       *emulator.stdout.split(), f"{folder}/app.elf")
                calls = output("export", "--to", "csv", "-e", f"{folder}/app.elf", capture)
                self.assertRegex(calls, expected)

    def test_vectors_stay_first_with_a_linker_script_that_knows_no_build_id(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(f"{folder}/vendor.ld", "w") as file:
                file.write(
                    "MEMORY { FLASH (rx) : ORIGIN = 0x08000000, LENGTH = 64K\n"
                    " RAM (rwx) : ORIGIN = 0x20000000, LENGTH = 8K }\n"
                    "SECTIONS { .isr_vector : { KEEP(*(.isr_vector)) } > FLASH\n"
                    " .text : { *(.text*) } > FLASH\n .rodata : { *(.rodata*) } > FLASH\n"
                    " .data : { *(.data*) } > RAM AT> FLASH\n"
                    " .bss (NOLOAD) : { *(.bss*) } > RAM }\n")
            with open(f"{folder}/app.c", "w") as file:
                file.write("extern const unsigned __mcuprof_build_id[];\n"
                           "const int table[] = {1, 2};\nint data = 3;\n"
                           "int start(int n) { return (int)*__mcuprof_build_id + data + "
                           "table[n]; }\n"
                           "__attribute__((section(\".isr_vector\"), used))\n"
                           "const void *vectors[] = {0, start};\n")
            flags = subprocess.run(
                ["make", "-s", "-f", "-", "MCUPROF_CPU=cortex-m0"], text=True, check=True,
                input="include target/mcuprof.mk\n$(info $(MCUPROF_LDFLAGS))\nall:;@:\n",
                capture_output=True).stdout.split()
            elf = f"{folder}/app.elf"
            subprocess.run(["arm-none-eabi-gcc", "-mcpu=cortex-m0", "-mthumb", "-nostdlib",
                            "-T", f"{folder}/vendor.ld", *flags, "-Wl,-e,start",
                            "-o", elf, f"{folder}/app.c"], check=True)
            symbols = subprocess.run(["arm-none-eabi-nm", elf], capture_output=True,
                                     text=True, check=True).stdout
            self.assertRegex(symbols, "(?m)^08000000 . vectors$")
            subprocess.run(["arm-none-eabi-objcopy", "-O", "binary", elf, elf + ".bin"],
                           check=True)
            with open(elf + ".bin", "rb") as file:
                image = file.read()
            at = int(re.search("(?m)^(.*) A __mcuprof_build_id$", symbols)[1], 16) - 0x08000000
            self.assertEqual(image[at - 4:at], b"GNU\0")
            notes = subprocess.run(["arm-none-eabi-readelf", "-n", elf], text=True,
                                   capture_output=True, check=True).stdout
            self.assertIn(image[at:at + 20].hex(), notes)

    def test_unported_template_says_what_to_do(self):
        for file, steps in (("mcuprof_board.h", [1]), ("mcuprof_board.c", [2, 3, 4, 5])):
            source = f"target/template/{file}"
            knobs = [] if file.endswith(".h") else ["-DMCUPROF_TIMER_HZ=1000000"]
            made = compile_c(*knobs, "-x", "c", source)
            self.assertNotEqual(made.returncode, 0)
            for step in steps:
                self.assertIn(f"mcuprof port, step {step}: ", made.stderr)

    def test_template_compiles_once_ported(self):
        with open("target/template/mcuprof_board.c") as file:
            ported = "".join(line for line in file if not line.startswith("#error"))
        with tempfile.NamedTemporaryFile("w", suffix=".c") as file:
            file.write(ported)
            file.flush()
            made = compile_c("-Wall", "-Wextra", "-Werror", "-DMCUPROF_TIMER_HZ=1000000",
                             file.name)
            self.assertEqual(made.returncode, 0, made.stderr)

    def test_templates_knobs_are_for_assembly_too(self):
        """With a vendor's header, by which C reads the timer."""
        with open("target/template/mcuprof_board.h", encoding="utf-8") as file:
            knobs = re.sub(r"#error.*\n", "", file.read()).replace("HZ       0", "HZ 1000000")
        begins, ends = knobs.index(" * #define MCUPROF_TIMER_SINCE"), knobs.index(" * #endif */")
        knobs = (knobs[:begins] + "*/\n" + knobs[begins:ends].replace(" * ", "") + "#endif\n" +
                 knobs[ends + len(" * #endif */"):])
        with tempfile.TemporaryDirectory() as folder:
            for name, text in (("mcuprof_board.h", knobs), ("stm32f4xx.h", "typedef struct {\n"
                               "volatile unsigned CNT; } TIM;\n#define TIM2 ((TIM *)0x40000000)\n")):
                with open(f"{folder}/{name}", "w", encoding="utf-8") as file:
                    file.write(text)
            for source in ("arch/cortex-m/sample.c", "arch/cortex-m/path.S", "arch/cortex-m/mcount.S"):
                made = compile_c("-Wall", "-Wextra", "-Werror", f"-I{folder}",
                                 '-DMCUPROF_CONFIG="mcuprof_board.h"', f"target/{source}")
                self.assertEqual(made.returncode, 0, made.stderr)

    def test_nothing_is_computed_behind_the_exit(self):
        """The last call in a function's code is that of the hook at its exit; what follows only
        moves the result and returns."""
        flags = output("flags", "--calls", "cortex-m0").splitlines()[0].split("= ")[1]
        computes = re.compile(r"\t(mul|fmul|vmul|vfma|vadd|sdiv|div|rem|asr|ror|sub[sb]?\t[^s]"
                              r"|smul|umul|call|bl|jal|rcall)")
        for (compiler, *machine), level in itertools.product(COMPILERS, ("-O1", "-Os", "-O2")):
            made = subprocess.run(
                [compiler, *machine, level, *flags.split(), "-S", "-o", "-", "-x", "c", "-"],
                input=BODIES, capture_output=True, text=True, timeout=180, check=True).stdout
            for function in re.split(r"\n\t\.size\t", made)[:-1]:
                behind = function.rsplit("__cyg_profile_func_exit", 1)[1]
                with self.subTest(compiler=compiler, level=level, code=behind):
                    self.assertNotRegex(behind, computes)

    def test_wrong_knobs_are_refused(self):
        for knobs, words in (
                (["-DMCUPROF_TIMER_HZ=1000000", "-DMCUPROF_ENTRIES=12"], "MCUPROF_ENTRIES"),
                (["-DMCUPROF_TIMER_HZ=1000000", "-DMCUPROF_RING_BYTES=32"],
                 "MCUPROF_RING_BYTES"),
                (["-DMCUPROF_TIMER_HZ=1000000", "-DMCUPROF_WAIT=1"], "MCUPROF_LINK_IRQ"),
                (["-DMCUPROF_ARCS=0", "-DMCUPROF_SAMPLES=0"], "leave mcuprof out"),
                ([], "MCUPROF_TIMER_HZ")):
            made = compile_c(*knobs, "target/core/mcuprof.c")
            self.assertNotEqual(made.returncode, 0)
            self.assertIn(words, made.stderr)

    def test_every_knob_on_and_off(self):
        for arcs in (0, 1):
            for samples in (0, 1):
                for flags in (0, 1):
                    if not arcs and not samples:
                        continue
                    run = Run("microbit", "truth",
                              f"-DMCUPROF_ARCS={arcs} -DMCUPROF_SAMPLES={samples} "
                              f"-DMCUPROF_KEEP_FLAGS={flags} -DMCUPROF_RING_BYTES=1024")
                    info = run.info()
                    self.assertEqual(run.said("failures"), 0)
                    self.assertTrue(info["complete"])
                    self.assertEqual(info["arcs"]["received"] > 0, arcs == 1)
                    self.assertEqual(info["samples"]["received"] > 0, samples == 1)
                    self.assertEqual(info["arcs"]["lost"] + info["samples"]["lost"], 0)

    def test_optimisation_levels(self):
        from truth import truth
        for board in ("microbit", "mps2-an385", "virt"):
            for optimise in ("-O0", "-O1", "-O2", "-O3", "-Os -flto"):
                with self.subTest(board=board, optimise=optimise):
                    run = Run(board, "truth", "-DMCUPROF_RING_BYTES=4096", optimise)
                    expected = truth(board, run.said("rounds"))
                    # the optimisation level decides whether the board's handler calls
                    # the example's or jumps to it
                    got, expected = (
                        {(caller or "board_tick_entry", callee): count
                         for (caller, callee), count in calls.items()}
                        for calls in (run.calls(), expected))
                    self.assertEqual(run.said("failures"), 0)
                    self.assertEqual(got, expected)


if __name__ == "__main__":
    unittest.main()
