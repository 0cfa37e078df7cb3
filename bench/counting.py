#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Measures what counting calls costs real programs on a Cortex-M0+, against the program that the
user would ship. See README.md.

    bench/counting.py [-O OPTIMISE]... [-l LINK] [-k KNOBS] [-t] [PROGRAM...]
"""
import argparse
import math
import os
import re
import subprocess
import sys
import tempfile
import typing

sys.path.append("tests/real")
sys.path.append("bench")
import real  # noqa: E402
from goals import table  # noqa: E402

CPU = "cortex-m0plus"
HOOK = "(?:__wrap_)?__gnu_mcount_nc"
PROGRAMS = ("cjson", "kissfft", "lua", "mbedtls", "speex", "zlib")
# A run of some 5 million instructions; the programs do the same in each round.
ROUNDS = {"lua": 5, "zlib": 3, "speex": 4, "cjson": 4, "kissfft": 2, "mbedtls": 1}
RING = 256       # the default, for all programs
FITTING = 8192   # more counters than any of the programs needs
TABLE = ("bench/ram_table.c", ("__gnu_mcount_nc", "mcuprof_start", "mcuprof_end"))


class Link(typing.NamedTuple):
    """`slow`: the knob that makes it a line of 1.5 Mbaud at 48 MHz, which takes a byte in 320
    cycles; "": there is no such line. An instruction takes some 1.6 cycles of a Cortex-M0+; the
    AN385 executes 1.25 in a tick of its clock, the AN505 1.5625."""
    board: str
    slow: str
    variables: tuple = ()
    knobs: str = ""


LINKS = {"bytes": Link("mps2-an385", " -DBOARD_LINK_CYCLES=160"),
         "dma": Link("mps2-an505", " -DBOARD_DMA_CYCLES=128", ("LINK=pl080",)),
         # with a probe that reads all each 2,000 cycles, and no probe.py
         "rtt": Link("mps2-an385", "", ("LINK=rtt", "BOARD_SERIAL=stdio", "BOARD_PROBE="),
                     " -DBOARD_PROBE_CYCLES=1000")}
MASK = re.compile(r"^ *([0-9a-f]+):\t[0-9a-f ]+\t(?:(mrs)\t\w+, PRIMASK|(msr)\tPRIMASK|"
                  rf"(cpsid)|(cpsie)|(bl)\t[0-9a-f]+ <{HOOK}>)", re.M)
KINDS = "srdeh"
ANY_SPEED, SLOW, ALL_FIT = "any speed", "1.5 Mbaud", "all fit"
# The parts of the profiler, by the names of their functions.
PARTS = (("sent", re.compile(r"put_record|mcuprof_put")), ("lost", re.compile(r"^lose|_lost")),
         ("search", re.compile(r"mcuprof_count|_search")),
         ("link", re.compile(r"mcuprof_link|mcuprof_tx")),
         ("sample", re.compile(r"mcuprof_sample_isr")),
         ("hardware", re.compile(r"^(board_dma_isr|SysTick_Handler)$")))


class Counted(real.Program):
    """A program whose calls are counted, if `table` in tables in RAM, or, if `plain`, as the user
    would ship it."""

    kind = "ARCS"

    def __init__(self, name, optimise, link, entries, more="", plain=False, table=False):
        source, wrapped = TABLE
        knobs = (f"-DMCUPROF_{self.kind}=1 -DMCUPROF_PATHS=0 -DMCUPROF_RING_BYTES={RING}"
                 f"{f' -DMCUPROF_ENTRIES={entries}' if entries else ''}{link.knobs}{more}")
        super().__init__(name, link.board, CPU, optimise, knobs,
                         (*link.variables, "HOOKS=0" if plain else "KERNEL_PROFILED=1",
                          f"REAL_ROUNDS={ROUNDS[name]}",
                          *([f"MORE_SOURCES={source}", "MORE_LDFLAGS=" + " ".join(
                              f"-Wl,--wrap={name}" for name in wrapped)] if table else ())))

    def write_marks(self, path):
        """Writes what counting.c must know beside the facts."""
        code = real.output("arm-none-eabi-objdump", "-d", self.elf)
        names = self.facts.functions.names
        with open(path, "w", encoding="ascii") as file:
            for address, *found in MASK.findall(code):
                kind = KINDS[[bool(each) for each in found].index(True)]
                file.write(f"k {kind} {address}\n")
            file.write(f"t {names.index('program')}\n")
            for number, name in enumerate(names):
                for part, pattern in PARTS:
                    if pattern.search(name):
                        file.write(f"p {part} {number}\n")

    def run(self, single=True):
        """Runs the program; `capture` gets what it sends. Returns the Costs."""
        marks, costs = self.elf + ".marks", self.elf + ".costs"
        self.write_marks(marks)
        follow, quiet = real.follower("counting"), real.tool("unflushed.so", "-shared", "-fPIC")
        stripped = self.elf + ".stripped"
        real.output("arm-none-eabi-objcopy", "--strip-all", self.elf, stripped)
        with tempfile.TemporaryDirectory() as folder:
            log = os.path.join(folder, "log")
            os.mkfifo(log)
            with subprocess.Popen(["sh", "-c", f"exec {follow} {self.facts.path} {marks} <{log} "
                                   f">{costs}"]) as following:
                self.console = real.output(
                    real.MCUPROF, "record", "-e", self.elf, "-o", self.capture, "--", "env",
                    f"LD_PRELOAD={quiet}",
                    *(log if word == "LOG" else word for word in self.logged(single)), stripped)
            if following.returncode != 0:
                raise RuntimeError(f"{self.elf}: its log could not be followed")
        return Costs(costs)


class Timed(Counted):
    """A program whose calls are timed. Nothing is known of each call."""
    kind = "CALLS"


class Costs:
    """What counting.c prints. `total` cycles, `interrupts` of them; `calls`: by outcome (count,
    cycles, least, most); `samples`: (count, cycles, most); `link`: (bytes, cycles); `masked`:
    (cycles, function); `arcs`: how often, by (from, to)."""

    def __init__(self, path):
        self.calls, self.arcs = {}, {}
        with open(path, encoding="ascii") as file:
            for line in file:
                kind, *rest = line.split()
                if kind == "total":
                    self.total, self.interrupts = map(int, rest)
                elif kind == "call":
                    self.calls[rest[0]] = tuple(map(int, rest[1:]))
                elif kind == "arc":
                    self.arcs[int(rest[0], 16), int(rest[1], 16)] = int(rest[2])
                else:
                    setattr(self, kind, tuple(map(int, rest)))

    @property
    def count(self):
        return sum(call[0] for call in self.calls.values())


def geometric_mean(numbers):
    return math.exp(sum(map(math.log, numbers)) / len(numbers))


def mean(call):
    return call[1] / call[0] if call[0] else "-"


def wrong(program, costs):
    """Returns a line for each number that is not exact: a site with more calls than there were, or
    calls that are neither received nor reported as lost."""
    model, name = program.model(), program.elf
    received = {(arc["from"], arc["to"]): arc["count"] for arc in model["arcs"]}
    lost = model["events"]["arcs"]["lost"]
    found = [f"{name}: {count} calls from {site:x} to {to:x}, of {costs.arcs.get((site, to), 0)}"
             for (site, to), count in received.items() if count > costs.arcs.get((site, to), 0)]
    if sum(received.values()) + lost != costs.count or costs.count != sum(costs.arcs.values()):
        found.append(f"{name}: {sum(received.values())} calls received and {lost} lost, "
                     f"of {costs.count}")
    return found


HEADINGS = ("program, line", "calls", "sites", "own place %", "searched %", "sent %", "lost %",
            "own place: mean", "most", "searched", "sent", "lost", "masked", "sample",
            "slow-down %")
OUTCOMES = ("own", "searched", "sent", "lost")


def row(name, program, costs, plain):
    shares = [100 * costs.calls[each][0] / costs.count for each in OUTCOMES]
    return (name, costs.count, len(costs.arcs), *shares, mean(costs.calls["own"]),
            costs.calls["own"][3], *(mean(costs.calls[each]) for each in OUTCOMES[1:]),
            costs.masked[0], mean(costs.sample), 100 * (costs.total / plain - 1))


class Summary:
    """The figures that have goals, over all programs."""

    def __init__(self):
        self.calls = {each: [0, 0] for each in OUTCOMES}
        self.samples, self.masked, self.times = [], 0, {}
        self.ours, self.tables = {}, []  # 1 + slow-down; ours by line
        self.name = "-"

    def add(self, program, costs):
        for each in OUTCOMES:
            self.calls[each][0] += costs.calls[each][0]
            self.calls[each][1] += costs.calls[each][1]
        if costs.masked[0] > self.masked:
            self.masked = costs.masked[0]
            self.name = program.facts.functions.names[costs.masked[1]]

    def rows(self):
        worst = max(self.times, key=self.times.get)
        figures = (("a call, its counter at its own place", mean(self.calls["own"]), 55, 48),
                   ("... found by search", mean(self.calls["searched"]), "-", "-"),
                   ("... that sends, link apart", mean(self.calls["sent"]), 350, 250),
                   ("... lost", mean(self.calls["lost"]), 110, 70),
                   (f"interrupts masked at most, by {self.name}", self.masked, 200, 120),
                   ("a sample, mean of the programs", sum(self.samples) / len(self.samples), 300,
                    180),
                   (f"slow-down over that of all counters fitting, worst: {worst}",
                    self.times[worst], 3, 1.5),
                   *((f"geometric mean of 1 + slow-down, {line}: {geometric_mean(ours):.3f}, "
                      f"over tables in RAM: {geometric_mean(self.tables):.3f}",
                      f"{geometric_mean(ours) / geometric_mean(self.tables):.2f}", "0.95", "0.85")
                     for line, ours in self.ours.items()))
        return [(what, must, aim, ours) for what, ours, must, aim in figures]


def measure(name, optimise, link, knobs, summary, rows):
    """Runs one program as shipped, with the default counters on a line that takes all and on a
    slow one, with as many counters as it needs, and with tables in RAM in their place. Returns
    what is not exact."""
    plain = Counted(name, optimise, link, 0, plain=True)
    plain.build()
    costs, slower, found = plain.run(), {}, []
    shipped = costs.total - costs.interrupts
    for what, entries, more in ((ANY_SPEED, 0, ""), *([(SLOW, 0, link.slow)] if link.slow else []),
                                (ALL_FIT, FITTING, "")):
        program = Counted(name, optimise, link, entries, knobs + more)
        program.build()
        costs = program.run()
        found += wrong(program, costs)
        rows.append(row(f"{name} {optimise} {what}", program, costs, shipped))
        summary.add(program, costs)
        slower[what] = costs.total / shipped - 1
        summary.ours.setdefault(what, []).append(1 + slower[what])
        if what == ANY_SPEED:
            summary.samples.append(mean(costs.sample))
    summary.times[f"{name} {optimise}"] = (slower[SLOW if link.slow else ANY_SPEED] /
                                           slower[ALL_FIT])
    table = Counted(name, optimise, link, 0, knobs, table=True)
    table.build()
    costs = table.run()
    calls, size = map(int, re.search(r"table: (\d+) calls, (\d+) bytes", table.console).groups())
    if calls != costs.count:
        found.append(f"{table.elf}: {calls} calls in the table, of {costs.count}")
    rows.append(row(f"{name} {optimise} table, {size} B", table, costs, shipped))
    summary.tables.append(costs.total / shipped)
    return found


def masks(name, optimise, link, knobs):
    """Yields how long interrupts are masked while calls are timed, and by which function."""
    for what, more in (ANY_SPEED, ""), *([(SLOW, link.slow)] if link.slow else []):
        program = Timed(name, optimise, link, 0, knobs + more)
        program.build()
        costs = program.run()
        yield (f"{name} {optimise} {what}", costs.masked[0],
               program.facts.functions.names[costs.masked[1]])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("programs", nargs="*", default=PROGRAMS)
    parser.add_argument("-O", "--optimise", action="append")
    parser.add_argument("-l", "--link", choices=LINKS, default="bytes")
    parser.add_argument("-k", "--knobs", default="")
    parser.add_argument("-t", "--timed", action="store_true",
                        help="time calls, and measure for how long interrupts are masked")
    chosen = parser.parse_args()
    rows, found, summary = [], [], Summary()
    for optimise in chosen.optimise or ["-Os", "-O2"]:
        for name in chosen.programs:
            if chosen.timed:
                rows += masks(name, optimise, LINKS[chosen.link], chosen.knobs)
                continue
            found += measure(name, optimise, LINKS[chosen.link], chosen.knobs, summary, rows)
    if chosen.timed:
        table(("program, line", "masked at most, timed", "by"), rows)
        return 0
    table(HEADINGS, rows)
    table(("cycles", "must", "aim", "ours"), summary.rows())
    for line in found[:20]:
        print(f"NOT EXACT: {line}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
