# SPDX-License-Identifier: MIT
"""Builds firmware and runs it in its emulator instruction by instruction."""
import hashlib
import itertools
import os
import re
import subprocess
import sys
import tempfile

import m0plus

TRACE = re.compile(r"Trace \d+: \S+ \[[0-9a-f]+/([0-9a-f]+)/")
ENTRY = re.compile(r"\.\.\.taking pending \S+ exception (\d+)")
# The last traced instruction has not been executed and will be traced again.
NOT_EXECUTED = ("cpu_io_recompile", "Stopped execution of TB chain before")


def make(*arguments):
    made = subprocess.run(["make", "-s", *arguments], text=True, stdout=subprocess.PIPE,
                          check=True)
    return made.stdout


def expand(text, *arguments):
    """Returns what the makefiles expand `text` to, as a list of words."""
    return make(f"--eval=show: ; @echo {text}", "show", *arguments).split()


class Firmware:
    """An example built with some knobs: its folder and its ELF. Samples have no call paths, unless
    the knobs say so."""

    def __init__(self, example, knobs="", board="microbit", variables=()):
        if "MCUPROF_PATHS" not in knobs:
            knobs = f"-DMCUPROF_PATHS=0 {knobs}".strip()
        key = hashlib.sha1(f"{knobs} {variables}".encode()).hexdigest()[:10]
        self.out = f"build/bench/{board}/{key}"
        self.elf = f"{self.out}/{example}.elf"
        self.wire = f"{self.out}/{example}.wire"
        self.arguments = [f"BOARD={board}", f"EXAMPLE={example}", f"KNOBS={knobs}",
                          f"OUT={self.out}", *variables]
        self.tools = expand("$(BOARD_TOOLS)", *self.arguments)[0]
        make("firmware", *self.arguments)

    def log(self):
        """Runs the firmware and yields the lines of the emulator's log; the file `wire` gets what
        the firmware sends."""
        command = expand("$(BOARD_RUN)", *self.arguments)
        with tempfile.TemporaryDirectory() as folder, open(self.wire, "wb") as wire:
            fifo = os.path.join(folder, "log")
            os.mkfifo(fifo)
            with subprocess.Popen(
                    [*command, self.elf, "-singlestep", "-d", "exec,nochain,int", "-D",
                     fifo], stdin=subprocess.DEVNULL, stdout=wire) as emulator:
                exited = False
                try:
                    with open(fifo, encoding="ascii", errors="replace") as log:
                        yield from log
                    exited = True
                finally:  # a reader that has seen enough leaves the emulator running
                    if not exited:
                        emulator.kill()
            if not exited or emulator.returncode != 0:
                raise RuntimeError(f"{self.elf}: ended early, or with a status other than 0")


def events(log):
    """Yields what happened as integers: the address of an executed instruction, -N at the entry of
    exception N, 0 at the return from one."""
    pending = None
    for line in log:
        match = TRACE.match(line)
        if match:
            if pending is not None:
                yield pending
            pending = int(match.group(1), 16)
        elif line.startswith(NOT_EXECUTED):
            pending = None
        elif line.startswith(("...taking pending", "Exception return")):
            if pending is not None:
                yield pending
            pending = None
            entry = ENTRY.match(line)
            yield -int(entry.group(1)) if entry else 0
    if pending is not None:
        yield pending


class Level:
    """Code between an exception's entry and its return, or the program itself (exception 0)."""

    def __init__(self, exception):
        self.exception, self.last = exception, None


class Watcher:
    """Watches a run in the order of events, with one exception: if an exception follows a
    conditional branch, the branch comes after it, when it is known where the branch went."""

    def entered(self, level):
        """The exception level.exception was entered."""

    def executed(self, level, instruction, cycles):
        """An instruction was executed at this cost."""

    def left(self, level):
        """An exception returned."""


def watch(firmware, *watchers, instructions=sys.maxsize):
    """Runs the firmware to its end or for so many instructions, and tells the watchers."""
    code, levels = m0plus.load(firmware.elf), [Level(0)]

    def settle(level, following):
        last = level.last
        if last:
            cycles = last.cycles_to(following)
            for watcher in watchers:
                watcher.executed(level, last, cycles)
            level.last = None

    for event in itertools.islice(events(firmware.log()), instructions):
        if event > 0:
            settle(levels[-1], event)
            levels[-1].last = code[event]
        elif event < 0:
            if levels[-1].last and not levels[-1].last.conditional:
                settle(levels[-1], None)
            levels.append(Level(-event))
            for watcher in watchers:
                watcher.entered(levels[-1])
        else:
            level = levels.pop()
            settle(level, None)
            for watcher in watchers:
                watcher.left(level)
