# SPDX-License-Identifier: MIT
"""Faults injected into what a firmware sent: a bit flipped, bytes dropped, doubled, swapped,
replaced, the stream cut at every byte. None changes the profile without a sign of it."""
import re
import subprocess
import unittest

from firmware import Run


class Faults(unittest.TestCase):
    def check(self, board, example, knobs):
        run = Run(board, example, knobs)
        done = subprocess.run(["build/tests/fault_capture", run.capture], timeout=300,
                              capture_output=True, text=True, check=False)
        print(f"\n{board} {example}:\n{done.stdout}", end="")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        silent = re.findall(r"(\d+) silent$", done.stdout, re.M)
        self.assertEqual(silent, ["0"] * 7)

    def test_a_capture_with_console_text(self):
        self.check("mps2-an385", "truth", "-DMCUPROF_ENTRIES=32")

    def test_a_capture_with_losses(self):
        self.check("microbit", "truth", "-DMCUPROF_ENTRIES=8 -DMCUPROF_RING_BYTES=64 "
                   "-DBOARD_LINK_CYCLES=30000")


if __name__ == "__main__":
    unittest.main()
