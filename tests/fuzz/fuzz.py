#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the fuzzers one after the other, each for so many seconds of a processor, and goes on after
a finding. The last lines say what each has tried; the status is 1 if one found anything: a crash,
an error that a sanitizer sees, a leak, an input that takes 10 s or 2 GiB.

    tests/fuzz/fuzz.py FOLDER SECONDS TARGET...   FOLDER: of the fuzzers, for inputs and findings
"""
import glob
import math
import os
import re
import resource
import subprocess
import sys

CORPUS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "corpus")
INPUTS = r"stat::number_of_executed_units: *(\d+)"  # of libFuzzer's last lines


def findings(prefix):
    return set(glob.glob(f"{prefix}*"))


def used():
    times = resource.getrusage(resource.RUSAGE_CHILDREN)
    return times.ru_utime + times.ru_stime


def fuzz(folder, seconds, target, say, slow=10):
    """Gives `say` each line that the fuzzer prints. Returns how many inputs it tried, the corpus
    among them, in how many seconds, and how much it found: also an input that takes `slow` seconds
    of the clock."""
    prefix, inputs = f"{folder}/found-{target}-{os.getpid()}-", f"{folder}/corpus/{target}"
    before, began = findings(prefix), used()
    os.makedirs(inputs, exist_ok=True)
    tried, status = 0, None
    while status is None or status == 0 and used() - began < seconds:
        left = max(1, math.ceil(seconds - (used() - began)))  # a busy machine gave it less
        with subprocess.Popen([f"{folder}/{target}", f"-max_total_time={left}", f"-timeout={slow}",
                               "-print_final_stats=1", f"-artifact_prefix={prefix}", inputs,
                               f"{CORPUS}/{target}"], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, errors="replace") as process:
            for line in process.stdout:
                say(line)
                tried += int((re.match(INPUTS, line) or [0, 0])[1])
        status = process.returncode
    found = len(findings(prefix) - before)
    return tried, used() - began, max(found, int(status != 0))


def main(folder, seconds, *targets):
    lines, all_found = [], 0
    for target in targets:
        tried, took, found = fuzz(folder, int(seconds), target,
                                  lambda line: print(line, end="", flush=True))
        all_found += found
        lines.append(f"fuzz: {target} {tried:,} inputs in {took:.0f} s"
                     f"{f', FOUND {found}' if found else ''}")
    print("\n" + "\n".join(lines))
    return 1 if all_found else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]) if len(sys.argv) > 3 else __doc__)
