# SPDX-License-Identifier: MIT
"""The files that `make install` installs: a program with its manual and completions, and a library
that a firmware project finds by pkg-config and by CMake."""
import glob
import os
import re
import shutil
import subprocess
import tempfile
import unittest

from firmware import MCUPROF

ROOT = os.getcwd()
PROGRAM = os.path.abspath(MCUPROF)
MAKEFILE = """
MCUPROF_CPU := cortex-m0
MCUPROF_LINK := nrf_uart
include $(shell pkg-config --variable=targetdir mcuprof)/mcuprof.mk
MACHINE := -mcpu=cortex-m0 -mthumb
CFLAGS := $(MACHINE) -Os -g $(shell pkg-config --cflags mcuprof) $(MCUPROF_CFLAGS) \\
    -DMCUPROF_CONFIG='"mcuprof_board.h"' {include}
blinky.elf: $(MCUPROF_SOURCES) {sources}
\tarm-none-eabi-gcc $(CFLAGS) -o $@ $^ -nostartfiles --specs=nano.specs --specs=nosys.specs \\
\t    -Wl,--gc-sections $(MCUPROF_LDFLAGS) -L{root}/boards/cortex-m \\
\t    -T{root}/boards/microbit/memory.ld
\tmcuprof unwind $@
"""
ENGINE_C = """
#include <engine.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    char error[ENGINE_TEXT_MAX];
    struct engine *engine = engine_open(argv[argc - 1], "line", error);
    puts(engine != NULL ? engine_report(engine, NULL) : error);
    engine_close(engine);
    return engine == NULL;
}
"""
FOLDERS = ["boards", "boards/microbit", "boards/cortex-m"]
SOURCES = ["examples/blinky/blinky.c", "boards/cortex-m/startup.c", "boards/microbit/board.c",
           "boards/printf.c"]


def run(*command, **options):
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, **options)
    if done.returncode != 0:
        raise AssertionError(f"{command}: {done.stderr}")
    return done.stdout


