# SPDX-License-Identifier: MIT
"""A profiled interrupt hits profiled code, and each has more call sites than there are counters:
while a record of one counter is made, the other's calls move counters. All counts are exact."""
import unittest

from firmware import Run


class Crowd(unittest.TestCase):
    def check(self, board, knobs):
        run = Run(board, "crowd", f"-DMCUPROF_LINK_MASKED=1 -DMCUPROF_PATHS=0 {knobs}")
        arcs = run.info()["arcs"]
        self.assertEqual(arcs["lost"], 0)
        calls = {}
        for (_, callee), count in run.calls().items():
            calls[callee] = calls.get(callee, 0) + count
        expected = {f"{who}_{number}": run.said(f"{who}_{number}")
                    for who in ("main", "tick") for number in range(16)}
        self.assertEqual({name: calls.get(name, 0) for name in expected}, expected)
        self.assertEqual(arcs["received"], sum(expected.values()))


def add(board, name, knobs):
    setattr(Crowd, f"test_{board}_{name}".replace("-", "_"),
            lambda self: self.check(board, knobs))


for each in "microbit", "mps2-an385", "mps2-an505":
    add(each, "few_counters", "-DMCUPROF_ENTRIES=8 -DMCUPROF_RING_BYTES=1024")
    add(each, "calls_alone", "-DMCUPROF_ENTRIES=16 -DMCUPROF_SAMPLES=0 -DMCUPROF_RING_BYTES=1024")


if __name__ == "__main__":
    unittest.main()
