# SPDX-License-Identifier: MIT
"""Firmware that was written for other ports of gprof, with monstartup, moncontrol, profil and
_mcleanup, links with mcuprof and counts what it should, on every board. Where samples are counted in
C, profil() fills the histogram that it was given."""
import collections
import re
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


class Profil(unittest.TestCase):
    """The histogram that the firmware prints is that of the samples which it has sent, by the
    manual page's arithmetic."""

    def bins(self, board, scale, base=0, of=None, more="", first=0, bins=1024):
        """`of`: the name of the function with which the histogram begins, in place of `base`.
        Returns the histogram, and what part of the samples is in it."""
        run = Run(board, "profil", f"-DSCALE={scale} -DBINS={bins} -DFROM={of or hex(base)} "
                  f"-DFIRST={first} {more}")
        model = run.model()
        self.assertEqual(model["events"]["samples"]["lost"], 0)
        if of:
            base = next(each["address"] for each in model["functions"] if each["name"] == of)
        truth = collections.Counter()
        for sample in model["samples"]:
            number = (sample["address"] - base) // 2 * scale // 65536
            if 0 <= number < bins:
                truth[number] += sample["count"]
        told = {int(number): int(count) for number, count in re.findall(
            r"^bin (\d+) (\d+)$", run.console, re.M)}
        self.assertEqual(told, {number: min(first + count, 65535)
                                for number, count in truth.items()})
        self.assertEqual(run.said("refused"), 0 if board == "atmega1284p" else 1)
        return told, truth.total() / sum(sample["count"] for sample in model["samples"])

    def test_scales_and_offsets(self):
        ram = 0x40000000
        fine, all_of_it = self.bins("leon3", 65536, ram, bins=8192)
        self.assertEqual(all_of_it, 1)
        self.assertGreater(len(fine), 4)
        # What lies in front is left out, also where its distance fills 32 bits.
        _, part = self.bins("leon3", 2, of="one", bins=65536)
        self.assertAlmostEqual(part, 1 / 3, delta=0.13)  # 5 standard errors
        full, _ = self.bins("leon3", 2, 0, first=65500, bins=16400, more="-DMCUPROF_PATHS=0")
        self.assertEqual(full, {16384: 65535})

    def test_other_processors(self):
        for board, base, scale in (("virt", 0x80000000, 0x8000), ("versatilepb", 0, 0x8000),
                                   ("atmega1284p", 0, 0xFFFF)):
            with self.subTest(board=board):
                _, all_of_it = self.bins(board, scale, base)
                self.assertEqual(all_of_it, 1)


if __name__ == "__main__":
    unittest.main()
