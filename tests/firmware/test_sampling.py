# SPDX-License-Identifier: MIT
"""Sampling finds the shares of instructions that functions really take, also in an interrupt
handler and in a critical section, and also where the program runs in step with it."""
import math
import unittest

from firmware import BOARDS, Run

ROUNDS = 2000  # of examples/shares and examples/instep
INSTRUCTION_NS = {"microbit": 64, "mps2-an385": 32, "mps2-an386": 32, "mps2-an505": 32}


def samples(run):
    return {f["name"]: f["samples"] for f in run.model()["functions"]}


class Sampling(unittest.TestCase):
    def assert_share(self, count, total, share, what):
        """Within twice the standard error of `count`."""
        self.assertLessEqual(abs(count - share * total), 2 * math.sqrt(count),
                             f"{what}: {count} of {total}, expected {share * total:.1f}")

    def test_shares_of_instructions(self):
        for board in BOARDS:
            with self.subTest(board=board):
                # 1000 turns are 2000 instructions; what else is run is less than 1 %
                run = Run(board, "shares", "-DMCUPROF_ARCS=0")
                seen = samples(run)
                burnt = {"four": 4 * ROUNDS, "two": 2 * ROUNDS, "one": ROUNDS,
                         "masked": ROUNDS, "on_timer": run.said("interrupts")}
                total = sum(seen[name] for name in burnt)
                self.assertGreater(total, 1000)
                for name, turns in burnt.items():
                    self.assert_share(seen[name], total, turns / sum(burnt.values()), name)

    def test_interrupts_masked_for_more_than_a_period(self):
        """The timer goes on after it was set too late."""
        hz = 20000
        for board in BOARDS:
            with self.subTest(board=board):
                run = Run(board, "shares", f"-DMCUPROF_ARCS=0 -DMCUPROF_SAMPLE_HZ={hz}")
                seen = samples(run)
                self.assertGreater(2000 * INSTRUCTION_NS[board], 0.6 * 1e9 / hz)
                burnt = sum(seen[name] for name in ("four", "two", "one"))
                expected = 7 * ROUNDS * 2000 * INSTRUCTION_NS[board] * hz / 1e9
                self.assertGreater(burnt, 0.8 * expected)
                self.assertLess(burnt, 1.1 * expected)

    def in_step(self, board, dither):
        run = Run(board, "instep", f"-DMCUPROF_ARCS=0 -DMCUPROF_DITHER={dither}")
        seen = samples(run)
        total = run.info()["samples"]["received"]
        self.assertGreater(total, 0.95 * ROUNDS)
        period_ns = 1e6
        return seen, total, {"early": 4000 * INSTRUCTION_NS[board] / period_ns,
                             "late": 2000 * INSTRUCTION_NS[board] / period_ns}

    def test_in_step_with_dither(self):
        for board in BOARDS:
            with self.subTest(board=board):
                seen, total, shares = self.in_step(board, 1)
                for name, share in shares.items():
                    self.assert_share(seen.get(name, 0), total, share, name)

    def test_in_step_without_dither_is_wrong(self):
        for board in BOARDS:
            with self.subTest(board=board):
                seen, total, shares = self.in_step(board, 0)
                for name, share in shares.items():
                    self.assertTrue(seen.get(name, 0) < 0.1 * share * total or
                                    seen.get(name, 0) > 2 * share * total, (name, seen))


if __name__ == "__main__":
    unittest.main()
