# SPDX-License-Identifier: MIT
"""What users do wrong ends in a sentence that names the cause and the remedy: each sentence of
docs/wrong.md that is tested here comes where the mistake is made by real firmware, and none of them
is said of firmware that is right."""
import json
import os
import random
import re
import subprocess
import tempfile
import unittest

from firmware import MCUPROF, Run
from test_front_door import Project

with open("docs/wrong.md", encoding="utf-8") as wrong:
    SENTENCES = re.findall(r"^\|[^|]*\|[^|]*\| `([^`]+)` \|", wrong.read(), re.M)


def said(command, *arguments):
    ran = subprocess.run([MCUPROF, command, *arguments], capture_output=True, timeout=180, check=False)
    return " ".join((ran.stdout + ran.stderr).decode(errors="replace").split())


def at_other_rate(sent, factor):
    """The bytes that a UART reads at `factor` times the sender's rate."""
    line = [1] * 20
    for byte in sent:
        line += [0, *(byte >> bit & 1 for bit in range(8)), 1]
    line += [1] * 20
    read, at, step = bytearray(), 0.0, 1 / factor
    while at + 10 * step < len(line):
        if line[int(at)]:
            at += step / 4
            continue
        read.append(sum(line[int(at + step * (bit + 1.5))] << bit for bit in range(8)))
        at += 9.5 * step
    return bytes(read)


