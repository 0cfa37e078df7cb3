# SPDX-License-Identifier: MIT
"""Programs of the PC with all sorts of debug information, and programs that really ran."""
import unittest

from commands import SHORT
from judge import cases

# An own profile for each.
for seed, name in enumerate(("x86-O2", "x86-O0", "x86-32", "x86-clang", "x86-dwarf4",
                             "x86-dwarf3", "x86-dwarf2", "x86-packed", "x86-g1",
                             "x86-sections"), 10):
    made = cases(name, SHORT, seed=seed)
    globals()[made.__name__] = made

# What GNU gprof refuses, see KNOWN in judge.py.
Refused = cases("x86-refused", [command for command in SHORT if "-l" in command], seed=20)

HOSTED = [command for command in SHORT if "prog" not in command and "map" not in command]
Hosted = cases("hosted", HOSTED)
HostedPie = cases("hosted-pie", HOSTED)
HostedPlain = cases("hosted-plain", HOSTED)
del made

if __name__ == "__main__":
    unittest.main()
