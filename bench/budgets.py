#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares what profiling costs on the chip with the table in budgets.txt. A change that costs or
saves must edit the table, so that its diff shows the price. `make test` compares.

    bench/budgets.py            prints the rows that differ
    bench/budgets.py --write    writes the table anew
"""
import collections
import os
import subprocess
import sys

sys.path.append(os.path.dirname(os.path.abspath(__file__)))
import cycles  # noqa: E402
import size  # noqa: E402
import stack  # noqa: E402
from emulator import Firmware, expand  # noqa: E402

TABLE = "bench/budgets.txt"
CACHE_8 = "-DMCUPROF_ENTRIES=8"
SMALL = f"{CACHE_8} -DMCUPROF_RING_BYTES=64"
TIMED = f"{SMALL} -DMCUPROF_CALLS=1"
PATHS_ONLY = {"mps2-an385": ("HOOKS=0", "BOARD_CPU=cortex-m0"), "virt": ("HOOKS=0",)}
PORTS = (("Cortex-M0", "microbit", ()), ("ARM9, A32", "versatilepb", ("BOARD_STATE=-marm",)),
         ("ARM9, T32", "versatilepb", ("BOARD_STATE=-mthumb",)), ("RV32", "virt", ()),
         ("LEON3", "leon3", ()), ("ATmega1284P", "atmega1284p", ()))


def compiler():
    """Returns the compiler's version, because another version makes other code."""
    return subprocess.run(["arm-none-eabi-gcc", "--version"], check=True, text=True,
                          stdout=subprocess.PIPE).stdout.split("\n", 1)[0]


def memory():
    """Yields bytes of ROM and of static RAM, by port."""
    for port, board, variables in PORTS:
        for what, knobs in (("calls and samples", SMALL), ("timed calls", TIMED)):
            found = size.sections(Firmware("fib", knobs, board, variables))
            yield f"{port}, {what}: bytes of ROM", size.rom(found)
            if board != "atmega1284p":  # its linker has other names for sections
                yield f"{port}, {what}: bytes of RAM", size.ram(found)


def paths():
    """Yields the costs of call paths beyond those of samples, in firmware that counts nothing else.
    Measuring the time of their interrupt is part of them."""
    for port, board in ("Cortex-M0", "mps2-an385"), ("RV32", "virt"):
        with_paths, without = (
            size.sections(Firmware("blinky", f"-DMCUPROF_PATHS={depth} -DMCUPROF_ENTRIES=16 "
                                   "-DMCUPROF_ARCS=0", board, PATHS_ONLY[board]))
            for depth in (24, 0))
        yield f"{port}, paths: bytes of ROM", size.rom(with_paths) - size.rom(without)
        yield f"{port}, paths: bytes of RAM", size.ram(with_paths) - size.ram(without)


def timeline():
    """Yields the costs of a timeline on a Cortex-M0+: with marks, spans and handlers, compared
    with firmware in which these do nothing; and of the switches of ChibiOS/RT, with all that
    they send."""
    with_it, without = (size.sections(Firmware("timeline", f"{SMALL} -UMCUPROF_TIMELINE "
                                               f"-DMCUPROF_TIMELINE={on}")) for on in (1, 0))
    yield "Cortex-M0, timeline: bytes of ROM", size.rom(with_it) - size.rom(without)
    yield "Cortex-M0, timeline: bytes of RAM", size.ram(with_it) - size.ram(without)
    steps, sent = cycles.timeline()
    yield "Cortex-M0+: cycles of a timeline's switch", min(span.cycles for span in steps)
    # The build ID depends on the folder, too, and moves the link's cost and so the switches': 147.1
    # to 148.8 cycles, 3.54 to 3.62 bytes.
    yield "Cortex-M0+: cycles of it in the mean, all sent, to 10", 10 * round(
        cycles.mean(steps) / 10)
    yield "Cortex-M0+: bytes of 10 such switches, to 2", 2 * round(5 * sent)


