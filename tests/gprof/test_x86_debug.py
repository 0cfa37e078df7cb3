# SPDX-License-Identifier: MIT
"""Compares programs of the PC with all kinds of debug information, and programs that really
ran."""
import unittest

import gmon
import images
from commands import SHORT, split
from judge import cases

# Each has its own profile.
for seed, name in enumerate(("x86-O2", "x86-O0", "x86-32", "x86-clang", "x86-dwarf4",
                             "x86-dwarf3", "x86-dwarf2", "x86-packed", "x86-g1",
                             "x86-sections"), 10):
    made = cases(name, SHORT, seed=seed)
    globals()[made.__name__] = made

# GNU gprof refuses these, see KNOWN in judge.py.
Refused = cases("x86-refused", [command for command in SHORT if "-l" in command], seed=20)

# mcuprof has more units than the other programs have.
Mcuprof = cases("mcuprof", split("""
    -p -q
    -l -p
    -l -q
    -C -l
    -A -l -x
    """), seed=21)


def random_profile(cls):
    elf = images.elf(cls.image)
    maker = gmon.Maker(elf, cls.seed)
    low, high, count = gmon.span(elf, 4)
    return {"gmon.out": maker.new().histogram(low, high, maker.bins(count))
            .arcs(maker.random_arcs(2000)).data}


Mcuprof.files = classmethod(random_profile)

HOSTED = [command for command in SHORT if "prog" not in command and "map" not in command]
Hosted = cases("hosted", HOSTED)
HostedPie = cases("hosted-pie", HOSTED)
HostedPlain = cases("hosted-plain", HOSTED)
del made

if __name__ == "__main__":
    unittest.main()
