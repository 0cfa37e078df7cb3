#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Computes cycles of profiling on a Cortex-M0+ from the instructions that emulated firmware
executed. See README.md."""
import collections
import os
import sys

import m0plus
from emulator import Firmware, Watcher, expand, watch
from goals import Goals, table

FULL = "-DMCUPROF_ENTRIES=8"
# These write a record; at least one of them is not inlined.
RECORD_WRITERS = {"put_record", "mcuprof_put_record", "mcuprof_put_short"}
SAMPLE_SEARCH = "mcuprof_sample_search"
STOPPED = {"mcuprof_arc_stopped", "mcuprof_block_stopped"}
# -fsanitize-coverage=trace-pc calls this in each block.
BLOCK_HOOK = "__sanitizer_cov_trace_pc"
# The hooks at a function's entry and exit, in each block, at a switch of tasks and along the
# timeline, with the name that Costs has for their spans.
HOOKS = {"__gnu_mcount_nc": "calls", BLOCK_HOOK: "blocks", "mcuprof_task_switch": "switches",
         "__cyg_profile_func_enter": "entries", "__cyg_profile_func_exit": "exits",
         "mcuprof_interrupt_enter": "steps", "mcuprof_interrupt_leave": "steps",
         "mcuprof_timeline_task": "steps"}
SEARCH = {"mcuprof_count", "mcuprof_count_search", "mcuprof_call_counter"}
# The timeline's records on the wire, by their start bytes, and their lengths.
STEPS, STATE, STEPS_BYTES, STATE_BYTES = 0xF4, 0xF5, 26, 27
BAUD, CLOCK_HZ, BITS_PER_BYTE = 1500000, 48000000, 10


class Span:
    """One counted call, or one interrupt: its cycles, those of each function, and where it
    ends."""

    def __init__(self, cycles, end=None):
        self.cycles, self.end = cycles, end
        self.functions = collections.Counter({"entry and exit": cycles})

    def add(self, instruction, cycles):
        self.cycles += cycles
        self.functions[instruction.function.split(".")[0]] += cycles

    @property
    def path(self):
        if self.functions.keys() & STOPPED:
            return "stopped"
        if self.functions.keys() & RECORD_WRITERS:
            return "sent"
        if SAMPLE_SEARCH in self.functions:  # a counter that it does not find is not in the cache
            return "new" if "mcuprof_count" in self.functions else "searched"
        return "searched" if self.functions.keys() & SEARCH else "own place"


class Costs(Watcher):
    """The costs of a run. Calls: from the call site's push to the instruction after its bl. Blocks
    and other hooks: from their bl to the instruction after it. Samples and link interrupts, with
    exception entry and return. The cycles of the function run(), with all that it calls and that
    interrupts it, and the bytes that the link took meanwhile. The longest time that interrupts were
    masked, and the longest in run(). `unit`: cycles or instructions."""

    def __init__(self, firmware, unit="cycles", **limit):
        self.unit = unit
        self.exception = 2 * m0plus.EXCEPTION_CYCLES if unit == "cycles" else 0
        self.calls, self.blocks, self.switches, self.entries, self.exits = [], [], [], [], []
        self.steps = []
        self.samples, self.links = [], []
        self.begun, self.interrupt, self.before = {kind: {} for kind in HOOKS.values()}, {}, {}
        self.running, self.run, self.run_bytes = False, 0, 0
        self.masked, self.masks, self.masked_most, self.masked_in_run = 0, 0, 0, 0
        watch(firmware, self, **limit)

    def entered(self, level):
        self.interrupt[level] = Span(self.exception)
        self.run += self.exception * self.running

    def left(self, level):
        span = self.interrupt.pop(level)
        if "mcuprof_sample_isr" in span.functions:
            self.samples.append(span)
        elif "mcuprof_link_isr" in span.functions:
            self.links.append(span)

    def executed(self, level, instruction, cycles):
        cycles = cycles if self.unit == "cycles" else 1
        if level.exception:
            self.interrupt[level].add(instruction, cycles)
        else:
            self.running = (self.running or instruction.function == "run") and \
                instruction.function != "main"
        self.run += cycles * self.running
        self.run_bytes += (self.running and instruction.entry and
                           instruction.function == "mcuprof_link_isr")
        self.count_mask(instruction, cycles)
        for kind, begun in self.begun.items():
            self.count_hook(begun, getattr(self, kind), level, instruction, cycles)
        kind = HOOKS.get(instruction.goal)
        if kind:
            before = self.before[level] if kind == "calls" else 0
            self.begun[kind][level] = Span(before + cycles,
                                           instruction.address + instruction.size)
        self.before[level] = cycles

    def count_mask(self, instruction, cycles):
        """Adds an instruction to the time that interrupts are masked, or begins or ends that time.
        If the mask is read while they are masked, the next write of it leaves them masked."""
        self.masked += cycles
        special = instruction.mnemonic if "primask" in instruction.operands.lower() else ""
        if instruction.mnemonic == "cpsid" and self.masks == 0:
            self.masked, self.masks = 0, 1
        elif special == "mrs" and self.masks:
            self.masks += 1
        elif (special == "msr" or instruction.mnemonic == "cpsie") and self.masks:
            self.masks -= 1
            if self.masks == 0:
                self.masked_most = max(self.masked_most, self.masked)
                if self.running:
                    self.masked_in_run = max(self.masked_in_run, self.masked)

    @staticmethod
    def count_hook(begun, done, level, instruction, cycles):
        """Adds an instruction to the hook's span that has begun, or ends that span."""
        span = begun.get(level)
        if span and instruction.address == span.end:
            done.append(begun.pop(level))
        elif span:
            span.add(instruction, cycles)


