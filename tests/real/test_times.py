# SPDX-License-Identifier: MIT
"""Times of real programs with few counters, so that most calls are sent, beside those of the same
program with counters for all."""
import sys
import unittest

sys.path.append("bench")
import timed  # noqa: E402


class Sent(unittest.TestCase):
    def program_ticks(self, name, entries):
        run = timed.Timed(name, timed.CPU, "-Os", f"-DMCUPROF_ENTRIES={entries}")
        run.build()
        run.record()
        model = run.model()
        times = model["timed_run"]
        return (times["run_ticks"] - times["profiler_ticks"], model["records"],
                model["events"]["calls"]["received"])

    def test_sent_calls(self):
        """What a call that is sent takes more is the profiler's: the program takes as long, but
        for a tick a record, and a tick a call, for its counter is at its second place oftener."""
        few, sent, calls = self.program_ticks("cjson", 8)
        many, kept, _ = self.program_ticks("cjson", 256)
        self.assertGreater(sent - kept, 5000)
        self.assertLess(abs(few - many), sent - kept + calls, (few, many, sent, kept))


if __name__ == "__main__":
    unittest.main()
