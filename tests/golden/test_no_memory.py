# SPDX-License-Identifier: MIT
"""Each allocation of each command fails in turn: the command ends with an error, or with the same
output as without the failure."""
import os
import re
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from elves import assemble_code  # noqa: E402
from mcuprof_run import ELF, PROGRAM, stream  # noqa: E402
from timed_calls import looped, without_hooks  # noqa: E402
from wire import CUT, SAMPLES, TELLS_TASKS, WHOLE, Stream  # noqa: E402

# Crashes that are not our fault. libdw cannot report that its table of abbreviations lacks memory:
# its assertion fails, or it follows a null pointer.
LIBDW = (-11, -6)


class NoMemory(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = folder.name
        cls.capture = cls.folder + "/run.mprof"
        with open(cls.capture, "wb") as file:
            file.write(stream())
        cls.words = cls.folder + "/words.mprof"
        subprocess.run([PROGRAM, "merge", "--wire", "3", "-o", cls.words, cls.capture], check=True)
        cls.library = cls.folder + "/no_memory.so"
        subprocess.run([os.environ.get("CC", "cc"), "-shared", "-fPIC", "-O1", "-o", cls.library,
                        "tests/pc/no_memory.c"], check=True)

    def run_good(self, command):
        """Runs a command without failures; its output is what a run without an error must print."""
        done = subprocess.run([PROGRAM, *command], env={**os.environ, "LC_ALL": "C"},
                              capture_output=True)
        self.assertEqual(done.returncode, 0)
        with open(self.folder + "/good", "wb") as file:
            file.write(done.stdout)
        return done

    def run_failing(self, command):
        """Runs a command whose allocations fail, each in a child. Returns for each child its
        status, its output (None if it is the good one), and its errors."""
        environment = {**os.environ, "LC_ALL": "C", "LD_PRELOAD": self.library,
                       "NO_MEMORY_RESULTS": self.folder + "/results",
                       "NO_MEMORY_GOOD": self.folder + "/good"}
        with open(self.folder + "/out", "w+b") as out, open(self.folder + "/err", "w+b") as err:
            done = subprocess.run([PROGRAM, *command], env=environment, stdin=subprocess.DEVNULL,
                                  stdout=out, stderr=err)
            err.seek(0)
            self.assertEqual(done.returncode, 0, err.read())
            out.seek(0)
            written = out.read()
        with open(self.folder + "/results", "rb") as file:
            for number, line in enumerate(file, 1):
                at, status, same, *sizes = map(int, line.split())
                output, errors = map(file.read, sizes)
                self.assertEqual(at, number)
                yield status, None if same else output, errors
        yield 0, written, b""  # of the parent process

    def check(self, *command, errors=(3,), crashes=(), says=b""):
        good = self.run_good(command)
        self.assertIn(says, good.stderr)
        self.assertEqual(bool(says), bool(good.stderr))
        crashed = at = 0
        for at, (status, output, said) in enumerate(self.run_failing(command), 1):
            if status in crashes:
                crashed += 1
            elif status == 0 and output is not None:
                self.assertEqual(*(re.sub(rb"^[\d.]+ s  ", b"", out)
                                   for out in (output, good.stdout)), at)
            elif status != 0:
                self.assertIn(status, errors, at)
                self.assertRegex(said, rb"(?i)out of memory|cannot allocate memory", at)
        self.assertGreater(at, 10)
        self.assertLessEqual(crashed, 50)

    def test_commands(self):
        elf = ("-e", ELF, self.capture)
        for command in (("report", *elf), ("report", "--paths", "--lines", *elf),
                        ("annotate", *elf), ("diff", "--all", *elf, self.capture),
                        ("diff", "--json", *elf, self.capture), ("lint", ELF)):
            with self.subTest(command=command):
                says = b"is the same capture" if command[0] == "diff" else b""
                self.check(*command, crashes=LIBDW, says=says)

    def test_paths_that_are_cut(self):
        """Who may have called what is looked for in the code."""
        path = self.folder + "/cut.mprof"
        made = Stream(hz=1000000, period=1000, flags=SAMPLES, depth=8)
        made.path(WHOLE, [0x200], 0x204, 500)
        made.path(CUT, [], 0x300, 20)
        made.totals()
        made.write(path)
        self.check("report", "--flat", "-e", ELF, path, crashes=LIBDW)

    def test_energy(self):
        """Tasks of different currents are analysed apart."""
        paths = [os.path.join(self.folder, name) for name in ("tasks.mprof", "power", "budgets")]
        made = Stream(hz=1000000, period=1000, flags=SAMPLES | TELLS_TASKS)
        for task, name in ((0x2001, "idle"), (2, "radio")):
            made.task(task, name)
            made.task(task & 0xFFF)
            made.sample(0x204, 50)
        made.write(paths[0])
        for path, text in zip(paths[1:], ("voltage = 3 V\nrunning = 4 mA\nidle = 2 uA\n"
                                          "task radio = 13 mA\nbattery = 220 mAh\n",
                                          "task radio energy < 3 mJ\n")):
            with open(path, "w", encoding="ascii") as file:
                file.write(text)
        elf = ("--power", paths[1], "-e", ELF)
        for command in (("report", "--flat", *elf), ("export", "--to", "csv", *elf),
                        ("export", "--to", "json", *elf), ("check", *elf, paths[2])):
            with self.subTest(command=command):
                says = b"is not known" if command[0] != "report" else b""
                self.check(*command, paths[0], crashes=LIBDW, says=says)

    def test_unwind(self):
        """A table with less in it would go into the firmware, and paths end too early."""
        self.check("unwind", "--table", ELF)

    def test_timed_calls(self):
        """Code is compared with what ships."""
        with tempfile.TemporaryDirectory() as folder:
            ran = assemble_code(folder, looped("nop"))
            ships = assemble_code(folder, without_hooks(looped("")), "shipped.elf")
            path = os.path.join(folder, "run.mprof")
            timed = Stream()
            timed.time(1000000, 100, 192, 0, 0)
            timed.call(0x8004, 0x8004, 1, 10000, 1000, 10000, 10000)  # of outer
            timed.call(0x800C, 0x8012, 100, 9000, 9000, 90, 90)  # of loop
            timed.time(1000000, 100, 192, 0, 200000)
            timed.end()
            timed.write(path)
            self.check("export", "--to", "csv", "--shipped", ships, "-e", ran, path,
                       crashes=LIBDW)

    def test_top(self):
        """Its line begins with the time."""
        self.check("top", "-e", ELF, self.capture, crashes=LIBDW, says=b"samples received")

    def test_page(self):
        """Without instructions, because objdump itself may fail."""
        self.check("html", "--objdump", "no-such-objdump", "-e", ELF, self.capture,
                   crashes=LIBDW, says=b"html: warning: no-such-objdump: ")

    def test_commands_that_need_no_lines(self):
        for command in (("info", "-e", ELF, self.capture), ("info", "--json", self.capture),
                        ("merge", self.capture, self.capture),
                        ("info", "--json", self.words),
                        ("merge", "--wire", "3", self.words, self.words),
                        ("merge", "-o", "/dev/null", self.capture, self.capture)):
            with self.subTest(command=command):
                self.check(*command, says=b"counts twice" if command[0] == "merge" else b"")

    def test_exports(self):
        """svg is left out: 99 % of its 44,000 allocations are those of graphviz, pango, fontconfig
        and glib, which end the program."""
        for form in ("gmon", "folded", "flamegraph", "speedscope", "pprof", "firefox", "dot",
                     "callgrind", "json", "csv"):
            with self.subTest(form=form):
                self.check("export", "--to", form, "-e", ELF, self.capture, crashes=LIBDW)

    def test_gprof(self):
        gmon = self.folder + "/gmon.out"
        subprocess.run([PROGRAM, "export", "--to", "gmon", "-o", gmon, "-e", ELF, self.capture],
                       check=True)
        self.check("gprof", ELF, gmon, errors=(1, 3), crashes=LIBDW)  # 3: out of libdw


if __name__ == "__main__":
    unittest.main()
