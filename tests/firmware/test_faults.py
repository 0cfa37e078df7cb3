# SPDX-License-Identifier: MIT
"""Injects faults into the bytes that firmware sent: flips a bit, drops, doubles, swaps and replaces
bytes, cuts the stream at every byte; and up to four random faults at once, or bit errors at 10^-6
to 10^-2, FAULT_TIMES in all. No fault may make an event count that was not sent, or hide that one
is missing; a single one may not cost more records than there are in the blocks that it hits."""
import os
import random
import re
import subprocess
import sys
import tempfile
import unittest

from firmware import Run

sys.path.insert(0, "tests/golden")
from wire import CUT, SAMPLES, WHOLE, Stream  # noqa: E402

TIMES = int(os.environ.get("FAULT_TIMES", "40000"))
CAPTURES = (  # board, example, knobs
    ("mps2-an385", "truth", "-DMCUPROF_ENTRIES=32"),
    ("microbit", "truth", "-DMCUPROF_ENTRIES=8 -DMCUPROF_RING_BYTES=64 "
     "-DBOARD_LINK_CYCLES=30000"),
    ("mps2-an385", "fib", "-DMCUPROF_CALLS=1 -DMCUPROF_TASKS=2 -DMCUPROF_SAMPLES=0"),
    ("mps2-an385", "blinky", "-DMCUPROF_ARCS=0"),  # paths
    ("mps2-an385", "chibios", "-DMCUPROF_ENTRIES=64"),  # and arcs; by task
    ("mps2-an385", "chibios", "-DMCUPROF_TIMELINE=1 -DMCUPROF_ENTRIES=64"),
    ("mps2-an385", "timeline", "-DMCUPROF_RING_BYTES=128 -DBOARD_LINK_CYCLES=1500"),
    ("microbit", "blinky", "-DMCUPROF_BLOCKS=1 -DMCUPROF_PATHS=0"),
    ("virt", "truth", "-DMCUPROF_ENTRIES=16"),
    ("leon3", "truth", "-DMCUPROF_ENTRIES=16"),
    ("versatilepb", "fib", "-DMCUPROF_CALLS=1"),
    ("atmega1284p", "truth", "-DMCUPROF_ENTRIES=16"),
)
WORDS = (  # of CAPTURES, turned into version 3 of the wire: as bytes or words
    (0, "bytes"), (2, "bytes"), (3, "bytes"), (3, "words"), (4, "bytes"), (7, "bytes"), (9, "words"))
SMALL = CAPTURES[0], CAPTURES[1], CAPTURES[2], CAPTURES[6]  # arcs; timed calls of tasks; steps


def paths_capture(path):
    """Writes paths as firmware sends them; some need two records."""
    stream = Stream(hz=1000000, period=1000, flags=SAMPLES, depth=8)
    any_of = random.Random(1)
    for sample in range(200):
        root = any_of.choice((WHOLE, WHOLE, CUT))
        frames = [0x200 + 2 * any_of.randrange(3) + any_of.choice((0, 0x4000, 0x100000))
                  for _ in range(any_of.randrange(10))]
        stream.path(root, frames, 0x400 + 2 * any_of.randrange(9), any_of.choice((1, 99)))
        if sample % 16 == 8:
            stream.check()
        elif sample % 16 == 0:
            stream.totals()
        if sample % 64 == 40:
            stream.hello()
    stream.totals()
    stream.end(totals=False)
    stream.write(path)


def words_capture(number, form, folder):
    """Writes a capture in version 3, in blocks of 64 words."""
    path = os.path.join(folder, f"{number}-{form}.mprof")
    subprocess.run(["build/tests/to_words", form, "64", Run(*CAPTURES[number]).capture, path],
                   check=True, stdout=subprocess.DEVNULL)
    return path


class Faults(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def run_on(self, *arguments):
        done = subprocess.run(["build/tests/fault_capture", *arguments], check=False,
                              capture_output=True, text=True)
        print("\n" + done.stdout, end="")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def test_each_at_each_byte(self):
        for capture in (*(Run(*capture).capture for capture in SMALL),
                        words_capture(1, "bytes", self.folder)):
            said = self.run_on(capture)
            self.assertEqual(re.findall(r"falsely counted 0, wrong totals 0, understated 0, "
                                        r"needlessly refused 0, beyond the block (\d+)", said),
                             8 * ["0"])  # 7 kinds of faults, and all of them

    def test_random_ones(self):
        paths = os.path.join(self.folder, "paths.mprof")
        paths_capture(paths)
        self.run_on(str(TIMES // (1 + len(CAPTURES))), "1", paths,
                    *(Run(*capture).capture for capture in CAPTURES))

    def test_random_ones_in_words(self):
        self.run_on(str(TIMES // len(WORDS)), "2", *(words_capture(number, form, self.folder)
                                                     for number, form in WORDS))


if __name__ == "__main__":
    unittest.main()
