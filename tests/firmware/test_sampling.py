# SPDX-License-Identifier: MIT
"""Sampling finds the shares of instructions that functions really take, also in an interrupt
handler and in a critical section, and also if the program runs in step with sampling."""
import math
import os
import re
import unittest

from firmware import BOARDS, WITH_CLOCK, Run

ROUNDS = 2000  # as in examples/shares and tests/rigs/instep
SECTIONS_ON = "mps2-an385", "versatilepb", "virt"
RUN_ON, RUNS_ON = ("mps2-an385", "mps2-an386", "mps2-an505"), "-DMCUPROF_TIMER_RESTARTS=0"


def samples(run):
    return {f["name"]: f["samples"] for f in run.model()["functions"]}


class Sampling(unittest.TestCase):
    def assert_shares(self, shares):
        """Checks [(name, samples, expected)]: each is within twice the standard error, except for
        the one in twenty that chance puts beyond. The boards of MPS2 run the same code at the same
        speed, so that they have one such chance together."""
        if not shares and "CHECK_BOARD" in os.environ:
            self.skipTest(f"of another board than {os.environ['CHECK_BOARD']}")
        errors = [(abs(count - expected) / math.sqrt(max(count, 1)), name, count, expected)
                  for name, count, expected in shares]
        self.assertLess(max(errors)[0], 3.5, max(errors))
        chances, beyond = ({re.sub(r"^mps2-\w+", "mps2", error[1]) for error in errors
                            if error[0] > least} for least in (-1, 2))
        self.assertLessEqual(len(beyond), 1 + len(chances) // 10, errors)

    def test_shares_of_instructions(self):
        shares = []
        for board in WITH_CLOCK:
            with self.subTest(board=board):
                # all other code takes less than 1 %
                run = Run(board, "shares", "-DMCUPROF_ARCS=0")
                seen = samples(run)
                # if a function unmasks interrupts, pending ones come inside it
                seen["masked"] = seen.get("masked", 0) + seen.get("mcuprof_irq_restore", 0)
                burnt = {"four": 4 * ROUNDS, "two": 2 * ROUNDS, "one": ROUNDS,
                         "masked": ROUNDS, "on_timer": run.said("interrupts")}
                total = sum(seen[name] for name in burnt)
                self.assertGreater(total, 1000)
                shares += [(f"{board}: {name}", seen[name],
                            turns / sum(burnt.values()) * total)
                           for name, turns in burnt.items()]
        self.assert_shares(shares)

    def test_interrupts_masked_for_more_than_a_period(self):
        """The timer goes on even if it was set too late."""
        tested = 0
        for board in WITH_CLOCK:
            hz = BOARDS[board].fastest_hz
            if 1000 * BOARDS[board].turn_ns < 0.6 * 1e9 / hz:
                continue  # the board is too slow for that rate
            tested += 1
            with self.subTest(board=board):
                run = Run(board, "shares", "-DMCUPROF_ARCS=0 -DMCUPROF_PATHS=0 "
                                           f"-DMCUPROF_SAMPLE_HZ={hz}")
                seen = samples(run)
                burnt = sum(seen[name] for name in ("four", "two", "one"))
                expected = 7 * ROUNDS * 1000 * BOARDS[board].turn_ns * hz / 1e9
                self.assertGreater(burnt, 0.8 * expected)
                self.assertLess(burnt, 1.1 * expected)
        self.assertGreaterEqual(tested, 7)

    def in_step(self, board, knobs):
        run = Run(board, "instep", f"-DMCUPROF_ARCS=0 {knobs}")
        seen = samples(run)
        total = run.info()["samples"]["received"]
        # the timer starts over behind a sample, which takes 480 of 8,000 cycles there
        took = 0.06 if board == "atmega1284p" else 0
        self.assertGreater(total * (1 + took), 0.95 * ROUNDS)
        period_ns = 1e6
        return seen, total, {"early": 2000 * BOARDS[board].turn_ns / period_ns,
                             "late": 1000 * BOARDS[board].turn_ns / period_ns}

    def test_in_step_with_dither(self):
        found = []
        for board in WITH_CLOCK:
            with self.subTest(board=board):
                seen, total, shares = self.in_step(board, "-DMCUPROF_DITHER=1")
                found += [(f"{board}: {name}", seen.get(name, 0), share * total)
                          for name, share in shares.items()]
        self.assert_shares(found)

    def test_sections_shorter_than_a_period(self):
        """The profiler is started and stopped around each."""
        found = []
        for board in SECTIONS_ON:
            with self.subTest(board=board):
                run = Run(board, "sections", "-DMCUPROF_ARCS=0")
                seen, turn_periods = samples(run), BOARDS[board].turn_ns / 1e6
                found += [(f"{board}: {name}", seen.get(name, 0), ROUNDS * turns * turn_periods)
                          for name, turns in (("early", 2000), ("late", 3000))]
                self.assertNotIn("advice", run.info())
        self.assert_shares(found)

    def test_in_step_without_dither_is_wrong(self):
        """A timer that starts over at the interrupt's end is never in step with a timer of the
        program. Timers that run on can be."""
        for board in RUN_ON:
            with self.subTest(board=board):
                seen, total, shares = self.in_step(board, RUNS_ON + " -DMCUPROF_DITHER=0")
                for name, share in shares.items():
                    self.assertTrue(seen.get(name, 0) < 0.1 * share * total or
                                    seen.get(name, 0) > 2 * share * total, (name, seen))


if __name__ == "__main__":
    unittest.main()
