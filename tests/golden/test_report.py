# SPDX-License-Identifier: MIT
"""`mcuprof report`: its text as people see it, and its figures compared with GNU gprof's.

UPDATE_GOLDEN=1 rewrites report.txt, to be reviewed as a diff."""

import os
import pty
import random
import re
import struct
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from elves import ARM, KL25Z, PROGRAM, assemble, blinky, mcuprof, run  # noqa: E402

HEX = os.path.join(KL25Z, "blink1hex.txt")
OPTIONS = ("--addr-bytes", "3", "--hz", "1000")
GOLDEN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "report.txt")


def gmon(path, low, bins, bin_bytes, rate, arcs):
    """Writes a little-endian gmon.out of a 32-bit target."""
    high = low + bin_bytes * len(bins)
    data = [b"gmon", struct.pack("<I", 1), bytes(12)]
    if bins:
        data += [b"\0", struct.pack("<IIII", low, high, len(bins), rate),
                 b"seconds".ljust(15, b"\0"), b"s",
                 struct.pack(f"<{len(bins)}H", *bins)]
    data += [b"\1" + struct.pack("<III", *arc) for arc in arcs]
    with open(path, "wb") as out:
        out.write(b"".join(data))


def match_line(line):
    """Matches a line of an entry, of a function or a cycle: index, figures, name."""
    return re.match(r"^(\[\d+\])?\s*(.*?)\s*"
                    r"(\w+|<cycle \d+ as a whole>)( <cycle \d+>)?( \[\d+\]| <spontaneous>)?$", line)


def read_graph(text, separator):
    """Reads a graph in gprof's layout: {name: (self, children, calls, recursive)}, {(caller,
    callee): (count, self, children)}."""
    functions, arcs = {}, {}
    for entry in re.split(separator, text):
        primary = None
        for line in entry.splitlines():
            if "]" not in line or not (match := match_line(line)):
                continue
            name = re.sub(r"\d+ ", "", match[3]) if "<" in match[3] else match[3]
            figures = match[2].split()
            if match[1]:
                primary = name
                calls, _, own = (figures[3] if len(figures) > 3 else "0").partition("+")
                times = tuple(map(float, figures[1:3]))
                key = (name, times) if "<" in name else name
                functions[key] = times + (int(calls or 0), int(own or 0))
            elif primary and "<" not in primary:
                count = int(re.split(r"[/+]", figures[-1])[0])
                times = tuple(map(float, figures[:-1])) or (0.0, 0.0)
                arcs[primary, name] = (count,) + times
    return functions, arcs