def mean(spans):
    """Returns the mean cycles; "-" if there are no spans."""
    return sum(span.cycles for span in spans) / len(spans) if spans else "-"


def on(path, spans):
    return [span for span in spans if span.path == path]


def found(spans):
    """Returns the spans whose counter was in the cache; a few of them searched and found a free
    entry."""
    return on("own place", spans) + on("searched", spans)


HEADINGS = ("", "events", "own place", "min", "mean", "max", "searched", "mean", "sent",
            "mean", "in the cache: mean")


def row(name, spans):
    own, searched, sent = (on(path, spans) for path in ("own place", "searched", "sent"))
    costs = [span.cycles for span in own] or ["-"]
    return (name, len(spans), len(own), min(costs), mean(own),
            max(costs), len(searched), mean(searched), len(sent), mean(sent),
            mean(own + searched))


def spread(name, spans):
    """Prints how many calls took each number of cycles."""
    costs = collections.Counter(span.cycles for span in on("own place", spans))
    total = sum(costs.values())
    print(f"{name}, own place: " +
          ", ".join(f"{cycles} cycles {count / total:.1%}"
                    for cycles, count in sorted(costs.items())))


def calls(goals):
    """Measures calls whose counter is in the cache, and calls while stopped."""
    runs = {name: Costs(Firmware(example, FULL + knobs)) for name, example, knobs in (
        ("fib", "fib", ""), ("truth", "truth", ""),
        ("fib, KEEP_FLAGS=1", "fib", " -DMCUPROF_KEEP_FLAGS=1"))}
    print("cycles per call, call site included")
    table(HEADINGS, [row(name, run.calls) for name, run in runs.items()])
    for name, run in runs.items():
        spread(name, run.calls)
    print()
    goals.ours["call"] = max(mean(on("own place", runs[name].calls))
                             for name in ("fib", "truth"))
    goals.ours["call_searched"] = max(mean(found(runs[name].calls))
                                      for name in ("fib", "truth"))
    goals.ours["stopped"] = mean(on("stopped", runs["truth"].calls))


