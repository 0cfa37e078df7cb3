# SPDX-License-Identifier: MIT
"""Tests for LEON3 alone: software traps mask interrupts, as in RTEMS; counters of tasks; the hook
into RTEMS' clock and end, against declarations of RTEMS' API, and run with what is behind them."""
import collections
import json
import math
import os
import re
import subprocess
import unittest

from firmware import Run, output
from truth import truth

BOARD = "leon3"


class Leon3(unittest.TestCase):
    def test_masking_by_traps(self):
        for entries in (0, 8):
            with self.subTest(entries=entries):
                run = Run(BOARD, "truth", "-DMCUPROF_IRQ_TRAPS=1 -DBOARD_COUNT_SAMPLES "
                          f"-DMCUPROF_RING_BYTES=4096 -DMCUPROF_ENTRIES={entries}")
                info = run.info()
                self.assertEqual(run.said("failures"), 0)
                self.assertEqual(run.calls(), truth(BOARD, run.said("rounds")))
                self.assertEqual(info["samples"],
                                 {"received": run.said("samples"), "lost": 0})

    def test_optimisation_levels(self):
        for optimise in ("-O0", "-O1", "-O2", "-O3", "-Os -mflat"):
            with self.subTest(optimise=optimise):
                run = Run(BOARD, "truth", "-DMCUPROF_RING_BYTES=4096", optimise)
                self.assertEqual(run.said("failures"), 0)
                # the board's handler may have been inlined into the dispatcher
                got, expected = (
                    {("handler" if callee == "on_timer" else caller, callee): count
                     for (caller, callee), count in calls.items()}
                    for calls in (run.calls(), truth(BOARD, run.said("rounds"))))
                self.assertEqual(got, expected)

    def test_tasks(self):
        """The hooks are C code here: each counts for the task that is running, with paths and
        without."""
        for knobs in ("", "-DMCUPROF_PATHS=0", "-DMCUPROF_ENTRIES=0 -DMCUPROF_RING_BYTES=4096"):
            with self.subTest(knobs=knobs):
                run = Run(BOARD, "robin", f"-DMCUPROF_TASKS=8 -DMCUPROF_SAMPLE_HZ=4000 {knobs}")
                works = {"red": 2 / 12, "green": 4 / 12, "blue": 6 / 12}
                models = {task: json.loads(output("export", "--to", "json", "--task", task, "-e",
                                                  run.elf, run.capture)) for task in works}
                self.assertEqual([model["events"]["arcs"]["received"]
                                  for model in models.values()], [2000] * 3)
                turns = {task: {function["name"]: function["samples"]
                                for function in model["functions"] if function["name"] in works}
                         for task, model in models.items()}
                self.assertEqual([list(names) for names in turns.values()],
                                 [[task] for task in works])  # its own function, no other's
                every = sum(turns[task][task] for task in works)
                for task, share in works.items():
                    self.assertLess(abs(turns[task][task] - share * every),
                                    5 * math.sqrt(share * (1 - share) * every))

    def compile_rtems(self, *knobs):
        return subprocess.run(
            ["sparc64-linux-gnu-gcc", "-m32", "-mcpu=leon3", "-ffreestanding", "-std=c11",
             "-Os", "-Wall", "-Wextra", "-Wshadow", "-Werror", "-Itests/rtems",
             "-Itarget/include", "-Itarget/core", "-Itarget/arch/sparc", "-Iwire",
             "-DMCUPROF_TIMER_HZ=1000000", *knobs, "-c", "-o", os.devnull,
             "target/os/rtems/mcuprof_rtems.c"], capture_output=True, text=True, timeout=180)

    def test_rtems_hook_compiles(self):
        for version in (5, 6):
            for tasks in (0, 8):
                made = self.compile_rtems("-DMCUPROF_DITHER=0", "-DMCUPROF_IRQ_TRAPS=1",
                                          f"-D__RTEMS_MAJOR__={version}",
                                          f"-DMCUPROF_TASKS={tasks}")
                self.assertEqual(made.returncode, 0, made.stderr)

    def test_rtems_header_serves_cpp(self):
        """Debian has no C++ for SPARC; Arm's compiler reads the header as well."""
        code = """
            #include "mcuprof_rtems.h"
            extern const rtems_extensions_table extensions[];
            const rtems_extensions_table extensions[] = {MCUPROF_RTEMS_EXTENSION};
            bool init(void);
            bool init(void)
            {
                return mcuprof_rtems_link(3) && mcuprof_rtems_hook(8) && mcuprof_rtems_hooked();
            }"""
        made = f"build/firmware/{BOARD}/rtems_cpp.o"
        os.makedirs(os.path.dirname(made), exist_ok=True)
        for standard in ("c++98", "c++11", "c++14", "c++17", "c++20", "c++23"):
            with self.subTest(standard=standard):
                ran = subprocess.run(
                    ["arm-none-eabi-g++", f"-std={standard}", "-Wall", "-Wshadow", "-Werror",
                     "-Itests/rtems", "-Itarget/os/rtems", "-Itarget/include", "-Iwire",
                     "-DMCUPROF_TASKS=8", "-DMCUPROF_TIMER_HZ=1000000", "-x", "c++", "-c",
                     "-o", made, "-"], input=code, capture_output=True, text=True, timeout=180)
                self.assertEqual(ran.returncode, 0, ran.stderr)
                names = subprocess.run(["arm-none-eabi-nm", "-u", made], capture_output=True,
                                       text=True, check=True).stdout.split()
                for name in ("link", "hook", "hooked", "begun", "switched", "deleted", "ended"):
                    self.assertIn(f"mcuprof_rtems_{name}", names)

    def test_rtems_hook_refuses_what_would_not_work(self):
        for knobs, words in ((["-DMCUPROF_DITHER=0"], "MCUPROF_IRQ_TRAPS=1"),
                             (["-DMCUPROF_IRQ_TRAPS=1"], "MCUPROF_DITHER=0")):
            made = self.compile_rtems(*knobs)
            self.assertNotEqual(made.returncode, 0)
            self.assertIn(words, made.stderr)

    def test_rtems_end_sends_the_profile(self):
        """RTEMS' clock samples, profil()'s histogram is that of the samples, and the end of the
        system sends what is left, with interrupts masked, where its extension is in."""
        run = Run(BOARD, "ends")
        self.assertTrue(run.info()["complete"])
        model, truth_of = run.model(), collections.Counter()
        self.assertEqual(model["events"]["samples"]["lost"], 0)
        for sample in model["samples"]:
            truth_of[(sample["address"] - 0x40000000) // 4] += sample["count"]
        self.assertEqual({int(bin): int(count) for bin, count in re.findall(
            r"^bin (\d+) (\d+)$", run.console, re.M)}, truth_of)
        samples = {each["name"]: each["samples"] for each in model["functions"]}
        self.assertGreater(samples["one"], 80)
        self.assertGreater(samples["two"], 1.3 * samples["one"])  # it works twice as long
        self.assertFalse(Run(BOARD, "ends", "-DNO_EXTENSION").info()["complete"])


if __name__ == "__main__":
    unittest.main()
