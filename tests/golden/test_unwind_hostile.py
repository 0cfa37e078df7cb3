# SPDX-License-Identifier: MIT
"""ELF files that somebody made up so that `mcuprof unwind` would take long: ten times the symbols
take ten times the time, or little more."""
import os
import resource
import struct
import subprocess
import tempfile
import unittest

from elves import PROGRAM

BASE, CODE = 0x8000, b"\x00\xbf\x70\x47"  # nop, bx lr
SECTIONS = b"\0.text\0.symtab\0.strtab\0.shstrtab\0"


def functions(name, count, code=CODE):
    """Returns an ELF of so many functions for ARM, all with one name and this code."""
    names, size = b"\0" + name.encode() + b"\0", len(code)
    symbols = bytes(16) + b"".join(
        struct.pack("<IIIBBH", 1, BASE + size * i | 1, size, 2, 0, 1) for i in range(count))
    code *= count
    parts, at, offsets = (code, symbols, names, SECTIONS), 52, []
    for part in parts:
        offsets.append(at)
        at += len(part)
    head = b"\x7fELF\1\1\1" + bytes(9) + struct.pack(
        "<HHIIIIIHHHHHH", 2, 40, 1, BASE | 1, 0, at, 0x05000000, 52, 32, 0, 40, 5, 4)
    rows = ((1, 1, 6, BASE, 0, 0, 4, 0), (7, 2, 0, 0, 3, count + 1, 4, 16),
            (15, 3, 0, 0, 0, 0, 1, 0), (23, 3, 0, 0, 0, 0, 1, 0))
    table = bytes(40) + b"".join(
        struct.pack("<10I", *row[:4], offset, len(part), *row[4:])
        for row, part, offset in zip(rows, parts, offsets))
    return head + b"".join(parts) + table


def jumping(count):
    """Returns the code of a function that calls as many places within itself, from the midst of
    whose calls code goes on, too; behind them each instruction is a branch."""
    code, behind = b"\x00\xb5", 6 * count + 2002  # push {lr}
    for i in range(count):
        ahead = (behind + 2 * i - 6 * i - 8) // 2
        code += struct.pack("<3H", 0xd000, 0xf000 | ahead >> 11, 0xf800 | ahead & 0x7ff)
    return code + b"\x01\xd0" * (count + 1000) + b"\x00\xbd"  # beq; pop {pc}


class Hostile(unittest.TestCase):
    def seconds(self, name, count, code=CODE):
        """Returns the processor's time."""
        with tempfile.NamedTemporaryFile(suffix=".elf") as elf:
            elf.write(functions(name, count, code))
            elf.flush()
            before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
            done = subprocess.run([PROGRAM, "unwind", elf.name], capture_output=True, text=True,
                                  check=False, env={**os.environ, "LC_ALL": "C"})
        self.assertIn("no section .mcuprof_unwind", done.stderr)  # it got as far as the table
        return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before

    def check(self, name, count):
        few = max(self.seconds(name, count), 0.01)
        self.assertLess(self.seconds(name, 10 * count), 60 * few)

    def test_wrappers_of_the_unwinder(self):
        """For each of these the program looks for calls in all of the code."""
        self.check("_Unwind_Resume", 2000)

    def test_jumps_that_change_what_is_known(self):
        """Code that is followed again and again is given up."""
        few = max(self.seconds("f", 1, jumping(300)), 0.1)
        self.assertLess(self.seconds("f", 1, jumping(3000)), 60 * few)

    def test_names_that_share_a_megabyte(self):
        """One string, which no demangler takes, names all functions."""
        short = max(self.seconds("a", 3000), 0.02)
        self.assertLess(self.seconds("a" * 1000000, 3000), 60 * short)

    def test_names_that_share_ten_megabytes(self):
        """Only the beginning of a name is searched, so its length does not count."""
        for letter in "a_":
            short, long = (min(self.seconds(letter * length, 20000) for _ in range(3))
                           for length in (10000, 10000000))
            self.assertLess(long, 3 * max(short, 0.05))


if __name__ == "__main__":
    unittest.main()