class Install(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.prefix = folder.name + "/usr"
        run("make", "install", f"PREFIX={cls.prefix}")
        cls.share = cls.prefix + "/share"
        cls.environment = {**os.environ, "PKG_CONFIG_PATH": cls.share + "/pkgconfig",
                           "PATH": f"{cls.prefix}/bin:{os.environ['PATH']}"}

    def test_program_and_manual(self):
        self.assertEqual(run(f"{self.prefix}/bin/mcuprof", "--version"),
                         run(PROGRAM, "--version"))
        pages = [os.path.basename(page) for page in glob.glob("man/*.1")]
        self.assertCountEqual(os.listdir(self.share + "/man/man1"), pages)

    def test_a_program_by_the_library(self):
        """The example of its header, with a file in place of a line."""
        with tempfile.TemporaryDirectory() as folder:
            run("make", "install-library", f"PREFIX={folder}")
            with open(folder + "/p.c", "w", encoding="utf-8") as file:
                file.write(ENGINE_C)
            words = run("pkg-config", "--cflags", "--libs", "libmcuprof", env={
                **os.environ, "PKG_CONFIG_PATH": folder + "/share/pkgconfig"}).split()
            run("cc", "-Wall", "-Werror", "-o", folder + "/p", folder + "/p.c", *words)
            failed = subprocess.run([folder + "/p", "no.elf"], capture_output=True, text=True,
                                    timeout=60, check=False)
            self.assertEqual((failed.returncode, failed.stdout),
                             (1, "no.elf: No such file or directory\n"))
            run("make", "uninstall", f"PREFIX={folder}")
            self.assertFalse(os.path.exists(folder + "/include/mcuprof"))

    def test_bash_finds_the_completion(self):
        script = (f". {self.share}/bash-completion/completions/mcuprof; COMP_CWORD=1; "
                  "COMP_WORDS=(mcuprof anno); _mcuprof; echo ${COMPREPLY[@]}")
        self.assertEqual(run("bash", "-c", script), "annotate\n")
        for shell, name in (("zsh", "zsh/site-functions/_mcuprof"),
                            ("fish", "fish/vendor_completions.d/mcuprof.fish")):
            with open(f"{self.share}/{name}") as file:
                self.assertEqual(file.read(), run(PROGRAM, "completion", shell))

    def test_firmware_by_pkg_config(self):
        with tempfile.TemporaryDirectory() as folder:
            makefile = MAKEFILE.replace("{root}", ROOT)
            makefile = makefile.replace("{include}", " ".join(f"-I{ROOT}/{f}" for f in FOLDERS))
            makefile = makefile.replace("{sources}", " ".join(f"{ROOT}/{s}" for s in SOURCES))
            run("make", "-C", folder, "-f", "-", input=makefile, env=self.environment)
            self.check_profile(folder + "/blinky.elf")

    def test_firmware_by_cmake(self):
        with open("examples/cmake/CMakeLists.txt") as file:
            project = file.read()
        for old, new in (("add_subdirectory(${ROOT}/target mcuprof)",
                          "find_package(mcuprof 0.1 REQUIRED)"),
                         ("${CMAKE_CURRENT_SOURCE_DIR}/../..", ROOT)):
            self.assertEqual(project.count(old), 1)
            project = project.replace(old, new)
        with tempfile.TemporaryDirectory() as folder:
            with open(folder + "/CMakeLists.txt", "w") as file:
                file.write(project)
            run("cmake", "-S", folder, "-B", folder + "/build",
                f"-DCMAKE_PREFIX_PATH={self.prefix}", env=self.environment)
            run("cmake", "--build", folder + "/build", env=self.environment)
            self.check_profile(folder + "/build/blinky.elf")

    def check_profile(self, elf):
        """Checks that the firmware runs, and that its samples have their callers."""
        capture = elf + ".mprof"
        run(PROGRAM, "record", "-e", elf, "-o", capture, "--strict", "--", "qemu-system-arm",
            "-M", "microbit", "-icount", "shift=6,sleep=off", "-display", "none", "-monitor",
            "none", "-serial", "stdio", "-semihosting-config", "enable=on,target=native",
            "-kernel", elf)
        self.assertRegex(run(PROGRAM, "report", "--paths", "-e", elf, capture),
                         r"reset_handler → main → \w+ → wait_cycles")

    def test_another_version_is_not_taken(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(folder + "/CMakeLists.txt", "w") as file:
                file.write("cmake_minimum_required(VERSION 3.16)\nproject(app NONE)\n"
                           "find_package(mcuprof 0.2 REQUIRED)\n")
            made = subprocess.run(["cmake", "-S", folder, "-B", folder + "/build",
                                   f"-DCMAKE_PREFIX_PATH={self.prefix}"],
                                  capture_output=True, text=True, timeout=180)
            self.assertNotEqual(made.returncode, 0)
            self.assertIn("0.1.0", made.stderr)

    def test_paths_with_blanks_are_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            os.makedirs(folder + "/a/share/mcuprof")
            for options in ([f"DESTDIR={folder}/a b"], [f"PREFIX={folder}/a b"],
                            ["PREFIX=relative", f"DESTDIR={folder}/"]):
                for target in ("install", "uninstall"):
                    made = subprocess.run(["make", target, *options], capture_output=True,
                                          text=True, timeout=180)
                    self.assertNotEqual(made.returncode, 0)
                    self.assertRegex(made.stderr, "without blanks|no absolute path")
            self.assertEqual(os.listdir(folder), ["a"])
            self.assertEqual(os.listdir(folder + "/a/share"), ["mcuprof"])

    def test_uninstall_leaves_nothing(self):
        with tempfile.TemporaryDirectory() as folder:
            run("make", "install", f"DESTDIR={folder}", "PREFIX=/usr")
            os.makedirs(f"{folder}/usr/share/man/man1", exist_ok=True)
            shutil.copy("LICENSE", f"{folder}/usr/share/man/man1/another.1")
            run("make", "uninstall", f"DESTDIR={folder}", "PREFIX=/usr")
            left = [name for _, _, names in os.walk(folder) for name in names]
            self.assertEqual(left, ["another.1"])

    def test_package_has_the_programs_version(self):
        version = run(PROGRAM, "--version").split()[1]
        self.assertEqual(run("pkg-config", "--modversion", "mcuprof", env=self.environment),
                         version + "\n")
        with open("debian/changelog") as file:
            self.assertEqual(re.match(r"mcuprof \((.*)\)", file.readline())[1], version)


if __name__ == "__main__":
    unittest.main()
