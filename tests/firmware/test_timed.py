# SPDX-License-Identifier: MIT
"""Timed calls: the function that their time belongs to, and situations in which a shadow stack
could go wrong."""
import math
import re
import unittest

from firmware import BOARDS, CORTEX_M, WITH_CLOCK, Run, output

BOTH = "-DMCUPROF_CALLS=1 -DMCUPROF_ENTRIES=64 -DMCUPROF_RING_BYTES=4096"
KNOBS = f"{BOTH} -DMCUPROF_SAMPLES=0"
# In tests/rigs/jumps, without jumps(): deep() and deep_jump() find 7 of 8 frames, because depths()
# has the first; nested() finds 7, but neither its callees in the last frame nor any call in both()
# find one. Two calls are left in returns_here(), three in chain().
LEFT = 14 + 21 + (6 + 7 + 7) + 5 + 2 + 3
RECEIVED = {
    ("main", "jumps"): 1,
    ("main", "depths"): 1, ("depths", "deep"): 1, ("deep", "deep"): 6, ("depths", "leaf"): 3,
    ("main", "expanded"): 1, ("expanded", "nested"): 1, ("nested", "nested"): 6,
    ("nested", "small"): 6, ("nested", "leaf"): 6,
    ("main", "mixed"): 1, ("mixed", "at_depth"): 1, ("at_depth", "at_depth"): 5,
    ("at_depth", "both"): 1,
    ("main", "calls_it"): 1, ("calls_it", "returns_here"): 1,
    ("main", "printed"): 1, ("printed", "counts"): 1,
    ("main", "chain"): 1, ("chain", "push"): 1, ("chain", "caught"): 2, ("chain", "leaf"): 1,
    ("caught", "push"): 2, ("caught", "leaf"): 2,
    ("main", "leaf"): 1,
    ("main", "rest"): 1, ("rest", "passes_on"): 10, ("passes_on", "last"): 10,
    ("last", "leaf"): 10, ("rest", "array"): 10, ("array", "leaf"): 55,
}


class Callers(unittest.TestCase):
    """A caller that asks for little work and one that asks for much call a function equally
    often."""
    SHARES = {"fast": 1000, "slow": 9000}  # turns of each call
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
        """Checks runs in which samples are taken as well, which takes some of the calls' time."""
        run, seconds, samples = self.check(board, BOTH, 0.02)
        received = run.info()["samples"]
        self.assertEqual(received["lost"], 0)
        self.assertAlmostEqual(samples, seconds * 1000, delta=0.1 * seconds * 1000)
        self.assertLess(received["received"] - samples, 5)

    def test_counting_splits_evenly(self):
        """Arcs and samples cannot tell the two callers apart; timing can."""
        run = Run("microbit", "callers", "-DMCUPROF_SAMPLE_HZ=1000 -DMCUPROF_PATHS=0")
        model = run.model()
        names = [function["name"] for function in model["functions"]]
        shares = [arc["self_seconds"] for arc in model["function_calls"]
                  if names[arc["callee"]] == "filter"]
        self.assertEqual(len(shares), 2)
        self.assertGreater(shares[0], 0)
        self.assertAlmostEqual(shares[0], shares[1])


class WithPaths(unittest.TestCase):
    def test_calls_have_their_counters(self):
        """Samples with paths need no counter; timed calls beside them do."""
        run = Run("mps2-an385", "callers", "-DMCUPROF_CALLS=1 -DMCUPROF_PATHS=24")
        info = run.info()
        self.assertEqual(info["calls"], {"received": 202, "lost": 0})
        self.assertLess(info["records"] - info["samples"]["received"], 50)


class Singles(unittest.TestCase):
    """Without a cache each call comes with its own time, and percentiles are those of the
    emulator's clock. With a cache they are not known, and the report says so."""

    def check(self, board):
        run = Run(board, "callers", KNOBS.replace("ENTRIES=64", "ENTRIES=0"))
        self.assertEqual(run.info()["calls"]["lost"], 0)
        hz = run.model()["time_base"]["hz"]
        timed = {function["name"]: function["timed"] for function in run.model()["functions"]}
        self.assertEqual(timed["filter"]["calls"], 200)
        for part, turns in (50, 1000), (90, 9000), (99, 9000):
            truth = turns * BOARDS[board].turn_ns * 1e-9 * hz
            ticks = timed["filter"][f"p{part}_ticks"]
            self.assertGreater(ticks, 0.99 * truth, part)
            self.assertLess(ticks, 1.03 * truth, part)  # a bin is 1.6 % wide
        text = output("report", "--percentiles", "-e", run.elf, run.capture)
        self.assertNotIn("MCUPROF_ENTRIES", text)

    def check_cached(self, board):
        run = Run(board, "callers", KNOBS)
        timed = {function["name"]: function["timed"] for function in run.model()["functions"]}
        self.assertIsNone(timed["filter"]["p99_ticks"])
        text = output("report", "--percentiles", "-e", run.elf, run.capture)
        self.assertIn("MCUPROF_ENTRIES=0", text)


