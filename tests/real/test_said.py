# SPDX-License-Identifier: MIT
"""Compares what each command and export prints with the emulator's log, for a few runs: bench/truth
has more programs, boards, rates and seeds."""
import argparse
import sys
import unittest

sys.path.append("bench/truth")
import measure  # noqa: E402


class Said(unittest.TestCase):
    def check(self, board, mode, programs, seeds=1, hz=10000):
        chosen = argparse.Namespace(programs=programs, seeds=seeds, rounds=2, link=None)
        row = measure.measure(board, mode, hz, chosen)
        self.assertEqual(row.missed(), [])
        self.assertGreater(row.runs, 0)
        return row

    def check_shares(self, mode):
        row = self.check("mps2-an385", mode, ["zlib"], seeds=2)
        forms = {"json", "csv", "report", "folded", "pprof", "speedscope", "firefox", "flamegraph",
                 "html", "gprof"}
        self.assertEqual(set(row.views),
                         forms | ({"callgrind", "dot"} if mode == "paths" else set()))
        for form, errors in row.views.items():
            self.assertGreater(len(errors.all()), 20, form)
            self.assertGreater(errors.within(3), 97, form)

    def test_samples(self):
        self.check_shares("samples")

    def test_paths(self):
        self.check_shares("paths")

    def test_cut_paths(self):
        """What cut paths hide is in the errors of totals: all that is outermost has too little."""
        row = self.check("mps2-an385", "cut", ["lua"], seeds=2, hz=4000)
        main = row.whole.apart["lua", "main"]
        self.assertTrue(all(-1.2 < apart < -0.5 for apart in main), main)
        self.assertGreater(row.whole.within(2), 93)

    def test_few_samples(self):
        """Some 70 samples a run, so most shares have 1 to 5. In these programs a function of
        libgcc has several names, and one goes on as the next, which lies behind it."""
        row = self.check("mps2-an385", "samples", ["cjson", "kissfft"], seeds=6, hz=1000)
        self.assertLess(row.samples / row.runs, 100)
        self.assertNotIn("__aeabi_dsub", {name for _, name in row.own.apart})
        self.assertIn("__adddf3", {name for _, name in row.own.apart})
        for form, errors in row.views.items():
            self.assertGreater(errors.within(2), 93, form)
            self.assertLess(abs(errors.bias()), 0.3, form)

    def test_calls(self):
        row = self.check("mps2-an385", "arcs", ["zlib", "truth"])
        self.assertGreater(row.counts.events, 20000)

    def test_calls_behind_register_windows(self):
        """Recursion, whose windows make room by traps, also in front of a function's first
        instruction."""
        row = self.check("leon3", "arcs", ["truth"])
        self.assertGreater(row.counts.places, 30)

    def test_blocks_without_other_hooks(self):
        """A hook at a function's end is called, not jumped to; after a jump the block would belong
        to the caller."""
        row = self.check("mps2-an385", "blocks", ["zlib"])
        self.assertGreater(row.counts.places, 500)


if __name__ == "__main__":
    unittest.main()
