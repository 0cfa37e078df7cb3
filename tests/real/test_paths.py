# SPDX-License-Identifier: MIT
"""Compares the paths of samples in programs that others wrote with those that the emulator's log
shows for each sampling interrupt. bench/paths.py has more programs, boards and levels."""
import collections
import unittest

import real


class Paths(unittest.TestCase):
    def check(self, name, board, rounds, cpu=None, hz=4000, optimise="-Os", right=None):
        """right: the share of paths that must be whole and right, with none wrong."""
        program = real.Program(name, board, cpu, optimise, f"-DMCUPROF_SAMPLE_HZ={hz}",
                               (f"REAL_ROUNDS={rounds}",))
        program.build()
        truth = program.run()
        result = real.compare(program, truth)
        self.assertGreater(result.true, 500)
        if right is None:
            self.assert_right(program, truth, result)
            return
        self.assertEqual((result.wrong, truth.odd["skipped"]), (0, 0), result.examples)
        self.assertGreaterEqual(result.right, right * result.true)

    def assert_right(self, program, truth, result):
        self.assertEqual(real.missed(program, truth, result), [],
                         "\n".join(result.examples[:20]))

    def check_through(self, name, board, rounds, cpu=None, optimise="-Os"):
        """Checks paths that go on through nested interrupts, or end at the handlers."""
        program = real.Program(
            name, board, cpu, optimise, "-DMCUPROF_SAMPLE_HZ=4000 -DREAL_TICK_US=100 "
            "-DMCUPROF_PATHS=62", (f"REAL_ROUNDS={rounds}",), through=True)
        program.build()
        truth = program.run()
        hits = collections.Counter()
        for (_, backs, _), count in truth.samples.items():
            hits[sum(back & 1 for back in backs)] += count
        self.assertGreater(hits[1], 100)
        self.assertGreater(hits[2], 20)
        for through in (True, False):
            self.assert_right(program, truth, real.compare(program, truth, through))

    def check_none_wrong(self, name, board, rounds, optimise):
        program = real.Program(name, board, None, optimise, "-DMCUPROF_SAMPLE_HZ=4000",
                               (f"REAL_ROUNDS={rounds}",))
        program.build()
        truth = program.run()
        result = real.compare(program, truth)
        self.assertGreater(result.true, 500)
        self.assert_right(program, truth, result)
        self.assertEqual(result.wrong, 0, "\n".join(result.examples[:20]))

    def test_lua_cortex_m0(self):
        self.check("lua", "mps2-an385", 8, "cortex-m0")

    def test_without_debug_information(self):
        """An interpreter whose switches, by libgcc's functions, and far jumps are found in its code
        alone."""
        self.check("mujs", "mps2-an385", 1, "cortex-m0", optimise="-Os -g0", right=0.998)

    def test_arrays_of_variable_length_without_debug_information(self):
        self.check("opus", "mps2-an385", 5, "cortex-m0", optimise="-Os -g0", right=0.995)

    def test_zlib_cortex_m0(self):
        self.check("zlib", "mps2-an385", 5, "cortex-m0")

    def test_cpp_cortex_m0(self):
        self.check("cpp", "microbit", 60)

    def test_cpp_v8m(self):
        self.check("cpp", "mps2-an505", 60, optimise="-O2")

    def test_cpp_a32(self):
        self.check("cpp", "versatilepb", 60)

    # Frames whose size no return address fixes.

    def test_arrays_cortex_m0(self):
        self.check_none_wrong("arrays", "microbit", 200, "-Os")

    def test_arrays_cortex_m3(self):
        self.check_none_wrong("arrays", "mps2-an385", 300, "-O2")

    def test_arrays_a32(self):
        self.check_none_wrong("arrays", "versatilepb", 200, "-Os")

    def test_arrays_riscv(self):
        self.check_none_wrong("arrays", "virt", 300, "-O2")

    # Return addresses in RAM and in flash with the same low bits.

    def test_ramcode_cortex_m0(self):
        self.check_none_wrong("ramcode", "microbit", 1200, "-Os")

    def test_ramcode_cortex_m3(self):
        self.check_none_wrong("ramcode", "mps2-an385", 2400, "-O2")

    def test_ramcode_riscv(self):
        self.check_none_wrong("ramcode", "virt", 2400, "-O2")

    def test_through_interrupts_arrays(self):
        self.check_through("arrays", "mps2-an385", 300, "cortex-m0")

    def test_through_interrupts_cortex_m0(self):
        self.check_through("mbedtls", "mps2-an385", 1, "cortex-m0")

    def test_through_interrupts_fpu(self):
        self.check_through("zlib", "mps2-an386", 15, optimise="-O2")

    def test_through_interrupts_v8m(self):
        self.check_through("kissfft", "mps2-an505", 9)

    def test_zlib_riscv(self):
        self.check("zlib", "virt", 5)

    def test_kissfft_avr(self):
        self.check("kissfft", "atmega1284p", 1, hz=1000)

    def test_cjson_avr_three_bytes(self):
        self.check("cjson", "mega2560", 15, hz=1000)
