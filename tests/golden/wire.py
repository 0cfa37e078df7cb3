# SPDX-License-Identifier: MIT
"""Captures made by hand, in the records that docs/wire.md describes."""

import os

HELLO, SAMPLE, ARC, CALL, TOTALS, TASK, END = 0, 1, 2, 4, 5, 6, 7
FIRST, TIME, CALLS, VERSION = 8, 12, 8, 2
SAMPLES, COUNTS_CALLS, TIMES_CALLS, TELLS_TASKS = 4, 8, 64, 128  # flags
STOPPED, CHECK, FLUSHED, STEPS, STATE, PATH_SAMPLE, PATH = 0, 1, 2, 4, 5, 8, 12  # those of END
WHOLE, INTERRUPTED, CUT, UNSURE = range(4)  # how paths end
RETURN, IRQ, READY, MARK, BEGIN, FINISH, NOTHING, LATER, VALUE, NAME = (  # steps
    0, 32, 114, 115, 116, 117, 118, 125, 126, 127)
FRAMES, PLACES, ANEW, DROP_MORE = 7, 64, 64, 7  # frames of a record; bits of its shape


class Stream:
    """The bytes of a capture, from power-on; addresses are in half-words from 0."""

    def __init__(self, hz=0, period=0, flags=TIMES_CALLS, depth=0, counters=0):
        self.bytes = b""
        self.hash = self.calls = self.samples = 0
        self.ended = False
        self.last, self.places = None, {}  # root and frames of the last path; addresses by place
        ring = 9 << 18  # a ring of 256 bytes
        self.first = hz, period, 0, (1 | 1 << 4 | ring | flags << 24 | (depth & 31) << 13
                                     | depth >> 5 << 6 | counters.bit_length() << 8)
        self.hello(FIRST)

    def record(self, kind, parameters, groups):
        start = 0x80 | kind << 4 | parameters
        check = start
        for group in groups:
            check = (3 * check + group) % 2**32
        record = bytes([start, *groups, check % 127])
        self.bytes += record
        if start & 0xF0 == 0xD0 or start & 0xFC == 0xF0:
            self.hash, self.last, self.places = 0, None, {}
        for byte in record:
            self.hash = (257 * self.hash + byte) % 2**32

    def words(self, kind, parameters, *words):
        self.record(kind, parameters, [g for word in words for g in groups_of(word, 5)])

    def hello(self, first=0):
        self.words(HELLO, first | VERSION, *self.first)

    def time(self, hz, inside, outside, other, run):
        self.words(HELLO, TIME | VERSION, hz, inside, outside, other, run)

    def state(self, hz, time, task=0, handlers=0, sent=0, lost=0):
        self.words(END, STATE, hz, time, handlers << 14 | task, sent, lost)

    def steps(self, *steps):
        """Writes steps of a timeline, (code, ticks) each, in records of 8."""
        steps = [*steps, *[(NOTHING, 0)] * (-len(steps) % 8)]
        for first in range(0, len(steps), 8):
            self.record(END, STEPS, [group for code, bits in steps[first:first + 8]
                                     for group in (code, *groups_of(bits, 2))])

    def call(self, site, callee, count, total, self_ticks, shortest, longest):
        self.record(CALL, 12 | 3, [g for value in (site // 2, callee // 2, count, total,
                                                   self_ticks, shortest, longest)
                                   for g in groups_of(value, 5)])
        self.calls += count

    def arc(self, site, callee, count):
        self.record(ARC, 12 | 3, [group for value in (site // 2, callee // 2, count)
                                  for group in groups_of(value, 5)])
        self.calls += count

    def sample(self, address, count):
        self.record(SAMPLE, 12 | 3, [*groups_of(address // 2, 5), *groups_of(count, 5)])

    def frame(self, address):
        """Returns the groups of a return address, or of its place."""
        value = address // 2
        place = value % PLACES
        if self.places.get(place) == address:
            return [place]
        self.places[place] = address
        if value < 1 << 12:
            return [64 | value & 31, value >> 5]
        bits, more = (96, 2) if value < 1 << 18 else (112, 4)
        return [bits | value & 15, *groups_of(value >> 4, more)]

    def shape(self, root, frames, more):
        """Returns the groups that describe a record's shape: how many frames of the last path it
        keeps, and that it adds `more`."""
        if self.last is None or self.last[0] != root or not frames:
            return [ANEW | root << 3 | more]
        drop = len(self.last[1]) - len(frames)
        return [min(drop, DROP_MORE) << 3 | more] + [drop] * (drop >= DROP_MORE)

    def path(self, root, frames, address, count=1):
        """Writes samples with their path, outermost frame first."""
        shared = 0
        if self.last is not None and self.last[0] == root:
            shared = len(os.path.commonprefix([self.last[1], frames]))
        while True:
            said, more = frames[:shared], frames[shared:shared + FRAMES]
            shared += len(more)
            groups = self.shape(root, said, len(more)) + [g for f in more
                                                          for g in self.frame(f)]
            self.last = root, said + more
            if shared == len(frames):
                break
            self.record(END, PATH, groups)
        self.record(END, PATH_SAMPLE, groups + groups_of(address // 2, 2))
        if count > 1:
            self.sample(address, count - 1)
        self.samples += count

    def task(self, number, name=""):
        """Names a task; without a name, says that the next events belong to this task."""
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
        """Writes the capture. Its last block is closed first, so that all of it counts."""
        if not self.ended:
            self.check()
        with open(path, "wb") as out:
            out.write(self.bytes)


def groups_of(value, count):
    return [value >> 7 * i & 127 for i in range(count)]
