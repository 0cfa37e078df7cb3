# SPDX-License-Identifier: MIT
"""A board is reset again and again, at full line rate, on a line that loses bytes: the numbers of
received and lost events are those that the firmware counted, and memory does not grow. `make soak`
runs longer."""
import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../bench"))
import soak  # noqa: E402


class Soak(unittest.TestCase):
    def test_some_lives(self):
        if os.environ.get("CHECK_BOARD", "mps2-an385") != "mps2-an385":
            self.skipTest(f"of another board than {os.environ['CHECK_BOARD']}")
        truth, memory, info = soak.soak("build/tests/soak", 0, 1)
        self.assertGreater(truth.faults, 0)
        self.assertTrue(soak.judge(truth, memory, info))


if __name__ == "__main__":
    unittest.main()
