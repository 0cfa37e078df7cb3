# SPDX-License-Identifier: MIT
"""Sampled call paths: `mcuprof report` and `mcuprof export` as people and programs see them.

UPDATE_GOLDEN=1 rewrites paths.txt, to be reviewed as a diff."""

import csv
import io
import json
import os
import re
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from elves import ARM, InFolder, assemble, mcuprof, run  # noqa: E402
from test_report import on_a_terminal  # noqa: E402
from wire import COUNTS_CALLS, SAMPLES, WHOLE, Stream  # noqa: E402

GOLDEN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "paths.txt")
MAIN, CONTROL, FILTER, FIR, FIB, MCUPROF = (0x8000 + 0x100 * i for i in range(6))
TABLE = [(MAIN, 0x100, "T", "main"), (CONTROL, 0x100, "T", "control"),
         (FILTER, 0x100, "T", "filter"), (FIR, 0x100, "T", "fir"), (FIB, 0x100, "T", "fib"),
         (MCUPROF, 0x100, "T", "mcuprof_count"), (0x8600, 0, "T", "_etext")]
# the number of samples, then the functions from the root to the leaf
PATHS = [(420, MAIN, CONTROL, FILTER, FIR), (60, MAIN, CONTROL, FILTER), (29, MAIN, CONTROL),
         (200, MAIN, FIR), (90, MAIN, FIB, FIB, FIB), (10, MAIN, FIB, FIB, FIB, FIR), (4, MAIN),
         (50, MAIN, CONTROL, MCUPROF)]
LEAVES = [(37, FIR)]  # samples without a path


def log_of(paths):
    """Makes the decoder's input: the leaf comes first, then the callers' return addresses."""
    return "".join((" ".join([f"{path[-1] + 0x20:x}"]
                             + [f"{caller + 0x40:x}" for caller in path[-2::-1]]) + "\n") * count
                   for count, *path in paths)


