# SPDX-License-Identifier: MIT
"""Timed calls: to whom their time belongs, and what a shadow stack could get wrong."""
import math
import unittest

from firmware import BOARDS, CORTEX_M, WITH_CLOCK, Run

BOTH = "-DMCUPROF_CALLS=1 -DMCUPROF_ENTRIES=64 -DMCUPROF_RING_BYTES=4096"
KNOBS = f"{BOTH} -DMCUPROF_SAMPLES=0"
# Of examples/jumps: deep() and deep_jump() find 7 of 8 frames, depths() has the first;
# where nested() has the last, what is expanded in it takes that.
LEFT = 14 + 21 + 7
RECEIVED = {
    ("main", "jumps"): 1,
    ("main", "depths"): 1, ("depths", "deep"): 1, ("deep", "deep"): 6, ("depths", "leaf"): 3,
    ("main", "expanded"): 1, ("expanded", "nested"): 1, ("nested", "nested"): 5,
    ("expanded", "small"): 1, ("nested", "small"): 12, ("nested", "leaf"): 13,
    ("main", "rest"): 1, ("rest", "passes_on"): 10, ("passes_on", "last"): 10,
    ("last", "leaf"): 10, ("rest", "array"): 10, ("array", "leaf"): 55,
}


class Callers(unittest.TestCase):
    """One function, a caller with little work and one with much, equally often."""
    SHARES = {"fast": 1000, "slow": 9000}  # turns a call
    CALLS = 100

    def check(self, board, knobs, within):
        run = Run(board, "callers", knobs)
        model = run.model()
        functions = {function["name"]: function for function in model["functions"]}
        times = sorted(call["total_seconds"] for call in model["calls"]
                       if call["to"] == functions["filter"]["address"])
        wanted = sorted(self.CALLS * turns * BOARDS[board].turn_ns * 1e-9
                        for turns in self.SHARES.values())
        for got, truth in zip(times, wanted, strict=True):
            self.assertAlmostEqual(got, truth, delta=within * truth)
        return run, sum(wanted), functions["filter"]["samples"]

    def check_sampled(self, board):
        """Samples beside: they take some of the calls' time."""
        run, seconds, samples = self.check(board, BOTH, 0.02)
        received = run.info()["samples"]
        self.assertEqual(received["lost"], 0)
        self.assertAlmostEqual(samples, seconds * 1000, delta=0.1 * seconds * 1000)
        self.assertLess(received["received"] - samples, 5)

    def test_counting_splits_evenly(self):
        """What timing is for: arcs and samples cannot tell the two apart."""
        run = Run("microbit", "callers", "-DMCUPROF_SAMPLE_HZ=1000")
        model = run.model()
        names = [function["name"] for function in model["functions"]]
        shares = [arc["self_seconds"] for arc in model["function_calls"]
                  if names[arc["callee"]] == "filter"]
        self.assertEqual(len(shares), 2)
        self.assertGreater(shares[0], 0)
        self.assertAlmostEqual(shares[0], shares[1])


class Interrupts(unittest.TestCase):
    """A timed interrupt over timed functions, and samples: its time is in none of theirs."""
    TURNS = {"four": 4000, "two": 2000, "one": 1000, "masked": 1000, "on_timer": 1000}

    def check(self, board):
        run = Run(board, "shares", BOTH)
        self.assertEqual(run.info()["calls"]["lost"], 0)
        model = run.model()
        functions = {function["name"]: function for function in model["functions"]}
        turns_s = model["time_base"]["hz"] * BOARDS[board].turn_ns * 1e-9
        for name, turns in self.TURNS.items():
            timed = functions[name]["timed"]
            count = run.said("interrupts") if name == "on_timer" else 2000
            self.assertEqual(timed["calls"], count)
            mean = timed["total_ticks"] / count / turns_s
            self.assertGreater(mean, 0.998 * turns, name)
            # samples, traps, but no handler: that would be 6 % at least
            self.assertLess(mean, 1.02 * turns, name)
        samples = [functions[name]["samples"] for name in ("four", "two", "one")]
        for count, share in zip(samples, (4, 2, 1), strict=True):
            expected = sum(samples) * share / 7
            self.assertAlmostEqual(count, expected, delta=3.5 * math.sqrt(expected))


class Jumps(unittest.TestCase):
    """longjmp, calls nested deeper than the shadow stack, tail calls, arrays on the stack."""
    maxDiff = None

    def check(self, board, optimise, rounds):
        run = Run(board, "jumps", f"{KNOBS} -DMCUPROF_DEPTH=8 -DROUNDS={rounds}", optimise)
        model = run.model()
        names = [function["name"] for function in model["functions"]]
        truth = RECEIVED | {("jumps", "leaf"): rounds, ("third", "leaf"): rounds}
        left = LEFT + 3 * rounds
        self.assertEqual(run.said("result"), 292 + 2 * rounds)
        calls, info = run.calls(), run.info()
        self.assertEqual(sum(info["calls"].values()), sum(truth.values()) + left)
        # A call left by longjmp is known by the stack being back above it. Until then it
        # has a frame; those of first() all have the same stack pointer, and are dropped
        # when they have taken all frames.
        within = {("jumps", "leaf"): 0.6, ("third", "leaf"): 0.4}
        for key, count in truth.items():
            self.assertLessEqual(calls[key], count, key)
            self.assertGreaterEqual(calls[key], within.get(key, 1) * count, key)
        for call in model["calls"]:
            self.assertLessEqual(call["self_ticks"], call["total_ticks"])
            self.assertLessEqual(call["shortest_ticks"], call["longest_ticks"])
        # a leaf's call is as short after a longjmp as before
        leaf = model["functions"][names.index("leaf")]["address"]
        times = [call["longest_ticks"] for call in model["calls"] if call["to"] == leaf]
        self.assertLess(max(times), 100)


class Wrapped(unittest.TestCase):
    """A library's functions, without their source."""

    def check(self, board):
        run = Run(board, "wrapped", "-DMCUPROF_ENTRIES=64 -DMCUPROF_RING_BYTES=4096 "
                  "-DMCUPROF_SAMPLES=0")
        model = run.model()
        self.assertEqual(run.calls(), {("main", "sort"): 20, ("sort", "qsort"): 20,
                                       ("sort", "abs"): 20 * 16,
                                       ("qsort", "ascending"): run.said("compared")})
        timed = {function["name"]: function["timed"] for function in model["functions"]}
        self.assertGreater(timed["qsort"]["self_ticks"], 20 * 100)
        self.assertLess(timed["qsort"]["total_ticks"], timed["sort"]["total_ticks"])


def add(case, name, *arguments, check="check"):
    def test(self):
        getattr(self, check)(*arguments)

    setattr(case, "test_" + name.replace("-", "_"), test)


for board in WITH_CLOCK:
    add(Callers, board, board, KNOBS, 0.01)
    if board != "atmega1284p":  # its samples take 6 % of its time
        add(Callers, f"{board}_sampled", board, check="check_sampled")
        add(Interrupts, board, board)  # an AVR does not know
for board in ("microbit", "mps2-an505"):
    add(Wrapped, board, board)
for board in [*CORTEX_M, "atmega1284p"]:
    for optimise in ("-Os", "-O2"):
        for rounds in (10, 500):
            add(Jumps, f"{board}{optimise}_{rounds}", board, optimise, rounds)

if __name__ == "__main__":
    unittest.main()
