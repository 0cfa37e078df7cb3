# SPDX-License-Identifier: MIT
"""Timelines made by hand: the sums, the slices and the losses that are reported."""
import json
import os
import re
import subprocess
import tempfile
import unittest

from elves import assemble
from mcuprof_run import PROGRAM
from test_report import on_a_terminal
from wire import (BEGIN, FINISH, FIRST, IRQ, LATER, MARK, NAME, NOTHING, READY, RETURN, TELLS_TASKS,
                  VALUE, Stream)

HZ = 1000000  # a tick is a microsecond
SYSTICK, IDLE = 15, 0x2000


def stream():
    """Makes a timeline of tasks 1 (idle), 2 and 3, and of an interrupt; 2,000 ticks."""
    made = Stream(flags=TELLS_TASKS)
    for number, name in ((1 | IDLE, "idle"), (2, "work"), (3, "talk")):
        made.task(number, name)
    made.state(HZ, 1000, 1)
    made.steps((2, 100), (IRQ + SYSTICK, 50), (VALUE, 3), (READY, 10), (RETURN, 10), (3, 30),
               (1, 300), (2, 500), (NAME, 0x1234), (BEGIN, 100), (NAME, 0x1234), (FINISH, 200),
               (NAME, 0x1234), (VALUE, 7), (MARK, 0), (1, 200), (NOTHING, 500))
    made.state(HZ, 3000, 1, 0, 11)
    return made


