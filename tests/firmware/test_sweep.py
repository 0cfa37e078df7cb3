# SPDX-License-Identifier: MIT
"""An interrupt comes at each instruction that the profiler executes: tests/rigs/sweep. All events are
counted or reported as lost, and the program's registers stay as they were. SWEEP=N (`make sweep`):
all sets of knobs on all boards (CHECK_BOARD: on one), at each Nth instruction, or more often where
a set says so; else a few sets, at every 61st."""
import os
import unittest

import firmware
from firmware import BOARDS, CORTEX_M, WITH_BLOCKS, Run

SWEEP = os.environ.get("SWEEP")
FULL = SWEEP == "1"
if SWEEP:
    firmware.LIMIT_SECONDS = 3600
SIZE = "-DSTRIDE=1" if FULL else f"-DSTRIDE={SWEEP or 61} -DHANDLERS=1"
# Only few samples beside those that the program requests. The tick outranks the link.
KNOBS = f"-DBOARD_COUNT_SAMPLES -DMCUPROF_LINK_MASKED=1 -DMCUPROF_SAMPLE_HZ=500 {SIZE} "
CACHE = "-DMCUPROF_ENTRIES=8"
OUTRANKED = "-DMCUPROF_ENTRIES=1 -DBOARD_SAMPLING_PRIORITY=3"
SETS = {
    "cache": f"{CACHE} -DMCUPROF_KEEP_FLAGS=1",
    "no_cache": "-DMCUPROF_ENTRIES=0 -DMCUPROF_WAIT=1",
    "timed": f"{CACHE} -DMCUPROF_CALLS=1",
    "timeline": f"{CACHE} -DMCUPROF_TIMELINE=1 -DMCUPROF_TASKS=4",
    "blocks": f"{CACHE} -DMCUPROF_BLOCKS=1",
    "outranked": OUTRANKED,  # the tick interrupts sampling
    # a sample that finds no counter is sent at once, also in the midst of a flush's records
    "at_once": f"{CACHE} -DMCUPROF_ARCS=0 -DMCUPROF_PATHS=0" +
               ("" if FULL else " -USTRIDE -DSTRIDE=13"),
    # calls that send: no instruction leaves a record in the ring of a link that is not started
    "sends": "-DMCUPROF_ENTRIES=2 -DMCUPROF_PATHS=0 -USTRIDE -DSTRIDE=1 -DOPERATION=1",
    "timed_sends": "-DMCUPROF_ENTRIES=2 -DMCUPROF_CALLS=1 -DOPERATION=1" +
                   ("" if FULL else " -USTRIDE -DSTRIDE=7"),
    "timed_alone": "-DMCUPROF_ENTRIES=0 -DMCUPROF_CALLS=1 -DOPERATION=1" +
                   ("" if FULL else " -USTRIDE -DSTRIDE=31"),
}
SHORT = (("microbit", "cache"), ("virt", "cache"), ("mps2-an505", "outranked"),
         ("mps2-an385", "at_once"), ("microbit", "sends"), ("mps2-an385", "sends"), ("mps2-an385", "timed_sends"))
NEEDS = {"outranked": CORTEX_M, "at_once": CORTEX_M, "blocks": WITH_BLOCKS}
FLAGS = {"blocks": "-fsanitize-coverage=trace-pc -fno-lto"}
EVENTS = {"timed": "calls", "timed_sends": "calls", "timed_alone": "calls"}


class Sweep(unittest.TestCase):
    def check(self, board, name):
        run = Run(board, "sweep", KNOBS + SETS[name], cflags=FLAGS.get(name))
        info = run.info()
        bits = 0xFFFF if BOARDS[board].tools == "avr-" else (1 << 64) - 1  # of its type unsigned
        self.assertTrue(info["complete"])
        self.assertEqual((info["damaged"], info["discarded"], info["earlier"], info["mismatch"]),
                         (0, 0, 0, False))
        self.assertEqual((run.said("incomplete"), run.said("changed"), run.said("exposed")),
                         (0, 0, 0))
        self.assertGreater(run.said("within"), 300)
        for what, said in ((EVENTS.get(name, "arcs"), "calls"), ("samples", "samples"),
                           *((("blocks", "blocks"),) if name == "blocks" else ())):
            self.assertEqual((info[what]["received"] + info[what]["lost"]) & bits,
                             run.said(said), what)


def add(board, name):
    setattr(Sweep, f"test_{board}_{name}".replace("-", "_"),
            lambda self: self.check(board, name))


FEW = ("mps2-an386", "mega2560")  # as mps2-an385; the emulator has only the PC's clock
ALL = [(board, name) for board in BOARDS for name in SETS
       if board not in FEW and board in NEEDS.get(name, BOARDS)
       and board == os.environ.get("CHECK_BOARD", board)]
if SWEEP and not ALL:
    raise SystemExit(f"test_sweep: CHECK_BOARD = {os.environ['CHECK_BOARD']}: none, or in FEW")
for each in ALL if SWEEP else SHORT:
    add(*each)


if __name__ == "__main__":
    unittest.main()
