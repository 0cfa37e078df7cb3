# SPDX-License-Identifier: MIT
"""Tests how bench/timed.c follows calls, with a log made by hand."""
import os
import subprocess
import sys
import tempfile
import unittest

sys.path[:0] = ["bench", "tests/real"]
import real  # noqa: E402

# A program calls an interpreter, which calls a library's function for switches, and, in front of a
# case, itself.
FACTS = """machine arm-m 0 44
f 0 10 3 main
f 10 20 0 program
f 20 40 1 interpret
f 40 44 2 switch
t 2 4 c 10 1
t 12 4 c 20 1
t 18 2 r 0 1
t 22 4 c 40 1
t 28 4 c 20 1
t 2e 2 r 0 1
t 42 2 r 0 1
"""
PLACES = """p 0 20 0
p 20 40 1
p 40 44 2
t 0
"""
CASE = 0x2C  # where the interpreter's call of itself returns to, too
CALLED = [0x20, 0x22, 0x40, 0x42]
RAN = [0x2, 0x10, 0x12, *CALLED, 0x28, *CALLED, CASE, 0x2E, CASE, 0x2E, 0x16, 0x18, 0x6]


class Follow(unittest.TestCase):
    def follow(self, addresses):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in (("facts", FACTS), ("places", PLACES)):
                with open(os.path.join(folder, name), "w", encoding="ascii") as out:
                    out.write(text)
            log = "".join(f"Trace 0: 0x7f [00000000/{at:08x}/00000000/0]\n" for at in addresses)
            done = subprocess.run([real.follower("timed"), f"{folder}/facts", f"{folder}/places"],
                                  input=log, stdout=subprocess.PIPE, text=True, check=True)
        return [tuple(map(int, line.split()[1:])) for line in done.stdout.splitlines()
                if line.startswith("i")]

    def test_a_case_is_no_return(self):
        """The inner call goes on at a case; the outer one's call returns there."""
        counts = {(node, place): count for node, place, count in self.follow(RAN)}
        self.assertEqual(sum(count for (_, place), count in counts.items() if place == 1), 9)
        inner = max(node for node, place in counts if place == 1)
        self.assertEqual(counts[inner, 1], 4)


if __name__ == "__main__":
    unittest.main()
