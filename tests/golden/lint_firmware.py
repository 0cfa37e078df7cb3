# SPDX-License-Identifier: MIT
"""Builds firmware for `mcuprof lint`; each is wrong in one way."""
import glob
import json
import os
import pty
import re
import subprocess
import tempfile
import unittest

from mcuprof_run import PROGRAM

INCLUDES = ["-Itarget/include", "-Itarget/core", "-Iwire", "-Iboards"]
PROFILED = ["-pg", "-fno-optimize-sibling-calls", "-fno-lto"]
FIXED = ["-ffixed-r8", "-ffixed-r9", "-ffixed-r10", "-ffixed-r11"]
TIMED = ["-finstrument-functions", "-fno-optimize-sibling-calls", "-fno-defer-pop",
         "-fno-tree-ter", "-fno-lto"]
LINK = ["-Wl,--build-id", "-Wl,-T,target/mcuprof.ld"]
APP = """
#include "mcuprof.h"
volatile int seen;
__attribute__((noinline)) int work(int n) { seen += n; for (; n > 0; n--) seen ^= n; return seen; }
__attribute__((noinline)) int twice(int n) { seen++; return work(n) + work(n + 1) + seen; }
int main(void)
{
    mcuprof_start();
    int sum = twice(3) + work(2);
    mcuprof_end();
    return sum;
}
"""

MANY = """
extern int u(int, int, int, int);
__attribute__((noinline)) int u(int a, int b, int c, int d) { return seen + a * b + c * d; }
__attribute__((noinline)) int many(int a, int b, int c, int d)
{
    int s = 0;
    for (int i = 0; i < a; i++)
        s += u(a, b, c, d) + u(b, c, d, s) * i + u(i, a * b, c * d, b * d) +
             u(i + 1, a * b, c * d, b * d) * (a - b) + (b * c) * (c + d);
    return s;
}
int main(void)"""
LEAVES = "__attribute__((noinline)) __attribute__((used)) void leaves(void) { seen = 4; }\n"


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(command)}\n{done.stderr}")
    return done.stdout


def lint(elf, *options):
    return subprocess.run([PROGRAM, "lint", *options, elf], capture_output=True, text=True,
                          check=False, timeout=180)


def lint_on_terminal(elf, columns, *options):
    """Returns what the command prints on a terminal of so many columns."""
    ours, its = pty.openpty()
    process = subprocess.Popen([PROGRAM, "lint", "--no-pager", *options, elf], stdout=its,
                               stderr=subprocess.DEVNULL,
                               env={**os.environ, "COLUMNS": str(columns), "TERM": "dumb"})
    os.close(its)
    text = b""
    try:
        while data := os.read(ours, 65536):
            text += data
    except OSError:  # the terminal is closed
        pass
    os.close(ours)
    process.wait(60)
    return text.decode().replace("\r\n", "\n")


class Board(unittest.TestCase):
    """Compiles the library for a board once, and a program for each test."""
    tools, machine, link, includes = "arm-none-eabi-", [], [], []
    profiled = PROFILED
    board = []  # source files

    @classmethod
    def setUpClass(cls):
        cls.shared = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.shared.cleanup)
        cls.built = {}

    @classmethod
    def compile(cls, folder, source, flags=()):
        part = os.path.join(folder, os.path.basename(source) + ".o")
        run(cls.tools + "gcc", *cls.machine, "-Os", "-g", "-ffunction-sections",
            "-fdata-sections", *cls.includes, *INCLUDES,
            '-DMCUPROF_CONFIG="mcuprof_board.h"', *flags, "-c", "-o", part, source)
        return part

    @classmethod
    def library(cls, knobs):
        """Returns {source: object} of the library and the board with these knobs."""
        key = tuple(knobs)
        if key not in cls.built:
            folder = os.path.join(cls.shared.name, str(len(cls.built)))
            os.mkdir(folder)
            cls.built[key] = {source: cls.compile(folder, source, knobs)
                              for source in cls.sources()}
        return cls.built[key]

    @classmethod
    def sources(cls):
        return [*sorted(glob.glob("target/core/*.c")),
                *sorted(glob.glob(f"target/arch/{cls.arch}/*.[cS]")), *cls.board]

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = temporary.name
        self.elf = os.path.join(self.folder, "fw.elf")

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def build(self, app=APP, flags=None, knobs=(), more=(), again=None, instead=None,
              script=LINK, unwind=True):
        """Links a program. again: {source of the board: flags} to compile it again with; instead:
        {source of the board: function that changes its text}."""
        objects = dict(self.library(knobs))
        for source, change in (instead or {}).items():
            with open(source, encoding="utf-8") as file:
                text = file.read()
            self.assertNotEqual(change(text), text)
            again = {source: [], **(again or {})}
            objects[source] = self.write(os.path.basename(source), change(text))
        for source, others in (again or {}).items():
            path = objects[source] if source in (instead or {}) else source
            objects[source] = self.compile(self.folder, path, [*knobs, *others])
        objects["app"] = self.compile(
            self.folder, self.write("app.c", app),
            [*knobs, *(self.profiled if flags is None else flags)])
        run(self.tools + "gcc", *self.machine, "-g", *script, *self.link, "-o", self.elf,
            *objects.values(), *more)
        if unwind:
            subprocess.run([PROGRAM, "unwind", self.elf], capture_output=True, check=False)
        return self.elf

    def findings(self, *options):
        """Returns {rule: finding} of the ELF; checks the exit status."""
        done = lint(self.elf, "--json", *options)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        said = json.loads(done.stdout)
        levels = [finding["level"] for finding in said["findings"]]
        for level in ("error", "warning", "note"):
            self.assertEqual(levels.count(level), said[level + "s"])
        self.assertEqual(done.returncode, 1 if "error" in levels else 0)
        self.summary = said["functions"]
        return {finding["rule"]: finding for finding in said["findings"]}

    def bad(self):
        """Returns {rule: names of its places} of errors and warnings."""
        return {rule: [place["function"] for place in finding["places"]]
                for rule, finding in self.findings().items() if finding["level"] != "note"}

    def places(self, rule):
        return [place["function"] for place in self.findings()[rule]["places"]]


    def patch(self, section, offset, data):
        header = run(self.tools + "readelf", "-SW", self.elf)
        start = int(re.search(re.escape(section) + r" +PROGBITS +\w+ (\w+)", header)[1], 16)
        with open(self.elf, "r+b") as file:
            file.seek(start + offset)
            file.write(data)
