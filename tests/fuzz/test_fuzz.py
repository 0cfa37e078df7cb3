# SPDX-License-Identifier: MIT
"""Each reader gets its kept inputs, and a minute's new ones, with ASan and UBSan. An input that it
finds is in build/fuzz: build/fuzz/TARGET FILE shows what is wrong."""
import os
import unittest

import fuzz

FOLDER, SECONDS = "build/fuzz", 60
SLOW = 60  # seconds of an input: other tests run beside, and the clock is everybody's


class Fuzz(unittest.TestCase):
    def check(self, target):
        lines = []
        kept = len(os.listdir(f"{fuzz.CORPUS}/{target}"))
        tried, took, found = fuzz.fuzz(FOLDER, SECONDS, target, lines.append, SLOW)
        self.assertEqual(found, 0, "".join(lines[-100:]))
        self.assertGreater(tried, kept)
        self.assertGreaterEqual(took, SECONDS)


for name in sorted(os.listdir(fuzz.CORPUS)):
    setattr(Fuzz, f"test_{name}".replace("-", "_"), lambda self, name=name: self.check(name))


if __name__ == "__main__":
    unittest.main()