class Ended(unittest.TestCase):
    """After mcuprof_end(), neither a second one nor a flush changes anything: the time since then
    does not count as the run's, and the end record, at which `record` ends, stays the last one."""

    def check(self, board):
        once, twice = (Run(board, "callers", f"{KNOBS} -DENDED_AGAIN={again}") for again in (0, 1))
        models = once.model(), twice.model()
        runs = [model["time_base"]["run_ticks"] for model in models]
        self.assertAlmostEqual(runs[1], runs[0], delta=0.02 * runs[0])
        self.assertEqual(*(model["complete"] for model in models))
        self.assertTrue(models[1]["complete"])
        self.assertEqual(once.info()["records"], twice.info()["records"])


class RunTime(unittest.TestCase):
    """The run is the time between each start and stop. What start and end send takes longer, on
    a slow line with a small ring; it is no part of the run, nor are the link's interrupts then."""
    SMALL = KNOBS.replace("RING_BYTES=4096", "RING_BYTES=64")

    def check(self, board, knobs):
        model = Run(board, "callers", f"{self.SMALL} {knobs}").model()
        base, calls = model["time_base"], model["events"]["calls"]["received"]
        ticks = (base["run_ticks"] - base["other_ticks"] -
                 calls * (base["inside_ticks"] + base["outside_ticks"]))
        turns = Callers.CALLS * sum(Callers.SHARES.values())
        truth = turns * BOARDS[board].turn_ns * 1e-9 * base["hz"]
        self.assertAlmostEqual(ticks, truth, delta=0.005 * truth)
        self.assertLess(model["timed_run"]["unfinished_ticks"], 0.001 * truth)


class Long(unittest.TestCase):
    """A run that is longer than its clock goes without a record: 2.2 times 2^32 ticks. No
    record is due meanwhile, for all calls are in their counters."""

    def check(self, board, times):
        run = Run(board, "callers", f"{KNOBS} -DTIMES={times}")
        model = run.model()
        timed = {function["name"]: function["timed"] for function in model["functions"]}
        base = model["time_base"]
        turn = BOARDS[board].turn_ns * 1e-9
        expected = (times * 100 * 1000 + 100 * 9000) * turn
        self.assertGreater(expected * base["hz"], 2.2 * 2**32)
        seconds = base["run_ticks"] / base["hz"]
        self.assertGreater(seconds, expected)
        self.assertLess(seconds, 1.2 * expected)  # its hooks are a part of it
        self.assertAlmostEqual(timed["fast"]["total_seconds"] / (times * 100000 * turn), 1,
                               delta=0.01)


class LateStart(unittest.TestCase):
    """The clock has gone on for more than 2^31 ticks when the profiler starts first."""

    def check(self, board):
        turns = int(2.3e9 / BOARDS[board].turn_ns)
        soon, late = (Run(board, "callers", f"{KNOBS} -DTURNS_BEFORE={before}").model()
                      for before in (1, turns))
        self.assertEqual(late["time_base"]["hz"], 1e9)
        for name in "inside_ticks", "outside_ticks":
            self.assertAlmostEqual(late["time_base"][name], soon["time_base"][name],
                                   delta=0.02 * soon["time_base"][name], msg=name)
        self.assertAlmostEqual(late["time_base"]["run_ticks"] / soon["time_base"]["run_ticks"], 1,
                               delta=0.01)


class Unstarted(unittest.TestCase):
    """mcuprof_end() is called, mcuprof_start() never."""

    def check(self, board, knobs):
        for started in 0, 1:
            run = Run(board, "callers", f"{knobs} -DSTARTED={started}")
            said = output("info", "-e", run.elf, run.capture)
            self.assertEqual("mcuprof_start() never" in said, not started, said)


