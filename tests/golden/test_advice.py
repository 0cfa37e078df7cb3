# SPDX-License-Identifier: MIT
"""What record, report, info and the page say of firmware that was put together wrong."""
import json
import os
import re
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from elves import ARM, mcuprof, run  # noqa: E402
from wire import CALLS, SAMPLES, TOTALS, UNSURE, WHOLE, Stream  # noqa: E402

MAIN, WORK = 0x4000, 0x4040  # a pc of two groups is below 0x8000
CODE = """.syntax unified
.cpu cortex-m0plus
.thumb
.global main, work
.thumb_func
.type main, %function
main: push {r4, lr}
bl work
.space 56
pop {r4, pc}
.size main, . - main
.balign 64
.thumb_func
.type work, %function
work: bx lr
.size work, . - work
.section .mcuprof_unwind,"a",%progbits
.space 400
"""


class Advice(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.elf = os.path.join(self.folder, "fw.elf")
        run(ARM + "as", "-o", self.elf + ".o", "-", stdin=CODE.encode())
        run(ARM + "ld", f"-Ttext={MAIN:#x}", "--section-start=.mcuprof_unwind=0x9000", "-e", "0",
            "-o", self.elf, self.elf + ".o")

    def begin(self, **how):
        return Stream(hz=1000000, period=1000, flags=SAMPLES, **how)

    def pathless(self, root=UNSURE):
        """Each of 20 samples has its leaf alone."""
        stream = self.begin(depth=24)
        for at in range(20):
            stream.path(root, [], WORK + 2 * (at % 4))
        stream.words(TOTALS, 1, 20, 0, stream.hash)
        return stream

    def write(self, stream):
        path = os.path.join(self.folder, "run.mprof")
        stream.end(totals=False)
        stream.write(path)
        return path

    def texts(self, stream, elf=True):
        """Returns the advice of each command, "" where it gives none."""
        path = self.write(stream)
        options = ["-e", self.elf] if elf else []
        texts = {}
        said = mcuprof("info", *options, path).stdout.decode()
        texts["info"] = "".join(re.findall(r"^advice +(.*)", said, re.M))
        said = mcuprof("record", *options, "-o", path + "2", path).stderr.decode()
        lines = said.splitlines()[1:]
        texts["record"] = "".join(line.removeprefix("mcuprof record: ") for line in lines)
        if elf:
            said = mcuprof("report", "--flat", *options, path).stdout.decode()
            texts["report"] = "".join(re.findall(r"^advice +((?:.*\n)(?: {10}.*\n)*)", said, re.M))
            out = os.path.join(self.folder, "page.html")
            mcuprof("html", *options, "-o", out, path)
            with open(out, encoding="utf-8") as page:
                data = re.search(r'type="application/json"[^>]*>(.*?)</script>', page.read(),
                                 re.S)[1]
            summary = [" ".join(row) if isinstance(row, list) else str(row)
                       for row in json.loads(data)["summary"]]
            texts["html"] = "".join(row for row in summary if row.startswith("advice"))
        return {name: " ".join(text.split()) for name, text in texts.items()}

    def assert_all_say(self, stream, *parts, elf=True, never=()):
        for command, text in self.texts(stream, elf).items():
            for part in parts:
                self.assertIn(part, text, command)
            for part in never:
                self.assertNotIn(part, text, command)

    def assert_none_says(self, stream):
        """But that there is no build ID: these ELFs and streams have none."""
        self.assertEqual([text for text in self.texts(stream).values()
                          if text and "sends no build ID" not in text], [])

    # ---- Call paths ----

    def test_no_table(self):
        self.assert_all_say(self.pathless(), f"run `mcuprof unwind {self.elf}` after linking",
                            never=["MCUPROF_STACK_TOP"])

    def test_stack_above_the_first_vectors_word(self):
        mcuprof("unwind", self.elf)
        self.assert_all_say(self.pathless(), "no sample has its call path, though the ELF has its "
                            "unwind table: the stack lies above the first vector's word",
                            "MCUPROF_STACK_TOP", never=["run `mcuprof unwind"])

    def test_without_the_elf_both_are_named(self):
        self.assert_all_say(self.pathless(), "run `mcuprof unwind FIRMWARE.elf`",
                            "the stack lies above the first vector's word", "MCUPROF_STACK_TOP",
                            elf=False)

    def test_paths_need_no_advice(self):
        self.assert_none_says(self.pathless(WHOLE))

    def test_samples_outside_of_the_code(self):
        for own, depth in ((0, 0), (0, 24), (1, 24)):
            stream = self.begin(depth=depth)
            for at in range(20):
                place = WORK + 2 if at < own else 0x20000000 + 2 * at
                if depth:
                    stream.path(UNSURE, [], place)
                else:
                    stream.sample(place, 1)
            stream.words(TOTALS, 1, 20, 0, stream.hash)
            said = self.texts(stream)["report"]
            self.assertEqual("no sample lies in code of" in said and "a handler calls "
                             "mcuprof_sample_isr" in said, not own, said)

    # ---- Starts ----

    def begun(self, starts, samples, drawn=False):
        stream = Stream(hz=1000000, period=1000 | drawn << 31, flags=SAMPLES | drawn * 2)
        for _ in range(starts):
            stream.hello()
            stream.check()
            if samples:
                stream.sample(MAIN, samples)
        stream.words(TOTALS, 1, starts * samples, 0, stream.hash)
        return stream

    def test_many_starts(self):
        """Each first sample comes a period later."""
        self.assert_all_say(self.begun(12, 3), "sampling was started 12 times", "or not at all")
        self.assert_none_says(self.begun(12, 40))
        self.assert_none_says(self.begun(3, 3))

    def test_many_starts_whose_first_period_is_drawn(self):
        """Only what is shorter than a sixteenth of a period has no sample."""
        self.assert_none_says(self.begun(12, 1, drawn=True))
        self.assert_all_say(self.begun(12, 0, drawn=True), "sampling was started 12 times",
                            "a sixteenth of a period passes")

    # ---- Interrupts ----

    def test_timer_without_a_vector_or_an_enable_bit(self):
        stream = self.begin()
        stream.check()
        stream.words(TOTALS, 1, 0, 0, stream.hash)
        self.assert_all_say(stream, "samples at 1000 Hz, but no sample came",
                            "reach mcuprof_sample_isr", "its vector", "its enable bit")

    def beside_calls(self, ticks):
        stream = Stream(hz=1000000, period=1000, flags=SAMPLES | 64)
        stream.call(MAIN + 4, WORK, 12, 1200, 1100, 100, 100)
        stream.time(1000000, 3, 7, 0, ticks)
        stream.words(TOTALS, 1 | CALLS, 0, 0, 12, 0, stream.hash)
        return stream

    def test_timer_beside_calls(self):
        self.assert_all_say(self.beside_calls(10000), "no sample came", "reach mcuprof_sample_isr",
                            never=["shorter than a period"])

    def test_a_run_shorter_than_a_period(self):
        """Periods vary from a half to one and a half."""
        self.assert_none_says(self.beside_calls(1900))
        self.assert_all_say(self.beside_calls(2000), "no sample came")

    # ---- Start ----

    def test_never_started(self):
        """mcuprof_end() alone sends a hello, totals and the end."""
        stream = Stream(hz=1000000, period=1000, flags=SAMPLES)
        stream.words(TOTALS, 1, 0, 0, stream.hash)
        self.assert_all_say(stream, "mcuprof_start() never", "nothing was measured",
                            never=["mcuprof_sample_isr"])

    def test_started_and_ended_at_once(self):
        stream = Stream()
        stream.check()
        stream.words(TOTALS, CALLS, 0, 0, stream.hash)
        self.assert_none_says(stream)

    # ---- Clocks ----

    def timed(self, run, *calls, hz=25000000):
        """`calls`: (count, total, self) each."""
        stream = Stream(flags=64)
        stream.check()
        for number, (count, total, own) in enumerate(calls):
            stream.call(MAIN + 4 + 2 * number, WORK, count, total, own, total // count,
                        total - total // count * (count - 1))
        stream.time(hz, 0, 0, 0, run % 2**32)
        stream.words(TOTALS, CALLS, stream.calls, 0, stream.hash)
        return stream

    def test_a_clock_that_stands_still(self):
        self.assert_all_say(self.timed(0, (239350, 0, 0)), "239,350 timed calls took no tick",
                            "MCUPROF_TIME() stands still", "before mcuprof_start()", "TRCENA",
                            "CYCCNTENA")
        self.assert_none_says(self.timed(0, (19, 0, 0)))  # the run may have been that short

    def test_a_clock_of_milliseconds(self):
        self.assert_all_say(self.timed(5000, (4000, 1000, 1000), hz=1000),
                            "the clock of MCUPROF_TIME() ticks every 1 ms",
                            "a timed call takes 0.25 ticks in the mean", "1 MHz or more")
        for calls, hz in ((19, 5, 5), 1000), ((4000, 9000, 9000), 1000), ((4000, 900, 900), 32768):
            self.assert_none_says(self.timed(50000, calls, hz=hz))

    def test_a_timeline_whose_clock_stands_still(self):
        for ticks in 0, 1:
            stream = Stream()
            stream.check()
            stream.state(25000000, 7)
            stream.steps(*[(1 + number % 3, 0) for number in range(39)], (1, ticks))
            stream.state(25000000, 7 + ticks, 1, sent=40)
            said = self.info(stream)
            self.assertEqual("40 switches and marks of the timeline came at one tick: the clock of "
                             "MCUPROF_TIME() stands still" in said, not ticks, said)

    def test_a_clock_that_goes_backwards(self):
        self.assert_all_say(self.timed(-25000000, (500, 0, 0)), "500 timed calls took no tick",
                            "MCUPROF_TIME() goes backwards", "it must count up")

    def test_a_coarse_clock(self):
        self.assert_none_says(self.timed(300, (500, 0, 0)))

    def test_a_run_that_wrapped(self):
        """180 s at 25 MHz, of which no record told before the end; it was told as 8.2 s. The calls
        show that it cannot be."""
        run = 180 * 25000000
        stream = self.timed(run, (100, 2200000000, 2200000000), (100, 2100000000, 2100000000))
        self.assert_all_say(stream, "for more than 2^32 ticks (172 s)", "longer than shown",
                            "mcuprof_flush() more often")
        for path in (self.write(stream), self.merged()):
            model = json.loads(mcuprof("export", "--to", "json", "-e", self.elf, path).stdout)
            self.assertEqual(model["time_base"]["run_ticks"], run)

    def test_a_run_of_little_but_hooks(self):
        """What hooks cost is measured to a tick, so calls may come to a little more than the
        run."""
        self.assert_none_says(self.timed(1000000, (100000, 1100000, 1100000)))

    def merged(self):
        out = os.path.join(self.folder, "sum.mprof")
        mcuprof("merge", "-o", out, os.path.join(self.folder, "run.mprof"))
        return out

    def sampled(self, *took, samples=100, restarts=True):
        stream = Stream(hz=1000000, period=1000 | restarts << 31, flags=SAMPLES, depth=24)
        stream.check()
        stream.path(WHOLE, [], WORK, samples)
        stream.time(*took)
        stream.totals()
        return stream

    def test_a_timer_that_counts_down(self):
        """Each sample seems to come a whole period late, and what is taken off is a quarter of the
        time."""
        stream = self.sampled(95000, 100, 500, 1490, 97)
        self.assert_all_say(stream, "97 % of the samples came late by more than half a period",
                            "MCUPROF_TIMER_SINCE()", "its period less its count")
        path = self.write(stream)
        model = json.loads(mcuprof("export", "--to", "json", "-e", self.elf, path).stdout)
        self.assertAlmostEqual(sum(each["self_seconds"] for each in model["functions"]), 0.1)
        self.assertNotIn("ms late", mcuprof("info", path).stdout.decode())

    def test_a_sample_longer_than_its_period(self):
        self.assert_all_say(self.sampled(150000, 100, 10, 30, 0, restarts=False),
                            "a sample took 152 % of its period", "MCUPROF_TIMER_SINCE()")
        self.assertNotIn("SINCE", self.info(self.sampled(150000, 100, 10, 30, 0)))  # it waits

    def test_how_late_samples_came(self):
        """From a hundredth of a period on; from half a period on it is a warning."""
        for ticks, says in ((9, ""), (10, "10 us late at most (1 % of a period)"),
                            (499, "499 us late at most (50 % of a period)"), (501, "")):
            stream = self.sampled(6000, 100, 10, 10 + ticks, int(ticks > 500))
            said = self.info(stream)
            self.assertEqual("latest" in said, says != "", said)
            self.assertIn(says, said)
            path = self.write(stream)
            said = mcuprof("report", "--all", "-e", self.elf, path).stdout.decode()
            self.assertEqual("latest " in said, says != "", said)

    def test_later_than_the_run(self):
        """A tenth of a second was sampled."""
        self.assertIn("up to 90 ms late", self.info(self.sampled(6000, 100, 10, 90010, 1)))
        self.assertNotIn(" late", self.info(self.sampled(6000, 100, 10, 3000000000, 1)))

    def info(self, stream):
        return mcuprof("info", self.write(stream)).stdout.decode()

    def test_firmware_that_does_not_sample(self):
        stream = Stream()
        stream.check()
        stream.words(TOTALS, 1, 0, 0, stream.hash)
        self.assert_none_says(stream)

    def lossy(self, samples, lost):
        stream = self.begin()
        for _ in range(samples):
            stream.sample(WORK + 2, 1)
        stream.words(TOTALS, 1, samples, lost, stream.hash)
        return stream

    def test_link_without_its_interrupt(self):
        self.assert_all_say(self.lossy(21, 6836), "nearly all was lost", "does not come",
                            "its enable bit in the UART", "its number in the interrupt controller",
                            "its vector (mcuprof_link_isr)")

    def test_slow_line(self):
        """Many records say that the interrupt comes; few losses are no matter of it."""
        also = "as no more came than that ring holds, the UART's transmit interrupt does not come"
        self.assert_all_say(self.lossy(1100, 100000), "the ring in the firmware was full",
                            never=[also])
        self.assert_all_say(self.lossy(21, 80), "the ring in the firmware was full", also)
        self.assert_none_says(self.lossy(1000, 40))


if __name__ == "__main__":
    unittest.main()
