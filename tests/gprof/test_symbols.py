# SPDX-License-Identifier: MIT
"""Symbol tables with random changes of types, bindings, sections, values and names. Linkers and
assemblers may write any of them, though none writes all."""
import random
import struct
import unittest

import gmon
import images
from commands import split
from judge import Judged, method_name

# STT_NOTYPE, OBJECT, FUNC, SECTION, FILE, COMMON, TLS, GNU_IFUNC, and a processor's own
TYPES = (0, 1, 2, 2, 2, 3, 4, 5, 5, 6, 10, 13, 15)
BINDS = (0, 1, 1, 2, 3, 10)  # STB_LOCAL, GLOBAL, WEAK, none, GNU_UNIQUE
ABSOLUTE, COMMON, RESERVED = 0xfff1, 0xfff2, 0xff00
OTHERS = (0, 1, 2, 3, 0x40, 0x60, 0x80)
SIZES = (0, 0, 1, 4, 100, 5000)
SOME = 0.15  # the share of the symbols, if one thing is changed
FEW = {"type": 0.05, "bind": 0.05, "section": 0.03, "value": 0.05, "name": 0.03,
       "other": 0.05, "size": 0.05}
KINDS = {**{kind: {kind: SOME} for kind in FEW}, "all": FEW}

COMMANDS = split("""
-p -q -z
-l -q -z
-C -z
-l -a -D -C -z
-a -D -z
-r
""")
PROGRAMS = ("m3-O2", "x86-moved", "newlib-nano", "picolibc", "avr-libc-dwarf", "mips-high", "mips-micro")


def changed(elf, seed, shares):
    """Returns the program's bytes with shares of its symbols changed."""
    chance = random.Random(seed)
    data = bytearray(elf.data)
    sections = elf.sections()
    table = next(part for part in sections if part["type"] == 2)
    code = [number for number, part in enumerate(sections) if part["flags"] & 4]
    places = code + [0, ABSOLUTE, COMMON, RESERVED, len(sections) + 3, len(sections) - 1]
    layout = elf.order + ("IBBHQQ" if elf.wide else "IIIBBH")
    keys = ("name", "info", "other", "section", "value", "size") if elf.wide else \
        ("name", "value", "size", "info", "other", "section")
    step = struct.calcsize(layout)
    new = {
        "type": lambda old: ("info", old["info"] & 0xf0 | chance.choice(TYPES)),
        "bind": lambda old: ("info", old["info"] & 15 | chance.choice(BINDS) << 4),
        "section": lambda old: ("section", chance.choice(places)),
        "value": lambda old: ("value", (old["value"] + chance.choice((1, -1, 2, -2, 4, 64, -64)))
                              % (1 << 8 * elf.word)),
        "name": lambda old: ("name", chance.randrange(sections[table["link"]]["size"])),
        "other": lambda old: ("other", chance.choice(OTHERS)),
        "size": lambda old: ("size", chance.choice(SIZES)),
    }
    for at in range(table["offset"] + step, table["offset"] + table["size"], step):
        symbol = dict(zip(keys, struct.unpack_from(layout, data, at)))
        for kind, share in shares.items():
            if chance.random() < share:
                key, value = new[kind](symbol)
                symbol[key] = value
        struct.pack_into(layout, data, at, *symbol.values())
    return bytes(data)


class Changed(Judged):
    @classmethod
    def files(cls):
        elf = images.elf(cls.image)
        files = {f"{kind}.elf": changed(elf, number, shares)
                 for number, (kind, shares) in enumerate(KINDS.items(), cls.seed)}
        maker = gmon.Maker(elf, cls.seed)
        # no samples in what may become the last symbol: see gmon.linked()
        low, high, count = gmon.span(elf, 4, high=maker.starts[-len(maker.starts) // 6] & -4)
        files["gmon.out"] = (maker.new().histogram(low, high, maker.bins(count, 40, 0.3))
                             .arcs(maker.random_arcs(400)).data)
        return files


def changed_cases(image, seed):
    def test(command):
        return lambda self: self.judge(["-b", *command, "gmon.out"])

    members = {"image": image, "seed": seed, "__module__": __name__}
    for number, command in enumerate([*options, f"{kind}.elf"] for kind in KINDS
                                     for options in COMMANDS):
        members[method_name(number, command)] = test(command)
    return type("Changed_" + image.replace("-", "_"), (Changed,), members)


for program_seed, program in enumerate(PROGRAMS, 100):
    made = changed_cases(program, program_seed)
    globals()[made.__name__] = made
del Changed, made

if __name__ == "__main__":
    unittest.main()
