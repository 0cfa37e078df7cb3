# SPDX-License-Identifier: MIT
"""mcuprof annotate with real firmware: each line ran as often as gcov counts on the PC for the same
source; all shares add up; inlined code is shown at the line it became part of and at the line where
it was written; a function's instructions add up to the function."""
import functools
import json
import os
import re
import shutil
import struct
import subprocess
import tempfile
import unittest

from annotated import annotate
from firmware import WITH_BLOCKS, Run, output

BIG = "-DMCUPROF_RING_BYTES=4096"  # a ring of this size loses nothing
STUBS = {"board.h": "#include <stdio.h>\n#define board_printf printf\n"
                    "static unsigned board_samples;\n",
         "mcuprof.h": "static void mcuprof_start(void) {}\nstatic void mcuprof_end(void) {}\n"}


def gcov_text(folder, source):
    for name, text in STUBS.items():
        with open(os.path.join(folder, name), "w", encoding="ascii") as file:
            file.write(text)
    program = os.path.join(folder, "program")
    for command in (["gcc", "-O0", "--coverage", f"-I{folder}", "-include", "stdint.h", "-o",
                     program, source], [program]):
        subprocess.run(command, cwd=folder, check=True, capture_output=True, timeout=180)
    data = next(name for name in os.listdir(folder) if name.endswith(".gcda"))
    return subprocess.run(["gcov", "-t", data], cwd=folder, check=True, capture_output=True,
                          text=True, timeout=180).stdout


@functools.lru_cache
def gcov(example):
    """Runs an example on the PC; returns {file: {line: (times, text)}}."""
    with tempfile.TemporaryDirectory() as folder:
        text = gcov_text(folder, os.path.abspath(f"examples/{example}/{example}.c"))
    counted, lines = {}, None
    for line in text.split("\n"):
        if found := re.match(r" *-: *0:Source:(.*)", line):
            lines = counted.setdefault(os.path.basename(found[1]), {})
        elif found := re.match(r" *(\d+|#####)\*?: *(\d+):(.*)", line):
            times = 0 if found[1] == "#####" else int(found[1])
            lines[int(found[2])] = times, found[3]
    return counted


def model(run):
    return json.loads(output("export", "--to", "json", "-e", run.elf, run.capture))


