# SPDX-License-Identifier: MIT
"""Tasks and interrupts as `report`, `annotate` and `export` show them, of captures made by
hand."""

import csv
import io
import os
import re
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from elves import assemble, mcuprof  # noqa: E402
from wire import TELLS_TASKS, TIMES_CALLS, Stream  # noqa: E402

NAMES = ("main", "read_sensor", "filter", "work", "count_tick", "sleep", "end")
MAIN, READ, FILTER, WORK, TICK, SLEEP = (0x8000 + 64 * i for i in range(6))
INTERRUPT, IDLE = 0x1000, 0x2000
SENSOR, IDLING, WORKER, OTHER_WORKER, NAMELESS = 1, 2, 3, 4, 5


def begin(**how):
    stream = Stream(**how)
    stream.task(SENSOR, "sensor")
    stream.task(IDLING | IDLE, "idle")
    stream.task(WORKER, "worker")
    stream.task(OTHER_WORKER, "worker")
    return stream


def sampled():
    """100 samples: the sensor's 30 in two functions, the workers' 8 + 2, idle's 50, an
    interrupt's 6, a nameless task's 3, 1 before the first task."""
    stream = begin(hz=1000000, period=1000, flags=TELLS_TASKS)
    stream.sample(MAIN + 4, 1)
    for task, functions in ((SENSOR, {READ: 20, FILTER: 10}), (WORKER, {WORK: 8}),
                            (OTHER_WORKER, {WORK: 2}), (IDLING, {SLEEP: 50}),
                            (INTERRUPT + 15, {TICK: 4}), (INTERRUPT + 24, {TICK: 2}),
                            (NAMELESS, {WORK: 3})):
        stream.task(task)
        for function, count in functions.items():
            stream.sample(function + 4, count)
    return stream


def timed():
    """The sensor ran 4 times, 2000 us in all; the SysTick 10 times, 50 us in all."""
    stream = begin(flags=TELLS_TASKS | TIMES_CALLS)
    stream.time(1000000, 3, 7, 0, 10000)
    stream.task(SENSOR)
    stream.call(READ + 4, FILTER, 12, 1200, 1200, 100, 100)
    stream.call(0, 0, 4, 2000, 800, 400, 700)
    stream.task(INTERRUPT + 15)
    stream.call(TICK + 4, WORK, 10, 30, 30, 3, 3)
    stream.call(0, 0, 10, 50, 20, 5, 5)
    stream.task(IDLING)
    stream.call(0, 0, 1, 6000, 6000, 6000, 6000)
    stream.time(1000000, 3, 7, 0, 20000)
    stream.end()
    return stream


