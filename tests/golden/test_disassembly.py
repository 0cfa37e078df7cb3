#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""annotate --asm gives objdump only the functions that it shows: each of their instructions must
be as objdump prints it of the whole program."""
import os
import re
import tempfile
import unittest

import elves

OBJDUMP = elves.ARM + "objdump"
OURS = re.compile(r"^ .*?  ([0-9a-f]{4,8})  +(\S.*)$", re.M)
THEIRS = re.compile(r"^ *([0-9a-f]+):\t(\S.*)$", re.M)

# Wide code, narrow code without a mapping symbol of its own, data amid code, calls of what is not
# shown, code in two more sections, one of which comes later in the file but earlier in memory.
CODE = """
    .syntax unified
    .cpu cortex-a8
    .text
    .set number, .
    .global number
    .arm
    .type wide, %function
wide:
    ldr r0, =0x12345678
    bl left_out_2
    b wide + 4
    .ltorg
    .type left_out_1, %function
left_out_1:
    bx lr
    .space 2000
    .thumb
    .thumb_func
left_out_2:
    nop
    nop
    .thumb_func
narrow:
    ldr r0, =0x87654321
    blx wide
    bl left_out_1
    b.w left_out_2 + 2
    .short 0x4770
    .byte 0, 0
    .ltorg
    .thumb_func
left_out_3:
    movs r0, 0
    bx lr
    .space 4000
    .arm
    .type behind, %function
behind:
    bl left_out_3
    bx lr
    .section .ram, "ax"
    .arm
    .type in_ram, %function
in_ram:
    bl far
    bx lr
    .section .early, "ax"
    .thumb
    .thumb_func
early:
    bl narrow
    bx lr
    .section .far, "ax"
    .thumb
    .thumb_func
far:
    bx lr
"""
SHOWN = ["wide", "narrow", "behind", "in_ram", "early"]
MANY = "    .text\n" + "".join(
    f"    .thumb_func\n    .type more_{i}, %function\nmore_{i}:\n    bx lr\n" for i in range(5000))


def instructions(pattern, text):
    return {int(at, 16): " ".join(code.split()) for at, code in pattern.findall(text)}


class Disassembly(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def check(self, code):
        elf, log = (os.path.join(self.folder.name, name) for name in ("code.elf", "code.log"))
        with open(elf + ".s", "w", encoding="ascii") as out:
            out.write(code)
        elves.run(elves.ARM + "as", "-o", elf + ".o", elf + ".s")
        elves.run(elves.ARM + "ld", "-Ttext=0x8000", "-e", "0x8000", "--section-start=.early=0x2000",
                  "--section-start=.ram=0x800000", "--section-start=.far=0x900000", "-o", elf,
                  elf + ".o")
        listed = [line.split() for line in
                  elves.run(elves.ARM + "nm", "-n", elf).stdout.decode().splitlines()]
        starts = {name: int(at, 16) & ~1 for at, _, name in listed}
        with open(log, "w", encoding="ascii") as out:
            out.write("".join(f"{starts[name]:x}\n" for name in SHOWN))
        ours = instructions(OURS, elves.mcuprof(
            "annotate", "--asm", "--limit", "0", "--hz", "1000", "-e", elf, log).stdout.decode())
        theirs = instructions(THEIRS, elves.run(
            OBJDUMP, "-d", "-z", "-C", "--no-show-raw-insn", elf).stdout.decode())
        ends = sorted(set(starts.values()))
        shown = {at: text for at, text in theirs.items()
                 if any(starts[name] <= at < next(
                     (end for end in ends if end > starts[name]), at + 1) for name in SHOWN)}
        self.assertEqual(ours, shown)
        return ours.values()

    def test_each_instruction_is_that_of_the_whole_program(self):
        said = "\n".join(self.check(CODE))
        for name in ("<left_out_1>", "<left_out_2>", "<left_out_2+0x2>", "<left_out_3>", "<far>",
                     "<wide>", "<narrow>", ".word 0x87654321"):
            self.assertIn(name, said)

    def test_with_so_many_symbols_that_most_are_left_out(self):
        self.assertEqual(set(self.check(CODE + MANY)), set(self.check(CODE)))


if __name__ == "__main__":
    unittest.main()
