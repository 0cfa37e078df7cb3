# SPDX-License-Identifier: MIT
"""The README's own text for Make and CMake builds firmware as it stands, with what users add to it,
and what it builds can be recorded."""
import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest

from firmware import output

ROOT = os.getcwd()
FILES = ("main.c", "threads.c", "tasks.c", "mcuprof_board.c", "mcuprof_board.h", "startup.S", "vendor.ld")
ENVIRONMENT = {**os.environ, "PATH": f"{ROOT}/build:{os.environ['PATH']}"}
# What a user's own Makefile has around that of the README.
BEFORE = """CC := arm-none-eabi-gcc
CFLAGS := -mcpu=cortex-m0plus -mthumb -Os
LDFLAGS := -nostartfiles --specs=nano.specs --specs=nosys.specs -Wl,--gc-sections -T vendor.ld
SOURCES := main.c startup.S
OBJECTS = $(addsuffix .o,$(basename $(SOURCES)))
"""
AFTER = """
%.o: %.c
	$(CC) $(CFLAGS) -c -o $@ $<
"""
CMAKE_BEFORE = """cmake_minimum_required(VERSION 3.16)
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
set(CMAKE_C_COMPILER arm-none-eabi-gcc)
set(CMAKE_C_FLAGS_INIT "-mcpu=cortex-m0plus -mthumb -Os -g")
set(CMAKE_ASM_FLAGS_INIT "-mcpu=cortex-m0plus -mthumb")
"""
CMAKE_TARGET = """add_executable(app main.c mcuprof_board.c startup.S)
target_link_options(app PRIVATE -nostartfiles --specs=nano.specs --specs=nosys.specs
    -Wl,--gc-sections -T ${CMAKE_SOURCE_DIR}/vendor.ld)
"""
TIMED = """#define MCUPROF_CALLS 1
#define MCUPROF_TIME_HZ 16000000
#define MCUPROF_TIME() (*(volatile uint32_t *)0x40008048u = 1, *(volatile uint32_t *)0x40008548u)
#define MCUPROF_SAMPLES 0
"""
NAMELESS = "no build ID, so nobody can tell whether firmware.elf is its ELF: link with"


def readmes(language):
    with open("README.md", encoding="utf-8") as file:
        return re.search(rf"^```{language}\n(.*?)^```$", file.read(), re.M | re.S)[1]


class Project:
    """A user's project in a folder of its own. `edits`: {file: [(old, new)]}."""

    def __init__(self, test, edits=None):
        folder = tempfile.TemporaryDirectory()
        test.addCleanup(folder.cleanup)
        self.folder = folder.name
        for name in FILES:
            shutil.copy(f"tests/front/{name}", self.folder)
        for part in ("target", "wire"):
            shutil.copytree(part, f"{self.folder}/mcuprof/{part}")
        for name, pairs in (edits or {}).items():
            for old, new in pairs:
                self.edit(name, old, new)

    def edit(self, name, old, new):
        with open(f"{self.folder}/{name}", encoding="utf-8") as file:
            text = file.read()
        assert old in text, (name, old)
        with open(f"{self.folder}/{name}", "w", encoding="utf-8") as file:
            file.write(text.replace(old, new, 1))

    def write(self, name, text):
        with open(f"{self.folder}/{name}", "w", encoding="utf-8") as file:
            file.write(text)

    def run(self, *command):
        return subprocess.run(command, cwd=self.folder, env=ENVIRONMENT, capture_output=True,
                              text=True, timeout=180, check=False)

    def make(self, before="", after=""):
        self.write("Makefile", BEFORE + before + readmes("make") + after + AFTER)
        return self.run("make", "firmware.elf")

    def link_anew(self, before="", after=""):
        os.remove(f"{self.folder}/firmware.elf")
        return self.make(before, after)

    def cmake(self, before="", after=""):
        self.write("CMakeLists.txt", CMAKE_BEFORE + before +
                   readmes("cmake").replace("add_subdirectory", CMAKE_TARGET + "add_subdirectory",
                                            1) + after)
        made = self.run("cmake", "-S", ".", "-B", "out")
        if made.returncode == 0:
            made = self.run("cmake", "--build", "out")
            if made.returncode == 0:
                shutil.copy(f"{self.folder}/out/app", f"{self.folder}/firmware.elf")
        return made

    def record(self, limit=None):
        """limit: the bytes after which the line is cut."""
        command = ["qemu-system-arm", "-M", "microbit", "-icount", "shift=6,sleep=off", "-display",
                   "none", "-monitor", "none", "-serial", "stdio", "-semihosting-config",
                   "enable=on,target=native", "-kernel", "firmware.elf"]
        if limit:
            command = ["sh", "-c", f"{{ {' '.join(command)} & echo $! >pid; wait; }} | "
                       f"{{ head -c {limit}; kill $(cat pid); }}"]
        return self.run("mcuprof", "record", "--strict", "-e", "firmware.elf", "-o", "run.mprof",
                        "--", *command)

    def info(self):
        return json.loads(output("info", "--json", f"{self.folder}/run.mprof"))

    def report(self, *options):
        return output("report", *options, "-e", f"{self.folder}/firmware.elf",
                      f"{self.folder}/run.mprof")


