#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares what `mcuprof gprof` and GNU gprof print of a gmon.out of Arm firmware, with -b and each
of these sets of options.

    bench/same.py ELF GMON OPTIONS...
"""
import os
import shlex
import subprocess
import sys
import tempfile


def told(*command):
    """Returns all that the command prints and leaves in its folder, but for its name."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(command, cwd=folder, capture_output=True, check=False)
        files = {}
        for name in sorted(os.listdir(folder)):
            with open(os.path.join(folder, name), "rb") as file:
                files[name] = file.read()
        return done.returncode, done.stdout, files


def main(elf, profile, *sets):
    paths, lines, other = (os.path.abspath(elf), os.path.abspath(profile)), 0, []
    for options in sets:
        words = ["-b", *shlex.split(options), *paths]
        ours = told(os.path.abspath("build/mcuprof"), "gprof", *words)
        lines += ours[1].count(b"\n") + sum(file.count(b"\n") for file in ours[2].values())
        if ours != told("arm-none-eabi-gprof", *words):
            other.append(options)
    print(f"{len(sets) - len(other)} of {len(sets)} calls print what GNU gprof prints, "
          f"{lines:,} lines" + "".join(f"; other: {options}" for options in other))
    return 1 if other else 0


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