class Mistakes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = folder.name
        cls.run_ = Run("microbit", "selftest", "-DMCUPROF_ENTRIES=0 -DMCUPROF_ARCS=0")
        with open(cls.run_.capture, "rb") as file:
            cls.sent = file.read()

    def says(self, sentence, text):
        self.assertIn(sentence, SENTENCES, "docs/wrong.md does not have it")
        self.assertIn(sentence, text)

    def file(self, name, sent):
        path = os.path.join(self.folder, name)
        with open(path, "wb") as file:
            file.write(sent)
        return path

    def record(self, sent, elf=None):
        return said("record", "-e", elf or self.run_.elf, "-o", f"{self.folder}/out.mprof",
                    self.file("sent", sent))

    def test_nothing_of_it_is_said_of_what_is_right(self):
        text = self.record(self.sent) + self.run_.summary
        for command in ("report", "info", "lint"):
            more = () if command == "lint" else ("-e", self.run_.elf)
            what = self.run_.elf if command == "lint" else self.run_.capture
            text += said(command, *more, what)
        text += said("check", "-e", self.run_.elf, "examples/selftest/selftest.budgets",
                     self.run_.capture).split("selftest_called calls = 1000:", 1)[0]
        for sentence in SENTENCES:
            self.assertNotIn(sentence, text)

    def test_wrong_baud(self):
        for factor in (0.5, 2, 0.75):
            with self.subTest(factor=factor):
                self.says("is this an mcuprof stream, at the right speed (--baud), with the "
                          "profiler started?", self.record(at_other_rate(self.sent, factor)))

    def test_the_line_at_its_own_rate(self):
        self.assertEqual(at_other_rate(self.sent, 1), self.sent)

    def test_wrong_elf(self):
        other = Run("microbit", "blinky")
        self.says("flash that, or name the ELF that was flashed", self.record(self.sent, other.elf))

    def test_build_id_of_another_length(self):
        """With -Wl,--build-id=md5 an ELF has 16 bytes; the firmware always sends 20."""
        with open(self.run_.elf, "rb") as elf:
            whole = elf.read()
        note = b"\4\0\0\0%c\0\0\0\3\0\0\0GNU\0"
        self.assertEqual(whole.count(note % 20), 1)
        at = whole.index(note % 20) + len(note)
        for last, right in ((0, True), (1, False)):
            short = bytearray(whole.replace(note % 20, note % 16))
            short[at + 13] ^= last
            text = said("report", "-e", self.file("md5.elf", bytes(short)), self.run_.capture)
            self.assertEqual("flash that" not in text, right)

    def test_stripped_elf(self):
        elf = f"{self.folder}/stripped.elf"
        subprocess.run(["arm-none-eabi-strip", "-o", elf, self.run_.elf], check=True)
        self.says("no function symbols; was it stripped?",
                  said("report", "-e", elf, self.run_.capture))

    def test_elf_without_debug_information(self):
        elf = f"{self.folder}/no-debug.elf"
        subprocess.run(["arm-none-eabi-strip", "-g", "-o", elf, self.run_.elf], check=True)
        self.says("no static function has its file",
                  said("report", "-e", elf, self.run_.capture))

    def test_text_past_the_profiler(self):
        """16 lines of 14 bytes in what firmware sent cost at most a fifth of the samples."""
        whole = json.loads(said("info", "--json", self.run_.capture))["samples"]["received"]
        for seed in range(4):
            any_of = random.Random(seed)
            sent = bytearray(self.sent)
            for at in sorted(any_of.sample(range(len(sent)), 16), reverse=True):
                sent[at:at] = b"speed: %5d\r\n" % any_of.randrange(100000) + b" "
            text = self.record(bytes(sent))
            self.says("something else writes to this UART", text)
            told = json.loads(said("info", "--json", f"{self.folder}/sent"))["samples"]
            self.assertGreater(told["received"], 0.8 * whole)
            self.assertEqual(told["received"] + told["lost"], whole)

    def test_small_ring(self):
        run = Run("microbit", "selftest", "-DMCUPROF_RING_BYTES=64 -DBOARD_LINK_CYCLES=20000")
        self.says("the ring in the firmware was full", run.summary.replace("\n", " "))

    def test_clocks_that_cannot_be_right(self):
        """An MPS2's time base and sampling timer count down."""
        timed, down = "-DMCUPROF_CALLS=1 -DMCUPROF_SAMPLES=0", "(*(volatile uint32_t *)0x400020{}u)"
        for example, knobs, sentence in (
                ("callers", f"{timed} '-DMCUPROF_TIME()=7u'",
                 "the clock of MCUPROF_TIME() stands still"),
                ("timeline", "-DMCUPROF_TIMELINE=1 '-DMCUPROF_TIME()=7u'",
                 "the clock of MCUPROF_TIME() stands still"),
                ("callers", f"{timed} '-DMCUPROF_TIME()={down.format('04')}'",
                 "the clock of MCUPROF_TIME() goes backwards"),
                ("callers", f"'-DMCUPROF_TIMER_SINCE()={down.format('24')}'",
                 "MCUPROF_TIMER_SINCE() or the timer's clock cannot be right")):
            with self.subTest(knobs=knobs):
                run = Run("mps2-an385", example, knobs)
                self.says(sentence, said("report", "-e", run.elf, run.capture))
                self.says(sentence, " ".join(run.summary.split()))

    def test_a_clock_of_16_bits(self):
        run = Run("mps2-an385", "callers", "-DMCUPROF_CALLS=1 '-DMCUPROF_TIME()=(~*(volatile "
                  "uint32_t *)(BOARD_DUALTIMER + 4) & 0xffff)'")
        sentence = "does it count in 32 bits"
        self.says(sentence, said("report", "-e", run.elf, run.capture))
        right = Run("mps2-an385", "callers", "-DMCUPROF_CALLS=1")
        self.assertNotIn(sentence, said("report", "-e", right.elf, right.capture))

    def test_an_end_without_a_start(self):
        run = Run("microbit", "callers", "-DMCUPROF_CALLS=1 -DSTARTED=0")
        self.says("was called, but mcuprof_start() never",
                  said("report", "-e", run.elf, run.capture))

    def test_no_unwind_table(self):
        project = Project(self)
        self.assertEqual(project.make().returncode, 0)
        project.edit("Makefile", "mcuprof unwind $@", "true")
        os.remove(f"{project.folder}/firmware.elf")
        project.run("make", "firmware.elf")
        self.says("no sample has its call path: run", " ".join(project.record().stderr.split()))

    def test_forgotten_start_and_end(self):
        for call, sentence, printed in (
                ("mcuprof_start();", "Nothing calls mcuprof_start().", None),
                ("mcuprof_end();", "Nothing calls mcuprof_flush() or mcuprof_end().",
                 "which did not flush at the end")):
            project = Project(self, {"main.c": [(call, "")]})
            self.assertEqual(project.make().returncode, 0)
            self.says(sentence, said("lint", f"{project.folder}/firmware.elf"))
            if printed:
                self.says(printed, project.record().stderr)

    def test_stale_objects(self):
        """A Makefile without -MMD compiles one file of several with the knobs' new values."""
        project = Project(self)
        self.assertEqual(project.make().returncode, 0)
        project.edit("Makefile", " -MMD", "")
        project.edit("Makefile", "-include", "#")
        project.edit("mcuprof_board.h", "RESTARTS 1", "RESTARTS 1\n#define MCUPROF_RING_BYTES 512")
        project.edit("mcuprof_board.c", "/* INTENSET: TXDRDY */", "")
        self.assertEqual(project.run("make", "firmware.elf").returncode, 0)
        text = said("lint", f"{project.folder}/firmware.elf")
        self.says("An object was compiled with other knobs than the rest.", text)
        self.assertIn("mcuprof_board.c has MCUPROF_RING_BYTES = 512, mcuprof.c has 256.", text)

    def test_small_stack(self):
        """It has room for the program, but not for a sample on top, and ends where there is no RAM:
        the fault's handler starts the firmware over."""
        project = Project(self, {
            "vendor.ld": [("ORIGIN = 0x20000000, LENGTH = 16K", "ORIGIN = 0x200000C0, LENGTH = 8K"),
                          ("_estack = ORIGIN(RAM) + LENGTH(RAM)", "_estack = ORIGIN(RAM)")]})
        self.assertEqual(project.make().returncode, 0)
        ran = project.record(limit=3000)
        self.says("the firmware was reset", " ".join(ran.stderr.split()))

    def test_handler_that_calls(self):
        """A vendor's handler calls the interrupt, which must be the vector itself."""
        project = Project(self, {"mcuprof_board.c": [
            ("MCUPROF_VECTOR(TIMER0_IRQHandler, mcuprof_sample_isr)",
             "void TIMER0_IRQHandler(void);\nvoid mcuprof_sample_isr(void);\n"
             "void TIMER0_IRQHandler(void)\n{\n    mcuprof_sample_isr();\n    "
             "__asm__ volatile(\"nop\");\n}\n")]})
        self.assertEqual(project.make().returncode, 0)
        self.says("a handler calls mcuprof_sample_isr", " ".join(project.record().stderr.split()))

    def test_no_transmit_interrupt(self):
        project = Project(self, {"mcuprof_board.c": [
            ("    UART(0x304) = 1u << 7; /* INTENSET: TXDRDY */", "")]})
        self.assertEqual(project.make().returncode, 0)
        self.says("the UART's transmit interrupt does not come",
                  " ".join(project.record().stderr.split()))

    def test_no_vector(self):
        for line, sentence in (
                ("MCUPROF_VECTOR(TIMER0_IRQHandler, mcuprof_sample_isr)",
                 "does the timer's interrupt reach mcuprof_sample_isr"),):
            project = Project(self, {"mcuprof_board.c": [
                (line, ""), ("    NVIC_ENABLE = 1u << 2 | 1u << 8;", "    NVIC_ENABLE = 1u << 2;")]})
            self.assertEqual(project.make().returncode, 0)
            self.says(sentence, " ".join(project.record().stderr.split()))


if __name__ == "__main__":
    unittest.main()
