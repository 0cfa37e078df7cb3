# SPDX-License-Identifier: MIT
"""The calls of this firmware are known exactly. On every board, with every size of cache and both
policies for a full ring, each count in the profile equals the truth."""
import itertools
import re
import subprocess
import unittest

from firmware import BOARDS, Run
from truth import truth

ENTRIES = {"0": 0, "1": 1, "8": 8, "all": 128}


def gprof(run):
    """Returns the cross gprof's call graph of the exported gmon.out, {name: (self, children,
    calls, self calls)}, at a rate of 1 Hz, so that its decimals are those of samples."""
    gmon, order = run.capture + ".gmon", BOARDS[run.board].byte_order
    subprocess.run(["build/mcuprof", "export", "-e", run.elf, "--to", "gmon", "-o", gmon,
                    run.capture], check=True)
    with open(gmon, "r+b") as file:
        data = bytearray(file.read())
        at = 20
        while data[at] == 0: # histograms come first
            data[at + 13:at + 17] = (1).to_bytes(4, order)
            at += 1 + 12 + 4 + 16 + 2 * int.from_bytes(data[at + 9:at + 13], order)
        file.seek(0)
        file.write(data)
    text = subprocess.run([BOARDS[run.board].tools + "gprof", "-b", "-q", run.elf, gmon], check=True,
                          capture_output=True, text=True).stdout
    rows = {}
    for line in text.splitlines():
        row = re.match(r"\[\d+\]\s+[\d.]+\s+([\d.]+)\s+([\d.]+)\s+(?:(\d+)(?:\+(\d+))?\s+)?"
                       r"(\w+)(?: <cycle \d+>)? \[\d+\]$", line)
        if row:
            rows[row[5]] = (float(row[1]), float(row[2]), int(row[3] or 0), int(row[4] or 0))
    return rows


class Truth(unittest.TestCase):
    maxDiff = None

    def check(self, board, knobs, optimise="-Os"):
        run = Run(board, "truth", knobs, optimise)
        info = run.info()
        rounds, counted = run.said("rounds"), run.calls()["interrupts", "work"]
        if BOARDS[board].tools == "avr-" and (counted - rounds) % 65536 == 0:
            rounds = counted  # it prints 16 bits, which a fast board exceeds
        expected = truth(board, rounds)
        self.assertEqual(run.said("failures"), 0)
        self.assertEqual(run.calls(), expected)
        self.assertEqual(info["arcs"], {"received": sum(expected.values()), "lost": 0})
        self.assertEqual(info["samples"], {"received": run.said("samples"), "lost": 0})
        self.assertGreater(info["samples"]["received"], 20)
        self.assertTrue(info["complete"])
        self.assertEqual(info["damaged"], 0)
        return run

    @staticmethod
    def before_dotted(run):
        symbols = subprocess.run([BOARDS[run.board].tools + "nm", "-n", run.elf], check=True,
                                 capture_output=True, text=True).stdout.split("\n")
        # __stack of AVR's library is an address in RAM, but its number is inside some
        # function
        names = [line.split()[-1] for line in symbols if re.search(" [tT] | W __stack$", line)]
        return {name for name, after in zip(names, names[1:])
                if "." in after or after == "__stack"}

    def check_gprof(self, run):
        theirs, model = gprof(run), run.model()
        # GNU gprof takes the labels in the hook for functions; their time is the
        # hook's.
        for label in ("mcuprof_arc_stopped", "mcuprof_arc_running"):
            time = theirs.pop(label, (0, 0))[0]
            hook = theirs.get("__gnu_mcount_nc", (0, 0, 0, 0))
            if time:
                theirs["__gnu_mcount_nc"] = (hook[0] + time, *hook[1:])
        # GNU gprof leaves out calls whose caller is not code: the hardware calls
        # interrupt handlers.
        uncalled = {callee: count for (caller, callee), count in run.calls().items()
                    if caller is None}
        # Unlike us, GNU gprof does not subtract the time that sampling took.
        hz = (sum(f["samples"] for f in model["functions"]) /
              sum(f["self_seconds"] for f in model["functions"]))
        ours = {f["name"]: (f["self_seconds"] * hz, f["children_seconds"] * hz,
                            f["calls"] - uncalled.get(f["name"], 0), f["self_calls"])
                for f in model["functions"]}
        self.assertGreater(len(theirs), 20)
        measured = model["functions"][0]["total_error_seconds"] is not None
        before_dotted = self.before_dotted(run)
        for name, (self_time, children, calls, self_calls) in theirs.items():
            # GNU gprof takes labels in the assembly of AVR's library for functions, and a
            # function with a dot in its name for part of the one before it.
            if (name.startswith("__") and BOARDS[run.board].tools == "avr-" or
                    name in before_dotted):
                continue
            self.assertIn(name, ours)
            self.assertAlmostEqual(ours[name][0], self_time, delta=0.0051, msg=name)
            if not measured:  # paths measured it, gprof estimates it
                self.assertAlmostEqual(ours[name][1], children, delta=0.0051, msg=name)
            self.assertEqual(ours[name][2:], (calls, self_calls), name)


def add(board, size, wait):
    def test(self):
        knobs = (f"-DMCUPROF_ENTRIES={ENTRIES[size]} -DMCUPROF_WAIT={wait} "
                 "-DMCUPROF_RING_BYTES=4096 -DBOARD_COUNT_SAMPLES"
                 + (" -DMCUPROF_PATHS=0" if wait else ""))
        self.check_gprof(self.check(board, knobs))

    policy = "wait" if wait else "drop"
    setattr(Truth, f"test_{board.replace('-', '_')}_{size}_{policy}", test)


for combination in itertools.product(BOARDS, ENTRIES, (0, 1)):
    add(*combination)