class Annotate(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.folder = directory.name

    def check_ran(self, run, example, of):
        """Checks the statements of the functions `of`, but not the lines where functions begin and
        end: there compilers differ."""
        truth, checked = gcov(example), 0
        for function in annotate("-e", run.elf, run.capture)[0]:
            if function.name not in of:
                continue
            lines = truth[os.path.basename(function.place.split(":")[0])]
            for row in function.rows:
                number = int(row.line or 0)
                if number not in lines:
                    continue
                times, text = lines[number]
                if "CALLED" in text or "INLINED" in text or text.strip() in "{}":
                    continue
                self.assertEqual(row.ran, times, f"{function.name}: {number}: {text}")
                checked += 1
        return checked

    def test_every_statement_ran_as_gcov_counts(self):
        for board in WITH_BLOCKS:
            with self.subTest(board=board):
                run = Run(board, "updcrc", BIG, "-O0")
                self.assertEqual(self.check_ran(run, "updcrc", ["make_table", "updcrc",
                                                                "feed"]), 16)
                run = Run(board, "inlined", BIG, "-O0")
                self.assertEqual(self.check_ran(run, "inlined", ["mix", "turn", "sum",
                                                                 "hash"]), 10)

    def test_marked_lines(self):
        """[5] in the source means 5 times. A statement that became two pieces of code (a loop
        turned round, a return in two places) may have fewer, but never more."""
        for board in ("microbit", "mps2-an385"):
            for optimise in ("-Os", "-O1", "-O2"):
                run, found = Run(board, "updcrc", BIG, optimise), 0
                for function in annotate("-e", run.elf, run.capture)[0]:
                    for row in function.rows:
                        mark = re.search(r"/\* \[(\d+)\] \*/", row.source)
                        if not mark:
                            continue
                        found += 1
                        with self.subTest(board=board, optimise=optimise, row=row.source):
                            if optimise == "-Os" or re.search(r"crc = (0x|t|updcrc)", row.source):
                                self.assertEqual(row.ran, int(mark[1]))
                            elif row.ran is not None:
                                self.assertLessEqual(row.ran, int(mark[1]))
                                self.assertGreater(row.ran, int(mark[1]) * 0.9)
                self.assertEqual(found, 10)

    def test_what_never_ran_is_0(self):
        run = Run("microbit", "inlined", BIG)
        main = next(f for f in annotate("-e", run.elf, run.capture)[0] if f.name == "main")
        rows = {row.source.strip().split(";")[0]: row for row in main.rows}
        self.assertEqual(rows["result = sum(1)"].ran, 0)
        self.assertEqual(rows["result ^= sum(100)"].ran, 10)

    def test_no_counts_without_blocks(self):
        run = Run("microbit", "blinky")
        functions, text, _ = annotate("-e", run.elf, run.capture)
        self.assertNotRegex(text, r"\bran\b")
        self.assertTrue(all(row.ran is None for f in functions for row in f.rows))

    def check_sums(self, functions, run, written=True):
        told = {function["name"]: function for function in model(run)["functions"]}
        landed = [function for function in functions if not function.written]
        for function in landed:
            with self.subTest(function=function.name):
                samples = told[function.name]["samples"] if function.name in told else 0
                self.assertAlmostEqual(function.samples, samples, places=2)
                self.assertAlmostEqual(sum(row.samples for row in function.rows), samples,
                                       delta=0.01 * len(function.rows))
        self.assertAlmostEqual(sum(function.share for function in landed), 100,
                               delta=0.5 * len(landed))
        rows = [row for function in landed for row in function.rows]
        self.assertAlmostEqual(sum(row.share for row in rows), 100, delta=0.5 * len(rows))
        for function in functions:
            self.assertAlmostEqual(sum(row.samples for row in function.rows),
                                   function.samples, delta=0.01 * len(function.rows))
        self.assertEqual([f.samples for f in functions],
                         sorted((f.samples for f in functions), reverse=True))

    def test_shares_add_up(self):
        for board in WITH_BLOCKS:
            for example in ("blinky", "inlined"):
                for optimise in ("-Os", "-O2"):
                    with self.subTest(board=board, example=example, optimise=optimise):
                        run = Run(board, example, "-DMCUPROF_SAMPLE_HZ=4000", optimise)
                        functions = annotate("-e", run.elf, run.capture)[0]
                        self.check_sums(functions, run)
                        code = annotate("-e", run.elf, "--asm", run.capture)[0]
                        self.assertFalse(any(function.written for function in code))
                        self.check_sums(code, run)

    def test_bins_of_a_gmon(self):
        run = Run("microbit", "inlined")
        for width in (2, 4, 16, 64):
            with self.subTest(width=width):
                run.capture = os.path.join(self.folder, "gmon.out")
                output("export", "-e", run.elf, "--to", "gmon", "--bin-bytes", str(width),
                       "-o", run.capture, f"{run.elf[:-4]}.mprof")
                functions = annotate("-e", run.elf, run.capture)[0]
                code = annotate("-e", run.elf, "--asm", run.capture)[0]
                for told in (functions, code):
                    samples = {f["name"]: f["samples"] for f in model(run)["functions"]}
                    for function in told:
                        if not function.written:
                            self.assertAlmostEqual(function.samples,
                                                   samples.get(function.name, 0), places=1)
                        self.assertAlmostEqual(
                            sum(row.samples for row in function.rows), function.samples,
                            delta=0.005 * len(function.rows) + 0.01)

    def test_instructions_have_their_samples(self):
        run = Run("microbit", "inlined", "-DMCUPROF_SAMPLE_HZ=4000")
        exact = {sample["address"]: sample["count"] for sample in model(run)["samples"]}
        shown = {}
        for function in annotate("-e", run.elf, "--asm", run.capture)[0]:
            for row in function.rows:
                if row.source.startswith("    ") and re.fullmatch("[0-9a-f]+", row.line):
                    if row.samples:
                        shown[int(row.line, 16)] = row.samples
        self.assertGreater(len(shown), 20)
        self.assertEqual(shown, {at: exact[at] for at in shown})

    def test_inlined_code_is_in_both_places(self):
        run = Run("microbit", "inlined", BIG + " -DMCUPROF_SAMPLE_HZ=8000")
        functions = annotate("-e", run.elf, run.capture)[0]
        landed = {f.name: f for f in functions if not f.written}
        written = {f.name: f for f in functions if f.written}
        self.assertEqual(set(written) & {"mix", "turn"}, {"mix", "turn"})
        self.assertNotIn("mix", landed)
        for name, times in (("sum", 4000), ("hash", 2000)):
            call = next(at for at, row in enumerate(landed[name].rows) if "mix(" in row.source)
            after = [row for row in landed[name].rows[call + 1:call + 7] if row.inlined]
            self.assertTrue({row.inlined[1] for row in after} >= {"mix", "turn"})
            turn = next(row for row in after if row.inlined[1] == "turn")
            self.assertRegex(turn.source, r"↳ turn mix\.h:\d+  return value << bits")
            self.assertEqual(turn.ran, times)
        for name in ("mix", "turn"):
            inside = sum(row.samples for f in landed.values() for row in f.rows
                         if row.inlined and row.inlined[1] == name)
            own = sum(row.samples for row in written[name].rows if not row.inlined)
            self.assertEqual(inside, own)
            self.assertIn("inlined into ", written[name].title)
        turn = [row for row in written["mix"].rows if row.inlined]
        self.assertEqual({row.inlined[1] for row in turn}, {"turn"})
        self.assertEqual(sum(row.samples for row in turn), written["turn"].samples)
        self.assertEqual({row.ran for row in turn}, {6000})

    def test_calls(self):
        run = Run("microbit", "blinky")
        told = model(run)
        functions = {f.name: f for f in annotate("-e", run.elf, run.capture)[0]
                     if not f.written}
        made = {}
        for arc in told["function_calls"]:
            if arc["caller"] is not None:
                name = told["functions"][arc["caller"]]["name"]
                made[name] = made.get(name, 0) + arc["count"]
        for code in (False, True):
            if code:
                functions = {f.name: f for f in
                             annotate("-e", run.elf, "--asm", run.capture)[0]}
            for function in told["functions"]:
                name = function["name"]
                if name not in functions:
                    continue
                rows = functions[name].rows
                self.assertEqual(sum(row.calls for row in rows), made.get(name, 0), name)
                self.assertEqual(sum(row.entries for row in rows),
                                 function["calls"] + function["self_calls"], name)
        self.assertEqual(functions["wave"].rows[1].entries, 8850)

    def test_limit_and_focus(self):
        run = Run("microbit", "inlined")
        everything = annotate("-e", run.elf, run.capture)[0]
        some, text, _ = annotate("-e", run.elf, "--limit", 2, run.capture)
        self.assertEqual([f.title for f in some], [f.title for f in everything[:2]])
        self.assertIn(f"and {len(everything) - 2} more functions\n", text)
        for arguments in ([], ["--asm"]):
            focused = annotate("-e", run.elf, "--focus", "sum", *arguments, run.capture)[0]
            self.assertEqual([f.name for f in focused], ["sum"])
        self.assertEqual([f.name for f in annotate("-e", run.elf, "--focus", "mix",
                                                   run.capture)[0]], ["mix"])
        for name, status, error in (("summ", 2, "no function 'summ'; did you mean 'sum'?"),
                                    ("fault_handler", 1, "no samples and no calls")):
            errors = annotate("-e", run.elf, "--focus", name, run.capture, status=status)[2]
            self.assertIn(error, errors)
        errors = annotate("-e", run.elf, "--asm", "--focus", "mix", run.capture, status=1)[2]
        self.assertIn("inlined wherever it is called", errors)

    def test_a_limit_changes_nothing_that_is_shown(self):
        for example in ("inlined", "blinky"):  # without inlined code not all is read
            run = Run("microbit", example)
            functions, everything, _ = annotate("-e", run.elf, run.capture)
            for limit in range(1, len(functions)):
                text = annotate("-e", run.elf, "--limit", limit, run.capture)[1]
                shown, left_out = text.rsplit("\nand ", 1)
                self.assertTrue(everything.startswith(shown), (example, limit))
                self.assertEqual(int(left_out.split()[0]), len(functions) - limit)

    def test_context(self):
        run = Run("microbit", "blinky", "-DMCUPROF_ARCS=0")
        rows = {}
        for context in (0, 1, 3, 1000):
            functions = annotate("-e", run.elf, "--context", context, "--focus", "square_root",
                                 run.capture)[0]
            rows[context] = len(functions[0].rows)
        self.assertLess(rows[0], rows[1])
        self.assertLess(rows[1], rows[3] + 1)
        lines = [int(row.line) for row in functions[0].rows if row.line]
        self.assertEqual(lines, list(range(lines[0], lines[-1] + 1)))

    def moved(self):
        """Returns a run whose source was compiled at a place that is gone. It has no paths, because
        other sources are part of these."""
        run = Run("microbit", "inlined", "-DMCUPROF_PATHS=0")
        place = os.path.join(self.folder, "was/here")
        os.makedirs(place)
        for name in ("inlined.c", "mix.h"):
            shutil.copy(f"examples/inlined/{name}", place)
        with open(run.elf, "rb") as file:
            data = file.read()
        here = os.getcwd().encode() + b"\0"
        there = b"/" + b"x" * (len(here) - 2) + b"\0"
        self.assertIn(here, data)
        elf = os.path.join(self.folder, "moved.elf")
        with open(elf, "wb") as file:
            file.write(data.replace(here, there))
        return run, elf, there[:-1].decode()

    def test_source_is_looked_for(self):
        run, elf, there = self.moved()
        functions, text, errors = annotate("-e", elf, run.capture)
        self.assertRegex(errors, r"\Amcuprof annotate: warning: \d+ source files not found: "
                         "-I DIR or --source-map FROM=TO tell where they are; "
                         r"one is /\S+\n\Z")
        total = next(f for f in functions if f.name == "sum")
        self.assertEqual({row.source for row in total.rows if not row.inlined}, {""})
        self.assertTrue(all(row.line for row in total.rows if not row.inlined))
        whole = annotate("-e", run.elf, run.capture)[1].split("\n")[1:]
        for found in (["-I", "."], ["-I", "/nowhere/else", "--source-dir", os.getcwd()],
                      ["-I", os.path.join(self.folder, "was/here")],
                      ["--source-map", f"{there}=."], ["--source-map", f"{there}/=./"],
                      ["--source-map", "/none=/none", "--source-map",
                       f"{there}/examples/inlined={self.folder}/was/here"]):
            with self.subTest(found=found):
                _, text, errors = annotate("-e", elf, *found, run.capture)
                self.assertNotIn("inlined.c", errors)
                mine = [line for line in text.split("\n")[1:] if "/" not in line[:2] + line]
                theirs = [line for line in whole if "/" not in line[:2] + line]
                self.assertEqual(mine, theirs)
        self.assertIn("expected FROM=TO",
                      annotate("-e", elf, "--source-map", "x", run.capture, status=2)[2])

    def test_newer_source(self):
        run, elf, _ = self.moved()
        place = os.path.join(self.folder, "was/here")
        _, _, errors = annotate("-e", elf, "-I", place, run.capture)
        self.assertNotIn("newer", errors)
        os.utime(os.path.join(place, "mix.h"), (2 ** 31, 2 ** 31))
        _, _, errors = annotate("-e", elf, "-I", place, run.capture)
        self.assertEqual(re.findall(r"(\S+) is newer than the ELF", errors), [f"{place}/mix.h"])

    def test_without_debug_information(self):
        run = Run("microbit", "inlined")
        elf = os.path.join(self.folder, "stripped.elf")
        subprocess.run(["arm-none-eabi-strip", "-g", "-o", elf, run.elf], check=True)
        functions, text, _ = annotate("-e", elf, run.capture)
        self.assertIn("build the firmware with -g", text)
        self.assertNotIn("nan", text)
        code = annotate("-e", elf, "--asm", run.capture)[0]
        for told in (functions, code):
            for function in told:
                self.assertAlmostEqual(sum(row.samples for row in function.rows),
                                       function.samples)

    def test_objdump(self):
        run = Run("microbit", "inlined")
        program = shutil.which("arm-none-eabi-objdump")
        code = annotate("-e", run.elf, "--asm", run.capture)[1]
        self.assertEqual(annotate("-e", run.elf, "--asm", "--objdump", program,
                                  run.capture)[1], code)
        errors = annotate("-e", run.elf, "--asm", run.capture, status=3,
                          environment={"PATH": self.folder})[2]
        self.assertEqual(errors, "mcuprof annotate: --asm needs arm-none-eabi-objdump, which is "
                         "not in PATH: install Debian's package binutils-arm-none-eabi, or give "
                         "--objdump PROGRAM\n")
        errors = annotate("-e", run.elf, "--asm", "--objdump", "/none", run.capture, status=3)[2]
        self.assertEqual(errors, "mcuprof annotate: /none: No such file or directory\n")
        errors = annotate("-e", run.elf, "--asm", "--objdump", "false", run.capture,
                          status=3)[2]
        self.assertIn("failed with status 1", errors)
        fake = os.path.join(self.folder, "fake")
        with open(fake, "w", encoding="ascii") as file:
            file.write("#!/bin/sh\nhead -c 100000 /dev/urandom\n"
                       "printf '%08x: \\n 100:\\n ffffffffffffffffff:\\tx\\n'\n")
        os.chmod(fake, 0o755)
        annotate("-e", run.elf, "--asm", "--objdump", fake, run.capture)

    def test_colour_and_width(self):
        run = Run("microbit", "inlined")
        plain = annotate("-e", run.elf, run.capture)[1]
        self.assertNotIn("\x1b", plain)
        colour = annotate("-e", run.elf, "--color", "always", run.capture)[1]
        self.assertIn("\x1b[31m", colour)
        self.assertEqual(re.sub(r"\x1b\[\d+m", "", colour), plain)
        program = (f"stty cols 70; LC_ALL=C.UTF-8 TERM=xterm MCUPROF_PAGER=cat build/mcuprof annotate --limit 0 "
                   f"-e {run.elf} {run.capture} 2>/dev/null")
        shown = subprocess.run(["script", "-qec", program, "/dev/null"], capture_output=True,
                               stdin=subprocess.DEVNULL, timeout=180, check=True,
                               env={k: v for k, v in os.environ.items()
                                    if k not in ("COLUMNS", "NO_COLOR")}).stdout.decode()
        lines = re.sub(r"\x1b\[\d+m", "", shown).replace("\r", "").split("\n")
        tables = [line for line in lines if re.match(r" .*\d  ", line)]
        self.assertGreater(len(tables), 20)
        self.assertLessEqual(max(map(len, tables)), 70)
        self.assertIn("…", shown)


HOOK = "__sanitizer_cov_trace_pc"
PROGRAM = """
void _start(void) __attribute__((used));
int table[64];
__attribute__((noinline)) int work(int x, int y)
{
    int sum = 0;
    for (int i = 0; i < x; i++) {
        if (table[i] > y)
            sum += table[i] * y;
        else if (table[i] == 3)
            sum -= i;
        switch (x) {
        case 1: sum += 1; break;
        case 2: sum *= 3; break;
        case 3: sum ^= y; break;
        case 4: sum -= 7; break;
        case 5: sum = -sum; break;
        }
        while (y & 1)
            y >>= 1;
    }
    return sum;
}
void _start(void) { for (int i = 0; i < 9; i++) work(i, i); }
__attribute__((no_sanitize_coverage)) void __sanitizer_cov_trace_pc(void) { }
"""
TARGETS = {
    "T16": ["arm-none-eabi-", "-mcpu=cortex-m0", "-mthumb"],
    "T32": ["arm-none-eabi-", "-mcpu=cortex-m4", "-mthumb"],
    "A32": ["arm-none-eabi-", "-mcpu=arm7tdmi", "-marm"],
    "RV32": ["riscv64-unknown-elf-", "-march=rv32imac", "-mabi=ilp32"],
    "RV32 wide": ["riscv64-unknown-elf-", "-march=rv32im", "-mabi=ilp32"],
    "RV64": ["riscv64-unknown-elf-", "-march=rv64imac", "-mabi=lp64"],
    "SPARC": ["sparc64-linux-gnu-", "-m32", "-mcpu=leon3"],
}


class Blocks(unittest.TestCase):
    """Blocks of every machine are found: each hook's instruction ran as often as was counted, and
    so did the instructions of its block, by the branches that objdump shows."""

    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.folder = directory.name

    def build(self, prefix, *flags):
        elf, source = (os.path.join(self.folder, name) for name in ("p.elf", "p.c"))
        with open(source, "w", encoding="ascii") as file:
            file.write(PROGRAM)
        subprocess.run([prefix + "gcc", *flags, "-g", "-ffreestanding", "-fno-pie", "-static",
                        "-nostdlib", "-fsanitize-coverage=trace-pc", "-Wl,-e,_start",
                        "-fno-asynchronous-unwind-tables", "-fno-stack-protector", "-w", "-o",
                        elf, source, *([] if prefix.startswith("sparc") else ["-lgcc"])],
                       check=True, timeout=180)
        text = subprocess.run([prefix + "objdump", "-d", "--no-show-raw-insn", elf], check=True,
                              capture_output=True, text=True, timeout=180).stdout
        return elf, text

    def code(self, text):
        """Returns (address, mnemonic, operands) of each instruction of work()."""
        body = re.search(r"<work>:\n(.*?)\n\n", text, re.S)[1]
        return [(int(at, 16), name, rest) for at, name, rest in
                re.findall(r"^ *([0-9a-f]+):\t(\S+)[ \t]*(.*)$", body, re.M)]

    def test_all_machines(self):
        for name, command in TARGETS.items():
            for optimise in ("-O0", "-O1", "-Os", "-O2"):
                with self.subTest(machine=name, optimise=optimise):
                    self.check(*command, optimise)

    def check(self, prefix, *flags):
        elf, text = self.build(prefix, *flags)
        code = self.code(text)
        calls = [i for i, (_, _, rest) in enumerate(code) if f"<{HOOK}>" in rest]
        self.assertGreater(len(calls), 8)
        sparc = prefix.startswith("sparc")
        order, word = (">", "I") if sparc else ("<", "Q" if "rv64" in str(flags) else "I")
        counts = {code[i][0]: 1000 + n for n, i in enumerate(calls)}
        data = b"gmon" + struct.pack(order + "I12x", 1)
        for at, count in counts.items():
            size = 8 if sparc else code[[c[0] for c in code].index(at) + 1][0] - at
            data += b"\2" + struct.pack(order + "I" + 2 * word, 1, at + size // 2, count)
        gmon = os.path.join(self.folder, "gmon.out")
        with open(gmon, "wb") as file:
            file.write(data)
        functions = annotate("-e", elf, "--asm", "--focus", "work", gmon)[0]
        ran = {int(row.line, 16): row.ran for row in functions[0].rows
               if row.source.startswith("    ") and re.fullmatch("[0-9a-f]{3,}", row.line)}
        for at, count in counts.items():
            self.assertEqual(ran[at], count, hex(at))
        # the code behind a hook, up to the next branch or the next branch's target
        targets = {int(at, 16) for _, _, rest in code
                   for at in re.findall(r"\b([0-9a-f]+) <work\+", rest)}
        leave = re.compile(r"(b(?!l|f[ci]|i[ct]|kpt)\w*|cb\w+|j|jr|ret|c\.j.*|tb\w|pop|bx"
                           r"|call.*|jal.*|ldmia|retl|return|ba?,?.*|.word)(\.[nw]|(,[a-z]+)*)")
        for n, i in enumerate(calls):
            for at, mnemonic, rest in code[i + 1:]:
                if at in targets or at in counts:
                    break
                self.assertEqual(ran[at], 1000 + n, f"{at:x} {mnemonic} {rest}")
                if leave.fullmatch(mnemonic) or rest.startswith("pc,"):
                    break


if __name__ == "__main__":
    unittest.main()
