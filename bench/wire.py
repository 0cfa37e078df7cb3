#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Counts bytes on the wire: replays a real program's calls and samples in order through the
firmware's own encoder, compiled for the PC. See README.md."""
import collections
import glob
import json
import os
import subprocess
import sys

from goals import Goals, table

CAPTURE = "tests/data/kl25z-blinky/blink1hex.txt"
OUT = "build/bench/wire"
ENTRIES = (0, 1, 2, 4, 8, 16, 32, 64, 128)
RAW_BYTES = {"a": 7, "s": 4}


def read_events(path=CAPTURE):
    """Returns the capture's packets as lines of wire_replay: "a FROM TO", "s PC"."""
    with open(path, encoding="ascii") as file:
        data = bytes.fromhex(file.read())
    at, events = 0, []
    while at < len(data):
        fields = {0x41: 2, 0x50: 1}[data[at]]
        values = [f"{int.from_bytes(data[at + 1 + 3 * i:at + 4 + 3 * i], 'big'):x}"
                  for i in range(fields)]
        events.append(" ".join(["a" if fields == 2 else "s", *values]))
        at += 1 + 3 * fields
    return events


def build(entries):
    program = f"{OUT}/replay{entries}"
    subprocess.run(
        [os.environ.get("CC", "cc"), "-std=c11", "-O2", "-Wall", "-Wextra", "-Werror",
         "-Itests/pc", "-Itarget/include", "-Itarget/core", "-Iwire",
         '-DMCUPROF_CONFIG="mcuprof_pc.h"', f"-DMCUPROF_ENTRIES={entries}",
         "bench/wire_replay.c", "tests/pc/port.c", *glob.glob("target/core/*.c"),
         "-o", program], check=True)
    return program


def tallies(events):
    """Returns the counts that the PC must find, taken from the lines: ({(from, to): n}, {pc:
    n})."""
    fields = [line.split() for line in events]
    arcs = collections.Counter((int(f[1], 16) & ~1, int(f[2], 16) & ~1)
                               for f in fields if f[0] == "a")
    return arcs, collections.Counter(int(f[1], 16) for f in fields if f[0] == "s")


def mcuprof(*arguments):
    ran = subprocess.run(["build/mcuprof", *arguments], check=True, stdout=subprocess.PIPE)
    return json.loads(ran.stdout)


def replay(program, events, expected):
    """Returns (records, bytes) of the stream, after checking that it contains what went in."""
    path = f"{program}.mprof"
    with open(path, "wb") as file:
        subprocess.run([program], input="\n".join(events).encode(), stdout=file, check=True)
    info, model = mcuprof("info", "--json", path), mcuprof("export", "--to", "json", path)
    arcs = {(arc["from"], arc["to"]): arc["count"] for arc in model["arcs"]}
    samples = {sample["address"]: sample["count"] for sample in model["samples"]}
    lost = [info[kind]["lost"] for kind in ("samples", "arcs")]
    if (arcs, samples) != expected or lost != [0, 0] or not info["complete"]:
        sys.exit(f"{path}: does not decode to what was replayed")
    return info["records"], os.path.getsize(path)


def curve(title, events, programs):
    """Prints a row for each cache size; returns {entries: times fewer bytes}."""
    raw = sum(RAW_BYTES[line[0]] for line in events)
    expected, ratios, rows = tallies(events), {}, []
    for entries, program in programs.items():
        records, sent = replay(program, events, expected)
        ratios[entries] = raw / sent
        rows.append((str(entries), records, sent, f"{sent / len(events):.3f}",
                     ratios[entries]))
    print(f"{title}: {len(events):,} events, {raw:,} bytes raw")
    table(("entries", "records", "bytes", "bytes/event", "times fewer"), rows)
    return ratios


def main():
    os.makedirs(OUT, exist_ok=True)
    programs = {entries: build(entries) for entries in ENTRIES}
    events, goals = read_events(), Goals()
    calls = [line for line in events if line[0] == "a"]
    goals.ours["arcs_wire"] = curve("calls alone", calls, programs)[8]
    whole = curve("calls and samples", events, programs)
    goals.ours["all_wire"] = whole[32]
    print(f"A cache of 16 serves both kinds too: {whole[16]:.1f} times fewer.\n")
    return goals.report()


if __name__ == "__main__":
    sys.exit(main())
