# SPDX-License-Identifier: MIT
"""Each command that reads captures reports losses, in the same words. --strict means the same in
each: the output is as without it, and the status is 1 if anything was lost."""
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from mcuprof_run import ELF, PROGRAM, lossy_stream, mcuprof, stream  # noqa: E402
from wire import SAMPLES, Stream  # noqa: E402

# The arguments of each command. WHOLE, LOSSY: captures; OUT: a file to write; BUDGET, BASELINE:
# files of budgets, of which the second compares with the capture LOSSY.
OF = "-e", ELF
COMMANDS = {
    "record": (("-o", "OUT", "LOSSY"),),
    "top": ((*OF, "LOSSY"),),
    "report": ((*OF, "LOSSY"), (*OF, "WHOLE", "LOSSY")),
    "annotate": ((*OF, "LOSSY"),),
    "html": ((*OF, "-o", "OUT", "LOSSY"), (*OF, "-o", "OUT", "--before", "LOSSY", "WHOLE")),
    "serve": ((*OF, "LOSSY"),),
    "diff": ((*OF, "LOSSY", "WHOLE"), (*OF, "WHOLE", "LOSSY")),
    "check": ((*OF, "BUDGET", "LOSSY"), (*OF, "BASELINE", "WHOLE")),
    "info": (("LOSSY",), ("--json", "LOSSY")),
    "export": (("--to", "json", "LOSSY"), (*OF, "--to", "callgrind", "-o", "OUT", "LOSSY")),
    "merge": (("-o", "OUT", "LOSSY"), ("-o", "OUT", "LOSSY", "WHOLE")),
}
LOST = "not proven and not counted, more may be lost"
# Text that contains a time.
CLOCK = r"[\d.]+ s\b"


def served(*arguments):
    """As mcuprof(), for serve, which is stopped when it has read all."""
    with subprocess.Popen([PROGRAM, *arguments], stdin=subprocess.DEVNULL, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE) as serving:
        said = []
        for line in serving.stderr:
            said.append(line)
            if "the page stays" in line:
                serving.send_signal(signal.SIGINT)
        said = [re.sub(r":\d+/", "", line) for line in said]
    return subprocess.CompletedProcess(arguments, serving.returncode, "", "".join(said))


