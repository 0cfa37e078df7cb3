# SPDX-License-Identifier: MIT
"""Calls are made with exactly as much stack as a counted call takes: that is enough, to the last
word, with the MPU on where there is one. With less there is a fault, so the guard works. No board
takes more than bench/README.md says; a Cortex-M0 takes the most."""
import unittest

from firmware import Run

KNOBS = "-DMCUPROF_ENTRIES=8 -DMCUPROF_PATHS=0 -DMCUPROF_RING_BYTES=64 -DLEFT={}"
TAKEN = {"microbit": 120, "mps2-an385": 112, "mps2-an505": 112}


class Brim(unittest.TestCase):
    def test_the_last_word(self):
        for board, taken in TAKEN.items():
            with self.subTest(board=board):
                run = Run(board, "brim", KNOBS.format(taken))
                self.assertEqual((run.said("broken"), run.said("used")), (0, taken))
                self.assertEqual(run.said("mpu"), board != "microbit")
                self.assertEqual(sum(run.info()["arcs"].values()), 5000)

    def test_a_word_less(self):
        run = Run("mps2-an385", "brim", KNOBS.format(TAKEN["mps2-an385"] - 4))
        self.assertIn("the command ended with exit status 1", run.summary)
        self.assertNotIn("broken", run.console)


if __name__ == "__main__":
    unittest.main()
