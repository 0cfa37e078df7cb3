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

MAIN, WORK = 0x8000, 0x8040
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
        self.assertEqual(set(self.texts(stream).values()), {""})

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

    # ---- Interrupts ----

    def test_timer_without_a_vector_or_an_enable_bit(self):
        stream = self.begin()
        stream.words(TOTALS, 1, 0, 0, stream.hash)
        self.assert_all_say(stream, "samples at 1000 Hz, but no sample came",
                            "reach mcuprof_sample_isr", "its vector", "its enable bit")

    def test_timer_beside_calls(self):
        stream = Stream(hz=1000000, period=1000, flags=SAMPLES | 64)
        stream.time(1000000, 3, 7, 0, 10000)
        stream.call(MAIN + 4, WORK, 12, 1200, 1100, 100, 100)
        stream.words(TOTALS, 1 | CALLS, 0, 0, 12, 0, stream.hash)
        self.assert_all_say(stream, "no sample came", "reach mcuprof_sample_isr")

    def test_firmware_that_does_not_sample(self):
        stream = Stream()
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
        """Many records say that the interrupt comes; a few losses are no matter of it."""
        self.assert_none_says(self.lossy(1100, 100000))
        self.assert_none_says(self.lossy(21, 80))


if __name__ == "__main__":
    unittest.main()
