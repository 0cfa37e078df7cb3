# SPDX-License-Identifier: MIT
"""Functions that are inlined, also into themselves: each address has the functions and lines that
addr2line tells."""
import gzip
import os
import re
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from elves import ARM, InFolder, mcuprof, run  # noqa: E402

CODE = """extern volatile int port;
static int sum(int n) {
    if (n < 2)
        return port;
    int below = sum(n - 1);
    return below * port + sum(n - 2);
}
static inline __attribute__((always_inline)) int twice(int n) { return sum(n) + sum(n + 1); }
int main(int n) { return twice(n) - 1; }
volatile int port;
"""


class Inlined(InFolder):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        source = os.path.join(cls.folder.name, "t.c")
        cls.elf = os.path.join(cls.folder.name, "t.elf")
        with open(source, "w", encoding="ascii") as out:
            out.write(CODE)
        run(ARM + "gcc", "-O3", "-g", "-mthumb", "-mcpu=cortex-m3", "-nostdlib", "-e", "main",
            "-Ttext=0x8000", "-o", cls.elf, source)
        code = run(ARM + "objdump", "-d", cls.elf).stdout.decode()
        cls.addresses = [int(at, 16) for at in
                         re.findall(r"^ +([0-9a-f]+):\t[^\t]*\t(?!nop)", code, re.M)]
        told = run(ARM + "addr2line", "-fia", "-e", cls.elf, *map(hex, cls.addresses))
        cls.frames = {}
        for part in re.split(r"^0x", told.stdout.decode(), flags=re.M)[1:]:
            cls.frames[int(part.split()[0], 16)] = [
                (name, int(line)) for name, line in re.findall(r"(\S+)\n\S+:(\d+)", part)]
        cls.log = os.path.join(cls.folder.name, "run.log")
        with open(cls.log, "w", encoding="ascii") as out:
            out.writelines(f"{at:x} {cls.addresses[-1]:x}\n" for at in cls.addresses)

    def test_pprof(self):
        self.assertTrue(any([name for name, _ in frames].count("sum") > 2
                            for frames in self.frames.values()))
        out = os.path.join(self.folder.name, "out.pb.gz")
        mcuprof("export", "--to", "pprof", "-e", self.elf, "-o", out, self.log)
        with gzip.open(out) as file:
            text = run("protoc", "--decode=pprof.Profile", "-Ihost/export", "pprof.proto",
                       stdin=file.read()).stdout.decode()
        strings = re.findall(r'^string_table: "(.*)"$', text, re.M)
        functions = {number: strings[int(name)] for number, name in re.findall(
            r"^function \{\n  id: (\d+)\n  name: (\d+)", text, re.M)}
        found = {}
        for block in re.findall(r"^location \{\n(.*?)^\}", text, re.M | re.S):
            at = int(re.search(r"address: (\d+)", block)[1])
            found[at] = [(functions[function], int(line)) for function, line in re.findall(
                r"function_id: (\d+)\n    line: (\d+)", block)]
        found.pop(self.addresses[-1] - 1)  # the caller of all
        self.assertEqual(found, self.frames)


if __name__ == "__main__":
    unittest.main()
