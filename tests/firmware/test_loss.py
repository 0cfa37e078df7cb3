# SPDX-License-Identifier: MIT
"""If the ring is too small and the line too slow, losses are counted exactly, and the firmware
works as with a fast line."""
import unittest

from firmware import BOARDS, WITH_SLOW_LINE, Run
from truth import truth

SLOW = "-DMCUPROF_RING_BYTES=64 -DBOARD_LINK_CYCLES={} -DBOARD_COUNT_SAMPLES"
# calls in the interrupt handler of examples/truth, which outranks the link
IN_HANDLER = 600


class Loss(unittest.TestCase):
    def run_truth(self, board, knobs):
        run = Run(board, "truth", knobs)
        info = run.info()
        expected = truth(board, run.said("rounds"))
        self.assertEqual(run.said("failures"), 0)
        self.assertTrue(info["complete"])
        self.assertEqual(info["damaged"], 0)
        for call, count in run.calls().items():
            self.assertLessEqual(count, expected[call], call)
        self.assertEqual(info["arcs"]["received"] + info["arcs"]["lost"],
                         sum(expected.values()))
        self.assertEqual(info["samples"]["received"] + info["samples"]["lost"],
                         run.said("samples"))
        return info

    def test_drop(self):
        for board in WITH_SLOW_LINE:
            for entries, cycles in ((0, 2000), (1, 5000), (8, 30000)):
                with self.subTest(board=board, entries=entries):
                    info = self.run_truth(
                        board, SLOW.format(cycles) + f" -DMCUPROF_ENTRIES={entries}")
                    self.assertGreater(info["arcs"]["lost"], 0)
                    self.assertGreater(info["samples"]["lost"], 0)

    def test_wait_loses_only_where_it_may_not_wait(self):
        for board in WITH_SLOW_LINE:
            with self.subTest(board=board):
                info = self.run_truth(
                    board, SLOW.format(3000) + " -DMCUPROF_ENTRIES=1 -DMCUPROF_WAIT=1")
                self.assertLessEqual(info["arcs"]["lost"], IN_HANDLER)

    def test_drop_never_stalls(self):
        for board in WITH_SLOW_LINE:
            with self.subTest(board=board):
                # the board counts sampling periods as time
                knobs = (" -DMCUPROF_ENTRIES=0 "
                         f"-DMCUPROF_SAMPLE_HZ={BOARDS[board].fastest_hz // 4} "
                         "-DMCUPROF_RING_BYTES=64 -DBOARD_COUNT_SAMPLES")
                slow = "-DBOARD_LINK_CYCLES=5000" + knobs
                fast = knobs
                dropping = Run(board, "fib", slow).said("samples")
                undisturbed = Run(board, "fib", fast).said("samples")
                waiting = Run(board, "fib", slow + " -DMCUPROF_WAIT=1").said("samples")
                self.assertLessEqual(dropping, undisturbed)
                self.assertGreater(waiting, 10 * dropping)


class Text(unittest.TestCase):
    """Text and samples with paths, each more than the line takes."""
    KNOBS = ("-DBOARD_COUNT_SAMPLES -DMCUPROF_ENTRIES=0 -DMCUPROF_ARCS=0 -DMCUPROF_PATHS=8 "
             "-DMCUPROF_SAMPLE_HZ={} -DBOARD_LINK_CYCLES=300 -DMCUPROF_RING_BYTES={}")
    WRITTEN = 800 * 25  # tests/rigs/standing

    def run_it(self, board, knobs):
        run = Run(board, "standing", knobs)
        info = run.info()
        self.assertTrue(info["complete"])
        self.assertEqual((info["damaged"], info["mismatch"]), (0, False))
        self.assertEqual(sum(info["samples"].values()), run.said("samples"))
        return run, info

    def test_each_gets_its_part(self):
        for board, ring in (("mps2-an385", 128), ("mps2-an385", 256), ("versatilepb", 128)):
            with self.subTest(board=board, ring=ring):
                run, info = self.run_it(board, self.KNOBS.format(5000, ring))
                self.assertGreater(info["samples"]["received"], run.said("samples") / 5)
                self.assertGreater(len(run.console), self.WRITTEN / 10)

    def test_text_that_waits_is_not_kept_out(self):
        """Samples alone are more than the line takes."""
        run, info = self.run_it("mps2-an385", self.KNOBS.format(15000, 128) + " -DMCUPROF_WAIT=1")
        self.assertGreater(info["samples"]["lost"], run.said("samples") / 5)
        self.assertEqual(run.console.count("text that fills the ring\n"), 800)


class LastWords(unittest.TestCase):
    def test_text_of_an_assertion_that_masks_interrupts(self):
        """mcuprof_write_now() sends more than the ring holds, and all that was in it."""
        for board, link in (("microbit", None), ("mps2-an385", None), ("versatilepb", None),
                            ("leon3", None), ("atmega1284p", None), ("mps2-an505", "pl080"),
                            ("virt", "ns16550_fifo")):
            with self.subTest(board=board, link=link):
                run = Run(board, "blinky", variables=(
                    "MORE_SOURCES=tests/scripts/assert.c", "MORE_LDFLAGS=-Wl,--wrap=mcuprof_end",
                    *([f"LINK={link}"] if link else [])))
                lines = run.console.splitlines()[-14:]
                self.assertEqual(lines, ["assertion failed: a == b"] * 14)
                self.assertGreater(run.info()["records"], 10)


if __name__ == "__main__":
    unittest.main()
