# SPDX-License-Identifier: MIT
"""Each allocation fails in turn, for each command: it ends in an error, or with the output that it
has otherwise."""
import os
import re
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from mcuprof_run import ELF, PROGRAM, stream  # noqa: E402

# Crashes that are not ours. libdw's table of abbreviations has no way to say that it has no
# memory: its assertion fails, or it follows a null pointer.
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
        cls.library = cls.folder + "/no_memory.so"
        subprocess.run([os.environ.get("CC", "cc"), "-shared", "-fPIC", "-O1", "-o", cls.library,
                        "tests/pc/no_memory.c"], check=True)

    def run_at(self, at, command):
        environment = {**os.environ, "LC_ALL": "C", "LD_PRELOAD": self.library,
                       "NO_MEMORY_AT": str(at), "NO_MEMORY_COUNT": self.folder + "/count"}
        return subprocess.run([PROGRAM, *command], env=environment, capture_output=True,
                              timeout=60)

    def check(self, *command, errors=(3,), crashes=(), says=b""):
        good = self.run_at(0, command)
        self.assertEqual(good.returncode, 0)
        self.assertIn(says, good.stderr)
        self.assertEqual(bool(says), bool(good.stderr))
        with open(self.folder + "/count") as file:
            count = int(file.read())
        self.assertGreater(count, 10)
        crashed = 0
        for at in range(1, count + 1):
            done = self.run_at(at, command)
            if done.returncode in crashes:
                crashed += 1
            elif done.returncode == 0:
                self.assertEqual(*(re.sub(rb"^[\d.]+ s  ", b"", out.stdout)
                                   for out in (done, good)), at)
            else:
                self.assertIn(done.returncode, errors, at)
                self.assertRegex(done.stderr, rb"(?i)out of memory|cannot allocate memory", at)
        self.assertLessEqual(crashed, 50)

    def test_commands(self):
        elf = ("-e", ELF, self.capture)
        for command in (("report", *elf), ("report", "--paths", "--lines", *elf),
                        ("annotate", *elf), ("diff", "--all", *elf, self.capture),
                        ("diff", "--json", *elf, self.capture), ("lint", ELF)):
            with self.subTest(command=command):
                self.check(*command, crashes=LIBDW)

    def test_top(self):
        """Its line begins with the time."""
        self.check("top", "-e", ELF, self.capture, crashes=LIBDW, says=b"samples received")

    def test_page(self):
        """Without instructions: what fails in objdump is its own."""
        self.check("html", "--objdump", "no-such-objdump", "-e", ELF, self.capture,
                   crashes=LIBDW, says=b"html: warning: no-such-objdump: ")

    def test_commands_that_need_no_lines(self):
        for command in (("info", "-e", ELF, self.capture), ("info", "--json", self.capture),
                        ("merge", "-o", "/dev/stdout", self.capture, self.capture)):
            with self.subTest(command=command):
                self.check(*command)

    def test_exports(self):
        """svg is left out: of its 44,000 allocations 99 % are graphviz', pango's, fontconfig's
        and glib's, which end the program."""
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