class Strict(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.files = {"OUT": os.path.join(folder.name, "out")}
        for name, content in (("WHOLE", stream()), ("LOSSY", lossy_stream()),
                              ("BUDGET", b"main self < 100%\n"),
                              ("BASELINE", b"regression against LOSSY < 1000%\n")):
            self.files[name] = os.path.join(folder.name, name)
            with open(self.files[name], "wb") as file:
                file.write(content)

    def run_with(self, command, arguments, capture):
        """Runs a command. Returns how it ended, what it printed, and what it wrote."""
        paths = {**self.files, "LOSSY": self.files[capture]}
        if capture == "WHOLE" and "BASELINE" in arguments:
            paths["BASELINE"] = self.files["BUDGET"]
        run = served if command == "serve" else mcuprof
        done = run(command, *(paths.get(argument, argument) for argument in arguments))
        written = b""
        if "OUT" in arguments:
            with open(self.files["OUT"], "rb") as file:
                written = file.read()
        return done, re.sub(CLOCK, "", done.stdout), written

    def test_it_is_in_each_command_that_reads_captures(self):
        """Each one has the option, except gprof, whose options are GNU gprof's."""
        commands = re.findall(r"^  (\w+)  ", mcuprof("help").stdout, re.M)
        self.assertGreater(len(commands), len(COMMANDS))
        having = [name for name in commands
                  if name != "gprof" and "--strict" in mcuprof("help", name).stdout]
        self.assertEqual(sorted(having), sorted(COMMANDS))

    def test_it_means_the_same(self):
        for command, cases in COMMANDS.items():
            for arguments in cases:
                with self.subTest(command=command, arguments=arguments):
                    plain, *shown = self.run_with(command, arguments, "LOSSY")
                    strict, *strictly = self.run_with(command, ("--strict", *arguments), "LOSSY")
                    self.assertEqual((plain.returncode, strict.returncode), (0, 1),
                                     plain.stderr + strict.stderr)
                    self.assertEqual(shown, strictly)
                    self.assertRegex(strict.stderr, rf"mcuprof {command}: .*{LOST}")
                    if "--json" not in arguments:  # JSON has figures instead
                        self.assertRegex(plain.stdout + plain.stderr, LOST)
                    whole, *_ = self.run_with(command, ("--strict", *arguments), "WHOLE")
                    self.assertEqual(whole.returncode, 0, whole.stderr)

    def test_it_is_told_in_the_same_words(self):
        """What the report says of a damaged capture, each command says of it."""
        whole = stream()
        damaged = {"dropped": whole[:700] + whole[800:], "began late": whole[900:],
                   "reset": whole[:1500] + whole, "no end": whole[:2000]}
        for how, capture in damaged.items():
            with open(self.files["LOSSY"], "wb") as file:
                file.write(capture)
            report = re.sub(r"\s+", " ", mcuprof("report", "--all", *OF,
                                                  self.files["LOSSY"]).stdout)
            told = re.search(r" events (.*?) (timed|sampled) ", report)[1]
            self.assertRegex(told, "lost|not proven|began after")
            for command, cases in COMMANDS.items():
                for arguments in cases:
                    if "WHOLE" in arguments and command in ("report", "merge", "html"):
                        continue  # of the sum, or of the other capture
                    with self.subTest(how=how, command=command, arguments=arguments):
                        done, *_ = self.run_with(command, arguments, "LOSSY")
                        if "--json" not in arguments:
                            self.assertIn(told, re.sub(r"\s+", " ", done.stdout + done.stderr))

    def test_budgets_that_are_broken_too(self):
        """Losses are reported with --strict and without, once for each capture."""
        other, budgets = (os.path.join(os.path.dirname(self.files["OUT"]), name)
                          for name in ("OTHER", "BROKEN"))
        with open(other, "wb") as file:
            file.write(lossy_stream()[:-30])
        regressions = "".join(f"regression against {name} < 1000%\n"
                              for name in ("LOSSY", "OTHER", "LOSSY"))
        for text, names, broken in (("main self > 100%\n", [""], True),
                                    (regressions, ["", "LOSSY", "OTHER"], False),
                                    (regressions + "main self > 100%\n",
                                     ["", "LOSSY", "OTHER"], True)):
            with open(budgets, "w", encoding="utf-8") as file:
                file.write(text)
            for options in (), ("--strict",):
                with self.subTest(budgets=text, options=options):
                    done = mcuprof("check", *OF, *options, budgets, self.files["LOSSY"])
                    told = re.findall(r"(?m)^mcuprof check: (?:warning: )?(?:\S*/(\w+): )?\d.* "
                                      + LOST, done.stderr)
                    self.assertEqual(told, names, done.stderr)
                    self.assertEqual("are broken" in done.stderr, broken)
                    self.assertEqual(done.returncode, int(broken or options != ()))

    def test_a_run_that_is_lost_whole(self):
        """All that tells of it are its records in a damaged block, and totals as before."""
        runs = []
        for address in 0x100, 0x200:
            run = Stream(hz=1000000, period=1000, flags=SAMPLES)
            hello = len(run.bytes)
            run.samples = 12
            for i in range(run.samples):
                run.sample(address + 2 * i, 1)
            run.totals()
            run.check()
            runs.append(run.bytes)
        with open(self.files["LOSSY"], "wb") as file:
            file.write(runs[0] + b"x" * hello + runs[1][hello:])
        for command, cases in COMMANDS.items():
            for arguments in cases:
                if {"BASELINE", "--json", "WHOLE", "callgrind"} & set(arguments):
                    continue  # other firmware, figures in place of words, no paths
                with self.subTest(command=command, arguments=arguments):
                    forced = ("--force", *arguments) if ELF in arguments else arguments
                    done, *_ = self.run_with(command, ("--strict", *forced), "LOSSY")
                    self.assertEqual(done.returncode, 1, done.stderr)
                    self.assertIn("more may be lost", done.stderr)
                    self.assertNotIn(" all ", done.stderr)
        info = json.loads(mcuprof("info", "--json", self.files["LOSSY"]).stdout)
        self.assertEqual((info["samples"], info["unaccounted"]),
                         ({"received": 12, "lost": 0}, True))

    def test_sampling_that_took_too_long(self):
        """So does sampling that cannot be taken off."""
        self.assert_warned((99900, 100, 10, 30, 0),
                           "sampling took 100 % of the time: too much to take it off")

    def test_sampling_that_leaves_little(self):
        """So does sampling that took more than 30 % of the time; less is not told where the timer
        starts over."""
        self.assert_warned((60000, 100, 10, 30, 0),
                           "shares may be off by more than their errors; sample more slowly")
        self.assertIn("heavy", mcuprof("info", self.files["LOSSY"]).stdout)
        late = Stream(hz=1000000, period=1000 | 1 << 31, flags=SAMPLES, depth=2)
        late.time(25000, 100, 10, 30, 0)
        late.path(0, [], 0x100, 100)
        late.totals()
        late.write(self.files["LOSSY"])
        self.assertNotIn("heavy", mcuprof("info", self.files["LOSSY"]).stdout)

    def test_samples_that_came_late(self):
        """They are reported wherever a profile is shown, in its output or beside it."""
        self.assert_warned((5000, 100, 10, 2010, 7),
                           "samples came up to 2 ms late (7 by more than half a period)")

    def write_ends(self, cut, samples):
        """Samples, `cut` of which have a path that is cut."""
        run = Stream(hz=1000000, period=1000, flags=SAMPLES, depth=2)
        run.path(0, [], 0x100, samples - cut)
        run.path(2, [], 0x100, cut)
        run.totals()
        run.write(self.files["LOSSY"])

    def test_paths_that_are_cut(self):
        """So do paths of which nobody knows the outer end, from 2 % on."""
        self.write_ends(20, 1000)
        self.assert_told("the call paths of 2 % of the samples are cut or unsure: totals may be "
                         "too low by up to that much, as their errors say; MCUPROF_PATHS must be "
                         "larger")
        self.write_ends(19, 1000)
        self.assertNotIn("open", mcuprof("info", self.files["LOSSY"]).stdout)

    def assert_warned(self, took, warning):
        late = Stream(hz=1000000, period=1000, flags=SAMPLES, depth=2)
        late.time(*took)
        late.path(0, [], 0x100, 100)
        late.totals()
        late.write(self.files["LOSSY"])
        self.assert_told(warning)

    def assert_told(self, warning):
        for command, cases in COMMANDS.items():
            for arguments in cases:
                if "BASELINE" in arguments or "--json" in arguments or "WHOLE" in arguments:
                    continue  # other firmware, or figures in place of words
                with self.subTest(command=command, arguments=arguments):
                    done, *_ = self.run_with(command, ("--force", *arguments)
                                             if ELF in arguments else arguments, "LOSSY")
                    self.assertEqual(done.returncode, 0, done.stderr)
                    self.assertIn(warning, re.sub(r"\s+", " ", done.stdout + done.stderr))


if __name__ == "__main__":
    unittest.main()
