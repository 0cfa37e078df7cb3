# SPDX-License-Identifier: MIT
"""Each path through the hook preserves the program's registers, and sampling finds the interrupted
program counter on whichever stack it is."""
import math
import unittest

from firmware import BOARDS, CORTEX_M, Run

# the ring stays full for a while
SLOW = "-DBOARD_COUNT_SAMPLES -DMCUPROF_RING_BYTES=64 -DBOARD_LINK_CYCLES=50000 "
FAST = "-DBOARD_COUNT_SAMPLES "


class Registers(unittest.TestCase):
    def check(self, knobs, optimise="-Os", boards=CORTEX_M):
        for board in boards:
            with self.subTest(board=board):
                run = Run(board, "abi", knobs, optimise)
                self.assertEqual(run.said("failures"), 0, run.console)
                self.assertGreater(run.said("calls"), 20000)
                self.assertEqual(run.said("fpu"), int(BOARDS[board].fpu))

    def test_cache(self):
        self.check(SLOW + "-DMCUPROF_ENTRIES=8")

    def test_large_cache(self):
        self.check(FAST + "-DMCUPROF_ENTRIES=128 -DMCUPROF_RING_BYTES=1024")

    def test_no_cache(self):
        self.check(FAST + "-DMCUPROF_ENTRIES=0 -DMCUPROF_SAMPLES=0")

    def test_waiting(self):
        self.check(FAST + "-DMCUPROF_ENTRIES=1 -DMCUPROF_RING_BYTES=64 -DMCUPROF_WAIT=1 "
                   "-DBOARD_LINK_CYCLES=100")

    def test_without_flags(self):
        self.check(SLOW + "-DMCUPROF_ENTRIES=2 -DMCUPROF_KEEP_FLAGS=0")

    def test_where_the_compiler_may_use_fp_registers(self):
        self.check(SLOW + "-DMCUPROF_ENTRIES=8",
                   "-O3 -mfloat-abi=softfp -mfpu=fpv4-sp-d16", ["mps2-an386"])


class HeldRegisters(unittest.TestCase):
    """On other ports, the hook and sampling preserve registers."""

    def test_registers(self):
        for board, *variables in (("versatilepb",), ("virt",), ("versatilepb", "BOARD_CPU=arm7tdmi",
                                  "BOARD_STATE=-mthumb"), ("virt", "BOARD_CPU=rv32emac")):
            for knobs in ("-DMCUPROF_ENTRIES=8", "-DMCUPROF_ENTRIES=0",
                          "-DMCUPROF_ENTRIES=1 -DBOARD_LINK_CYCLES=5000"):
                with self.subTest(board=board, variables=variables, knobs=knobs):
                    run = Run(board, "registers", knobs + " -DMCUPROF_SAMPLE_HZ=20000 "
                              "-DBOARD_COUNT_SAMPLES", variables=variables)
                    self.assertEqual(run.said("failures"), 0, run.console)
                    self.assertGreater(run.said("samples"), 500)
                    info = run.info()
                    self.assertEqual(sum(info["arcs"].values()), 4000)
                    self.assertEqual(sum(info["samples"].values()), run.said("samples"))


class Stacks(unittest.TestCase):
    def test_shares(self):
        for board in CORTEX_M:
            with self.subTest(board=board):
                run = Run(board, "stacks", "")
                functions = {f["name"]: f for f in run.model()["functions"]}
                self.assertEqual(run.said("fpu"), int(BOARDS[board].fpu))
                rounds = 1500
                burnt = {"on_process_stack": 4 * rounds, "with_fp_registers": 4 * rounds,
                         "in_ram": 2 * rounds, "called_from_ram": rounds,
                         "on_timer": run.said("interrupts")}
                total = sum(functions[name]["samples"] for name in burnt)
                received = run.info()["samples"]["received"]
                self.assertGreater(total, 1000)
                self.assertGreater(total, 0.97 * received)  # the rest is overhead
                for name, turns in burnt.items():
                    count, share = functions[name]["samples"], turns / sum(burnt.values())
                    self.assertLessEqual(abs(count - share * total), 3 * math.sqrt(count),
                                         f"{name}: {count} of {total}")
                self.assertEqual(functions["in_ram"]["address"] >> 28,
                                 3 if board == "mps2-an505" else 2)
                calls = run.calls()
                for caller, callee in (("program", "on_process_stack"),
                                       ("program", "with_fp_registers"),
                                       ("program", "in_ram"), ("program", "calls_out"),
                                       ("calls_out", "called_from_ram")):
                    self.assertEqual(calls[caller, callee], rounds)


class Unprivileged(unittest.TestCase):
    def test_sampling(self):
        """Sampling works as in privileged code: its interrupt, which flushes as well, is
        privileged."""
        shares = []
        for how in ("HOOKS=0",), ("HOOKS=0", "MORE_SOURCES=tests/scripts/unprivileged.c",
                                  "MORE_LDFLAGS=-Wl,--wrap=mcuprof_start"):
            run = Run("mps2-an385", "callers", "-DMCUPROF_ARCS=0 -DMCUPROF_SAMPLE_HZ=5000 "
                      "-DMCUPROF_FLUSH_MS=10", variables=how)
            info = run.info()
            self.assertEqual(info["samples"]["lost"], 0)
            self.assertGreater(info["samples"]["received"], 250)
            self.assertEqual(info["paths"]["whole"], info["samples"]["received"])
            totals = {f["name"]: f["total_seconds"] for f in run.model()["functions"]}
            shares.append(totals["fast"] / totals["main"])
        self.assertGreater(shares[0], 0.05)
        self.assertAlmostEqual(shares[0], shares[1], delta=3 * math.sqrt(2 * 0.1 * 0.9 / 250))


if __name__ == "__main__":
    unittest.main()
