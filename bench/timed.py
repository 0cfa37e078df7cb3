#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares the times of timed calls in real programs with those that the emulator shows for the
same programs built without hooks, as the user would ship them. See README.md.

    bench/timed.py [-O OPTIMISE]... [-c CPU] [-k KNOBS] [-p FLAGS] [-v] [PROGRAM...]
    bench/timed.py -s [-O OPTIMISE]... [PROGRAM...]
"""
import argparse
import collections
import os
import re
import statistics
import subprocess
import sys
import tempfile

sys.path.append("tests/real")
sys.path.append("bench")
import real  # noqa: E402
from goals import table  # noqa: E402

BOARD, CPU = "mps2-an385", "cortex-m0plus"
PROGRAMS = ("cjson", "kissfft", "lua", "mbedtls", "speex", "zlib")
# A run of some 5 million instructions; the programs do the same in each round.
ROUNDS = {"lua": 5, "zlib": 3, "speex": 4, "cjson": 4, "kissfft": 2, "mbedtls": 1}
DEPTH = 200
KNOBS = ("-DMCUPROF_CALLS=1 -DMCUPROF_SAMPLES=0 -DMCUPROF_PATHS=0 "
         f"-DMCUPROF_DEPTH={DEPTH}")
# Lua's strings are hashed by a seed of the program's addresses, which hooks change: a run of the
# same script then differs by up to 1 %.
FLAGS = {"lua": "'-Dluai_makeseed(L)=1'"}
TICKS = 0.8  # an instruction takes 32 ns, a tick 40
HOOK = re.compile(r"bl\s.*<__cyg_profile_func_(enter|exit)>")
ARGUMENTS, RETURN = 2, 1  # instructions that set those of a hook; of any function
SMALL, BUSY = 150, 1 / 500  # instructions a call, and the share of the run, of those for -s
INSIDE = 0.95  # the share of the times of all programs that must be inside two errors
CLONE = re.compile(r"\.(part|isra|constprop|cold|lto_priv)[.0-9]*")


class Timed(real.Program):
    """A program whose calls are timed, or, if `plain`, as the user would ship it, with these
    flags."""

    def __init__(self, name, cpu, optimise, more="", plain=False, flags=""):
        flags = " ".join(filter(None, [FLAGS.get(name), flags, *re.findall("-flto", optimise)]))
        super().__init__(name, BOARD, cpu, optimise, f"{KNOBS} {more}".strip(),
                         ("HOOKS=0" if plain else "KERNEL_PROFILED=1",
                          f"REAL_ROUNDS={ROUNDS[name]}",
                          *([f"PROGRAM_CFLAGS={flags}"] if flags else ())))

    def record(self):
        """Runs the program without a log, if it has not run yet; `capture` gets what it sends."""
        if not real.is_older(self.capture, self.elf):
            return
        run = real.make("--eval=show: ; @echo $(BOARD_RUN)", "show", *self.arguments).split()
        real.output(real.MCUPROF, "record", "-e", self.elf, "-o", self.capture, "--", *run,
                    self.elf)

    def follow(self):
        """Runs the program with a log, if it has not run so yet; returns the Tree of its calls."""
        follow, quiet = real.follower("timed"), real.tool("unflushed.so", "-shared", "-fPIC")
        places, tree = Places(self), self.elf + ".tree"
        if not real.is_older(tree, self.elf, follow, __file__):
            return Tree(tree, places)
        with tempfile.TemporaryDirectory() as folder:
            log = os.path.join(folder, "log")
            os.mkfifo(log)
            with subprocess.Popen(["sh", "-c", f"exec {follow} {self.facts.path} {places.path} "
                                   f"<{log} >{tree}"]) as following:
                real.output(real.MCUPROF, "record", "-e", self.elf, "-o", self.elf + ".logged",
                            "--", "env", f"LD_PRELOAD={quiet}",
                            *(log if word == "LOG" else word for word in self.logged(True)),
                            self.elf)
            if following.returncode != 0:
                raise RuntimeError(f"{self.elf}: its log could not be followed")
        return Tree(tree, places)


class Places:
    """The functions that code belongs to. `chains` has, by the number of a place, the function that
    it is in and, inwards, the functions inlined there."""

    def __init__(self, program):
        self.path, self.chains = program.elf + ".places", []
        numbers, functions = {}, program.facts.functions
        code = real.instructions(real.output("arm-none-eabi-objdump", "-d", "-z", program.elf))
        chains = self.read(program.elf, [address for address, *_ in code])
        with open(self.path, "w", encoding="ascii") as file:
            for address, size, *_ in code:
                chain = chains[address]
                if chain is None:
                    number = functions.at(address)
                    chain = () if number is None else (functions.names[number],)
                if chain not in numbers:
                    numbers[chain] = len(self.chains)
                    self.chains.append(chain)
                file.write(f"p {address:x} {address + size:x} {numbers[chain]}\n")
            file.write(f"t {functions.names.index('program')}\n")

    @staticmethod
    def read(elf, addresses):
        text = subprocess.run(["arm-none-eabi-addr2line", "-a", "-i", "-f", "-e", elf],
                              input="\n".join(f"{address:x}" for address in addresses),
                              stdout=subprocess.PIPE, text=True, check=True).stdout
        found, names = {}, []
        for line in [*text.splitlines(), "0x0"]:
            if re.fullmatch(r"0x[0-9a-f]+", line):
                if names:
                    chain = tuple(CLONE.sub("", name) for name in reversed(names[::2]))
                    found[at] = None if "??" in chain else chain
                at, names = int(line, 16), []
            else:
                names.append(line)
        return found


class Tree:
    """What timed.c prints: `nodes`: (parent, place); `spent`: (node, place): instructions."""

    def __init__(self, path, places):
        self.nodes, self.spent, self.places = [], {}, places
        with open(path, encoding="ascii") as file:
            for line in file:
                kind, *numbers = line.split()
                a, b, c, *_ = map(int, numbers)
                if kind == "n":
                    self.nodes.append((b, c))
                else:
                    self.spent[a, b] = c

    def without_hooks(self):
        """Forgets the instructions of the profiler."""
        def is_profiler(place):
            return any(name.startswith(("mcuprof_", "__cyg_profile"))
                       for name in self.places.chains[place][:1])

        within = [False]
        for parent, place in self.nodes[1:]:
            within.append(within[parent] or is_profiler(place))
        self.spent = {(node, place): count for (node, place), count in self.spent.items()
                      if not within[node] and not is_profiler(place)}

    def times(self, cycles):
        """Returns the instructions of each function, itself and in all, counted as in a report:
        calls of a function from itself or from its cycle are in the total of the call around them.
        `cycles`: each timed function's number, or None."""
        ways = []
        for number, (parent, place) in enumerate(self.nodes):
            ways.append(self.way(ways[parent] if number else (None, frozenset()), place, cycles)
                        if number else (None, frozenset()))
        own, total = collections.Counter(), collections.Counter()
        for (node, place), count in self.spent.items():
            inner, around = self.way(ways[node], place, cycles)
            own[inner] += count
            for function in around:
                total[function] += count
        return own, total

    def way(self, outer, place, cycles):
        inner, around = outer
        for name in self.places.chains[place]:
            if name not in cycles:
                continue
            same = inner == name or (inner is not None and cycles[name] is not None and
                                     cycles[inner] == cycles[name])
            if not same:
                around = around | {name}
            inner = name
        return inner, around


