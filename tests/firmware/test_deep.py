# SPDX-License-Identifier: MIT
"""Recursion far deeper than any processor's register windows, in the program and in an interrupt,
with calls and samples: the registers are preserved and every call is counted."""
import unittest

from firmware import BOARDS, WITH_SLOW_LINE, Run

TICKS, DEPTH, TICK_DEPTH = 100, 100, 30
TOO_MUCH = {("mega2560", "-O0")}  # the frames and a ring of 4 KiB need more than 8 KiB of RAM


class Deep(unittest.TestCase):
    def check(self, board, knobs, optimise="-Os"):
        run = Run(board, "deep", "-DBOARD_COUNT_SAMPLES "
                  f"-DMCUPROF_SAMPLE_HZ={BOARDS[board].fastest_hz // 4} {knobs}", optimise)
        info = run.info()
        self.assertEqual(run.said("failures"), 0)
        self.assertTrue(info["complete"])
        self.assertEqual(info["damaged"], 0)
        self.assertGreater(run.said("samples"), 100)
        self.assertEqual(info["samples"]["received"] + info["samples"]["lost"],
                         run.said("samples"))
        rounds = run.said("rounds")
        calls = {("main", "down"): rounds, ("down", "down"): rounds * DEPTH,
                 ("on_timer", "on_tick"): TICKS, ("on_tick", "down_in_tick"): TICKS,
                 ("down_in_tick", "down_in_tick"): TICKS * TICK_DEPTH}
        self.assertEqual(info["arcs"]["received"] + info["arcs"]["lost"],
                         sum(calls.values()))
        if info["arcs"]["lost"] == 0:
            self.assertEqual(run.calls(), calls)
        return info

    def test_exact(self):
        for board in BOARDS:
            for entries in (2, 64):
                with self.subTest(board=board, entries=entries):
                    info = self.check(board, "-DMCUPROF_RING_BYTES=4096 "
                                      f"-DMCUPROF_ENTRIES={entries}")
                    self.assertEqual(info["arcs"]["lost"], 0)

    def test_slow_line(self):
        for board in WITH_SLOW_LINE:
            for wait in (0, 1):
                with self.subTest(board=board, wait=wait):
                    self.check(board, "-DMCUPROF_RING_BYTES=64 -DMCUPROF_ENTRIES=1 "
                               f"-DBOARD_LINK_CYCLES=1000 -DMCUPROF_WAIT={wait}")

    def test_optimisation_levels(self):
        """At -O3 the compiler may unroll recursion, so the number of calls is not known here."""
        for board in BOARDS:
            for optimise in ("-O0", "-O1"):
                if (board, optimise) in TOO_MUCH:
                    continue
                with self.subTest(board=board, optimise=optimise):
                    self.check(board, "-DMCUPROF_RING_BYTES=4096", optimise)


if __name__ == "__main__":
    unittest.main()
