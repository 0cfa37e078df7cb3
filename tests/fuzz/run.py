#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the fuzzers one after the other, each for so many seconds, and goes on after a finding. The
last lines say what each has tried, in seconds of a processor; the status is 1 if one found
anything: a crash, an error that a sanitizer sees, a leak, an input that takes 10 s or 2 GiB.

    tests/fuzz/run.py FOLDER SECONDS TARGET...   FOLDER: of the fuzzers, for inputs and findings
"""
import glob
import os
import re
import resource
import subprocess
import sys

CORPUS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "corpus")


def findings(folder, target):
    return set(glob.glob(f"{folder}/found-{target}-*"))


def used():
    times = resource.getrusage(resource.RUSAGE_CHILDREN)
    return times.ru_utime + times.ru_stime


def fuzz(folder, seconds, target):
    """Returns the line that tells of it, and whether nothing was found."""
    inputs, before, began = f"{folder}/corpus/{target}", findings(folder, target), used()
    os.makedirs(inputs, exist_ok=True)
    tried = 0
    with subprocess.Popen([f"{folder}/{target}", f"-max_total_time={seconds}", "-timeout=10",
                           "-print_final_stats=1", f"-artifact_prefix={folder}/found-{target}-",
                           inputs, f"{CORPUS}/{target}"], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace") as process:
        for line in process.stdout:
            print(line, end="", flush=True)
            stat = re.match(r"stat::number_of_executed_units: *(\d+)", line)
            tried = int(stat[1]) if stat else tried
    found = len(findings(folder, target) - before)
    good = process.returncode == 0 and found == 0
    return (f"fuzz: {target} {tried:,} inputs in {used() - began:.0f} s"
            f"{'' if good else f', FOUND {max(found, 1)}'}"), good


def main(folder, seconds, *targets):
    lines, good = zip(*(fuzz(folder, seconds, target) for target in targets))
    print("\n" + "\n".join(lines))
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]) if len(sys.argv) > 3 else __doc__)
