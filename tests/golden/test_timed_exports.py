# SPDX-License-Identifier: MIT
"""Timed calls in each format of `export`, from captures made by hand."""

import csv
import io
import json
import math
import os
import re
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from elves import ARM, mcuprof, run  # noqa: E402
from timed_calls import HOOKS_ERROR, TimedCase, code_error  # noqa: E402


class Exports(TimedCase):
    def test_csv(self):
        rows = list(csv.DictReader(io.StringIO(self.export("csv"))))
        row = {row["name"]: row for row in rows}
        self.assertEqual([row["work"][f"timed_{key}"] for key in
                          ("calls", "recursive_calls", "self_seconds", "total_seconds", "min_seconds",
                           "max_seconds")],
                         ["14", "0", "0.0089", "0.0089", "5e-05", "0.0022"])
        self.assertAlmostEqual(float(row["work"]["timed_self_error_seconds"]), 1e-6 * math.hypot(
            code_error(8900, 14), HOOKS_ERROR * 14 * 3, math.sqrt((14 + 14 ** 2 / 2) / 6)), 9)
        self.assertEqual(row["even"]["timed_total_seconds"], "")
        self.assertEqual(row["even"]["timed_total_error_seconds"], "")
        self.assertEqual(row["main"]["timed_calls"], "")
        self.assertTrue(all(None not in row and None not in row.values() for row in rows))

    def test_dot_has_an_edge_for_each_call_site(self):
        text = self.export("dot")
        self.assertIn('label="work\\n14 calls\\ntotal 8.9 ms\\nself 8.9 ms\\n'
                      '50 \xb5s to 2.2 ms"', text)
        self.assertIn('label="even\\n(cycle 1)\\n3 calls\\nself 40 \xb5s"', text)
        self.assertIn('label="\xa0\xa04\xd7 2.1 ms\\n\xa0\xa02 ms to 2.2 ms", tooltip="slow \u2192 work\\n4 calls\\n'
                      'min 2 ms, mean 2.1 ms, max 2.2 ms"', text)
        self.assertIn('label="\xa0\xa010\xd7 50 \xb5s"', text)
        self.assertEqual(text.count(" -> "), 7)
        self.assertIn("<svg", self.export("svg"))

    def test_folded_adds_up_to_the_program(self):
        """The shares of a flame graph are the report's: 19,410 ticks are the program's."""
        lines = dict(line.rsplit(" ", 1) for line in self.export("folded").splitlines())
        self.assertEqual(lines["[in no finished call]"], "9240")
        self.assertEqual(sum(map(int, lines.values())), 20000 - 590)
        self.assertIn("[in no finished call]", self.export("flamegraph"))
        self.assertIn("[in no finished call]", self.export("speedscope"))

    def test_gmon_has_the_calls(self):
        gmon = os.path.join(self.folder.name, "gmon.out")
        mcuprof("export", "-e", self.elf, "--to", "gmon", "-o", gmon, self.path)
        text = run(ARM + "gprof", "-b", "-q", self.elf, gmon).stdout.decode()
        self.assertRegex(text, r" 4/14 +slow \[")
        self.assertRegex(text, r" 1\+5 +<cycle 1 as a whole>")

    def callgrind(self, path, *options):
        """Returns {function: cost} as callgrind_annotate prints it, and the total."""
        out = os.path.join(self.folder.name, "callgrind.out")
        mcuprof("export", "-e", self.elf, "--to", "callgrind", "-o", out, path)
        text = run("callgrind_annotate", "--threshold=100", *options, out).stdout.decode()
        costs = re.findall(r"^ *([\d,]+) +(?:\(.*?\))? +\?\?\?:(.*?)(?: \[.*)?$", text, re.M)
        total = re.search(r"([\d,]+).* PROGRAM TOTALS", text)
        return ({name: int(cost.replace(",", "")) for cost, name in costs},
                int(total[1].replace(",", "")))

    def test_callgrind(self):
        timed = {f["name"]: f["timed"] for f in
                 json.loads(self.export("json"))["functions"] if f["timed"]}
        costs, total = self.callgrind(self.path)
        self.assertEqual(total, 1000 * (20000 - 590))
        self.assertEqual(costs.pop("[in no finished call]"), 1000 * 9240)
        self.assertEqual(costs, {name: 1000 * t["self_ticks"] for name, t in timed.items()})
        costs, total = self.callgrind(self.path, "--inclusive=yes")
        for name in ("fast", "slow", "work", "odd", "handler"):
            self.assertEqual(costs[name], 1000 * timed[name]["total_ticks"], name)
        self.assertEqual(costs["main"], 1000 * 10100)
        costs, total = self.callgrind(self.other("ticks.mprof", times=False))
        self.assertEqual(total, 10170)

    def test_callgrind_without_timed_calls(self):
        pcs = os.path.join(self.folder.name, "pcs.txt")
        with open(pcs, "w", encoding="ascii") as out:
            out.write("0x8004\n" * 4)
        self.assertIn(b"callgrind needs timed calls", mcuprof(
            "export", "-e", self.elf, "--to", "callgrind", pcs, status=3).stderr)


if __name__ == "__main__":
    unittest.main()