CHIBIOS = "build/chibios/node_modules/chibios/os"
KERNEL = """KERNEL := {root}/{chibios}
SOURCES += threads.c $(patsubst %,$(KERNEL)/rt/src/%.c,chsys chdebug chvt chschd chthreads \\
    chregistry chsem chmtx) $(KERNEL)/common/ports/ARMCMx/chcore.c \\
    $(KERNEL)/common/ports/ARMCMx/chcore_v6m.c \\
    $(KERNEL)/common/ports/ARMCMx/compilers/GCC/chcoreasm_v6m.s
SOURCES := $(filter-out main.c,$(SOURCES))
CFLAGS += -std=gnu11 -w -I{root}/boards -I{root}/examples/chibios -Imcuprof/target/os/chibios \\
    $(addprefix -I$(KERNEL)/,rt/include common/oslib/include common/ports/ARMCMx \\
    common/ports/ARMCMx/compilers/GCC common/ext/CMSIS/include)
"""
FREERTOS = os.path.abspath(os.environ.get("FREERTOS_KERNEL_PATH", ROOT))
FREERTOS_KERNEL = """KERNEL := {kernel}
SOURCES += tasks.c $(addprefix $(KERNEL)/,queue.c list.c portable/MemMang/heap_4.c) \\
    $(wildcard $(KERNEL)/portable/GCC/ARM_CM0/*.c) kernel_tasks.c \\
    mcuprof/target/os/freertos/mcuprof_freertos.c
SOURCES := $(filter-out main.c,$(SOURCES))
CFLAGS += -w -I{root}/boards -I{root}/examples/freertos -Imcuprof/target/os/freertos \\
    -I$(KERNEL)/include -I$(KERNEL)/portable/GCC/ARM_CM0
"""
# The objects are the project's, not the kernel's, which others use as well.
KERNEL_RULES = """
OBJECTS = $(addsuffix .o,$(basename $(filter-out $(KERNEL)/%,$(SOURCES)) \\
    $(notdir $(filter $(KERNEL)/%,$(SOURCES)))))
VPATH = $(sort $(dir $(filter $(KERNEL)/%,$(SOURCES))))
"""
ASSEMBLY = """
%.o: %.s
	$(CC) $(CFLAGS) -x assembler-with-cpp -c -o $@ $<
"""