class Skipped(unittest.TestCase):
    """A run that is mostly profiler is reported as such, with names of functions; without these
    functions' hooks it is not."""

    def share(self, run):
        report = output("report", "-e", run.elf, run.capture)
        shares = re.findall(r"profiler .*?\((\d+\.\d) %\)", report)
        return report, float(shares[0])

    def profiler_ticks(self, run):
        base, calls = run.model()["time_base"], run.info()["calls"]["received"]
        return calls * (base["inside_ticks"] + base["outside_ticks"]) + base["other_ticks"]

    def check(self, board, example, named):
        knobs = f"{KNOBS} -DMCUPROF_DEPTH=64"
        full = Run(board, example, knobs)
        report, share = self.share(full)
        self.assertGreater(share, 50)
        rounded = f"({share - 0.05:.0f}|{share + 0.05:.0f})"  # of a share with more digits
        self.assertRegex(report, f"{rounded} % of the run is the profiler, most of it hooks of "
                         f"{', '.join(named)}: ")
        flag = output("flags", "--skip", full.capture, full.elf).strip()
        self.assertEqual(flag, f"-finstrument-functions-exclude-function-list={','.join(named)}")
        slim = Run(board, example, knobs, cflags=flag)
        report, _ = self.share(slim)
        # the link's interrupts are left, for 156 bytes
        self.assertLess(self.profiler_ticks(slim), 0.04 * self.profiler_ticks(full))
        self.assertNotIn("of the run is the profiler", report)
        self.assertEqual(output("flags", "--skip", slim.capture, slim.elf), "")


class Interrupts(unittest.TestCase):
    """A timed interrupt hits timed functions, with samples: its time does not count as theirs."""
    TURNS = {"four": 4000, "two": 2000, "one": 1000, "masked": 1000, "on_timer": 1000, "half": 500}

    def check(self, board):
        self.check_times(board, KNOBS, 1.012)
        # the times contain samples: on virt some 420 instructions each, with trap and
        # search
        functions = self.check_times(board, BOTH, 1.03 if board == "virt" else 1.02)
        samples = [functions[name]["samples"] for name in ("four", "two", "one")]
        for count, share in zip(samples, (4, 2, 1), strict=True):
            expected = sum(samples) * share / 7
            self.assertAlmostEqual(count, expected, delta=3.5 * math.sqrt(expected))

    def check_times(self, board, knobs, at_most):
        run = Run(board, "shares", knobs)
        self.assertEqual(run.info()["calls"]["lost"], 0)
        model = run.model()
        functions = {function["name"]: function for function in model["functions"]}
        turns_s = model["time_base"]["hz"] * BOARDS[board].turn_ns * 1e-9
        for name, turns in self.TURNS.items():
            timed = functions[name]["timed"]
            count = run.said("interrupts") if name in ("on_timer", "half") else 2000
            self.assertEqual(timed["calls"], count)
            mean = timed["total_ticks"] / count / turns_s
            self.assertGreater(mean, 0.998 * turns, name)
            # the mean includes traps, but no handler: that would be at least 6 %
            self.assertLess(mean, max(at_most * turns, turns + 20), name)
        return functions


