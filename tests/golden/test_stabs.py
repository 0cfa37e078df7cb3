# SPDX-License-Identifier: MIT
"""Lines from stabs, which avr-gcc writes: reports agree with GNU's avr-addr2line, in a program that
has files with stabs, with DWARF and with neither."""
import collections
import csv
import io
import os
import re
import shutil
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from elves import mcuprof, run  # noqa: E402

SOURCES = {
    "main.c": """#include <string.h>
#include "steps.h"
int dwarf(int n);
void bare(void);
volatile int sink;
static __attribute__((noinline)) int work(int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += step(i) + inlined(i);
    return sum;
}
int main(void)
{
    char text[20];
    memset(text, 1, sizeof text);
    for (;;) {
        sink = work(sink) + text[sink & 7];
        sink = dwarf(sink) / 3;
        bare();
    }
}
""",
    "steps.h": """static inline int inlined(int i)
{
    return i / 7;
}
static __attribute__((noinline)) int step(int i)
{
    if (i > 2)
        return i * 3;
    return i + 1;
}
""",
    "dwarf.c": """int dwarf(int n)
{
    for (int i = 0; i < 5; i++)
        n ^= n << i;
    return n;
}
""",
    "bare.S": """    .global bare
    .type bare, @function
bare:
    nop
    ret
""",
}
KNOWN = ("work", "step", "main", "dwarf")


class Stabs(unittest.TestCase):
    maxDiff = None
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp()
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        for name, text in SOURCES.items():
            with open(cls.path(name), "w", encoding="ascii") as file:
                file.write(text)
        cls.elf = cls.path("firmware.elf")
        objects = []
        for name, debug in (("main.c", "-gstabs"), ("dwarf.c", "-gdwarf-2"), ("bare.S", "-g0")):
            objects.append(cls.path(name + ".o"))
            run("avr-gcc", "-mmcu=atmega328p", "-O1", debug, "-c", "-o", objects[-1],
                cls.path(name))
        run("avr-gcc", "-mmcu=atmega328p", "-o", cls.elf, *objects)
        cls.functions = cls.read_functions()
        sampled = [at for name in (*KNOWN, "bare", "memset") for at in cls.functions[name]]
        cls.log = cls.path("run.pclog")
        with open(cls.log, "w", encoding="ascii") as file:
            file.writelines(f"{at:#x}\n" for at in sampled)

    @classmethod
    def path(cls, name):
        return os.path.join(cls.folder, name)

    @classmethod
    def read_functions(cls):
        """Returns {name: addresses of its instructions' words}."""
        listed = run("avr-nm", "-n", cls.elf).stdout.decode().split("\n")
        starts = [(int(line.split()[0], 16), line.split()[2]) for line in listed
                  if re.search(r" [tT] [^.]", line)]
        return {name: range(at, end, 2) for (at, name), (end, _) in zip(starts, starts[1:])}

    def judge(self, addresses):
        """Returns {(file, line): how many of the addresses belong to it} and {address: (file,
        line)}."""
        text = "\n".join(f"{at:#x}" for at in addresses).encode()
        told = run("avr-addr2line", "-e", self.elf, stdin=text).stdout.decode().split("\n")
        places = [(os.path.basename(line.split(":")[0]), int(line.split(":")[1].split()[0]))
                  for line in told if line]
        return dict(zip(addresses, places, strict=True))

    def expected(self, names=KNOWN):
        places = self.judge([at for name in names for at in self.functions[name]])
        return collections.Counter(places.values())

    def mcuprof(self, command, *arguments):
        return mcuprof(command, *arguments, "--format", "pclog", "-e", self.elf,
                       self.log).stdout.decode()

    def test_the_program_has_both_kinds(self):
        sections = run("avr-objdump", "-h", self.elf).stdout.decode()
        self.assertRegex(sections, r"\.stab .*\n(.*\n)*.*\.debug_line ")

    def test_report_lines(self):
        printed = self.mcuprof("report", "--lines")
        found = collections.Counter()
        for samples, file, line in re.findall(r"^ +[\d.]+ +(\d+) ±\d+ +(\S+):(\d+) ", printed, re.M):
            found[file, int(line)] += int(samples)
        self.assertEqual(found, self.expected())
        self.assertIn(("steps.h", 8), found)
        self.assertIn(("dwarf.c", 4), found)

    def test_code_behind_the_last_line_is_of_none(self):
        """Such code belongs to no line; GNU takes it for the line before."""
        printed = self.mcuprof("report", "--lines")
        for name in ("bare", "memset"):
            self.assertRegex(printed, rf"(?m)^.* \?  +{name}$")

    def test_annotate(self):
        for name in KNOWN:
            printed = self.mcuprof("annotate", "--focus", name)
            rows = re.findall(r"^ +[\d.]+ +(\d+) ±\d+ +(\d+)  ", printed, re.M)
            self.assertEqual({int(line): int(samples) for samples, line in rows},
                             {line: count for (_, line), count in self.expected([name]).items()})

    def test_export(self):
        rows = csv.DictReader(io.StringIO(self.mcuprof("export", "--to", "csv")))
        found = {row["name"]: (os.path.basename(row["file"]), row["line"]) for row in rows}
        for name in KNOWN:
            start = self.functions[name][0]
            file, line = self.judge([start])[start]
            self.assertEqual(found[name], (file, str(line)))
        self.assertEqual(found["bare"], ("", ""))


if __name__ == "__main__":
    unittest.main()
