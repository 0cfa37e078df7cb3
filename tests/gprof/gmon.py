# SPDX-License-Identifier: MIT
"""Writes gmon.out files of every format, with made-up content."""
import random
import struct


class Gmon:
    """A file of the magic format, made record by record."""

    def __init__(self, word, order, version=1):
        self.word, self.order = word, order
        self.data = b"gmon" + self.pack("I", version) + bytes(12)

    def pack(self, layout, *values):
        """Packs as struct.pack; W is a word of the image."""
        return struct.pack(self.order + layout.replace("W", "Q" if self.word == 8 else "I"),
                           *values)

    def histogram(self, low, high, bins, rate=100, dimension=b"seconds", abbreviation=b"s"):
        self.data += (b"\0" + self.pack("WWII15sc", low, high, len(bins), rate, dimension,
                                        abbreviation)
                      + self.pack(f"{len(bins)}H", *bins))
        return self

    def arc(self, caller, callee, count):
        self.data += b"\1" + self.pack("WWI", caller, callee, count)
        return self

    def arcs(self, arcs):
        for arc in arcs:
            self.arc(*arc)
        return self

    def blocks(self, blocks):
        self.data += b"\2" + self.pack("I", len(blocks))
        for address, count in blocks:
            self.data += self.pack("WW", address, count)
        return self


def bsd(word, order, low, high, bins, arcs, rate=None):
    """Makes a BSD file; if a rate is given, a 4.4BSD file."""
    letter = "Q" if word == 8 else "I"
    header = 2 * word + 4
    if rate is not None:
        header += 20
    elif word == 8:
        header = 20
    data = struct.pack(f"{order}{letter}{letter}I", low, high, header + 2 * len(bins))
    if rate is not None:
        data += struct.pack(order + "II", 0x51879, rate) + bytes(12)
    data += struct.pack(f"{order}{len(bins)}H", *bins)
    for arc in arcs:
        data += struct.pack(f"{order}3{letter}", *arc)
    return data


class Maker:
    """Makes profiles of one program; they are the same each time."""

    def __init__(self, elf, seed):
        self.elf = elf
        self.random = random.Random(seed)
        self.starts = sorted(set(elf.functions.values()))

    def new(self, version=1):
        return Gmon(self.elf.word, self.elf.order, version)

    def inside(self, start):
        """Returns an address in the function that starts there."""
        later = [other for other in self.starts if other > start]
        end = later[0] if later else self.elf.code_high
        return self.random.randrange(start, max(end, start + 1))

    def named(self, caller, callee, count):
        functions = self.elf.functions
        return self.inside(functions[caller]), functions[callee], count

    def program_arcs(self):
        """Returns the calls of start.c, with cycles, a self-call and an unknown caller."""
        calls = [
            ("_start", "main", 1), ("main", "alpha", 10), ("main", "beta", 10),
            ("main", "gamma_", 10), ("main", "self", 10), ("main", "ping", 7),
            ("self", "self", 45), ("self", "delta", 10), ("ping", "pong", 30),
            ("pong", "ping", 25), ("pong", "beta", 4), ("ping", "alpha", 3),
            ("main", "red", 1), ("red", "red", 3), ("red", "green", 12), ("green", "blue", 9),
            ("blue", "red", 5), ("blue", "green", 6), ("green", "maybe", 3),
            ("main", "maybe", 1), ("blue", "delta", 2), ("red", "gamma_", 12),
            ("beta", "alpha", 14), ("main", "elsewhere", 2), ("elsewhere", "delta", 2),
            ("main", "from_cxx", 1), ("from_cxx", "delta", 1),
            ("typed_label", "tail", 4), ("main", "typed_label", 5),
        ]
        arcs = [self.named(*call) for call in calls]
        arcs.append((0, self.elf.functions["main"], 1))
        arcs.append((self.elf.low + 1, self.elf.code_high + 0x1000, 5))
        return arcs

    def random_arcs(self, count, most=1000):
        def callee():
            start = self.random.choice(self.starts)
            return start if self.random.random() < 0.9 else self.inside(start)

        return [(self.inside(self.random.choice(self.starts)), callee(),
                 self.random.choice((0, 1, 2, 7, self.random.randrange(most))))
                for _ in range(count)]

    def bins(self, count, most=50, share=0.5):
        return [self.random.randrange(most) if self.random.random() < share else 0
                for _ in range(count)]

    def random_blocks(self, count, most=3000):
        return [(self.inside(self.random.choice(self.starts)), self.random.randrange(most))
                for _ in range(count)]


