#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Measures what a link costs a Cortex-M0+ for each record, and how much an emulated board carries.
See README.md."""
import os
import subprocess
import sys
import time

from cycles import Costs, on
from emulator import Firmware, expand
from goals import table

SPANS_OF_128 = " -UMCUPROF_SPAN_BYTES -DMCUPROF_SPAN_BYTES=128"
# The board whose emulator has the link's hardware, and the most cycles that a record may take
# beyond its making (the goals).
LINKS = (("byte by byte", "microbit", "", "", None),
         ("DMA, spans of 64", "mps2-an505", "pl080", "", 60),
         ("DMA, spans of 128", "mps2-an505", "pl080", SPANS_OF_128, 60),
         ("RTT", "mps2-an385", "rtt", "", 40),
         ("UDP by lwIP, 1 kB", "mps2-an385", "lwip_udp", " -DTURNS=300", None))
RING = "-DMCUPROF_RING_BYTES=1024 "
NO_CACHE = "-DMCUPROF_ENTRIES=0 -DMCUPROF_SAMPLES=0"
# The functions that make a record. All others that a call runs are the link's, with lwIP's.
MAKING = {"entry and exit", "__gnu_mcount_nc", "mcuprof_arc_new", "mcuprof_count", "mcuprof_count_search", "mcuprof_put_short", "room",
          "announce", "mcuprof_put_words", "mcuprof_put_record"}
# In mcuprof_put_record: the link is busy; it is idle but too few bytes wait; RTT's barrier.
BUSY, TOO_FEW, BARRIER = 5, 12, 3
OF_RECORD = {"": BUSY, "pl080": TOO_FEW, "rtt": BUSY + BARRIER, "lwip_udp": BUSY}


def firmware(board, link, knobs):
    example = "udp" if link == "lwip_udp" else "fib"
    variables = ("BOARD_CPU=cortex-m0", *((f"LINK={link}",) if link else ()))
    return Firmware(example, knobs, board, variables)


def of_record(board, link, knobs):
    """Returns how many records fib sent, and the link's cycles for each: those of its interrupts,
    with entry and return, and those of its functions that the program called."""
    run = Costs(firmware(board, link, (RING if link != "lwip_udp" else "") + NO_CACHE + knobs), instructions=400000)
    sent = on("sent", run.calls)
    cycles = sum(span.cycles for span in run.links) + sum(
        cycles for span in sent for name, cycles in span.functions.items() if name not in MAKING)
    return len(sent), cycles / len(sent) + OF_RECORD[link]


def carried(board, link, knobs):
    """Returns the bytes that the link carried, and in how many seconds of the PC's time."""
    built = firmware(board, link, f"{RING}{NO_CACHE}{knobs} -DMCUPROF_WAIT=1 -DFIB_N=22")
    command = expand("$(BOARD_RUN)", *built.arguments)
    before = time.monotonic()
    ran = subprocess.run([*command, built.elf], stdin=subprocess.DEVNULL, capture_output=True,
                         check=False, timeout=300)
    return len(ran.stdout), time.monotonic() - before


def main():
    rows, missed = [], 0
    for name, board, link, knobs, most in LINKS:
        records, cycles = of_record(board, link, knobs)
        rate = ("-", "-")  # what leaves by UDP is not on standard output
        if link != "lwip_udp":
            size, seconds = carried(board, link, knobs)
            rate = size, size / seconds / 1000
        rows.append((name, board, records, cycles, most or "-", *rate))
        missed += most is not None and cycles > most
    print("links: cycles of a Cortex-M0+ for each record beyond its making, fib without a cache")
    table(("", "board", "records", "cycles", "at most", "bytes carried", "kB/s of the PC's time"),
          rows)
    return missed


if __name__ == "__main__":
    sys.exit(main())
