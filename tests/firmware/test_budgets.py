# SPDX-License-Identifier: MIT
"""Profiling costs on the chip what bench/budgets.txt says. A change that costs or saves edits that
table (bench/budgets.py --write), so that its diff shows the price."""
import os
import sys
import unittest

sys.path.insert(0, "bench")
import budgets  # noqa: E402


@unittest.skipIf("CHECK_BOARD" in os.environ,
                 f"of another board than {os.environ.get('CHECK_BOARD')}")
class Budgets(unittest.TestCase):
    def test_cost_is_what_the_table_says(self):
        compiler, _ = budgets.read()
        self.assertEqual(budgets.compiler(), compiler, "another compiler makes other code: "
                         "look at the figures, then bench/budgets.py --write")
        self.assertEqual(budgets.differences(budgets.measured()), [])


if __name__ == "__main__":
    unittest.main()
