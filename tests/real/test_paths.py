# SPDX-License-Identifier: MIT
"""The paths of samples in programs that others wrote, against what the emulator's log says of
each sampling interrupt. bench/paths.py has more programs, boards and levels."""
import unittest

import real


class Paths(unittest.TestCase):
    def check(self, name, board, rounds, cpu=None, hz=4000):
        program = real.Program(name, board, cpu, knobs=f"-DMCUPROF_SAMPLE_HZ={hz}",
                               variables=(f"REAL_ROUNDS={rounds}",))
        program.build()
        truth = program.run()
        result = real.compare(program, truth)
        self.assertGreater(result.true, 500)
        self.assertEqual(real.missed(program, truth, result), [],
                         "\n".join(result.examples[:20]))

    def test_lua_cortex_m0(self):
        self.check("lua", "mps2-an385", 8, "cortex-m0")

    def test_zlib_cortex_m0(self):
        self.check("zlib", "mps2-an385", 5, "cortex-m0")

    def test_zlib_riscv(self):
        self.check("zlib", "virt", 5)

    def test_kissfft_avr(self):
        self.check("kissfft", "atmega1284p", 1, hz=1000)

    def test_cjson_avr_three_bytes(self):
        self.check("cjson", "mega2560", 15, hz=1000)
