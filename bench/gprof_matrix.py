#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares mcuprof gprof with GNU gprof on the small programs of tests/gprof. valgrind counts the
instructions beyond start-up, since seconds are mostly start-up there. See README.md.

    bench/gprof_matrix.py [--full] [IMAGE...]   --full: all programs; else those of SOME
"""
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "tests", "gprof"))

import images  # noqa: E402
import judge  # noqa: E402
from goals import table  # noqa: E402

SOME = ("x86", "x86-plain", "x86-clang", "x86-packed", "m3", "m0-plain", "riscv", "sparc64",
        "avr", "hosted")
OPTIONS = ("-b", "-b -p", "-b -l -p -q", "-b -l -C -A -x", "-b -r", "-b -T -z", "-b -c -q",
           "-b -s")
WORST = 12
# Both read the same pages of the same files; a smaller difference is noise of the
# loader.
NOISE = 100000


def counted(command, folder):
    """Returns the instructions that the command takes in user mode."""
    done = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null",
                           *command], cwd=folder, stdin=subprocess.DEVNULL,
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=600,
                          check=False)
    return int(re.search(rb"Collected : (\d+)", done.stderr)[1])


def place_of(image):
    """Returns the program and its profile as the tests use them."""
    case = type("Case", (judge.Judged,), {"image": image})
    return judge.Place(image, case.files())


def rows_of(image):
    place = place_of(image)
    sides = (("gnu", [place.judge]), ("ours", [judge.PROGRAM, "gprof"]))
    start = [counted([*command, "--version"], place.path(side)) for side, command in sides]
    for options in OPTIONS:
        gnu, ours = (counted([*command, *options.split()], place.path(side)) - begin
                     for begin, (side, command) in zip(start, sides))
        yield image, options, gnu, ours, gnu / max(ours, 1)
    place.close()


def main(arguments):
    full = "--full" in arguments
    named = [word for word in arguments if word != "--full"]
    chosen = named or ([*images.IMAGES, *images.HOSTED] if full else SOME)
    rows = [row for image in chosen for row in rows_of(image)]
    rows.sort(key=lambda row: row[-1])
    slower = [row for row in rows if row[3] > row[2] + NOISE]
    table(("program", "options", "GNU instructions", "ours", "times fewer"), rows[:WORST])
    print(f"{len(rows)} runs, {len(slower)} slower than GNU gprof beyond start-up; "
          f"least {rows[0][-1]:.2f} times fewer, median {rows[len(rows) // 2][-1]:.1f}")
    return 1 if slower else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
