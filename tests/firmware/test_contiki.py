# SPDX-License-Identifier: MIT
"""Contiki's processes are told apart by name: those of examples/contiki, whose kernel is our own,
on an emulated ATmega1284P. Each works for a known time, and one is called amid another."""
import collections
import json
import math
import os
import re
import subprocess
import unittest

from firmware import Run, make, output

BOARD = "atmega1284p"
PROCESSES = {"sense": ("measure", 1), "filter": ("smooth", 2), "radio": ("transmit", 4)}
ROUNDS, UNIT_US = 100, 1000  # as in examples/contiki/contiki.c
TIMELINE = "-DMCUPROF_TIMELINE=1 -DMCUPROF_ARCS=0"


class Contiki(unittest.TestCase):
    def run_it(self, knobs):
        run = Run(BOARD, "contiki", knobs)
        self.assertEqual(run.said("rounds"), ROUNDS)
        self.assertEqual(run.info()["damaged"], 0)
        return run

    def test_calls_and_samples(self):
        """Each process calls its own function and no other's, and is sampled as it works."""
        run = self.run_it("-DMCUPROF_RING_BYTES=4096")
        model = run.model()
        task = {each["task"]: each["name"] for each in model["tasks"]}
        self.assertEqual(set(task.values()) - {""}, {"contiki", "idle", *PROCESSES})
        self.assertEqual(model["events"]["arcs"]["lost"], 0)
        functions = {each["address"]: each["name"] for each in model["functions"]}
        works = {work for work, _ in PROCESSES.values()}
        calls, samples = collections.Counter(), collections.Counter()
        for call in model["arcs"]:
            if functions.get(call["to"]) in works:
                calls[task[call["task"]], functions[call["to"]]] += call["count"]
        self.assertEqual(calls, {(name, work): ROUNDS for name, (work, _) in PROCESSES.items()})
        for name, (work, _) in PROCESSES.items():
            told = run.model("--task", name)
            samples.update({each["name"]: each["samples"] for each in told["functions"]
                            if each["name"] in works})
            self.assertEqual({each["name"] for each in told["functions"]
                              if each["samples"] and each["name"] in works}, {work})
        every = sum(samples.values())
        self.assertGreater(every, 200)
        for work, units in PROCESSES.values():
            share = units / 7
            self.assertLess(abs(samples[work] - share * every),
                            5 * math.sqrt(share * (1 - share) * every))

    def test_times(self):
        """A process is timed without the one that it calls, and without the profiler; a restarted
        one goes on. A tick's handler takes 1 % or so."""
        run = self.run_it("-DMCUPROF_CALLS=1 -DMCUPROF_SAMPLES=0 -DMCUPROF_RING_BYTES=4096")
        model = run.model()
        self.assertEqual(model["events"]["calls"]["lost"], 0)
        us = 1e6 / model["time_base"]["hz"]
        name = {each["task"]: each["name"] for each in model["tasks"]}
        own = {name[call["task"]]: call["total_ticks"] * us for call in model["calls"]
               if call["from"] == call["to"] == 0}
        for task, (_, units) in PROCESSES.items():
            work = ROUNDS * units * UNIT_US
            self.assertGreater(own[task], work)
            self.assertLess(own[task], 1.05 * work + ROUNDS * 500, task)
        table = output("report", "--by", "task", "-e", run.elf, run.capture)
        self.assertEqual(re.findall(r"^ +[\d.]+ +[\d.]+ .* (radio|filter|sense)$", table, re.M),
                         ["radio", "filter", "sense"])

    def test_timeline(self):
        run = self.run_it(TIMELINE)
        self.assertEqual(run.info()["timeline"]["lost"], 0)
        table = output("report", "--timeline", "-e", run.elf, run.capture)
        stretches = {name: int(times) for times, name in re.findall(
            r"^ +[\d.]+ +[\d.]+ \w+ +(\d+) .* (\w+)(?: \(idle\))?$", table, re.M)}
        # Each is called at its start, too; filter goes on when radio has sent.
        self.assertEqual({name: stretches[name] for name in PROCESSES},
                         {"sense": ROUNDS + 2, "filter": 2 * ROUNDS + 1, "radio": ROUNDS + 1})
        trace = json.loads(output("export", "--to", "perfetto", "-e", run.elf, run.capture))
        drawn = collections.Counter()
        for event in trace["traceEvents"]:
            if event["ph"] == "X" and event["pid"] == 1:
                drawn[event["name"]] += event["dur"]
        for name, (_, units) in PROCESSES.items():
            self.assertGreater(drawn[name], ROUNDS * units * UNIT_US)
        make("build/tests/top_frames")
        top = subprocess.run(["build/tests/top_frames", f"elf={run.elf}", run.capture],
                             input="size 120 30\nfeed 0 2\nframe\n", check=True,
                             capture_output=True, text=True, timeout=180).stdout
        shares = dict(re.findall(r"  (\w+) ([\d.]+) %", top))
        for name in PROCESSES:
            share = shares[name]
            self.assertAlmostEqual(float(share) / 100, drawn[name] / sum(drawn.values()), delta=0.1)

    def test_process_without_a_place(self):
        """It is the last that starts, and the kernel's name says that others are in it."""
        run = self.run_it("-UMCUPROF_TASKS -DMCUPROF_TASKS=4 -DMCUPROF_RING_BYTES=4096")
        calls = {each["name"]: sum(call["count"] for call in run.model("--task", each["name"])[
            "function_calls"]) for each in run.model()["tasks"] if each["name"]}
        self.assertEqual(set(calls), {"contiki, others", "idle", "filter", "radio"})
        self.assertGreater(calls["contiki, others"], 3 * ROUNDS)

    def compiled(self, *knobs):
        return subprocess.run(
            ["arm-none-eabi-gcc", "-mcpu=cortex-m3", "-mthumb", "-ffreestanding", "-std=c11", "-Os",
             "-Wall", "-Wextra", "-Wshadow", "-Werror", "-Itests/contiki", "-Itarget/include",
             "-DMCUPROF_TIMER_HZ=1000000", *knobs, "-c", "-o", os.devnull,
             "target/os/contiki/mcuprof_contiki.c"], capture_output=True, text=True, timeout=180)

    def test_adapter_compiles(self):
        for tasks in 0, 3, 8:
            made = self.compiled(f"-DMCUPROF_TASKS={tasks}")
            self.assertEqual(made.returncode, 0, made.stderr)
        self.assertIn("the number of processes, and 2 more",
                      self.compiled("-DMCUPROF_TASKS=2").stderr)


if __name__ == "__main__":
    unittest.main()