class Paths(InFolder):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.elf = assemble(cls.folder.name, 0x8000, TABLE)
        cls.log = os.path.join(cls.folder.name, "run.pc")
        with open(cls.log, "w", encoding="ascii") as out:
            out.write(log_of(PATHS + LEAVES))

    def text(self, command, *options, status=0):
        done = mcuprof(command, "-e", self.elf, "--hz", "1000", *options, self.log, status=status)
        text = (done.stderr if status else done.stdout).decode()
        return text.replace(self.folder.name + "/", "")

    def export(self, form):
        return self.text("export", "--to", form)

    def test_is_the_golden_one(self):
        text = ""
        for options in ((), ("--paths", "3"), ("--callers", "fir"), ("--callees", "main"),
                        ("--callers", "fir", "--callees", "control", "--limit", "3")):
            shown = self.text("report", *options)
            text += f"$ report {' '.join(options)}\n" + (
                shown if not options else shown[shown.index("\n\n") + 1:]) + "\n"
        for form in ("folded", "csv"):
            text += f"$ export --to {form}\n" + self.export(form) + "\n"
        text = text.replace("\r\n", "\n")
        if os.environ.get("UPDATE_GOLDEN"):
            with open(GOLDEN, "w", encoding="utf-8") as out:
                out.write(text)
        with open(GOLDEN, encoding="utf-8") as golden:
            self.assertEqual(text, golden.read())

    def test_sums(self):
        """The self times add up to all samples. The samples that enter a function add up to its
        total."""
        got = json.loads(self.export("json"))
        functions = {f["name"]: f for f in got["functions"]}
        samples = sum(count for count, *_ in PATHS + LEAVES)
        self.assertAlmostEqual(sum(f["samples"] for f in got["functions"]), samples)
        self.assertAlmostEqual(functions["main"]["total_seconds"], 0.813)
        self.assertAlmostEqual(functions["fir"]["total_seconds"], 0.667)
        self.assertAlmostEqual(functions["fir"]["total_error_seconds"],
                               (667 * (1 - 667 / 900))**0.5 / 1000)
        self.assertAlmostEqual(functions["fib"]["total_seconds"], 0.1)
        names = [f["name"] for f in got["functions"]]
        for name in ("control", "filter", "fir"):
            into = sum(c["self_seconds"] + c["children_seconds"] for c in got["function_calls"]
                       if names[c["callee"]] == name)
            self.assertAlmostEqual(into, functions[name]["total_seconds"])

    def test_folded_counts_are_the_samples(self):
        lines = dict(line.rsplit(" ", 1) for line in self.export("folded").splitlines())
        self.assertEqual(sum(map(int, lines.values())),
                         sum(count for count, *_ in PATHS + LEAVES))
        self.assertEqual(lines["main;fib;fib;fib;fir"], "10")
        self.assertEqual(lines["[unknown];fir"], "37")

    def test_totals_may_have_what_no_path_shows(self):
        """37 samples have fir alone, and nobody knows who called it: main, control, filter and fib
        call functions, and the ELF has no code that says which. 4 have main, which nothing calls."""
        functions = {f["name"]: f for f in json.loads(self.export("json"))["functions"]}
        for name, total, unseen in (("main", 813, 37), ("control", 509, 37),
                                    ("filter", 480, 37), ("fir", 667, 0)):
            self.assertAlmostEqual(functions[name]["total_error_seconds"] * 1000,
                                   (total * (1 - total / 900) + unseen**2)**0.5, delta=0.02,
                                   msg=name)
        text = self.text("report")
        self.assertRegex(text, r"810 ±40 +main")  # it was 850

    def test_csv(self):
        rows = {row["name"]: row for row in csv.DictReader(
            io.StringIO(self.export("csv"), newline=""))}
        self.assertEqual(rows["filter"]["total_seconds"], "0.48")
        self.assertAlmostEqual(float(rows["filter"]["total_error_seconds"]),
                               (480 * (1 - 480 / 900) + 37**2)**0.5 / 1000)

    def test_callgrind_adds_up(self):
        """The inclusive costs that callgrind_annotate adds up are the totals."""
        out = os.path.join(self.folder.name, "callgrind.out")
        self.text("export", "--to", "callgrind", "-o", out)
        text = run("callgrind_annotate", "--threshold=100", "--inclusive=yes", out)
        costs = {name: int(cost.replace(",", "")) / 1e6 for cost, name in re.findall(
            r"^ *([\d,]+) \([ \d.]+%\)  \S+:(\S+)$", text.stdout.decode(), re.M)}
        self.assertEqual(costs, {"main": 813, "fir": 667, "control": 509, "filter": 480,
                                 "fib": 100, "mcuprof_count": 50, "[unknown]": 41,
                                 "<spontaneous>": 809})
        text = run("callgrind_annotate", "--threshold=100", out).stdout.decode()
        self.assertIn("900,000,000 (100.0%)", text)

    def test_dot_has_measured_edges(self):
        dot = self.export("dot")
        self.assertIn("All is measured", dot)
        self.assertEqual(len(re.findall(r"f\d+ -> f\d+ ", dot)), 7)
        self.assertRegex(dot, r"f1 -> f2 \[label=\"\W*56\.5 %, 480 ms\"")
        self.assertRegex(dot, r"f4 -> f4 \[label=\"\W*11\.8 %, 100 ms\"")
        self.assertNotIn("\u00d7", dot)

    def test_info(self):
        text = self.text("info")
        self.assertIn("samples with paths: whole 859, interrupt 0, cut 0, unsure 0\n", text)
        self.assertEqual(json.loads(self.text("info", "--json"))["paths"], {
            "depth": 0, "distinct": 7, "whole": 859, "interrupt": 0, "cut": 0, "unsure": 0,
            "through_interrupts": False})

    def test_a_number_of_paths(self):
        for options, left in ((("--paths",), None), (("--paths", "2"), 6), (("--paths=2",), 6),
                              (("--paths", "0"), None)):
            first = self.text("report", *options).partition("to each function")[0]
            self.assertEqual("more paths" in first, left is not None, options)
            if left:
                self.assertIn(f"and {left} more paths\n", first)
        self.assertIn("'x' is not a whole number", self.text("report", "--paths=x", status=2))

    def test_paths_in_focus(self):
        text = self.text("report", "--paths", "--focus", "filter")
        self.assertIn("main → control → filter → fir\n", text)
        self.assertNotIn("fib", text)

    def test_no_such_function(self):
        self.assertIn("no function 'fibb'; did you mean 'fib'?",
                      self.text("report", "--callers", "fibb", status=2))

    def test_without_paths(self):
        with open(os.path.join(self.folder.name, "flat.pc"), "w", encoding="ascii") as out:
            out.write(log_of(LEAVES))
        text = mcuprof("report", "-e", self.elf, "--paths", out.name).stdout.decode()
        self.assertIn("no call paths", text)

    def test_inlined_functions_take_their_place(self):
        with tempfile.TemporaryDirectory() as folder:
            source, elf = os.path.join(folder, "t.c"), os.path.join(folder, "t.elf")
            with open(source, "w", encoding="ascii") as out:
                out.write("int work(int);\n"
                          "__attribute__((noipa)) int work(int x)\n{\n"
                          "    __asm__ volatile(\"nop\");\n    return x;\n}\n"
                          "static inline int twice(int x)\n{\n"
                          "    return work(x) + work(x + 1);\n}\n"
                          "int main(int x)\n{\n    return twice(x) + 1;\n}\n")
            run(ARM + "gcc", "-mcpu=cortex-m0", "-O2", "-g", "-nostdlib", "-Wl,-emain",
                "-Wl,-Ttext=0x8000", "-o", elf, source)
            code = run(ARM + "objdump", "-d", elf).stdout.decode()
            work = int(re.search(r"([0-9a-f]+) <work>:", code)[1], 16)
            returns = [int(address, 16) + 4 for address in
                       re.findall(r"([0-9a-f]+):.*\tbl\t.*<work>", code)]
            self.assertEqual(len(returns), 2)
            log = os.path.join(folder, "run.pc")
            with open(log, "w", encoding="ascii") as out:
                out.write(f"{work:x} {returns[0]:x}\n" * 3 + f"{work:x} {returns[1]:x}\n" * 2)
            folded = mcuprof("export", "--to", "folded", "-e", elf, log).stdout.decode()
            callers = mcuprof("report", "--callers", "work", "-e", elf, log).stdout.decode()
            callees = mcuprof("report", "--callees", "twice", "-e", elf, log).stdout.decode()
            with open(log, "a", encoding="ascii") as out:  # a path has two calls from one line
                out.write(f"{work:x} {returns[0]:x} {returns[1]:x}\n" * 5)
            lines = mcuprof("annotate", "-e", elf, log).stdout.decode()
            code = mcuprof("annotate", "--asm", "-e", elf, log).stdout.decode()
            functions = json.loads(
                mcuprof("export", "--to", "json", "-e", elf, log).stdout)["functions"]
        self.assertEqual(folded, "main;twice (inlined);work 5\n")
        self.assertRegex(callers, r"5 ±1  +work\n.*└─ twice \(inlined\) ← main\n")
        self.assertRegex(callees, r"twice\n.*└─ work\n")
        self.assertRegex(lines, r"below: in what is called there")
        self.assertRegex(lines, r"(?m)^ +100 +↳ twice t\.c:9  return work")
        self.assertRegex(lines, r"(?m)^ +100 +9      return work")
        self.assertEqual(sorted(re.findall(r"(?m)^ +(\d+) +[0-9a-f]+ .*\bbl\b.*work", code)),
                         ["70", "80"])
        self.assertEqual([f["name"] for f in functions], ["work", "main"]
                         if work < returns[0] else ["main", "work"])


