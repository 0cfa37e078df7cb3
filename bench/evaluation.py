#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the five programs with which a published profiler for sensor nodes was measured, with each
call timed and without, inlined and not, on ATmega1284Ps in simavr. See README.md.

    bench/evaluation.py [--short]
"""
import collections
import json
import os
import re
import subprocess
import sys

import emulator
from goals import table

BOARD = "atmega1284p"
TIMED = "-DMCUPROF_CALLS=1 -DMCUPROF_SAMPLES=0 -DMCUPROF_ENTRIES=32 -DMCUPROF_DEPTH=32"
SIZES = {"FIBONACCI": 27, "CRC_BYTES": 131072, "SECONDS": 10, "PACKETS": 50}
SHORT = {"FIBONACCI": 12, "CRC_BYTES": 1024, "SECONDS": 2, "PACKETS": 10}
PAYLOAD_BYTES, PACKET_BYTES = 16, 18  # peers.c
ALONE, FIRST, SECOND = 0, 1, 2  # NODE_PEER
INLINED = (False, True)


def build(knobs="", plain=False, example="node"):
    """Builds the firmware; with `plain` no function calls the profiler."""
    return emulator.Firmware(example, f"{TIMED} {knobs}", BOARD,
                             ("FW_PROFILE_CFLAGS=",) if plain else ())


def traced(firmware, *functions, second=None):
    """Returns [(sign, function, cycle)] from the simulator, and its cycles; firmware.wire gets the
    bytes sent. A second node runs beside it, if given."""
    command = emulator.expand("$(BOARD_RUN)", *firmware.arguments) + ["-c"]
    for function in functions:
        command += ["-t", function]
    if second:
        command += ["-n", second.elf, "-o", second.wire]
    with open(firmware.wire, "wb") as wire:
        done = subprocess.run([*command, firmware.elf], stdout=wire, stderr=subprocess.PIPE,
                              check=True, text=True, timeout=900)
    lines = [line.split() for line in done.stderr.splitlines()]
    return [(sign, name, int(cycle)) for sign, name, cycle in
            (line for line in lines if len(line) == 3)], int(lines[-1][1])


def model(firmware):
    done = subprocess.run(["build/mcuprof", "export", "--to", "json", "-e", firmware.elf,
                           firmware.wire], stdout=subprocess.PIPE, check=True, text=True)
    return json.loads(done.stdout)


def function_bytes(firmware):
    """Returns {function of the example: bytes}, as the linker kept them."""
    with open(firmware.elf.replace(".elf", ".map"), encoding="utf-8") as file:
        kept = file.read().split("Linker script and memory map", 1)[1]
    return {name: int(size, 16) for name, size in re.findall(
        r"^ \.text\.(?:startup\.)?(\S+)\s+0x[0-9a-f]+\s+0x([0-9a-f]+)\s+\S*/examples/\S+$", kept,
        re.M) if int(size, 16)}


def calls_of(n):
    """Returns the calls in fibonacci(n)."""
    return 1 if n <= 2 else 1 + calls_of(n - 1) + calls_of(n - 2)


def expected(sizes):
    """Returns {NODE_PEER: {function: calls}} of functions that other than main() call."""
    packets, made = sizes["PACKETS"], {"packet_make": sizes["PACKETS"]}
    both = {"one_way": 1, "ping_pong": 1, "turn": packets}

    def node(sent, handled, **more):
        crcs = PAYLOAD_BYTES * more.get("packet_make", 0) + PACKET_BYTES * handled
        return {**both, **more, "packet_send": sent, "radio_put": PACKET_BYTES * sent,
                "packet_handle": handled, "radio_wait": handled, "crc_byte": crcs,
                "packet_crc": handled + more.get("packet_make", 0)}

    return {ALONE: {"fibonaccis": 1, "crc": 1, "loop": 1, "sample_and_send": sizes["SECONDS"],
                    "fibonacci": sum(map(calls_of, range(1, sizes["FIBONACCI"] + 1))),
                    "crc_byte": sizes["CRC_BYTES"] + 2 * sizes["SECONDS"],
                    "sample": sizes["SECONDS"], "send": sizes["SECONDS"]},
            FIRST: node(2 * packets, packets, **made), SECOND: node(packets, 2 * packets)}


def check_calls(firmware, truth):
    """Ends the bench if the calls that arrived are not those that the program makes."""
    profile, counted = model(firmware), collections.Counter()
    for call in profile["function_calls"]:
        name = profile["functions"][call["callee"]]["name"].split(".")[0]
        counted[name] += call["timed"]["calls"] + call["timed"]["recursive_calls"]
    if counted != truth:
        sys.exit(f"{firmware.elf}: calls are {dict(counted)}, not {truth}")
    return sum(counted.values())


def durations(events, name):
    """Returns what each call of the function took, and when it began."""
    began = [cycle for sign, each, cycle in events if (sign, each) == ("+", name)]
    ended = [cycle for sign, each, cycle in events if (sign, each) == ("-", name)]
    return [end - start for start, end in zip(began, ended)], began


def period(began):
    return (began[-1] - began[0]) / (len(began) - 1)


def mean(numbers):
    return sum(numbers) / len(numbers)


def measure(nodes, packets):
    """Runs three firmwares, {NODE_PEER: firmware}, and returns {what: cycles}."""
    alone, _ = traced(nodes[ALONE], "fibonaccis", "crc", "sample_and_send")
    pair, _ = traced(nodes[SECOND], "packet_handle", "turn", second=nodes[FIRST])
    sent, handled = durations(alone, "sample_and_send"), durations(pair, "packet_handle")
    return {
        "Fibonacci": durations(alone, "fibonaccis")[0][0],
        "CRC": durations(alone, "crc")[0][0],
        "sample-and-send, its period": period(sent[1]),
        "sample-and-send, its work": mean(sent[0]),
        "one-way, packets' period": period(handled[1][:packets]),
        "one-way, receiver's work a packet": mean(handled[0][:packets]),
        "ping-pong, there and back": period(durations(pair, "turn")[1]),
    }


def rom(nodes):
    """Prints bytes by function; nodes: {(inlined, timed): {NODE_PEER: firmware}}."""
    found = {key: {name: size for peer in of.values()
                   for name, size in function_bytes(peer).items()} for key, of in nodes.items()}
    names = sorted(set().union(*found.values()))
    rows = [(name, *(found[inlined, timed].get(name, "-") for inlined in INLINED
                     for timed in (False, True))) for name in names]
    rows.append(("all", *(sum(found[inlined, timed].values()) for inlined in INLINED
                          for timed in (False, True))))
    print("Program memory by function, bytes ('-': not there, for it is inlined)")
    table(("", "never inlined", "timed", "inlined", "timed"), rows)
    apart = [found[False, True][name] - size for name, size in found[False, False].items()
             if name in found[False, True] and not name.startswith(("main", "node_", "__vector"))
             and name not in ("on_millisecond", "radio_start")]
    print(f"{len(apart)} functions, never inlined, grow by {min(apart)} to {max(apart)} bytes "
          f"when timed, {mean(apart):.0f} in the mean; in the paper by 58 or 68")


def main(words):
    sizes = SHORT if words == ["--short"] else SIZES
    knobs = "".join(f" -DNODE_{name}={size}" for name, size in sizes.items())
    truth = expected(sizes)
    nodes = {(inlined, timed): {
        peer: build(f"{knobs} -DNODE_INLINE={int(inlined)} -DNODE_PEER={peer}", plain=not timed)
        for peer in truth} for inlined in INLINED for timed in (False, True)}
    took, calls = {key: measure(of, sizes["PACKETS"]) for key, of in nodes.items()}, 0
    for inlined in INLINED:
        for peer, firmware in nodes[inlined, True].items():
            calls += check_calls(firmware, truth[peer])
    rows = [(what, *(number for inlined in INLINED for number in (
        took[inlined, False][what], took[inlined, True][what],
        f"{took[inlined, True][what] / took[inlined, False][what]:.3f}")))
        for what in took[False, False]]
    print("Cycles of the five programs: small functions never inlined, and always")
    table(("", "never inlined", "timed", "times", "inlined", "timed", "times"), rows)
    rom(nodes)
    loop = "sample-and-send, its period"
    if any(round(took[inlined, True][loop] / took[inlined, False][loop], 4) != 1
           for inlined in INLINED):
        sys.exit("MISSED: the sample-and-send loop is slower when timed")
    print(f"evaluation: five programs, never inlined and inlined: all {calls:,} timed calls of "
          "three nodes arrived")


if __name__ == "__main__":
    os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
    main(sys.argv[1:])
