# SPDX-License-Identifier: MIT
"""The timeline is compared with the emulator's log of instructions: each switch is where it was, to
a tick, and no task or interrupt is drawn while another one's functions ran, whatever was lost."""
import bisect
import collections
import json
import os
import random
import sys
import tempfile
import unittest

from firmware import Run, output  # noqa: E402

sys.path.insert(0, "bench")
import m0plus  # noqa: E402
from emulator import Firmware, events  # noqa: E402

# Nanoseconds of an instruction in the emulator (-icount); of a tick of the time base; and how far
# the emulated timer may drift each time it is read, because QEMU's nRF51 rounds ticks to ns.
CLOCKS = {"mps2-an385": (32, 40, 0), "microbit": (64, 62.5, 0.5)}
# The functions of examples/chibios/shield.c that only one task or interrupt calls.
OWNERS = {"filter": "sensor", "read_sensor": "sensor", "update": "control", "draw": "display",
          "work": "worker", "count_tick": "[__wrap_board_tick_entry]",
          "count_system_tick": "[SysTick]"}
HOOKS = ("mcuprof_interrupt_enter", "mcuprof_interrupt_leave", "mcuprof_timeline_task")
KNOBS = "-DMCUPROF_TIMELINE=1 -DMCUPROF_SAMPLES=0 -DIDLE_SPINS"
ROOM = "-DMCUPROF_RING_BYTES=2048"
UNKNOWN = "not known"
START_NS = 300  # from the first instruction of mcuprof_timeline_start() to its reading
HOOK_NS = 1500  # from a hook's first instruction to its reading of the clock, at most


def slices(elf, capture, names=None):
    """Returns what was drawn, in order: [from, to, name], in ns. `names`: names of tracks by
    number; a number that is not among them gets a name."""
    trace = json.loads(output("export", "--to", "perfetto", "-e", elf, capture))
    names = {} if names is None else names
    drawn = [event for event in trace["traceEvents"] if event["ph"] == "X" and event["pid"] == 1]
    return sorted([event["ts"] * 1000, (event["ts"] + event["dur"]) * 1000,
                   names.setdefault(event["tid"], event["name"])] for event in drawn)


class Logged:
    """A run with its log. `hooks`: the time of each hook's first instruction, and which hook it is;
    `amid`: the places in it of those that an interrupt may have hit before they read the clock, and
    of what hooks that interrupt has; `ready`: the times at which a task is reported as ready; `ran`: [time, owner] of each
    instruction of a function that has an owner; `started`: the time of the start."""

    def __init__(self, example, knobs, board, variables=()):
        if os.environ.get("CHECK_BOARD", board) != board:
            raise unittest.SkipTest(f"of another board than {os.environ['CHECK_BOARD']}")
        self.instruction_ns = CLOCKS[board][0]
        firmware = Firmware(example, knobs, board, variables)
        self.elf, self.wire = firmware.elf, firmware.wire
        self.hooks, self.ready, self.ran, self.started = [], [], [], None
        self.amid = set()
        self.read(firmware)

    def read(self, firmware):
        code, time, depth, hit = m0plus.load(firmware.elf), 0, 0, None
        for event in events(firmware.log()):
            if event <= 0:
                if event < 0 and hit is None and self.hooks and \
                        time - self.hooks[-1][0] < HOOK_NS:
                    self.amid.add(len(self.hooks) - 1)
                    hit = depth
                depth += 1 if event < 0 else -1
                hit = None if depth == hit else hit
                continue
            time += self.instruction_ns
            instruction = code[event]
            name = instruction.function
            if instruction.entry and name in HOOKS and self.started is not None:
                if hit is not None:
                    self.amid.add(len(self.hooks))
                self.hooks.append((time, name))
            if instruction.entry and name == "mcuprof_timeline_ready" and self.started is not None:
                self.ready.append(time)
            if instruction.entry and name == "mcuprof_timeline_start":
                self.started = time
            if instruction.entry and name == "mcuprof_timeline_stop":
                self.stopped = time
            if name in OWNERS:
                self.ran.append((time, OWNERS[name]))


