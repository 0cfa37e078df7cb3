# SPDX-License-Identifier: MIT
"""mcuprof diff finds the function that a build made slower, and nothing in two runs of one build;
mcuprof check fails the slower build."""
import json
import os
import subprocess
import unittest

from firmware import MCUPROF, Run, output

KNOBS = "-DMCUPROF_ARCS=0"
TURNS = {"four": 4, "two": 2, "one": 1, "masked": 1}


def compared(before, after, *options):
    return output("diff", *options, "--base-elf", before.elf, "-e", after.elf,
                  before.capture, after.capture)


class Diff(unittest.TestCase):
    def setUp(self):
        self.before = Run("microbit", "shares", KNOBS)

    def test_a_slower_function(self):
        after = Run("microbit", "shares", KNOBS + " -DSHARES_ONE=2000")
        rows = {row["name"]: row["self"]
                for row in json.loads(compared(self.before, after, "--json"))["functions"]}
        for name, turns in TURNS.items():
            row = rows[name]
            # the rows contain the interrupt's part of both runs
            burnt = [sum(rows[each][when] for each in TURNS) for when in ("before", "after")]
            was = turns / 8 * burnt[0]
            now = (2 if name == "one" else turns) / 9 * burnt[1]
            self.assertLess(abs(row["before"] - was), 3 * row["before_error"], name)
            self.assertLess(abs(row["after"] - now), 3 * row["after_error"], name)
        self.assertGreater(rows["one"]["sigmas"], 6)
        self.assertIn(" one\n", compared(self.before, after))

    def check(self, run, *states):
        """Returns the states of the three budgets."""
        budgets = os.path.join(os.path.dirname(run.elf), "budgets")
        with open(budgets, "w", encoding="ascii") as out:
            out.write(f"regression against {os.path.abspath(self.before.capture)} < 3%\n"
                      "one self < 13%\nlost = 0\n")
        done = subprocess.run([MCUPROF, "check", "--base-elf", self.before.elf, "-e", run.elf,
                               budgets, run.capture], stdout=subprocess.PIPE, text=True,
                              check=False)
        self.assertEqual([line.split()[0] for line in done.stdout.splitlines()[1:4]],
                         list(states), done.stdout)
        self.assertEqual(done.returncode, int("BROKEN" in states))

    def test_two_runs_of_one_build(self):
        for hz in (750, 800, 900, 1100, 1200):
            again = Run("microbit", "shares", f"{KNOBS} -DMCUPROF_SAMPLE_HZ={hz}")
            text = compared(self.before, again)
            self.assertIn("no function's share of the time changed by more than chance", text)
            self.check(again, "ok", "ok", "ok")

    def test_a_slower_build_breaks_its_budgets(self):
        self.check(Run("microbit", "shares", KNOBS + " -DSHARES_ONE=2000"),
                   "BROKEN", "BROKEN", "ok")


if __name__ == "__main__":
    unittest.main()
