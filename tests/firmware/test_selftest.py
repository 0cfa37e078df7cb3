# SPDX-License-Identifier: MIT
"""examples/selftest says that a right set-up is right, and of a wrong one what is wrong."""
import subprocess
import unittest

from firmware import MCUPROF, Run

BUDGETS = "examples/selftest/selftest.budgets"


def verdict(board, knobs="", variables=()):
    run = Run(board, "selftest", knobs, variables=variables)
    return subprocess.run([MCUPROF, "check", "-e", run.elf, BUDGETS, run.capture], text=True,
                          capture_output=True, timeout=180, check=False), run


class SelfTest(unittest.TestCase):
    def test_right_on_each(self):
        for board in ("microbit", "mps2-an385", "virt"):
            with self.subTest(board=board):
                said, _ = verdict(board)
                self.assertEqual(said.returncode, 0, said.stdout + said.stderr)
                self.assertNotIn("BROKEN", said.stdout)
                self.assertLess(len(said.stdout.splitlines()), 24)

    def broken(self, words, *budgets, board="microbit", **how):
        said, run = verdict(board, **how)
        self.assertEqual(said.returncode, 1, said.stdout)
        for budget in budgets:
            self.assertRegex(said.stdout, rf"BROKEN.*{budget}")
        self.assertIn(words, said.stdout)
        return said.stdout, run

    def test_handler_at_the_sampling_timers_own_priority(self):
        """As all have it after a reset."""
        self.broken("an equal handler is never sampled", "selftest_tick self >= 3%",
                    knobs="-DBOARD_SAMPLING_PRIORITY=2")

    def test_timer_that_runs_at_twice_the_clock_that_is_told(self):
        self.broken("timers run at twice their bus clock", "selftest_run total <=",
                    knobs="-DSELFTEST_TICK_US=2000")

    def test_line_that_is_too_slow(self):
        self.broken("a larger MCUPROF_RING_BYTES", "lost = 0", knobs="-DBOARD_LINK_CYCLES=40000")

    def test_file_that_is_not_profiled(self):
        self.broken("compile selftest.c, and it alone, with MCUPROF_PROFILE_CFLAGS",
                    "selftest_called calls", variables=("HOOKS=0",))

    def test_tick_that_does_not_come(self):
        _, run = self.broken("or selftest_tick() is not called", "selftest_tick self >= 3%",
                             knobs="-DSELFTEST_TICK_US=0")
        self.assertIn("selftest_tick() is not called", run.console)


if __name__ == "__main__":
    unittest.main()
