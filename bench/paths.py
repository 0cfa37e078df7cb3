#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares the paths of samples that real programs send with where the emulator says they were.
See README.md.

    bench/paths.py [-b BOARD]... [-c CPU] [-O OPTIMISE]... [-k KNOBS] [-t] [PROGRAM...]
"""
import argparse
import collections
import math
import re
import sys

sys.path.append("tests/real")
sys.path.append("bench")
import real  # noqa: E402
from goals import table  # noqa: E402
from m0plus import EXCEPTION_CYCLES  # noqa: E402

HEADINGS = ("program, board", "million instr.", "samples", "paths", "depth", "right %",
            "wrong %", "cut %", "unsure %", "lost %", "of functions", "<1 s.e. %", "<2 %",
            "<3 %", "cycles: mean", "most", "to find: mean", "most to 16", "walk", "counter", "link",
            "seconds")
# In a sampling interrupt, functions whose names match these belong to the link or the counter; all
# others are the walk's.
LINK = re.compile(r"link|put_|_tx|ring")
FRAMES = 16  # "most to 16": of the paths with up to this many return addresses
COUNTER = re.compile(r"count|search|send|lose|evict|timer_set")


def per_cent(part, whole):
    return 100 * part / whole if whole else 0.0


def deviations(program, truth, stacks):
    """Returns, for each function with 1 % or more, how far its inclusive share of the samples is
    from the true one, in standard errors. The error is binomial, because each sample is in the
    function or not; a true share of (nearly) all has the error of one sample."""
    inclusive, functions = collections.Counter(), program.facts.functions
    for (pc, backs, _), count in stacks.items():
        for function in set(functions.on((pc, backs))):
            inclusive[function] += count
    taken, total = sum(stacks.values()), sum(truth.self.values())
    true = {function: spent / total for function, spent in truth.inclusive.items()
            if spent >= total / 100}
    return [(inclusive[function] - share * taken) /
            math.sqrt(max(1, taken * share * (1 - share)))
            for function, share in true.items()]


def shares(program, truth):
    """Returns the mean cycles of a sampling interrupt: entry, walk and return; counter and period;
    link."""
    parts, names = collections.Counter(), program.facts.functions.names
    for function, cycles in truth.split.items():
        part = next((part for part in (LINK, COUNTER) if part.search(names[function])), None)
        parts[part] += cycles / len(truth.cycles)
    return [parts[None] + 2 * EXCEPTION_CYCLES, parts[COUNTER], parts[LINK]]


def split(program, truth):
    """Prints a sampling interrupt's cycles by function."""
    taken, names = len(truth.cycles), program.facts.functions.names
    parts = sorted(truth.split.items(), key=lambda part: -part[1])
    return ", ".join([f"entry and return {2 * EXCEPTION_CYCLES}"] +
                     [f"{names[function]} {cycles / taken:.1f}" for function, cycles in parts])


def row(program, truth, result, seconds):
    apart = [abs(deviation) for deviation in deviations(program, truth, result.stacks)]
    within = [per_cent(sum(each < limit for each in apart), len(apart)) for limit in (1, 2, 3)]
    depth = sum(len(backs) * count for (_, backs, _), count in truth.samples.items())
    m0 = "v6" in program.facts.cpu(program.elf, real.BOARDS[program.board])
    cycles = [each + 2 * EXCEPTION_CYCLES for each in truth.cycles] if m0 else truth.cycles
    unit = "" if m0 else " i"  # each instruction counts as one, entry and return as none
    found = [(cycles + 2 * EXCEPTION_CYCLES, frames) for cycles, frames in truth.found
             if m0 and cycles]
    name = " ".join([program.name, program.board, program.cpu or "", program.optimise])
    return (" ".join(name.split()), sum(truth.self.values()) / 1e6, result.true,
            len(truth.samples), depth / result.true,
            *(per_cent(part, result.true) for part in (result.right, result.wrong, result.cut,
                                                       result.unsure, result.lost)),
            len(apart), *within, f"{sum(cycles) / len(cycles):,.0f}{unit}",
            f"{max(cycles):,}{unit}",
            sum(cycles for cycles, _ in found) / len(found) if found else "-",
            max((cycles for cycles, frames in found if frames <= FRAMES), default="-"),
            *(shares(program, truth) if m0 else "---"), seconds)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("programs", nargs="*", default=real.PROGRAMS)
    parser.add_argument("-b", "--board", action="append")
    parser.add_argument("-c", "--cpu")
    parser.add_argument("-O", "--optimise", action="append")
    parser.add_argument("-k", "--knobs", default="")
    parser.add_argument("-t", "--through", action="store_true",
                        help="through interrupts in one another, on a Cortex-M")
    parser.add_argument("-v", "--verbose", action="store_true",
                        help="the wrong paths, and where the cycles are")
    chosen = parser.parse_args()
    rows, missed = [], []
    for name in chosen.programs:
        for board in chosen.board or ["mps2-an385"]:
            for optimise in chosen.optimise or ["-Os"]:
                if not real.fits(name, board):
                    continue
                program = real.Program(name, board, chosen.cpu, optimise, chosen.knobs,
                                       through=chosen.through)
                program.build()
                truth = program.run()
                result = real.compare(program, truth)
                if chosen.through:
                    missed += real.missed(program, truth, result)
                    result = real.compare(program, truth, through=True)
                rows.append(row(program, truth, result, program.seconds))
                missed += real.missed(program, truth, result)
                if chosen.verbose:
                    print("\n    ".join([f"{program.elf}: {split(program, truth)}",
                                        *result.examples[:20]]))
    table(HEADINGS, rows)
    for line in missed:
        print(f"MISSED: {line}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
