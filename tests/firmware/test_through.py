# SPDX-License-Identifier: MIT
"""Paths go on into interrupted code: on the process stack and the main one, with the FPU's
registers stacked and without, in threads of an operating system. tests/real compares each path with
the emulator's log; this module tests boards, options and refusals."""
import collections
import json
import os
import re
import subprocess
import unittest

from firmware import CORTEX_M, MCUPROF, Run, output

THROUGH = "-DMCUPROF_THROUGH_INTERRUPTS=1 -DMCUPROF_ARCS=0"
OPTION = "--through-interrupts"
INTERRUPT = "<interrupt>"
UNHOOKED = ("HOOKS=0",)
# In tests/rigs/stacks: the turns that each function runs in a round, and which function may call
# which.
TURNS = {"on_process_stack": 4000, "with_fp_registers": 4000, "in_ram": 2000,
         "called_from_ram": 1000}
HANDLERS = {"on_timer", "board_tick_entry", "mcuprof_link_isr", "mcuprof_link_entry"}
# The functions of each thread in examples/chibios/shield.c.
THREADS = {"sensor": {"read_sensor", "filter"}, "control": {"update", "scale"},
           "display": {"draw", "scale"}, "worker": {"work", "scale"}}
OWN = set(THREADS) | set().union(*THREADS.values())


def paths(run, *options):
    """Returns {functions, outermost first: samples} from the folded export."""
    found = collections.Counter()
    for line in output("export", "--to", "folded", "-e", run.elf, *options,
                       run.capture).splitlines():
        path, _, count = line.rpartition(" ")
        found[tuple(path.split(";"))] += int(count)
    return found


def parts(path):
    """Splits a path at interrupts: the program's part, then each handler's."""
    split = [[]]
    for name in path:
        if name == INTERRUPT:
            split.append([])
        else:
            split[-1].append(name)
    return split


def up_to_handlers(found):
    """Makes, of paths through interrupts, the paths that there are without the option."""
    ended = collections.Counter()
    for path, count in found.items():
        last = parts(path)[-1]
        ended[(INTERRUPT, *last) if INTERRUPT in path else path] += count
    return ended


def refused(*arguments):
    """Returns the only line of an error that is no usage error."""
    ran = subprocess.run([MCUPROF, *arguments], capture_output=True, text=True, timeout=180)
    lines = ran.stderr.splitlines()
    assert ran.returncode == 3 and len(lines) == 1, (ran.returncode, ran.stderr)
    return lines[0]


