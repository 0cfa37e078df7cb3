# SPDX-License-Identifier: MIT
"""Interrupts nest while the ring is full, with start, stop and flush in between. Received and lost
events add up to what the program itself counted, and no record is damaged."""
import itertools
import unittest

from firmware import BOARDS, WITH_SLOW_LINE, Run

KNOBS = ("-DBOARD_COUNT_SAMPLES -DMCUPROF_ENTRIES={} -DMCUPROF_RING_BYTES={} "
         "-DBOARD_LINK_CYCLES={} -DMCUPROF_WAIT={} -DMCUPROF_SAMPLE_HZ={} -DTICK_US={}")


class Storm(unittest.TestCase):
    def check(self, board, entries, ring, cycles, wait, more=""):
        hz = BOARDS[board].fastest_hz
        run = Run(board, "storm", KNOBS.format(
            entries, ring, cycles, wait, hz, 3000000 // hz) + more)
        info = run.info()
        self.assertTrue(info["complete"])
        self.assertFalse(info["mismatch"])
        self.assertEqual((info["damaged"], info["discarded"], info["earlier"]), (0, 0, 0))
        calls, handler = run.said("main"), run.said("handler")
        self.assertGreater(calls, 5000)
        self.assertGreater(handler, 100)
        self.assertGreater(run.said("samples"), 200)
        self.assertEqual(info["arcs"]["received"] + info["arcs"]["lost"], calls + handler)
        self.assertEqual(info["samples"]["received"] + info["samples"]["lost"],
                         run.said("samples"))
        if cycles < 200:
            self.assertGreater(info["samples"]["received"], run.said("samples") / 4)
        elif wait:  # the handler outranks the link and may not wait
            self.assertLessEqual(info["arcs"]["lost"], handler)
        else:
            self.assertGreater(info["arcs"]["lost"], 0)

    def check_outranked(self, knobs):
        for board in ("mps2-an385", "microbit"):
            with self.subTest(board=board):
                run = Run(board, "outranked", "-DBOARD_COUNT_SAMPLES "
                          "-DBOARD_SAMPLING_PRIORITY=3 -DMCUPROF_RING_BYTES=4096 "
                          f"-DMCUPROF_SAMPLE_HZ=20000 {knobs}")
                info = run.info()
                self.assertTrue(info["complete"])
                self.assertFalse(info["mismatch"])
                self.assertEqual((info["damaged"], info["discarded"]), (0, 0))
                for kind, word in ("samples", "samples"), ("arcs", "calls"):
                    self.assertEqual(info[kind]["received"] + info[kind]["lost"],
                                     run.said(word))

    def test_each_instruction_of_a_repeat_is_interrupted(self):
        self.check_outranked("-DMCUPROF_ENTRIES=0")

    def test_samples_that_were_equal_are_interrupted(self):
        """A handler moves counters while the samples that were equal are sent."""
        self.check_outranked("-DMCUPROF_ENTRIES=8 -DOUTRANKED_PLACES=3")


def add(board, entries, ring, cycles, wait, more="", name=""):
    def test(self):
        self.check(board, entries, ring, cycles, wait, more)

    setattr(Storm, f"test_{board.replace('-', '_')}_{entries}_{ring}_{cycles}_{wait}{name}",
            test)


for where, knobs in itertools.product(
        WITH_SLOW_LINE,
        ((0, 64, 400, 0), (2, 256, 3000, 0), (8, 512, 2000, 0), (1, 64, 300, 1))):
    add(where, *knobs)
for where, knobs in itertools.product(
        ("microbit", "mps2-an385"), ((64, 4096, 150, 0), (256, 4096, 100, 1))):
    # the line keeps up with most samples and their paths
    add(where, *knobs, " -DBOARD_SAMPLING_PRIORITY=3", "_fast")
for where, knobs in itertools.product(
        ("microbit", "mps2-an385"), ((0, 64, 400, 0), (8, 512, 2000, 0), (1, 64, 300, 1))):
    # a profiled handler that prints outranks sampling, and comes while a sample is sent
    add(where, *knobs, " -DBOARD_SAMPLING_PRIORITY=3", "_outranked")


if __name__ == "__main__":
    unittest.main()
