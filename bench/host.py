#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares two builds of mcuprof on big inputs, one after the other in one run: user time, peak
memory, and whether both print the same. See README.md.

    bench/host.py BEFORE [--quick] [WORD...]  BEFORE: the other program, of an older source;
                                              --quick: inputs a tenth as big;
                                              WORD: only inputs whose name contains it
"""
import os
import random
import subprocess
import sys

import gprof
import wire
from goals import table

AFTER = os.path.abspath("build/mcuprof")
HZ, PERIOD = 16000000, 16000


def calls(count, arcs):
    return gprof.synthetic("host", count, gprof.tree_calls(count, arcs, 1))


def tangle(count, arcs):
    return gprof.synthetic("host-tangle", count, gprof.random_calls(count, arcs, 1))


def lines(count):
    """Makes functions with debug information, their samples and calls."""
    return gprof.compiled(count)[:2]


def stream(name, events):
    """Writes what firmware without a cache sends: each event is a record."""
    path = f"{gprof.OUT}/{name}.mprof"
    os.makedirs(wire.OUT, exist_ok=True)
    with open(path, "wb") as file:
        subprocess.run([wire.build(0)], input="\n".join(events).encode(), stdout=file,
                       check=True)
    return (path,)


def records(count):
    """Makes calls and samples of a thousand places, again and again."""
    chance = random.Random(1)
    places = [f"a {4 * chance.randrange(1, 10000):x} {4 * chance.randrange(1, 1000):x}"
              if i % 2 else f"s {2 * chance.randrange(1, 20000):x}" for i in range(1000)]
    return stream(f"records-{count}", chance.choices(places, k=count))


def addresses(count):
    """Makes samples at as many different addresses."""
    places = list(range(0, 2 * count, 2))
    random.Random(1).shuffle(places)
    return stream(f"addresses-{count}", [f"s {place:x}" for place in places])


def inputs(scale):
    """Returns (name, function that makes (program, profile) or (capture,), [(command, times faster,
    times less memory or peak by output)])."""
    report = [("report --flat --graph", 4, None),
              ("report --flat --graph --limit 20", 5, None),
              ("export --to json", 4, None)]
    return [
        ("calls", lambda: calls(50000 // scale, 500000 // scale), report),
        ("tangled calls", lambda: tangle(50000 // scale, 500000 // scale), report),
        ("functions", lambda: calls(100000 // scale, 300000 // scale),
         [("annotate --limit 10", 5, 5)]),
        ("DWARF", lambda: lines(20000 // scale), [("annotate --limit 10", 5, 5)]),
        ("records", lambda: records(3000000 // scale), [("info", 1.5, None)]),
        ("addresses", lambda: addresses(1000000 // scale), [("info", 3, None)]),
    ]


def compare(before, name, command, paths, goals):
    """Returns a row of the table, and whether it meets its goals."""
    arguments = [*command.split(), *(["-e"] if len(paths) > 1 else []), *paths]
    old_seconds, old_memory, old = gprof.measure([before, *arguments])
    new_seconds, new_memory, new = gprof.measure([AFTER, *arguments])
    identical, size = gprof.same(old, new), os.path.getsize(new)
    os.remove(old)
    os.remove(new)
    faster, smaller = old_seconds / max(new_seconds, 0.001), old_memory / new_memory
    verdict = ("DIFFERENT" if not identical else "SLOW" if faster < goals[0] else
               "BIG" if smaller < (goals[1] or 0) else "reached")
    print(f"{name} {command}: {verdict}", file=sys.stderr, flush=True)
    return ((name, command, f"{old_seconds:.3f}", f"{new_seconds:.3f}", faster, goals[0],
             old_memory / 1024, new_memory / 1024, smaller, goals[1] or "-", size / 2**20,
             verdict), verdict == "reached")


def main(arguments):
    quick = "--quick" in arguments
    before, *words = [word for word in arguments if word != "--quick"]
    os.makedirs(gprof.OUT, exist_ok=True)
    gprof.build_measured()
    rows, good = [], True
    for name, make, runs in inputs(10 if quick else 1):
        if words and not any(word in name for word in words):
            continue
        paths = make()
        for command, *goals in runs:
            row, reached = compare(os.path.abspath(before), name, command, paths, goals)
            rows.append(row)
            good &= reached
    table(("input", "command", "before s", "after s", "faster", "must", "before MB",
           "after MB", "smaller", "must", "output MB", ""), rows)
    return 0 if good else 1


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1:]))