class FrontDoor(unittest.TestCase):
    def check(self, project, made):
        self.assertEqual(made.returncode, 0, made.stdout + made.stderr)
        self.assertNotIn("warning", made.stderr)
        ran = project.record()
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertNotRegex(ran.stderr, NAMELESS)

    def check_paths(self, project):
        told = project.report("--all", "--paths")
        self.assertIn("100.0 % whole", re.sub(r"\b100 %", "100.0 %", told))
        self.assertRegex(told, r"main → control → helper|helper")

    def test_samples(self):
        for way in ("make", "cmake"):
            with self.subTest(way=way):
                project = Project(self)
                self.check(project, getattr(project, way)())
                self.check_paths(project)

    def test_counted_calls(self):
        for way, line in (("make", "main.o: CFLAGS += $(MCUPROF_PROFILE_CFLAGS)\n"),
                          ("cmake", "mcuprof_profile(app main.c)\n")):
            with self.subTest(way=way):
                project = Project(self)
                self.check(project, getattr(project, way)(after=line))
                self.assertRegex(project.report("--flat"), r"\b250\b.* helper")

    def test_timed_calls(self):
        """mcuprof unwind has nothing to do: it must not end the build."""
        for way, line in (("make", "main.o: CFLAGS += $(MCUPROF_CALL_CFLAGS)\n"),
                          ("cmake", "mcuprof_time_calls(app main.c)\n")):
            with self.subTest(way=way):
                project = Project(self)
                project.write("mcuprof_board.h", TIMED)
                self.check(project, getattr(project, way)(after=line))
                self.assertRegex(project.report("--flat"), r"\b250\b.* helper")

    def test_link_time_optimisation(self):
        for way, line in (("make", "CFLAGS += -flto\n"),
                          ("cmake", "string(APPEND CMAKE_C_FLAGS_INIT \" -flto\")\n")):
            with self.subTest(way=way):
                project = Project(self)
                self.check(project, getattr(project, way)(before=line))
                self.check_paths(project)

    def test_scripts_without_the_build_id(self):
        """mcuprof.ld is read first and keeps it. mcuprof_flash.ld comes too late: then no ID is
        sent in its place, and record says what that means."""
        project = Project(self)
        self.assertEqual(project.make().returncode, 0)
        for name, old, new in (("discarded", "/* DISCARD FIRST */",
                                "/DISCARD/ : { *(.note.gnu.build-id) }"),
                               ("in text", "/* NOTES IN TEXT */", "*(.note.*)")):
            shutil.copy("tests/front/vendor.ld", project.folder)
            project.edit("vendor.ld", old, new)
            with self.subTest(name=name):
                self.check(project, project.link_anew())
                self.assertIsNotNone(project.info()["build_id"])
            with self.subTest(name=name, script="mcuprof_flash.ld"):
                self.check_nameless(project, project.link_anew(
                    "MCUPROF_SCRIPT := mcuprof_flash.ld\n"))
        for script in ("mcuprof.ld", "mcuprof_flash.ld"):
            with self.subTest(name="none", script=script):
                self.check_nameless(project, project.link_anew(
                    f"MCUPROF_SCRIPT := {script}\n", "LDFLAGS += -Wl,--build-id=none\n"))

    def check_nameless(self, project, made):
        self.assertEqual(made.returncode, 0, made.stderr)
        ran = project.record()
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertRegex(ran.stderr, NAMELESS)
        self.assertIsNone(project.info()["build_id"])

    def test_header_that_was_edited(self):
        """All that reads the knobs is compiled anew."""
        project = Project(self)
        self.check(project, project.make())
        self.assertEqual(project.run("make", "-q", "firmware.elf").returncode, 0)
        project.edit("mcuprof_board.h", "RESTARTS 1", "RESTARTS 1\n#define MCUPROF_SAMPLE_HZ 500")
        self.check(project, project.make())
        self.assertEqual(project.info()["hz"], 500)

    def test_kernel_with_the_knobs_in_every_file(self):
        """The knobs' header includes a vendor's, as the template's does; the kernel's assembly
        reads it, too."""
        subprocess.run(["make", "-s", "build/chibios/fetched", "EXAMPLE=chibios"], check=True,
                       timeout=120)
        kernels = [("ChibiOS", KERNEL.format(root=ROOT, chibios=CHIBIOS), ASSEMBLY)]
        if FREERTOS != ROOT:  # there is a kernel
            kernels.append(("FreeRTOS", FREERTOS_KERNEL.format(root=ROOT, kernel=FREERTOS), ""))
        for name, sources, rules in kernels:
            with self.subTest(kernel=name):
                project = self.with_vendors_header()
                project.write("kernel_tasks.c", f'#include "{FREERTOS}/tasks.c"\n')
                self.check_tasks(project, project.make(sources + KERNEL_RULES, rules))

    def with_vendors_header(self):
        project = Project(self)
        project.write("vendor.h", "typedef struct { volatile unsigned COUNT; } TIMER_Type;\n"
                      "#define VENDOR_TIMER ((TIMER_Type *)0x40008540)\n")
        project.edit("mcuprof_board.h", "RESTARTS 1", "RESTARTS 1\n#define MCUPROF_TASKS 4\n"
                     "#define MCUPROF_TIMER_SINCE() (VENDOR_TIMER->COUNT * 0)\n"
                     "#ifndef __ASSEMBLER__\n#include \"vendor.h\"\n#endif")
        return project

    def check_tasks(self, project, made):
        self.check(project, made)
        told = project.report("--by", "task")
        for name in ("worker", "other"):
            self.assertRegex(told, rf"\b{name}\b")


if __name__ == "__main__":
    unittest.main()
