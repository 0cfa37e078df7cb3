# SPDX-License-Identifier: MIT
"""Firmware that was written for other ports of gprof, with monstartup, moncontrol, profil and
_mcleanup, links with mcuprof and counts what it should, on every board."""
import unittest

from firmware import BOARDS, Run


class Gmon(unittest.TestCase):
    def test_every_board(self):
        for board in BOARDS:
            with self.subTest(board=board):
                run = Run(board, "gmon")
                info = run.info()
                self.assertTrue(info["complete"])
                self.assertEqual(run.calls(), {("main", "repeat"): 3,
                                               ("repeat", "counted"): 20 + 7 + 3})
                self.assertEqual(info["arcs"], {"received": 33, "lost": 0})


if __name__ == "__main__":
    unittest.main()
