# SPDX-License-Identifier: MIT
"""The time that sampling takes is measured and subtracted, so a program's time is the same as
without the profiler. It is noticed if interrupts are masked for longer than a period."""
import json
import os
import unittest

from firmware import BOARDS, Run, output

ROUNDS = 250  # each has 4000 turns
# The largest error of a time, and a rate at which sampling takes a good part of the time.
# The timer of versatilepb has ticks of 1 us; on virt the end of the interrupt takes longer
# than its start.
BOUNDS = {"mps2-an385": (0.01, 10000), "mps2-an386": (0.01, 10000),
          "mps2-an505": (0.01, 10000), "microbit": (0.01, 3000), "leon3": (0.01, 10000),
          "versatilepb": (0.02, 10000), "virt": (0.02, 10000)}


# All records wait in the ring until the end. The emulators' lines are as fast as the program, so
# the link's time would otherwise come right behind each sample, where no sample sees it.
AT_THE_END = "-DBOARD_LINK_CYCLES={} -DMCUPROF_RING_BYTES={}"
# On these boards the program gets in step with sampling, with errors of 1 or 2 %, unless sampling
# is dithered. Then the time of n samples has an error of 0.29 / sqrt(n), so the program runs four
# times as long, which gives 0.4 %. The other boards do not dither: that is less noise.
IN_STEP = ("leon3",)
LONG_LINK = ("leon3", "virt")  # on these the interrupt for a byte takes long


def run(board, rate, knobs, rounds=ROUNDS):
    return Run(board, "late", f"-DMCUPROF_ARCS=0 -DMCUPROF_SAMPLE_HZ={rate} "
               f"-DROUNDS={rounds}u {knobs}")


class Late(unittest.TestCase):
    def test_time_is_the_programs(self):
        for board, (bound, rate) in BOUNDS.items():
            with self.subTest(board=board):
                ring = 8192 if board == "microbit" else 16384
                cycles = 30000 if board in LONG_LINK else 10000
                rounds, dither = ROUNDS, " -DMCUPROF_DITHER=0"
                if board in IN_STEP:
                    rounds, ring, dither = 4 * ROUNDS, 2 * ring, ""
                ran = run(board, rate, AT_THE_END.format(cycles, ring) + dither, rounds)
                model = ran.model()
                seen = next(f for f in model["functions"] if f["name"] == "seen")
                true = rounds * 4000 * BOARDS[board].turn_ns / 1e9
                self.assertEqual(model["events"]["samples"]["lost"], 0)
                self.assertLess(abs(seen["self_seconds"] / true - 1), bound)
                self.assertGreater(model["sampling"]["percent"], 5)
                self.assertEqual(model["sampling"], ran.info()["sampling"])
                self.assertFalse(model["sampling"]["late"])
                self.assertNotIn("late  ", output("report", "-e", ran.elf, ran.capture))

    def test_a_timer_that_runs_on(self):
        """The time of sampling is part of its periods, and the PC subtracts it."""
        board = "mps2-an385"
        bound, rate = BOUNDS[board]
        ran = run(board, rate, AT_THE_END.format(10000, 16384) +
                  " -DMCUPROF_DITHER=0 -DMCUPROF_TIMER_RESTARTS=0")
        seen = next(f for f in ran.model()["functions"] if f["name"] == "seen")
        true = ROUNDS * 4000 * BOARDS[board].turn_ns / 1e9
        self.assertLess(abs(seen["self_seconds"] / true - 1), bound)
        self.assertGreater(seen["samples"] / rate / true - 1, 0.05)  # uncorrected

    def test_masked_interrupts_are_noticed(self):
        for board in BOUNDS:
            with self.subTest(board=board):
                # interrupts are masked for three periods
                rate = int(3e9 / (4000 * BOARDS[board].turn_ns))
                ran = run(board, rate, "-DMASKED=10u")
                sampling = ran.info()["sampling"]
                self.assertTrue(sampling["late"], sampling)
                self.assertGreater(sampling["late_samples"], 5)
                self.assertGreater(sampling["latest_seconds"], 0.5 / rate)
                self.assertLess(sampling["latest_seconds"], 3.1 / rate)
                if board == "virt":  # its timer shows the whole delay
                    self.assertGreater(sampling["latest_seconds"], 2.5 / rate)
                said = "samples came up to "
                self.assertIn(said, output("report", "-e", ran.elf, ran.capture))
                self.assertIn(said, output("info", ran.capture))
                self.assertIn(said, ran.summary)

    def test_what_is_merged_says_the_same(self):
        ran = run("mps2-an385", 5000, "-DMASKED=10u")
        merged = f"{os.path.splitext(ran.capture)[0]}_merged.mprof"
        output("merge", "-o", merged, ran.capture, ran.capture)
        twice = ran.info()["sampling"]
        twice["samples"] *= 2
        twice["late_samples"] *= 2
        self.assertEqual(json.loads(output("info", "--json", merged))["sampling"], twice)

    def test_nothing_is_said_where_nothing_is_measured(self):
        """Nothing is measured without paths, nor where calls are timed: they have a record of their
        own for it."""
        for knobs in ("-DMCUPROF_PATHS=0", "-DMCUPROF_CALLS=1"):
            ran = Run("mps2-an385", "late", knobs)
            self.assertIsNone(ran.info()["sampling"])
            self.assertNotIn("sampling  took", output("report", "--all", "-e", ran.elf, ran.capture))


if __name__ == "__main__":
    unittest.main()
