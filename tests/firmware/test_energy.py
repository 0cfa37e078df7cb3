# SPDX-License-Identifier: MIT
"""Energy of firmware that sleeps for a known half of its time is what its currents make of that;
what is sent as a capture adds up; without tasks, it is said what to switch on."""
import csv
import io
import json
import os
import subprocess
import tempfile
import unittest

from firmware import BOARDS, MCUPROF, Run, output

ROUNDS, TICK_US = 1000, 2000
VOLTS, RUNNING, IDLE = 3, 10e-3, 1e-3  # no tolerance: the error is that of the samples
POWER = "voltage = 3 V\nrunning = 10 mA\nidle = 1 mA\nbattery = 100 mAh\n"


class Energy(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder, cls.power = folder.name, cls.file(folder.name, "power", POWER)

    @staticmethod
    def file(folder, name, text):
        path = os.path.join(folder, name)
        with open(path, "w", encoding="utf-8") as out:
            out.write(text)
        return path

    def asleep(self, board, knobs):
        """Returns a run that sleeps and works in turn, and for how many seconds it works."""
        turn_ns = BOARDS[board].turn_ns
        turns = TICK_US * 1000 // 2 // turn_ns // 4 * 4
        run = Run(board, "asleep", "-DBOARD_COUNT_SAMPLES -DMCUPROF_SAMPLE_HZ=2000 "
                  f"-DTICK_US={TICK_US} -DTURNS={turns} {knobs}")
        return run, ROUNDS * turns * turn_ns / 1e9

    def check(self, run, *budgets):
        path = self.file(self.folder, "budgets", "".join(line + "\n" for line in budgets))
        return subprocess.run([MCUPROF, "check", "--power", self.power, "-e", run.elf, path,
                               run.capture], capture_output=True, text=True).returncode

    def assert_adds_up(self, run, model):
        energy = model["energy"]
        functions = sum(each["self_joules"] for each, function in
                        zip(energy["functions"], model["functions"], strict=True)
                        if not function["overhead"])
        tasks = sum(task["joules"] for task in energy["tasks"])
        whole = energy["joules"]
        self.assertAlmostEqual(functions / tasks, 1, 6)
        self.assertAlmostEqual((tasks + energy["profiler_joules"]) / whole, 1, 6)
        self.assertAlmostEqual(energy["mean_amperes"] * VOLTS * energy["seconds"] / whole, 1, 6)
        rows = csv.DictReader(io.StringIO(output("export", "--to", "csv", "--power", self.power,
                                                 "-e", run.elf, run.capture)))
        rows = sum(float(row["self_joules"]) for row in rows if row["overhead"] == "0")
        self.assertAlmostEqual(rows / tasks, 1, 6)

    def test_a_known_share_of_sleep(self):
        run, works = self.asleep("microbit", "-DMCUPROF_TASKS=2")
        model, seconds = run.model("--power", self.power), ROUNDS * TICK_US / 1e6
        energy = model["energy"]
        self.assert_adds_up(run, model)
        truth = VOLTS * (works * RUNNING + (seconds - works) * IDLE)
        # waking, the tick and the profiler's interrupt take a little more than the work
        self.assertLess(abs(energy["seconds"] - seconds), 0.02 * seconds)
        self.assertLess(energy["error_joules"], 0.03 * truth)
        self.assertLess(abs(energy["joules"] - truth), 3 * energy["error_joules"] + 0.02 * truth)
        self.assertAlmostEqual(energy["life_seconds"] * energy["mean_amperes"] / 360, 1, 6)
        work = next(each for each in energy["functions"] if each["name"] == "work")
        self.assertLess(abs(work["self_joules"] - VOLTS * RUNNING * works),
                        3 * work["self_error_joules"] + 0.02 * truth)
        # sleep's own time is nearly all of the idle task's
        sleep = next(each for each in energy["functions"] if each["name"] == "sleep")
        idle = next(task for task in energy["tasks"] if task["idle"])
        self.assertLess(abs(sleep["self_joules"] - idle["joules"]), 0.02 * truth)
        report = output("report", "--flat", "--power", "examples/asleep/nrf51.power", "-e", run.elf,
                        run.capture)
        self.assertRegex(report, r"energy +[\d.]+ ±[\d.]+ mJ in [\d.]+ s: 2\.\d ±0\.1 mA in the "
                                 r"mean; 220 mAh last 4\.\d ±0\.\d days\n")
        self.assertEqual(self.check(run, "task main energy < 1 J", "work total < 50 mJ",
                                    "current < 10 mA", "life > 10 h"), 0)
        self.assertEqual(self.check(run, "task main energy < 1 mJ"), 1)

    def test_what_was_lost(self):
        """Samples that are lost are time in which nobody knows what ran."""
        run, _ = self.asleep("microbit", "-DMCUPROF_TASKS=2")
        with open(run.capture, "rb") as file:
            whole = file.read()
        cut = os.path.join(self.folder, "cut")
        with open(cut, "wb") as out:
            out.write(whole[:len(whole) // 2] + whole[len(whole) * 2 // 3:])
        some, energy = [json.loads(output("export", "--to", "json", "--power", self.power, "-e",
                                          run.elf, path))["energy"] for path in (cut, run.capture)]
        self.assertAlmostEqual(some["seconds"] / energy["seconds"], 1, delta=0.02)
        self.assertLess(some["joules"], 0.95 * energy["joules"])
        self.assertLess(energy["joules"] - some["joules"], some["error_joules"])

    def test_a_kernel(self):
        run = Run("mps2-an385", "chibios", "-DMCUPROF_SAMPLE_HZ=10000")
        self.assert_adds_up(run, run.model("--power", self.power))
        lines = output("report", "--by", "task", "--power", self.power, "-e", run.elf, run.capture)
        self.assertRegex(lines, r"1\.00 mA .* idle \(idle\)\n")

    def test_without_tasks(self):
        run, _ = self.asleep("microbit", "")
        for command in (["report"], ["html"], ["export", "--to", "json"], ["export", "--to", "csv"]):
            done = subprocess.run([MCUPROF, *command, "--power", self.power, "-e", run.elf,
                                   run.capture], capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stdout), (3, ""))
            self.assertIn("nothing tells when the firmware was idle or slept: build it with "
                          "MCUPROF_TASKS", done.stderr)
        self.assertEqual(self.check(run, "energy < 1 J"), 3)


if __name__ == "__main__":
    unittest.main()
