#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Measures cycles, ROM, RAM and stack of profiling on an ATmega1284P; simavr counts the cycles.
See README.md."""
import collections
import os
import re
import subprocess
import sys

import emulator
import size
import stack_avr
from goals import table

BOARD = "atmega1284p"
ENTER, EXIT, SAMPLE = "__cyg_profile_func_enter", "__cyg_profile_func_exit", "mcuprof_sample_isr"
COUNT = "mcuprof_count"
STOPPED = 20 # a hook that takes fewer cycles did nothing
# The simulator counts from a function's first instruction to the one after its call. Added to that
# are the call or, for an interrupt, its entry and its vector's jump.
BEFORE = {ENTER: 4, EXIT: 4, SAMPLE: 4 + 3}


def spans(firmware):
    """Returns {(function, whether its counter was at its own place): [cycles]} of a run."""
    command = [*emulator.expand("$(BOARD_RUN)", *firmware.arguments)]
    for function in (*BEFORE, COUNT):
        command += ["-t", function]
    done = subprocess.run([*command, firmware.elf], stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, check=True, text=True, timeout=300)
    found, running = collections.defaultdict(list), []
    for line in done.stderr.splitlines():
        sign, function, cycle = line.split()
        if sign == "+":
            for outer in running:
                outer[2] = outer[2] and function != COUNT
                outer[3] = outer[3] and function != SAMPLE  # the sample's time is not the hook's
            running.append([function, int(cycle), True, True])
        else:
            function, began, own, alone = running.pop()
            if function in BEFORE and alone:
                found[function, own].append(int(cycle) - began + BEFORE[function])
    return found


def cycles():
    rows = []
    for name, example, knobs in (
            ("fib", "fib", "-DMCUPROF_ENTRIES=8"), ("truth", "truth", "-DMCUPROF_ENTRIES=8"),
            ("truth, paths", "truth", "-DMCUPROF_ENTRIES=8 -DMCUPROF_PATHS=12")):
        found = spans(emulator.Firmware(example, knobs, BOARD))
        for (function, own), taken in sorted(found.items()):
            for which, of in (("stopped", [c for c in taken if c < STOPPED]),
                              ("own place" if own else "searched, sent",
                               [c for c in taken if c >= STOPPED])):
                if of:
                    rows.append((f"{name}: {function}", which, len(of), min(of),
                                 sum(of) / len(of), max(of)))
    print(f"{BOARD}: cycles, call or interrupt included")
    table(("", "", "events", "min", "mean", "max"), rows)


def memory():
    rows = []
    for name, knobs in (
            ("ENTRIES=0, RING_BYTES=64", "-DMCUPROF_ENTRIES=0 -DMCUPROF_RING_BYTES=64"),
            ("ENTRIES=8, RING_BYTES=64", "-DMCUPROF_ENTRIES=8 -DMCUPROF_RING_BYTES=64"),
            ("ENTRIES=16, RING_BYTES=256: the defaults", ""),
            ("ARCS=0, ENTRIES=0", "-DMCUPROF_ARCS=0 -DMCUPROF_ENTRIES=0"),
            ("the same, PATHS=12; without the table", "-DMCUPROF_ARCS=0 -DMCUPROF_PATHS=12")):
        firmware = emulator.Firmware("fib", knobs, BOARD)
        symbols = subprocess.run([firmware.tools + "nm", "-S", firmware.elf], check=True,
                                 stdout=subprocess.PIPE, text=True).stdout
        state = re.search(r"^\w+ (\w+) B mcuprof_state$", symbols, re.M)
        rows.append((name, size.rom(size.sections(firmware)), int(state[1], 16)))
    print(f"{BOARD}: bytes of ROM and of static RAM")
    table(("", "ROM", "RAM"), rows)


def stack():
    """Prints the stack; returns whether no run used more than was computed."""
    rows, missed = [], []
    for name, knobs in (
            ("8 entries", "-DMCUPROF_ENTRIES=8"), ("no cache", "-DMCUPROF_ENTRIES=0"),
            ("8 entries, WAIT", "-DMCUPROF_ENTRIES=8 -DMCUPROF_WAIT=1"),
            ("8 entries, paths", "-DMCUPROF_ENTRIES=8 -DMCUPROF_PATHS=12"),
            ("timed calls, 8 entries", "-DMCUPROF_ENTRIES=8 -DMCUPROF_CALLS=1 -DMCUPROF_DEPTH=40 "
             "-DMCUPROF_SAMPLE_HZ=500")):
        firmware = emulator.Firmware("truth", knobs, BOARD)
        parts, used = stack_avr.worst(firmware), stack_avr.used(firmware)
        for entry, depth in parts.items():
            rows.append((f"{name}: {entry}", depth.deepest, used[entry]))
            if not 0 < used[entry] <= depth.deepest:
                missed.append(rows[-1])
        rows.append((f"{name}: nested", stack_avr.nested(parts), "-"))
    print(f"{BOARD}: bytes of stack, return addresses and program counters included")
    table(("", "at most", "used"), rows)
    for row in missed:
        print("WRONG: more was used than computed, or nothing:", *row)
    return not missed


if __name__ == "__main__":
    os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
    cycles()
    memory()
    sys.exit(0 if stack() else 1)
