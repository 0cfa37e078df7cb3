# SPDX-License-Identifier: MIT
"""Compares programs of the PC with the PC's gprof, for every option."""
import unittest

from commands import (ANALYSIS, MISCELLANEOUS, NAMES, ORDERS, OUTPUT, SHORT, SOURCE, SPECS, STATIC,
                      filled)
from images import PROGRAMS
from judge import cases

Output = cases("x86", OUTPUT, "output")
Orders = cases("x86", ORDERS, "orders")
Source = cases("x86", filled(SOURCE, programs=PROGRAMS), "source")
Moved = cases("x86-moved", filled(SOURCE, programs=PROGRAMS), "moved")
Analysis = cases("x86", ANALYSIS, "analysis")
Static = cases("x86", STATIC, "static")
Static32 = cases("x86-32", STATIC, "static32")
StaticClang = cases("x86-clang", STATIC, "static_clang")
StaticPlain = cases("x86-plain", STATIC, "static_plain")
Specs = cases("x86", SPECS, "specs")
Names = cases("x86", NAMES, "names")
Miscellaneous = cases("x86", MISCELLANEOUS, "miscellaneous", empty=True)
Plain = cases("x86-plain", SHORT, "plain", seed=2)
PlainSource = cases("x86-plain", SOURCE[:6], "plain_source")

if __name__ == "__main__":
    unittest.main()
