# SPDX-License-Identifier: MIT
"""A processor that sleeps half of the time is also sampled asleep: in the function that sleeps and,
on a Cortex-M, in its idle task. The run takes the time that its ticks take, so none was lost."""
import unittest

from firmware import BOARDS, Run

ROUNDS, TICK_US = 1000, 2000
KNOBS = f"-DBOARD_COUNT_SAMPLES -DMCUPROF_SAMPLE_HZ={{}} -DTICK_US={TICK_US} -DTURNS={{}}"


class Asleep(unittest.TestCase):
    def check(self, board, knobs="", hz=1000):
        """Returns the samples asleep and the model."""
        turns = TICK_US * 1000 // 2 // BOARDS[board].turn_ns // 4 * 4
        run = Run(board, "asleep", KNOBS.format(hz, turns) + knobs)
        taken, wanted = run.said("samples"), ROUNDS * TICK_US * hz / 1e6
        # a period begins where the last sample ends, and a sample takes 4 % of it at most
        self.assertTrue(0.94 * wanted < taken < 1.02 * wanted, taken)
        model = run.model()
        functions = {each["name"]: each["samples"] for each in model["functions"]}
        self.assertEqual(run.info()["samples"], {"received": taken, "lost": 0})
        self.assertGreater(functions["sleep"] + functions["work"], 0.97 * taken)
        # the other half is work, in which samples are taken
        chance = max(0.045, 4 * (0.25 / taken)**0.5)
        self.assertLess(abs(functions["sleep"] / taken - 0.465), chance, functions)
        return functions["sleep"], model

    def test_microbit(self):
        asleep, model = self.check("microbit", " -DMCUPROF_TASKS=2")
        tasks = {each["name"]: each for each in model["tasks"]}
        self.assertEqual((tasks["sleep"]["idle"], tasks["main"]["idle"]), (True, False))
        idle = sum(each["count"] for each in model["samples"]
                   if each["task"] == tasks["sleep"]["task"])
        self.assertAlmostEqual(idle, asleep, delta=0.02 * asleep)

    def test_virt(self):
        self.check("virt")

    def test_a_timer_that_goes_on_asleep(self):
        """At 200 Hz no sample comes in most of the ticks' periods. Without the timer of
        BOARD_SLEEPS QEMU loses ticks, and the run takes 1.6 times as long."""
        for board in "mps2-an385", "mps2-an505":
            with self.subTest(board=board):
                self.check(board, hz=200)


if __name__ == "__main__":
    unittest.main()
