# SPDX-License-Identifier: MIT
"""-d: what each number tells is what GNU gprof tells of the same program and profile."""
import re
import unittest

from judge import Judged


def facts(pattern, text):
    """The lines that the pattern fits, as its groups, in their order."""
    return [match if isinstance(match, tuple) else (match,)
            for match in re.findall(rf"(?m)^{pattern}$", text)]


class Traces:
    def traces(self, number, *arguments):
        """What GNU gprof prints with -d`number`, and what ours does."""
        both = []
        for side in ("gnu", "ours"):
            done = self.place.run(side, ["-b", f"-d{number}", *arguments])
            self.assertEqual(done.status, 0, done)
            both.append(done.stdout.decode())
        return both

    def agree(self, number, gnu_pattern, our_pattern, *arguments, least=2):
        """The same facts in the same order; returns them."""
        gnu, ours = self.traces(number, *(arguments or ("prog", "both.gmon")))
        told = facts(gnu_pattern, gnu)
        self.assertGreaterEqual(len(told), least, gnu)
        self.assertEqual(facts(rf"\[{number} \w+\] {our_pattern}", ours), told)

    def test_order(self):
        gnu, ours = self.traces(2, "prog", "both.gmon")
        told = facts(r"\[post_visit\]\t\tmember (.*)\{\d+\} -> cg.top_order = (\d+)", gnu)
        self.assertGreater(len(told), 10)
        self.assertEqual(sorted(facts(r"\[2 order\] (?=\d+ (.*)$)(\d+) .*", ours)),
                         sorted(told))

    def test_cycles(self):
        self.agree(4, r"\[cycle_link\] (\w+) is the head of cycle (\d+)",
                   r"(?=cycle \d+: (\w+))cycle (\d+): .*")

    def test_members_and_calls_of_a_cycle(self):
        text = self.traces(4, "prog", "both.gmon")[1]
        self.assertIn("\n[4 cycles] cycle 2: red, green, blue; called 1 time from outside, "
                      "32 within\n", text)

    def test_tally(self):
        self.agree(16, r"\[cg_tally\] arc from (.*) to (.*) traversed (\d+) times",
                   r"(.*) calls (.*) (\d+) times?, of \d+ so far")

    def test_tally_leaves_out(self):
        ours = self.traces(16, "-k", "main/beta", "prog", "both.gmon")[1]
        self.assertIn("[16 tally] main calls beta 10 times: left out\n", ours)

    def test_sorting(self):
        ours = self.traces(32, "-q", "prog", "both.gmon")[1]
        listed = facts(r"\[32 sorting\] callee \d+ of main: (\w+), .*", ours)
        entry = re.search(r"(?ms)^\[\d+\][^\n]* main \[\d+\]\n(.*?)^---", ours)[1]
        self.assertEqual([name for name, in listed], re.findall(r"(?m)(\w+)(?: <.*>)? \[\d+\]$",
                                                                entry))

    def test_histograms(self):
        self.agree(64, r"\[hist_read_rec\] 0x(\w+): ([1-9]\d*)",
                   r"0x0*(\w+): (\d+) samples?")
        self.agree(64, r"\[hist_read_rec\] n_lowpc 0x(\w+) n_highpc 0x(\w+) ncnt (\d+)",
                   r"both.gmon: histogram 0x0*(\w+) to 0x0*(\w+), (\d+) bins", least=1)

    def test_calls_as_read(self):
        self.agree(64, r"\[cg_read_rec\] frompc 0x(\w+) selfpc 0x(\w+) count (\d+)",
                   r"both.gmon: 0x0*(\w+) calls 0x0*(\w+) (\d+) times?")

    def test_symbols(self):
        gnu = self.traces(4096, "prog", "both.gmon")[0]
        ours = self.traces(128, "--no-demangle", "prog", "both.gmon")[1]
        told = facts(r"\[symtab_finalize\] 0x(\w+)-0x(\w+)\t(\S+)", gnu)
        self.assertGreater(len(told), 10)
        self.assertEqual(facts(r"\[128 symbols\] 0x0*(\w+) to 0x0*(\w+) \w+ +\w+ +(\S+)", ours),
                         told)

    def test_propagation(self):
        gnu, ours = self.traces(1024, "-E", "beta", "prog", "both.gmon")
        told = {}
        for name, fraction in re.findall(r"(?m)^\[prop_flags\] (.*?) +\d+% .*ends up with "
                                         r"printflag \d and prop-fract (\d+\.\d+)$", gnu):
            told[re.sub(r" <cycle \d+>$", "", name)] = f"{100 * float(fraction):.2f}"
        ours = {name: fraction for name, fraction in facts(
            r"\[1024 propagation\] (.*): \S+ samples, (\S+) % count: .*", ours)
            if not name.startswith("cycle ")}
        self.assertGreater(len(told), 10)
        self.assertEqual(ours, told)

    def test_lookup(self):
        ours = self.traces(512, "prog", "both.gmon")[1]
        self.assertRegex(ours, r"(?m)^\[512 lookup\] 0x\w+: main \+ \d+$")

    def test_blocks(self):
        self.agree(2048, r"\[bb_read_rec\] 0x(\w+)->.* cnt=(\d+)",
                   r"blocks.gmon: 0x0*(\w+) ran (\d+) times?", "-l", "prog", "blocks.gmon")

    def test_specs(self):
        ours = self.traces(4096, "-fbeta", "-k", "main/alpha", "prog", "both.gmon")[1]
        self.assertEqual(set(facts(r"\[4096 specs\] (.*)", ours)), {
            ("graph only of `beta': beta",), ("calls without `main/alpha': main as caller",),
            ("calls without `main/alpha': alpha as callee",)})

    def test_source(self):
        self.agree(8192, r"\[annotate_source\]: looking for (.*), trying (.*)",
                   r"(.*) looked for as (.*): found", "-A", "prog", "both.gmon")

    def test_all_is_told_beside_the_same_output(self):
        plain = self.place.run("ours", ["-b", "-c", "prog", "both.gmon"]).stdout.decode()
        for option in ("-d", "--debug", "-d16374", "-d2 -d16372"):
            told = self.place.run("ours", ["-b", "-c", *option.split(), "prog", "both.gmon"])
            lines = told.stdout.decode().splitlines(keepends=True)
            self.assertEqual("".join(line for line in lines
                                     if not re.match(r"\[(\d+|debug) ?[a-z]*\] ", line) or
                                     re.match(r"\[\d+\]", line)), plain)
            self.assertLess({"2 order", "16 tally", "256 static", "1024 propagation"},
                            set(re.findall(r"(?m)^\[(\d+ [a-z]+)\]", told.stdout.decode())))

    def test_other_numbers(self):
        for number in ("1", "x", "0"):
            ours = self.place.run("ours", ["-b", "-d" + number, "prog", "both.gmon"])
            self.assertTrue(ours.stdout.startswith(
                b"[debug] nothing is traced; there are: 2 order 4 cycles 16 tally"))


class Arm(Traces, Judged):
    image = "m3"

    def test_static(self):
        ours = self.traces(256, "-c", "prog", "both.gmon")[1]
        self.assertRegex(ours, r"(?m)^\[256 static\] 0x\w+: main calls alpha$")


class X86(Traces, Judged):
    image = "x86"


if __name__ == "__main__":
    unittest.main()
