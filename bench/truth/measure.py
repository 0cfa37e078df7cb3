#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares what each command and export says with what the emulator's log says. See README.md.

    bench/truth/measure.py [-b BOARD]... [-m MODE]... [-r HZ]... [-s SEEDS] [-l LINK]
                           [--rounds N] [PROGRAM...]
"""
import argparse
import collections
import math
import re
import subprocess
import sys

sys.path[:0] = ["tests/real", "bench"]
import real  # noqa: E402
import said  # noqa: E402
from goals import table  # noqa: E402

# Rounds of some 5 million instructions on a Cortex-M: 1,600 samples at 10 kHz.
PROGRAMS = {"lua": 5, "zlib": 3, "speex": 4, "cjson": 4, "kissfft": 2, "mbedtls": 1}
AVR_PROGRAMS = {"cjson": 4, "kissfft": 1}
EXAMPLES = ("truth", "updcrc")  # the calls of these are counted on each board
# With the highest rate that leaves some time for the program.
BOARDS = {"mps2-an385": 10000, "mps2-an386": 10000, "mps2-an505": 10000, "versatilepb": 10000,
          "virt": 10000, "leon3": 10000, "atmega1284p": 1500, "mega2560": 10000,
          "microbit": 10000}
RATES = (1000, 4000, 10000)
SAMPLED, COUNTED = ("samples", "paths", "cut"), ("arcs", "blocks")
BLOCK_FLAGS = "PROGRAM_CFLAGS=$(MCUPROF_BLOCK_CFLAGS)"
KNOBS = {
    "samples": ("-DMCUPROF_PATHS=0", ()),
    "paths": ("", ()),
    "cut": ("-UMCUPROF_PATHS -DMCUPROF_PATHS=20", ()),  # of lua one in seven is deeper
    "arcs": ("-DMCUPROF_ARCS=1 -DMCUPROF_PATHS=0", ("KERNEL_PROFILED=1",)),
    "blocks": ("-DMCUPROF_BLOCKS=1 -DMCUPROF_PATHS=0", (BLOCK_FLAGS,)),
    "timed": ("-DMCUPROF_CALLS=1 -DMCUPROF_PATHS=0", ("KERNEL_PROFILED=1",)),
}
SEED = ("MORE_SOURCES=bench/truth/seed.c", "MORE_LDFLAGS=-Wl,--wrap=mcuprof_start")
LEAST_SHARE = 1.0  # per cent: below it the error of a share is no normal one
NONE_BELOW = 3  # samples: what a share without one is said to be below, with 95 % confidence
WITHIN_2 = 93.0  # more than 97 % is no fault: dither makes samples more even than chance
BIAS_MOST = 0.2


class Seeded(real.Program):
    """A program whose sampler begins at a random number of its own for each seed."""

    def __init__(self, name, board, mode, hz, rounds, link=None):
        knobs, variables = KNOBS[mode]
        if name in EXAMPLES and mode == "blocks":
            variables = (BLOCK_FLAGS.replace("PROGRAM", "EXAMPLE"),)
        if link:
            variables = (*variables, f"LINK={link}")
        rate = 1000 if mode == "timed" else hz
        super().__init__(name, board, knobs=f"{knobs} -DMCUPROF_SAMPLE_HZ={rate}".strip(),
                         variables=(*variables, *SEED, f"REAL_ROUNDS={rounds}"))

    def seed(self, number):
        """Writes the seed into the ELF."""
        tools = real.BOARDS[self.board].tools
        symbols = real.output(tools + "nm", self.elf)
        address = int(re.search(r"^([0-9a-f]+) \w bench_seed$", symbols, re.M)[1], 16)
        sections = re.findall(r"\] +\S+ +PROGBITS +([0-9a-f]+) ([0-9a-f]+) ([0-9a-f]+) ",
                              real.output(tools + "readelf", "-SW", self.elf))
        at = next(int(offset, 16) + address - int(start, 16) for start, offset, size in sections
                  if int(start, 16) and 0 <= address - int(start, 16) < int(size, 16))
        order = "big" if self.board == "leon3" else "little"
        with open(self.elf, "r+b") as file:
            file.seek(at)
            file.write((number * 2654435761 % 2**32).to_bytes(4, order))


# ---- Shares of the time ----

class Errors:
    """How far shares are from the true ones, in units of the errors that were said: `apart` by
    (program, function), a list of what each seed gave."""

    def __init__(self):
        self.apart = collections.defaultdict(list)

    def add(self, program, shares, true, samples, column):
        for name, share in true.items():
            if share < LEAST_SHARE:
                continue
            got = shares.get(name, said.Shares(0.0, None, 0.0))
            part = got[column] or 0.0
            error = got[column + 1] if part else 100 * NONE_BELOW / 2 / samples
            self.apart[program, name].append((part - share) / (error or chance(part, samples)))

    def all(self):
        return [each for apart in self.apart.values() for each in apart]

    def within(self, limit):
        apart = self.all()
        return 100 * sum(abs(each) <= limit for each in apart) / len(apart)

    def bias(self):
        return mean(self.all())

    def worst(self):
        """Returns the function whose mean over all seeds is furthest from 0, and that mean."""
        return max(((mean(apart), name, len(apart)) for (_, name), apart in self.apart.items()),
                   key=lambda each: abs(each[0]))


def chance_of(errors):
    """Two standard errors of how many lie within 2 σ, in per cent, if 95 % are to be expected."""
    return 200 * math.sqrt(0.05 * 0.95 / len(errors.all()))


def mean(values):
    return sum(values) / len(values) if values else "-"


def chance(share, samples):
    """The error of a share of so many samples, in per cent, as reports have it."""
    said = share / 100
    part = (samples * said + 1) / (samples + 2)
    return 100 * max(math.sqrt(max(0.0, said * (1 - said)) / samples),
                     math.hypot(math.sqrt(part * (1 - part) / (samples + 3)), part - said))


def true_shares(program, counts):
    """Returns {function: per cent of the program's instructions}, by name."""
    everything, shares = sum(program.truth.self.values()), collections.Counter()
    for number, count in counts.items():
        shares[program.facts.functions.names[number]] += 100 * count / everything
    return shares


def without_handlers(program, shares):
    """Takes the handlers of interrupts off what is said: the truth is of the program alone, whose
    only interrupts here are the link's. In front of mcuprof_link_entry() is the board's code, which
    is no part of the profiler by name."""
    names, truth = program.facts.functions.names, program.truth
    handlers = {names[number] for number in truth.handlers if not truth.self.get(number)}
    left = 100 - sum(each.own for name, each in shares.items() if name in handlers)
    return {name: said.Shares(*(None if each is None else 100 * each / left for each in of))
            for name, of in shares.items() if name not in handlers}


# ---- Counts ----

def true_calls(program):
    """Returns {(caller, callee): count} as functions' names; None: the hardware."""
    names, calls = program.facts.functions.names, collections.Counter()
    for (caller, callee), count in program.truth.calls.items():
        calls[names[caller] if caller >= 0 else None, names[callee]] += count
    return calls


def said_calls(program, model):
    called = program.facts.functions.called
    names = [called(function["symbol"]) for function in model["functions"]]
    calls = collections.Counter()
    for arc in model["function_calls"]:
        if arc["count"]:
            calls[None if arc["caller"] is None else names[arc["caller"]],
                  names[arc["callee"]]] += arc["count"]
    return calls


def by_callee(calls):
    found = collections.Counter()
    for (_, callee), count in calls.items():
        found[callee] += count
    return found


def true_blocks(program, model):
    """Returns the true counts by the addresses that are said: those in a call of the hook."""
    found, starts = collections.Counter(), {block["address"] for block in model["blocks"]}
    for address, count in program.truth.blocks.items():
        inside = [at for at in range(address, address + 8) if at in starts]
        found[inside[0] if inside else address] += count
    return found


class Counts:
    """How many places were compared, and of which too much or too little was said."""

    def __init__(self):
        self.events = self.places = self.lost = 0
        self.wrong = []

    def add(self, program, true, got, lost):
        self.events += sum(true.values())
        self.places += len(true)
        self.lost += lost
        for place in true | got:
            over = got[place] > true[place]
            if over or (not lost and got[place] != true[place]):
                self.wrong.append(f"{program.elf}: {place}: {got[place]} of {true[place]}")
        if sum(got.values()) + lost != sum(true.values()):
            self.wrong.append(f"{program.elf}: {sum(got.values())} received and {lost} lost "
                              f"of {sum(true.values())}")


# ---- A row ----

class Row:
    """What was found of one board in one mode at one rate."""

    def __init__(self, board, mode, hz):
        self.board, self.mode, self.hz = board, mode, hz
        self.own, self.whole, self.views = Errors(), Errors(), collections.defaultdict(Errors)
        self.counts, self.tables = Counts(), Counts()
        self.added, self.samples, self.runs = [], 0, 0
        self.timed, self.lost, self.failed = collections.defaultdict(list), 0, []

    def add(self, program):
        model, truth = program.model(), program.truth
        self.runs += 1
        self.samples += model["events"]["samples"]["received"]
        self.lost += model["events"]["samples"]["lost"]
        if program.name not in EXAMPLES:
            self.added.append(100 * truth.odd["profiler"] / sum(truth.self.values()))
        if self.mode in SAMPLED:
            self.add_shares(program, model)
        elif self.mode == "timed":
            self.add_times(program, model)
        elif self.mode == "arcs":
            self.add_calls(program, model)
        else:
            self.counts.add(program, true_blocks(program, model), collections.Counter(
                {block["address"]: block["count"] for block in model["blocks"]}),
                model["events"]["blocks"]["lost"])

    def add_shares(self, program, model):
        own = true_shares(program, program.truth.self)
        whole = true_shares(program, program.truth.inclusive)
        seen = said.views(program, model, real.BOARDS[program.board].tools, set(own))
        samples = sum(function["samples"] for function in model["functions"]
                      if not function["overhead"])
        for form, shares in seen.items():
            shares = without_handlers(program, shares)
            self.views[form].add(program.name, shares, own, samples, 0)
            if form == "json":
                self.own.add(program.name, shares, own, samples, 0)
                if self.mode != "samples":
                    self.whole.add(program.name, shares, whole, samples, 2)

    def add_calls(self, program, model):
        true, got = true_calls(program), said_calls(program, model)
        lost = model["events"]["arcs"]["lost"]
        self.counts.add(program, true, got, lost)
        self.tables.add(program, by_callee(true), said.calls_by_csv(program), lost)

    def add_times(self, program, model):
        """Timed calls: each function's own share of all that was timed."""
        names, true = program.facts.functions.names, collections.Counter()
        for number, count in program.truth.timed.items():
            if count:
                true[names[number]] += count
        called = program.facts.functions.called
        got = {called(function["symbol"]): function["timed"]["self_seconds"]
               for function in model["functions"] if function["timed"]}
        everything, timed = sum(true[name] for name in got), sum(got.values())
        for name, seconds in got.items():
            if true[name] >= everything / 100:
                self.timed[program.name, name].append(
                    100 * (seconds / timed) / (true[name] / everything) - 100)

    def missed(self):
        """Returns a line for each bound that is not kept."""
        name = f"{self.board} {self.mode} {self.hz}"
        found = [*self.failed, *self.counts.wrong, *self.tables.wrong]
        for form, errors in self.views.items():
            if form != "gprof" and errors.within(2) < WITHIN_2 - chance_of(errors):
                found.append(f"{name} {form}: {errors.within(2):.1f} % are within 2 σ")
        for what, errors in (("self", self.own), ("total", self.whole)):
            if not errors.apart:
                continue
            within, bias, worst = errors.within(2), errors.bias(), errors.worst()
            if within < WITHIN_2 - chance_of(errors):
                found.append(f"{name} {what}: {within:.1f} % are within 2 σ")
            if self.mode == "cut" and what == "total":
                bias = 0  # cut paths have too little, never too much: the errors say how much
            if abs(bias) > BIAS_MOST + 2 / math.sqrt(len(errors.all())):
                found.append(f"{name} {what}: bias {bias:+.2f} σ")
            if abs(worst[0]) > BIAS_MOST + 4 / math.sqrt(worst[2]):
                found.append(f"{name} {what}: {worst[1]} is {worst[0]:+.2f} σ in the mean of "
                             f"{worst[2]} runs")
        return found


SHARES = ("board, mode", "Hz", "runs", "samples", "lost", "functions", "<1 σ %", "<2 %", "<3 %",
          "bias σ", "worst σ", "function", "added %")
COUNTS = ("board, mode", "runs", "events", "lost", "places", "wrong", "added %")
TIMES = ("board, mode", "runs", "functions", "mean %", "worst %", "function", "added %")


def share_rows(row):
    for what, errors in (("self", row.own), ("total", row.whole)):
        if errors.apart:
            worst = errors.worst()
            yield (f"{row.board} {row.mode}: {what}", row.hz, row.runs, row.samples, row.lost,
                   len(errors.all()), *(errors.within(limit) for limit in (1, 2, 3)),
                   f"{errors.bias():+.2f}", f"{worst[0]:+.2f}", worst[1], mean(row.added))


def time_row(row):
    worst = max(row.timed.items(), key=lambda each: abs(mean(each[1])))
    every = [abs(each) for apart in row.timed.values() for each in apart]
    return (f"{row.board} {row.mode}", row.runs, len(row.timed), mean(every), mean(worst[1]),
            worst[0][1], mean(row.added))


def view_rows(rows):
    """Shares within 2 σ as each format says them: of each, over all rows."""
    forms = collections.defaultdict(list)
    for row in rows:
        for form, errors in row.views.items():
            forms[form] += errors.all()
    return [(form, len(apart), *(100 * sum(abs(each) <= limit for each in apart) / len(apart)
                                 for limit in (1, 2, 3)), f"{mean(apart):+.2f}")
            for form, apart in forms.items()]


def summaries(rows):
    """Yields a line for each kind of figures, over all rows; docs/reliability.md has them."""
    for what in "own", "whole":
        of = [row for row in rows if getattr(row, what).apart]
        errors = Errors()
        for row in of:
            for (program, name), apart in getattr(row, what).apart.items():
                errors.apart[None, f"{name} of {program}, {row.board}, {row.mode}, {row.hz:,} Hz"] \
                    += apart
        if of:
            worst = errors.worst()
            within = ", ".join(f"{errors.within(limit):.1f}" for limit in (1, 2, 3))
            rates = ", ".join(f"{hz:,}" for hz in sorted({row.hz for row in of}))
            yield (f"{len(errors.all()):,} shares of {'self' if what == 'own' else 'total'} time, "
                   f"{boards(of)}, {rates} Hz: {within} % within 1, 2, 3 errors, bias "
                   f"{errors.bias():+.2f}, worst {worst[0]:+.1f} in the mean of {worst[2]} runs "
                   f"({worst[1]})")
    for mode in COUNTED:
        of = [row for row in rows if row.mode == mode and row.counts.places]
        if of:
            yield (f"{sum(row.counts.events for row in of):,} {mode} at "
                   f"{sum(row.counts.places for row in of):,} places, {boards(of)}: "
                   f"{sum(len(row.counts.wrong) for row in of)} wrong, "
                   f"{sum(row.counts.lost for row in of)} lost")
    timed = [(abs(mean(apart)), mean(apart), name, row.board) for row in rows
             for (_, name), apart in row.timed.items()]
    if timed:
        _, worst, name, board = max(timed)
        yield (f"self time of {len(timed)} timed functions, "
               f"{boards([row for row in rows if row.timed])}: off by "
               f"{mean([apart for apart, *_ in timed]):.1f} % in the mean, at most "
               f"{worst:+.1f} % ({name}, {board})")
    added = collections.defaultdict(list)
    for row in rows:
        added[f"{row.mode} at {row.hz:,} Hz" if row.mode in SAMPLED else row.mode] += row.added
    costs = [f"{mean(each):.1f} % ({what})" for what, each in added.items() if each]
    if costs:
        yield "the profiler added " + ", ".join(costs)


def boards(rows):
    names = sorted({row.board for row in rows})
    return names[0] if len(names) == 1 else f"{len(names)} boards"


def show(rows):
    """Prints the tables; returns the exit status."""
    tables = ((SHARES, [line for row in rows for line in share_rows(row)]),
              (("self shares, format", "functions", "<1 σ %", "<2 %", "<3 %", "bias σ"),
               view_rows(rows)),
              (COUNTS, [(f"{row.board} {row.mode}", row.runs, row.counts.events, row.counts.lost,
                         row.counts.places, len(row.counts.wrong), mean(row.added))
                        for row in rows if row.counts.places]),
              (TIMES, [time_row(row) for row in rows if row.timed]))
    for headings, lines in tables:
        if lines:
            table(headings, lines)
    for line in summaries(rows):
        print(f"truth: {line}")
    missed = [line for row in rows for line in row.missed()]
    for line in missed[:100]:
        print(f"MISSED: {line}")
    return 1 if missed else 0


# ---- Which runs ----

def programs(board, mode, chosen):
    """Yields the programs that fit the board, with the rounds of a run at 10 kHz."""
    avr = real.BOARDS[board].machine == "avr"
    rounds = AVR_PROGRAMS if avr else PROGRAMS
    if mode == "cut":
        rounds = {name: times for name, times in rounds.items() if name == "lua"}
    if board == "microbit":
        rounds = {}  # too little RAM
    for name, times in rounds.items():
        if name in (chosen or rounds) and real.fits(name, board):
            yield name, times
    for name in EXAMPLES:
        fits = not (avr and name == "updcrc")  # its compiler cannot count blocks
        if mode in COUNTED and name in (chosen or EXAMPLES) and fits:
            yield name, 1


def measure(board, mode, hz, chosen):
    row = Row(board, mode, hz)
    for name, rounds in programs(board, mode, chosen.programs):
        program = Seeded(name, board, mode, hz, chosen.rounds or rounds, chosen.link)
        program.build()
        for seed in range(chosen.seeds if mode in SAMPLED else 1):
            program.seed(seed)
            try:
                program.truth = program.run()
            except RuntimeError as error:  # the log says what follow.c cannot explain
                row.failed.append(str(error))
                continue
            row.add(program)
    return row


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("programs", nargs="*")
    parser.add_argument("-b", "--board", action="append", choices=BOARDS)
    parser.add_argument("-m", "--mode", action="append", choices=KNOBS)
    parser.add_argument("-r", "--rate", action="append", type=int)
    parser.add_argument("-s", "--seeds", type=int, default=8)
    parser.add_argument("-l", "--link", help="in place of the board's own: docs/links.md")
    parser.add_argument("--rounds", type=int, help="those of each program's work")
    chosen, rows = parser.parse_args(), []
    for board in chosen.board or BOARDS:
        for mode in chosen.mode or KNOBS:
            if mode != "arcs" and real.BOARDS[board].machine == "avr":
                continue  # its log has instructions, its timer counts cycles; no hook of blocks
            rates = chosen.rate or RATES if mode in SAMPLED else (1000,)
            for hz in sorted({min(hz, BOARDS[board]) for hz in rates}):
                row = measure(board, mode, hz, chosen)
                rows += [row] if row.runs or row.failed else []
    return show(rows)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except subprocess.CalledProcessError as error:
        sys.exit(f"{error}\n{error.stderr or ''}")