class Result:
    """A program's times beside the truth, in instructions. `total`: (ours, true); `rows`:
    (function, self or total, ours, true, the standard error shown), for each function with 1 % or
    more of the truth."""

    def __init__(self, timed, plain, shipped=None):
        model = timed.model(shipped=shipped)
        functions = {function["name"]: function for function in model["functions"]
                     if function["timed"]}
        cycles = {name: function["cycle"] for name, function in functions.items()}
        own, total = plain.times(cycles)
        everything, run = sum(plain.spent.values()), model["timed_run"]
        self.run = run
        self.total = (run["run_ticks"] - run["profiler_ticks"]) / TICKS, everything
        self.profiler = run["profiler_ticks"] / run["run_ticks"]
        self.lost = model["events"]["calls"]["lost"]
        self.rows = []
        for name in cycles:
            for kind, true in (("self", own[name]), ("total", total[name])):
                if true >= everything / 100:
                    times = functions[name]["timed"]
                    self.rows.append((name, kind, times[kind + "_ticks"] / TICKS, true,
                                      (times.get(kind + "_error_ticks") or 0) / TICKS,
                                      times["calls"] + times["recursive_calls"]))


HEADINGS = ("program", "total %", "+- %", "profiler %", "functions", "inside 2 s.e.", "within 2 %",
            "median error %", "median +- %", "lost")


def per_cent(ours, true):
    return 100 * (ours / true - 1)


def row(name, result):
    errors = [abs(per_cent(ours, true)) for _, _, ours, true, _, _ in result.rows]
    shown = [100 * error / ours for _, _, ours, _, error, _ in result.rows if ours]
    inside = sum(abs(ours - true) <= 2 * error for _, _, ours, true, error, _ in result.rows)
    error = (result.run.get("program_error_ticks") or 0) / TICKS
    return (name, per_cent(*result.total), 100 * error / result.total[1],
            100 * result.profiler, len(errors), 100 * inside / len(errors),
            sum(error <= 2 for error in errors), statistics.median(errors),
            statistics.median(shown), result.lost)