class Jumps(unittest.TestCase):
    """longjmp, calls nested deeper than the shadow stack, tail calls, arrays on the stack."""
    maxDiff = None

    def check(self, board, optimise, rounds):
        run = self.run_it(board, optimise, rounds, received=1, left=2)
        self.assertEqual(run.calls(), RECEIVED | {("jumps", "leaf"): rounds,
                                                  ("third", "leaf"): rounds + 1,
                                                  ("main", "interrupted"): 1})
        model = run.model()
        functions = {function["name"]: function for function in model["functions"]}
        turns = model["time_base"]["hz"] * BOARDS[board].turn_ns * 1e-9
        returns_here = functions["returns_here"]["timed"]["total_ticks"]
        self.assertGreaterEqual(returns_here, 4000 * turns)
        self.assertLess(returns_here, 4000 * turns + max(1000, 120 * turns))
        self.assertLess(functions["calls_it"]["timed"]["self_ticks"], max(200, 20 * turns))
        self.assertGreaterEqual(functions["printed"]["timed"]["self_ticks"], 4000 * turns)
        if board != "atmega1284p":  # there it contains what the interrupt calls
            self.assertAlmostEqual(functions["interrupted"]["timed"]["total_ticks"],
                                   40000 * turns, delta=0.02 * 40000 * turns)
        # a leaf's call is as short after a longjmp as before
        short = [functions[name]["address"] for name in ("leaf", "small")]
        self.assertLess(max(call["longest_ticks"] for call in model["calls"]
                            if call["to"] in short), 100)

    def check_plain(self, board, optimise, rounds):
        """With a plain setjmp(), a call that longjmp left is recognised when the stack is above it
        again. Until then it keeps its frame; in the end the calls of first() fill all frames."""
        run = self.run_it(board, optimise, rounds, knobs=" -DPLAIN_SETJMP")
        calls = run.calls()
        for key, count in RECEIVED.items():
            self.assertEqual(calls[key], count, key)
        for key in ("jumps", "leaf"), ("third", "leaf"):
            self.assertGreaterEqual(calls[key], 4)
            self.assertLessEqual(calls[key], rounds + 1)

    def run_it(self, board, optimise, rounds, received=0, left=0, knobs=""):
        """`received`, `left`: the calls in addition to those of RECEIVED and LEFT."""
        run = Run(board, "jumps", f"{KNOBS} -DMCUPROF_DEPTH=8 -DROUNDS={rounds}{knobs}", optimise)
        self.assertEqual(run.said("result"), 319 + 2 * rounds)
        received += sum(RECEIVED.values()) + 2 * rounds + 1
        lost = LEFT + left + 3 * rounds + 2 * run.said("ticks")
        self.assertEqual(sum(run.info()["calls"].values()), received + lost)
        for call in run.model()["calls"]:
            self.assertLessEqual(call["self_ticks"], call["total_ticks"])
            self.assertLessEqual(call["shortest_ticks"], call["longest_ticks"])
        return run


class Throws(unittest.TestCase):
    """Calls are random; many are left by longjmp or have no frame. Exactly those that have a frame
    and end are received, and all time belongs to some function."""

    def check(self, board, optimise, knobs):
        run = Run(board, "throws", f"{KNOBS} -DMCUPROF_WAIT=1 {knobs}", optimise)
        truth = {name: (int(begun), int(ended)) for name, begun, ended
                 in re.findall(r"^(\w+) (\d+) (\d+)$", run.console, re.M)}
        self.assertEqual(len(truth), 8)
        begun, ended = (sum(counts) for counts in zip(*truth.values(), strict=True))
        self.assertEqual(run.info()["calls"], {"received": ended, "lost": begun - ended})
        model = run.model()
        functions = {function["name"]: function["timed"] for function in model["functions"]
                     if function["timed"]}
        self.assertEqual({name: timed["calls"] for name, timed in functions.items()},
                         {name: counts[1] for name, counts in truth.items() if counts[1]})
        self.assertAlmostEqual(sum(timed["self_ticks"] for timed in functions.values()),
                               functions["run"]["total_ticks"], delta=1)
        turns = model["time_base"]["hz"] * BOARDS[board].turn_ns * 1e-9
        leaf = functions["leaf"]
        self.assertGreaterEqual(leaf["shortest_ticks"], int(400 * turns))
        self.assertLess(leaf["self_ticks"] / leaf["calls"], 1.6 * 400 * turns)


class Wrapped(unittest.TestCase):
    """Functions of a library whose source is not there."""

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


class Inlined(unittest.TestCase):
    """Functions that were inlined, in one another, are called by those they are inlined in: turn
    in mix, and mix in sum and hash."""
    CALLS = {("main", "sum"): 10, ("main", "hash"): 100, ("sum", "mix"): 1000,
             ("hash", "mix"): 100, ("mix", "turn"): 6000}

    def check(self, board, optimise):
        run = Run(board, "inlined", KNOBS, optimise)
        self.assertEqual(run.calls(), self.CALLS)
        timed = {function["name"]: function["timed"] for function in run.model()["functions"]}
        # main makes no call of them: all of their time is in sum's and hash's
        both = timed["sum"]["total_ticks"] + timed["hash"]["total_ticks"]
        self.assertEqual(sum(timed[name]["self_ticks"] for name in ("sum", "hash", "mix", "turn")),
                         both)


