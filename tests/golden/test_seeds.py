# SPDX-License-Identifier: MIT
"""docs/seeds.md and bench/seeds.py, which makes its table, agree; no command is run here."""
import os
import re
import sys
import unittest

sys.path.insert(0, os.path.abspath("bench"))
import seeds  # noqa: E402

WAITS = "waits for "


class Seeds(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.lines = seeds.read()[1]

    def test_each_row_is_there(self):
        self.assertGreaterEqual(len(seeds.ROWS), 49)
        self.assertEqual([line.rsplit(" | ", 1)[0] for line in self.lines],
                         [seeds.line(row, "").rsplit(" | ", 1)[0] for row in seeds.ROWS],
                         "make seeds")

    def test_no_cell_is_empty(self):
        for row, line in zip(seeds.ROWS, self.lines):
            with self.subTest(line=line):
                cells = re.split(r"(?<!\\) ?\| ?", line.strip())[1:-1]
                self.assertEqual(len(cells), 4)
                self.assertTrue(all(cells))
                self.assertTrue(row.waits or row.command and row.found)
                self.assertEqual(cells[3] == seeds.waiting(row), bool(row.waits))
                self.assertNotIn("missed", cells[3])

    def test_what_commands_name_is_there(self):
        """Of rows that wait for nothing."""
        makefiles = ""
        for path in ("Makefile", "bench/bench.mk", "boards/firmware.mk"):
            with open(path, encoding="utf-8") as file:
                makefiles += file.read()
        for row in seeds.ROWS:
            if row.waits:
                continue
            with self.subTest(command=row.command):
                for module in re.findall(r"(?:golden|firmware|gprof)/test_\w+", row.command):
                    self.assertTrue(os.path.exists(f"tests/{module}.py"), module)
                for path in re.findall(r"(?:bench|examples|tests/data)/[\w/.-]+", row.command):
                    self.assertTrue(os.path.exists(path), path)
                for board, example in re.findall(r"BOARD=(\S+) EXAMPLE=(\w+)", row.command):
                    self.assertTrue(os.path.isdir(f"boards/{board}"), board)
                    self.assertTrue(os.path.isdir(f"examples/{example}") or
                                    os.path.isdir(f"tests/rigs/{example}"), example)
                for bench in re.findall(r"make bench-(\w+)", row.command):
                    self.assertRegex(makefiles, rf"BENCHES := .*\b{bench}\b|bench-{bench}:")


if __name__ == "__main__":
    unittest.main()