def span(elf, per_bin, low=None, high=None):
    """Returns (low, high, number of bins) of whole bins over the code."""
    low = elf.low if low is None else low
    high = elf.code_high if high is None else high
    bins = max(1, -(-(high - low) // per_bin))
    return low, low + bins * per_bin, bins


def kinds(elf, seed):
    """Returns {name: bytes} of one program's profiles; files to be read together are name.1,
    name.2."""
    maker = Maker(elf, seed)
    files = {}

    def add(name, gmon):
        files[name] = gmon if isinstance(gmon, bytes) else gmon.data

    def with_bins(gmon, per_bin=4, most=50, share=0.5, **more):
        low, high, count = span(elf, per_bin)
        return gmon.histogram(low, high, maker.bins(count, most, share), **more)

    arcs = maker.program_arcs()
    low, high, count = span(elf, 4)
    half = count // 2
    blocks = maker.random_blocks(60)
    add("both", with_bins(maker.new()).arcs(arcs))
    add("rich", with_bins(maker.new()).arcs(arcs) if elf.order == ">" else
        with_bins(maker.new()).arcs(arcs).blocks(blocks))
    add("random", with_bins(maker.new(), 4, 200).arcs(maker.random_arcs(400)))
    add("ring", with_bins(maker.new()).arcs(
        [(caller, callee, 3) for caller, callee in
         zip(maker.starts, maker.starts[1:] + maker.starts[:1])]))
    add("samples", with_bins(maker.new()))
    add("uncalled", with_bins(maker.new()).arc(low, low, 0))
    add("nocall", with_bins(maker.new()).arc(elf.code_high + 64, elf.code_high + 128, 1))
    add("arcs", maker.new().arcs(arcs))
    add("zeros", maker.new().histogram(low, high, [0] * count).arcs(arcs))
    add("one", maker.new().histogram(low, high, [0] * (count - 1) + [1]).arcs(arcs))
    add("empty", maker.new())
    add("old", with_bins(maker.new(version=0)).arcs(arcs))
    add("straddle", with_bins(maker.new(), 64).arcs(arcs))
    add("crooked", maker.new().histogram(
        low, low + 7 * half + 5, maker.bins(half)).arcs(arcs))
    add("bytes", with_bins(maker.new(), 1).arcs(arcs))
    add("threes", with_bins(maker.new(), 3).arcs(arcs))
    add("shifted", maker.new().histogram(low - 6, high + 10, maker.bins(count + 4)).arcs(arcs))
    middle = low + 4 * half
    add("several", maker.new().histogram(low, middle, maker.bins(half))
        .histogram(middle, high, maker.bins(count - half)).arcs(arcs)
        .histogram(low, middle, maker.bins(half)))
    add("gap", maker.new().histogram(low, middle - 40, maker.bins(half - 10))
        .histogram(middle, high, maker.bins(count - half)).arcs(arcs))
    add("huge", with_bins(maker.new(), most=65536).arcs(
        [(caller, callee, 0xfffffff0 + i % 15) for i, (caller, callee, _) in enumerate(arcs)]))
    add("tied", maker.new().histogram(low, high, [1] * count).arcs(
        [(caller, callee, 5) for caller, callee, _ in arcs]))
    add("nocalls", maker.new().histogram(low, high, maker.bins(count)).arcs(
        [(caller, callee, 0) for caller, callee, _ in arcs]))
    for name, rate in (("rate1", 1), ("rate1000", 1000), ("rate1e6", 1000000),
                       ("rate30000", 30000)):
        add(name, with_bins(maker.new(), share=0.1, rate=rate).arcs(arcs))
    add("cycles", with_bins(maker.new(), rate=64000000, dimension=b"cycles",
                            abbreviation=b"c").arcs(arcs))
    add("long", with_bins(maker.new(), dimension=b"fifteen letters", abbreviation=b"%")
        .arcs(arcs))
    add("blocks", maker.new().blocks(blocks))
    add("zeroblocks", maker.new().blocks([]).blocks([(elf.low, 0)]))
    add("bsd", bsd(elf.word, elf.order, low, high, maker.bins(count), arcs))
    add("bsd44", bsd(elf.word, elf.order, low, high, maker.bins(count), arcs, rate=128))
    add("bsdpart", bsd(elf.word, elf.order, low, high, maker.bins(count), arcs) + b"\1\2\3")
    return files


def turned_blocks(data):
    """Returns a big-endian profile that begins with basic blocks, with their number in the other
    byte order."""
    at = 21  # behind the header and the tag
    return data[:at] + data[at:at + 4][::-1] + data[at + 4:]


def linked(elf, seed):
    """Returns {name: bytes} of profiles of any program. Samples are everywhere but in the last
    function, whose end GNU gprof reads beyond its table."""
    maker = Maker(elf, seed)
    files = {}
    for name, per_bin, arcs in (("gmon", 4, 400), ("coarse", 64, 150), ("more", 4, 20)):
        low, high, count = span(elf, per_bin, high=maker.starts[-1] & -4)
        made = maker.new().histogram(low, high, maker.bins(count, 40, 0.3))
        made.arcs(maker.random_arcs(arcs))
        if elf.order == "<":
            made.blocks(maker.random_blocks(200))
        files[name] = made.data
    low, high, count = span(elf, 4, high=maker.starts[-1] & -4)
    files["bsd"] = bsd(elf.word, elf.order, low, high, maker.bins(count), maker.random_arcs(99))
    return files
