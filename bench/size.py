#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Measures ROM, RAM and stack of the profiler in firmware for the emulated micro:bit, from the
linker's map and the code. See README.md."""
import re
import sys

import stack
from emulator import Firmware
from goals import Goals, table

FULL = "-DMCUPROF_ENTRIES=8"
TIMED_HOOKS = ("__cyg_profile_func_enter", "__cyg_profile_func_exit")
BLOCK_FLAGS = ("EXAMPLE_CFLAGS=-fsanitize-coverage=trace-pc",)
SECTION = re.compile(r"^ \.(text|rodata|data|bss)(?:\.(\S+))?\s+0x[0-9a-f]+\s+0x([0-9a-f]+)"
                     r"\s+(\S+\.o)$", re.M)
# The board's code: the UART's set-up belongs to the link. The timer and the rest of the set-up are
# shown and added apart, because the goal is for calls, samples, cache, ring, UART, start and stop.
LINK_INIT = "link_init"
BOARD = {"board_init", "mcuprof_timer_start", "mcuprof_timer_set", "mcuprof_timer_stop"}
CONSOLE = {"mcuprof_write", "mcuprof_put_text"}  # the program's own text is no part of profiling


class Section:
    """A section's kind (text, rodata, data, bss), name, bytes, and object file."""

    def __init__(self, kind, name, size, path):
        self.kind, self.bytes = kind, int(size, 16)
        self.name = (name or kind).split(".")[0]  # a compiler's copy has a suffix
        self.path = path

    def profiler(self):
        return self.bytes and ("/target/" in self.path or (
            "/boards/" in self.path and
            (self.name.startswith("mcuprof_") or self.name == LINK_INIT or
             self.name in BOARD)))


def sections(firmware):
    """Returns the sections of the profiler that the linker kept."""
    with open(firmware.elf.replace(".elf", ".map"), encoding="utf-8") as file:
        kept = file.read().split("Linker script and memory map", 1)[1]
    found = [Section(*match) for match in SECTION.findall(kept)]
    return [section for section in found if section.profiler()]


def rom(found):
    return sum(s.bytes for s in found if s.kind != "bss" and s.name not in CONSOLE and
               s.name not in BOARD)


def board(found):
    return sum(s.bytes for s in found if s.name in BOARD)


def ram(found):
    return sum(s.bytes for s in found if s.kind in ("data", "bss"))


def print_rom(goals):
    found = sections(Firmware("fib", FULL))
    print("ROM by function, -Os, 8 entries")
    rows = [(s.name, "port" if "/boards/" in s.path else "mcuprof", s.kind, s.bytes)
            for s in found if s.kind != "bss" and s.name not in CONSOLE and s.name not in BOARD]
    rows.append(("all", "", "", rom(found)))
    rows += [(s.name, "board", s.kind, s.bytes) for s in found if s.name in BOARD]
    rows.append(("all, the board's timer and set-up included", "", "",
                 rom(found) + board(found)))
    rows += [(f"{s.name}, not in the sum", "mcuprof", s.kind, s.bytes)
             for s in found if s.name in CONSOLE]
    table(("", "of", "", "bytes"), rows)
    goals.ours["rom"] = rom(found)


def print_knobs(goals):
    rows = []
    for name, knobs in (
            ("ENTRIES=0", "-DMCUPROF_ENTRIES=0"),
            ("ENTRIES=1", "-DMCUPROF_ENTRIES=1"),
            ("ENTRIES=8", FULL),
            ("ENTRIES=16, RING_BYTES=256: the defaults", "-DMCUPROF_RING_BYTES=256"),
            ("ENTRIES=32", "-DMCUPROF_ENTRIES=32"),
            ("ENTRIES=8, SAMPLES=0", FULL + " -DMCUPROF_SAMPLES=0"),
            ("ENTRIES=8, ARCS=0", FULL + " -DMCUPROF_ARCS=0"),
            ("ENTRIES=8, DITHER=0", FULL + " -DMCUPROF_DITHER=0"),
            ("ENTRIES=8, KEEP_FLAGS=1", FULL + " -DMCUPROF_KEEP_FLAGS=1"),
            ("ENTRIES=8, BLOCKS=1", FULL + " -DMCUPROF_BLOCKS=1"),
            ("ENTRIES=8, WAIT=1", FULL + " -DMCUPROF_WAIT=1")):
        ring = "" if "RING" in knobs else " -DMCUPROF_RING_BYTES=64"
        variables = BLOCK_FLAGS if "BLOCKS" in knobs else ()
        found = sections(Firmware("fib", knobs + ring, variables=variables))
        rows.append((name, rom(found), ram(found)))
        goals.ours.setdefault("ram", ram(found))
    print("Knobs: bytes of ROM and of static RAM, ring of 64 bytes")
    table(("", "ROM", "RAM"), rows)


def print_stack(goals):
    rows = []
    for name, knobs in (("8 entries", FULL), ("no cache", "-DMCUPROF_ENTRIES=0"),
                        ("8 entries, WAIT=1", FULL + " -DMCUPROF_WAIT=1")):
        firmware = Firmware("truth", knobs)
        code = stack.Code(firmware.elf)
        parts = code.parts()
        worst, path = stack.worst(parts)
        goals.ours.setdefault("stack", worst)
        rows += [(f"{name}: {part}", depth.deepest, depth.open)
                 for part, depth in parts.items()]
        used = stack.Used(firmware, code).most
        rows += [(f"{name}: " + " + ".join(path), worst, "-"),
                 (f"{name}: seen in examples/truth", used, "-")]
        if used > worst:
            sys.exit(f"{firmware.elf}: used {used} bytes, more than the worst, {worst}")
    timed = "-DMCUPROF_CALLS=1 -DMCUPROF_SAMPLES=0 -DMCUPROF_RING_BYTES=1024"
    by_task = ("__gnu_mcount_nc", "mcuprof_task_switch")
    for name, example, knobs, functions in (
            ("calls timed", "truth", timed, TIMED_HOOKS),
            ("by task", "chibios", FULL, by_task),
            ("calls timed by task", "chibios", timed, (*TIMED_HOOKS, "mcuprof_task_switch"))):
        code = stack.Code(Firmware(example, knobs).elf)
        depths = [(function, code.depth(function)) for function in functions]
        rows += [(f"{name}: {function}", depth.deepest, depth.open)
                 for function, depth in depths]
    print("Stack, bytes; and the most while other interrupts may come on top")
    table(("", "deepest", "not masked"), rows)


def main():
    goals = Goals()
    print_rom(goals)
    print_knobs(goals)
    print_stack(goals)
    return goals.report()


if __name__ == "__main__":
    sys.exit(main())
