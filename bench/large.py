#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Feeds captures that are larger than memory, made while they are read, and captures of very many
different calls to mcuprof: what it counts must be exact, its memory bounded.

    bench/large.py [--gib N] [--keys N]
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time

MCUPROF = "build/mcuprof"
GROWTH_BYTES = 1 << 20  # from the first SMALL of a capture to its end
SMALL = 64 << 20
KEY_BYTES = 24  # memory for each different call
MAKE = ["make", "-s", "BOARD=mps2-an385", "EXAMPLE=robin", "OUT=build/bench/large",
        "KNOBS=-DMCUPROF_TASKS=3 -DMCUPROF_ENTRIES=0"]
MOST = re.compile(r"VmHWM:\s+(\d+) kB")


def most_memory(process, before=0):
    """Returns the most memory that the process has taken so far; `before` if it has ended."""
    with open(f"/proc/{process.pid}/status", encoding="ascii") as file:
        found = MOST.search(file.read())
    return int(found[1]) << 10 if found else before


def fed(pieces, *command):
    """Returns what the command printed when it was given the pieces, its peak of memory, and the
    seconds it took."""
    began, memory = time.monotonic(), 0
    with tempfile.TemporaryFile() as out, \
            subprocess.Popen([MCUPROF, *command], stdin=subprocess.PIPE, stdout=out) as process:
        for piece in pieces:
            process.stdin.write(piece)
        memory = most_memory(process)
        process.stdin.close()
        while os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
            memory = most_memory(process, memory)
            time.sleep(0.005)
        if process.wait() != 0:
            raise RuntimeError(f"{command}: {process.returncode}")
        out.seek(0)
        return out.read(), memory, time.monotonic() - began


def counted(text):
    info = json.loads(text)
    return {kind: info[kind]["received"] for kind in ("samples", "arcs")}


def say(name, size, memory, seconds, good):
    print(f"large: {name}: {size}, {seconds:.0f} s, {memory / (1 << 20):.1f} MiB"
          f"{'' if good else ', MISSED'}", flush=True)
    return good


def long_capture(gib):
    """Yields the same run again and again, as firmware that is restarted sends it."""
    subprocess.run([*MAKE, "capture"], stdout=subprocess.DEVNULL, check=True)
    with open("build/bench/large/robin.mprof", "rb") as file:
        once = file.read()
    piece = once * ((1 << 20) // len(once) + 1)
    few, many = (size // len(piece) + 1 for size in (SMALL, int(gib * (1 << 30))))
    good = True
    for name, *command in (("info", "info", "--json", "-"),
                           ("report", "report", "-e", "build/bench/large/robin.elf", "-")):
        _, before, _ = fed((piece for _ in range(few)), *command)
        text, memory, seconds = fed((piece for _ in range(many)), *command)
        kept = memory - before <= GROWTH_BYTES
        if name == "info":
            one = counted(fed([once], *command)[0])
            runs = many * (len(piece) // len(once))
            kept = kept and counted(text) == {kind: runs * one[kind] for kind in one}
        good = say(name, f"{many * len(piece) / (1 << 30):.1f} GiB", memory, seconds,
                   kept) and good
    return good


def calls(first, count):
    """Returns packets of `pa`: calls from `count` places, each to a place of its own."""
    return b"".join(b"A" + (0x08000000 + 2 * n).to_bytes(4, "big")
                    + (0x0C000000 + 2 * n).to_bytes(4, "big") for n in range(first, first + count))


def many_keys(keys):
    step = min(keys, 100000)
    text, memory, seconds = fed((calls(first, step) for first in range(0, keys, step)), "info",
                                "--json", "--format", "pa", "--addr-bytes", "4", "-")
    kept = counted(text)["arcs"] == keys and memory <= KEY_BYTES * keys + SMALL
    return say("different calls", f"{keys:,}", memory, seconds, kept)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--gib", type=float, default=10)
    parser.add_argument("--keys", type=int, default=10 ** 7)
    chosen = parser.parse_args()
    good = many_keys(chosen.keys)
    return 0 if long_capture(chosen.gib) and good else 1


if __name__ == "__main__":
    sys.exit(main())