def outside(elf):
    """Returns, by function, how many instructions are before its first hook and behind its last,
    but those that set arguments and the return."""
    found, name, code, last = {}, None, [], None
    for line in real.output("arm-none-eabi-objdump", "-d", elf).splitlines() + ["0 <>:"]:
        symbol = re.fullmatch(r"[0-9a-f]+ <(.*)>:", line)
        if symbol:
            hooks = [i for i, text in enumerate(code) if HOOK.match(text)]
            if hooks:
                before, behind = code[:hooks[0]], code[hooks[-1] + 1:]
                last = next((i for i, text in enumerate(behind)
                             if re.match(r"bx|pop.*pc|b", text)), None)
                if last is not None and re.match(r"bx|pop", behind[last]) and not any(
                        re.match(r"b(?!ic)", text) for text in before):
                    found[name] = len(before) - ARGUMENTS + last + 1 - RETURN
            name, code = symbol[1], []
        elif line.count("\t") >= 2 and "." not in line.split("\t")[2]:
            code.append(" ".join(line.split("\t")[2:]))
    return found


def saving(name, chosen, optimise):
    """Returns for each small function (instructions outside of its hooks, how many more it takes
    than without hooks, those of the hooks and the calls of them apart), both a call."""
    plain = Timed(name, chosen.cpu, optimise, plain=True)
    plain.build()
    timed = Timed(name, chosen.cpu, optimise, chosen.knobs)
    timed.build()
    timed.record()
    truth, hooked = plain.follow(), timed.follow()
    hooked.without_hooks()
    functions = {function["name"]: function for function in timed.model()["functions"]
                 if function["timed"]}
    cycles = {name: function["cycle"] for name, function in functions.items()}
    own, own_hooked = truth.times(cycles)[0], hooked.times(cycles)[0]
    least, around, found = BUSY * sum(truth.spent.values()), outside(timed.elf), []
    for function, of in functions.items():
        calls = of["timed"]["calls"] + of["timed"]["recursive_calls"]
        if function in around and own[function] >= least and own[function] < SMALL * calls:
            hooks = 2 * (ARGUMENTS + 1)
            found.append((around[function], (own_hooked[function] - own[function]) / calls - hooks))
    return found


def print_saving(found):
    """The part of what lies outside that the hooks cause, by least squares, and its spread."""
    kept = [(x, y) for x, y in found if abs(y) <= 3 * x]
    squares = sum(x * x for x, _ in kept)
    part = sum(x * y for x, y in kept) / squares
    spread = (sum((y - part * x) ** 2 for x, y in kept) / squares) ** 0.5
    print(f"{len(found)} functions, {len(kept)} of them within 3 times what is outside of their "
          f"hooks: {part:.2f} of it is the hooks', spread {spread:.2f}")


def measure(name, chosen, optimise):
    plain = Timed(name, chosen.cpu, optimise, plain=True, flags=chosen.plain)
    plain.build()
    truth = plain.follow()
    timed = Timed(name, chosen.cpu, optimise, chosen.knobs)
    timed.build()
    timed.record()
    return Result(timed, truth, plain), Result(timed, truth)


def inside(results):
    """Prints and returns the share of the times that are inside two errors."""
    every = [row for _, result in results for row in result.rows]
    share = sum(abs(ours - true) <= 2 * error for _, _, ours, true, error, _ in every) / len(every)
    shown = statistics.median(100 * error / ours for _, _, ours, _, error, _ in every if ours)
    print(f"{len(every)} times: {100 * share:.1f} % inside the 2 s.e. shown, median +- {shown:.1f} %")
    return share


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("programs", nargs="*", default=PROGRAMS)
    parser.add_argument("-O", "--optimise", action="append")
    parser.add_argument("-c", "--cpu", default=CPU)
    parser.add_argument("-k", "--knobs", default="")
    parser.add_argument("-p", "--plain", default="")
    parser.add_argument("-s", "--saving", action="store_true")
    parser.add_argument("-v", "--verbose", action="store_true")
    chosen, shipped, without = parser.parse_args(), [], []
    if chosen.saving:
        print_saving([row for optimise in chosen.optimise or ["-Os", "-O2"]
                      for name in chosen.programs for row in saving(name, chosen, optimise)])
        return 0
    for optimise in chosen.optimise or ["-Os", "-O2"]:
        for name in chosen.programs:
            results = measure(name, chosen, optimise)
            for to, result in zip((shipped, without), results):
                to.append((f"{name} {optimise}", result))
            if chosen.verbose:
                table(("function", "", "ours", "true", "error %", "+- %", "calls"),
                      [(name, kind, ours, true, per_cent(ours, true),
                        100 * error / ours if ours else "-", calls)
                       for name, kind, ours, true, error, calls in
                       sorted(results[0].rows, key=lambda row: -row[3])])
    shares = []
    for title, results in (("with --shipped", shipped), ("without", without)):
        print(title)
        table(HEADINGS, [row(*result) for result in results])
        shares.append(inside(results))
    all_of_them = set(chosen.programs) == set(PROGRAMS) and not chosen.optimise
    return int(all_of_them and min(shares) < INSIDE)


if __name__ == "__main__":
    sys.exit(main())