class Tasks(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.elf = assemble(cls.folder.name, 0x8000,
                           [(0x8000 + 64 * i, 64, "T", name)
                            for i, name in enumerate(NAMES)])
        cls.path = cls.write("sampled", sampled())
        cls.timed = cls.write("timed", timed())
        cls.locale = os.environ.get("LC_ALL")
        os.environ["LC_ALL"] = "C.UTF-8"

    @classmethod
    def tearDownClass(cls):
        os.environ.pop("LC_ALL")
        if cls.locale is not None:
            os.environ["LC_ALL"] = cls.locale
        cls.folder.cleanup()

    @classmethod
    def write(cls, name, stream):
        path = os.path.join(cls.folder.name, name + ".mprof")
        stream.write(path)
        return path

    def run_on(self, command, path, *options, status=0):
        return mcuprof(command, "-e", self.elf, *options, path, status=status)

    def text(self, command, path, *options):
        return self.run_on(command, path, *options).stdout.decode()

    def rows(self, path, *options):
        """{task: the rest of its row} in the order of the table."""
        text = self.text("report", path, "--by", "task", *options)
        table = text[text.index("Tasks and interrupts"):].splitlines()[1:]
        rows = [re.fullmatch(r" *([\d.]+ .*\d) +([^\d ].*)", line) for line in table]
        return [(row[2], re.sub(" +", " ", row[1])) for row in rows if row]

    def folded(self, path, *options):
        lines = self.text("export", path, "--to", "folded", *options).splitlines()
        return {line.rsplit(" ", 1)[0]: int(line.rsplit(" ", 1)[1]) for line in lines}

    def test_by_task(self):
        self.assertEqual(self.rows(self.path), [
            ("idle (idle)", "50.00 50.000 ±7.071"), ("sensor", "30.00 30.000 ±5.477"),
            ("worker", "8.00 8.000 ±2.828"), ("[SysTick]", "4.00 4.000 ±2.000"),
            ("[task 5]", "3.00 3.000 ±1.732"), ("worker", "2.00 2.000 ±1.414"),
            ("[IRQ 8]", "2.00 2.000 ±1.414"), ("[no task]", "1.00 1.000 ±1.000")])

    def test_by_task_timed(self):
        rows = dict(self.rows(self.timed))
        self.assertEqual(list(rows), ["idle (idle)", "sensor", "[SysTick]"])
        self.assertRegex(rows["sensor"], r"^24\.84 2\.000 4 400\S* 500\S* 700\S*$")
        self.assertRegex(rows["[SysTick]"], r"^0\.62 0\.050 10 5\S* 5\S* 5\S*$")

    def test_one_task(self):
        text = self.text("report", self.path, "--task", "sensor", "--flat")
        self.assertRegex(text, r"66\.67 .* read_sensor\n")
        self.assertRegex(text, r"33\.33 .* filter\n")
        for other in ("work", "sleep", "count_tick"):
            self.assertNotRegex(text, rf" {other}\n")
        self.assertRegex(self.text("report", self.path, "--task", "[SysTick]", "--flat"),
                         r"100\.00 +4\.000 .* count_tick\n")

    def test_tasks_of_one_name_are_one(self):
        text = self.text("report", self.path, "--task", "worker", "--flat")
        self.assertRegex(text, r"100\.00 +10\.000 .* work\n")
        self.assertEqual(self.folded(self.path)["worker;work"], 10)

    def test_annotate_one_task(self):
        text = self.text("annotate", self.path, "--task", "worker", "--asm")
        self.assertRegex(text, r"\n100\.00 +10 ±3\.2 +80c4 ")
        self.assertEqual(re.findall(r"\n(\S+)  100.00 %", text), ["work"])

    def test_folded(self):
        self.assertEqual(self.folded(self.path), {
            "idle;sleep": 50, "sensor;read_sensor": 20, "sensor;filter": 10,
            "worker;work": 10, "[SysTick];count_tick": 4, "[task 5];work": 3,
            "[IRQ 8];count_tick": 2, "[no task];main": 1})
        self.assertEqual(sum(self.folded(self.path, "--task", "sensor").values()), 30)

    def test_csv(self):
        rows = list(csv.DictReader(io.StringIO(
            self.text("export", self.path, "--to", "csv"))))
        self.assertEqual({(row["task"], row["name"]): row["samples"] for row in rows}, {
            ("idle", "sleep"): "50", ("sensor", "read_sensor"): "20",
            ("sensor", "filter"): "10", ("worker", "work"): "10",
            ("[SysTick]", "count_tick"): "4", ("[task 5]", "work"): "3",
            ("[IRQ 8]", "count_tick"): "2", ("[no task]", "main"): "1"})

    def test_no_such_task(self):
        for command in (("report",), ("annotate",), ("export", "--to", "csv")):
            done = self.run_on(command[0], self.path, *command[1:], "--task", "nobody",
                               status=3)
            self.assertEqual(done.stdout, b"")
            self.assertEqual(done.stderr.decode(), (
                f"mcuprof {command[0]}: --task nobody: nothing was counted of it; "
                "of idle, sensor, worker, [SysTick], [task 5], [IRQ 8], [no task]\n"))

    def test_firmware_without_tasks(self):
        stream = Stream(hz=1000000, period=1000, flags=0)
        stream.sample(WORK + 4, 5)
        path = self.write("none", stream)
        self.assertEqual([name for name, _ in self.rows(path)], ["[no task]"])
        self.assertEqual(self.folded(path), {"work": 5})
        self.assertIn(b"nothing was counted of it; of [no task]\n", self.run_on(
            "report", path, "--task", "sensor", status=3).stderr)

    def test_a_damaged_switch_leaves_events_unknown(self):
        stream = begin(hz=1000000, period=1000, flags=TELLS_TASKS)
        stream.task(SENSOR)
        stream.sample(READ + 4, 7)
        at = len(stream.bytes)
        stream.task(WORKER)
        stream.sample(WORK + 4, 9)
        stream.task(SENSOR)
        stream.sample(FILTER + 4, 2)
        stream.bytes = stream.bytes[:at + 1] + b"\x7f" + stream.bytes[at + 2:]
        path = self.write("damaged", stream)
        self.assertEqual(self.folded(path), {
            "sensor;read_sensor": 7, "[unknown];work": 9, "sensor;filter": 2})

    def test_a_damaged_name_is_a_number(self):
        stream = Stream(hz=1000000, period=1000, flags=TELLS_TASKS)
        at = len(stream.bytes)
        stream.task(SENSOR, "sensor")
        stream.task(SENSOR)
        stream.sample(READ + 4, 7)
        stream.bytes = stream.bytes[:at + 3] + b"x" + stream.bytes[at + 4:]
        self.assertEqual(self.folded(self.write("name", stream)),
                         {"[task 1];read_sensor": 7})


if __name__ == "__main__":
    unittest.main()
