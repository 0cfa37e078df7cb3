# SPDX-License-Identifier: MIT
"""Firmware that never flushes, and that is ended as if its plug were pulled, leaves a right
profile. So does firmware whose code does not even start the profiler, in C and in C++."""
import json
import unittest

from firmware import Run, output

ROUNDS = 300
HELD = "-DBOARD_COUNT_SAMPLES -DMCUPROF_ENTRIES=64"
FLUSHED = HELD + " -DMCUPROF_FLUSH_MS=200"


class Endless(unittest.TestCase):
    def profile(self, board, knobs, cflags=None):
        """Checks that all that was done before the firmware waited is in the profile."""
        run = Run(board, "endless", knobs, cflags=cflags)
        info = run.info()
        self.assertFalse(info["complete"])
        self.assertEqual(info["samples"]["lost"], 0)
        self.assertGreaterEqual(info["samples"]["received"], run.said("worked"))
        self.assertLessEqual(info["samples"]["received"], run.said("waited"))
        functions = {f["name"].split("(")[0]: f["samples"] for f in run.model()["functions"]}
        burnt = [functions[name] for name in ("four", "two", "one")]
        for samples, share in zip(burnt, (4 / 7, 2 / 7, 1 / 7)):
            deviation = (sum(burnt) * share * (1 - share)) ** 0.5
            self.assertAlmostEqual(samples, sum(burnt) * share, delta=3 * deviation)
        counts = {callee.split("(")[0]: count for (_, callee), count in run.calls().items()}
        for name in ("four", "two", "one"):
            self.assertEqual(counts[name], ROUNDS)
        return run

    def lint(self, run):
        return {finding["rule"] for finding in
                json.loads(output("lint", "--json", run.elf))["findings"]}

    def test_all_is_flushed_by_time(self):
        for board, knobs in (("microbit", "-DMCUPROF_PATHS=0"), ("virt", ""),
                             ("versatilepb", "-DMCUPROF_PATHS=0"),
                             ("mps2-an385", "-DMCUPROF_CALLS=1 -DMCUPROF_TASKS=2")):
            with self.subTest(board=board, knobs=knobs):
                run = self.profile(board, f"{FLUSHED} {knobs}")
                self.assertNotIn("never-flushed", self.lint(run))

    def test_without_the_knob_it_is_not(self):
        run = Run("microbit", "endless", HELD + " -DMCUPROF_PATHS=0")
        self.assertNotIn("four", {callee for _, callee in run.calls()})
        self.assertIn("never-flushed", self.lint(run))

    def test_started_by_nobody(self):
        for board, standard in (("microbit", None), ("mps2-an385", "98"), ("mps2-an505", "23"),
                                ("atmega1284p", "14")):
            with self.subTest(board=board, standard=standard):
                run = self.profile(board, FLUSHED + " -DMCUPROF_AUTO_START=1", cflags=standard and
                                   f"-x c++ -std=gnu++{standard} -Wno-error")
                self.assertFalse({"never-started", "never-flushed"} & self.lint(run))


if __name__ == "__main__":
    unittest.main()
