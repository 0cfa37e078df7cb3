# SPDX-License-Identifier: MIT
"""ARMv4T and ARMv5 beyond the board's defaults: A32 and T32 code call each other, with the library
in either state; FIQs hit a path in the FIQ's own registers."""
import collections
import os
import re
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../bench"))
import emulator  # noqa: E402
from annotated import annotate  # noqa: E402
from firmware import Run  # noqa: E402
from test_blocks import blocks, executed, marked, places  # noqa: E402
from truth import truth  # noqa: E402

KNOBS = "-DBOARD_COUNT_SAMPLES -DMCUPROF_RING_BYTES=4096 "
T32 = "-mthumb $(MCUPROF_THUMB1_CFLAGS)"
MIXED = "-mflip-thumb $(MCUPROF_THUMB1_CFLAGS)"  # functions alternate between the states


class Arm(unittest.TestCase):
    def check(self, knobs, cpu, library, example, optimise="-Os"):
        run = Run("versatilepb", "truth", KNOBS + knobs, optimise, cflags=example,
                  variables=[f"BOARD_CPU={cpu}", f"BOARD_STATE={library}"])
        info = run.info()
        expected = truth("versatilepb", run.said("rounds"))
        self.assertEqual(run.said("failures"), 0)
        self.assertEqual(run.calls(), expected)
        self.assertEqual(info["arcs"], {"received": sum(expected.values()), "lost": 0})
        self.assertEqual(info["samples"], {"received": run.said("samples"), "lost": 0})
        self.assertGreater(run.said("samples"), 20)
        return run

    def test_states(self):
        for cpu in ("arm7tdmi", "arm926ej-s"):
            for library in ("-marm", "-mthumb"):
                for example in (T32, MIXED):
                    with self.subTest(cpu=cpu, library=library, example=example):
                        self.check("-DMCUPROF_ENTRIES=8", cpu, library, example)

    def test_mixed(self):
        for entries, optimise in ((0, "-O1"), (1, "-O2"), (1024, "-O3"), (8, "-O0")):
            with self.subTest(entries=entries, optimise=optimise):
                run = self.check(f"-DMCUPROF_ENTRIES={entries} -DMCUPROF_SAMPLE_HZ=20000 "
                                 "-DMCUPROF_PATHS=0", "arm7tdmi", "-marm", MIXED, optimise)
                self.assertGreater(run.said("samples"), 1000)

    def test_blocks(self):
        """Each call enters the first block of a function once, in either state."""
        run = Run("versatilepb", "truth", KNOBS + "-DMCUPROF_BLOCKS=1 -DMCUPROF_ENTRIES=64",
                  cflags=MIXED + " -fsanitize-coverage=trace-pc",
                  variables=["BOARD_CPU=arm7tdmi"])
        calls, found = run.calls(), blocks(run)
        self.assertEqual(calls, truth("versatilepb", run.said("rounds")))
        self.assertEqual(run.info()["blocks"]["lost"], 0)
        at = places(run, list(found))
        for name in ("leaf", "work", "op_add", "op_sub"):  # one block each
            within = [count for address, count in found.items() if at[address][0] == name]
            self.assertEqual(within, [sum(count for (_, callee), count in calls.items()
                                          if callee == name)], name)

    def test_blocks_of_both_states(self):
        """Each block ran as often as in the emulator, and has the right line. T32 code calls A32's
        hook by BLX, or by a veneer where there is no BLX."""
        for cpu, linker in (("arm926ej-s", "-Wl,--use-blx"), ("arm7tdmi", "")):
            for library in ("-marm", "-mthumb"):
                with self.subTest(cpu=cpu, library=library):
                    knobs = ("-DMCUPROF_PATHS=0 -DMCUPROF_ENTRIES=8 "
                             "-DMCUPROF_RING_BYTES=4096")
                    cflags = MIXED + " -fsanitize-coverage=trace-pc -fno-lto"
                    variables = [f"BOARD_CPU={cpu}", f"BOARD_STATE={library}",
                                 f"EXAMPLE_LDFLAGS={linker}"]
                    run = Run("versatilepb", "updcrc", knobs, "-O1", cflags, variables)
                    firmware = emulator.Firmware(
                        "updcrc", knobs, "versatilepb",
                        [*variables, "OPTIMISE=-O1", f"EXAMPLE_CFLAGS={cflags}"])
                    self.assertEqual(run.info()["blocks"]["lost"], 0)
                    self.assertEqual(blocks(run), executed(firmware, "make_table"))
                    self.check_states(run)
                    self.check_lines(run)

    def check_states(self, run):
        """Checks that blocks were counted in functions of both states."""
        text = subprocess.run(["arm-none-eabi-readelf", "-sW", run.elf], check=True, text=True,
                              capture_output=True, timeout=180).stdout
        odd = {name: int(value, 16) & 1 for value, name in
               re.findall(r": ([0-9a-f]{8}) +\d+ FUNC .* (\S+)$", text, re.M)}
        at = places(run, list(blocks(run)))
        states = collections.Counter(odd[function] for function in
                                     {function for function, _ in at.values()})
        self.assertEqual(sorted(states), [0, 1])

    def check_lines(self, run):
        functions, _, _ = annotate("-e", run.elf, run.capture)
        ran = {int(row.line): row.ran for function in functions for row in function.rows
               if row.line.isdigit()}
        # the busiest block of a loop's line does not count the last test of the loop's condition;
        # the begins and ends of functions are only known as blocks
        lines = marked() | {22: 1, 39: 27, 45: 1209, 50: 27, 53: 1, 57: 24, 61: 1}
        self.assertEqual({line: ran.get(line) for line in lines}, lines)

    def test_fiq_keeps_to_its_own_registers(self):
        run = self.check("-DMCUPROF_ENTRIES=8 -DMCUPROF_PATHS=0", "arm7tdmi", "-marm", "")
        text = subprocess.run(["arm-none-eabi-objdump", "-d", run.elf], text=True, check=True,
                              capture_output=True, timeout=180).stdout
        hit = 0
        for name in ("mcuprof_sample_isr", "mcuprof_timer_set"):
            code = text.split(f"<{name}>:\n")[1].split("\n\n")[0]
            within = re.sub(r"\tpush\t.*?\tpop\t[^\n]*", "", code, flags=re.S)  # a miss
            self.assertEqual(code != within, name == "mcuprof_sample_isr")
            for line in within.splitlines():
                operands = line.split(";")[0].split("\t", 3)[3:]
                hit += len(operands)
                self.assertNotRegex("".join(operands), r"\b(r[0-7]|sp)\b", line)
        self.assertGreater(hit, 30)


if __name__ == "__main__":
    unittest.main()
