# SPDX-License-Identifier: MIT
"""Timed calls: firmware whose calls are known exactly, with every size of cache and both
policies for a full ring. Every count equals the truth, and the time adds up."""
import itertools
import subprocess
import unittest

from firmware import BOARDS, WITH_CLOCK, Run
from truth import truth

BOARD = "mps2-an385"
SAVING, RETURN = 0.7, 1  # of the instructions around the hooks, and the one that is not of them
ALL = (BOARD, "atmega1284p", "leon3")  # these run all sizes and policies, other boards one of each
# With a line of 1 Mbaud at 8 MHz, events of interrupts are lost, because interrupts may not wait.
TOO_MUCH = {("atmega1284p", 0), ("atmega1284p", 1)}
ENTRIES = {"0": 0, "1": 1, "8": 8, "all": 64}


class Calls(unittest.TestCase):
    maxDiff = None

    def capture(self, board, entries, wait):
        run = Run(board, "truth", f"-DMCUPROF_CALLS=1 -DMCUPROF_ENTRIES={entries} "
                  f"-DMCUPROF_WAIT={wait} -DMCUPROF_SAMPLES=0 -DMCUPROF_DEPTH=40 "
                  "-DMCUPROF_RING_BYTES=4096")
        self.assertEqual(run.said("failures"), 0)
        return run

    def check_counts(self, run, model, entries):
        expected = truth(run.board, run.said("rounds"))
        info = run.info()
        self.assertTrue(info["complete"])
        self.assertEqual(info["damaged"], 0)
        if (run.board, entries) in TOO_MUCH:
            for key, count in run.calls().items():
                self.assertLessEqual(count, expected.get(key, 0), key)
            self.assertEqual(sum(info["calls"].values()), sum(expected.values()))
            return
        self.assertEqual(run.calls(), expected)
        self.assertEqual(info["calls"], {"received": sum(expected.values()), "lost": 0})
        timed = {(None if arc["caller"] is None else
                  model["functions"][arc["caller"]]["name"],
                  model["functions"][arc["callee"]]["name"]):
                 arc["timed"]["calls"] + arc["timed"]["recursive_calls"]
                 for arc in model["function_calls"]}
        self.assertEqual(timed, expected)

    def check_times(self, model):
        for call in model["calls"]:
            self.assertLessEqual(call["self_ticks"], call["total_ticks"])
            mean = call["total_ticks"] / call["count"]
            self.assertLessEqual(call["shortest_ticks"], mean)
            self.assertGreaterEqual(call["longest_ticks"], mean)
        functions = {f["name"]: f["timed"] for f in model["functions"] if f["timed"]}
        for name, timed in functions.items():
            if name not in ("is_even", "is_odd"):  # in a cycle only calls from outside have a total
                self.assertLessEqual(timed["self_ticks"], timed["total_ticks"], name)
        if {"is_odd", "fibonacci", "recursion"} <= functions.keys():  # some were received
            self.assertEqual(functions["is_odd"]["total_ticks"], 0)
            self.assertGreater(functions["is_odd"]["self_ticks"], 0)
            self.assertEqual(functions["fibonacci"]["calls"], 1)
            self.assertLess(functions["fibonacci"]["total_ticks"],
                            functions["recursion"]["total_ticks"])
        return functions

    def check_run(self, model, functions):
        run, base = model["timed_run"], model["time_base"]
        pairs = sum(call["count"] for call in model["calls"])
        profiler = (pairs * (base["inside_ticks"] + base["outside_ticks"])
                    + base["other_ticks"] + run["saving_ticks"])
        self.assertEqual(run["run_ticks"], base["run_ticks"])
        self.assertEqual(run["profiler_ticks"], profiler)
        self.assertEqual(run["self_ticks"],
                         sum(timed["self_ticks"] for timed in functions.values()))
        self.assertEqual(run["self_ticks"] + run["profiler_ticks"]
                         + run["unfinished_ticks"], run["run_ticks"])
        self.assertGreater(run["unfinished_ticks"], 0)  # main() has not ended
        self.assertFalse(run["unfinished_is_at_most"])

    def check(self, board, entries, wait):
        run = self.capture(board, entries, wait)
        model = run.model()
        self.check_counts(run, model, entries)
        functions = self.check_times(model)
        if run.info()["calls"]["lost"] == 0:
            self.check_run(model, functions)

    def test_each_caller_has_its_own_share(self):
        run = Run(BOARD, "callers", "-DMCUPROF_CALLS=1 -DMCUPROF_SAMPLES=0")
        model = run.model()
        tick_ns = 1e9 / model["time_base"]["hz"]
        names = [f["name"] for f in model["functions"]]
        timed = {(names[arc["caller"]], names[arc["callee"]]): arc["timed"]
                 for arc in model["function_calls"]}
        address = model["functions"][names.index("filter")]["address"]
        measured = [call for call in model["calls"] if call["to"] == address]
        measured.sort(key=lambda call: call["total_ticks"])
        around = self.around_hooks(run, "filter")
        around -= SAVING * (around - RETURN)  # what saves registers for the hooks is theirs
        around *= BOARDS[BOARD].turn_ns / 2 / tick_ns
        self.assertEqual(len(measured), 2)
        for caller, turns, call in (("fast", 1000, measured[0]), ("slow", 9000, measured[1])):
            self.assertEqual(timed[caller, "filter"]["calls"], 100)
            expected = turns * BOARDS[BOARD].turn_ns / tick_ns
            for ticks in (call["shortest_ticks"], call["longest_ticks"],
                          call["total_ticks"] / 100):
                self.assertAlmostEqual(ticks, expected, delta=1.001)
            self.assertAlmostEqual((timed[caller, "filter"]["total_ticks"] - call["total_ticks"])
                                   / 100, around, delta=around / 10)

    @staticmethod
    def around_hooks(run, function):
        """Returns how many instructions a function has outside of its hooks, without those for
        arguments. Its loop has two instructions a turn."""
        code = subprocess.run(["arm-none-eabi-objdump", "-d", f"--disassemble={function}",
                               "--no-show-raw-insn", run.elf], capture_output=True, check=True,
                              text=True).stdout
        words = [line.split("\t")[1:] for line in code.splitlines() if ":\t" in line]
        calls = [at for at, line in enumerate(words) if "<__cyg_profile_func_" in line[-1]]
        leaves = next(at for at, line in enumerate(words) if line[0].startswith("pop"))
        return calls[0] - 2 + leaves - calls[-1]

    def test_link_is_in_no_call(self):
        """A function's measured time is the same if each call is sent, so that the link interrupts
        it at each byte (of some 10 a call), as if all calls are counted. The line takes a byte in
        160 ticks, as at 1.5 Mbaud: without that all bytes' interrupts follow each other at once, in
        step with the clock, and each is off by the same part of a tick."""
        took = []
        for entries in (0, 64):
            model = Run(BOARD, "callers", f"-DMCUPROF_CALLS=1 -DMCUPROF_ENTRIES={entries} "
                        "-DMCUPROF_SAMPLES=0 -DMCUPROF_RING_BYTES=4096 "
                        "-DBOARD_LINK_CYCLES=160").model()
            fast, = (f for f in model["functions"] if f["name"] == "fast")
            took.append(fast["timed"]["self_ticks"])
        self.assertAlmostEqual(*took, delta=10 * 100)  # it calls 100 times


def add(board, size, wait):
    def test(self):
        self.check(board, ENTRIES[size], wait)

    policy = "wait" if wait else "drop"
    setattr(Calls, f"test_{board.replace('-', '_')}_{size}_{policy}", test)


for combination in itertools.product(ALL, ENTRIES, (0, 1)):
    add(*combination)
for other in WITH_CLOCK:
    if other not in ALL:
        add(other, "8", 0)


if __name__ == "__main__":
    unittest.main()
