# SPDX-License-Identifier: MIT
"""Energy by --power: figures worked out by hand, from captures made by hand; in each output the
same; refusals that say what to switch on; files of currents that cannot be read."""

import csv
import io
import json
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from elves import InFolder, assemble, mcuprof  # noqa: E402
from test_tasks import (FILTER, IDLING, MAIN, NAMES, SENSOR, SLEEP, WORK, WORKER,  # noqa: E402
                        begin, sampled, timed)
from test_timeline import HZ as TIMELINE_HZ, stream as timeline  # noqa: E402
from wire import SAMPLES, TELLS_TASKS, TIMES_CALLS, WHOLE, Stream  # noqa: E402

POWER = """voltage = 3 V
running = 10 mA    # the processor
idle = 1 mA
task worker = 20 mA
task [SysTick] = 5mA
tolerance = 5 %
battery = 220 mAh
"""
VOLTS, TOLERANCE, RUN = 3, 0.05, 100  # samples of the run, 1 ms each
# Milliamperes and samples of the tasks of sampled().
TASKS = {"idle": (1, 50), "sensor": (10, 30), "worker": (20, 8), "[SysTick]": (5, 4),
         "[task 5]": (10, 3), "worker #2": (20, 2), "[IRQ 8]": (10, 2), "[no task]": (10, 1)}


def microjoules(*parts, run=RUN):
    """Returns what some (mA, samples) took, and its error: host/answers/energy.h has the rule."""
    used = [VOLTS * current * samples for current, samples in parts]
    squares = 0
    for current, samples in parts:
        share, rule = samples / run, (samples + 1) / (run + 2)
        binomial = share * (1 - share) / run
        few = rule * (1 - rule) / (run + 3) + (rule - share)**2
        squares += (VOLTS * current * run)**2 * max(binomial, few) if samples else 0
    squares -= (sum(used)**2 - sum(each**2 for each in used)) / run
    return sum(used), (squares + (TOLERANCE * sum(used))**2)**0.5


