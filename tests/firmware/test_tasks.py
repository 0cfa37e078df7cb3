# SPDX-License-Identifier: MIT
"""Tasks and interrupts: a program of several threads on a real operating system. The calls of each
thread and interrupt equal the truth; their times add up to the run."""
import bisect
import collections
import os
import re
import subprocess
import sys
import unittest

from firmware import MCUPROF, Run

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "golden"))
from by_task import annotated, call_counts, frames  # noqa: E402

BOARDS = ["mps2-an385", "microbit"]
READINGS, FRAMES, PIXELS, WORKERS, WORK = 40, 30, 8, 5, 6  # as in examples/chibios/shield.c
TICK = {"mps2-an385": 16 + 9, "microbit": 16 + 9}  # the exception numbers of board_tick()
SYSTEM_TICK = 15
INTERRUPT = 0x1000


def truth(run, labels=False):
    """Returns {task: {(caller, callee): count}} of the program's own functions. Interrupts are
    keyed by number; the n-th worker is "worker n", or has the n-th label."""
    ticks, system_ticks = run.said("ticks"), run.said("system_ticks")
    calls = {
        "sensor": {("sensor", "read_sensor"): READINGS,
                   ("read_sensor", "filter"): 3 * READINGS},
        "control": {("control", "update"): READINGS, ("update", "scale"): READINGS},
        "display": {("display", "draw"): FRAMES, ("draw", "scale"): FRAMES * PIXELS},
        TICK[run.board]: {("on_tick", "count_tick"): ticks},
        SYSTEM_TICK: {("on_system_tick", "count_system_tick"): system_ticks},
    }
    for n in range(WORKERS):
        label = f"worker #{n + 1}" if n else "worker"
        calls[label if labels else f"worker {n}"] = {("worker", "work"): WORK,
                                                     ("work", "scale"): WORK}
    return calls


class Told:
    """The content of a capture, by task."""

    def __init__(self, run):
        self.model = run.model()
        symbols = sorted(
            (int(value, 16), name) for value, kind, name in
            (line.split() for line in subprocess.run(
                ["arm-none-eabi-nm", run.elf], check=True, capture_output=True,
                text=True).stdout.splitlines())
            if kind in "tTwW")
        self.addresses = [value for value, _ in symbols]
        self.functions = [name for _, name in symbols]
        self.names, workers = {}, 0
        for task in self.model["tasks"]:
            name = task["interrupt"] or task["name"] or task["task"]
            if name == "worker":
                name, workers = f"worker {workers}", workers + 1
            self.names[task["task"]] = name

    def function(self, address):
        return self.functions[bisect.bisect(self.addresses, address) - 1]

    def calls(self, kind, functions):
        """Returns, as truth() does, the calls whose callee is one of these functions."""
        found = collections.defaultdict(collections.Counter)
        for call in self.model[kind]:
            callee = self.function(call["to"])
            if call["from"] and callee in functions:
                pair = self.function(call["from"] - 1), callee
                found[self.names[call["task"]]][pair] += call["count"]
        return {task: dict(calls) for task, calls in found.items()}

    def own(self):
        """Returns {task: (count, total)} of the tasks and interrupts themselves."""
        return {self.names[call["task"]]: (call["count"], call["total_ticks"])
                for call in self.model["calls"] if call["from"] == call["to"] == 0}

    def samples(self, of="samples"):
        shares = collections.Counter()
        for sample in self.model[of]:
            shares[self.names[sample["task"]]] += sample["count"]
        return shares


FUNCTIONS = {"read_sensor", "filter", "update", "scale", "draw", "count_tick",
             "count_system_tick", "work"}
CALLS = "-DMCUPROF_CALLS=1 -DMCUPROF_SAMPLES=0"
ROOM = {"mps2-an385": "-DMCUPROF_RING_BYTES=8192", "microbit": "-DMCUPROF_RING_BYTES=2048"}


