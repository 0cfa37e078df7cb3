# SPDX-License-Identifier: MIT
"""Firmware with too few counters for its calls is told how many it needs; with that number it needs
no more."""
import unittest

from firmware import Run, output

KNOBS = "-DMCUPROF_RING_BYTES=1024 -DMCUPROF_ENTRIES={}"


class Counters(unittest.TestCase):
    def run_with(self, entries):
        """Returns what info says of the counters as JSON, and whether its text warns."""
        run = Run("microbit", "truth", KNOBS.format(entries))
        cache = run.info()["cache"]
        self.assertEqual(cache["entries"], entries)
        return cache, "\ncounters " in output("info", run.capture)

    def test_what_it_wants_is_enough(self):
        few, warned = self.run_with(2)
        self.assertTrue(warned)
        self.assertGreater(few["alone_percent"], 10)
        self.assertGreater(few["wanted"], 2)
        enough, warned = self.run_with(few["wanted"])
        self.assertFalse(warned)
        self.assertLess(enough["alone_percent"], few["alone_percent"] / 10)


if __name__ == "__main__":
    unittest.main()
