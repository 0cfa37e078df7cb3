# SPDX-License-Identifier: MIT
"""mcuprof diff: what changed, and whether it changed by more than its error."""

import json
import math
import os
import re
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from elves import assemble, mcuprof  # noqa: E402
from test_report import on_a_terminal  # noqa: E402
from wire import TOTALS, Stream  # noqa: E402

MAIN, WORK, LEAF = 0x8004, 0x8104, 0x8204
NAMES = ("main", "work", "leaf")


def table(*names):
    return [(0x8000 + 0x100 * i, 0x100, "T", name) for i, name in enumerate(names)] + \
        [(0x8000 + 0x100 * len(names), 0, "T", "_etext")]


def error(share, samples):
    p = (share * samples + 1) / (samples + 2)
    return max(math.sqrt(share * (1 - share) / samples),
               math.hypot(math.sqrt(p * (1 - p) / (samples + 3)), p - share))


class Diff(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.folder = self.temporary.name
        self.elf = assemble(self.folder, 0x8000, table(*NAMES))

    def tearDown(self):
        self.temporary.cleanup()

    def log(self, name, **counts):
        """Writes a log with this number of samples of each function; main may have called it."""
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="ascii") as out:
            for function, count in counts.items():
                out.write((" ".join(f"{address:x}" for address in {
                    "main": [MAIN], "work": [WORK], "leaf": [LEAF],
                    "main_work": [WORK, MAIN], "main_leaf": [LEAF, MAIN]}[function])
                    + "\n") * count)
        return path

    def diff(self, *arguments, status=0):
        return mcuprof("diff", "-e", self.elf, *arguments, status=status)

    def functions(self, *arguments):
        made = json.loads(self.diff("--json", *arguments).stdout)
        return {row["name"]: row for row in made["functions"]}

    def test_changes_in_their_errors(self):
        before = self.log("before", main=50, work=50)
        after = self.log("after", main=40, work=150, leaf=10)
        rows = self.functions(before, after)
        for name, was, now in (("main", 0.5, 0.2), ("work", 0.5, 0.75), ("leaf", 0, 0.05)):
            row, p = rows[name]["self"], (100 * was + 200 * now) / 300
            sigma = max(math.hypot(error(was, 100), error(now, 200)),
                        math.sqrt(p * (1 - p) * (1 / 100 + 1 / 200)))
            self.assertAlmostEqual(row["before"], was)
            self.assertAlmostEqual(row["after"], now)
            self.assertAlmostEqual(row["before_error"], error(was, 100))
            self.assertAlmostEqual(row["after_error"], error(now, 200))
            self.assertAlmostEqual(row["sigmas"], (now - was) / sigma)
        self.assertEqual(list(rows), ["main", "work", "leaf"])
        self.assertLess(rows["leaf"]["self"]["sigmas"], 2.4)  # (2/3)^10 is 2.4 sigma
        self.assertNotIn("total", rows["main"])  # total is not known without paths

    def test_the_head_fits_a_terminal(self):
        before, after = (self.log(f"{'long_name_' * 4}{n}", main=9000) for n in range(2))
        text = on_a_terminal(80, "diff", "--hz", "100", "-e", self.elf, before, after)
        lines = [re.sub("\033.*?m", "", line) for line in text.splitlines()]
        self.assertLessEqual(max(map(len, lines)), 80)
        self.assertIn("9000 samples", text)

    def test_the_table(self):
        before = self.log("before", main_work=500, main_leaf=500)
        after = self.log("after", main_work=560, main_leaf=400, main=40)
        text = self.diff("--hz", "100", before, after).stdout.decode()
        lines = [line.split() for line in text.splitlines()]
        self.assertIn(["before", before + ":", "the", "program's", "10.0", "s,", "1000",
                       "samples"], lines)
        leaf = next(line for line in lines if line[-1:] == ["leaf"])
        # in seconds: of 10, with the error of both
        self.assertEqual(leaf, ["50", "±2", "40", "±2", "-10", "±2", "-4.5", "-1.0", "±0.2",
                                "50", "±2", "40", "±2", "-10", "±2", "-4.5", "leaf"])
        main = next(line for line in lines if line[-1:] == ["main"])
        self.assertEqual(main[:6], ["<0.3", "4.0", "±0.6", "+4.0", "±0.6", "+6.2"])
        self.assertNotIn("work", [line[-1] for line in lines if line])  # 2.7 sigma
        self.assertIn("1 function changed by less than 3 standard errors", text)
        self.assertIn("work", self.diff("--all", before, after).stdout.decode())

    def test_all_got_slower(self):
        """No share changed, but the time did: 10.000 s of 10000 samples, then 10.270."""
        before = self.log("before", main=5000, work=5000)
        after = self.log("after", main=5135, work=5135)
        text = self.diff("--hz", "1000", before, after).stdout.decode()
        error = 1.027 * math.hypot(*(math.sqrt(1 / 12 / n) for n in (10000, 10270)))
        self.assertIn(f"change  the program's time +2.7 ±{100 * error:.1f} % "
                      f"(sigma {0.027 / error:+.1f})\n", text)
        self.assertIn("no function's share of the time changed by more than chance", text)
        made = json.loads(self.diff("--json", "--hz", "1000", before, after).stdout)["time"]
        self.assertAlmostEqual(made["change"], 0.027)
        self.assertAlmostEqual(made["error"], error)
        self.assertAlmostEqual(made["sigmas"], 0.027 / error)

    def test_runs_without_an_end(self):
        """They took as long as somebody let them."""
        def stream(name, samples, end):
            made = Stream(hz=1000000, period=1000, flags=4)
            made.sample(MAIN, samples)
            made.words(TOTALS, 1, samples, 0, made.hash)
            if end:
                made.end(totals=False)
            made.write(os.path.join(self.folder, name))
            return os.path.join(self.folder, name)
        before = stream("before", 1000, True)
        self.assertIn(b"change  ", self.diff(before, stream("after", 2000, True)).stdout)
        after = stream("after", 2000, False)
        self.assertNotIn(b"change  ", self.diff(before, after).stdout)
        self.assertIsNone(json.loads(self.diff("--json", before, after).stdout)["time"])

    def test_nothing_changed(self):
        log = self.log("run", main=50, work=50)
        self.assertIn(b"no function's share of the time changed by more than chance",
                      self.diff(log, log).stdout)

    def test_a_clone_is_the_function_it_was_made_of(self):
        older = os.path.join(self.folder, "old")
        os.mkdir(older)
        old = assemble(older, 0x8000, table("main", "work", "work.part.0"))
        before = self.log("before", main=20, work=30, leaf=50)
        after = self.log("after", main=20, work=80)
        rows = self.functions("--base-elf", old, before, after)
        self.assertEqual(list(rows), ["main", "work"])
        self.assertAlmostEqual(rows["work"]["self"]["before"], 0.8)
        self.assertEqual(rows["work"]["self"]["sigmas"], 0)

    def test_three_clones_and_no_plain_one(self):
        older = os.path.join(self.folder, "old")
        os.mkdir(older)
        old = assemble(older, 0x8000, table("main", "work.part.0", "work.isra.1"))
        new = assemble(self.folder, 0x8000, table("main", "work.constprop.2", "work.cold"))
        log = self.log("run", main=20, work=30, leaf=50)
        made = json.loads(mcuprof("diff", "--json", "--base-elf", old, "-e", new, log, log).stdout)
        self.assertEqual([row["self"]["after"] for row in made["functions"]], [0.2, 0.8])

    def test_timed_calls(self):
        def stream(name, ticks, hz=1000000):
            made = Stream()
            if hz > 0:
                made.time(hz, 0, 0, 0, 1000)
            made.call(MAIN, WORK & ~4, 10, ticks, ticks, ticks // 10, ticks // 10)
            if hz > 0:
                made.time(hz, 0, 0, 0, 2000)
            made.end()
            made.write(os.path.join(self.folder, name))
            return os.path.join(self.folder, name)
        text = self.diff(stream("before", 500), stream("after", 1000)).stdout.decode()
        row = next(line.split() for line in text.splitlines() if line.endswith("work"))
        self.assertEqual(row[-5:], ["50.0", "µs", "100", "µs", "work"])
        self.assertNotIn("sigma", text)
        self.assertIn("1 function did not change: --all", text)
        made = json.loads(self.diff("--json", stream("before", 500), stream("after", 1000)).stdout)
        self.assertEqual((made["before"]["seconds"], made["of"]), (0.002, "timed calls"))
        row = made["functions"][0]
        self.assertEqual((row["mean_seconds_before"], row["mean_seconds_after"]), (5e-5, 1e-4))
        text = self.diff(stream("before", 500, 0), stream("after", 1000, 0)).stdout.decode()
        self.assertIn("after: the program's 1000 ticks\n", text)
        self.assertIn("no function changed\n", text)

    def test_errors(self):
        log = self.log("run", main=5)
        for arguments, status, says in (
                ([log], 2, b"expected two captures"),
                ([log, log, log], 2, b"expected two captures"),
                ([log, os.path.join(self.folder, "none")], 3, b"none"),
                (["--base-elf", log, log, log], 3, b"run")):
            with self.subTest(arguments=arguments):
                done = self.diff(*arguments, status=status)
                self.assertIn(says, done.stderr)
                self.assertEqual(done.stderr.count(b"\n"), 1)
        done = self.diff("--strict", log, log, status=1)
        self.assertIn(b"run: 5 samples received, what was lost is not known\n", done.stderr)
        calls = Stream()
        calls.end()
        calls.write(os.path.join(self.folder, "calls"))
        done = self.diff(log, os.path.join(self.folder, "calls"), status=3)
        self.assertIn(b"nothing to compare", done.stderr)


if __name__ == "__main__":
    unittest.main()
