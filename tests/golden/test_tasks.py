# SPDX-License-Identifier: MIT
"""Tasks and interrupts in `report`, `annotate` and `export`, from captures made by hand."""

import csv
import io
import json
import os
import re
import struct
import sys
import unittest
import xml.etree.ElementTree as ElementTree

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from by_task import annotated, frames  # noqa: E402
from elves import ARM, InFolder, assemble, mcuprof, run  # noqa: E402
from wire import CALLS, IRQ, RETURN, SAMPLES, TELLS_TASKS, TIMES_CALLS, TOTALS, Stream  # noqa: E402

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
    """Makes 100 samples: 30 of the sensor, in two functions; 8 and 2 of the workers; 50 of idle; 6
    of an interrupt; 3 of a task without a name; 1 before the first task."""
    stream = begin(hz=1000000, period=1000, flags=TELLS_TASKS | SAMPLES)
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
    """Makes a capture in which the sensor ran 4 times, 2000 us in all, and SysTick 10 times, 50 us
    in all; both call work()."""
    stream = begin(flags=TELLS_TASKS | TIMES_CALLS)
    stream.time(1000000, 3, 7, 0, 10000)
    stream.task(SENSOR)
    stream.call(READ + 4, FILTER, 12, 1200, 1100, 100, 100)
    stream.call(FILTER + 4, WORK, 2, 100, 100, 50, 50)
    stream.call(0, 0, 4, 2000, 800, 400, 700)
    stream.task(INTERRUPT + 15)
    stream.call(TICK + 4, WORK, 10, 30, 30, 3, 3)
    stream.call(0, 0, 10, 50, 20, 5, 5)
    stream.task(IDLING)
    stream.call(0, 0, 1, 6000, 6000, 6000, 6000)
    stream.time(1000000, 3, 7, 0, 20000)
    stream.end()
    return stream


