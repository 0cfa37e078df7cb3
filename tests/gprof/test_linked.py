# SPDX-License-Identifier: MIT
"""Programs linked with C libraries, for a device or the PC: every debug format that they mix,
with random samples, calls and basic blocks."""
import unittest

import linked
from commands import LINKED, SHORT, STATIC
from judge import cases

for seed, name in enumerate(linked.LINKED, 60):
    mips = name.startswith("mips")
    made = cases(name, SHORT + STATIC if mips else LINKED, seed=seed, empty=True)
    globals()[made.__name__] = made
del made

if __name__ == "__main__":
    unittest.main()
