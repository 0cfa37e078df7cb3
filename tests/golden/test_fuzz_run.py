# SPDX-License-Identifier: MIT
"""`make fuzz` goes on after a finding, and tells of each. The fuzzers here are stand-ins: each
prints what libFuzzer prints, and ends as it does."""
import os
import re
import subprocess
import sys
import tempfile
import unittest

TARGETS = {
    "good": "echo stat::number_of_executed_units: 1234567",
    "leaks": "echo stat::number_of_executed_units: 5; exit 77",
    "slow": 'for word; do case $word in -artifact_prefix=*) touch "${word#*=}slow-unit-1";; '
            "esac; done; echo stat::number_of_executed_units: 6",
    "brief": "i=0; while [ $i -lt 50000 ]; do i=$((i + 1)); done; "
             "echo stat::number_of_executed_units: 7",
}


class FuzzRun(unittest.TestCase):
    def run_targets(self, *targets, seconds="0"):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in TARGETS.items():
                path = os.path.join(folder, name)
                with open(path, "w", encoding="ascii") as file:
                    file.write("#!/bin/sh\n" + text + "\n")
                os.chmod(path, 0o755)
            done = subprocess.run([sys.executable, "-B", "tests/fuzz/fuzz.py", folder,
                                   seconds, *targets], capture_output=True, text=True, check=False)
        return done.returncode, [line for line in done.stdout.splitlines()
                                 if line.startswith("fuzz: ")]

    def test_no_finding(self):
        self.assertEqual(self.run_targets("good"), (0, ["fuzz: good 1,234,567 inputs in 0 s"]))

    def test_findings(self):
        self.assertEqual(self.run_targets("leaks", "slow", "good"),
                         (1, ["fuzz: leaks 5 inputs in 0 s, FOUND 1",
                              "fuzz: slow 6 inputs in 0 s, FOUND 1",
                              "fuzz: good 1,234,567 inputs in 0 s"]))

    def test_seconds_are_the_processor_s(self):
        """A run that took less than asked for is followed by another."""
        status, (told,) = self.run_targets("brief", seconds="1")
        inputs, took = re.fullmatch(r"fuzz: brief (\d+) inputs in (\d+) s", told).groups()
        self.assertEqual((status, int(inputs) % 7), (0, 0))
        self.assertGreater(int(inputs), 7)
        self.assertGreaterEqual(int(took), 1)


if __name__ == "__main__":
    unittest.main()
