# SPDX-License-Identifier: MIT
"""`info` and `report` say when the firmware has too few counters for the program's calls."""
import json
import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from elves import assemble, mcuprof  # noqa: E402
from wire import ARC, CALL, Stream, groups_of  # noqa: E402

CALLEE = 0x8100
ALONE = [(site, 1) for _ in range(10) for site in range(6)] + [(6, 40)]
SMALL = ("counters    60 % of calls were sent one by one, with 4 counters: MCUPROF_ENTRIES=8 would "
         "hold the 7 call sites that make 95 % of them\n")


def capture(path, kind, counters, records, runs=(), cut=False):
    """Writes a capture of ARC or CALL records, (call site, calls), and of runs of a task; cut:
    without its end."""
    stream = Stream(counters=counters, **({"flags": 8} if kind == ARC else {}))
    for number, count in records:
        site = 0x8004 + 4 * number
        if kind == CALL:
            stream.call(site, CALLEE, count, 10 * count, 10 * count, 10, 10)
        else:
            stream.record(ARC, 12 | (count > 1), [
                *groups_of(site // 2, 5), *groups_of(CALLEE // 2, 5),
                *(groups_of(count, 1) if count > 1 else ())])
    for count in runs:
        stream.call(0, 0, count, 10 * count, 10 * count, 10, 10)
    if not cut:
        stream.end(totals=kind == CALL)
    stream.write(path)


class Counters(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "run.mprof")
        self.elf = assemble(folder.name, 0x8000, [(0x8000, 0x100, "T", "main"),
                                                  (CALLEE, 0x100, "T", "callee")])

    def info(self, *files):
        files = files or (self.path,)
        return (mcuprof("info", *files).stdout.decode(),
                json.loads(mcuprof("info", "--json", *files).stdout)["cache"])

    def test_too_few(self):
        for kind in CALL, ARC:
            with self.subTest(kind=kind):
                capture(self.path, kind, 4, ALONE)
                text, cache = self.info()
                self.assertIn(SMALL, text)
                self.assertEqual(cache, {"entries": 4, "alone_percent": 60, "wanted": 8,
                                         "wanted_sites": 7})
                report = mcuprof("report", "-e", self.elf, self.path).stdout.decode()
                self.assertIn(SMALL.replace("counters    ", "counters  "), report)

    def test_task_switches_are_no_calls(self):
        """Runs of tasks and interrupts change nothing, whether each has its own record or not."""
        capture(self.path, CALL, 4, ALONE)
        without = self.info()[1]
        for runs in ([1] * 200, [400], [1, 50] * 10):
            with self.subTest(runs=len(runs)):
                capture(self.path, CALL, 4, ALONE, runs)
                text, cache = self.info()
                self.assertIn(SMALL, text)
                self.assertEqual(cache, without)
        capture(self.path, CALL, 4, [(0, 40)], [1] * 50)
        text, cache = self.info()
        self.assertNotIn("counters", text)
        self.assertEqual(cache, {"entries": 4, "alone_percent": 0, "wanted": 1,
                                 "wanted_sites": 1})

    def test_files_are_summed(self):
        capture(self.path, CALL, 4, ALONE)
        self.assertEqual(self.info(self.path, self.path)[1], self.info()[1])

    def test_each_run_sends_a_call_site_alone_once(self):
        """That is so with as many counters as one likes; ten short runs say no more."""
        capture(self.path, CALL, 4, [(site, 1) for site in range(20)])
        self.assertNotIn("counters", self.info(*[self.path] * 10)[0])
        capture(self.path, CALL, 4, ALONE)
        self.assertIn(SMALL, self.info(*[self.path] * 10)[0])

    def test_merged(self):
        """A sum does not keep how calls were sent. Of cut captures it keeps that counters may not
        have been sent, and so it names a size; that size is not the firmware's."""
        merged = self.path + ".sum"
        for kind in CALL, ARC:
            capture(self.path, kind, 16, [(site, 1) for _ in range(10) for site in range(60)],
                    cut=True)
            for count in 1, 2:
                with self.subTest(kind=kind, files=count):
                    files = [self.path] * count
                    self.assertIn("\ncounters  ", self.info(*files)[0])
                    mcuprof("merge", "-o", merged, *files)
                    text, cache = self.info(merged)
                    self.assertEqual(cache["entries"], 16 * count)
                    self.assertNotIn("\ncounters  ", text)

    def test_enough(self):
        for counters, records in (
                (8, ALONE), (4, [(site, 1) for site in range(20)]), (0, ALONE),
                (4, [(0, 1)] * 10 + [(0, 100), (1, 100)]), (4, [])):
            with self.subTest(counters=counters, records=len(records)):
                capture(self.path, CALL, counters, records)
                self.assertNotIn("counters", self.info()[0])

    def test_a_sum_does_not_tell(self):
        capture(self.path, ARC, 4, ALONE)
        summed = self.path + ".sum"
        self.assertEqual(mcuprof("merge", "-o", summed, self.path).returncode, 0)
        self.assertIsNone(self.info(summed)[1]["alone_percent"])

    def test_no_calls(self):
        capture(self.path, CALL, 16, [])
        self.assertEqual(self.info()[1], {"entries": 16, "alone_percent": 0, "wanted": 0,
                                          "wanted_sites": 0})


if __name__ == "__main__":
    unittest.main()