class Ships(unittest.TestCase):
    """A loop that is longer with hooks: compared with the firmware that ships, its time is that of
    the firmware that ships."""

    def check(self, board, optimise):
        ran, ships = (Run(board, "ships", KNOBS, optimise, variables=variables)
                      for variables in ((), ("HOOKS=0",)))
        truth = ships.said("took")
        compared, alone = ran.model("--shipped", ships.elf), ran.model()
        for model, most in ((compared, 0.02), (alone, 0.5)):
            product, = (function["timed"] for function in model["functions"]
                        if function["name"] == "product")
            self.assertEqual(product["calls"], 100)
            self.assertAlmostEqual(product["self_ticks"], truth, delta=most * truth)
            self.assertLess(abs(product["self_ticks"] - truth), 2 * product["self_error_ticks"])
            self.assertEqual(product["self_ticks"], product["total_ticks"])
        self.assertGreater(compared["timed_run"]["differs_ticks"], 0.1 * truth)
        self.assertEqual(alone["timed_run"]["differs_ticks"], 0)
        self.assertEqual(alone["timed_run"]["profiler_ticks"] + compared["timed_run"]["differs_ticks"],
                         compared["timed_run"]["profiler_ticks"])


class Sent(unittest.TestCase):
    """Without a cache each call is sent, byte by byte: an error of half a tick in what the link's
    interrupt takes would be half of what the program takes."""
    KNOBS = KNOBS.replace("ENTRIES=64", "ENTRIES=0") + " -DMCUPROF_DEPTH=40"

    def check(self, board):
        runs = [Run(board, "fib", self.KNOBS, variables=variables)
                for variables in ((), ("HOOKS=0",))]
        self.assertGreater(runs[0].info()["calls"]["received"], 1900)
        self.assertEqual(runs[0].info()["calls"]["lost"], 0)
        ran, plain = (run.model() for run in runs)
        truth = plain["time_base"]["run_ticks"]
        run = ran["timed_run"]
        self.assertAlmostEqual(run["run_ticks"] - run["profiler_ticks"], truth, delta=0.35 * truth)


def add(case, name, *arguments, check="check"):
    def test(self):
        getattr(self, check)(*arguments)

    setattr(case, "test_" + name.replace("-", "_"), test)


for board in WITH_CLOCK:
    add(Callers, board, board, KNOBS, 0.01)
    if board != "atmega1284p":  # there samples take 6 % of the time
        add(Callers, f"{board}_sampled", board, check="check_sampled")
        add(Interrupts, board, board)  # an AVR does not know its interrupts
for board in WITH_CLOCK:
    for optimise, deepest, seed in ("-Os", 8, 1), ("-O2", 20, 2), ("-O0", 5, 3):
        add(Throws, f"{board}{optimise}", board, optimise,
            f"-DMCUPROF_DEPTH={deepest} -DSEED={seed}")
for name, load in ("amid_fast", 100000), ("amid_slow", 1000000):  # 4 and 40 of 65 ms
    add(Callers, f"clock_goes_round_{name}", "mps2-an385",
        f"{KNOBS} -DBOARD_TIME_LOAD={load}", 0.01)
add(Long, "virt", "virt", 1500)  # its clock is that of a fast processor: 1 GHz
add(LateStart, "virt", "virt")
add(Unstarted, "microbit", "microbit", KNOBS)
add(Unstarted, "virt_samples", "virt", "")
for board in "microbit", "virt":
    add(Singles, board, board)
    add(Singles, f"{board}_cached", board, check="check_cached")
for board in ("mps2-an385", "virt", "leon3"):
    add(Ended, board, board)
    add(Skipped, board, board, "fib", ["fib"])
    add(RunTime, board, board, "-DBOARD_LINK_CYCLES=2000")
    add(RunTime, f"{board}_slow_line", board, "-DBOARD_LINK_CYCLES=100000")
    add(RunTime, f"{board}_paused", board, "-DBOARD_LINK_CYCLES=2000 -DPAUSED=1")
for board in WITH_CLOCK:
    if board == "atmega1284p":
        continue  # its GCC has no basic blocks, which the example counts, too
    for optimise in ("-Os", "-O2"):
        add(Inlined, f"{board}{optimise}", board, optimise)
for board in ("microbit", "mps2-an505"):
    add(Wrapped, board, board)
add(Ships, "microbit", "microbit", "-Os")
add(Sent, "microbit", "microbit")
for board in WITH_CLOCK:
    for optimise in ("-Os", "-O2"):
        for rounds in (10, 500):
            add(Jumps, f"{board}{optimise}_{rounds}", board, optimise, rounds)
        add(Jumps, f"{board}{optimise}_plain", board, optimise, 500, check="check_plain")

if __name__ == "__main__":
    unittest.main()
