# SPDX-License-Identifier: MIT
"""Every kind of gmon.out: 32 and 64 bits, both byte orders, one or several files."""
import unittest

from commands import BLOCKS, KINDS, SUMMED, on_profiles
from judge import cases

for seed, name in enumerate(("x86", "m3", "sparc", "sparc64"), 40):
    little = "sparc" not in name
    made = cases(name, on_profiles(KINDS + (BLOCKS if little else [])) + SUMMED, seed=seed,
                 empty=True)
    globals()[made.__name__] = made
del made

if __name__ == "__main__":
    unittest.main()
