# SPDX-License-Identifier: MIT
"""A handler stands still, and text fills the ring: a block whose first sample was lost has no path
that the next sample could repeat. No record is damaged, and all samples are accounted for."""
import unittest

from firmware import Run

KNOBS = ("-DBOARD_COUNT_SAMPLES -DMCUPROF_ENTRIES=0 -DMCUPROF_ARCS=0 -DMCUPROF_RING_BYTES=64 "
         "-DMCUPROF_PATHS=8 -DMCUPROF_SAMPLE_HZ=15000 -DBOARD_LINK_CYCLES={}")


class Standing(unittest.TestCase):
    def check(self, board, *cycles):
        for link in cycles:
            with self.subTest(cycles=link):
                run = Run(board, "standing", KNOBS.format(link))
                info = run.info()
                self.assertTrue(info["complete"])
                self.assertEqual((info["damaged"], info["discarded"], info["mismatch"]),
                                 (0, 0, False))
                self.assertGreater(info["samples"]["received"], 200)
                self.assertGreater(info["samples"]["lost"], 200)
                self.assertEqual(sum(info["samples"].values()), run.said("samples"))

    def test_v8m(self):
        self.check("mps2-an505", 200, 210, 220, 300)

    def test_cortex_m3(self):
        self.check("mps2-an385", 200, 300)


if __name__ == "__main__":
    unittest.main()