def random_profile(seed, folder):
    """Makes functions, samples in bins of several sizes, and calls with every kind of cycle."""
    rng = random.Random(seed)
    sizes = [rng.choice([8, 10, 12, 20, 64]) for _ in range(rng.choice([3, 6, 12, 40]))]
    base, starts = 0x1000, []
    table, at = [], base
    for index, size in enumerate(sizes):
        starts.append(at)
        table.append((at, size, "T", f"f{index}"))
        at += size
    # GNU gprof gives the last symbol no time, so a symbol that is not tested comes
    # last.
    table.append((at, 2, "T", "end"))
    elf = assemble(folder, base, table)
    bin_bytes = rng.choice([2, 2, 4, 8])
    bins = [rng.choice([0, 0, rng.randrange(1000)]) for _ in range((at - base) // bin_bytes)]
    arcs = []
    for _ in range(rng.randrange(1, 3 * len(sizes))):
        caller, callee = rng.randrange(len(sizes)), rng.randrange(len(sizes))
        if rng.random() < 0.6 and caller > callee:
            caller, callee = callee, caller
        arcs.append((starts[caller] + 2 * rng.randrange(1, sizes[caller] // 2),
                     starts[callee] + 2 * rng.randrange(0, 3), rng.randrange(1, 5000)))
    path = os.path.join(folder, "gmon.out")
    gmon(path, base, bins, bin_bytes, 1, arcs)
    return elf, path


def on_a_terminal(columns, *arguments, **variables):
    """Returns what the program writes to a terminal of that width."""
    leader, follower = pty.openpty()
    environment = {**os.environ, "COLUMNS": str(columns), "TERM": "xterm",
                   "LC_ALL": "C.UTF-8", "MCUPROF_PAGER": "cat", **variables}
    for name in {"NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE"} - variables.keys():
        environment.pop(name, None)
    child = subprocess.Popen([PROGRAM, *arguments], stdout=follower, env=environment,
                             stdin=subprocess.DEVNULL)
    os.close(follower)
    data = b""
    try:
        while chunk := os.read(leader, 65536):
            data += chunk
    except OSError:
        pass  # this is how Linux reports that the other end is closed
    os.close(leader)
    assert child.wait() == 0
    return data.decode()


class AgainstGprof(unittest.TestCase):
    def assert_near(self, ours, theirs, what):
        self.assertEqual(len(ours), len(theirs), what)
        for one, other in zip(ours, theirs):
            self.assertLessEqual(abs(one - other), 0.0051, what)

    def test_random_graphs_equal_gprofs(self):
        compared = cycles = 0
        for seed in range(24):
            with self.subTest(seed=seed), tempfile.TemporaryDirectory() as folder:
                elf, profile = random_profile(seed, folder)
                text = run(ARM + "gprof", "-b", "-q", elf, profile).stdout.decode()
                theirs = read_graph(text, "-{47}\n")
                text = mcuprof("report", "--graph", "-e", elf, profile).stdout.decode()
                ours = read_graph(text[text.index("index"):], "(?:-{9,}|─{9,})\n")
                for name, figures in theirs[0].items():
                    if "<" in name[0]:
                        cycles += 1
                        name = min((key for key in ours[0] if "<" in key[0]),
                                   key=lambda key: abs(key[1][0] - name[1][0]))
                    self.assert_near(ours[0][name], figures, name)
                    compared += 1
                for ends, figures in theirs[1].items():
                    if ends[0] != ends[1]:
                        self.assert_near(ours[1][ends], figures, ends)
                        compared += 1
        self.assertGreater(compared, 500)
        self.assertGreater(cycles, 3)


class Text(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.elf = blinky(cls.folder.name)
        cls.environment = os.environ.copy()
        os.environ["LC_ALL"] = "C.UTF-8"

    @classmethod
    def tearDownClass(cls):
        os.environ.clear()
        os.environ.update(cls.environment)
        cls.folder.cleanup()

    def report(self, *options, status=0, capture=HEX):
        done = mcuprof("report", "-e", self.elf, *OPTIONS, *options, capture, status=status)
        self.assertEqual(done.stderr.decode().count("\n"), 0 if status == 0 else 1)
        return done.stdout.decode() if status == 0 else done.stderr.decode()

    def capture(self, bins, arcs, rate=1000):
        path = os.path.join(self.folder.name, "gmon.out")
        gmon(path, 0x410, bins, 2, rate, arcs)
        return path

    def test_is_the_golden_one(self):
        text = "\n".join(self.report(*options) for options in ((), ("--all",)))
        text = text.replace(self.elf, "blinky.elf").replace(HEX, "blink1hex.txt")
        if os.environ.get("UPDATE_GOLDEN"):
            with open(GOLDEN, "w", encoding="utf-8") as out:
                out.write(text)
        with open(GOLDEN, encoding="utf-8") as golden:
            self.assertEqual(text, golden.read())

    def test_no_line_ends_in_blanks(self):
        for line in self.report().splitlines():
            self.assertEqual(line, line.rstrip())

    def test_plain_ascii_where_the_locale_is(self):
        os.environ["LC_ALL"] = "C"
        try:
            text = self.report()
        finally:
            os.environ["LC_ALL"] = "C.UTF-8"
        self.assertTrue(text.isascii())
        self.assertIn("11.69  +-0.06 ", text)

    def test_fits_the_terminal(self):
        for columns in (60, 80, 140):
            text = on_a_terminal(columns, "report", "-e", self.elf, *OPTIONS, HEX)
            self.assertIn("\033[", text)
            plain = re.sub(r"\033\[[0-9;]*m", "", text)
            tables = plain[plain.index("Flat profile"):].split("\n", 1)[1]
            rows = [line for line in tables.splitlines() if "function" not in line
                    and not re.search(r"^(Call graph|The profiler)", line)]
            self.assertLessEqual(max(map(len, rows)), columns)
            lines = [line for line in plain.splitlines() if "/" not in line]  # a long path
            self.assertLessEqual(max(map(len, lines)), columns)
            wide = on_a_terminal(columns, "report", "--wide", "--color", "never", "-e",
                                 self.elf, *OPTIONS, HEX)
            self.assertEqual(wide.replace("\r", ""), self.report())

    def test_bars_are_for_terminals(self):
        """Ten columns are all of the time; `loop` has 75.0 %."""
        for locale, bar in ("C.UTF-8", "███████▌"), ("C", "#######"):
            text = on_a_terminal(140, "report", "--color", "never", "-e", self.elf, *OPTIONS, HEX,
                                 LC_ALL=locale)
            self.assertRegex(text, rf"(?m)^ 75\.0 .* {bar}  +loop\r$")
        self.assertNotIn("█", self.report())

    def test_colour_can_be_chosen(self):
        self.assertNotIn("\033", self.report())
        self.assertIn("\033[", self.report("--color", "always"))
        text = on_a_terminal(80, "report", "--color", "never", "-e", self.elf, *OPTIONS, HEX)
        self.assertNotIn("\033", text)
        self.assertIn("auto, always or never", self.report("--color", "blue", status=2))

    def test_colour_by_the_environment(self):
        for colour, variables in (
                (True, {"CLICOLOR": "1"}), (True, {"NO_COLOR": ""}), (False, {"NO_COLOR": "1"}),
                (False, {"CLICOLOR": "0"}), (False, {"TERM": "dumb"}),
                (True, {"TERM": "dumb", "CLICOLOR_FORCE": "1"}),
                (False, {"NO_COLOR": "1", "CLICOLOR_FORCE": "1"})):
            text = on_a_terminal(80, "report", "-e", self.elf, *OPTIONS, HEX, **variables)
            self.assertEqual("\033[" in text, colour, variables)
        for colour, force in ((True, "1"), (False, "0"), (False, "")):
            with unittest.mock.patch.dict(os.environ, CLICOLOR_FORCE=force):
                os.environ.pop("NO_COLOR", None)
                self.assertEqual("\033[" in self.report(), colour, force)
                self.assertNotIn("\033[", self.report("--color", "never"))

    def paged(self, *options, **variables):
        return on_a_terminal(80, "report", "--flat", "--color", "never", *options, "-e",
                             self.elf, *OPTIONS, HEX, **variables).replace("\r", "")

    def test_pages_on_a_terminal(self):
        plain = self.paged()
        marked = "".join(f"|{line}\n" for line in plain.splitlines())
        pager = "sed 's/^/|/'"
        self.assertEqual(self.paged(MCUPROF_PAGER=pager), marked)
        self.assertEqual(self.paged(MCUPROF_PAGER=pager, PAGER="tac"), marked)
        self.assertEqual(self.paged("--no-pager", MCUPROF_PAGER=pager), plain)
        for none in ("", "cat"):
            self.assertEqual(self.paged(MCUPROF_PAGER=none, PAGER=pager), plain)
        self.assertEqual(self.paged(MCUPROF_PAGER=pager, TERM="dumb"), plain)
        # output that the user does not want to read is no error
        self.assertEqual(self.paged(MCUPROF_PAGER="head -n 3"),
                         "".join(plain.splitlines(keepends=True)[:3]))
        self.assertEqual(self.paged(MCUPROF_PAGER="true"), "")
        # if the pager does not exist, all is shown
        self.assertEqual(self.paged(MCUPROF_PAGER="/nonexistent --most"), plain)
        with unittest.mock.patch.dict(os.environ, MCUPROF_PAGER=pager):
            self.assertNotIn("|", self.report())

    def test_gains(self):
        """loop has 11,689 of the program's 15,576 samples. Without it the run would be 1 / (1 -
        0.7505) times as fast: 4.007. The error of 0.0035 becomes 0.0035 * 4.007 ** 2."""
        text = self.report("--gain")
        self.assertRegex(text, r"(?m)^ *75\.0 +×4\.01 ±0\.06 +×1\.601 ±0\.004  loop$")
        self.assertRegex(text, r"(?m)^ *20\.9 +×1\.264 ±0\.005 +×1\.117 ±0\.002  WAIT1_WaitCycles$")
        self.assertNotIn("callees", text)  # totals are estimated
        self.assertNotIn("main\n", text)  # main has no sample
        self.assertNotIn("Flat profile", text)
        rows = [line.split()[-1] for line in text.splitlines() if "×" in line]
        self.assertEqual(rows, ["loop", "WAIT1_WaitCycles", "WAIT1_Wait100Cycles",
                                "WAIT1_WaitLongCycles"])
        text = self.report("--gain", "--limit", "1", "--sort", "name")
        self.assertRegex(text, r"WAIT1_Wait100Cycles\nand 3 more functions\n\Z")

    def rows(self, *options):
        text = self.report("--flat", *options)
        table = text[text.index("function\n") + 9:]
        return [line.split()[-1] for line in table[:table.index("\n\n")].splitlines()]

    def test_sorts_as_asked(self):
        self.assertEqual(self.rows()[:2], ["loop", "WAIT1_WaitCycles"])
        self.assertEqual(self.rows("--sort", "name"), sorted(self.rows()))
        self.assertEqual(self.rows("--sort", "calls")[:2],
                         ["WAIT1_WaitCycles", "WAIT1_WaitLongCycles"])
        self.assertEqual(self.rows("--sort", "total")[0], "loop")
        self.assertIn("no figure 'age'", self.report("--sort", "age", status=2))

    def test_limit_says_what_it_leaves_out(self):
        text = self.report("--all", "--limit", "2")
        self.assertIn("and 11 more functions\n", text)
        self.assertIn("and 11 more entries\n", text)
        self.assertNotRegex(text, r"(?m)^\[3\]")

    def test_focus(self):
        text = self.report("--focus", "WAIT1_Waitms")
        self.assertEqual(len(re.findall(r"^\[", text, re.MULTILINE)), 1)
        for name in ("main", "WAIT1_Waitms", "WAIT1_WaitLongCycles"):
            self.assertIn(name, text)
        self.assertNotIn("control_LEDs", text)

    def test_focus_on_what_is_not_there(self):
        self.assertIn("no function 'contrl_LED'; did you mean 'control_LEDs'?",
                      self.report("--focus", "contrl_LED", status=2))
        self.assertIn("'frame_dummy' has no samples and no calls",
                      self.report("--focus", "frame_dummy", status=1))

    def test_no_samples(self):
        text = self.report(capture=self.capture([], [(0x420, 0x650, 7)]))
        self.assertIn("no samples: calls only", text)
        self.assertRegex(text, r"\n +7  \w+\n")
        self.assertNotIn("%", text)

    def test_no_calls(self):
        text = self.report(capture=self.capture([1] * 64, []))
        self.assertNotIn("call", text)
        text = self.report("--all", capture=self.capture([1] * 64, []))
        self.assertIn("no calls: samples only", text)
        self.assertIn("Flat profile", text)
        self.assertNotIn("Call graph", text)
        self.assertIn("no calls: no call graph", self.report(
            "--graph", capture=self.capture([1] * 64, [])))

    def test_never_inf_or_nan(self):
        for bins, rate in (([0] * 8, 0), ([5] * 8, 0), ([0] * 8, 100)):
            text = self.report(capture=self.capture(bins, [(0x420, 0x650, 7)], rate))
            self.assertNotRegex(text.lower(), r"\b(inf|nan)\b")

    def test_unknown_callers_are_shown_as_such(self):
        text = self.report("--graph", capture=self.capture(
            [1] * 64, [(0xFFFFFFF9, 0x650, 7), (0x2468, 0x650, 2)]))
        self.assertRegex(text, r" 7/9 +<interrupt>\n")
        self.assertRegex(text, r" 2/9 +\[unknown\]\n")
        self.assertIn("calls     7 by interrupts, 2 whose caller is [unknown]\n", text)

    def test_lines(self):
        self.assertIn("build the firmware with -g", self.report("--lines"))
        with tempfile.TemporaryDirectory() as folder:
            source, elf = os.path.join(folder, "t.c"), os.path.join(folder, "t.elf")
            with open(source, "w", encoding="ascii") as out:
                out.write("static inline int twice(int x)\n{\n"
                          '    __asm__ volatile("nop"); return x + x;\n}\n'
                          "int main(int x)\n{\n    return twice(x);\n}\n")
            run(ARM + "gcc", "-mcpu=cortex-m0", "-O1", "-g", "-nostdlib", "-Wl,-emain",
                "-Wl,-Ttext=0x8000", "-o", elf, source)
            capture = os.path.join(folder, "pcs.txt")
            with open(capture, "w", encoding="ascii") as out:
                out.write("0x8000\n" * 30 + "0x8004\n" * 10)
            text = mcuprof("report", "--lines", "--hz", "10", "-e", elf,
                           capture).stdout.decode()
        self.assertRegex(text, r"75 +3\.0 ±0\.3  t\.c:3  twice +main\n")
        self.assertRegex(text, r"25 +1\.0 ±0\.3  t\.c:\d  main\n")

    def test_long_lines_fit_the_terminal(self):
        """Of a path the end is kept; of a name in C++ its class and its last word."""
        directory = "/home/me/newlib/build/v6-m/../../" + "deeper/" * 9 + "libc/string"
        code = (f'.file 1 "{directory}/memcpy.c"\n.file 2 "/home/other.c"\n.type _ZN4nameI3LotS0_E5valueEii, %function\n'
                ".syntax unified\n.thumb\n.thumb_func\n.global _ZN4nameI3LotS0_E5valueEii\n"
                "_ZN4nameI3LotS0_E5valueEii:\n.loc 1 41\nnop\n.loc 1 42\nnop\n.loc 2 7\nnop\n"
                ".size _ZN4nameI3LotS0_E5valueEii, . - _ZN4nameI3LotS0_E5valueEii\n")
        with tempfile.TemporaryDirectory() as folder:
            source, elf, pcs = (f"{folder}/{name}" for name in ("a.s", "a.elf", "pcs.txt"))
            for name, text in ((source, code), (pcs, "0x8000\n0x8002\n0x8002\n0x8004\n")):
                with open(name, "w", encoding="ascii") as out:
                    out.write(text)
            run(ARM + "as", "-mcpu=cortex-m0", "-o", elf + ".o", source)
            run(ARM + "ld", "-Ttext=0x8000", "-e", "0x8000", "-o", elf, elf + ".o")
            command = ("report", "--lines", "--hz", "10", "--color", "never", "-e", elf, pcs)
            text = on_a_terminal(76, *command).replace("\r", "")
            whole = mcuprof(*command).stdout.decode()
            wide = on_a_terminal(76, *command, "--wide").replace("\r", "")
        rows = text[text.index("function\n"):].splitlines()[1:]
        for row, place in zip(rows, ("string/memcpy.c:42", "string/memcpy.c:41", "other.c:7")):
            self.assertRegex(row, rf"[ /]{re.escape(place)} +(name<.*>::|…)value\(…\)$")
        self.assertLessEqual(max(map(len, rows)), 76)
        self.assertEqual(whole, wide)
        self.assertIn("name<Lot, Lot>::value(int, int)", whole)
        clean = directory.replace("/home/", "").replace("build/v6-m/../../", "")
        self.assertIn(f"  {clean}/memcpy.c:42  ", whole)
        self.assertIn("; in /home/\n", whole)

    def test_names_cannot_move_the_cursor(self):
        table = [(0x1000, 16, "T", '"evil\033[2Jname"'), (0x1010, 0, "T", "end")]
        elf = assemble(self.folder.name, 0x1000, table, name="evil.elf")
        capture = os.path.join(self.folder.name, "pcs.txt")
        with open(capture, "w", encoding="ascii") as out:
            out.write("0x1004\n" * 5)
        text = mcuprof("report", "-e", elf, "--hz", "1", capture).stdout.decode()
        self.assertIn(r"evil\x1b[2Jname", text)
        self.assertNotIn("\033", text)


class Annotated(unittest.TestCase):
    def test_the_hot_functions_and_one_warning(self):
        code = [".syntax unified\n.thumb\n"]
        for number in range(12):
            code.append(f'.file {number + 1} "/nowhere/a/../f{number}.c"\n.thumb_func\n'
                        f".global f{number}\n.type f{number}, %function\nf{number}:\n"
                        f".loc {number + 1} 7\nnop\nnop\n.size f{number}, 4\n")
        with tempfile.TemporaryDirectory() as folder:
            source, elf, pcs = (f"{folder}/{name}" for name in ("a.s", "a.elf", "pcs.txt"))
            with open(source, "w", encoding="ascii") as out:
                out.write("".join(code))
            with open(pcs, "w", encoding="ascii") as out:
                out.write("".join(f"{0x8000 + 4 * n:#x}\n" * (n + 1) for n in range(12)))
            run(ARM + "as", "-mcpu=cortex-m0", "-o", elf + ".o", source)
            run(ARM + "ld", "-Ttext=0x8000", "-e", "0x8000", "-o", elf, elf + ".o")
            command = ("annotate", "--hz", "10", "-e", elf, pcs)
            for options, shown, rest in (((), 3, "and 9 more functions: --limit 0\n"),
                                         (("--limit", "0"), 12, ""),
                                         (("--limit", "1"), 1, "and 11 more functions\n")):
                done = mcuprof(*command, *options)
                text = done.stdout.decode()
                self.assertEqual(re.findall(r"(?m)^(f\d+)  ", text),
                                 [f"f{11 - n}" for n in range(shown)])
                self.assertTrue(text.endswith(rest or "7\n"), text)
                self.assertRegex(text, r"(?m)^/nowhere/f11\.c:7$")
                said = done.stderr.decode()
                self.assertEqual(said.count("\n"), 1, said)
                self.assertIn("/nowhere/f11.c", said)
                self.assertIn(f"{shown} source files not found" if shown > 1 else "not found", said)


class Bins(unittest.TestCase):
    def test_lines_share_bins_of_several(self):
        """A bin of 16 bytes has 16 samples: 6 of its bytes are line 1, 10 are line 2."""
        with tempfile.TemporaryDirectory() as folder:
            source, elf, gmon = (f"{folder}/{name}" for name in ("a.s", "a.elf", "gmon.out"))
            with open(source, "w", encoding="ascii") as out:
                out.write(".syntax unified\n.thumb\n.file 1 \"a.c\"\n.type work, %function\n"
                          ".thumb_func\n.global work\nwork:\n.loc 1 1\n.rept 3\nnop\n.endr\n"
                          ".loc 1 2\n.rept 5\nnop\n.endr\n.size work, . - work\n")
            run(ARM + "as", "-mcpu=cortex-m0", "-o", elf + ".o", source)
            run(ARM + "ld", "-Ttext=0x8000", "-e", "0x8000", "-o", elf, elf + ".o")
            with open(gmon, "wb") as out:
                out.write(struct.pack("<4sI12x", b"gmon", 1)
                          + struct.pack("<BIIII15scH", 0, 0x8000, 0x8010, 1, 1, b"seconds",
                                        b"s", 16))
            text = mcuprof("report", "--lines", "-e", elf, gmon).stdout.decode()
        self.assertRegex(text, r"62 +10 ±2 .*a\.c:2 +work")
        self.assertRegex(text, r"38 +6 ±2 .*a\.c:1 +work")


if __name__ == "__main__":
    unittest.main()