class Timeline(unittest.TestCase):
    example, variables = "chibios", ()

    def log(self, board, knobs=""):
        return Logged(self.example, f"{KNOBS} {knobs}", board, self.variables)

    def assert_own(self, run, drawn, offset):
        """Checks that each instruction of a task's or an interrupt's own function was in a slice
        of that task or interrupt, or in an unknown one. Returns how many were not in an unknown
        one."""
        known, starts = 0, [begin for begin, _, _ in drawn]
        for time, owner in run.ran:
            place = bisect.bisect(starts, time + offset) - 1
            if place < 0 or drawn[place][1] < time + offset:
                continue  # nothing is drawn
            if drawn[place][2] != UNKNOWN:
                self.assertEqual(drawn[place][2].partition(" #")[0], owner, f"{time} ns")
                known += 1
        return known

    def test_each_command_takes_it(self):
        """Each command takes a timeline, also those that split the profile by task."""
        run = Run("mps2-an385", "chibios", "-DMCUPROF_TIMELINE=1")
        formats = ("gmon", "folded", "flamegraph", "speedscope", "pprof", "firefox", "dot", "svg",
                   "callgrind", "json", "csv", "perfetto")
        for command in (["report"], ["report", "--task", "worker"], ["report", "--by", "task"],
                        ["report", "--timeline"], ["annotate"], ["info"], ["html"],
                        ["diff", "--task", "worker", run.capture], ["top"],
                        *(["export", "--to", name] for name in formats)):
            with self.subTest(command=command), tempfile.TemporaryDirectory() as folder:
                to = ["-o", folder + "/out"] if command[0] in ("export", "html") else []
                output(*command, *to, "-e", run.elf, run.capture)

    def test_each_switch_is_where_it_was(self):
        for board, (_, tick_ns, drift_ns) in CLOCKS.items():
            with self.subTest(board=board):
                run = self.log(board, ROOM)
                info = json.loads(output("info", "--json", run.wire))
                self.assertTrue(info["complete"])
                self.assertEqual(info["timeline"]["lost"], 0)
                drawn = slices(run.elf, run.wire)
                self.assertGreater(len(drawn), 300)
                # one slice ends where the next begins
                for before, after in zip(drawn, drawn[1:]):
                    self.assertAlmostEqual(before[1], after[0], delta=1)
                hooks = [hook for hook in run.hooks if hook[0] < run.stopped]
                begins = [begin for begin, _, _ in drawn[1:]]
                self.assertEqual(len(hooks), len(begins))
                apart = collections.defaultdict(list)
                for place, ((time, hook), begin) in enumerate(zip(hooks, begins)):
                    if place not in run.amid:
                        apart[hook].append(begin - time)
                self.assertLess(len(run.amid), len(hooks) / 10)
                self.assertEqual(set(apart), set(HOOKS))
                for hook, each in apart.items():
                    # a hook reads the clock at the same instruction each time
                    self.assertLessEqual(max(each) - min(each),
                                         tick_ns + 1 + drift_ns * len(hooks), hook)
                every = sum(apart.values(), [])
                self.assertLess(max(every) - min(every), HOOK_NS)
                known = self.assert_own(run, drawn, min(every))
                self.assertGreater(known, 100000)
                self.assert_ready(run, tick_ns + 1 + drift_ns * len(hooks))

    def assert_ready(self, run, within):
        """Checks that each task is drawn as ready when the kernel reported it, and that waits are
        known."""
        trace = json.loads(output("export", "--to", "perfetto", "-e", run.elf, run.wire))
        drawn = sorted(event["ts"] * 1000 for event in trace["traceEvents"]
                       if event["ph"] == "i" and event["name"] == "ready")
        said = [time for time in run.ready if time < run.stopped]
        self.assertEqual(len(drawn), len(said))
        self.assertGreater(len(said), 50)
        apart = [each - time for each, time in zip(drawn, said)]
        self.assertLessEqual(max(apart) - min(apart), within)
        tracks = json.loads(output("export", "--to", "json", "-e", run.elf,
                                   run.wire))["timeline"]["tracks"]
        waits = {track["name"]: track["waits"]["count"] for track in tracks if track["waits"]}
        for name in "sensor", "control", "display":
            self.assertGreater(waits[name], 10, name)

    def check_lossy(self, run, capture, whole):
        """Checks a capture that lost something; the first slice of `whole` begins with the
        timeline. Returns how many instructions were in slices of a task or an interrupt."""
        names = {}
        started = slices(run.elf, whole, names)[0][0]
        drawn = slices(run.elf, capture, names)
        if drawn[0][0] == started:  # else the first state was lost, and nothing is drawn before
            self.assertIn(UNKNOWN, [name for _, _, name in drawn])
        return self.assert_own(run, drawn, started - run.started - START_NS)

    def test_lost_in_the_firmware(self):
        """A ring that is too small loses switches, and counts them."""
        run = self.log("mps2-an385", "-DMCUPROF_RING_BYTES=64 -DMCUPROF_ENTRIES=0")
        told = json.loads(output("info", "--json", run.wire))["timeline"]
        self.assertGreater(told["lost"], 20)
        self.assertGreaterEqual(told["received"] + told["lost"],
                                sum(time < run.stopped for time, _ in run.hooks))
        self.assertGreater(self.check_lossy(run, run.wire, run.wire), 1000)

    def test_lost_on_the_line(self):
        run = self.log("mps2-an385", ROOM)
        sent = json.loads(output("info", "--json", run.wire))["timeline"]["received"]
        with open(run.wire, "rb") as file:
            whole = file.read()
        any_of, capture, known = random.Random(1), f"{run.wire}.damaged", []
        for _ in range(30):
            at = any_of.randrange(200, len(whole) - 400)
            with open(capture, "wb") as file:
                file.write(whole[:at] + whole[at + any_of.randrange(1, 200):])
            told = json.loads(output("info", "--json", capture))["timeline"]
            self.assertEqual(told["received"] + told["lost"], sent)
            if told["lost"] > 0:
                known.append(self.check_lossy(run, capture, run.wire))
        self.assertGreater(len(known), 10)
        self.assertGreater(min(known), 10000)


KERNEL = os.environ.get("FREERTOS_KERNEL_PATH")
if KERNEL:
    class FreeRTOS(Timeline):
        """The same with a FreeRTOS kernel, if there is one."""
        example, variables = "freertos", (f"FREERTOS_KERNEL_PATH={KERNEL}",)


if __name__ == "__main__":
    unittest.main()
