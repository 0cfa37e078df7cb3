#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Measures instructions, ROM, RAM and stack of profiling on the ports other than Cortex-M, from
what their emulators executed, the linker's map and the compiler's call graph. See README.md."""
import bisect
import collections
import glob
import itertools
import os
import re
import subprocess
import sys

import emulator
import size
from goals import table

FULL = "-DMCUPROF_ENTRIES=8"
ALL_TIMED = " -DMCUPROF_CALLS=1 -DMCUPROF_SAMPLES=0 -DMCUPROF_DEPTH=40"
GRAPH = "-Os -fcallgraph-info=su"
LIMIT = 1000000  # instructions of a run
# The most instructions of a call whose counter is in the cache, with its call site; of a timed
# call, with the calls of its two hooks.
GOALS = {"call": 60, "timed call": 160}
KIND_GOALS = {"calls": "call", "entries": "timed call", "exits": "timed call"}
ENTER, EXIT = "__cyg_profile_func_enter", "__cyg_profile_func_exit"


class Port:
    """hook: the hook of calls; site: instructions of a call site before its call; call_stack,
    sample_stack: bytes that the assembly uses around mcuprof_count(), for a call with its site and
    for a sample; sampled: the C function that the sampling interrupt calls instead; counted: the
    function that the hook continues in; slot: bytes of a call's delay slot."""

    def __init__(self, hook, site, call_stack, sample_stack, sampled="mcuprof_count",
                 counted="mcuprof_count", slot=0):
        self.counted, self.slot = counted, slot
        self.hook, self.site, self.sampled = hook, site, sampled
        self.call_stack, self.sample_stack = call_stack, sample_stack


PORTS = {"versatilepb": Port("__gnu_mcount_nc", 1, 32, 24),
         "virt": Port("_mcount", 1, 16, 64, "mcuprof_sample"),
         "leon3": Port("_mcount", 0, 0, 120, "mcuprof_sample", "mcuprof_hook", 4)}
BLOCK_HOOK = "__sanitizer_cov_trace_pc"
KINDS = {BLOCK_HOOK: "blocks", ENTER: "entries", EXIT: "exits"}
SAMPLE = "mcuprof_sample_isr"
# The functions that a sample runs through if its counter is at its own place.
SAMPLING = {SAMPLE, "mcuprof_sample", "next_period", "mcuprof_timer_set"}
# The functions that a timed call runs through if its frame is the top one and its counter
# is at its own place.
TIMED = {ENTER, EXIT, "mcuprof_enter", "mcuprof_exit", "mcuprof_irq_mask",
         "mcuprof_irq_restore"}
CALL = re.compile(r"^ *([0-9a-f]+):\t([0-9a-f ]+?) *\t(?:bl|blx|jal|call)\s.*<(\S+)>$", re.M)
RETURN = re.compile(r"^ *([0-9a-f]+):.*\t(?:mret|movs\tpc, .*|rett\s.*)$", re.M)  # of interrupts
LABEL = re.compile(r"^([0-9a-f]+) <([^+>]+)>:$", re.M)