class Through(unittest.TestCase):
    def test_process_stack_and_fpu(self):
        for board in CORTEX_M:
            with self.subTest(board=board):
                run = Run(board, "stacks", f"{THROUGH} -DMCUPROF_SAMPLE_HZ=5000",
                          variables=UNHOOKED)
                found, hit = paths(run, OPTION), collections.Counter()
                for path, count in found.items():
                    program, *handlers = parts(path)
                    for handler in handlers:
                        self.assertIn(handler[0], HANDLERS, path)
                    if handlers:
                        self.assertFalse(set(program) & HANDLERS, path)
                        # main left its stack, so its caller is not found, or a wrong one is found
                        # by chance above the new stack
                        self.assertIn(program[0], ("[unknown]", "reset_handler"), path)
                        hit[program[-1]] += count
                self.assertGreater(sum(hit.values()), 200)
                for function, turns in TURNS.items():
                    expected = sum(hit.values()) * turns / sum(TURNS.values())
                    self.assertGreater(hit[function], expected / 2, hit)
                self.assertEqual(up_to_handlers(found), paths(run))

    def assert_in_order(self, path, chain):
        """Checks that the functions of the chain that are in the path come in the chain's
        order."""
        places = [chain.index(name) for name in path if name in chain]
        self.assertEqual(places, sorted(places), path)

    def test_main_stack_and_depth(self):
        """Recursion of depth 30 hits one of depth 100; paths have 40 or 62 frames."""
        program = ["reset_handler", "main", "down"]
        handler = ["board_tick_entry", "on_timer", "on_tick", "down_in_tick"]
        for board, depth in (("microbit", 40), ("mps2-an505", 40), ("mps2-an505", 62)):
            with self.subTest(board=board, depth=depth):
                run = Run(board, "deep", f"{THROUGH} -DMCUPROF_PATHS={depth} "
                          "-DMCUPROF_SAMPLE_HZ=16000 -DMCUPROF_RING_BYTES=1024 "
                          "-DTICKS=500 -DBOARD_COUNT_SAMPLES")  # the hooks keep the recursion
                self.assertEqual(run.said("failures"), 0)
                hit = 0
                for path, count in paths(run, OPTION).items():
                    below, *above = parts(path)
                    if above and "down_in_tick" in above[-1]:
                        hit += count
                        self.assert_in_order(below, program)
                        self.assertFalse(set(below) & set(handler), path)
                        self.assert_in_order(above[-1], handler)
                        self.assertFalse(set(above[-1]) & set(program), path)
                        self.assertLessEqual(above[-1].count("down_in_tick"), 31)
                self.assertGreater(hit, 5)
                self.assertGreater(run.info()["paths"]["cut"], 5)

    def test_threads(self):
        for board in ("mps2-an385", "microbit"):
            with self.subTest(board=board):
                run = Run(board, "chibios", f"{THROUGH} -DMCUPROF_TASKS=8 "
                          "-DMCUPROF_SAMPLE_HZ=20000 -DMCUPROF_RING_BYTES=1024",
                          variables=UNHOOKED)
                hit, whole = 0, 0
                for (task, *path), count in paths(run, OPTION).items():
                    program, *handlers = parts(path)
                    if not handlers:
                        continue
                    self.assertIn(task, ("[__wrap_board_tick_entry]", "[mcuprof_link_entry]",
                                         "[SysTick]", "[SVCall]", "[PendSV]"))
                    hit += count
                    whole += count * (program[0] == "_port_thread_start")
                    own = [name for name in program if name in OWN]
                    if own and own[0] in THREADS:
                        self.assertLessEqual(set(own[1:]), THREADS[own[0]], path)
                self.assertGreater(hit, 20)
                self.assertGreater(whole, 0.9 * hit)
                self.assertNotIn(INTERRUPT, " ".join(name for _, *path in paths(run)
                                                     for name in path))

    def test_everywhere(self):
        """Either all commands that show paths go on into interrupted code, or none does."""
        run = Run("mps2-an386", "stacks", f"{THROUGH} -DMCUPROF_SAMPLE_HZ=5000",
                  variables=UNHOOKED)
        total, samples = {}, {}
        for option in ((), (OPTION,)):
            model = json.loads(output("export", "--to", "json", "-e", run.elf, *option,
                                      run.capture))
            names = [function["name"] for function in model["functions"]]
            total[option] = dict(zip(names, (function["total_seconds"]
                                             for function in model["functions"])))
            samples[option] = sum(stack["count"] for stack in model["stacks"])
            self.assertEqual(option != (), any("hit" in stack for stack in model["stacks"]))
            arcs = {(names[arc["caller"]] if arc["caller"] is not None else None,
                     names[arc["callee"]]): arc["interrupt"]
                    for arc in model["function_calls"]}
            self.assertEqual(arcs.get(("on_process_stack", "on_timer")), True if option else None)
            self.assertEqual(arcs.get((None, "on_timer")), None if option else True)
            self.assertFalse(arcs["program", "on_process_stack"])
            report = [output("report", "-e", run.elf, *option, *what, run.capture) for what in
                      ((), ("--paths",), ("--callers", "on_timer"), ("--callees", "program"))]
            for text in report:
                self.assertIn("on_timer" if option else "on_process_stack", text + report[0])
            self.assertEqual("on_process_stack" in report[2].split("Callers")[-1], option != ())
            self.assertEqual(INTERRUPT in report[3], option != ())
            output("annotate", "-e", run.elf, "--focus", "program", *option, run.capture)
            for form in ("dot", "callgrind"):
                text = output("export", "--to", form, "-e", run.elf, *option, run.capture)
                self.assertIn("on_timer", text)
        self.assertEqual(len(set(samples.values())), 1)
        self.assertGreater(total[OPTION,]["on_process_stack"], total[()]["on_process_stack"])
        self.assertAlmostEqual(total[OPTION,]["on_timer"], total[()]["on_timer"])
        merged = run.capture + ".merged"
        output("merge", "-o", merged, run.capture, run.capture)
        info = json.loads(output("info", "--json", merged))
        self.assertTrue(info["paths"]["through_interrupts"])
        self.assertGreater(info["paths"]["interrupt"], 0)
        run.capture = merged
        self.assertEqual(up_to_handlers(paths(run, OPTION)), paths(run))
        os.remove(merged)

    def test_refused(self):
        """The option is refused for a capture without such paths, whether the processor can have
        them or not."""
        run = Run("mps2-an385", "blinky", "-DMCUPROF_ARCS=0", variables=UNHOOKED)
        self.assertFalse(run.info()["paths"]["through_interrupts"])
        for command in (("report", "-e", run.elf), ("annotate", "-e", run.elf),
                        ("export", "--to", "folded", "-e", run.elf)):
            self.assertIn("MCUPROF_THROUGH_INTERRUPTS=1",
                          refused(*command, OPTION, run.capture))
        run = Run("virt", "blinky", "-DMCUPROF_ARCS=0", variables=UNHOOKED)
        self.assertIn("riscv", refused("report", OPTION, "-e", run.elf, run.capture))
        self.assertIn("MCUPROF_THROUGH_INTERRUPTS=1", refused(
            "export", "--to", "json", OPTION, "tests/data/kl25z-blinky/blink1gmon.out"))

    def test_ports_that_cannot_know(self):
        for board in ("virt", "versatilepb", "leon3", "atmega1284p"):
            with self.subTest(board=board), self.assertRaisesRegex(
                    AssertionError, "only on a Cortex-M is it known what an interrupt hit"):
                Run(board, "blinky", "-DMCUPROF_THROUGH_INTERRUPTS=1 -DMCUPROF_PATHS=12")


if __name__ == "__main__":
    unittest.main()
