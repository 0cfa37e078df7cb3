# SPDX-License-Identifier: MIT
"""`mcuprof run`: a project's file, from nothing to a profile."""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from mcuprof_run import ELF, EMULATOR, PROGRAM, stream  # noqa: E402

RUN = " ".join("$ELF" if word == ELF else word for word in EMULATOR)
MAKEFILE = f"build/app.elf:\n\tmkdir -p build\n\tcp {ELF} $@\nflash: \n\techo done >flashed\n"
# CMake's programs have no suffix.
CMAKE = f"""cmake_minimum_required(VERSION 3.13)
project(app NONE)
add_custom_target(app ALL cp {ELF} ${{CMAKE_BINARY_DIR}}/app)
"""


class Project(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.folder = directory.name

    def write(self, name, text=""):
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def read(self, name):
        with open(os.path.join(self.folder, name), encoding="utf-8") as file:
            return file.read()

    def has(self, name):
        return os.path.exists(os.path.join(self.folder, name))

    def mcuprof(self, *arguments, answers="", folder=None):
        return subprocess.run([PROGRAM, *arguments], cwd=folder or self.folder, input=answers,
                              capture_output=True, text=True, timeout=180, check=False)

    def conf(self, *lines):
        self.write("mcuprof.conf", "".join(line + "\n" for line in lines))

    def settings(self):
        return dict(re.findall(r"^(\w+) = (.*)$", self.read("mcuprof.conf"), re.M))

    def test_from_nothing_to_a_page(self):
        """A project of Make and one of CMake: what --init asks is answered by empty lines, but for
        the emulator. The ELF is found by a first build."""
        for marker, text, flash, elf in (
                ("Makefile", MAKEFILE, "make flash", "build/app.elf"),
                ("CMakeLists.txt", CMAKE, None, "build/app")):
            with self.subTest(marker=marker):
                shutil.rmtree(self.folder)
                self.write(marker, text)
                done = self.mcuprof("run", "--init", answers=f"\n\n\n\n{RUN}\n")
                self.assertEqual((done.returncode, done.stdout),
                                 (0, "Wrote mcuprof.conf. Now call: mcuprof run\n"))
                self.assertEqual((self.settings().get("flash"), self.settings().get("elf")),
                                 (flash, elf))
                done = self.mcuprof("run")
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertRegex(done.stdout, r"beat 75(.|\n)*wait_cycles")
                self.assertIn("</html>", self.read("profile.html"))
                self.assertRegex(done.stderr, r"(?m)^build +.*make.*$")
                self.assertRegex(done.stderr, r"(?m)^show +html -o profile.html$")
                self.assertEqual(self.has("flashed"), flash is not None)
                # the ELF is known from now on
                told = self.mcuprof("report", "build/app.mprof")
                self.assertIn("wait_cycles", told.stdout)

    def test_what_a_project_is_built_with(self):
        """--init tells projects apart. Nobody answers, so what is not known stays a comment."""
        for files, build, flash, elf in (
                (["platformio.ini", ".pio/build/uno/firmware.elf"], "pio run",
                 "pio run -t upload", ".pio/build/uno/firmware.elf"),
                (["CMakeLists.txt", "prj.conf", "build/zephyr/zephyr.elf"], "west build",
                 "west flash", "build/zephyr/zephyr.elf"),
                (["blink.ino", "build/blink.ino.elf"], "arduino-cli compile --output-dir build",
                 "arduino-cli upload --input-dir build", "build/blink.ino.elf"),
                (["CMakeLists.txt", "openocd.cfg", "out/deep/x.elf"],
                 "cmake -S . -B build && cmake --build build",
                 'openocd -f openocd.cfg -c "program $ELF verify reset exit"', "out/deep/x.elf"),
                (["GNUmakefile", "pyocd.yaml"], "make", 'pyocd flash "$ELF"', None)):
            with self.subTest(files=files):
                shutil.rmtree(self.folder)
                for name in files:
                    self.write(name)
                done = self.mcuprof("run", "--init")
                self.assertEqual(done.returncode, 0, done.stderr)
                found = self.settings()
                self.assertEqual((found.get("build"), found.get("flash"), found.get("elf")),
                                 (build, flash, elf))
                again = self.mcuprof("run", "--init")
                self.assertEqual((again.returncode, again.stderr),
                                 (3, "mcuprof run: mcuprof.conf exists already; remove it first\n"))

    def test_a_sketch_with_a_makefile(self):
        """As of arduino-mk; and "-" is for nothing, else the emulator would be flashed."""
        self.write("blink.ino")
        self.write("Makefile", "BOARD_TAG = uno\ninclude /usr/share/arduino/Arduino.mk\n")
        self.write("build-uno/blink.elf")
        self.assertEqual(self.mcuprof("run", "--init").returncode, 0)
        told = self.settings()
        self.assertEqual((told["build"], told["flash"], told["elf"]),
                         ("make", "make upload", "build-uno/blink.elf"))
        os.remove(os.path.join(self.folder, "mcuprof.conf"))
        done = self.mcuprof("run", "--init", answers="\n\n-\nemulate this\n")
        self.assertEqual(done.returncode, 0)
        self.assertNotIn("flash", self.settings())

    def test_a_first_build_that_fails(self):
        self.write("Makefile", "all:\n\techo no compiler; false\n")
        done = self.mcuprof("run", "--init", answers="\n\napp.elf\n\nx y\n")
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stderr, r"no compiler\n(.|\n)*build ended with status 2")
        self.assertEqual(self.settings()["elf"], "app.elf")

    def test_a_variable_is_no_rule(self):
        self.write("Makefile", "flash := openocd\nupload ?= x\nprogram: all\n")
        self.assertEqual(self.mcuprof("run", "--init").returncode, 0)
        self.assertEqual(self.settings()["flash"], "make program")

    def test_a_step_that_fails_is_named(self):
        self.conf("build = for i in $(seq 30); do echo line $i; done; exit 4", "elf = app.elf",
                  f"emulator = {RUN}")
        done = self.mcuprof("run")
        self.assertEqual(done.returncode, 3)
        self.assertIn("build ended with status 4; its last lines are above\n", done.stderr)
        self.assertEqual(re.findall(r"^line (\d+)$", done.stderr, re.M),
                         [str(i) for i in range(11, 31)])
        self.conf("build = true", "elf = none.elf", f"emulator = {RUN}")
        done = self.mcuprof("run")
        self.assertEqual(done.returncode, 3)
        self.assertRegex(done.stderr, "none.elf: .*\nmcuprof run: record failed\n$")
        self.conf("build = kill -9 $$", "elf = none.elf", f"emulator = {RUN}")
        self.assertIn("build was ended by signal 9 (Killed)", self.mcuprof("run").stderr)

    def test_budgets_and_steps_left_out(self):
        """From another folder, too: paths are relative to the file's."""
        shutil.copy(ELF, os.path.join(self.folder, "app.elf"))
        self.conf("# a comment", "build = touch built", "elf = app.elf", f"emulator = {RUN}",
                  "capture = run.mprof", "show = info", "show = report --by task",
                  "budgets = budgets.txt")
        self.write("budgets.txt", "wait_cycles self > 50%\n")
        done = self.mcuprof("run", "-f", f"{self.folder}/mcuprof.conf", folder="/")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(self.has("built") and self.has("run.mprof"))
        self.assertIn("wait_cycles", done.stdout)
        os.remove(os.path.join(self.folder, "built"))
        self.write("budgets.txt", "wait_cycles self < 50%\n")
        done = self.mcuprof("run", "--skip", "build", "--skip=record", "--skip=show")
        self.assertEqual(done.returncode, 1)
        self.assertFalse(self.has("built"))
        self.assertRegex(done.stderr, "1 of 1 budgets are broken\nmcuprof run: check failed\n$")

    def test_wrong_files(self):
        for lines, said in (
                (["elf"], r"mcuprof.conf:1: expected NAME = VALUE"),
                (["", "color = red"], r"mcuprof.conf:2: unknown setting 'color'"),
                (["elf = a", "elf = b"], r"mcuprof.conf:2: elf is given more than once"),
                (["elf ="], r"mcuprof.conf:1: elf has no value"),
                (["show = info"] * 17, r"mcuprof.conf:17: show is given more than 16 times"),
                (["build = make"], r"mcuprof.conf: say which ELF the build makes"),
                (["elf = a", "source = b", "power = c"], r"mcuprof.conf: power = is for .* budgets ="),
                (["elf = a"], r"mcuprof.conf: say where the firmware's bytes come from"),
                (["elf = a", "source = b", "emulator = c"], r".* a source and an emulator")):
            with self.subTest(lines=lines):
                self.conf(*lines)
                done = self.mcuprof("run")
                self.assertEqual(done.returncode, 3)
                self.assertRegex(done.stderr, f"^mcuprof run: {said}.*\n$")
        self.conf("elf")  # other commands tell, too, unless they need no ELF
        self.assertIn("expected NAME = VALUE", self.mcuprof("report", "x").stderr)
        self.assertNotIn("mcuprof.conf", self.mcuprof("info", "x").stderr)
        self.conf("elf = a", "source = x", "show = report " + 70 * "x ")
        self.write("a")
        self.assertIn("show has more than 64 words", self.mcuprof("run", "--skip=record").stderr)
        self.conf("elf = a", "source = x", "show = html -o 'a b")
        self.assertIn("mcuprof.conf: show has a quote without an end\n",
                      self.mcuprof("run", "--skip=record").stderr)
        self.conf("elf = a", "source = -x")
        self.assertIn("this is no device", self.mcuprof("run").stderr)
        os.remove(os.path.join(self.folder, "mcuprof.conf"))
        self.assertRegex(self.mcuprof("run").stderr, "No such file.*; mcuprof run --init writes one")
        self.assertEqual(self.mcuprof("run", "--skip", "all").returncode, 2)
        self.assertEqual(self.mcuprof("run", "x").returncode, 2)
        self.assertEqual(self.mcuprof("run", "--init", "-f", "x").returncode, 2)

    def test_a_source(self):
        """A file takes the place of a device."""
        shutil.copy(ELF, os.path.join(self.folder, "app.elf"))
        with open(os.path.join(self.folder, "line"), "wb") as line:
            line.write(stream())
        self.conf("elf = app.elf", "source = line", "baud = 9600", "show = report --flat",
                  "show = html -o 'my \"page\".html'")
        done = self.mcuprof("run")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(self.has('my "page".html'))
        self.assertRegex(done.stdout, "(?m) wait_cycles$")


if __name__ == "__main__":
    unittest.main()