def blocks():
    """Measures blocks whose counter is in the cache, and blocks while stopped, for information."""
    flags = ("EXAMPLE_CFLAGS=" + " ".join(expand("$(MCUPROF_BLOCK_CFLAGS)")),)
    knobs = " -DMCUPROF_BLOCKS=1"
    runs = {"updcrc": Costs(Firmware("updcrc", FULL)),
            "truth": Costs(Firmware("truth", FULL + knobs, variables=flags)),
            "updcrc, 32 entries": Costs(Firmware("updcrc", "-DMCUPROF_ENTRIES=32"))}
    print("cycles per basic block, its call included")
    table(HEADINGS, [row(name, run.blocks) for name, run in runs.items()])
    for name, run in runs.items():
        spread(name, run.blocks)
    print(f"stopped: {mean(on('stopped', runs['truth'].blocks)):.1f}\n")


def samples(goals):
    """Measures samples whose counter is in the cache; they are four times as frequent as by
    default, since the emulated run is short."""
    runs = {f"{name}, {entries} entries": Costs(Firmware(
        name, f"-DMCUPROF_ENTRIES={entries} -DMCUPROF_SAMPLE_HZ=4000"), instructions=1500000)
            for name in ("truth", "blinky") for entries in (8, 16)}
    print("cycles per PC sample, exception entry and return included")
    table(HEADINGS, [row(name, run.samples) for name, run in runs.items()])
    full = [span for run in runs.values() for span in run.samples]
    goals.ours["sample"] = mean(on("own place", full))
    goals.ours["sample_searched"] = mean(found(full))


def timed():
    """Measures the hooks of timed calls, for information. Hooks that return at once ran while the
    profiler was stopped."""
    knobs = FULL + " -DMCUPROF_CALLS=1 -DMCUPROF_SAMPLES=0 -DMCUPROF_DEPTH=40"
    rows = []
    for unit, board in (("cycles", "microbit"), ("instructions", "microbit"),
                        ("instructions", "mps2-an385")):
        run = Costs(Firmware("truth", knobs, board), unit, instructions=1000000)
        rows += [row(f"{unit}, {board}: {kind}", [span for span in getattr(run, kind)
                                                  if span.cycles > 20])
                 for kind in ("entries", "exits")]
    print("timed calls' hooks in truth, the calls of them included")
    table(HEADINGS, rows)


