# SPDX-License-Identifier: MIT
"""RISC-V beyond the board's defaults: other sets of instructions, 16 registers, a direct trap."""
import glob
import os
import subprocess
import tempfile
import unittest

from firmware import Run
from truth import truth

KNOBS = "-DBOARD_COUNT_SAMPLES -DMCUPROF_RING_BYTES=4096 "
BOARD = {"mcuprof_link_start", "mcuprof_link_isr", "mcuprof_timer_start",
         "mcuprof_timer_set", "mcuprof_timer_stop", "mcuprof_may_wait"}


class RiscV(unittest.TestCase):
    def check(self, knobs="", variables=()):
        run = Run("virt", "truth", KNOBS + knobs, variables=variables)
        info = run.info()
        expected = truth("virt", run.said("rounds"))
        self.assertEqual(run.said("failures"), 0)
        self.assertEqual(run.calls(), expected)
        self.assertEqual(info["arcs"], {"received": sum(expected.values()), "lost": 0})
        self.assertEqual(info["samples"], {"received": run.said("samples"), "lost": 0})
        self.assertGreater(run.said("samples"), 20)

    def test_instruction_sets(self):
        for cpu, entries in (("rv32imc", 8), ("rv32im", 0), ("rv32i", 1), ("rv32ic", 1024)):
            with self.subTest(cpu=cpu):
                self.check(f"-DMCUPROF_ENTRIES={entries}", [f"BOARD_CPU={cpu}"])

    def test_16_registers(self):
        """The assembler and the compiler refuse other registers, which the emulator would not."""
        for cpu in ("rv32emac", "rv32ec"):
            for entries in (0, 8):
                with self.subTest(cpu=cpu, entries=entries):
                    self.check(f"-DMCUPROF_ENTRIES={entries} -DMCUPROF_SAMPLE_HZ=5000",
                               [f"BOARD_CPU={cpu}"])

    def test_direct_trap(self):
        self.check("-DBOARD_DIRECT_TRAP")

    def test_needs_no_library(self):
        """The code needs no memcpy() and, if the processor multiplies, no libgcc."""
        with tempfile.TemporaryDirectory() as folder:
            for cpu, abi in (("rv32imac", "ilp32"), ("rv32emc", "ilp32e")):
                linked = os.path.join(folder, cpu)
                subprocess.run(
                    ["riscv64-unknown-elf-gcc", f"-march={cpu}", f"-mabi={abi}", "-Os",
                     "-ffreestanding", "-nostdlib", "-r", "-Itarget/include", "-Itarget/core",
                     "-Itarget/arch/riscv", "-Iwire", "-DMCUPROF_TIMER_HZ=10000000",
                     "-DMCUPROF_BLOCKS=1", "-DMCUPROF_WAIT=1", "-o", linked,
                     *glob.glob("target/core/*.c"), *glob.glob("target/arch/riscv/*.S")],
                    check=True, timeout=180)
                listed = subprocess.run(["riscv64-unknown-elf-nm", "-u", linked], text=True,
                                        capture_output=True, check=True).stdout
                wanted = {line.split()[-1] for line in listed.splitlines()}
                self.assertEqual(wanted, BOARD | {"__mcuprof_base", "__mcuprof_build_id", "__stack_top"})


if __name__ == "__main__":
    unittest.main()
