# SPDX-License-Identifier: MIT
"""Captures of timed calls that are made by hand, for the tests of what is shown of them."""

import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from elves import InFolder, assemble, mcuprof  # noqa: E402
from wire import Stream  # noqa: E402

NAMES = ("main", "fast", "slow", "work", "odd", "even", "handler", "end")
MAIN, FAST, SLOW, WORK, ODD, EVEN, HANDLER = (0x8000 + 64 * i for i in range(7))


# Each of the first three functions has three instructions outside of its hooks, beside those for
# arguments; `branches` branches before its first hook.
CODE = """
    main:
        bl outer
    outer: push {r4, lr}
        movs r0, r1
        mov r1, lr
        bl __cyg_profile_func_enter
        bl inner
        bl branches
        bl __cyg_profile_func_exit
        movs r0, r4
        pop {r4, pc}
    inner: push {r4, lr}
        movs r0, r1
        mov r1, lr
        bl __cyg_profile_func_enter
        bl __cyg_profile_func_exit
        movs r0, r4
        pop {r4, pc}
    recursive: push {r4, lr}
        movs r0, r1
        mov r1, lr
        bl __cyg_profile_func_enter
        bl recursive
        bl __cyg_profile_func_exit
        movs r0, r4
        pop {r4, pc}
    branches: push {r4, lr}
        cmp r0, #0
        beq 1f
        mov r1, lr
    1:  bl __cyg_profile_func_enter
        bl __cyg_profile_func_exit
        pop {r4, pc}
    __cyg_profile_func_enter: bx lr
    __cyg_profile_func_exit: bx lr
"""
# A function whose loop has six instructions and what is added to it; nothing is before the hooks
# but their arguments.
LOOPED = """
    main:
        bl outer
    outer: bl __cyg_profile_func_enter
        bl loop
        bl __cyg_profile_func_exit
        bx lr
    loop: movs r0, r4
        mov r1, lr
        bl __cyg_profile_func_enter
        movs r0, #9
    1:  ldrb r2, [r3]
        strb r2, [r3]
        adds r3, #1
        subs r0, #1
        cmp r0, #0
        ADDED
        bne 1b
        movs r0, r4
        mov r1, lr
        bl __cyg_profile_func_exit
        bx lr
    __cyg_profile_func_enter: bx lr
    __cyg_profile_func_exit: bx lr
"""
# Nothing is in inner but its hooks, two instructions outside of them and their arguments.
SAVES = """
    main:
        bl outer
    outer: bl __cyg_profile_func_enter
        bl inner
        bl __cyg_profile_func_exit
        bx lr
    __cyg_profile_func_enter: bx lr
    __cyg_profile_func_exit: bx lr
    inner: push {r4, lr}
        movs r0, r4
        mov r1, lr
        bl __cyg_profile_func_enter
        movs r0, r4
        mov r1, lr
        bl __cyg_profile_func_exit
        pop {r4, pc}
"""


def looped(added):
    return LOOPED.replace("ADDED", added)


def without_hooks(code):
    return re.sub(r"( +movs r0, r4\n +mov r1, lr\n)? +bl __cyg.*\n", "", code)


PAIR = 146  # instructions of a pair of hooks on a Cortex-M
HOOKS_ERROR, HOOKS_COMMON, CODE_ERROR, LOOPS_ERROR = 0.018, 0.004, 0.025, 0.12
SHIPPED_ERROR, INLINED_ERROR, DIFFERS_ERROR = 0.015, 0.05, 0.25
# Of the three instructions a call, of 2 ticks, all but the return: what saves registers for hooks.
SAVING, SAVING_ERROR = 0.7 * 4, 0.6 * 4


def code_error(ticks, calls, instructions=32, instruction=10 / PAIR):
    """The compiler's error in the self time of code without loops; the functions of NAMES have 32
    instructions, and a pair of hooks takes 10 ticks."""
    return CODE_ERROR * min(ticks, calls * instructions * instruction)


def capture(path, lost=0, times=True):
    """Writes a capture with a function that has a fast and a slow caller, a cycle, recursion and
    an interrupt; main never returns."""
    stream = Stream()
    if times:
        stream.time(1000000, 3, 7, 100, 1000)
    stream.call(MAIN + 4, FAST, 10, 1000, 500, 80, 120)
    stream.call(MAIN + 8, SLOW, 2, 9000, 600, 4000, 5000)
    stream.call(FAST + 4, WORK, 10, 500, 500, 50, 50)
    stream.call(SLOW + 4, WORK, 4, 8400, 8400, 2000, 2200)
    stream.call(MAIN + 12, ODD, 1, 100, 10, 100, 100)
    stream.call(ODD + 6, EVEN, 3, 160, 40, 10, 90)
    stream.call(EVEN + 6, ODD, 2, 90, 50, 30, 60)
    stream.call(0xFFFFFFF8, HANDLER, 7, 70, 70, 10, 10)
    if times:
        stream.time(1000000, 3, 7, 200, 20000)
    stream.end(lost)
    stream.write(path)
    return path


class TimedCase(InFolder):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.elf = assemble(cls.folder.name, 0x8000,
                           [(0x8000 + 64 * i, 64, "T", name)
                            for i, name in enumerate(NAMES)])
        cls.path = capture(os.path.join(cls.folder.name, "run.mprof"))

    def report(self, *options, path=None):
        text = mcuprof("report", "-e", self.elf, *options, path or self.path).stdout.decode()
        return text.replace(self.folder.name + "/", "")

    def export(self, form, path=None):
        return mcuprof("export", "-e", self.elf, "--to", form,
                       path or self.path).stdout.decode()

    def other(self, name, **how):
        return capture(os.path.join(self.folder.name, name), **how)
