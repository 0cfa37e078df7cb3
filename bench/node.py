#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares timed calls on an ATmega1284P at 8 MHz with a published profiler for sensor nodes on
that processor; simavr counts the cycles. See README.md."""
import os
import re
import subprocess
import sys

import size
from evaluation import BOARD, build, function_bytes, model, traced
from goals import table

ENTER, EXIT, MISS = "__cyg_profile_func_enter", "__cyg_profile_func_exit", "mcuprof_call_counter"
INTERRUPTS = ("__vector_21", "__vector_34")  # the link's and the clock's
CALL = 4  # cycles of a call
# The cycles of the code that GCC puts between a function and its exit's hook: it loads
# the call site and the function as arguments, and calls.
BEFORE_EXIT = 9 + CALL
# The table of call sites, the shadow stack and the hooks. The code that sends them is counted
# apart.
TABLE = {"mcuprof_call", "mcuprof_call_counter", "mcuprof_call_lost", "mcuprof_add_call",
         "mcuprof_hide", "mcuprof_enter", "mcuprof_exit", "forget_left", "frame_of", "add",
         "counter_of", "exchange", "smaller", "try_call", "put_alone", ENTER, EXIT}
# key: (what, the paper's figure, must, aim).
GOALS = {
    "call": ("cycles per timed call, enter and exit, counter in the cache", "1,303", 400, 250),
    "rom": ("program memory of hooks and table, bytes", "62 or 175", 1200, 900),
    "function": ("program memory per instrumented function, bytes", "58 or 68", None, None),
    "site": ("RAM per call site, bytes", "16", 20, 16),
    "level": ("RAM per shadow-stack level, bytes", "8", 10, 8),
    "error": ("error of one call's time, cycles = ticks", "2 %", 1, 1),
}


def hooks(ours):
    """Measures cycles of the hooks of fibonacci() and the others, without interrupts."""
    events, _ = traced(build(), ENTER, EXIT, MISS, *INTERRUPTS)
    found, running = {(ENTER, True): [], (EXIT, True): [], (EXIT, False): []}, []
    for sign, name, cycle in events:
        if sign == "+":
            for outer in running:
                outer[2] = outer[2] and name != MISS
                outer[3] = outer[3] and name not in INTERRUPTS
            running.append([name, cycle, True, True])
        else:
            function, began, own, alone = running.pop()
            if alone and (function, own) in found and cycle - began > 20:
                found[function, own].append(cycle - began + CALL)
    rows = [(name, "own place" if own else "searched, sent", len(taken), min(taken),
             sum(taken) / len(taken), max(taken))
            for (name, own), taken in found.items() if taken]
    print("Cycles of the hooks, the calls of them included")
    table(("", "", "calls", "min", "mean", "max"), rows)
    ours["call"] = sum(sum(found[key]) / len(found[key]) for key in list(found)[:2])


def error(ours):
    """Compares the measured time of filter()'s shortest call from each of its two sites with the
    truth."""
    firmware = build(example="callers")
    events, _ = traced(firmware, "filter", ENTER, EXIT)
    inside, taken, began = False, [], None
    for sign, name, cycle in events:
        if name == "filter":
            inside, began = sign == "+", None
        elif inside and (sign, name) == ("-", ENTER):
            began = cycle
        elif inside and (sign, name) == ("+", EXIT):
            taken.append(cycle - began - BEFORE_EXIT)
    truth = [min(taken[:100]), min(taken[100:])]
    profile = model(firmware)
    at = next(f["address"] for f in profile["functions"] if f["name"] == "filter")
    got = sorted(call["shortest_ticks"] for call in profile["calls"] if call["to"] == at)
    print("One call's time, cycles: as it was, as measured")
    table(("filter()", "was", "measured"),
          [("from fast()", truth[0], int(got[0])), ("from slow()", truth[1], int(got[1]))])
    ours["error"] = max(abs(int(a) - b) for a, b in zip(got, truth))


def state_bytes(knobs):
    symbols = subprocess.run(["avr-nm", "-S", build(knobs).elf], check=True,
                             stdout=subprocess.PIPE, text=True).stdout
    return int(re.search(r"^\w+ (\w+) B mcuprof_state$", symbols, re.M)[1], 16)


def memory(ours):
    found = [s for s in size.sections(build()) if s.kind == "text"]
    table_of = {s.name: s.bytes for s in found if s.name in TABLE}
    print("Program memory, bytes")
    table(("", ""), [*sorted(table_of.items()), ("hooks and table", sum(table_of.values())),
                     ("all of the profiler", size.rom(size.sections(build())))])
    ours["rom"] = sum(table_of.values())
    names = {"fibonacci", "fibonaccis", "crc", "crc_byte", "sample", "send",
             "sample_and_send", "loop"}
    timed, plain = function_bytes(build()), function_bytes(build(plain=True))
    ours["function"] = sum(timed[n] - plain[n] for n in names) / len(names)
    ours["site"] = (state_bytes("-UMCUPROF_ENTRIES -DMCUPROF_ENTRIES=64")
                    - state_bytes("")) // 32
    ours["level"] = (state_bytes("-UMCUPROF_DEPTH -DMCUPROF_DEPTH=42") - state_bytes("")) // 10


def main():
    ours, rows, missed = {}, [], 0
    hooks(ours)
    error(ours)
    memory(ours)
    for key, (what, paper, must, aim) in GOALS.items():
        verdict = ("" if must is None else "aim reached" if ours[key] <= aim else
                   "reached" if ours[key] <= must else "MISSED")
        missed += verdict == "MISSED"
        rows.append((what, paper, "-" if must is None else must, "-" if aim is None else aim,
                     ours[key], verdict))
    table((f"{BOARD}, 8 MHz", "paper", "must", "aim", "ours", ""), rows)
    return 1 if missed else 0


if __name__ == "__main__":
    os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
    sys.exit(main())
