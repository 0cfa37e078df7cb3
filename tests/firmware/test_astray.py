# SPDX-License-Identifier: MIT
"""The walk along the stack ends at a wrong return address, and shows no frame for it."""
import subprocess
import unittest

from firmware import Run

BOARDS = ["microbit", "mps2-an385", "mps2-an386"]


def addresses(elf):
    """Returns the address of each symbol."""
    lines = subprocess.run(["arm-none-eabi-nm", elf], check=True, capture_output=True,
                           text=True).stdout.splitlines()
    return {name: int(value, 16) & ~1 for value, _, name in map(str.split, lines)}


class Astray(unittest.TestCase):
    def test_no_frame_is_invented(self):
        for board in BOARDS:
            for knobs in "-DMCUPROF_ARCS=0", "-DMCUPROF_ARCS=0 -DMCUPROF_TASKS=2":
                with self.subTest(board=board, knobs=knobs):
                    self.check(Run(board, "astray", knobs, variables=("HOOKS=0",)))

    def check(self, run):
        self.assertGreater(run.said("threads"), 0)
        symbols = addresses(run.elf)
        inside = [stack for stack in run.model()["stacks"]
                  if symbols["work"] <= stack["addresses"][0] < symbols["go"]]
        self.assertGreater(sum(stack["count"] for stack in inside), 100)
        for stack in inside:  # for these stacks only work() and its caller thread() are known
            self.assertEqual((len(stack["addresses"]), stack["end"]), (2, "unsure"))


if __name__ == "__main__":
    unittest.main()
