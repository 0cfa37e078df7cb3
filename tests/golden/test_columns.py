# SPDX-License-Identifier: MIT
"""--columns and --sort: the figures that are asked for, in their order, of captures made by hand;
lists that are wrong, figures that a profile does not have, narrow terminals."""

import csv
import io
import os
import re
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from elves import InFolder, assemble, mcuprof  # noqa: E402
from test_report import on_a_terminal  # noqa: E402
from wire import Stream  # noqa: E402

NAMES = ("main", "control", "filter", "fir", "end")
MAIN, CONTROL, FILTER, FIR = (0x8000 + 64 * i for i in range(4))
# How often each path was sampled, its functions from the root to the leaf: self 20, 0, 30, 50,
# total 100, 60, 70, 50.
PATHS = [(40, MAIN, CONTROL, FILTER, FIR), (20, MAIN, CONTROL, FILTER), (10, MAIN, FILTER),
         (20, MAIN), (10, MAIN, FIR)]


def timed():
    """Two calls of control, of 10 and 30 ticks of 1 us; four of fir, of which only the sums came,
    80 ticks, 5 at least and 40 at most."""
    stream = Stream()
    stream.time(1000000, 0, 0, 0, 0)
    for took in (10, 30):
        stream.call(MAIN + 4, CONTROL, 1, took, took, took, took)
    stream.call(MAIN + 8, FIR, 4, 80, 80, 5, 40)
    stream.time(1000000, 0, 0, 0, 1000)
    stream.end()
    return stream


