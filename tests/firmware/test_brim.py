# SPDX-License-Identifier: MIT
"""Calls that have just the stack that bench/README.md says a counted call takes: it is enough, to
the last word, with the MPU on where there is one. Less is a fault, so the guard holds."""
import unittest

from firmware import Run

KNOBS = "-DMCUPROF_ENTRIES=8 -DMCUPROF_PATHS=0 -DMCUPROF_RING_BYTES=64 -DLEFT={}"
SAID = {"microbit": 112, "mps2-an385": 120, "mps2-an505": 120}


class Brim(unittest.TestCase):
    def test_the_last_word(self):
        for board, said in SAID.items():
            with self.subTest(board=board):
                run = Run(board, "brim", KNOBS.format(said))
                self.assertEqual((run.said("broken"), run.said("used")), (0, said))
                self.assertEqual(run.said("mpu"), board != "microbit")
                self.assertEqual(sum(run.info()["arcs"].values()), 5000)

    def test_a_word_less(self):
        run = Run("mps2-an385", "brim", KNOBS.format(SAID["mps2-an385"] - 4))
        self.assertIn("the command ended with exit status 1", run.summary)
        self.assertNotIn("broken", run.console)


if __name__ == "__main__":
    unittest.main()
