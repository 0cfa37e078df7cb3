# SPDX-License-Identifier: MIT
"""Captures made by hand, in the records that docs/wire.md describes."""

HELLO, SAMPLE, ARC, CALL, TOTALS, TASK, END = 0, 1, 2, 4, 5, 6, 7
FIRST, TIME, CALLS, VERSION = 8, 12, 8, 2
SAMPLES, TIMES_CALLS, TELLS_TASKS = 4, 64, 128  # flags
STOPPED, CHECK, FLUSHED, NODE, PATH = 0, 1, 2, 4, 8  # parameters of END
WHOLE, INTERRUPTED, CUT, UNSURE = range(4)  # roots of paths


class Stream:
    """The bytes of a capture, from power-on; addresses are in half-words from 0."""

    def __init__(self, hz=0, period=0, flags=TIMES_CALLS, depth=0):
        self.bytes = b""
        self.hash = self.calls = self.samples = 0
        self.ended = False
        ring = 9 << 18  # of 256 bytes
        self.words(HELLO, FIRST | VERSION, hz, period, 0,
                   1 | 1 << 4 | depth << 13 | ring | flags << 24)

    def record(self, kind, parameters, groups):
        start = 0x80 | kind << 4 | parameters
        check = start
        for group in groups:
            check = (3 * check + group) % 2**32
        record = bytes([start, *groups, check % 127])
        self.bytes += record
        self.hash = 0 if start & 0xF0 == 0xD0 or start & 0xFC == 0xF0 else self.hash
        for byte in record:
            self.hash = (257 * self.hash + byte) % 2**32

    def words(self, kind, parameters, *words):
        self.record(kind, parameters, [g for word in words for g in groups_of(word, 5)])

    def time(self, hz, inside, outside, other, run):
        self.words(HELLO, TIME | VERSION, hz, inside, outside, other, run)

    def call(self, site, callee, count, total, self_ticks, shortest, longest):
        self.record(CALL, 12 | 3, [g for value in (site // 2, callee // 2, count, total,
                                                   self_ticks, shortest, longest)
                                   for g in groups_of(value, 5)])
        self.calls += count

    def sample(self, address, count):
        self.record(SAMPLE, 12 | 3, [*groups_of(address // 2, 5), *groups_of(count, 5)])

    def node(self, number, parent, address):
        """Of a path: the return address, and the node that leads to it."""
        self.record(END, NODE, [*groups_of(number, 2), *groups_of(parent, 2),
                                *groups_of(address // 2, 2)])

    def path(self, node, address, count):
        self.record(END, PATH | 1, [*groups_of(node, 2), *groups_of(address // 2, 2),
                                    *groups_of(count, 2)])
        self.samples += count

    def task(self, number, name=""):
        """Without a name, what follows is of that task."""
        self.record(TASK, len(name), [*groups_of(number, 2), *name.encode("ascii")])

    def end(self, lost=0, totals=True):
        if totals:
            self.words(TOTALS, CALLS, self.calls, lost, self.hash)
        self.words(END, STOPPED, self.hash)
        self.ended = True

    def totals(self):
        self.words(TOTALS, 1, self.samples, 0, self.hash)

    def check(self):
        self.words(END, CHECK, self.hash)

    def write(self, path):
        """Its last block is closed, so that all of it counts."""
        if not self.ended:
            self.check()
        with open(path, "wb") as out:
            out.write(self.bytes)


def groups_of(value, count):
    return [value >> 7 * i & 127 for i in range(count)]
