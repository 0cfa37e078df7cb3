# SPDX-License-Identifier: MIT
"""What cut and unsure call paths hide is a part of the errors of totals and of arcs: in each case
the samples that may be missing are known from the paths."""
import json
import math
import os
import re
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from elves import InFolder, assemble, mcuprof  # noqa: E402
from wire import CUT, INTERRUPTED, SAMPLES, TELLS_TASKS, UNSURE, WHOLE, Stream  # noqa: E402


def chance(count, samples):
    """The error of a number of samples by chance alone, as analyse.h has it."""
    said, p = count / samples, (count + 1) / (samples + 2)
    few = math.hypot(math.sqrt(p * (1 - p) / (samples + 3)), p - said)
    return samples * max(math.sqrt(said * (1 - said) / samples), few)


class Unseen(InFolder):
    def write(self, *paths, tasks=()):
        """`paths`: (samples, end, functions from the outermost, separated by blanks[, task])."""
        names = sorted({name for path in paths for name in path[2].split()})
        at = {name: 0x1000 + 0x100 * number for number, name in enumerate(names)}
        self.elf = assemble(self.folder.name, 0x1000, [
            *((address, 0x100, "T", name) for name, address in at.items()),
            (0x1000 + 0x100 * len(at), 0, "T", "_etext")])
        made = Stream(hz=1000000, period=1000, flags=SAMPLES | (TELLS_TASKS if tasks else 0),
                      depth=20)
        for number, name in enumerate(tasks, 1):
            made.task(number, name)
        for count, end, functions, *task in paths:
            *callers, leaf = functions.split()
            if task:
                made.task(*task)
            made.path(end, [at[name] + 0x40 for name in callers], at[leaf] + 0x20, count)
        made.totals()
        self.capture = os.path.join(self.folder.name, "run.mprof")
        made.write(self.capture)
        self.samples = sum(count for count, *_ in paths)

    def said(self, command, *options, status=0):
        done = mcuprof(command, "-e", self.elf, *options, self.capture, status=status)
        return done.stdout.decode()

    def check(self, functions, arcs=()):
        """Expects of each how many samples may be missing; of all others none."""
        model = json.loads(self.said("export", "--to", "json"))
        names = [function["name"] for function in model["functions"]]
        found = {each["name"]: (each["total_seconds"], each["total_error_seconds"])
                 for each in model["functions"]}
        found |= {(None if arc["caller"] is None else names[arc["caller"]], names[arc["callee"]]):
                  (arc["self_seconds"] + arc["children_seconds"], arc["error_seconds"])
                  for arc in model["function_calls"]}
        expected = dict(functions) | dict(arcs)
        self.assertLessEqual(expected.keys(), found.keys())
        for name, (seconds, error) in found.items():
            missing = expected.get(name, 0)
            self.assertAlmostEqual(1000 * error, math.hypot(
                chance(1000 * seconds, self.samples), missing), places=4, msg=name)

    def test_what_is_above_in_whole_paths(self):
        self.write((300, WHOLE, "main a work"), (100, WHOLE, "main b work"), (40, CUT, "work"),
                   (200, WHOLE, "main idle"))
        self.check({"main": 40, "a": 30, "b": 10},
                   {("main", "a"): 30, ("a", "work"): 30, ("main", "b"): 10, ("b", "work"): 10})

    def test_recursion_counts_once(self):
        """Above its outermost place is no function itself."""
        self.write((100, WHOLE, "main fib fib fib"), (50, UNSURE, "fib fib"))
        self.check({"main": 50}, {("main", "fib"): 50})

    def test_what_a_cut_path_shows_is_not_missing(self):
        self.write((10, WHOLE, "main a g"), (40, CUT, "g a"))
        self.check({"main": 40}, {("main", "a"): 40, ("a", "g"): 40})

    def test_below_a_function_that_no_whole_path_has(self):
        """What may call it is what calls anything: never a leaf, nor what calls the leaf."""
        self.write((300, WHOLE, "main work leaf"), (100, WHOLE, "main leaf"), (80, CUT, "other"))
        self.check({"main": 80, "work": 60}, {("main", "work"): 60})

    def test_an_outermost_leaf_may_have_called_it(self):
        self.write((200, WHOLE, "main"), (100, CUT, "copy"))
        self.check({"main": 100})

    def test_interrupts_call_too(self):
        self.write((200, WHOLE, "main x"), (100, INTERRUPTED, "isr h"), (90, CUT, "h"))
        self.check({"isr": 90}, {(None, "isr"): 90, ("isr", "h"): 90})

    def test_each_task_has_its_own(self):
        """Task A's copy was not called by task B's function."""
        paths = ((200, WHOLE, "amain", 1), (100, CUT, "copy", 1), (300, WHOLE, "bmain copy", 2))
        self.write(*paths, tasks=("A", "B"))
        self.check({"amain": 100})

    def test_no_path_is_whole(self):
        self.write((300, CUT, "work leaf"), (80, UNSURE, "other"))
        self.check({})
        done = mcuprof("export", "--to", "csv", "-e", self.elf, self.capture)
        self.assertIn(b"the call paths of 100 % of the samples are cut or unsure: totals may be "
                      b"too low by more than their errors; MCUPROF_PATHS must be larger", done.stderr)

    def test_the_warning_names_the_knob_only_if_most_are_cut(self):
        self.write((100, WHOLE, "main"), (20, CUT, "a"), (21, UNSURE, "b"))
        done = mcuprof("export", "--to", "csv", "-e", self.elf, self.capture)
        self.assertIn(b"of 29.1 % of the samples are cut or unsure", done.stderr)
        self.assertNotIn(b"MCUPROF_PATHS", done.stderr)
        self.write((10, WHOLE, "main"), (9, CUT, "a"))  # too few to tell
        done = mcuprof("export", "--to", "csv", "-e", self.elf, self.capture)
        self.assertEqual(done.stderr, b"")

    def test_each_command_shows_it(self):
        self.write((900, WHOLE, "main loop work"), (120, CUT, "work"), (400, WHOLE, "park"))
        report = self.said("report")
        self.assertRegex(report, r"63 +0.9 +±0.1 +loop")
        self.assertRegex(report, r"0.9 +±0.1 +0.9 +±0.1 +loop \[\d\]\n")  # who called work
        self.assertRegex(report, r"0.9 +±0.1 +<spontaneous>\n.* main \[")
        self.assertRegex(self.said("report", "--callees", "main"), r"63 +0.9 +±0.1 .*main\n")
        self.assertRegex(self.said("report", "--gain"), r"×2.7 ±0.6 .* loop\n")
        self.assertRegex(self.said("diff", "--all", self.capture), r"63 ±9 .* loop\n")
        page = os.path.join(self.folder.name, "page.html")
        self.said("html", "-o", page)
        with open(page, encoding="utf-8") as file:
            table = json.loads(re.search(r'<script id="functions"[^>]*>(.*?)</script>',
                                         file.read(), re.S)[1])
        rows = {row[0]: dict(zip(table["columns"], row)) for row in table["rows"]}
        self.assertAlmostEqual(rows["loop"]["total_error"],
                               math.hypot(chance(900, 1420), 120) / 1000, places=6)
        self.assertAlmostEqual(rows["work"]["total_error"], rows["work"]["error"])

    def test_a_figure_keeps_its_first_digit(self):
        """It can only be more."""
        self.write((600, WHOLE, "idle"), (5, WHOLE, "main"), (2, WHOLE, "main fir"),
                   (100, CUT, "fir"))
        self.assertRegex(self.said("report"), r" 5 ±3 +1 +7 ±100 +main\n")

    def test_arcs_of_the_same_time_have_their_own_errors(self):
        self.write((420, WHOLE, "main filter fir"), (420, WHOLE, "setup other"), (100, CUT, "fir"))
        page = os.path.join(self.folder.name, "page.html")
        self.said("html", "-o", page)
        with open(page, encoding="utf-8") as file:
            text = file.read()
        blocks = {name: json.loads(block) for name, block in re.findall(
            r'<script id="(\w+)" type="application/json">(.*?)</script>\n', text, re.S)}
        names = [row[0] for row in blocks["functions"]["rows"]]
        columns, values = blocks["arcs"]["columns"], iter(blocks["arcs"]["values"])
        rows = [dict(zip(columns, row)) for row in zip(*[values] * len(columns))]
        errors = {names[row["callee"]]: blocks["arcs"]["times"][row["time"]][1] for row in rows
                  if row["caller"] is not None}
        self.assertAlmostEqual(errors["other"] * 1000, chance(420, 940), places=3)
        self.assertAlmostEqual(errors["fir"] * 1000, math.hypot(chance(420, 940), 100), places=3)

    def test_a_budget_is_not_broken_by_what_is_hidden(self):
        self.write((900, WHOLE, "main loop work"), (120, CUT, "work"), (400, WHOLE, "park"))
        budget = os.path.join(self.folder.name, "budget")
        for line, state, status in (("loop total >= 68%", "near", 0),
                                    ("loop total >= 85%", "BROKEN", 1),
                                    ("loop total < 60%", "BROKEN", 1),
                                    ("loop total < 70%", "ok", 0), ("loop self < 1%", "ok", 0)):
            with open(budget, "w", encoding="ascii") as out:
                out.write(line + "\n")
            with self.subTest(line):
                said = self.said("check", budget, status=status)
                self.assertIn(f"\n{state}", said)


if __name__ == "__main__":
    unittest.main()