class Timeline(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.capture = os.path.join(folder.name, "made.mprof")

    def run_on(self, made, *arguments, status=0):
        """Returns what the report prints for a stream, and its errors."""
        made.write(self.capture)
        ran = subprocess.run([PROGRAM, *arguments, self.capture], capture_output=True,
                             text=True, timeout=180)
        self.assertEqual(ran.returncode, status, ran.stderr)
        return ran.stdout, ran.stderr

    def sums(self, made):
        return json.loads(self.run_on(made, "info", "--json")[0])["timeline"]

    def slices(self, made, process=1):
        trace = json.loads(self.run_on(made, "export", "--to", "perfetto")[0])["traceEvents"]
        return [(event["name"], event["ts"], event["dur"]) for event in trace
                if event["ph"] == "X" and event["pid"] == process]

    def test_sums(self):
        made = stream()
        made.end(totals=False)
        sums = self.sums(made)
        self.assertEqual({key: sums[key] for key in ("hz", "received", "lost", "earlier", "gaps")},
                         {"hz": HZ, "received": 11, "lost": 0, "earlier": 0, "gaps": 0})
        self.assertEqual((sums["seconds"], sums["idle_seconds"]), (0.002, 0.0011))
        tracks = {track["name"]: track for track in sums["tracks"]}
        self.assertEqual({name: track["seconds"] for name, track in tracks.items()},
                         {"work": 0.00058, "talk": 0.0003, "[SysTick]": 2e-05, "idle": 0.0011})
        self.assertEqual([track["name"] for track in sums["tracks"]][-1], "idle")
        self.assertEqual(tracks["work"]["stretches"]["count"], 2)
        self.assertEqual(tracks["work"]["stretches"]["longest_seconds"], 0.0005)
        self.assertEqual(tracks["work"]["stretches"]["p50_seconds"], 8e-05)
        self.assertEqual(tracks["talk"]["waits"], {
            "count": 1, "p50_seconds": 4e-05, "p99_seconds": 4e-05, "longest_seconds": 4e-05})
        self.assertEqual(sums["marks"], [{
            "address": 0x1234, "name": None,
            "values": {"count": 1, "last": 7, "least": 7, "most": 7},
            "spans": {"count": 1, "p50_seconds": 0.0002, "p99_seconds": 0.0002,
                      "longest_seconds": 0.0002}}])

    def test_slices(self):
        made = stream()
        made.end(totals=False)
        self.assertEqual(self.slices(made), [
            ("idle", 1000, 100), ("work", 1100, 50), ("[SysTick]", 1150, 20), ("work", 1170, 30),
            ("talk", 1200, 300), ("idle", 1500, 500), ("[0x1234]", 2100, 200),
            ("work", 2000, 500), ("idle", 2500, 500)])

    def test_trace_events_have_what_readers_take_for_granted(self):
        """Strict readers of Chrome's trace events fail on one without a category."""
        made = stream()
        made.end(totals=False)
        trace = json.loads(self.run_on(made, "export", "--to", "perfetto")[0])["traceEvents"]
        for event in trace:
            self.assertLessEqual({"ph", "cat", "name", "pid", "tid", "ts"}, set(event))
        self.assertEqual({(event["cat"], event["name"]) for event in trace if event["ph"] != "M"},
                         {("task", "idle"), ("task", "work"), ("task", "talk"), ("task", "ready"),
                          ("interrupt", "[SysTick]"), ("mark", "[0x1234]"),
                          ("span", "[0x1234]")})

    def test_a_gap_is_unknown(self):
        """5 events were dropped in the firmware; meanwhile an unknown task ran."""
        made = stream()
        made.check()
        made.state(HZ, 3600, 2, 0, 11, 5)
        made.steps((IRQ + SYSTICK, 10), (RETURN, 10), (1, 10))
        made.state(HZ, 3630, 1, 0, 14, 5)
        made.end(totals=False)
        sums = self.sums(made)
        self.assertEqual((sums["received"], sums["lost"], sums["gaps"]), (14, 5, 1))
        self.assertEqual(sums["unknown_seconds"], 0.0006)
        self.assertIn(("not known", 3000, 600), self.slices(made))
        # a slice that the gap cut does not count as a stretch
        work = next(track for track in sums["tracks"] if track["name"] == "work")
        self.assertEqual(work["stretches"]["count"], 2)
        told = self.run_on(made, "info")[0]
        self.assertIn("1 MHz; 14 switches and marks received, 5 lost", told)
        self.run_on(made, "info", "--strict", status=1)

    def test_of_a_cut_capture_more_may_be_lost(self):
        made = stream()
        made.end()
        self.assertFalse(self.sums(made)["lost_is_at_least"])
        made.bytes = made.bytes[:-1]
        self.assertTrue(self.sums(made)["lost_is_at_least"])

    def test_a_block_that_is_lost_is_unknown(self):
        made = stream()
        made.check()
        cut = len(made.bytes)
        made.state(HZ, 3000, 1, 0, 11)
        made.steps((2, 100), (3, 100), (1, 100))
        made.check()
        made.state(HZ, 3300, 1, 0, 14)
        made.steps((2, 100), (1, 100))
        made.state(HZ, 3500, 1, 0, 16)
        made.end(totals=False)
        made.bytes = made.bytes[:cut + 40] + made.bytes[cut + 44:]
        sums = self.sums(made)
        self.assertEqual((sums["received"], sums["lost"], sums["gaps"]), (13, 3, 1))
        self.assertTrue(sums["lost_is_at_least"])
        self.assertIn(("not known", 3000, 300), self.slices(made))

    def test_handlers_that_began_before_are_not_known(self):
        made = Stream(flags=TELLS_TASKS)
        made.state(HZ, 0, 2, 2)
        made.steps((RETURN, 10), (IRQ + SYSTICK, 10), (RETURN, 10), (RETURN, 10), (3, 10))
        made.end(totals=False)
        self.assertEqual(self.slices(made), [
            ("not known", 0, 20), ("[SysTick]", 20, 10), ("not known", 30, 10),
            ("[task 2]", 40, 10)])

    def test_long_times(self):
        made = Stream(flags=TELLS_TASKS)
        made.state(HZ, 2**32 - 10, 1)
        made.steps((LATER, 3), (LATER, 1), (2, 5))
        made.end(totals=False)
        self.assertEqual(self.slices(made), [
            ("[task 1]", 2**32 - 10, (3 << 28) + (1 << 14) + 5)])

    def test_what_cannot_be_is_damaged(self):
        for step in ((RETURN, 1), (119, 1), (124, 1)):
            made = Stream(flags=TELLS_TASKS)
            made.state(HZ, 0, 1)
            made.steps((2, 10), step, (3, 10), (1, 10))
            made.end(totals=False)
            info = json.loads(self.run_on(made, "info", "--json")[0])
            self.assertEqual((info["damaged"], info["timeline"]["received"]), (1, 1))
            self.assertEqual(self.slices(made), [("[task 1]", 0, 10)])
        made = Stream(flags=TELLS_TASKS)
        made.state(HZ, 0, 1)
        made.check()
        made.steps((2, 10))  # their block has no state
        made.end(totals=False)
        self.assertEqual(json.loads(self.run_on(made, "info", "--json")[0])["damaged"], 1)

    def test_each_run_has_its_own_times(self):
        made = stream()
        made.end(totals=False)
        made.hash = 0
        made.hello(FIRST)
        made.state(HZ, 50, 3)
        made.steps((2, 10), (3, 10))
        made.end(totals=False)
        self.assertEqual(self.slices(made, 2), [("talk", 50, 10), ("work", 60, 10)])
        self.assertEqual(self.sums(made)["gaps"], 0)

    def merged(self, made, *more):
        """Returns a capture that `mcuprof merge` makes of one and of others."""
        made.write(self.capture)
        out = self.capture + ".merged"
        for number, other in enumerate(more):
            other.write(f"{self.capture}.{number}")
        subprocess.run([PROGRAM, "merge", "-o", out, self.capture,
                        *(f"{self.capture}.{number}" for number in range(len(more)))],
                       check=True, timeout=180)
        again = Stream()
        with open(out, "rb") as file:
            again.bytes, again.ended = file.read(), True
        return again

    def test_a_capture_merged_alone_is_the_same(self):
        whole = stream()
        whole.end(totals=False)
        gap = stream()
        gap.check()
        gap.state(HZ, 3600, 2, 1, 11, 5)
        gap.steps((RETURN, 10), (IRQ + 100, 10), (RETURN, 10), (40, 10), (LATER, 3), (2, 10),
                  *[(1 + step % 3, 10) for step in range(1200)])
        gap.end(totals=False)
        late = stream()
        late.bytes = late.bytes[len(Stream(flags=TELLS_TASKS).bytes):]
        late.check()
        late.hello()
        late.state(HZ, 3600, 2, 0, 11)
        late.steps((1, 10), (2, 10))
        late.state(HZ, 3620, 2, 0, 13)
        late.end(totals=False)
        for made in (whole, gap, late):
            again = self.merged(made)
            self.assertEqual(self.sums(again), self.sums(made))
            self.assertEqual(self.slices(again), self.slices(made))
        self.assertEqual(self.sums(late)["earlier"], 11)

    def test_merged_captures_are_runs(self):
        one, other = stream(), stream()
        one.end(totals=False)
        other.end(totals=False)
        again = self.merged(one, other)
        self.assertEqual(self.sums(again)["received"], 22)
        self.assertEqual(self.sums(again)["gaps"], 0)
        for process in (1, 2):
            self.assertEqual(self.slices(again, process), self.slices(one))

    def test_a_run_without_events_is_a_run(self):
        """The state of the next run says as many events as that of a run that had none."""
        for times in ((1000, 3000), (5000, 9000)):
            with self.subTest(times=times):
                still, other = Stream(flags=TELLS_TASKS), stream()
                for time in times:
                    still.state(HZ, time, 1)
                still.end(totals=False)
                other.end(totals=False)
                again = self.merged(still, still, other)
                sums = self.sums(again)
                lasts = (times[1] - times[0]) / HZ  # nobody tells what ran meanwhile
                self.assertEqual(self.sums(still)["unknown_seconds"], lasts)
                self.assertEqual((sums["received"], sums["gaps"], sums["seconds"]),
                                 (11, 2, 0.002))
                self.assertAlmostEqual(sums["unknown_seconds"], 2 * lasts)
                self.assertEqual([(name, lasts) for name, _, lasts in self.slices(again, 3)],
                                 [(name, lasts) for name, _, lasts in self.slices(other)])

    def test_a_narrow_terminal_keeps_the_names_of_groups(self):
        """Columns are dropped, and those that are left say of what they are."""
        made = stream()
        made.end(totals=False)
        made.write(self.capture)
        elf = assemble(os.path.dirname(self.capture), 0x8000, [(0x8000, 64, "T", "main"),
                                                                      (0x8040, 0, "T", "_etext")])
        for columns, groups in (
                (200, "load stretch wait % ran times p50 p99 max p50 p99 max task"),
                (76, "load stretch wait % ran times p99 max p99 max task"),
                (60, "load stretch wait % ran times max max task")):
            text = on_a_terminal(columns, "report", "--timeline", "--color", "never", "--force",
                                 "-e", elf, self.capture)
            heading = re.search(r"(?m)^ *load .*\n.*task\r$", text)[0]
            self.assertEqual(" ".join(heading.split()), groups, columns)

    def test_no_timeline(self):
        made = Stream()
        made.end()
        self.assertIsNone(self.sums(made))
        _, said = self.run_on(made, "export", "--to", "perfetto", status=3)
        self.assertIn("build the firmware with MCUPROF_TIMELINE=1", said)


if __name__ == "__main__":
    unittest.main()
