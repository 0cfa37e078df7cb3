# SPDX-License-Identifier: MIT
"""What cut and unsure call paths may hide is a part of the errors of totals and of arcs: in each
case the samples that may be missing are known from the paths and from the code."""
import json
import math
import os
import re
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from elves import InFolder, assemble, assemble_code, mcuprof  # noqa: E402
from wire import CUT, INTERRUPTED, SAMPLES, TELLS_TASKS, UNSURE, WHOLE, Stream  # noqa: E402


def chance(count, samples):
    """The error of a number of samples by chance alone, as analyse.h has it."""
    said, p = count / samples, (count + 1) / (samples + 2)
    few = math.hypot(math.sqrt(p * (1 - p) / (samples + 3)), p - said)
    return samples * max(math.sqrt(said * (1 - said) / samples), few)


class Unseen(InFolder):
    def write(self, *paths, tasks=(), code=None):
        """`paths`: (samples, end, functions from the outermost, separated by blanks[, task]).
        `code`: that of the functions, {name: instructions}; None: there is none, and it does not
        tell who calls whom."""
        names = sorted(code or {name for path in paths for name in path[2].split()})
        at = {name: 0x1000 + 0x100 * number for number, name in enumerate(names)}
        if code is None:
            self.elf = assemble(self.folder.name, 0x1000, [
                *((address, 0x100, "T", name) for name, address in at.items()),
                (0x1000 + 0x100 * len(at), 0, "T", "_etext")])
        else:
            self.elf = assemble_code(self.folder.name, "\n".join(
                f".balign 256\n{name}:\n" + code[name] for name in names) + "\n.balign 256\n",
                base=0x1000)
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
        self.check({"main": 40, "a": 40, "b": 40},
                   {("main", "a"): 40, ("a", "work"): 40, ("main", "b"): 40, ("b", "work"): 40})

    def test_recursion_counts_once(self):
        """Above its outermost place is no function itself."""
        self.write((100, WHOLE, "main fib fib fib"), (50, UNSURE, "fib fib"))
        self.check({"main": 50}, {("main", "fib"): 50})

    def test_what_a_cut_path_shows_is_not_missing(self):
        self.write((10, WHOLE, "main a g"), (40, CUT, "g a"))
        self.check({"main": 40}, {("main", "a"): 40, ("a", "g"): 40})

    def test_below_a_function_that_no_whole_path_has(self):
        """What may call it is what calls anything: never a leaf."""
        self.write((300, WHOLE, "main work leaf"), (100, WHOLE, "main leaf"), (80, CUT, "other"))
        self.check({"main": 80, "work": 80}, {("main", "work"): 80})

    def test_an_outermost_leaf_may_have_called_it(self):
        self.write((200, WHOLE, "main"), (100, CUT, "copy"))
        self.check({"main": 100})

    def test_interrupts_call_too(self):
        self.write((200, WHOLE, "main x"), (100, INTERRUPTED, "isr h"), (90, CUT, "h"))
        self.check({"isr": 90, "main": 90}, {(None, "isr"): 90, ("isr", "h"): 90})

    def test_each_task_has_its_own(self):
        """Task A's copy was not called by task B's function."""
        paths = ((200, WHOLE, "amain", 1), (100, CUT, "copy", 1), (300, WHOLE, "bmain copy", 2))
        self.write(*paths, tasks=("A", "B"))
        self.check({"amain": 100})

    # ---- By the code ----

    CLEANUP = {  # unsure samples lie in `resume`, as those of exceptions do
        "main": "push {lr}\nbl work\nbl parse\npop {pc}",
        "work": "push {lr}\nbl cleanup\nbl resume\npop {pc}",
        "cleanup": "push {lr}\nbl resume\npop {pc}",
        "resume": "bx lr",
        "parse": "push {lr}\nbl copy\npop {pc}",
        "copy": "bx lr",
    }
    PLACE = ((800, WHOLE, "main parse copy"), (5, WHOLE, "main work cleanup resume"),
             (60, WHOLE, "main work resume"), (100, UNSURE, "resume"))

    def test_unsure_samples_in_one_place(self):
        """All of them may be of the caller that other paths hardly show."""
        self.write(*self.PLACE, code=self.CLEANUP)
        self.check({"main": 100, "work": 100, "cleanup": 100},
                   {("main", "work"): 100, ("work", "cleanup"): 100, ("cleanup", "resume"): 100,
                    ("work", "resume"): 100})

    def test_who_calls_by_pointer_may_call_any(self):
        for how in ("blx r3", "mov pc, r3", "bx r3"):
            with self.subTest(how):
                self.write(*self.PLACE, code=self.CLEANUP | {
                    "parse": f"push {{lr}}\nbl copy\n{how}\npop {{pc}}"})
                self.check({"main": 100, "work": 100, "cleanup": 100, "parse": 100},
                           {("main", "work"): 100, ("work", "cleanup"): 100,
                            ("cleanup", "resume"): 100, ("work", "resume"): 100,
                            ("main", "parse"): 100})

    def test_a_caller_through_a_function_without_samples(self):
        """The linker's veneer, a tail call: they are in no path."""
        self.write((500, WHOLE, "main copy"), (500, WHOLE, "start setup copy"),
                   (20, UNSURE, "resume"),
                   code=self.CLEANUP | {"main": "push {lr}\nbl copy\nbl tail\npop {pc}",
                                        "tail": "b resume",
                                        "start": "push {lr}\nbl setup\npop {pc}",
                                        "setup": "push {lr}\nbl copy\npop {pc}"})
        self.check({"main": 20})

    def test_paths_show_calls_that_the_code_does_not(self):
        self.write(*self.PLACE, (7, WHOLE, "main parse resume"), code=self.CLEANUP)
        self.check({"main": 100, "work": 100, "cleanup": 100, "parse": 100},
                   {("main", "work"): 100, ("work", "cleanup"): 100, ("cleanup", "resume"): 100,
                    ("work", "resume"): 100, ("main", "parse"): 100, ("parse", "resume"): 100})

    def test_nothing_is_added_where_all_is_seen(self):
        self.write(*self.PLACE[:3], code=self.CLEANUP)
        self.check({})
        self.assertNotIn("cut or unsure", self.said("report"))

    def test_a_table_says_it_from_two_per_cent_on(self):
        for unsure, says in ((19, False), (20, True)):
            self.write((1000 - unsure, WHOLE, "main parse copy"), (unsure, UNSURE, "resume"),
                       code=self.CLEANUP)
            said = " ".join(self.said("report", "--flat").split())
            self.assertEqual("open the call paths of 2 % of the samples are cut or unsure: totals "
                             "may be too low by up to that much" in said, says)

    def test_a_page_says_it(self):
        self.write(*self.PLACE, code=self.CLEANUP)
        page = os.path.join(self.folder.name, "page.html")
        self.said("html", "-o", page)
        with open(page, encoding="utf-8") as file:
            self.assertIn("of 10.4 % of the samples are cut or unsure", file.read())

    def test_no_path_is_whole(self):
        self.write((300, CUT, "work leaf"), (80, UNSURE, "other"))
        self.check({"work": 80})
        done = mcuprof("export", "--to", "csv", "-e", self.elf, self.capture)
        self.assertIn(b"the call paths of 100 % of the samples are cut or unsure: totals may be "
                      b"too low by up to that much, as their errors say; MCUPROF_PATHS must be "
                      b"larger", done.stderr)

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
        report = self.said("report", "--graph")
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
