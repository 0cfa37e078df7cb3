# SPDX-License-Identifier: MIT
"""Basic blocks: each is counted as often as it ran, on every board, with every size of cache,
beside calls, samples and nested interrupts; what a slow line loses is counted."""
import collections
import os
import re
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../bench"))
import emulator  # noqa: E402
from annotated import annotate  # noqa: E402
from firmware import BOARDS, WITH_BLOCKS, Run, output  # noqa: E402
from truth import truth  # noqa: E402

SOURCE = "examples/updcrc/updcrc.c"
HOOK = "__sanitizer_cov_trace_pc"
FLAGS = "-fsanitize-coverage=trace-pc -fno-lto"


def blocks(run):
    """Returns {address: count}."""
    return {block["address"]: block["count"] for block in run.model()["blocks"]}


def places(run, addresses):
    """Returns the function and the line of each address."""
    text = subprocess.run([BOARDS[run.board].tools + "addr2line", "-f", "-e", run.elf],
                          input="".join(f"{address:#x}\n" for address in addresses),
                          capture_output=True, text=True, check=True, timeout=180).stdout
    lines = text.splitlines()
    return {address: (lines[2 * i], int(re.search(r":(\d+)", lines[2 * i + 1])[1]))
            for i, address in enumerate(addresses)}


def busiest(run):
    """Returns {line of updcrc.c: how often its busiest block ran}."""
    counts, found = blocks(run), {}
    for address, (_, line) in places(run, list(counts)).items():
        found[line] = max(found.get(line, 0), counts[address])
    return found


def marked(source=SOURCE):
    """Returns the same from the marks in the source."""
    with open(source, encoding="ascii") as file:
        marks = [re.search(r"/\* \[(\d+)\] \*/", line) for line in file]
    return {number: int(mark[1]) for number, mark in enumerate(marks, 1) if mark}


def executed(firmware, first):
    """Returns {address of the last two bytes of a call of the hook: how often it was made after the
    program had come to the function `first`}, from the emulator's log."""
    text = subprocess.run([firmware.tools + "objdump", "-d", firmware.elf], check=True,
                          capture_output=True, text=True, timeout=180).stdout
    calls = {int(at, 16): int(at, 16) + len(code.replace(" ", "")) // 2 - 2 for at, code in
             re.findall(rf"^ *([0-9a-f]+):\t([0-9a-f ]+)\t(?:blx?|jal)\t[0-9a-f]+ <\w*{HOOK}\w*>",
                        text, re.M)}
    start = int(re.search(rf"^([0-9a-f]+) <{first}>:", text, re.M)[1], 16)
    running, counts = False, collections.Counter()
    for event in emulator.events(firmware.log()):
        running = running or event == start
        if running and event in calls:
            counts[calls[event]] += 1
    return counts


