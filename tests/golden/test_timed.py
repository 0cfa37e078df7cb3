# SPDX-License-Identifier: MIT
"""Timed calls in `report` and `info`, from captures made by hand.

UPDATE_GOLDEN=1 rewrites timed.txt, to be reviewed as a diff."""

import csv
import io
import json
import math
import os
import re
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from elves import ARM, assemble_code, mcuprof, run  # noqa: E402
from test_report import on_a_terminal  # noqa: E402
from timed_calls import (  # noqa: E402
    CODE, CODE_ERROR, DIFFERS_ERROR, FAST, HOOKS_COMMON, HOOKS_ERROR, LOOPS_ERROR, MAIN, ODD,
    PAIR, SAVES, SAVING, SAVING_ERROR, SHIPPED_ERROR, SLOW, WORK, TimedCase, code_error, looped,
    without_hooks)
from wire import SAMPLES, TIMES_CALLS, Stream, groups_of  # noqa: E402

GOLDEN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "timed.txt")

class Timed(TimedCase):
    def test_report(self):
        text = "\n".join(self.report(*options) for options in
                         (("--limit=2",), ("--all",), ("--all", "--raw")))
        if os.environ.get("UPDATE_GOLDEN"):
            with open(GOLDEN, "w", encoding="utf-8") as out:
                out.write(text)
        with open(GOLDEN, encoding="utf-8") as golden:
            self.assertEqual(text, golden.read())

    def test_raw_puts_the_cost_back(self):
        # work has 14 calls; 2 of slow made 4 of them, 10 of fast made 10
        text = self.report("--raw", "--flat")
        self.assertRegex(text, r" 8\.942 +8\.942 +14 .*work\n")
        self.assertRegex(text, r" 0\.634 +9\.046 +2 .*slow\n")
        self.assertRegex(text, r" 0\.600 +1\.130 +10 .*fast\n")

    def test_the_run_is_accounted_for(self):
        model = json.loads(self.export("json"))
        run = model["timed_run"]
        # the compiler's errors of all functions; 1.8 % of 390 ticks; whole ticks
        own = map(code_error, (8900, 600, 500, 70, 60, 40), (14, 2, 10, 7, 3, 3))
        self.assertAlmostEqual(run.pop("program_error_ticks"), math.hypot(
            *own, *(HOOKS_ERROR * calls * 10 for calls in (14, 2, 10, 7, 3, 3)),
            HOOKS_COMMON * 390, math.sqrt((39 + 39 * 39) / 6)), delta=0.001)
        self.assertEqual(run, {"run_ticks": 20000, "self_ticks": 10170,
                               "profiler_ticks": 39 * 10 + 200, "saving_ticks": 0,
                               "differs_ticks": 0, "compared_functions": 0,
                               "unfinished_ticks": 20000 - 10170 - 590,
                               "unfinished_is_at_most": False})
        timed = {f["name"]: f["timed"] for f in model["functions"]}
        self.assertIsNone(timed["main"])
        self.assertEqual(timed["odd"]["total_ticks"], 100)
        self.assertEqual(timed["odd"]["recursive_calls"], 2)
        self.assertEqual(timed["even"]["calls"], 0)
        self.assertIsNone(timed["even"]["total_error_ticks"])
        # slow: 2 calls of 3 ticks, which made 4 calls of 7; its total has 6 pairs of hooks, 10
        # ticks each
        self.assertAlmostEqual(timed["slow"]["self_error_ticks"], math.hypot(
            code_error(600, 2), HOOKS_ERROR * (2 * 3 + 4 * 7), math.sqrt((6 + (4 + 16) / 2) / 6)),
            delta=0.001)
        # of work's error, slow has the part that it has of work's time, and of its hooks' the part
        # that it has of the calls
        self.assertAlmostEqual(timed["slow"]["total_error_ticks"], math.hypot(
            code_error(600, 2), code_error(8900, 14) * 8400 / 8900, HOOKS_ERROR * 2 * 10,
            HOOKS_ERROR * 4 * 10, HOOKS_COMMON * (2 * 3 + 4 * 10), math.sqrt((2 + 4.6 ** 2) / 6)),
            delta=0.001)
        self.assertEqual(sum(t["self_ticks"] for t in timed.values() if t), 10170)
        self.assertAlmostEqual(timed["slow"]["total_seconds"], 9000e-6)
        self.assertEqual([c["count"] for c in model["calls"]], [10, 2, 1, 10, 4, 3, 2, 7])
        self.assertEqual(model["calls"][4]["longest_ticks"], 2200)

    def times_by_code(self, *calls, code=CODE, shipped=None):
        """Returns the times of functions of this code, whose instructions take 2 ticks each, and the
        time of the run. `calls`: caller, how far in it the call is, callee, and as in
        Stream.call(). `shipped`: the code that ships."""
        elf = assemble_code(self.folder.name, code)
        ships = ["--shipped", assemble_code(self.folder.name, without_hooks(shipped), "shipped.elf")
                 ] if shipped else []
        at = {line.split()[2]: int(line.split()[0], 16)
              for line in run(ARM + "nm", elf).stdout.decode().splitlines()}
        stream = Stream()
        stream.time(1000000, 100, 2 * PAIR - 100, 0, 0)
        for caller, distance, callee, *times in calls:
            stream.call(at[caller] + distance if caller else 0xFFFFFFF8, at[callee], *times)
        stream.time(1000000, 100, 2 * PAIR - 100, 0, 200000)
        stream.end()
        path = os.path.join(self.folder.name, "code.mprof")
        stream.write(path)
        model = json.loads(mcuprof("export", "--to", "json", *ships, "-e", elf, path).stdout)
        return {f["name"]: f["timed"] for f in model["functions"]}, model["timed_run"]

    LOOPS = (("main", 4, "outer", 1, 10000, 1000, 10000, 10000),
             ("outer", 8, "loop", 100, 9000, 9000, 90, 90))

    def assert_times(self, timed, *expected):
        self.assertEqual(tuple(timed[key + "_ticks"] for key in
                               ("self", "total", "shortest", "longest")), expected)

    def test_code_around_the_hooks_is_no_callers(self):
        """Of six ticks a call, those of the return are the function's own, and 30 % of the others;
        the rest is the profiler's, also in the totals around it."""
        timed, ran = self.times_by_code(("main", 4, "outer", 1, 2000, 500, 2000, 2000),
                                        ("outer", 14, "inner", 10, 1000, 1000, 50, 200),
                                        ("outer", 18, "branches", 10, 500, 500, 50, 50),
                                        (None, 0, "inner", 1, 70, 70, 70, 70))
        saving = 10 * SAVING
        self.assert_times(timed["inner"], 1070 + 60 - saving, 1070 + 60 - saving, 53, 204)
        self.assert_times(timed["branches"], 500, 500, 50, 50)
        # main is not over
        self.assert_times(timed["outer"], 500 - 60, *[2000 - saving] * 3)
        self.assertEqual((ran["self_ticks"], ran["saving_ticks"]), (2070 - saving, saving))
        self.assertEqual(ran["profiler_ticks"], 22 * 2 * PAIR + saving)
        # 11 calls, and 10 that came through the function around them
        self.assertAlmostEqual(timed["inner"]["self_error_ticks"], math.hypot(
            code_error(1130 - saving, 11, 1, 2), HOOKS_ERROR * 11 * 100, 10 * SAVING_ERROR,
            math.sqrt((11 + 11 ** 2 / 2) / 6)), delta=0.001)
        # 10 of inner, 10 of branches, its own; of these saving is in the former
        pairs = 100 / (2 * PAIR) + 20
        # of inner's error outer has 10 of 11 calls; 0.1 of 4 is common to all
        self.assertAlmostEqual(timed["outer"]["total_error_ticks"], math.hypot(
            code_error(440, 1, 3, 2), code_error(1130, 11, 1, 2) * 1060 / 1130,
            code_error(500, 10, 1, 2), HOOKS_ERROR * 2 * PAIR,
            math.hypot(HOOKS_ERROR * 11 * 2 * PAIR, 10 * SAVING_ERROR) * 10 / 11,
            HOOKS_ERROR * 10 * 2 * PAIR, HOOKS_COMMON * pairs * 2 * PAIR + 10 * 0.1 * 4,
            math.sqrt((1 + pairs ** 2) / 6)), delta=0.001)
        self.assertEqual(sum(ran[part + "_ticks"] for part in ("self", "profiler", "unfinished")),
                         200000)

    def test_recursive_calls_gain_what_they_lose(self):
        """All of a recursive function's total is its own time, also after its instructions outside
        of the hooks are added."""
        timed, _ = self.times_by_code(("main", 4, "recursive", 1, 500, 100, 500, 500),
                                      ("recursive", 14, "recursive", 9, 900, 400, 50, 150))
        saving = round(9 * SAVING)
        self.assert_times(timed["recursive"], *[500 - saving] * 4)

    def test_callers_lose_no_more_than_they_have(self):
        timed, _ = self.times_by_code(("main", 4, "outer", 1, 1020, 20, 1020, 1020),
                                      ("outer", 14, "inner", 10, 1000, 1000, 50, 200))
        saving = round(20 * SAVING / 6)
        self.assert_times(timed["inner"], 1020 - saving, 1020 - saving, 51, 202)
        self.assert_times(timed["outer"], 20 - 20, *[1020 - saving] * 3)

    def test_code_that_ships(self):
        """The firmware that ran has a loop of 8 instructions, 6 of them there, and that which ships
        one of 6: all else is in no loop."""
        self.check_differs(looped("nop; nop"), looped(""), 8, 6)

    def test_longer_code_that_ships(self):
        self.check_differs(looped(""), looped("nop; nop"), 6, 8)

    def check_differs(self, code, shipped, has, ships):
        """`has`, `ships`: instructions of the loop. A call has 46, of which 2 are not the loop's, so
        the loop turns 44 / has times; in the code alone it would turn 8 times."""
        timed, ran = self.times_by_code(*self.LOOPS, code=code, shipped=shipped)
        ratio = (2 + 44 / has * ships) / 46
        turns = math.log(ratio * (2 + 8 * has) / (2 + 8 * ships))
        # 2 ticks of each return were measured as those of outer
        differs = 9200 - round(9200 * ratio)
        self.assertEqual((ran["compared_functions"], ran["differs_ticks"]), (2, differs))
        self.assert_times(timed["loop"], *[9200 - differs] * 2, *[92 - int(differs / 100)] * 2)
        self.assert_times(timed["outer"], 800, *[10000 - differs] * 3)
        self.assertAlmostEqual(timed["loop"]["self_error_ticks"], math.hypot(
            SHIPPED_ERROR * (9200 - differs), DIFFERS_ERROR * differs, turns * (9200 - differs),
            HOOKS_ERROR * 100 * 100,
            math.sqrt((100 + 100 ** 2 / 2) / 6)), delta=0.001)
        self.assertEqual(sum(ran[part + "_ticks"] for part in ("self", "profiler", "unfinished")),
                         200000)

    def test_what_hooks_save_is_counted_in_what_ships(self):
        """inner has two instructions outside of its hooks, and ships with one instead: of two ticks
        each, one is the profiler's, and it may be none or both. Else 0.7 of one would be."""
        for ships, saving, error in (("bx lr", 2, 2), (None, 1.4, 1.2)):
            timed, ran = self.times_by_code(("main", 4, "outer", 1, 2000, 500, 2000, 2000),
                                            ("outer", 8, "inner", 10, 1000, 1000, 100, 100),
                                            code=SAVES, shipped=ships and SAVES[:SAVES.index(
                                                "inner:")] + "inner: bx lr")
            self.assertEqual(ran["saving_ticks"], 10 * saving)
            self.assertEqual(timed["inner"]["self_ticks"], 1000 + 40 - 10 * saving)
            self.assertAlmostEqual(timed["inner"]["self_error_ticks"], math.hypot(
                (SHIPPED_ERROR if ships else CODE_ERROR) * 10 * 2 * 2, HOOKS_ERROR * 10 * 100,
                10 * error, math.sqrt((10 + 10 ** 2 / 2) / 6)), delta=0.001)

    def test_other_loops_are_not_compared(self):
        """Two loops in place of one; a loop in it; code twice as long; a switch that may be a loop's;
        and no other code at all."""
        two, inner = looped("nop\n b 2f\n 2: cmp r0, #1\n bne 2b"), looped("3: subs r1, #1\n bne 3b")
        long = looped("\n".join(["nop"] * 9))
        switch = looped("").replace("bne 1b", "bx r3\n adds r0, #1\n b 1b")
        for code, shipped in ((two, looped("")), (inner, looped("")), (long, looped("")),
                              (switch, looped("")), (looped(""), None)):
            timed, ran = self.times_by_code(*self.LOOPS, code=code, shipped=shipped)
            self.assertEqual(ran["differs_ticks"], 0)
            self.assert_times(timed["outer"], 800, 10000, 10000, 10000)
            self.assertAlmostEqual(timed["loop"]["self_error_ticks"], math.hypot(
                LOOPS_ERROR * 9200, HOOKS_ERROR * 100 * 100,
                math.sqrt((100 + 100 ** 2 / 2) / 6)), delta=0.001)

    def test_what_a_longer_call_takes_is_its_own(self):
        """Two callers of a function that calls another: the hooks of these calls are the longer
        call's."""
        stream = Stream()
        stream.time(1000000, 30, 70, 0, 0)
        stream.call(FAST + 4, SLOW, 50, 50, 50, 1, 1)
        stream.call(WORK + 4, SLOW, 1, 9950, 50, 9950, 9950)
        stream.call(SLOW + 4, ODD, 90, 9900, 9900, 110, 110)
        stream.call(MAIN + 4, FAST, 1, 100, 50, 100, 100)
        stream.call(MAIN + 8, WORK, 1, 10000, 50, 10000, 10000)
        stream.time(1000000, 30, 70, 0, 100000)
        stream.end()
        path = os.path.join(self.folder.name, "longer.mprof")
        stream.write(path)
        raw = self.report("--raw", "--flat", path=path)
        cost = 90 * 100 / 10000  # of odd's calls, a tick of slow's
        fast, work = 100 + 30 + 50 * 100 + 50 * cost, 10000 + 30 + 100 + 9950 * cost
        self.assertRegex(raw, rf" {fast / 1000:.3f} +1 .*fast\n")
        self.assertRegex(raw, rf" {work / 1000:.3f} +1 .*work\n")

    def test_shipped_must_be_firmware_for_the_processor(self):
        for shipped, says in (("/nowhere.elf", "/nowhere.elf"), (sys.executable, "it is for")):
            self.assertIn(says, mcuprof("report", "-e", self.elf, "--shipped", shipped, self.path,
                                        status=3).stderr.decode())

    def test_firmware_with_hooks_is_not_what_ships(self):
        """It says nothing, so the errors stay what they are; --shipped needs the ELF that ran."""
        self.times_by_code(*self.LOOPS, code=looped("nop; nop"))
        elf, path = self.folder.name + "/code.elf", self.folder.name + "/code.mprof"
        compared, alone = (json.loads(mcuprof("export", "--to", "json", *shipped, "-e", elf,
                                              path).stdout)
                           for shipped in (["--shipped", elf], []))
        self.assertEqual(compared["timed_run"]["compared_functions"], 0)
        self.assertEqual([function["timed"] for function in compared["functions"]],
                         [function["timed"] for function in alone["functions"]])
        self.assertIn("--shipped needs", mcuprof("export", "--to", "json", "--shipped", elf, path,
                                                 status=2).stderr.decode())

    def test_single_calls_change_as_their_total_does(self):
        """90 short calls and 10 long ones: each is shorter by its part."""
        timed, _ = self.times_by_code(("main", 4, "outer", 1, 12000, 200, 12000, 12000),
                                      ("outer", 8, "loop", 100, 11800, 11800, 20, 1000),
                                      code=looped("nop; nop"), shipped=looped(""))
        part = timed["loop"]["total_ticks"] / 12000
        self.assertLess(part, 0.8)
        self.assertEqual(timed["loop"]["shortest_ticks"], round(22 * part))
        self.assertEqual(timed["loop"]["longest_ticks"], round(1002 * part))

    def test_the_report_says_what_was_compared(self):
        self.times_by_code(*self.LOOPS, code=looped("nop; nop"), shipped=looped(""))
        args = ["-e", self.folder.name + "/code.elf", "--shipped", self.folder.name + "/shipped.elf",
                self.folder.name + "/code.mprof"]
        text = mcuprof("report", *args).stdout.decode()
        self.assertRegex(text, r"(?m)^shipped   2 functions compared with .*/shipped.elf: their loops "
                               r"take 2\.200 ms less there, taken off$")
        raw = mcuprof("report", "--raw", *args).stdout.decode()
        self.assertRegex(raw, r"(?m)^shipped   2 functions compared with .*/shipped.elf$")
        without = mcuprof("report", "--raw", *args[:2], args[-1]).stdout.decode()
        tables = [text[text.index("Timed calls  computed"):] for text in (raw, without)]
        self.assertEqual(*(re.sub(r"(?m)^ *[\d.]+", "", text) for text in tables))

    def test_lost_calls_make_the_rest_an_upper_bound(self):
        path = self.other("lost.mprof", lost=3)
        self.assertIn("[in no finished call] (at most)\n", self.report(path=path))
        model = json.loads(self.export("json", path))
        self.assertTrue(model["timed_run"]["unfinished_is_at_most"])
        self.assertEqual(model["timed_run"]["profiler_ticks"], 42 * 10 + 200)

    def test_without_a_time_base_times_are_ticks(self):
        path = self.other("ticks.mprof", times=False)
        text = self.report(path=path)
        self.assertIn("10170 ticks of an unknown clock", text)
        self.assertRegex(text, r"\n +%  +ticks  +ticks  +calls  +ticks  +ticks  +ticks ")
        self.assertNotIn("in no finished call", text)
        self.assertIsNone(json.loads(self.export("json", path))["time_base"])
        row = next(row for row in csv.DictReader(io.StringIO(self.export("csv", path)))
                   if row["name"] == "work")
        self.assertEqual((row["timed_self_ticks"], row["timed_max_ticks"]), ("8900", "2200"))

    def test_each_caller_has_its_own_time(self):
        text = self.report("--sites", "--focus", "work")
        self.assertRegex(text, r" 8\.400 +4 +2000\.0 +2100\.0 +2200\.0  slow .* → work")
        self.assertRegex(text, r" 0\.500 +10 +50\.0 +50\.0 +50\.0  fast .* → work")
        self.assertNotIn("handler", text)

    def rows(self, *options):
        text = self.report("--flat", *options)
        table = text[text.index("function\n") + 9:]
        return [re.search(r"  ([\[<]?\w[^\d]*(?:\d as a whole>)?)[^ ]*$", line)[1].split()[0]
                for line in table.splitlines() if line]

    def test_sorts_as_asked(self):
        names = self.rows("--sort", "name")
        self.assertEqual(names[-1], "[in")
        self.assertEqual(names[1:-1], sorted(names[1:-1]))
        self.assertEqual(self.rows("--sort", "self")[:2], ["work", "slow"])
        self.assertEqual(self.rows("--sort", "total")[:2], ["slow", "work"])
        self.assertEqual(self.rows("--sort", "calls")[:2], ["work", "fast"])
        self.assertIn("and 6 more functions", self.report("--flat", "--limit", "1"))
        self.assertIn("and 7 more call sites", self.report("--sites", "--limit", "1"))

    def test_fits_a_terminal(self):
        for columns in (50, 70, 90):
            text = on_a_terminal(columns, "report", "--flat", "-e", self.elf, self.path)
            table = text[text.index("Timed calls"):].splitlines()[2:]
            self.assertTrue(all(len(re.sub("\033.*?m", "", line)) <= columns
                                for line in table), table)
            self.assertEqual("mean" in text, columns > 50)
            self.assertEqual("min" in text, columns > 70)

    def test_samples_are_told_apart(self):
        stream = Stream(hz=1000000, period=1000, flags=TIMES_CALLS | SAMPLES)
        stream.time(1000000, 3, 7, 0, 20000)
        stream.record(1, 12, [*groups_of((WORK + 4) // 2, 5)])
        stream.call(SLOW + 4, WORK, 1, 900, 900, 900, 900)
        stream.end()
        path = os.path.join(self.folder.name, "both.mprof")
        stream.write(path)
        text = self.report("--flat", path=path)
        self.assertRegex(text, r"Timed calls  measured\n(.*\n)+.* 0\.900 +0\.1 +0\.900 +0\.1 +1 .*work\n")
        self.assertRegex(text, r"Flat profile  measured, ± one standard error.*\n(.*\n)+"
                               r" +100 +1 ±1 .*work\n")
        self.assertNotIn("~", text)  # timed calls have the totals
        function = next(f for f in json.loads(self.export("json", path))["functions"]
                        if f["name"] == "work")
        self.assertEqual((function["self_seconds"], function["timed"]["self_seconds"]),
                         (0.001, 0.0009))

    def singles(self, path, *options):
        """Returns {function: (calls, min, p50, p90, p99, max)} as the report has them."""
        text = self.report("--percentiles", *options, path=path)
        rows = re.findall(r"^ *(\d+)((?: +(?:[\d.]+ \S+|–|0)){5})  .*  (\w+)$", text, re.M)
        return {name: (int(calls), *re.findall(r"[\d.]+ \S+|–|0", cells))
                for calls, cells, name in rows}, text

    def test_percentiles(self):
        """Each of 1,000 calls has a record of its own; ten calls of another function are in one
        record."""
        stream = Stream()
        stream.time(1000000, 3, 7, 100, 1000)
        for i in range(1000):
            took = 20 if i < 900 else 3000 if i < 995 else 5000 + i
            stream.call(MAIN + 4, FAST, 1, took, took, took, took)
        stream.call(MAIN + 8, SLOW, 10, 9000, 600, 800, 1000)
        stream.call(SLOW + 8, ODD, 3, 60, 60, 10, 30)
        stream.time(1000000, 3, 7, 200, 2000000)
        stream.end()
        path = os.path.join(self.folder.name, "singles.mprof")
        stream.write(path)
        rows, text = self.singles(path)
        self.assertEqual(rows, {
            "fast": (1000, "20.0 µs", "20.0 µs", "20.0 µs", "3.01 ms", "6.00 ms"),
            "slow": (10, "800 µs", "–", "–", "–", "1.00 ms"),
            "odd": (3, "10.0 µs", "20.0 µs", "30.0 µs", "30.0 µs", "30.0 µs")})
        self.assertIn("spread from 10.0 µs to 6.00 ms", text)
        self.assertRegex(text, "6.00 ms   █ +▁▁ +fast\n")
        self.assertIn("MCUPROF_ENTRIES=0", text)
        self.assertIn("and 2 more functions", self.singles(path, "--limit", "1")[1])
        self.assertEqual(list(self.singles(path, "--focus", "odd")[0]), ["slow", "odd"])
        model = json.loads(self.export("json", path))
        timed = {f["name"]: f["timed"] for f in model["functions"]}
        self.assertEqual(timed["odd"]["p50_ticks"], 20)
        self.assertEqual(timed["odd"]["p99_seconds"], 30e-6)
        self.assertIsNone(timed["slow"]["p99_ticks"])
        row = {row["name"]: row for row in csv.DictReader(io.StringIO(self.export("csv", path)))}
        self.assertEqual([row["odd"][f"timed_p{part}_seconds"] for part in (50, 90, 99)],
                         ["2e-05", "3e-05", "3e-05"])
        self.assertEqual(row["slow"]["timed_p50_seconds"], "")
        budgets = os.path.join(self.folder.name, "singles.txt")
        with open(budgets, "w", encoding="utf-8") as out:
            out.write("fast p50 < 21us\nfast p99 < 3ms\nfast p90 = 20 us\nslow p99 < 2 ms\n")
        text = mcuprof("check", "-e", self.elf, budgets, path, status=1).stdout.decode()
        self.assertEqual(re.findall(r"(?m)^(ok|BROKEN) ", text), ["ok", "BROKEN", "ok", "BROKEN"])
        self.assertRegex(text, "the firmware's cache, or merge, added calls up: MCUPROF_ENTRIES=0 "
                               "+slow p99")
        merged = os.path.join(self.folder.name, "merged.mprof")
        mcuprof("merge", "-o", merged, path)
        rows, text = self.singles(merged)
        self.assertEqual(rows["fast"], (1000, "20.0 µs", "–", "–", "–", "6.00 ms"))
        self.assertIn("the firmware's cache, or merge, added calls up", " ".join(text.split()))

    def test_percentiles_of_nothing(self):
        pcs = os.path.join(self.folder.name, "pcs.txt")
        with open(pcs, "w", encoding="ascii") as out:
            out.write("0x8004\n" * 4)
        text = mcuprof("report", "-e", self.elf, "--percentiles", "--hz", "1", pcs).stdout
        self.assertIn(b"no timed calls, so no percentiles", text)
        self.assertIn(b"not with --raw", mcuprof("report", "-e", self.elf, "--percentiles", "--raw",
                                                 self.path, status=2).stderr)

    def test_no_timed_calls(self):
        pcs = os.path.join(self.folder.name, "pcs.txt")
        with open(pcs, "w", encoding="ascii") as out:
            out.write("0x8004\n" * 4)
        text = mcuprof("report", "-e", self.elf, "--sites", "--raw", "--hz", "1",
                       pcs).stdout.decode()
        self.assertIn("no timed calls, so no call sites", text)

    def test_gains(self):
        """work took 8,900 of 19,410 ticks; slow and what it called took 9,000: exact numbers."""
        text = mcuprof("report", "-e", self.elf, "--gain", self.path).stdout.decode()
        self.assertRegex(text, r"(?m)^ *45\.85 +×1\.847 +×1\.297 +×1\.847 +×1\.297  work$")
        self.assertRegex(text, r"(?m)^ *3\.09 +×1\.032 +×1\.016 +×1\.865 +×1\.302  slow$")

    def test_info(self):
        info = json.loads(mcuprof("info", "--json", self.path).stdout)
        self.assertEqual(info["calls"], {"received": 39, "lost": 0})
        self.assertEqual(info["time_base"], {"hz": 1e6, "inside_ticks": 3,
                                             "outside_ticks": 7, "other_ticks": 200,
                                             "run_ticks": 20000})
        self.assertIn("1 MHz; a timed call costs 3 + 7 ticks",
                      mcuprof("info", self.path).stdout.decode())

    def test_several_captures_add_up(self):
        text = mcuprof("report", "-e", self.elf, self.path, self.path).stdout.decode()
        self.assertIn("40.000 ms at 1 MHz: calls 20.340 ms, profiler 1.180 ms", text)
        other = Stream()
        other.time(2000000, 3, 7, 0, 100)
        other.call(MAIN + 4, FAST, 1, 1, 1, 1, 1)
        other.end()
        path = os.path.join(self.folder.name, "other.mprof")
        other.write(path)
        self.assertIn(b"its calls are timed at 2e+06 Hz",
                      mcuprof("info", self.path, path, status=3).stderr)


if __name__ == "__main__":
    unittest.main()