class Tasks(unittest.TestCase):
    maxDiff = None
    example, variables, idle = "chibios", (), "idle"

    def run_with(self, board, knobs, variables=(), **others):
        run = Run(board, self.example, f"{knobs} -DBOARD_COUNT_SAMPLES",
                  variables=(*self.variables, *variables), **others)
        info = run.info()
        self.assertTrue(info["complete"], run.summary)
        self.assertEqual(info["damaged"], 0)
        return run, Told(run)

    def assert_nothing_lost(self, told):
        for kind, events in told.model["events"].items():
            self.assertEqual(events["lost"], 0, kind)

    def export(self, run, form):
        """Exports the capture; returns the file's path."""
        out = f"{run.capture}.{form}"
        subprocess.run([MCUPROF, "export", "--to", form, "--limit", "0", "-o", out,
                        "-e", run.elf, run.capture], check=True, timeout=180)
        return out

    def check_labels(self, run, calls):
        """Checks that an export's {label: {(caller, callee): count}} is the truth."""
        numbers = {"board_tick_entry": TICK[run.board], "SysTick": SYSTEM_TICK}
        found = {}
        for label, pairs in calls.items():
            label = label.strip("[]").removeprefix("__wrap_")  # a handler's name
            pairs = {pair: count for pair, count in pairs.items() if pair[1] in FUNCTIONS}
            if pairs:
                found[numbers.get(label, label)] = pairs
        self.assertEqual(found, truth(run, labels=True))

    def check_top(self, run):
        """The line that `top` prints has the same share of idle as the report's table of tasks."""
        line = subprocess.run([MCUPROF, "top", "-e", run.elf, run.capture], check=True, timeout=180,
                              capture_output=True, text=True).stdout
        table = subprocess.run([MCUPROF, "report", "--by", "task", "-e", run.elf, run.capture],
                               check=True, timeout=180, capture_output=True, text=True).stdout
        said = float(re.search(r"  idle ([\d.]+) %  ", line)[1])
        share = re.search(rf"^ *([\d.]+) .* {self.idle} \(idle\)$", table, re.M)[1]
        self.assertAlmostEqual(said, float(share), delta=0.51 if "." not in share else 0.06)

    def check_dot(self, run):
        """Checks the counts of the edges; timed calls have one for each call site."""
        calls = {}
        with open(self.export(run, "dot"), "rb") as dot:
            for label, (_, edges) in frames(dot.read()).items():
                pairs = calls[re.sub(r"( \(idle\))?:.*", "", label)] = collections.Counter()
                for caller, callee, text in edges:
                    counted = re.search(r"([\d,]+)\xd7", text)
                    if counted:  # other edges are known only from samples
                        pairs[caller, callee] += int(counted[1].replace(",", ""))
        self.check_labels(run, calls)

    def check_callgrind(self, run, told):
        """The total is the time of all tasks and interrupts, but for what functions save for their
        hooks; an object's is the time of its task, but for its part of that. The latter is rounded
        to ticks in each task and in all."""
        out = self.export(run, "callgrind")
        self.check_labels(run, call_counts(out))
        costs, total = annotated(out)
        shares = collections.Counter()
        for (_, task), cost in costs.items():
            shares[re.sub(" .*", "", task)] += cost
        own = {re.sub(" .*", "", str(task)): 0 for task in told.own()}
        for task, (_, ticks) in told.own().items():
            own[re.sub(" .*", "", str(task))] += ticks
        ns = 1e9 / told.model["time_base"]["hz"]
        saving = told.model["timed_run"]["saving_ticks"] * ns
        self.assertGreater(saving, 0)
        self.assertAlmostEqual(total, sum(own.values()) * ns - saving, delta=len(costs) * ns)
        for task in ("sensor", "control", "display", "worker", "main", self.idle):
            self.assertLess(shares[task], own[task] * ns + len(costs))
            self.assertGreater(shares[task], own[task] * ns - saving - len(costs))
        for task in ("main", self.idle):  # no function of theirs is timed
            self.assertAlmostEqual(shares[task], own[task] * ns, delta=len(costs))

    def check_arcs(self, board, knobs, **others):
        run, told = self.run_with(board, knobs, **others)
        self.assert_nothing_lost(told)
        self.assertEqual(told.calls("arcs", FUNCTIONS), truth(run))
        self.assertEqual([task["name"] for task in told.model["tasks"] if task["idle"]],
                         [self.idle] if told.model["samples"] else [])
        return run, told

    def test_arcs_and_samples(self):
        for board in BOARDS:
            for entries, wait in ((0, 1), (1, 0), (16, 1), (256, 0)):
                with self.subTest(board=board, entries=entries, wait=wait):
                    ring = "" if wait else ROOM[board]
                    run, told = self.check_arcs(
                        board, f"-DMCUPROF_ENTRIES={entries} -DMCUPROF_WAIT={wait} {ring}")
                    self.assertEqual(sum(told.samples().values()), run.said("samples"))
                    self.check_dot(run)
                    self.check_top(run)

    def test_arcs_only(self):
        for board in BOARDS:
            self.check_arcs(board, f"-DMCUPROF_SAMPLES=0 {ROOM[board]}")

    def test_kernel_profiled(self):
        for board in BOARDS:
            _, told = self.check_arcs(board, ROOM[board], variables=("KERNEL_PROFILED=1",))
            self.assertGreater(len(told.model["arcs"]), 100)

    def test_optimised(self):
        self.check_arcs("microbit", ROOM["microbit"], optimise="-O2")

    def test_times(self):
        for board in BOARDS:
            for entries, wait in ((0, 1), (16, 0), (64, 1)):
                with self.subTest(board=board, entries=entries, wait=wait):
                    self.check_times(board, f"-DMCUPROF_ENTRIES={entries} {ROOM[board]} "
                                     f"-DMCUPROF_WAIT={wait}")

    def check_times(self, board, knobs):
        run, told = self.run_with(board, f"{CALLS} {knobs}")
        self.assert_nothing_lost(told)
        self.assertEqual(told.calls("calls", FUNCTIONS), truth(run))
        self.check_dot(run)
        self.check_callgrind(run, told)
        self.check_top(run)
        own, base = told.own(), told.model["time_base"]
        workers = {f"worker {n}" for n in range(WORKERS)}
        self.assertEqual(set(own), workers | {"main", "sensor", "control", "display",
                                              self.idle, SYSTEM_TICK, TICK[board]})
        self.assertEqual(own[TICK[board]][0], run.said("ticks"))
        self.assertGreaterEqual(own["sensor"][0], 2)
        hooks = sum(call["count"] for call in told.model["calls"]
                    if call["from"] or call["task"] >= INTERRUPT)
        profiler = run.said("profiler") + hooks * (base["inside_ticks"] + base["outside_ticks"])
        total = sum(total for _, total in own.values()) + profiler
        self.assertAlmostEqual(total / run.said("run"), 1, delta=0.005)

    def test_nested_interrupts(self):
        """The system tick's time does not include the tick that interrupts it: its functions take
        as long as the same loop takes elsewhere."""
        run, told = self.run_with("microbit", f"{CALLS} -DMCUPROF_ENTRIES=64 {ROOM['microbit']}")
        self.assertGreater(run.said("nested"), 5)
        tick = [call for call in told.model["calls"]
                if call["from"] and self.is_call(told, call, "count_system_tick")]
        self.assertEqual(len(tick), 1)
        self.assertLess(tick[0]["longest_ticks"], tick[0]["shortest_ticks"] * 1.02)

    @staticmethod
    def is_call(told, call, callee):
        return told.function(call["to"]) == callee

    def test_samples(self):
        for board in BOARDS:
            with self.subTest(board=board):
                knobs = ("-DMCUPROF_ARCS=0 -DMCUPROF_PATHS=0 -DMCUPROF_SAMPLE_HZ=20000 "
                         f"-DTICK_US=150 {ROOM[board]}")  # some 20 samples hit the tick
                run, told = self.run_with(board, knobs)
                self.assert_nothing_lost(told)
                samples = told.samples()
                self.assertEqual(sum(samples.values()), run.said("samples"))
                self.assertEqual(set(samples) - {"main", 14, 11, 17, 18},
                                 {f"worker {n}" for n in range(WORKERS)} |
                                 {"sensor", "control", "display", self.idle, SYSTEM_TICK,
                                  TICK[board]})
                # all workers do the same work
                shares = [samples[f"worker {n}"] for n in range(WORKERS)]
                self.assertLess(max(shares) - min(shares), 0.2 * max(shares) + 8)

    def test_blocks(self):
        for board in BOARDS:
            with self.subTest(board=board):
                run, told = self.run_with(
                    board, "-DMCUPROF_BLOCKS=1 -DMCUPROF_ARCS=0 -DMCUPROF_SAMPLES=0 "
                    f"{ROOM[board]}", cflags="-fsanitize-coverage=trace-pc -fno-lto")
                self.assert_nothing_lost(told)
                found = collections.Counter()
                for block in told.model["blocks"]:
                    if told.function(block["address"]) == "filter":
                        found[told.names[block["task"]]] += block["count"]
                self.assertEqual(set(found), {"sensor"})
                self.assertEqual(found["sensor"] % (3 * READINGS), 0)

    def test_more_tasks_than_places(self):
        """All tasks beyond the places are counted as one. No event is lost, except timed calls
        during which another task was switched to."""
        for knobs in ("", CALLS):
            run, told = self.run_with(
                "mps2-an385", f"{knobs} -UMCUPROF_TASKS -DMCUPROF_TASKS=3 {ROOM['mps2-an385']}")
            kind = "calls" if knobs else "arcs"
            found, events = told.calls(kind, FUNCTIONS), told.model["events"][kind]
            self.assertEqual(found["sensor"], truth(run)["sensor"])
            self.assertIn(0, found)
            if not knobs:
                self.assert_nothing_lost(told)
                everything = collections.Counter()
                for calls in found.values():
                    everything.update(calls)
                expected = collections.Counter()
                for calls in truth(run).values():
                    expected.update(calls)
                self.assertEqual(everything, expected)
            else:
                self.assertLess(events["lost"], 100)