def depths():
    """Yields bytes of stack on a Cortex-M0."""
    parts = stack.Code(Firmware("truth", CACHE_8).elf).parts()
    for part, depth in parts.items():
        yield f"Cortex-M0: bytes of stack, {part}", depth.deepest
    yield "Cortex-M0: bytes of stack, worst", stack.worst(parts)[0]
    code = stack.Code(Firmware("truth", f"{CACHE_8} -DMCUPROF_PATHS=24").elf)
    yield ("Cortex-M0, paths: bytes of stack, mcuprof_sample_isr",
           code.depth("mcuprof_sample_isr").deepest)


def least(path, spans):
    """Returns the fewest cycles. Hooks of timed calls that return at once, because the profiler is
    stopped, do not count."""
    return min(span.cycles for span in cycles.on(path, spans) if path == "stopped" or
               span.cycles > 20)


def of_byte(run):
    """Returns what most of the link's interrupts take, which are those that send a byte."""
    return collections.Counter(span.cycles for span in run.links).most_common(1)[0][0]


def cost():
    """Yields cycles of a Cortex-M0+ for events whose counter is at its own place."""
    blocks = ("EXAMPLE_CFLAGS=" + " ".join(expand("$(MCUPROF_BLOCK_CFLAGS)")),)
    run = cycles.Costs(Firmware("truth", f"{CACHE_8} -DMCUPROF_SAMPLE_HZ=4000"),
                       instructions=600000)
    yield "Cortex-M0+: cycles of a call", least("own place", run.calls)
    yield "Cortex-M0+: cycles of a call when stopped", least("stopped", run.calls)
    yield "Cortex-M0+: cycles of a sample", least("own place", run.samples)
    yield "Cortex-M0+: cycles that interrupts are masked, at most", run.masked_most
    yield "Cortex-M0+: cycles of a byte sent, nRF UART", of_byte(run)
    run = cycles.Costs(Firmware("fib", CACHE_8, "mps2-an385", ("BOARD_CPU=cortex-m0",)),
                       instructions=100000)
    yield "Cortex-M0+: cycles of a byte sent, CMSDK UART", of_byte(run)
    run = cycles.Costs(Firmware("truth", f"{CACHE_8} -DMCUPROF_BLOCKS=1", variables=blocks),
                       instructions=200000)
    yield "Cortex-M0+: cycles of a block", least("own place", run.blocks)
    run = cycles.Costs(Firmware("fib", f"{CACHE_8} -DMCUPROF_CALLS=1 -DMCUPROF_SAMPLES=0 "
                                       "-DMCUPROF_DEPTH=40"), instructions=200000)
    yield "Cortex-M0+: cycles of a timed call's entry", least("own place", run.entries)
    yield "Cortex-M0+: cycles of a timed call's exit", least("own place", run.exits)
    run = cycles.Costs(Firmware("fib", "-DMCUPROF_ENTRIES=2 -DMCUPROF_CALLS=1 "
                                       "-DMCUPROF_DEPTH=8"), instructions=400000)
    yield "Cortex-M0+: cycles that timed calls mask interrupts, at most", run.masked_in_run


def measured():
    return dict(pair for rows in (memory, paths, timeline, depths, cost) for pair in rows())


def read():
    """Returns the compiler that the table is for, and its rows."""
    with open(TABLE, encoding="utf-8") as file:
        head, *lines = [line for line in file.read().split("\n") if line]
    rows = (line.split(maxsplit=1) for line in lines)
    return head.lstrip("# "), {what: int(value) for value, what in rows}


def write(rows):
    with open(TABLE, "w", encoding="utf-8") as file:
        file.write(f"# {compiler()}\n")
        file.writelines(f"{value:6} {what}\n" for what, value in rows.items())


def differences(found):
    """Returns a line for each row that differs from the table."""
    table = read()[1]
    return [f"{what}: {found.get(what)}, {TABLE} says {table.get(what)}"
            for what in {**table, **found} if table.get(what) != found.get(what)]


def main():
    found = measured()
    if sys.argv[1:] == ["--write"]:
        write(found)
        return 0
    differ = differences(found)
    print("\n".join(differ), end="\n" * bool(differ))
    return len(differ) > 0


if __name__ == "__main__":
    sys.exit(main())
