# SPDX-License-Identifier: MIT
"""Runs one test module as `python3 -m unittest -v` does, and writes the outcome of its tests to a
file, for run.py.

python3 tests/module.py NAME FILE"""
import collections
import json
import sys
import unittest


class Result(unittest.TextTestResult):
    """Counts tests that passed as a whole and, of each test, the subtests that passed."""

    def __init__(self, *arguments, **named):
        super().__init__(*arguments, **named)
        self.whole = 0
        self.parts = collections.Counter()

    def addSuccess(self, test):
        super().addSuccess(test)
        self.whole += 1

    def addSubTest(self, test, subtest, error):
        super().addSubTest(test, subtest, error)
        self.parts[test.id()] += error is None

    def told(self):
        """Returns the tests that passed and those that did not; and for each test that was skipped
        as a whole or in part, the reasons, and whether a subtest of it passed and none failed."""
        bad = self.failures + self.errors
        reasons = collections.defaultdict(list)
        for test, reason in self.skipped:
            reasons[name_of(test)].append(reason)
        names = {name_of(test) for test, _ in bad}
        return {"passed": self.whole + len(self.expectedFailures),
                "failed": len(bad) + len(self.unexpectedSuccesses),
                "skipped": [(why, self.parts[name] > 0 and name not in names)
                            for name, why in reasons.items()]}


def name_of(test):
    return getattr(test, "test_case", test).id()


def main(name, path):
    sys.path[0] = ""  # as unittest does
    sys.argv = ["python3 -m unittest", "-v", name]
    runner = unittest.TextTestRunner(verbosity=2, resultclass=Result)
    ran = unittest.main(module=None, argv=sys.argv, testRunner=runner, exit=False)
    with open(path, "w", encoding="utf-8") as file:
        json.dump(ran.result.told(), file)
    return 0 if ran.result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
