# SPDX-License-Identifier: MIT
"""Compares RISC-V, AVR and SPARC programs with the gprof of each."""
import unittest

from commands import SHORT, split
from judge import cases

Riscv = cases("riscv", SHORT, seed=30)
RiscvO2 = cases("riscv-O2", SHORT, seed=31)
RiscvPlain = cases("riscv-plain", SHORT, seed=32)
Avr = cases("avr", SHORT, seed=33)
AvrPlain = cases("avr-plain", SHORT, seed=34)
Sparc = cases("sparc", SHORT, seed=35)
SparcPlain = cases("sparc-plain", SHORT, seed=36)
Sparc64 = cases("sparc64", SHORT, seed=37)
# GNU gprof refuses these, see KNOWN in judge.py.
SparcBlocks = cases("sparc", split("""
    -l prog blocks.gmon
    -l -C prog blocks.gmon
    -A -x -l prog blocks.gmon
    -s prog blocks.gmon
    """), "sparc_blocks")

if __name__ == "__main__":
    unittest.main()