class Columns(InFolder):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.elf = assemble(cls.folder.name, 0x8000,
                           [(0x8000 + 64 * i, 64, "T", name) for i, name in enumerate(NAMES)])
        cls.sampled = os.path.join(cls.folder.name, "run.pc")
        with open(cls.sampled, "w", encoding="ascii") as out:
            for count, *path in PATHS:
                addresses = [path[-1] + 8] + [caller + 16 for caller in path[-2::-1]]
                out.write((" ".join(f"{address:x}" for address in addresses) + "\n") * count)
        cls.timed = os.path.join(cls.folder.name, "timed.mprof")
        timed().write(cls.timed)

    def command(self, *options, capture=None):
        rate = ("--hz", "1000") if capture in (None, self.sampled) else ()
        return ("report", "-e", self.elf, *rate, *options, capture or self.sampled)

    def table(self, *options, capture=None):
        """Returns the lines of the flat profile, headings first, as lists of words."""
        text = mcuprof(*self.command(*options, capture=capture)).stdout.decode()
        below = text[text.index("Flat profile"):].split("\n\n")[1]
        return [line.split() for line in below.splitlines()]

    def names(self, *options, capture=None):
        return [row[-1] for row in self.table("--columns", "self", *options, capture=capture)[2:]]

    def refused(self, *options, status=2, capture=None):
        return mcuprof(*self.command(*options, capture=capture), status=status).stderr.decode()

    def csv(self, *options, capture=None):
        """Returns the rows of the csv, headings first, and what was warned of."""
        rate = ("--hz", "1000") if capture in (None, self.sampled) else ()
        done = mcuprof("export", "--to", "csv", "-e", self.elf, *rate, *options,
                       capture or self.sampled)
        return list(csv.reader(io.StringIO(done.stdout.decode(), newline=""))), done.stderr.decode()

    # ---- Columns ----

    def test_columns_are_those_asked_for(self):
        self.assertEqual(self.table("--columns", "samples,total,self_percent,total_error"), [
            ["total", "self", "total"],
            ["samples", "ms", "%", "±", "%", "function"],
            ["50", "50", "±5", "50", "10", "fir"],
            ["30", "70", "±5", "30", "6.5", "filter"],
            ["20", "100", "±1", "20", "1.4", "main"],
            ["0", "60", "±5", "<3", "8.2", "control"]])

    def test_order_is_that_of_the_list(self):
        self.assertEqual(self.table("--columns", "self_percent,samples")[2:],
                         [["50", "50", "fir"], ["30", "30", "filter"], ["20", "20", "main"],
                          ["<3", "0", "control"]])

    def test_only_the_flat_profile(self):
        text = mcuprof(*self.command("--columns", "self")).stdout.decode()
        self.assertNotIn("Call graph", text)
        self.assertNotIn("Call paths", text)
        text = mcuprof(*self.command("--columns", "self", "--graph")).stdout.decode()
        self.assertIn("Call graph", text)

    def test_timed_calls(self):
        """What is not known of fir's single calls is a dash."""
        self.assertEqual(
            self.table("--columns", "timed_calls,self,mean,p99,max", capture=self.timed),
            [["timed", "timed", "self"],
             ["calls", "ms", "mean", "p99", "max", "function"],
             ["4", "0.080", "20.0", "µs", "–", "40.0", "µs", "fir"],
             ["2", "0.040", "20.0", "µs", "30.0", "µs", "30.0", "µs", "control"]])

    def test_limit_and_focus(self):
        text = mcuprof(*self.command("--columns", "samples", "--limit", "1")).stdout.decode()
        self.assertTrue(text.endswith("50  fir\nand 3 more functions\n"), text)
        self.assertEqual(self.names("--focus", "control"), ["filter", "main", "control"])

    def test_figures_that_are_not_there(self):
        text = mcuprof(*self.command("--columns", "self,p99,mean,calls")).stdout.decode()
        self.assertIn("\nNo column p99, mean: no timed calls; "
                      "calls: no calls were counted or timed\n", text)
        self.assertEqual(self.table("--columns", "self,p99"), self.table("--columns", "self"))
        self.assertEqual(self.refused("--columns", "p99,calls", status=3),
                         "mcuprof report: --columns p99,calls: none is in this profile\n")

    def test_wrong_lists(self):
        for wrong, why in (("age", "no figure 'age'; there are samples, self, "),
                           ("self,age", "no figure 'age'"), ("", "'' lacks a figure"),
                           ("self,", "'self,' lacks a figure"), (",", "',' lacks a figure"),
                           ("self,samples,self", "self is there twice"),
                           ("name,self", "name is in each row"),
                           ("samples_error", "samples has no error")):
            with self.subTest(wrong=wrong):
                self.assertIn(f"--columns: {why}", self.refused("--columns", wrong))
        self.assertIn("not with --by task", self.refused("--columns", "self", "--by", "task"))

    def test_each_figure_is_shown_or_said_to_lack(self):
        told = mcuprof("report", "--help").stdout.decode().split("standard error")[1]
        ids = re.findall(r"(?m)^(\w+) +[+ ] \w.*$", told)
        self.assertEqual(len(ids), len(set(ids)))
        for each in set(ids) - {"overhead"}:
            for capture in (self.sampled, self.timed):
                with self.subTest(figure=each, capture=capture):
                    text = mcuprof(*self.command("--columns", f"{each},overhead",
                                                 capture=capture)).stdout.decode()
                    heading, = re.findall("(?m)^.* function$", text)
                    self.assertEqual(len(heading.split()),
                                     2 if f"\nNo column {each}: no" in text or
                                     f"\nNo column {each}: of" in text else 3, text)

    def test_a_narrow_terminal(self):
        """What is asked for is never left out; the usual columns are."""
        for columns in (24, 40, 80):
            asked = on_a_terminal(columns, *self.command(
                "--columns", "self,total,self_percent,total_percent,samples", "--color", "never"))
            row, = re.findall(r"(?m)^.*\bfilter\b.*$", asked.replace("\r", ""))
            self.assertEqual(row.split(), ["30", "±5", "70", "±5", "30", "70", "30", "filter"])
        usual = on_a_terminal(24, *self.command("--flat", "--color", "never"))
        self.assertNotIn("70 ±5   70", usual)

    # ---- Orders ----

    def test_by_any_figure(self):
        for order, names in (("self", ["fir", "filter", "main", "control"]),
                             ("+self", ["control", "main", "filter", "fir"]),
                             ("-self", ["fir", "filter", "main", "control"]),
                             ("total", ["main", "filter", "control", "fir"]),
                             ("+total_percent", ["fir", "control", "filter", "main"]),
                             ("children", ["main", "control", "filter", "fir"]),
                             ("name", ["control", "filter", "fir", "main"]),
                             ("-name", ["main", "fir", "filter", "control"]),
                             ("overhead,+total", ["fir", "control", "filter", "main"]),
                             ("overhead,-name", ["main", "fir", "filter", "control"])):
            with self.subTest(order=order):
                self.assertEqual(self.names("--sort", order), names)

    def test_what_is_not_known_comes_last(self):
        """fir's p99 is not known, main has no timed call."""
        for order, names in (("p99", ["control", "fir"]), ("+p99", ["control", "fir"]),
                             ("max", ["fir", "control"]), ("+max", ["control", "fir"]),
                             ("mean,max", ["fir", "control"]), ("mean,+max", ["control", "fir"])):
            with self.subTest(order=order):
                self.assertEqual(self.names("--sort", order, capture=self.timed), names)

    def test_each_table_is_sorted(self):
        for options, order, names in ((("--flat",), "+max", ["control", "fir"]),
                                      (("--flat",), "max", ["fir", "control"]),
                                      (("--percentiles",), "timed_calls", ["fir", "control"]),
                                      (("--percentiles",), "+calls", ["control", "fir"]),
                                      (("--sites",), "+mean,+self", ["control", "fir"]),
                                      (("--gain",), "+calls", ["control", "fir"])):
            with self.subTest(options=options, order=order):
                text = mcuprof(*self.command(*options, "--sort", order,
                                             capture=self.timed)).stdout.decode()
                self.assertEqual(re.findall(r"(?m)(?: |→ )(control|fir)$", text), names, text)

    def test_what_cannot_be_sorted_by_is_said(self):
        text = mcuprof(*self.command("--sort", "p99,calls,self")).stdout.decode()
        self.assertIn("\nNot sorted by p99: no timed calls; "
                      "calls: no calls were counted or timed\n", text)
        text = mcuprof(*self.command("--sort", "self,total", capture=self.timed)).stdout.decode()
        self.assertNotIn("Not sorted", text)

    def test_wrong_orders(self):
        for wrong, why in (("age", "no figure 'age'; there are samples, "), ("", "'' lacks a figure"),
                           ("self,+self", "+self is there twice"), ("+", "no figure ''"),
                           ("name,+name", "+name is there twice"), ("cycle_error", "cycle has no error")):
            with self.subTest(wrong=wrong):
                self.assertIn(f"--sort: {why}", self.refused("--sort", wrong))
        self.assertIn(", and name (see", self.refused("--sort", "age"))

    # ---- csv ----

    def test_columns_of_csv(self):
        rows, _ = self.csv("--columns", "samples,total,self_percent,self_error", "--sort", "total")
        self.assertEqual(rows[0], ["name", "address", "file", "line", "samples", "total_seconds",
                                   "self_percent", "self_error_seconds"])
        self.assertEqual([row[:1] + row[4:7] for row in rows[1:]],
                         [["main", "20", "0.1", "20.0000"], ["filter", "30", "0.07", "30.0000"],
                          ["control", "0", "0.06", "0.0000"], ["fir", "50", "0.05", "50.0000"]])
        self.assertEqual(rows[3][7], "0")  # no sample, no error
        self.assertAlmostEqual(float(rows[4][7]), 0.005, places=3)

    def test_order_of_csv(self):
        for options, names in (((), ["main", "control", "filter", "fir"]),
                               (("--sort", "name"), ["control", "filter", "fir", "main"]),
                               (("--sort", "self"), ["fir", "filter", "main", "control"]),
                               (("--sort", "+self,name"), ["control", "main", "filter", "fir"])):
            with self.subTest(options=options):
                self.assertEqual([row[0] for row in self.csv(*options)[0][1:]], names)

    def test_timed_calls_in_csv(self):
        rows, told = self.csv("--columns", "mean,p99,calls", "--sort", "max", capture=self.timed)
        self.assertEqual(rows, [
            ["name", "address", "file", "line", "timed_mean_seconds", "timed_p99_seconds", "calls"],
            ["fir", "0x80c0", "", "", "2e-05", "", "4"],
            ["control", "0x8040", "", "", "2e-05", "3e-05", "2"],
            ["main", "0x8000", "", "", "", "", "0"]])
        self.assertNotIn("empty", told)

    def test_empty_columns_of_csv_are_said(self):
        rows, told = self.csv("--columns", "p99,self")
        self.assertEqual(rows[1][4:], ["", "0.02"])
        self.assertIn("warning: empty columns: p99: no timed calls\n", told)

    def test_wrong_lists_of_csv(self):
        for options, why in ((("--columns", "age"), "--columns: no figure 'age'"),
                             (("--columns", "self,,calls"), "--columns: 'self,,calls' lacks"),
                             (("--sort", "self,self"), "--sort: self is there twice"),
                             (("--to", "json", "--columns", "self"),
                              "--columns is for csv, not for json"),
                             (("--to", "dot", "--sort", "self"), "--sort is for csv, not for dot")):
            with self.subTest(options=options):
                told = mcuprof("export", "--to", "csv", "-e", self.elf, *options, self.timed,
                               status=2).stderr.decode()
                self.assertIn(why, told)


if __name__ == "__main__":
    unittest.main()