class Energy(InFolder):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.elf = assemble(cls.folder.name, 0x8000,
                           [(0x8000 + 64 * i, 64, "T", name) for i, name in enumerate(NAMES)])
        cls.power = cls.file("board.power", POWER)
        cls.sampled = cls.write("sampled", sampled())

    @classmethod
    def file(cls, name, text):
        path = os.path.join(cls.folder.name, name)
        with open(path, "w", encoding="utf-8") as out:
            out.write(text)
        return path

    @classmethod
    def write(cls, name, stream):
        path = os.path.join(cls.folder.name, name + ".mprof")
        stream.write(path)
        return path

    def run_on(self, *arguments, elf=None, power=None, capture=None, status=0):
        return mcuprof(*arguments[:1], "-e", elf or self.elf, "--power", power or self.power,
                       *arguments[1:], capture or self.sampled, status=status)

    def text(self, *arguments, **more):
        return self.run_on(*arguments, **more).stdout.decode()

    def energy(self, **more):
        return json.loads(self.text("export", "--to", "json", **more))["energy"]

    def assert_used(self, joules, error, expected):
        self.assertAlmostEqual(1e6 * joules, expected[0], 6)
        self.assertAlmostEqual(1e6 * error, expected[1], 6)

    def assert_adds_up(self, energy, functions):
        """All functions and what the profiler took are the tasks and that, and the whole; that is
        the mean current times voltage and time."""
        tasks = sum(task["joules"] for task in energy["tasks"])
        self.assertAlmostEqual(functions / tasks, 1, 9)
        self.assertAlmostEqual((tasks + energy["profiler_joules"]) / energy["joules"], 1, 9)
        self.assertAlmostEqual(energy["mean_amperes"] * energy["volts"] * energy["seconds"] /
                               energy["joules"], 1, 9)
        self.assertAlmostEqual(sum(task["seconds"] for task in energy["tasks"]) +
                               energy["profiler_seconds"], energy["seconds"], 9)

    def test_by_hand(self):
        energy = self.energy()
        self.assertEqual({task["name"] for task in energy["tasks"]}, set(TASKS))
        for task in energy["tasks"]:
            self.assert_used(task["joules"], task["error_joules"], microjoules(TASKS[task["name"]]))
            self.assertEqual(task["idle"], task["name"] == "idle")
        functions = {each["name"]: each for each in energy["functions"]}
        # work runs in both workers and in a task without a name, main before all tasks
        expected = {"work": [(20, 10), (10, 3)], "read_sensor": [(10, 20)], "filter": [(10, 10)],
                    "sleep": [(1, 50)], "count_tick": [(5, 4), (10, 2)], "main": [(10, 1)]}
        self.assertEqual(set(functions), set(expected))
        for name, parts in expected.items():
            self.assert_used(functions[name]["self_joules"], functions[name]["self_error_joules"],
                             microjoules(*parts))
        self.assert_adds_up(energy, sum(each["self_joules"] for each in functions.values()))
        self.assertAlmostEqual(energy["joules"], 1.89e-3, 12)
        self.assertAlmostEqual(energy["mean_amperes"], 6.3e-3, 12)
        self.assertAlmostEqual(energy["life_seconds"] / 3600, 220 / 6.3, 9)
        # the time of all samples has an error, too, but not their mean current
        whole = microjoules((10, 36), (20, 10), (5, 4), (1, 50))[1]
        self.assertAlmostEqual(1e6 * energy["error_joules"],
                               (whole**2 + 1890**2 / (12 * RUN))**0.5, 6)
        self.assertAlmostEqual(energy["mean_error_amperes"] / 6.3e-3, whole / 1890, 9)
        self.assertAlmostEqual(energy["life_error_seconds"] / energy["life_seconds"], whole / 1890,
                               9)

    def test_report(self):
        text = self.text("report")
        self.assertIn(
            "power     10.0 mA running, 1.00 mA idle, 20.0 mA worker, 5.00 mA [SysTick], at 3 V, "
            f"\u00b15 %, by {self.power}\n"
            "energy    1.9 \u00b10.2 mJ in 100 ms: 6.3 \u00b10.7 mA in the mean; 220 mAh last "
            "35 \u00b14 hours\n", text)
        self.assertNotIn("waits", text)  # the profiler took nothing
        self.assertIn("20.0 mA  0.5   \u00b10.2    worker\n", text)
        self.assertRegex(text, r"\n +13 +13 ±3 +0\.7 +±0\.2 +work\n")
        self.assertNotIn("mJ", mcuprof("report", "-e", self.elf, self.sampled).stdout.decode())

    def test_csv_has_the_energies_of_json(self):
        rows = list(csv.DictReader(io.StringIO(self.text("export", "--to", "csv"))))
        whole = {each["name"]: each["self_joules"] for each in self.energy()["functions"]}
        added = dict.fromkeys(whole, 0)
        for row in rows:
            used = microjoules((TASKS[row["task"]][0], float(row["samples"])))
            self.assert_used(float(row["self_joules"]), float(row["self_error_joules"]), used)
            added[row["name"]] += float(row["self_joules"])
        for name, joules in whole.items():
            self.assertAlmostEqual(added[name], joules, 12)
        plain = mcuprof("export", "--to", "csv", "-e", self.elf, self.sampled).stdout.decode()
        self.assertNotIn("joules", plain)

    def test_call_paths(self):
        stream = begin(hz=1000000, period=1000, flags=TELLS_TASKS | SAMPLES, depth=8)
        for task, function, count in ((SENSOR, FILTER, 40), (WORKER, FILTER, 10),
                                      (IDLING, SLEEP, 50)):
            stream.task(task)
            for _ in range(count):
                stream.path(WHOLE, [MAIN + 8 - 0x7000], function + 4 - 0x7000)
            stream.check()
        capture = self.write("paths", stream)
        elf = assemble(self.folder.name, 0x1000,
                       [(0x1000 + 64 * i, 64, "T", name) for i, name in enumerate(NAMES)],
                       name="low.elf")
        energy = self.energy(elf=elf, capture=capture)
        expected = {(SENSOR, "filter"): (10, 40), (WORKER, "filter"): (20, 10),
                    (IDLING, "sleep"): (1, 50)}
        self.assertEqual(len(energy["paths"]), len(expected))
        for path in energy["paths"]:
            parts = expected[path["task"], path["functions"][-1]]
            self.assertEqual((path["functions"][0], path["samples"]), ("main", parts[1]))
            self.assert_used(path["joules"], path["error_joules"], microjoules(parts))
        main = next(each for each in energy["functions"] if each["name"] == "main")
        self.assertEqual((main["self_joules"], energy["profiler_joules"]), (0, 0))
        self.assert_used(main["total_joules"], main["total_error_joules"],
                         microjoules((10, 40), (20, 10), (1, 50)))
        lines = self.text("report", "--paths", elf=elf, capture=capture)
        self.assertRegex(lines, r"\n +40 +40 ±5 +1\.2 +±0\.2 +sensor: main → filter\n")

    def test_budgets_of_overloads_that_call_each_other(self):
        stream = begin(hz=1000000, period=1000, flags=TELLS_TASKS | SAMPLES, depth=8)
        for task, frames, count in ((SENSOR, [0x1010, 0x1050], 100), (IDLING, [0x1010], 10)):
            stream.task(task)
            for _ in range(count):
                stream.path(WHOLE, frames, 0x1084)
            stream.check()
        elf = assemble(self.folder.name, 0x1000,
                       [(0x1000 + 64 * i, 64, "T", name)
                        for i, name in enumerate(("main", "_Z4twini", "_Z4twinc"))], name="twin.elf")
        budgets = self.file("twin.budgets", "twin total < 3.5 mJ\n")
        mcuprof("check", "-e", elf, "--power", self.power, budgets, self.write("twin", stream))

    def test_timed_calls(self):
        """Without samples the times are those measured at each switch, to a tick."""
        energy = self.energy(capture=self.write("timed", timed()))
        used = {task["name"]: task["joules"] for task in energy["tasks"]}
        # the run is 20 ms; what neither a task nor the profiler took is taken at the least current
        away = 0.02 - 0.00805 - 0.00034
        for name, expected in (("sensor", 60e-6), ("idle", 18e-6), ("[SysTick]", 0.75e-6),
                               ("[unknown]", VOLTS * 1e-3 * away)):
            self.assertAlmostEqual(used[name], expected, 12)
        self.assert_adds_up(energy, sum(used.values()))
        self.assertAlmostEqual(energy["seconds"], 0.02, 9)
        self.assertAlmostEqual(energy["profiler_seconds"], 0.00034, 9)
        self.assertGreater(energy["error_joules"], VOLTS * 19e-3 * away)
        functions = {each["name"]: each for each in energy["functions"]}
        # work: 100 ticks of the sensor, 30 of SysTick; each pair of hooks is taken off already
        self.assertAlmostEqual(functions["filter"]["self_joules"], 3 * 10e-3 * 1100e-6, 12)
        self.assertAlmostEqual(functions["work"]["self_joules"],
                               3 * (10e-3 * 100e-6 + 5e-3 * 30e-6), 12)
        self.assertAlmostEqual(functions["filter"]["total_joules"], 3 * 10e-3 * 1200e-6, 12)
        text = self.text("report", "--flat", capture=self.write("timed", timed()))
        self.assertIn("Timed calls", text)
        self.assertNotIn("total~", text)  # nothing is estimated

    def test_timed_calls_and_a_run_that_is_too_short(self):
        """The records that tell the run's time are lost: the mean current has that error."""
        short = begin(flags=TELLS_TASKS | TIMES_CALLS)
        short.time(1000000, 3, 7, 0, 10000)
        short.task(IDLING)
        short.call(0, 0, 1, 15000, 15000, 15000, 15000)
        short.call(MAIN + 4, SLEEP, 1, 100, 100, 100, 100)
        short.time(1000000, 3, 7, 0, 10000)
        short.end()
        energy = self.energy(capture=self.write("short", short),
                             power=self.file("plain", "voltage=3V\nrunning=10mA\nidle=1mA\n"))
        self.assertAlmostEqual(energy["seconds"], 0.01501, 9)  # with a pair of hooks
        self.assertAlmostEqual(energy["mean_error_amperes"], 1e-3 * 501 / 1501, 9)

    def test_the_timeline_alone(self):
        made = timeline()
        made.end(totals=False)
        capture = self.write("line", made)
        power = self.file("line.power", "voltage=3V\nrunning=10mA\nidle=1mA\ntask talk = 2 mA\n")
        energy = self.energy(capture=capture, power=power)
        used = {task["name"]: task["joules"] for task in energy["tasks"]}
        for name, expected in (("work", 3 * 10e-3 * 580e-6), ("talk", 3 * 2e-3 * 300e-6),
                               ("[SysTick]", 3 * 10e-3 * 20e-6), ("idle", 3 * 1e-3 * 1100e-6)):
            self.assertAlmostEqual(used[name], expected, 12)
        self.assertEqual((energy["functions"], energy["error_joules"]), ([], None))
        self.assert_adds_up(energy, sum(used.values()))
        self.assertRegex(self.text("report", "--timeline", capture=capture, power=power),
                         r"29\.00 +580 µs +17\.4 +\d.* work\n")
        self.assertIn("has the profiler's time in it: energies may be too large",
                      self.text("report", capture=capture, power=power))

    def test_a_gap_of_the_timeline_counts_least(self):
        made = timeline()
        made.check()
        made.state(TIMELINE_HZ, 3600, 1, 0, 11, 5)  # 600 us, of which 5 events were dropped
        made.end(totals=False)
        power = self.file("gap.power", "voltage=3V\nrunning=10mA\nidle=1mA\n")
        energy = self.energy(capture=self.write("gap", made), power=power)
        used = {task["name"]: task["joules"] for task in energy["tasks"]}
        self.assertAlmostEqual(used["[unknown]"], 3 * 1e-3 * 600e-6, 12)
        self.assertAlmostEqual(energy["error_joules"], 3 * 9e-3 * 600e-6, 12)
        self.assert_adds_up(energy, sum(used.values()))

    def test_what_ran_while_bytes_were_lost_counts_least(self):
        stream = begin(hz=1000000, period=1000, flags=TELLS_TASKS | SAMPLES)
        stream.task(IDLING)
        stream.sample(SLEEP + 4, 50)
        stream.check()
        start = len(stream.bytes)
        stream.task(WORKER)
        stream.sample(WORK + 4, 9)
        stream.check()
        lost = slice(start, len(stream.bytes))
        stream.sample(WORK + 4, 5)
        stream.bytes = stream.bytes[:lost.start] + stream.bytes[lost.stop:]
        stream.check()
        stream.sample(FILTER + 4, 1000)
        stream.task(IDLING)
        stream.sample(SLEEP + 4, 950)
        capture = self.write("lost", stream)
        tasks = {task["name"]: task for task in self.energy(capture=capture)["tasks"]}
        used, error = microjoules((1, 1000), run=2000)
        missing = VOLTS * (20 - 1) * 1000
        self.assert_used(tasks["[unknown]"]["joules"], tasks["[unknown]"]["error_joules"],
                         (used, (error**2 + missing**2)**0.5))
        # that excuses a figure that is too low, not one that is too high
        for line, state in (("filter self < 1mJ", "BROKEN"), ("filter self > 100 mJ", "near")):
            text = self.text("check", self.file("one", line + "\n"), capture=capture,
                             status=state == "BROKEN")
            self.assertEqual(text.splitlines()[1].split()[0], state, text)

    def test_check(self):
        budgets = {"task sensor energy < 2mJ": "ok", "task sensor energy < 800 uJ": "near",
                   "task sensor energy < 500uJ": "BROKEN", "task worker energy < 700 \u00b5J": "ok",
                   "filter self < 400uJ": "ok", "filter total > 1mJ": "BROKEN",
                   "energy < 2mJ": "ok", "energy < 1 mJ": "BROKEN", "current < 6mA": "near",
                   "current < 4000 uA": "BROKEN", "life > 30 h": "ok", "life > 3 days": "BROKEN",
                   "task nobody energy < 1J": "BROKEN", "nothing self < 1J": "BROKEN"}
        kept = self.file("kept", "".join(line + "\n" for line, state in budgets.items()
                                         if state != "BROKEN"))
        every = self.file("every", "\n".join(budgets))
        self.run_on("check", kept)
        lines = self.text("check", every, status=1).splitlines()[1:len(budgets) + 1]
        self.assertEqual([line.split()[0] for line in lines], list(budgets.values()), lines)
        self.assertRegex(lines[0], r"900 ±100 µJ  +task sensor")
        self.assertIn("35 \u00b14 hours", lines[10])
        self.assertIn("the capture has no task of that name", lines[12])
        without = mcuprof("check", "-e", self.elf, kept, self.sampled, status=1).stdout.decode()
        self.assertIn("the power is not known: --power FILE", without)
        for line in ("energy < 3", "energy < 3ms", "current < 3mJ", "life > 3mA",
                     "task idle energy < 3 %", "main calls < 3mJ"):
            said = self.run_on("check", self.file("wrong", line + "\n"), status=3).stderr.decode()
            self.assertIn("wrong:1: not a budget", said)

    def test_no_battery(self):
        power = self.file("none.power", "voltage = 3 V\nrunning = 10 mA\nidle = 0 A\n")
        text = self.text("report", power=power)
        self.assertIn("energy    1.5 \u00b10.2 mJ in 100 ms: 5.0 \u00b10.5 mA in the mean\n", text)
        life = self.file("life", "life > 3 days\n")
        self.assertIn("names no battery",
                      self.text("check", life, power=power, status=1))

    def refused(self, stream, power=None):
        said = self.run_on("report", capture=self.write("refused", stream), power=power, status=3)
        self.assertEqual(said.stderr.count(b"\n"), 1)
        return said.stderr.decode()

    def test_where_idle_is_not_measured(self):
        stream = Stream(hz=1000000, period=1000, flags=SAMPLES)
        stream.sample(MAIN + 4, 100)
        self.assertIn("build it with MCUPROF_TASKS", self.refused(stream))
        stream = Stream(hz=1000000, period=1000, flags=TELLS_TASKS | SAMPLES)
        stream.task(SENSOR, "sensor")
        stream.task(SENSOR)
        stream.sample(MAIN + 4, 100)
        said = self.refused(stream)
        self.assertIn("has tasks, but none that ran is an idle one", said)
        self.assertIn("mcuprof_task_switch(key, name, true)", said)
        stream = begin(flags=TELLS_TASKS | SAMPLES)
        stream.task(IDLING)
        stream.sample(MAIN + 4, 100)
        self.assertIn("the sampling rate is not known: --hz", self.refused(stream))

    def test_bad_files(self):
        good = "voltage = 3 V\nrunning = 4 mA\nidle = 2 uA\n"
        for text, place, cause in (
                ("", "", "voltage is missing"), ("voltage = 3 V\nidle = 1 mA\n", "",
                                                 "running is missing: a current, e.g. 4.4 mA"),
                ("voltage = 3 mA\n", ":1", "voltage = 3 mA: expected a voltage"),
                ("# x\n\nvoltage = -3 V\n", ":3", "expected a voltage"),
                ("voltage = 0 V\n", ":1", "expected a voltage"), ("voltage = V\n", ":1", "expected"),
                ("voltage = nan V\n", ":1", "expected"), ("voltage = 1e400 V\n", ":1", "expected"),
                ("voltage = 1e300 V\n", ":1", "expected a voltage"),
                (good + "asleep = 1 uA\n", ":4", "unknown setting 'asleep': there are voltage, "),
                (good + "idle = 1 uA\n", ":4", "idle is given more than once"),
                (good + "idle 1 uA\n", ":4", "expected NAME = VALUE"),
                (good + "tolerance = 101 %\n", ":4", "expected 0 to 100 %"),
                (good + "tolerance = 5\n", ":4", "expected 0 to 100 %"),
                (good + "battery = 220 mA\n", ":4", "expected a charge"),
                (good + "task = 1 mA\n", ":4", "expected the task's name"),
                (good + "task a = 1\n", ":4", "a = 1: expected a current"),
                (good + "task a = 1 mA\ntask a = 2 mA\n", ":5", "task a is given more than once"),
                (good + "x" * 5000 + "\n", ":4", "expected NAME = VALUE")):
            with self.subTest(text=text[:80]):
                said = self.run_on("report", power=self.file("bad.power", text), status=3).stderr
                self.assertIn(f"bad.power{place}: ".encode(), said)
                self.assertIn(cause.encode(), said)
                self.assertEqual(said.count(b"\n"), 1)
        said = self.run_on("report", power="no/such.power", status=3).stderr
        self.assertIn(b"no/such.power: No such file", said)

    def test_names_of_tasks(self):
        power = self.file("names.power", "\ufeffvoltage = 3V\nrunning = 10mA\nidle = 1mA\n"
                          "task worker #2 = 7 mA\t# another\ntask [IRQ 8] = 8 mA #\n"
                          "task a=b = 1 mA\n")
        done = self.run_on("export", "--to", "json", power=power)
        used = {task["name"]: task["amperes"] for task in json.loads(done.stdout)["energy"]["tasks"]}
        self.assertEqual((used["worker"], used["worker #2"], used["[IRQ 8]"]), (0.01, 0.007, 0.008))
        self.assertEqual(done.stderr.decode().splitlines()[0],
                         f"mcuprof export: warning: {power}: no task 'a=b' ran")

    def test_one_of_several_tasks_of_a_name(self):
        """A line may name it alone, before or behind one that names them all."""
        lines = ["task worker = 20 mA\n", "task worker #2 = 7 mA\n"]
        for each in lines, lines[::-1]:
            power = self.file("twins", "voltage = 3 V\nrunning = 10 mA\nidle = 1 mA\n"
                              + "".join(each))
            used = {task["name"]: task["amperes"] for task in self.energy(power=power)["tasks"]}
            self.assertEqual((used["worker"], used["worker #2"]), (0.02, 0.007))

    def test_command_lines(self):
        for arguments, cause in (
                (("report", "--task", "idle"), "not with --task"),
                (("check", "--task", "idle", self.file("any", "energy < 1J\n")), "not with --task"),
                (("export", "--to", "folded"), "folded has no energy"),
                (("export", "--to", "csv", "-o", self.power), "is both input and output")):
            self.assertIn(cause.encode(), self.run_on(*arguments, status=2).stderr)
        said = mcuprof("export", "--to", "json", "--power", self.power, self.sampled, status=2)
        self.assertIn(b"--power needs the firmware's ELF", said.stderr)

    def test_project(self):
        """mcuprof.conf gives check its currents."""
        conf = self.file("mcuprof.conf", f"elf = {self.elf}\nsource = {self.sampled}\n"
                         f"capture = {self.folder.name}/run.mprof\nbudgets = good\n"
                         "power = board.power\nshow = report --flat --power board.power\n")
        self.file("good", "task sensor energy < 2mJ\n")
        done = mcuprof("run", "-f", conf)
        self.assertIn("900 \u00b1100 µJ", done.stdout.decode())
        self.assertIn("1 kept, 0 broken", done.stdout.decode())


if __name__ == "__main__":
    unittest.main()