class Counted(InFolder):
    def test_calls_of_itself_are_no_part_of_the_others(self):
        """`called/of`: `of` counts calls from other functions."""
        main, fib = 0x1000, 0x1100
        elf = assemble(self.folder.name, main, [(main, 0x100, "T", "main"),
                                                (fib, 0x100, "T", "fib"),
                                                (fib + 0x100, 0, "T", "_etext")])
        made = Stream(hz=1000000, period=1000, flags=SAMPLES | COUNTS_CALLS, depth=20)
        for caller, count in (main, 15), (fib, 3480):
            made.arc(caller + 0x40, fib, count)
        made.path(WHOLE, [main + 0x40, fib + 0x40], fib + 0x20, 50)
        capture = os.path.join(self.folder.name, "fib.mprof")
        made.write(capture)
        graph = mcuprof("report", "--graph", "-e", elf, capture).stdout.decode()
        called = re.findall(r" ([\d/+]+) +fib \[", graph)
        self.assertEqual(called, ["3480", "15+3480", "3480", "15/15"], graph)
        sites = mcuprof("report", "--sites", "-e", elf, capture).stdout.decode()
        self.assertIn("\nno timed calls, so no call sites; counted calls: --graph\n", sites)


class Deep(InFolder):
    """What the report shows of 200 functions and paths of up to 40 calls, most of which begin in
    the same way."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        starts = [0x8000 + 0x100 * i for i in range(200)]
        cls.elf = assemble(cls.folder.name, 0x8000, [
            *((at, 0x100, "T", f"function_{i}") for i, at in enumerate(starts)),
            (starts[-1] + 0x100, 0, "T", "_etext")])
        paths = [(100 - i, *starts[:7], *starts[10 + i:12 + 3 * i]) for i in range(15)]
        paths += [(97, *starts[100:140]), *((1, at) for at in starts)]
        cls.log = os.path.join(cls.folder.name, "deep.pc")
        with open(cls.log, "w", encoding="ascii") as out:
            out.write(log_of(paths))

    def text(self, *options):
        return mcuprof("report", "-e", self.elf, "--hz", "1000", *options, self.log).stdout.decode()

    def test_a_screen_and_a_half(self):
        text = on_a_terminal(80, "report", "-e", self.elf, "--hz", "1000", "--color", "never",
                             self.log).replace("\r", "")
        self.assertLessEqual(text.count("\n"), 60)
        self.assertLessEqual(max(map(len, text.splitlines())), 80)
        self.assertIn("and 180 more functions: --all\n", text)
        self.assertIn("more paths: --all\n", text)
        self.assertIn("who calls whom: --graph", text)
        rows = re.findall(r"(?m)^ *\d.* ±[\d.]+ +(?:function_100|…) → .*\n(?: {8}.*\n)*", text)
        self.assertEqual(len(rows), 10)
        self.assertEqual(max(row.count("\n") for row in rows), 2)
        self.assertRegex(rows[-1], r"→ \(\d+ more\)\s+→ ")
        self.assertGreater(self.text("--all").count("\n"), 1000)

    def test_chains_go_on_in_the_next_line(self):
        """In the tree of callers each path is a chain, which lines of a terminal break."""
        command = ("report", "--callers", "function_139", "-e", self.elf, "--hz", "1000", self.log)
        chain = " ← ".join(f"function_{i}" for i in range(138, 99, -1))
        self.assertIn(f"─ {chain}\n", mcuprof(*command).stdout.decode())
        text = on_a_terminal(80, *command, "--color", "never").replace("\r", "")
        self.assertLessEqual(max(map(len, text.splitlines())), 80)
        self.assertIn(chain, re.sub(r"\n[ │]+←", " ←", text))

    def test_what_is_folded_is_nothing_else(self):
        def paths(text):
            text = text[text.index("call path\n"):text.index("more paths")]
            return re.findall(r"(?m)^ *\d.* ±[\d.]+ +(\S+ → .*)$", text)
        usual = self.text()
        self.assertEqual(usual.count("… = "), 1)
        fold = re.search(r"… = (.*)\n", usual)[1]
        self.assertEqual(fold, " → ".join(f"function_{i}" for i in range(7)))
        whole = paths(self.text("--paths=10"))
        self.assertEqual([path.replace("…", fold) for path in paths(usual)], whole)
        self.assertEqual(len(whole), 10)


if __name__ == "__main__":
    unittest.main()
