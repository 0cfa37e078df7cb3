# SPDX-License-Identifier: MIT
"""An interrupt calls functions that the header reserves for tasks, in the midst of the program's
calls of the same functions, on the smallest ring, and at 1,200 baud: every run ends, its account
agrees with the program's, and the program's results are right."""
import unittest

from firmware import BOARDS, WITH_SLOW_LINE, Run

MASK = 0xFFFFFFFF
ROUNDS, DEPTH = 300, 12
KNOBS = f"-DBOARD_COUNT_SAMPLES -DMCUPROF_RING_BYTES=64 -DROUNDS={ROUNDS} -DDEPTH={DEPTH} " \
    "-DMCUPROF_LINK_MASKED=1"  # because the tick outranks the link
FAST = " -DBOARD_LINK_CYCLES=400 -DMCUPROF_SAMPLE_HZ={hz}"
# A byte takes 8.3 ms, by the clock of the board's cycles.
BAUD_1200 = " -DBOARD_LINK_CYCLES={cycles} -DMCUPROF_SAMPLE_HZ=100 -DTICK_US=50000"
ENTRIES = " -DMCUPROF_ENTRIES=8 -DMCUPROF_PATHS=0"
SPANS = " -UMCUPROF_SPAN_BYTES -DMCUPROF_SPAN_BYTES=16"
CYCLES_HZ = {"microbit": 16000000, "virt": 31250000}


def mix(value, by):
    return ((value ^ by) * 16777619) & MASK


def work(value, depth):
    """Returns what work() of tests/rigs/stress returns."""
    a, b, c = mix(value + depth & MASK, depth), value ^ 0x5A5A5A5A, ~value & MASK
    if depth > 0:
        b ^= work(a, depth - 1)
    return mix(b, c) + a & MASK


def checksum():
    total = 1
    for i in range(ROUNDS):
        total = work(total, i % DEPTH)
    return total


class Stress(unittest.TestCase):
    def run_it(self, board, knobs, variables=()):
        run = Run(board, "stress", KNOBS + knobs, variables=variables)
        info = run.info()
        self.assertTrue(info["complete"])
        self.assertFalse(info["mismatch"])
        self.assertEqual((info["damaged"], info["discarded"], info["earlier"]), (0, 0, 0))
        bits = 0xFFFF if BOARDS[board].tools == "avr-" else MASK  # of the board's type unsigned
        self.assertEqual(run.said("sum"), checksum() & bits)
        self.assertGreater(run.said("ticks"), 20)
        self.assertEqual(info["samples"]["received"] + info["samples"]["lost"],
                         run.said("samples"))
        return run, info

    def check_counts(self, board, knobs, variables=()):
        run, info = self.run_it(board, knobs, variables)
        self.assertEqual(info["arcs"]["received"] + info["arcs"]["lost"],
                         run.said("main") + run.said("handler"))

    def test_dma(self):
        """Spans behind a line that is slow, and one that takes all; a call that starts one lets the
        tick in before."""
        for cycles in (" -DBOARD_DMA_CYCLES=400", ""):
            with self.subTest(cycles):
                self.check_counts("mps2-an505", f"{ENTRIES} -DMCUPROF_SAMPLE_HZ=2000{SPANS}{cycles}",
                                  ("LINK=pl080",))


def add(name, check):
    setattr(Stress, "test_" + name.replace("-", "_"), check)


for each in WITH_SLOW_LINE:
    fast = FAST.format(hz=min(2000, BOARDS[each].fastest_hz)) + ENTRIES
    add(f"{each}_fast", lambda self, board=each, knobs=fast: self.check_counts(board, knobs))
for each in ("microbit", "virt"):
    fast, slow = FAST.format(hz=2000), BAUD_1200.format(cycles=CYCLES_HZ[each] // 120)
    add(f"{each}_1200_baud", lambda self, board=each, knobs=slow:
        self.check_counts(board, knobs + " -DMCUPROF_ENTRIES=8"))
    add(f"{each}_samples_alone", lambda self, board=each, knobs=fast:
        self.run_it(board, knobs + " -DMCUPROF_ARCS=0"))
for each in ("microbit", "mps2-an385", "virt"):
    fast = FAST.format(hz=2000) + ENTRIES + " -DSTRESS_STOPS=1"
    add(f"{each}_stopped", lambda self, board=each, knobs=fast: self.run_it(board, knobs))


if __name__ == "__main__":
    unittest.main()
