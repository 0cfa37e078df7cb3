# SPDX-License-Identifier: MIT
"""Knobs that put the most in front of the counters, set together, and knobs that make branches
longer: where a load or a branch of ARMv6-M no longer reaches, the firmware is built all the same,
and counts what ran."""
import unittest

from firmware import Run
from truth import truth

KNOBS = ("-DMCUPROF_RTT=1 -DMCUPROF_WAIT=1 -DMCUPROF_PATHS=0 -DMCUPROF_BLOCKS=1 "
         "-DMCUPROF_TASKS=8 -DBOARD_COUNT_SAMPLES ")
BLOCKS = "-fsanitize-coverage=trace-pc -fno-lto"


class Together(unittest.TestCase):
    def run_of(self, knobs, cflags=None):
        """Returns a run and its info."""
        run = Run("mps2-an385", "truth", KNOBS + knobs, cflags=cflags,
                  variables=("LINK=rtt", "BOARD_CPU=cortex-m0"))
        info = run.info()
        self.assertIn("failures 0", run.console)
        self.assertTrue(info["complete"])
        self.assertEqual(info["damaged"], 0)
        self.assertEqual(sum(info["samples"].values()), run.said("samples"))
        return run, info

    def check_calls(self, run, calls):
        """Each call was received or, in a handler that may not wait, counted as lost."""
        expected = sum(truth(run.board, run.said("rounds")).values())
        self.assertEqual(sum(calls.values()), expected)
        self.assertGreater(calls["received"], 0.95 * expected)

    def test_calls_by_task(self):
        for entries in (2, 8):
            with self.subTest(entries=entries):
                run, info = self.run_of(f"-DMCUPROF_ENTRIES={entries}")
                self.check_calls(run, info["arcs"])

    def test_timed_calls_by_task(self):
        run, info = self.run_of("-DMCUPROF_CALLS=1 -DMCUPROF_ENTRIES=8")
        self.check_calls(run, info["calls"])

    def test_blocks_by_task(self):
        _, info = self.run_of("-DMCUPROF_CALLS=1 -DMCUPROF_ENTRIES=8", BLOCKS)
        self.assertGreater(info["blocks"]["received"], 10000)
        self.assertEqual(info["blocks"]["lost"], 0)

    def test_flags_that_are_kept(self):
        """With either length of index, the code between a branch and its place is the longest."""
        for ring in (64, 1024):
            for more in ("-DMCUPROF_PATHS=0", "-DMCUPROF_PATHS=16"):
                with self.subTest(ring=ring, more=more):
                    run = Run("microbit", "truth", "-DMCUPROF_KEEP_FLAGS=1 -DMCUPROF_ENTRIES=4 "
                              f"-DMCUPROF_RING_BYTES={ring} {more}")
                    info = run.info()
                    self.assertIn("failures 0", run.console)
                    self.assertTrue(info["complete"])
                    self.assertEqual((info["damaged"], info["mismatch"]), (0, False))
                    self.assertEqual(sum(info["arcs"].values()),
                                     sum(truth(run.board, run.said("rounds")).values()))


if __name__ == "__main__":
    unittest.main()