class Code:
    """The functions and calls of an ELF."""

    def __init__(self, firmware, slot):
        text = subprocess.run([firmware.tools + "objdump", "-d", firmware.elf], check=True,
                              stdout=subprocess.PIPE, text=True).stdout
        labels = sorted((int(at, 16), name) for at, name in LABEL.findall(text))
        self.starts = [at for at, _ in labels]
        self.names = [name for _, name in labels]
        self.calls = {int(at, 16): (int(at, 16) + len(code.replace(" ", "")) // 2 + slot, goal)
                      for at, code, goal in CALL.findall(text)}
        self.returns = {int(at, 16) for at in RETURN.findall(text)}

    def function(self, address):
        """Returns the function's name, without a suffix that the compiler gives to copies."""
        at = bisect.bisect_right(self.starts, address) - 1
        return self.names[at].split(".")[0] if at >= 0 else ""


class Span:
    """One event: its instructions so far, and the functions they belong to."""

    def __init__(self, count, end=None):
        self.count, self.end, self.functions = count, end, set()

    def path(self, hit):
        if "put_record" in self.functions:
            return "sent"
        return "own place" if self.functions <= hit else "searched"


def spans(firmware, port):
    """Returns {kind: [Span]} of a run, without spans of a hook that an interrupt hit."""
    code, found, hook, sample = Code(firmware, port.slot), collections.defaultdict(list), None, None
    for pc in itertools.islice(emulator.events(firmware.log()), LIMIT):
        function = code.function(pc)
        if hook and pc == hook.end:
            if not hook.functions & (SAMPLING | {"mcuprof_link_isr"}):
                found[hook.kind].append(hook)
            hook = None
        elif hook:
            hook.count += 1
            if not port.slot or pc != hook.end - port.slot:
                hook.functions.add(function)
        end, goal = code.calls.get(pc, (None, None))
        if goal in (port.hook, *KINDS):
            hook = Span(1 + (port.site if goal == port.hook else 0), end)
            hook.kind = KINDS.get(goal, "calls")
        if function == SAMPLE and not sample:
            sample = Span(0)
        if sample:
            sample.count += 1
            sample.functions.add(function)
            if pc in code.returns and function == SAMPLE:
                found["samples"].append(sample)
                sample = None
    return found


def mean(spans):
    return sum(span.count for span in spans) / len(spans) if spans else "-"


def instructions(board, port):
    """Prints the table; returns the means of calls and of timed calls at their own place, in the
    worse of two programs."""
    rows, worst = [], collections.Counter()
    own = {"entries": TIMED, "exits": TIMED, "calls": {port.hook, port.counted} - {"mcuprof_count"},
           "blocks": {BLOCK_HOOK, port.hook, port.counted} - {"mcuprof_count"},
           "samples": SAMPLING}
    blocks = "EXAMPLE_CFLAGS=" + " ".join(emulator.expand("$(MCUPROF_BLOCK_CFLAGS)"))
    for name, example, knobs, variables in (
            ("fib", "fib", FULL, ()),
            ("truth", "truth", FULL + " -DMCUPROF_SAMPLE_HZ=4000", ()),
            ("updcrc, blocks", "updcrc", FULL, (blocks,)),
            ("fib, timed", "fib", FULL + ALL_TIMED, ()),
            ("truth, timed", "truth", FULL + ALL_TIMED, ())):
        found = spans(emulator.Firmware(example, knobs, board, variables), port)
        means = collections.Counter()
        for kind, events in sorted(found.items()):
            stopped = [span for span in events if kind != "samples" and span.count <= 15]
            paths = {path: [span for span in events if span not in stopped and
                            span.path(own[kind]) == path]
                     for path in ("own place", "searched", "sent")}
            hits = paths["own place"]
            rows.append((f"{name}: {kind}", len(events), mean(stopped), len(hits),
                         min((span.count for span in hits), default="-"), mean(hits),
                         max((span.count for span in hits), default="-"),
                         mean(paths["searched"]), mean(paths["sent"])))
            if hits:
                means[KIND_GOALS.get(kind)] += mean(hits)
        worst |= means
    print(f"{board}: instructions per event")
    table(("", "events", "stopped", "own place", "min", "mean", "max", "searched", "sent"),
          rows)
    return worst


def memory(board):
    rows = []
    states = ("-marm", "-mthumb") if board == "versatilepb" else ("",)
    for state, (name, knobs) in itertools.product(states, (
            ("ENTRIES=0, RING_BYTES=64", "-DMCUPROF_ENTRIES=0 -DMCUPROF_RING_BYTES=64"),
            ("ENTRIES=8, RING_BYTES=64", FULL + " -DMCUPROF_RING_BYTES=64"),
            ("the same, calls timed, DEPTH=16",
             FULL + " -DMCUPROF_RING_BYTES=64 -DMCUPROF_CALLS=1"),
            ("ENTRIES=16, RING_BYTES=256: the defaults", ""))):
        variables = (f"BOARD_STATE={state}",) if state else ()
        found = size.sections(emulator.Firmware("fib", knobs, board, variables))
        rows.append((f"{name} {state}", size.rom(found), size.ram(found)))
    print(f"{board}: bytes of ROM and of static RAM")
    table(("", "ROM", "RAM"), rows)


class Graph:
    """The compiler's call graph of a whole firmware."""

    INDIRECT = {"mcuprof_put_surely": ("mcuprof_put_words", "mcuprof_send_counter"),
                "put_surely": ("put_words", "send_counter")}

    def __init__(self, firmware):
        self.bytes, self.callees = {}, collections.defaultdict(set)
        for path in glob.glob(f"{firmware.out}/**/*.ci", recursive=True):
            with open(path, encoding="utf-8") as file:
                text = file.read()
            for name, used in re.findall(r'node: \{ title: "([^"]+)".*?(\d+) bytes', text):
                self.bytes[self.short(name)] = int(used)
            for caller, callee in re.findall(r'sourcename: "([^"]+)" targetname: "([^"]+)"',
                                             text):
                self.callees[self.short(caller)].add(self.short(callee))
        for caller, callees in self.INDIRECT.items():
            self.callees[caller] |= set(callees) & self.bytes.keys()

    @staticmethod
    def short(name):
        return name.rsplit(":", 1)[-1].split(".")[0]

    def depth(self, function):
        if function not in self.bytes:  # it is assembly, or in GCC's library
            return 0
        return self.bytes[function] + max(map(self.depth, self.callees[function]), default=0)


def stack(board, port):
    rows = []
    for name, knobs in (("8 entries", FULL), ("no cache", "-DMCUPROF_ENTRIES=0"),
                        ("8 entries, calls timed", FULL + " -DMCUPROF_CALLS=1")):
        firmware = emulator.Firmware("truth", knobs, board, (f"OPTIMISE={GRAPH}",))
        graph = Graph(firmware)
        call = graph.depth("mcuprof_exit")  # assembly adds nothing to it
        rows.append((name, call or port.call_stack + graph.depth(port.counted),
                     port.sample_stack + graph.depth(port.sampled),
                     graph.depth("mcuprof_link_isr"), graph.depth("mcuprof_flush"),
                     graph.depth("mcuprof_write")))
    print(f"{board}: stack, bytes, at most")
    table(("", "call", "sample", "link's interrupt", "mcuprof_flush()", "mcuprof_write()"),
          rows)


def main():
    status = 0
    for board, port in PORTS.items():
        worst = instructions(board, port)
        memory(board)
        stack(board, port)
        for goal, must in GOALS.items():
            status = status or int(worst[goal] > must)
            print(f"{board}: instructions per {goal}, at its own place: {worst[goal]:.1f}; "
                  f"must be {must} at most: {'MISSED' if worst[goal] > must else 'reached'}")
        print()
    return status


if __name__ == "__main__":
    os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
    sys.exit(main())
