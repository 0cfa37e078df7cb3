# SPDX-License-Identifier: MIT
"""Compares bench/'s cycle model with sequences that were counted by hand from the Cortex-M0+
Technical Reference Manual, and tests how it reads disassembly and the emulator's log."""
import os
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, "bench")
import emulator  # pylint: disable=wrong-import-position
import m0plus  # pylint: disable=wrong-import-position
import stack  # pylint: disable=wrong-import-position

# The instructions have the addresses 0, 2, 4, ...
SOURCE = """
    .syntax unified
    .cpu cortex-m0plus
    .thumb
    .globl  first
    .type   first, %function
first:
    push    {r4, r5, lr}
    sub     sp, #8
loop:
    ldr     r0, [r1]
    strb    r0, [r1, #3]
    subs    r2, #1
    bne     loop
    mrs     r3, primask
    cpsid   i
    msr     primask, r3
    muls    r0, r3, r0
    bl      second
    b       out
    nop
out:
    ldmia   r1!, {r2, r3}
    add     sp, #8
    pop     {r4, r5, pc}
    .globl  second
    .type   second, %function
second:
    mov     r0, lr
    push    {r0-r3}
    pop     {r0-r3}
    bx      lr
"""


def assemble(source):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "code.o")
        subprocess.run(["arm-none-eabi-as", "-o", path, "-"], input=source, text=True,
                       check=True)
        linked = os.path.join(folder, "code.elf")
        subprocess.run(["arm-none-eabi-ld", "-Ttext=0", "-e", "first", "-o", linked, path],
                       check=True)
        return m0plus.load(linked)


class Model(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        code = assemble(SOURCE)
        cls.code = [code[address] for address in sorted(code)]
        cls.named = {(i.function, i.mnemonic): i for i in cls.code}

    def cycles(self, function, mnemonic):
        return self.named[function, mnemonic].cycles

    def test_each(self):
        for function, mnemonic, cycles in (
                ("first", "push", 4), ("first", "sub", 1), ("loop", "ldr", 2),
                ("loop", "strb", 2), ("loop", "subs", 1), ("loop", "mrs", 3),
                ("loop", "cpsid", 1), ("loop", "msr", 3), ("loop", "muls", 1),
                ("loop", "bl", 3), ("loop", "b", 2), ("out", "ldmia", 3),
                ("out", "pop", 6), ("second", "push", 5), ("second", "pop", 5),
                ("second", "mov", 1), ("second", "bx", 2)):
            with self.subTest(mnemonic=mnemonic):
                self.assertEqual(self.cycles(function, mnemonic), cycles)

    def test_path(self):
        at = {(i.function, i.mnemonic): n for n, i in enumerate(self.code)}
        enter = self.code[:at["loop", "ldr"]]
        turn = self.code[at["loop", "ldr"]:at["loop", "bne"] + 1]
        middle = self.code[at["loop", "mrs"]:at["loop", "bl"] + 1]
        called = self.code[at["second", "mov"]:]
        back = [self.code[at["loop", "b"]]] + self.code[at["out", "ldmia"]:
                                                       at["out", "pop"] + 1]
        # entry 5, a turn that jumps back 7, the last turn 6, the rest 11, 13 and 12
        self.assertEqual(m0plus.cycles(enter + turn + turn + middle + called + back),
                         5 + 7 + 6 + 11 + 13 + 12)

    def test_stack(self):
        self.assertEqual([i.stack for i in self.code if i.stack],
                         [12, 8, -8, -12, 16, -16])

    def test_targets(self):
        branch = self.named["loop", "bne"]
        self.assertTrue(branch.conditional)
        self.assertEqual(branch.target, self.named["loop", "ldr"].address)
        self.assertEqual(self.named["loop", "bl"].goal, "second")


class Log(unittest.TestCase):
    def test_events(self):
        log = ["Trace 0: 0x7f3a20022b40 [00800400/0000057c/00000510/ff020201] a\n",
               "Trace 0: 0x7f3a20022c80 [00800400/0000057e/00000510/ff020201] a\n",
               "Stopped execution of TB chain before 0x7f3a20022c80 [0000057e] a\n",
               "Taking exception 5 [IRQ] on CPU 0\n",
               "...taking pending nonsecure exception 24\n",
               "...loaded new PC 0x5dd\n",
               "Trace 0: 0x7f3a2002c280 [00800401/000005dc/00000510/ff020201] b\n",
               "cpu_io_recompile: rewound execution of TB to 000005dc\n",
               "Trace 0: 0x7f3a2002c3c0 [00800401/000005dc/00000510/ff020201] b\n",
               "Exception return: magic PC fffffff9 previous exception 24\n",
               "...successful exception return\n",
               "Trace 0: 0x7f3a20022c80 [00800400/0000057e/00000510/ff020201] a\n"]
        self.assertEqual(list(emulator.events(log)), [0x57c, -24, 0x5dc, 0, 0x57e])


class Walk(unittest.TestCase):
    def test_depth(self):
        """The deepest stack is 60 bytes. It is 20 bytes where an interrupt may come, between the
        masked parts."""
        code = stack.Code.__new__(stack.Code)
        code.code = assemble("""
            .syntax unified
            .cpu cortex-m0plus
            .thumb
            .globl first
            .type first, %function
        first:
            push {r4-r7, lr}
            mrs r4, primask
            cpsid i
            bl second
            msr primask, r4
            pop {r4-r7, pc}
            .globl second
            .type second, %function
        second:
            cmp r0, #0
            beq 1f
            push {r0-r4, lr}
            sub sp, #16
            add sp, #16
            pop {r0-r4, pc}
        1:
            push {lr}
            pop {pc}
        """)
        code.entries = {i.function: i.address for i in code.code.values() if i.entry}
        code.functions, code.known = set(), {}
        depth = code.depth("first")
        self.assertEqual((depth.deepest, depth.open), (60, 20))
        self.assertEqual(code.functions, {"first", "second"})


if __name__ == "__main__":
    unittest.main()
