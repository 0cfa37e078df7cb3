#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs tests/rigs/soak on an emulated board whose line is always full, sends its bytes over a line
that loses some, and watches `mcuprof record` read the rest. Its memory must not grow, and the
events that it received or reports as lost must be those that the firmware counted.

    bench/soak.py [--seconds N] [--seed N] [OUT]    OUT: the folder to build in
"""
import argparse
import json
import os
import random
import re
import subprocess
import sys
import time

MCUPROF = "build/mcuprof"
KNOBS = "-DBOARD_COUNT_SAMPLES -DMCUPROF_TASKS=3 -DMCUPROF_ENTRIES=8 -DBOARD_LINK_CYCLES=217"
LIFE = re.compile(rb"\nlife of (\d+) calls, (\d+) samples\n")
LIFE_BYTES = 64           # no such line is longer
FAULTY = 1 / 5000  # a fault begins at this share of the bytes
GROWTH_BYTES = 256 << 10  # of record, after its first lives
WARM_LIVES = 3


class LossyLine:
    """Passes bytes on, and damages some: drops, flips, doubles, inserts, and drops up to 300 in a
    row."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.faults = self.dropping = 0
        self.left = self.distance()  # bytes that pass until the next fault

    def distance(self):
        return 1 + int(self.random.expovariate(FAULTY))

    def damaged(self, byte):
        self.faults += 1
        kind = self.random.randrange(5)
        if kind == 0:
            self.dropping = self.random.randrange(300)
        return (b"", b"", bytes([byte ^ 1 << self.random.randrange(8)]), bytes([byte, byte]),
                bytes([byte, self.random.randrange(256)]))[kind]

    def passed(self, data):
        out, at = [], 0
        while at < len(data):
            dropped = min(self.dropping, len(data) - at)
            self.dropping -= dropped
            at += dropped
            passing = min(self.left, len(data) - at)
            out.append(data[at:at + passing])
            self.left -= passing
            at += passing
            if self.left == 0 and at < len(data):
                out.append(self.damaged(data[at]))
                at += 1
                self.left = self.distance()
        return b"".join(out)


class Truth:
    """What the firmware printed about its lives, read before its bytes are damaged."""

    def __init__(self):
        self.lives = self.calls = self.samples = self.faults = 0
        self.tail = b""

    def see(self, data):
        """Returns how many of the bytes belong to lives that are over."""
        text, over = self.tail + data, 0
        for life in LIFE.finditer(text):
            self.lives += 1
            self.calls += int(life[1])
            self.samples += int(life[2])
            over = life.end()
        before = len(self.tail)
        self.tail = text[max(over, len(text) - LIFE_BYTES):]
        return max(over - before, 0)


def make(out, *goal):
    arguments = ["BOARD=mps2-an385", "EXAMPLE=soak", f"KNOBS={KNOBS}", f"OUT={out}"]
    made = subprocess.run(["make", "-s", *goal, *arguments], stdout=subprocess.PIPE, text=True,
                          check=True)
    return made.stdout


def resident(process):
    with open(f"/proc/{process.pid}/status", encoding="ascii") as file:
        return int(re.search(r"VmRSS:\s+(\d+) kB", file.read())[1]) << 10


def feed(emulator, record, seconds, seed):
    """Feeds record until the time is up and a life has ended. Returns the truth, and record's
    memory at the end of each life."""
    truth, line, memory = Truth(), LossyLine(seed), []
    ends = time.monotonic() + seconds
    while True:
        data = os.read(emulator.stdout.fileno(), 65536)
        if not data:
            raise RuntimeError("the emulator ended")
        lives, over = truth.lives, truth.see(data)
        last = over and time.monotonic() >= ends and truth.lives > 2 * WARM_LIVES
        record.stdin.write(line.passed(data[:over] if last else data))
        record.stdin.flush()
        if truth.lives > lives:
            memory.append(resident(record))
        if last:
            truth.faults = line.faults
            return truth, memory


def soak(out, seconds, seed):
    make(out, "firmware")
    run = make(out, "--eval=show: ; @echo $(BOARD_RUN)", "show").split()
    capture = f"{out}/soak.mprof"
    with subprocess.Popen([*run, f"{out}/soak.elf"], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE) as emulator, \
            subprocess.Popen([MCUPROF, "record", "-o", capture, "-"], stdin=subprocess.PIPE,
                             stdout=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL) as record:
        try:
            truth, memory = feed(emulator, record, seconds, seed)
        finally:
            emulator.kill()
            record.communicate()
    info = subprocess.run([MCUPROF, "info", "--json", capture], stdout=subprocess.PIPE,
                          check=True)
    return truth, memory, json.loads(info.stdout)


def judge(truth, memory, info):
    """Prints the result; returns whether all is well."""
    got = {kind: info[kind]["received"] + info[kind]["lost"] for kind in ("arcs", "samples")}
    grown = max(memory[WARM_LIVES:]) - memory[WARM_LIVES - 1]
    print(f"soaked: {truth.lives} lives, {truth.faults} faults, {truth.calls} calls and "
          f"{truth.samples} samples counted, {got['arcs']} and {got['samples']} received or "
          f"lost, memory {memory[-1] >> 10} KiB, grown by {grown >> 10} KiB")
    missed = truth.calls + truth.samples - sum(got.values())  # known if the first bytes are lost
    return (missed == info["earlier"] and got["arcs"] <= truth.calls
            and got["samples"] <= truth.samples and grown <= GROWTH_BYTES
            and 0 < info["sampling"]["samples"] <= truth.samples)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("out", nargs="?", default="build/bench/soak")
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    truth, memory, info = soak(chosen.out, chosen.seconds, chosen.seed)
    return 0 if judge(truth, memory, info) else 1


if __name__ == "__main__":
    sys.exit(main())
