# SPDX-License-Identifier: MIT
"""Captures of timed calls made by hand, in the records that docs/wire.md describes."""

HELLO, ARC, CALL, TOTALS, END = 0, 2, 4, 5, 7
FIRST, TIME, CALLS = 8, 12, 8


class Stream:
    """The bytes of a capture, from power-on; addresses are in half-words from 0."""

    def __init__(self, hz=0, period=0):
        self.bytes = b""
        self.sum = self.calls = 0
        ring = 9 << 18  # of 256 bytes
        flags = 64 << 24  # timed calls
        self.words(HELLO, FIRST | 1, hz, period, 0, 1 | 1 << 4 | ring | flags)

    def record(self, kind, parameters, groups):
        start = 0x80 | kind << 4 | parameters
        check = start
        for group in groups:
            check = (3 * check + group) % 2**32
        self.bytes += bytes([start, *groups, check % 127])
        self.sum = (self.sum + check) % 2**32

    def words(self, kind, parameters, *words):
        self.record(kind, parameters, [g for word in words for g in groups_of(word, 5)])

    def time(self, hz, inside, outside, other, run):
        self.words(HELLO, TIME | 1, hz, inside, outside, other, run)

    def call(self, site, callee, count, total, self_ticks, shortest, longest):
        self.record(CALL, 12 | 3, [g for value in (site // 2, callee // 2, count, total,
                                                   self_ticks, shortest, longest)
                                   for g in groups_of(value, 5)])
        self.calls += count

    def end(self, lost=0):
        self.words(TOTALS, CALLS, self.calls, lost, self.sum)
        self.words(END, 0, self.sum)

    def write(self, path):
        with open(path, "wb") as out:
            out.write(self.bytes)


def groups_of(value, count):
    return [value >> 7 * i & 127 for i in range(count)]