def tasks():
    """Measures counters for each task and interrupt, for information."""
    knobs = " -DMCUPROF_TASKS=8"
    runs = {"fib": Costs(Firmware("fib", FULL + knobs)),
            "truth": Costs(Firmware("truth", FULL + knobs + " -DMCUPROF_SAMPLE_HZ=4000"))}
    print("cycles with MCUPROF_TASKS")
    table(HEADINGS, [row(f"{name}: {kind}", getattr(run, kind))
                     for name, run in runs.items() for kind in ("calls", "samples")])
    rows = []
    for name, more in (("calls counted", ""), ("calls timed, 64 entries",
                       " -DMCUPROF_CALLS=1 -DMCUPROF_SAMPLES=0 -DMCUPROF_ENTRIES=64 "
                       "-DMCUPROF_RING_BYTES=1024")):
        switches = Costs(Firmware("chibios", more)).switches
        costs = sorted(span.cycles for span in switches)
        rows.append((name, len(costs), costs[0], costs[len(costs) // 2], mean(switches)))
    print("cycles per switch under ChibiOS/RT, call included")
    table(("", "switches", "min", "median", "mean"), rows)
    print()


def timeline():
    """Measures the timeline of ChibiOS/RT, for information: its tasks' switches and its
    handlers' entries and returns, with all that they send. Returns these spans and the bytes for
    each switch."""
    firmware = Firmware("chibios", " -DMCUPROF_TIMELINE=1 -DMCUPROF_ENTRIES=64 "
                        "-DMCUPROF_RING_BYTES=1024 -DSWITCHES_ALONE")
    steps = Costs(firmware).steps
    with open(firmware.wire, "rb") as file:
        starts = collections.Counter(file.read())
    sent = STEPS_BYTES * starts[STEPS] + STATE_BYTES * starts[STATE]
    return steps, sent / len(steps)


def timeline_table():
    steps, sent = timeline()
    costs = sorted(span.cycles for span in steps)
    print("cycles of a switch along the timeline, ChibiOS/RT, call included")
    table(("", "switches", "min", "median", "mean", "bytes each"),
          [("tasks and handlers", len(costs), costs[0], costs[len(costs) // 2], mean(steps),
            sent)])
    by_function("cycles", steps)
    print()


def by_function(title, spans):
    """Prints the mean cycles of a span by function."""
    cycles = sum((span.functions for span in spans), collections.Counter())
    print(f"{title}: " + ", ".join(f"{name} {total / len(spans):.1f}"
                                   for name, total in cycles.most_common()))


def records(goals):
    """Measures events without a cache: each is a record."""
    rows = []
    for name, knobs in (("calls and samples", ""), ("calls", " -DMCUPROF_SAMPLES=0")):
        firmware = Firmware("fib", "-DMCUPROF_ENTRIES=0" + knobs)
        run = Costs(firmware)
        sent = on("sent", run.calls + run.samples)
        if found(run.calls + run.samples):
            sys.exit(f"{firmware.elf}: not every event is seen to become a record")
        link = sum(span.cycles for span in run.links)
        total = (sum(span.cycles for span in sent) + link) / len(sent)
        rows.append((name, len(sent), mean(sent), os.path.getsize(firmware.wire) / len(sent),
                     mean(run.links), link / len(sent), total))
        goals.ours.setdefault("record", total)
    print("cycles per record: fib, no cache; totals records and their bytes included")
    table(("", "records", "encode", "bytes", "cycles/byte sent", "interrupts", "in all"),
          rows)
    by_function("encode, cycles", sent)
    by_function("a link interrupt, cycles", run.links)
    print()


def slowdown(goals):
    """Measures recursive fib(15) with profiling and as it would ship, and whether a real line
    would keep up."""
    plain = Costs(Firmware("fib", FULL + " -DMCUPROF_SAMPLES=0", variables=("HOOKS=0",))).run
    rows = []
    for name, knobs in (("8 entries", FULL),
                        ("8 entries, KEEP_FLAGS=1", FULL + " -DMCUPROF_KEEP_FLAGS=1"),
                        ("no cache", "-DMCUPROF_ENTRIES=0")):
        # 1000 Hz of a chip at 48 MHz are 333 Hz of this one at 16 MHz
        run = Costs(Firmware("fib", knobs + " -DMCUPROF_SAMPLE_HZ=333"))
        link = run.run_bytes * BITS_PER_BYTE / BAUD
        time = run.run / CLOCK_HZ
        rows.append((name, plain, run.run, run.run / plain, run.run_bytes,
                     f"{link / time:.0%}", "yes" if link < time else "no: loses or waits"))
        goals.ours.setdefault("slowdown", run.run / plain)
    print(f"fib(15) at {CLOCK_HZ // 1000000} MHz and {BAUD / 1e6} Mbaud")
    table(("", "cycles as shipped", "with", "times", "bytes", "of the link", "it keeps up"),
          rows)


def cortex_m3():
    """Counts instructions, for information."""
    print("Cortex-M3 (mps2-an385): instructions, exceptions not counted")
    runs = {name: Costs(Firmware(name, FULL, board="mps2-an385"), unit="instructions",
                        instructions=1000000)
            for name in ("fib", "truth")}
    table(HEADINGS, [row(f"{name}: {kind}", getattr(run, kind))
                     for name, run in runs.items() for kind in ("calls", "samples")])
    stopped = on("stopped", runs["truth"].calls)
    print(f"stopped: {mean(stopped):.1f}\n")


def main():
    goals = Goals()
    calls(goals)
    blocks()
    samples(goals)
    timed()
    tasks()
    timeline_table()
    records(goals)
    slowdown(goals)
    cortex_m3()
    return goals.report()


if __name__ == "__main__":
    sys.exit(main())
