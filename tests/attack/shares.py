# SPDX-License-Identifier: MIT
"""Compares the shares of functions that a capture is said to have, and the errors said of them,
with the shares of the instructions that the emulator's log has: those are of the time, because an
instruction takes the emulator's clock as long as any other."""
import collections
import math
import sys
import typing

sys.path[:0] = ["tests/real", "bench/truth"]
import measure  # noqa: E402
import real  # noqa: E402
import said  # noqa: E402

ERRORS_MOST = 2    # this many errors apart, a share holds
WITHIN = 93.0      # per cent of the shares must hold
FEW = 1000         # of fewer, less two standard errors of so many
WIDER_MOST = 0.02  # than chance alone, where every path is whole


class Shares:
    """How many shares were compared, and how many of them held: of totals, of those where paths
    are open (unsure or cut), and of self times. `wide`: errors that say more than chance, though
    nothing is open. `examples`: lines about those that did not hold."""
    KINDS = ("totals", "open totals", "selfs")

    def __init__(self):
        self.compared, self.held = collections.Counter(), collections.Counter()
        self.wide, self.examples = 0, []

    def add(self, other):
        self.compared += other.compared
        self.held += other.held
        self.wide += other.wide

    def within(self, kind):
        """Returns how many per cent held."""
        return 100 * self.held[kind] / max(1, self.compared[kind])

    def least(self, kind):
        """Returns how many must."""
        compared = self.compared[kind]
        return WITHIN - (200 * math.sqrt(0.05 * 0.95 / compared) if compared < FEW else 0)

    def says(self):
        return ", ".join(f"{self.within(kind):.1f} % of {self.compared[kind]:,} {kind}"
                         for kind in self.KINDS)

    def missed(self):
        """Returns a line for each bound that is not kept."""
        found = [f"{self.within(kind):.1f} % of {kind} are within {ERRORS_MOST} errors"
                 for kind in self.KINDS
                 if self.compared[kind] and self.within(kind) < self.least(kind)]
        return found + [f"errors of {self.wide} totals say more than chance, though no path is "
                        "open"] * (self.wide > 0)

    def compare(self, kinds, name, true, part, error, chance):
        """A share may be too low by its error, but too high by chance only."""
        held = (part - true) <= ERRORS_MOST * chance and (true - part) <= ERRORS_MOST * error
        for kind in kinds:
            self.compared[kind] += 1
            self.held[kind] += held
        if not held:
            self.examples.append(f"{kinds[0][:-1]} of {name}: said {part:.1f} ±{error:.1f} %, true "
                                 f"{true:.1f} %")


def true_shares(program, truth):
    """Returns {function: its own and its whole per cent of the instructions}, of functions that are
    no part of a handler, for the log does not say how long these took with what they called, nor
    of what started a task. Where the program has handlers of its own, their instructions count;
    all others are of what leads to the link's and to sampling."""
    everything = sum(truth.self.values())
    if program.through:
        everything += sum(truth.handlers.values())
    names = program.facts.functions.names
    own, whole = collections.Counter(), collections.Counter()
    for number, count in truth.self.items():
        own[names[number]] += 100 * count / everything
        whole[names[number]] += 100 * truth.inclusive[number] / everything
    left_out = {names[number] for number in truth.handlers} | above_task(program, truth)
    return {name: (own[name], whole[name]) for name in whole if name not in left_out}


def above_task(program, truth):
    """Returns the functions that started the task: its paths do not go on to them."""
    found = set()
    for pc, backs, _ in truth.samples:
        names = [program.facts.functions.names[number] for number in
                 program.facts.functions.on((pc, backs)) if number is not None]
        if real.TASK in names:
            found.update(names[names.index(real.TASK) + 1:])
    return found


class Row(typing.NamedTuple):
    """A function's true shares, those that are said and their errors, and that of its total by
    chance alone; all in per cent."""
    own: float
    whole: float
    said_own: float
    own_error: float
    said_whole: float
    whole_error: float
    chance: float


def rows(program, truth):
    """Returns {function: Row}."""
    program.truth, model = truth, program.model()
    functions = model["functions"]
    everything = sum(function["samples"] for function in functions)
    samples = sum(function["samples"] for function in functions if not function["overhead"])
    below = 100 * measure.NONE_BELOW / 2 / samples

    def chance(share):
        """A share is a part of the program's samples, and its error that of a part of all."""
        return measure.chance(share * samples / everything, everything) * everything / samples

    told = {program.facts.functions.called(name): each
            for name, each in said.from_json(model).items()}
    scaled = told if program.through else measure.without_handlers(program, told)
    found = {}
    for name, (own, whole) in true_shares(program, truth).items():
        each = scaled.get(name, said.Shares(0.0, None, 0.0))
        by = each.whole / told[name].whole if each.whole else 1
        found[name] = Row(own, whole, each.own, each.own_error or below, each.whole,
                          each.whole_error or below,
                          by * chance(told[name].whole) if each.whole else below)
    return found


def judge(program, truth, any_open):
    """Returns the Shares of a run; any_open: some paths are unsure or cut."""
    found = Shares()
    for name, row in rows(program, truth).items():
        if row.own >= measure.LEAST_SHARE:
            found.compare(["selfs"], name, row.own, row.said_own, *[row.own_error] * 2)
        if row.whole >= measure.LEAST_SHARE:
            found.compare(["totals"] + ["open totals"] * any_open, name, row.whole, row.said_whole,
                          row.whole_error, row.chance)
            if not any_open and abs(row.whole_error / row.chance - 1) > WIDER_MOST:
                found.wide += 1
                found.examples.append(f"error of {name}'s total: ±{row.whole_error:.2f} %, not "
                                      f"{row.chance:.2f}")
    return found