class Tasks(InFolder):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.elf = assemble(cls.folder.name, 0x8000,
                           [(0x8000 + 64 * i, 64, "T", name)
                            for i, name in enumerate(NAMES)])
        cls.path = cls.write("sampled", sampled())
        cls.timed = cls.write("timed", timed())

    @classmethod
    def write(cls, name, stream):
        path = os.path.join(cls.folder.name, name + ".mprof")
        stream.write(path)
        return path

    def run_on(self, command, path, *options, status=0, elf=None):
        return mcuprof(command, "-e", elf or self.elf, *options, path, status=status)

    def text(self, command, path, *options):
        return self.run_on(command, path, *options).stdout.decode()

    def rows(self, path, *options):
        """Returns {task: the rest of its row} in the order of the table."""
        text = self.text("report", path, "--by", "task", *options)
        table = text[text.index("Tasks and interrupts"):].splitlines()[1:]
        rows = [re.fullmatch(r" *([\d.]+ .*\d) +([^\d ].*)", line) for line in table]
        return [(row[2], re.sub(" +", " ", row[1])) for row in rows if row]

    def folded(self, path, *options):
        lines = self.text("export", path, "--to", "folded", *options).splitlines()
        return {line.rsplit(" ", 1)[0]: int(line.rsplit(" ", 1)[1]) for line in lines}

    def test_by_task(self):
        self.assertEqual(self.rows(self.path), [
            ("idle (idle)", "50 50 ±5"), ("sensor", "30 30 ±5"), ("worker", "8 8 ±3"),
            ("[SysTick]", "4 4 ±2"), ("[task 5]", "3 3 ±2"), ("worker #2", "2 2 ±2"),
            ("[IRQ 8]", "2 2 ±2"), ("[no task]", "1 1 ±2")])

    def test_by_task_timed(self):
        rows = dict(self.rows(self.timed))
        self.assertEqual(list(rows), ["idle (idle)", "sensor", "[SysTick]"])
        self.assertRegex(rows["sensor"], r"^24\.84 2\.000 4 400\S* 500\S* 700\S*$")
        self.assertRegex(rows["[SysTick]"], r"^0\.62 0\.050 10 5\S* 5\S* 5\S*$")

    def test_one_task(self):
        text = self.text("report", self.path, "--task", "sensor", "--flat")
        self.assertRegex(text, r"67 +20 ±4 .* read_sensor\n")  # of 100 samples, not of 30
        self.assertRegex(text, r"33 +10 ±3 .* filter\n")
        for other in ("work", "sleep", "count_tick"):
            self.assertNotRegex(text, rf" {other}\n")
        self.assertRegex(self.text("report", self.path, "--task", "[SysTick]", "--flat"),
                         r"100 +4 ±2 .* count_tick\n")

    def test_an_error_is_the_same_everywhere(self):
        few = 21 / 102  # the share, if that is all that is known; its error is more than chance's
        error = 100 * (few * (1 - few) / 103 + (few - 0.2) ** 2) ** 0.5 / 1000
        options = self.path, "--task", "sensor"
        row = next(csv.DictReader(io.StringIO(self.text("export", *options, "--to", "csv"))))
        self.assertEqual(row["self_error_seconds"], f"{error:.9g}")
        model = json.loads(self.text("export", *options, "--to", "json"))
        self.assertAlmostEqual(model["functions"][0]["self_error_seconds"], error, 12)
        self.assertRegex(self.text("annotate", *options, "--asm"), r"\n +67 +20 ±4 +8044 ")

    def test_tasks_of_one_name_are_numbered(self):
        """The name without a number selects all of them."""
        first, second = {"worker;work": 8}, {"worker #2;work": 2}
        for task, found in (("worker", {**first, **second}), ("worker #2", second)):
            text = self.text("report", self.path, "--task", task, "--flat")
            self.assertRegex(text, rf"100 +{sum(found.values())} ±\d .* work\n")
            self.assertEqual(self.folded(self.path, "--task", task), found)

    def test_annotate_one_task(self):
        text = self.text("annotate", self.path, "--task", "worker", "--asm")
        self.assertRegex(text, r"\n +100 +10 ±3 +80c4 ")
        self.assertEqual(re.findall(r"\n(\S+)  100 %", text), ["work"])

    def test_folded(self):
        self.assertEqual(self.folded(self.path), {
            "idle;sleep": 50, "sensor;read_sensor": 20, "sensor;filter": 10,
            "worker;work": 8, "worker #2;work": 2, "[SysTick];count_tick": 4, "[task 5];work": 3,
            "[IRQ 8];count_tick": 2, "[no task];main": 1})
        self.assertEqual(sum(self.folded(self.path, "--task", "sensor").values()), 30)
        self.assertEqual(self.folded(self.timed), {  # ticks
            "sensor;read_sensor;filter": 1100, "sensor;read_sensor;filter;work": 100,
            "sensor;[in no finished call]": 800, "idle;[in no finished call]": 6000,
            "[SysTick];count_tick;work": 30, "[SysTick];[in no finished call]": 20})

    def test_folded_task_of_any_name(self):
        stream = begin(hz=1000000, period=1000, flags=TELLS_TASKS | SAMPLES)
        stream.task(7, "a;b c\n")
        stream.task(7)
        stream.sample(READ + 4, 3)
        lines = self.text("export", self.write("named", stream), "--to", "folded").splitlines()
        self.assertEqual(len(lines), 1)
        self.assertRegex(lines[0], r"^a,b c[^;]*;read_sensor 3$")

    def test_each_task_is_a_track_of_firefox(self):
        made = json.loads(self.text("export", self.path, "--to", "firefox"))
        self.assertEqual({thread["name"]: sum(thread["samples"]["weight"])
                          for thread in made["threads"]},
                         {"idle": 50, "sensor": 30, "worker": 8, "worker #2": 2, "[SysTick]": 4,
                          "[task 5]": 3, "[IRQ 8]": 2, "[no task]": 1})  # ms
        names = [made["shared"]["stringArray"][i] for i in made["shared"]["stackTable"]["frame"]]
        self.assertCountEqual(names, ["sleep", "read_sensor", "filter", "work", "count_tick",
                                      "work", "work", "count_tick", "main"])

    def test_csv(self):
        rows = list(csv.DictReader(io.StringIO(
            self.text("export", self.path, "--to", "csv"))))
        self.assertEqual({(row["task"], row["name"]): row["samples"] for row in rows}, {
            ("idle", "sleep"): "50", ("sensor", "read_sensor"): "20",
            ("sensor", "filter"): "10", ("worker", "work"): "8", ("worker #2", "work"): "2",
            ("[SysTick]", "count_tick"): "4", ("[task 5]", "work"): "3",
            ("[IRQ 8]", "count_tick"): "2", ("[no task]", "main"): "1"})

    def test_one_task_timed(self):
        """The time that is 100 % is the task's own, not that of the whole run."""
        text = self.text("report", self.timed, "--task", "sensor", "--flat")
        self.assertIn("timed     2.140 ms at 1 MHz: calls 1.200 ms, profiler 0.140 ms", text)
        self.assertRegex(text, r"\n 40\.00 +0\.800 +\[in no finished call\]\n")
        self.assertRegex(text, r"\n 55\.00 +1\.100 +0\.4 +1\.200 +0\.3 +12 .* filter\n")
        text = self.text("report", self.timed, "--task", "[SysTick]")
        self.assertIn("timed     250 µs at 1 MHz: calls 30 µs, profiler 200 µs", text)
        text = self.text("report", self.timed, "--task", "idle")
        self.assertRegex(text, r"\n100\.00 +6\.000 +\[in no finished call\]\n")
        self.assertNotIn("Call sites", text)

    def test_dot(self):
        found = frames(self.run_on("export", self.path, "--to", "dot").stdout)
        self.assertEqual({label: functions for label, (functions, _) in found.items()}, {
            "idle (idle): 50.0 %, 50 samples": {"sleep": ["50.0 %, 50 ms"]},
            "sensor: 30.0 %, 30 samples": {"read_sensor": ["20.0 %, 20 ms"],
                                           "filter": ["10.0 %, 10 ms"]},
            "worker: 8.0 %, 8 samples": {"work": ["8.0 %, 8 ms"]},
            "worker #2: 2.0 %, 2 samples": {"work": ["2.0 %, 2 ms"]},
            "[SysTick]: 4.0 %, 4 samples": {"count_tick": ["4.0 %, 4 ms"]},
            "[task 5]: 3.0 %, 3 samples": {"work": ["3.0 %, 3 ms"]},
            "[IRQ 8]: 2.0 %, 2 samples": {"count_tick": ["2.0 %, 2 ms"]},
            "[no task]: 1.0 %, 1 sample": {"main": ["1.0 %, 1 ms"]}})
        found = frames(self.run_on("export", self.path, "--to", "dot",
                                   "--task", "worker").stdout)
        self.assertEqual(list(found), ["worker #2: 20.0 %, 2 samples", "worker: 80.0 %, 8 samples"])

    def test_dot_of_timed_calls(self):
        found = frames(self.run_on("export", self.timed, "--to", "dot").stdout)
        self.assertEqual(found, {
            "idle (idle): 74.5 %, 6 ms in 1 run": ({"no calls seen": []}, []),
            "sensor: 24.8 %, 2 ms in 4 runs": (
                {"read_sensor": [],
                 "filter": ["12 calls", "total 1.2 ms", "self 1.1 ms"],
                 "work": ["2 calls", "total 100 \xb5s", "self 100 \xb5s"]},
                [("filter", "work", "\xa0\xa02\xd7 50 \xb5s"),
                 ("read_sensor", "filter", "\xa0\xa012\xd7 100 \xb5s")]),
            "[SysTick]: 0.6 %, 50 \xb5s in 10 runs": (
                {"count_tick": [], "work": ["10 calls", "total 30 \xb5s", "self 30 \xb5s"]},
                [("count_tick", "work", "\xa0\xa010\xd7 3 \xb5s")])})

    def test_the_tasks_share_the_limit(self):
        text = self.run_on("export", self.path, "--to", "dot", "--limit", "3").stdout
        self.assertEqual({label.split(":")[0]: list(functions)
                          for label, (functions, _) in frames(text).items()}, {
            "idle (idle)": ["sleep"], "worker": ["work"],
            "sensor": ["read_sensor"]})
        self.assertIn(b"5 of 8 are left out", text)
        self.assertIn(b"1 of 2 functions are left out", text)

    def test_svg(self):
        root = ElementTree.fromstring(self.run_on("export", self.path, "--to", "svg").stdout)
        texts = [element.text for element in root.iter() if element.tag.endswith("text")]
        for text in ("idle (idle)", "sensor", "[IRQ 8]", "[no task]", "30.0 %, 30 samples"):
            self.assertEqual(texts.count(text), 1, text)
        self.assertEqual(texts.count("work"), 3)

    def callgrind(self, *options):
        out = os.path.join(self.folder.name, "callgrind.out")
        self.run_on("export", self.timed, "--to", "callgrind", "-o", out)
        return annotated(out, *options)

    def test_callgrind(self):
        self.assertEqual(self.callgrind(), ({
            ("[in no finished call]'idle", "idle"): 6000000,
            ("filter'sensor", "sensor"): 1100000,
            ("work'sensor", "sensor"): 100000,
            ("[in no finished call]'sensor", "sensor"): 800000,
            ("work'SysTick", "SysTick"): 30000,
            ("[in no finished call]'SysTick", "SysTick"): 20000}, 8050000))
        costs, _ = self.callgrind("--inclusive=yes")
        self.assertEqual(costs["read_sensor'sensor", "sensor"], 1200000)
        self.assertEqual(costs["count_tick'SysTick", "SysTick"], 30000)

    def test_gmon_says_that_it_has_no_tasks(self):
        for options, said, work in ((("--task", "sensor"), b"", 2), ((), b"no place for tasks", 12)):
            out = os.path.join(self.folder.name, "gmon.out")
            done = self.run_on("export", self.timed, "--to", "gmon", "-o", out, *options)
            self.assertIn(said, done.stderr)
            self.assertEqual(bool(done.stderr), bool(said))
            graph = run(ARM + "gprof", "-b", "-q", self.elf, out).stdout.decode()
            self.assertRegex(graph, rf" 2/{work} +filter \[")

    def with_vectors(self, handlers):
        """Makes an ELF whose vector table has the function at MAIN, or these: {exception:
        address}."""
        path = os.path.join(self.folder.name, "vectors")
        with open(path + ".bin", "wb") as out:
            out.write(struct.pack("<48I", 0x20004000, *(
                handlers.get(number, MAIN) + 1 for number in range(1, 48))))
        run(ARM + "objcopy", f"--add-section=.vectors={path}.bin",
            "--set-section-flags=.vectors=alloc,readonly,contents", self.elf, path + ".elf")
        return path + ".elf"

    def test_interrupts_have_their_handlers_names(self):
        elf = self.with_vectors({24: TICK, 25: WORK, 26: WORK})
        for option, other in (("[count_tick]", "[IRQ 8]"), ("[IRQ 8]", "[count_tick]")):
            done = self.run_on("report", self.path, "--by", "task", "--task", option, elf=elf)
            self.assertIn(b"[count_tick]\n", done.stdout)
            self.assertNotIn(b"[IRQ 8]", done.stdout)
            self.assertNotIn(b"sensor", done.stdout)
        tasks = json.loads(self.run_on("export", self.path, "--to", "json", elf=elf).stdout)
        self.assertEqual({task["interrupt"]: (task["name"], task.get("handler"))
                          for task in tasks["tasks"] if task["interrupt"]},
                         {15: (None, None), 24: (None, "count_tick")})
        # the name of a handler that serves several interrupts does not tell which one it was
        elf = self.with_vectors({24: WORK, 25: WORK})
        done = self.run_on("report", self.path, "--by", "task", elf=elf)
        self.assertIn(b"[IRQ 8]\n", done.stdout)
        # tables that are none: the stack pointer is in the code, or the reset's address is not
        for bad in ({1: TICK + 2}, {3: 0x20000000}):
            elf = self.with_vectors({24: TICK, **bad})
            done = self.run_on("report", self.path, "--by", "task", elf=elf)
            self.assertIn(b"[IRQ 8]\n", done.stdout)

    def test_handlers_of_a_timeline_alone(self):
        """No counter has the interrupt: only the timeline knows it."""
        elf, path = self.with_vectors({24: TICK}), os.path.join(self.folder.name, "line.mprof")
        made = begin(flags=TELLS_TASKS)
        made.state(1000000, 0, SENSOR)
        made.steps((IRQ + 24, 10), (RETURN, 10))
        made.state(1000000, 20, SENSOR, 0, 2)
        made.end(totals=False)
        made.write(path)
        self.assertIn(b" [count_tick]\n", self.run_on("report", path, "--timeline", elf=elf).stdout)
        trace, model = (json.loads(self.run_on("export", path, "--to", name, elf=elf).stdout)
                        for name in ("perfetto", "json"))
        self.assertIn("[count_tick]", [event["name"] for event in trace["traceEvents"]])
        self.assertIn("[count_tick]", [track["name"] for track in model["timeline"]["tracks"]])
        self.assertEqual([task["interrupt"] for task in model["tasks"] if task["interrupt"]], [])

    def test_idle_tasks_gain_nothing(self):
        """Of the 50 samples that are not idle's, work has 13 and read_sensor 20: 26 and 40 %."""
        text = self.text("report", self.path, "--gain")
        self.assertIn("the run, without its 50.0 % in idle tasks, would", text)
        self.assertRegex(text, r"(?m)^ *40 +×1\.7 ±0\.2 .* read_sensor$")
        self.assertRegex(text, r"(?m)^ *26 +×1\.4 ±0\.1 .* work$")
        self.assertNotIn("sleep", text)
        alone = self.text("report", self.path, "--gain", "--task", "idle")
        self.assertRegex(alone, r"(?m)^ *100 .*sleep$")

    def test_timed_idle_tasks_gain_nothing(self):
        """Of 20,000 us the profiler took 340 and idle 6,000; filter had 1,100 of the other
        13,660."""
        text = self.text("report", self.timed, "--gain")
        self.assertIn("without its 30.5 % in idle tasks", text)
        self.assertRegex(text, r"(?m)^ *8\.05 +×1\.088 +×1\.042 .* filter$")
        self.assertRegex(text, r"(?m)^ *0\.95 +×1\.010 +×1\.005 .* work$")

    def test_columns_say_what_percentages_are_of(self):
        for options, columns in (((), ("self_percent_of_task", "total_percent_of_task")),):
            row = next(csv.DictReader(io.StringIO(
                self.text("export", self.path, "--to", "csv", *options))))
            for column in columns:
                self.assertIn(column, row)
            self.assertNotIn("self_percent", row)

    def test_check_of_one_task(self):
        budgets = os.path.join(self.folder.name, "budgets")
        with open(budgets, "w", encoding="ascii") as out:
            out.write("filter self < 40%\n")
        done = self.run_on("check", self.path, budgets)  # 10 of 100 samples
        self.assertIn(b"ok      10 ", done.stdout)
        done = self.run_on("check", self.path, "--task", "sensor", budgets)  # 10 of 30
        self.assertIn(b"ok      33 ", done.stdout)
        with open(budgets, "w", encoding="ascii") as out:
            out.write("task sensor < 50%\n")
        self.assertIn(b"ok      30 ", self.run_on("check", self.path, budgets).stdout)
        done = self.run_on("check", self.path, "--task", "sensor", budgets, status=1)
        self.assertIn(b"no share is known", done.stdout)

    def test_functions_without_calls_fill_rows(self):
        """A picture of 60 functions that nobody calls has several columns (or rows) of them."""
        elf = assemble(self.folder.name, 0x8000, [(0x8000 + 16 * i, 16, "T", f"function_{i}")
                                                  for i in range(61)], name="many.elf")
        for flags, tasks in ((TELLS_TASKS | SAMPLES, 1), (SAMPLES, 0)):
            stream = Stream(hz=1000000, period=1000, flags=flags)
            if tasks:
                stream.task(SENSOR, "sensor")
                stream.task(SENSOR)
            for number in range(60):
                stream.sample(0x8000 + 16 * number, 1)
            path = self.write("many", stream)
            drawn = self.run_on("export", path, "--to", "svg", elf=elf).stdout
            size = re.search(rb'<svg width="(\d+)pt" height="(\d+)pt"', drawn)
            self.assertLess(int(size[1]), 1400)
            self.assertLess(int(size[2]), 1400)
            self.assertEqual(drawn.count(b'class="node"'), 60)
            self.assertEqual(drawn.count(b'class="edge"'), 0)

    def test_empty_columns_of_csv_are_said_once(self):
        for path, says in ((self.path, "p99: no timed calls"), (self.timed, "self: no samples")):
            told = self.run_on("export", path, "--to", "csv", "--columns", "p99,self").stderr
            self.assertEqual(re.findall("empty columns: (.*)", told.decode()), [says])

    def test_tasks_come_first(self):
        """The report begins with the tasks, unless it shows only one. Kinds of events that did not
        occur are in no title, no row and no sum."""
        text = self.text("report", self.timed)
        self.assertIn(": all 24 timed calls and 15 task switches received\n", text)
        for told in (json.loads(self.text("info", self.timed, "--json")),
                     json.loads(self.text("export", self.timed, "--to", "json"))):
            calls = told.get("events", told)["calls"]
            self.assertEqual((calls["received"], told["task_switches"]), (24, 15))
        self.assertIn("14 timed calls; on each edge",
                      self.text("export", self.timed, "--to", "dot", "--task", "sensor"))
        self.assertLess(text.index("measured at each switch"), text.index("Timed calls  "))
        self.assertIn("Tasks and interrupts  calls\n", text)
        ran = text[text.index("measured at each switch"):text.index("interrupts  calls")]
        shares = re.findall(r"(?m)^ *([\d.]+) .*\d  \D+$", ran)
        self.assertAlmostEqual(sum(map(float, shares)), 100, delta=0.02)
        text = self.text("report", self.path)
        self.assertLess(text.index("Tasks and interrupts  samples\n"), text.index("Flat profile"))
        for options in (("--task", "sensor"), ("--focus", "work"), ("--flat",), ("--graph",)):
            self.assertNotIn("Tasks and", self.text("report", self.path, *options))

    def page_events(self, path, *options):
        page = os.path.join(self.folder.name, "events.html")
        self.run_on("html", path, *options, "-o", page)
        with open(page, encoding="utf-8") as file:
            return re.search(r'"events":(\[\[.*?\]\])', re.sub(r"\s", "", file.read()))[1]

    def test_a_page_counts_no_switches_as_calls(self):
        self.assertEqual(self.page_events(self.timed), '[["timedcalls",24,0]]')
        self.assertEqual(self.page_events(self.timed, "--task", "sensor"),
                         '[["timedcalls",14,0,24]]')
        self.assertEqual(self.page_events(self.timed, "--task", "idle"),
                         '[["timedcalls",0,0,24]]')

    def test_no_such_task(self):
        for command in (("report",), ("annotate",), ("export", "--to", "csv")):
            done = self.run_on(command[0], self.path, *command[1:], "--task", "nobody",
                               status=3)
            self.assertEqual(done.stdout, b"")
            self.assertEqual(done.stderr.decode(), (
                f"mcuprof {command[0]}: --task nobody: nothing was counted of it; "
                "of idle, sensor, worker, [SysTick], [task 5], "
                "worker #2, [IRQ 8], [no task]\n"))

    def test_losses_are_of_all_tasks(self):
        """It is not known whose events were lost: 20 of all tasks' 100 samples, not 20 of the
        sensor's."""
        stream = begin(hz=1000000, period=1000, flags=TELLS_TASKS | SAMPLES)
        for task, function, samples in ((SENSOR, READ, 20), (WORKER, WORK, 60)):
            stream.task(task)
            stream.sample(function + 4, samples)
        stream.words(TOTALS, 1, 80, 20, stream.hash)
        path, lost = self.write("lossy", stream), "of all tasks 20 samples (20.0 %) lost"
        options = path, "--task", "sensor"
        self.assertIn(f"20 samples received, {lost}", self.text("report", *options))
        self.assertIn(f"20 samples received, {lost}", self.text("annotate", *options, "--asm"))
        for to in "csv", "json":
            done = self.run_on("export", *options, "--to", to)
            self.assertIn(lost.encode(), done.stderr, to)
        self.assertEqual(json.loads(done.stdout)["events"]["samples"], {
            "received": 20, "lost": None, "run_received": 80, "run_lost": 20})
        self.assertEqual(self.page_events(*options), '[["samples",20,20,80]]')
        self.assertIn("80 samples received, 20 samples (20.0 %) lost", self.text("report", path))

    def test_a_task_without_samples(self):
        """The other tasks' samples show that the timer runs."""
        stream = begin(hz=1000000, period=1000, flags=TELLS_TASKS | SAMPLES | TIMES_CALLS)
        stream.time(1000000, 3, 7, 0, 10000)
        stream.task(WORKER)
        stream.sample(WORK + 4, 3)
        stream.task(SENSOR)
        stream.call(READ + 4, FILTER, 12, 1200, 1100, 100, 100)
        stream.words(TOTALS, 1 | CALLS, 3, 0, 12, 0, stream.hash)
        text = self.text("report", self.write("mixed", stream), "--task", "sensor")
        self.assertIn("12 timed calls received", text)
        self.assertNotIn("no sample came", text)

    def test_firmware_without_tasks(self):
        stream = Stream(hz=1000000, period=1000, flags=SAMPLES)
        stream.sample(WORK + 4, 5)
        path = self.write("none", stream)
        self.assertEqual([name for name, _ in self.rows(path)], ["[no task]"])
        self.assertEqual(self.folded(path), {"work": 5})
        self.assertIn(b"nothing was counted of it; of [no task]\n", self.run_on(
            "report", path, "--task", "sensor", status=3).stderr)

    def test_a_lost_switch_leaves_events_unknown(self):
        stream = begin(hz=1000000, period=1000, flags=TELLS_TASKS | SAMPLES)
        stream.task(SENSOR)
        stream.sample(READ + 4, 7)
        stream.check()
        at = len(stream.bytes)
        stream.task(WORKER)
        stream.sample(WORK + 4, 9)
        stream.check()
        lost = slice(at, len(stream.bytes))
        stream.sample(WORK + 4, 5)
        stream.task(SENSOR)
        stream.sample(FILTER + 4, 2)
        stream.bytes = stream.bytes[:lost.start] + stream.bytes[lost.stop:]
        stream.check()
        stream.sample(WORK + 4, 3)
        stream.task(SENSOR)
        stream.sample(FILTER + 4, 2)
        path = self.write("damaged", stream)
        self.assertEqual(self.folded(path), {
            "sensor;read_sensor": 7, "[unknown];work": 3, "sensor;filter": 2})

    def test_a_damaged_switch_is_repaired(self):
        stream = begin(hz=1000000, period=1000, flags=TELLS_TASKS | SAMPLES)
        at = len(stream.bytes)
        stream.task(SENSOR)
        stream.sample(READ + 4, 7)
        stream.check()
        stream.bytes = stream.bytes[:at + 1] + b"\x7f" + stream.bytes[at + 2:]
        self.assertEqual(self.folded(self.write("mended", stream)),
                         {"sensor;read_sensor": 7})


if __name__ == "__main__":
    unittest.main()