class Blocks(unittest.TestCase):
    maxDiff = None

    def check_whole(self, run):
        info = run.info()
        self.assertTrue(info["complete"])
        self.assertEqual(info["damaged"], 0)
        self.assertFalse(info["mismatch"])
        self.assertIn("crc cbf43926 743a6e66\n", run.console)
        return info

    def test_exact_with_every_cache(self):
        for board in WITH_BLOCKS:
            counts = []
            for entries, wait in ((0, 0), (0, 1), (1, 0), (8, 1), (128, 0)):
                with self.subTest(board=board, entries=entries, wait=wait):
                    run = Run(board, "updcrc",
                              f"-DMCUPROF_ENTRIES={entries} -DMCUPROF_WAIT={wait} "
                              "-DMCUPROF_RING_BYTES=4096 -DBOARD_COUNT_SAMPLES")
                    info = self.check_whole(run)
                    found, by_line = blocks(run), busiest(run)
                    counts.append(sorted(found.values()))
                    self.assertEqual(counts[0], counts[-1])
                    self.assertEqual({line: by_line.get(line) for line in marked()},
                                     marked())
                    self.assertEqual(info["blocks"],
                                     {"received": sum(found.values()), "lost": 0})
                    self.assertEqual(info["arcs"], {"received": 29, "lost": 0})
                    self.assertEqual(info["samples"],
                                     {"received": run.said("samples"), "lost": 0})

    def test_optimisation_levels(self):
        for board in ("microbit", "mps2-an385", "virt", "versatilepb"):
            for optimise in ("-O0", "-O1", "-O2", "-O3"):
                with self.subTest(board=board, optimise=optimise):
                    run = Run(board, "updcrc", "-DMCUPROF_RING_BYTES=4096", optimise)
                    self.check_whole(run)
                    self.assertEqual(run.info()["blocks"]["lost"], 0)
                    if optimise != "-O3": # it unrolls
                        found = busiest(run)
                        self.assertEqual(found[46], 1209)
                        self.assertEqual(found[43], 2)
                        self.assertRegex(output("annotate", "-e", run.elf, run.capture),
                                         r"(?m) 1209 +46  ")

    def test_what_the_emulator_saw(self):
        for board in ("microbit", "mps2-an385", "virt", "versatilepb"):
            with self.subTest(board=board):
                knobs = "-DMCUPROF_PATHS=0 -DMCUPROF_ENTRIES=8 -DMCUPROF_RING_BYTES=4096"
                run = Run(board, "updcrc", knobs)
                # main's first block runs before mcuprof_start()
                seen = executed(emulator.Firmware("updcrc", knobs, board), "make_table")
                self.assertEqual(run.info()["blocks"]["lost"], 0)
                self.assertEqual(blocks(run), seen)

    def test_conditional_code_is_marked(self):
        """A branch that became conditional instructions has no block: its line shows the count
        of the block around it, 2,048 for 1,024, marked. A line that is not marked shows what is
        true; where no block has its code, it shows nothing."""
        true = {str(number): count
                for number, count in marked("examples/conditional/conditional.c").items()}
        for board, told_so in (("mps2-an385", True), ("versatilepb", True), ("microbit", False)):
            with self.subTest(board=board):
                run = Run(board, "conditional")
                functions, text, _ = annotate("-e", run.elf, run.capture)
                rows = next(f for f in functions if f.name == "find_most").rows
                told = {row.line: (row.ran, row.at_most) for row in rows if row.line in true}
                self.assertEqual(told.pop("19"), (2048, True) if told_so else (None, False))
                self.assertEqual(told, {line: (ran, False) for line, ran in true.items()
                                        if line != "19"})
                self.assertEqual("(≤ conditional code: its block's)" in text, told_so)
                _, text, _ = annotate("--asm", "--focus", "find_most", "-e", run.elf, run.capture)
                self.assertEqual(re.findall(r" (≤\d+) .*\bmov(?:hi|cc)\b", text),
                                 ["≤2048"] * (2 if told_so else 0))

    def test_loss_is_counted(self):
        for board in WITH_BLOCKS:
            whole = blocks(Run(board, "updcrc", "-DMCUPROF_ENTRIES=128"))
            expected = sorted(whole.values())
            for entries, cycles in ((0, 2000), (1, 5000), (4, 20000)):
                with self.subTest(board=board, entries=entries):
                    run = Run(board, "updcrc", f"-DMCUPROF_ENTRIES={entries} "
                              f"-DBOARD_LINK_CYCLES={cycles} -DMCUPROF_RING_BYTES=64 "
                              "-DBOARD_COUNT_SAMPLES -DMCUPROF_SAMPLE_HZ=5000")
                    info = self.check_whole(run)
                    self.assertGreater(info["blocks"]["lost"], 0)
                    self.assertEqual(info["blocks"]["received"] + info["blocks"]["lost"],
                                     sum(expected))
                    self.assertEqual(info["arcs"]["received"] + info["arcs"]["lost"], 29)
                    self.assertEqual(info["samples"]["received"] + info["samples"]["lost"],
                                     run.said("samples"))

    def test_blocks_beside_calls_and_interrupts(self):
        """Each call enters the first block of a function once, so both counts are equal; and all
        calls are known ones, also in interrupts."""
        for board in WITH_BLOCKS:
            for entries in (0, 8):
                with self.subTest(board=board, entries=entries):
                    run = Run(board, "truth", "-DMCUPROF_BLOCKS=1 -DMCUPROF_RING_BYTES=8192 "
                              f"-DMCUPROF_ENTRIES={entries}", cflags=FLAGS)
                    info, calls = run.info(), run.calls()
                    self.assertEqual(run.said("failures"), 0)
                    self.assertEqual(calls, truth(board, run.said("rounds")))
                    self.assertEqual(info["blocks"]["lost"], 0)
                    found = blocks(run)
                    functions = collections.Counter()
                    for address, (function, _) in places(run, list(found)).items():
                        functions[function] += found[address]
                    for function in ("leaf", "work", "count_tick", "op_add", "args8"):
                        self.assertEqual(functions[function],
                                         sum(count for (_, callee), count in calls.items()
                                             if callee == function), function)

    def test_any_kinds_together(self):
        for arcs, samples in ((0, 0), (0, 1), (1, 0)):
            with self.subTest(arcs=arcs, samples=samples):
                run = Run("microbit", "updcrc",
                          f"-DMCUPROF_ARCS={arcs} -DMCUPROF_SAMPLES={samples}")
                info = self.check_whole(run)
                self.assertEqual(info["arcs"], {"received": 29 * arcs, "lost": 0})
                self.assertEqual(info["samples"]["received"] > 0, samples == 1)
                self.assertEqual(busiest(run)[46], 1209)

    def test_gnu_gprof_annotates(self):
        run = Run("microbit", "updcrc")
        gmon = run.capture + ".gmon"
        output("export", "-e", run.elf, "--to", "gmon", "-o", gmon, run.capture)
        text = subprocess.run([BOARDS[run.board].tools + "gprof", "-b", "-l", "-A", run.elf, gmon],
                              check=True, capture_output=True, text=True, timeout=180).stdout
        for times, line in (("27", "{"), ("27,25", "if (bytes == NULL)"),
                            ("2", "crc = 0xFFFFFFFFu;"), ("1234,25,25", "while (size-- > 0)"),
                            ("1209", "crc = table["), ("27", "return crc")):
            self.assertRegex(text, rf"\n +{times} -> +{re.escape(line)}")
        listed = subprocess.run([BOARDS[run.board].tools + "gprof", "-b", "-l", "-C", run.elf, gmon],
                                check=True, capture_output=True, text=True,
                                timeout=180).stdout
        self.assertRegex(listed, r"updcrc.c:46: \(updcrc:0x[0-9a-f]+\) 1209 executions")

    def test_samples_and_report_are_as_without(self):
        run = Run("microbit", "updcrc")
        text = output("report", "-e", run.elf, run.capture)
        self.assertIn("make_table", text)
        self.assertIn("blocks", output("info", run.capture))


if __name__ == "__main__":
    unittest.main()
