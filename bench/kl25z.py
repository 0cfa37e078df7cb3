#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Measures what docs/seeds.md says of the thesis' captures of a KL25Z.

    bench/kl25z.py figure42 | index [HEX...]
        figure42: its flat profile with bins of 4 and of 2 bytes, and by its samples
        index: bytes of its index table (8.2.2), and of what mcuprof sends instead
        HEX: captures as hex text; the one in tests/data
"""
import bisect
import collections
import os
import subprocess
import sys

import wire
from goals import table

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
sys.path.append(os.path.join(ROOT, "tests/golden"))
from elves import blinky, symbols  # noqa: E402

OUT = "build/kl25z"
SHOWN = ("loop", "WAIT1_WaitCycles", "WAIT1_Wait100Cycles", "_mcount_internal",
         "WAIT1_Wait10Cycles", "WAIT1_WaitLongCycles")
SYMBOLS = "tests/data/kl25z-blinky/blinky.symbols"
ENTRIES = (0, 8, 16, 32)
PACKET_BYTES = {"a": 3, "s": 2}  # its type, and one byte for each function


def flat(elf, profile):
    """Returns {function: share in per cent} as gprof's flat profile says."""
    told = subprocess.run(["build/mcuprof", "gprof", "-b", "-p", elf, profile], check=True,
                          stdout=subprocess.PIPE, text=True).stdout
    rows = (line.split() for line in told.splitlines()[5:])
    return {row[-1]: row[0] for row in rows if row}


def figure42(path):
    elf, columns = blinky(OUT), []
    for wide in (4, 2):
        subprocess.run(["build/mcuprof", "export", "--to", "gmon", "--bin-bytes", str(wide), "-e",
                        elf, "--hz", "1000", "--addr-bytes", "3", "-o", f"{OUT}/gmon.out", path],
                       check=True)
        columns.append(flat(elf, f"{OUT}/gmon.out"))
    sampled = [int(event.split()[1], 16) for event in wire.read_events(path) if event[0] == "s"]
    starts = sorted({at for at, *_ in symbols(SYMBOLS)})
    at_of = {name: at for at, *_, name in symbols(SYMBOLS)}
    own = collections.Counter(starts[bisect.bisect(starts, at) - 1] for at in sampled)
    rows = [(name, *(column.get(name, "0.00") for column in columns),
             f"{100 * own[at_of[name]] / len(sampled):.2f}") for name in SHOWN]
    table(("% of the time", "bins of 4", "bins of 2", "its samples"), rows)


def index(path):
    events = wire.read_events(path)
    raw = sum(wire.RAW_BYTES[event[0]] for event in events)
    indexed, rows = sum(PACKET_BYTES[event[0]] for event in events), []
    for name, sent in (("its packets", raw), ("its index table", indexed)):
        rows.append((name, len(events), sent, f"{sent / len(events):.2f}",
                     f"{sent / len(events):.3f}", f"{raw / sent:.1f}"))
    for entries in ENTRIES:
        records, sent = wire.replay(wire.build(entries), events, wire.tallies(events))
        rows.append((f"mcuprof, {entries or 'no'} counters", records, sent,
                     f"{sent / records:.2f}", f"{sent / len(events):.3f}", f"{raw / sent:.1f}"))
    table((f"{len(events):,} events", "records", "bytes", "a record", "an event", "times fewer"),
          rows)


def main(words):
    measure = {"figure42": figure42, "index": index}.get(words[0] if words else None)
    if not measure:
        sys.exit(__doc__)
    for folder in (OUT, wire.OUT):
        os.makedirs(folder, exist_ok=True)
    for path in words[1:] or [wire.CAPTURE]:
        measure(path)


if __name__ == "__main__":
    os.chdir(ROOT)
    main(sys.argv[1:])
