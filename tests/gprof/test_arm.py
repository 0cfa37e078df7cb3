# SPDX-License-Identifier: MIT
"""Compares ARM and Thumb firmware with arm-none-eabi-gprof."""
import unittest

from commands import ANALYSIS, ORDERS, OUTPUT, SHORT, SPECS
from judge import cases

Output = cases("m3", OUTPUT, "output")
Analysis = cases("m3", ANALYSIS, "analysis")
Orders = cases("m3", ORDERS, "orders")
Specs = cases("m3", SPECS, "specs")
M3O2 = cases("m3-O2", SHORT, seed=20)
M0 = cases("m0", SHORT, seed=21)
M0Plain = cases("m0-plain", SHORT, seed=22)
A32 = cases("a32", SHORT, seed=23)
A32Big = cases("a32-big", SHORT, seed=24)

if __name__ == "__main__":
    unittest.main()