KERNEL = os.environ.get("FREERTOS_KERNEL_PATH")
if KERNEL:
    class FreeRTOS(Tasks):
        """Runs the same tests with a FreeRTOS kernel, if there is one."""
        example, variables, idle = "freertos", (f"FREERTOS_KERNEL_PATH={KERNEL}",), "IDLE"


class Adapter(unittest.TestCase):
    """FreeRTOS' adapter compiles with declarations of its API."""

    def test_freertos_compiles(self):
        for cpu in ("cortex-m0", "cortex-m4"):
            for knobs in (["-DMCUPROF_TASKS=4"], ["-DMCUPROF_TASKS=0"]):
                made = subprocess.run(
                    ["arm-none-eabi-gcc", f"-mcpu={cpu}", "-mthumb", "-ffreestanding",
                     "-std=c11", "-Os", "-Wall", "-Wextra", "-Wshadow", "-Werror",
                     "-Itests/freertos", "-Itarget/os/freertos", "-Itarget/include",
                     "-DMCUPROF_TIMER_HZ=1000000", *knobs, "-c", "-o", os.devnull,
                     "target/os/freertos/mcuprof_freertos.c"],
                    capture_output=True, text=True, timeout=180)
                self.assertEqual(made.returncode, 0, made.stderr)


if __name__ == "__main__":
    unittest.main()
