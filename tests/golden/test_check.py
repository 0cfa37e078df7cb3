# SPDX-License-Identifier: MIT
"""mcuprof check: budgets that are kept, broken, and not known."""

import os
import re
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from elves import assemble, mcuprof  # noqa: E402
from wire import Stream  # noqa: E402

TABLE = [(0x8000, 0x100, "T", "main"), (0x8100, 0x100, "T", "work"),
         (0x8200, 0x100, "T", "_ZN3pid4stepEif"), (0x8300, 0, "T", "_etext")]
MAIN, WORK, STEP = "8004", "8104", "8204"


class Check(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.folder = self.temporary.name
        self.elf = assemble(self.folder, 0x8000, TABLE)
        # 1,000 samples: main 500 ±16, work 400, step 100 ±9.5, all below main
        self.log = self.file("run.log", f"{MAIN}\n" * 500 + f"{WORK} {MAIN}\n" * 400 +
                             f"{STEP} {MAIN}\n" * 100)

    def tearDown(self):
        self.temporary.cleanup()

    def file(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as out:
            out.write(text)
        return path

    def check(self, budgets, *arguments, capture=None, status=0):
        return mcuprof("check", "-e", self.elf, "--hz", "100", *arguments,
                       self.file("budgets", budgets), capture or self.log, status=status)

    def states(self, budgets, **more):
        """Returns the state of each budget, in order."""
        text = self.check(budgets, **more).stdout.decode()
        return [line.split()[0] for line in text.splitlines()[1:] if line and line[0] in "onB"]

    def test_calls_that_are_missing(self):
        """What they would change is near: 10 came, 3 are lost; or nobody knows how many."""
        for end, states in (({"lost": 3}, "near ok near BROKEN near BROKEN near BROKEN"),
                            ({}, "ok ok BROKEN BROKEN BROKEN BROKEN ok BROKEN"),
                            (None, "near near near near near BROKEN near BROKEN")):
            made = Stream(counters=16)
            made.call(0x8004, 0x8100, 10, 500, 500, 20, 90)
            if end is not None:
                made.end(**end)
            capture = os.path.join(self.folder, "calls")
            made.write(capture)
            budgets = "".join(f"work calls {limit}\n" for limit in
                              ("< 12", "< 14", ">= 12", ">= 14", "= 12", "= 9", "<= 10", "< 10"))
            with self.subTest(end=end):
                got = self.states(budgets, capture=capture, status=int("BROKEN" in states))
                self.assertEqual(" ".join(got), states)

    def test_shares_and_their_errors(self):
        # main's self share is 50 ±1.6 %: 2 standard errors are 3.2
        kept = "main self < 50.1%\nmain self >= 50 %\nmain self <= 50%\nmain self = 50%\n"
        self.assertEqual(self.states(kept), ["ok"] * 4)
        self.assertEqual(self.states("main self < 47%\nmain self > 53%\n"), ["near"] * 2)
        self.assertEqual(self.states("main self < 46%\nmain self > 54%\n", status=1),
                         ["BROKEN"] * 2)
        self.assertEqual(self.states("main total > 99%\npid::step self < 11%\n"
                                     "pid::step(int, float) self > 9%\n"
                                     "work self < 5s\nwork self > 3000 ms\n"), ["ok"] * 5)

    def test_what_a_broken_budget_means(self):
        budgets = ("main self < 46% # it does the work of others\n"
                   "main self > 54%   #  it does the work of others \n"
                   "pid::step self < 11% # kept, so nothing is said\n"
                   "main self >= 99% # another reason\n")
        said = self.check(budgets, status=1).stdout.decode()
        self.assertEqual(said.splitlines()[-3:], [
            "1 kept, 3 broken", "main self < 46%: it does the work of others",
            "main self >= 99%: another reason"])

    def test_results_replace_no_input(self):
        base = self.file("base.log", f"{MAIN}\n" * 100)
        budgets = os.path.join(self.folder, "budgets")
        text = "regression against base.log < 3%\n"
        for path in (budgets, base, self.log, self.elf):
            done = self.check(text, "--junit", path, status=2)
            self.assertIn(b"is both input and output", done.stderr)
        with open(budgets, encoding="utf-8") as file:
            self.assertEqual(file.read(), text)

    def test_few_samples_break_nothing(self):
        # a function of 4 % has none of 30 samples in 29 % of all runs, none of 300 in 5 of a
        # million
        few = self.file("few.log", f"{MAIN}\n" * 30)
        self.assertEqual(self.states("work self > 4%\nwork total > 4%\n", capture=few),
                         ["near"] * 2)
        many = self.file("many.log", f"{MAIN}\n" * 300)
        self.assertEqual(self.states("work self > 4%\n", capture=many, status=1), ["BROKEN"])

    def test_a_time_has_the_error_of_all_samples(self):
        # 100 samples at 100 Hz, all in main: 1 s; main's share is certain, its time has +- 2.9 %
        run = self.file("run", f"{MAIN}\n" * 100)
        self.assertEqual(self.states("main self < 960ms\n", capture=run), ["near"])
        self.assertEqual(self.states("main self < 900ms\n", capture=run, status=1), ["BROKEN"])

    def test_the_profilers_share_makes_the_programs_time_unsure(self):
        elf = assemble(self.folder, 0x8000, [(0x8000, 16, "T", "main"),
                                             (0x8010, 16, "T", "mcuprof_hook"),
                                             (0x8020, 0, "T", "_etext")], name="own.elf")
        for run, main in (("base.log", 500), ("after.log", 550)):
            self.file(run, "8004\n" * main + "8014\n" * 500)
        budgets = self.file("budgets", "regression against base.log < 3%\nprofiler < 50%\n")
        done = mcuprof("check", "-e", elf, "--hz", "100", budgets,
                       os.path.join(self.folder, "after.log"))
        # sqrt((0.5 / 12 + 0.5) / 500) is 3.3 %; of the difference 5 (not 1.8)
        self.assertIn("near    10 \u00b15 %", done.stdout.decode())

    def test_names_of_cpp(self):
        elf = assemble(self.folder, 0x8000, [
            (0x8000 + 16 * i, 16, "T", name) for i, name in enumerate((
                "_ZN1AclEv", "_ZN12_GLOBAL__N_11fEi", "_ZN1AgeERKS_", '"x="', "task"))] +
            [(0x8050, 0, "T", "_etext")], name="names.elf")
        log = self.file("names.log", "".join(f"{0x8004 + 16 * i:x}\n" for i in range(5)) * 100)
        budgets = self.file("budgets", "".join(name + " self < 30%\n" for name in (
            "A::operator()", "A::operator()()", "_ZN1AclEv", "(anonymous namespace)::f",
            "A::operator>=", "A::operator>=(A const&)", "x=", "task")))
        done = mcuprof("check", "-e", elf, budgets, log)
        self.assertEqual(re.findall("^ok +20 ", done.stdout.decode(), re.M), ["ok      20 "] * 8)

    def test_functions_of_one_name_that_call_each_other(self):
        """A sample is once in their total: two destructors of a class are so."""
        elf = assemble(self.folder, 0x8000, [
            (0x8000, 16, "T", "main"), (0x8010, 16, "T", "_ZN1AD0Ev"),
            (0x8020, 16, "T", "_ZN1AD2Ev"), (0x8030, 0, "T", "_etext")], name="names.elf")
        log = self.file("names.log", "8004\n" * 70 + "8014 8004\n" * 10 + "8024 8014 8004\n" * 20)
        budgets = self.file("budgets", "A::~A total < 90%\n_ZN1AD2Ev total < 90%\n"
                                       "A::~A self < 90%\n")
        done = mcuprof("check", "-e", elf, budgets, log)
        self.assertEqual(re.findall("^ok +([0-9]+) ", done.stdout.decode(), re.M), ["30", "20", "30"])

    def test_timed_totals_of_functions_that_call_each_other(self):
        """Two of one name took 1.1 ms, of which 0.4 ms are in both totals: how much is not known
        from sums."""
        elf = assemble(self.folder, 0x8000, [
            (0x8000, 64, "T", "main"), (0x8040, 64, "T", "_ZN1AD0Ev"), (0x8080, 64, "T", "_ZN1AD2Ev"),
            (0x80c0, 64, "T", "_ZN1BD0Ev"), (0x8100, 64, "T", "_ZN1BD2Ev"),
            (0x8140, 0, "T", "_etext")], name="nested.elf")
        made = Stream()
        made.time(1000000, 0, 0, 0, 1000)
        for first, second, nested in ((0x8040, 0x8080, 0x8044), (0x80c0, 0x8100, 0x8004)):
            made.call(0x8004, first, 1, 1000, 600, 1000, 1000)
            made.call(nested, second, 1, 400, 400, 400, 400)
            made.call(0x8008, second, 1, 100, 100, 100, 100)
        made.time(1000000, 0, 0, 0, 9000)
        made.end()
        capture = os.path.join(self.folder, "nested")
        made.write(capture)
        budgets = self.file("budgets", "".join(
            f"{name}::~{name} total < {limit}us\n" for name in "AB" for limit in (900, 1200, 1600)))
        done = mcuprof("check", "-e", elf, budgets, capture, status=1).stdout.decode()
        self.assertEqual(re.findall(r"(?m)^(\w+) +([\d.]+ ms(?: or more)?)  ", done), [
            ("BROKEN", "1.00 ms or more"), ("near", "1.00 ms or more"), ("ok", "1.00 ms or more"),
            ("BROKEN", "1.50 ms"), ("BROKEN", "1.50 ms"), ("ok", "1.50 ms")])

    def test_what_is_not_known_is_broken(self):
        for budget, cause in (("nosuch self < 1%", "no function of that name"),
                              ("main mean < 1us", "no call of it was timed"),
                              ("main calls < 1", "calls were not counted"),
                              ("task idle max < 1us", "no task of that name"),
                              ("task [IRQ 8] self < 5%", "no task of that name"),
                              ("task idel < 20%", "no task of that name"),
                              ("task [IRQ 8] max < 1us", "nothing was counted of it"),
                              ("lost = 0", "nobody knows")):
            with self.subTest(budget=budget):
                done = self.check(budget + "\n", status=1)
                self.assertIn(cause, done.stdout.decode())
                warning, told = done.stderr.splitlines()
                self.assertIn(b"the call paths of 50 % of the samples are cut or unsure", warning)
                self.assertEqual(told, b"mcuprof check: 1 of 1 budgets are broken")

    def test_timed_calls_and_losses(self):
        made = Stream()
        made.time(1000000, 0, 0, 0, 1000)
        made.call(0x8004, 0x8100, 10, 500, 500, 20, 90)
        made.time(1000000, 0, 0, 0, 2000)
        made.end(lost=3)
        capture = os.path.join(self.folder, "timed")
        made.write(capture)
        self.assertEqual(
            self.states("work mean <= 50us\nwork mean <= 50 \u00b5s\nwork mean <= 50\u03bcs\n"
                        "work max < 100us\nwork min > 19.5 us\nwork calls = 10\n",
                        capture=capture), ["ok"] * 5 + ["near"])
        self.assertEqual(self.states("work mean < 50us\nlost = 0\nlost = 3\n", capture=capture,
                                     status=1), ["BROKEN", "BROKEN", "ok"])

    def test_a_loss_is_not_known_of_a_damaged_capture(self):
        made = Stream()
        made.call(0x8004, 0x8100, 10, 500, 500, 20, 90)
        made.end(lost=3)
        capture = os.path.join(self.folder, "damaged")
        for garbage, state in ((b"", "ok"), (b"\x93\x05\x07", "BROKEN")):
            made.bytes += garbage
            made.write(capture)
            self.assertEqual(self.states("lost < 100\n", capture=capture,
                                         status=int(bool(garbage))), [state])

    def test_strict(self):
        self.assertIn(b"what was lost is not known", self.check("main self < 99%\n", "--strict",
                                                  status=1).stderr)

    def test_regression(self):
        # 1,000 samples are 10 s ±0.9 %; the difference of two is ±1.3 %
        self.file("base.log", f"{MAIN}\n" * 1000)
        slower = self.file("slower.log", f"{MAIN}\n" * 1100)
        line = "regression against base.log < 3%\n"
        self.assertEqual(self.states(line), ["ok"])
        self.assertEqual(self.states(line, capture=slower, status=1), ["BROKEN"])
        self.assertEqual(self.states("regression against base.log < 8%\n", capture=slower),
                         ["near"])
        done = self.check("regression against none.log < 3%\n", status=3)
        self.assertIn(b"none.log", done.stderr)

    def test_for_machines(self):
        junit = os.path.join(self.folder, "junit.xml")
        done = self.check("# one\nmain self < 60%\n\nwork self < 5 %\n", "--github", "--junit",
                          junit, status=1)
        self.assertIn(f"::error file={self.folder}/budgets,line=4::work self < 5 %25: it is "
                      "40 ±2 %25\n", done.stdout.decode())
        suite = ElementTree.parse(junit).getroot()[0]
        self.assertEqual((suite.get("tests"), suite.get("failures")), ("2", "1"))
        self.assertEqual([(case.get("name"), [each.get("message") for each in case if
                                              each.tag == "failure"]) for case in suite],
                         [("main self < 60%", []), ("work self < 5 %", ["40 ±2 %"])])

    def test_machines_read_what_is_no_text(self):
        junit, budgets = (os.path.join(self.folder, name) for name in ("junit.xml", "a:b,c%"))
        with open(budgets, "wb") as out:
            out.write(b"\xef\xbb\xbfa<b>&\"'\xff\xef\xbf\xbf\x1b]]> self < 1%\r\n")
        done = mcuprof("check", "-e", self.elf, "--github", "--junit", junit, budgets, self.log,
                       status=1)
        suite = ElementTree.parse(junit).getroot()[0]
        self.assertEqual(suite[0].get("name"), "a<b>&\"'" + r"\xff\xef\xbf\xbf\x1b]]> self < 1%")
        self.assertIn(f"::error file={self.folder}/a%3Ab%2Cc%25,line=1::a<b>&\"'"
                      r"\xff\xef\xbf\xbf\x1b]]> self < 1%25: ", done.stdout.decode())

    def test_bad_budgets(self):
        for line in ("main", "main self", "main self < ", "main self < 5 parsecs",
                     "main calls < 5%", "main self ! 5%", "main speed < 5%", "self < 5%",
                     "task idle < 5us", "lost < 5%", "main self < -5%", "main self << 5%",
                     "regression against < 5", "task < 5%", "task self < ",
                     "profiler < 5us", "main self < nan%"):
            with self.subTest(line=line):
                done = self.check(f"# fine\n{line}\n", status=3)
                self.assertTrue(done.stderr.decode().startswith(
                    f"mcuprof check: {self.folder}/budgets:2: not a budget: '{line.strip()}'"),
                    done.stderr)
        self.assertIn(b"no budget in it", self.check("# nothing\n", status=3).stderr)
        self.assertIn(b"No such file", mcuprof("check", "-e", self.elf, "none", self.log,
                                               status=3).stderr)


if __name__ == "__main__":
    unittest.main()
