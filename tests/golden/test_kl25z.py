# SPDX-License-Identifier: MIT
"""Compares a capture from a real Cortex-M0+ with an independent count and with GNU gprof."""

import collections
import json
import os
import struct
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from elves import ARM, KL25Z, blinky, mcuprof, run  # noqa: E402

HEX = os.path.join(KL25Z, "blink1hex.txt")
PUBLISHED = os.path.join(KL25Z, "blink1gmon.out")
OPTIONS = ("--addr-bytes", "3", "--hz", "1000")


def count_text():
    """Counts the packets without mcuprof."""
    with open(HEX, encoding="ascii") as text:
        data = bytes.fromhex(text.read())
    samples, arcs = collections.Counter(), collections.Counter()
    at = 0
    while at < len(data):
        kind = chr(data[at])
        size = {"P": 4, "A": 7}[kind]
        packet = data[at + 1 : at + size]
        at += size
        if kind == "P":
            samples[int.from_bytes(packet, "big")] += 1
        else:
            ends = int.from_bytes(packet[:3], "big"), int.from_bytes(packet[3:], "big")
            arcs[ends[0] & ~1, ends[1] & ~1] += 1
    return samples, arcs


class RealCapture(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.elf = blinky(cls.folder.name)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def gmon(self, *options):
        out = os.path.join(self.folder.name, "ours.out")
        mcuprof("export", "--to", "gmon", "-e", self.elf, "-o", out, *options, *OPTIONS, HEX)
        return out

    def gprof(self, profile, *options):
        return run(ARM + "gprof", *options, self.elf, profile).stdout.decode()

    def test_a_lost_or_bad_digit_costs_one_packet(self):
        with open(HEX, "rb") as file:
            data = file.read(4000)

        def received(hexes):
            told = json.loads(mcuprof("info", "--json", "--format", "pa-hex", "-", *OPTIONS,
                                      stdin=hexes).stdout)
            return told["samples"]["received"] + told["arcs"]["received"]

        whole = received(data)
        self.assertGreater(whole, 300)
        for at in range(0, 3900, 37):
            for instead in (b"", b"z", b"\n"):
                with self.subTest(at=at, instead=instead):
                    self.assertGreaterEqual(received(data[:at] + instead + data[at + 1:]),
                                            whole - 1)

    def test_a_lost_or_bad_byte_costs_two_packets_at_most(self):
        with open(HEX, encoding="ascii") as file:
            data = bytes.fromhex(file.read())[:2000]

        def counted(capture):
            told = json.loads(mcuprof("export", "--to", "json", "-", stdin=capture).stdout)
            self.assertEqual(told["format"], "pa")
            return collections.Counter(
                {(sample["address"],): sample["count"] for sample in told["samples"]} |
                {(arc["from"], arc["to"]): arc["count"] for arc in told["arcs"]})

        whole = counted(data)
        self.assertGreater(whole.total(), 300)
        for at in range(0, 1950, 37):
            for instead in (b"", b"\0", b"\xff", b"P", b"A", 2 * data[at:at + 1]):
                with self.subTest(at=at, instead=instead):
                    got = counted(data[:at] + instead + data[at + 1:])
                    self.assertLessEqual((whole - got).total(), 2)
                    self.assertLessEqual((got - whole).total(), 1)

    def test_tallies_equal_an_independent_count(self):
        samples, arcs = count_text()
        self.assertEqual(sum(samples.values()), 17214)
        self.assertEqual(sum(arcs.values()), 26440)
        got = json.loads(mcuprof("export", "--to", "json", *OPTIONS, HEX).stdout)
        self.assertEqual({s["address"]: s["count"] for s in got["samples"]}, samples)
        self.assertEqual({(a["from"], a["to"]): a["count"] for a in got["arcs"]}, arcs)
        self.assertEqual(got["damaged"], 0)
        self.assertTrue(got["complete"])
        self.assertEqual(got["format"], "pa-hex")
        self.assertNotIn("functions", got)

    def test_gprof_reports_our_file_exactly_as_the_published_one(self):
        ours = self.gmon("--bin-bytes", "4")
        for options in (["-b"], ["-b", "-z"], ["-b", "-T"], ["-b", "-L", "-w", "200"]):
            with self.subTest(options=options):
                self.assertEqual(self.gprof(ours, *options), self.gprof(PUBLISHED, *options))
        self.assertIn("59.35     10.22    10.22 ", self.gprof(ours, "-b"))

    def test_bins_of_instruction_size_give_loop_its_true_share(self):
        samples, _ = count_text()
        truth = sum(n for pc, n in samples.items() if 0x146A <= pc < 0x148C)
        self.assertEqual(truth, 11689)
        rows = self.gprof(self.gmon(), "-b", "-p").splitlines()
        row = next(r.split() for r in rows if r.endswith(" loop"))
        self.assertEqual(row[:3], ["67.90", "11.69", "11.69"])

    def test_report_gives_every_function_its_true_time(self):
        rows = mcuprof("report", "-e", self.elf, *OPTIONS, HEX).stdout.decode()
        self.assertIn("17.214 s at 1000 Hz", rows)
        loop = next(r.split() for r in rows.splitlines() if r.endswith(" loop"))
        self.assertEqual(loop[1], "11.69")  # 11.689 of 17.214
        calls = next(r.split() for r in rows.splitlines() if r.endswith(" WAIT1_WaitCycles"))
        self.assertIn("13155", calls)

    def test_json_with_the_elf_adds_functions(self):
        got = json.loads(mcuprof("export", "--to", "json", "-e", self.elf, *OPTIONS, HEX).stdout)
        functions = {f["name"]: f for f in got["functions"]}
        loop = functions["loop"]
        self.assertAlmostEqual(loop["self_seconds"], 11.689)
        self.assertAlmostEqual(loop["self_error_seconds"],
                               (11689 * (1 - 11689 / 17214))**0.5 / 1000)
        self.assertEqual(loop["address"], 0x146A)
        self.assertIsNone(loop["file"])
        self.assertEqual(functions["WAIT1_WaitCycles"]["calls"], 13155)
        main = functions["main"]
        self.assertAlmostEqual(main["total_seconds"], 3.258 + 0.186)
        self.assertTrue(main["spontaneous"])
        self.assertTrue(functions["_mcount_internal"]["overhead"])
        self.assertAlmostEqual(got["total_seconds"], 17.214)
        names = [f["name"] for f in got["functions"]]
        edges = {(names[c["caller"]], names[c["callee"]]): c["count"] for c in got["function_calls"]}
        self.assertEqual(edges["main", "WAIT1_Waitms"], 26)
        self.assertEqual(edges["WAIT1_WaitLongCycles", "WAIT1_WaitCycles"], 13155)

    def test_the_published_file_is_read(self):
        with open(PUBLISHED, "rb") as file:
            data = file.read()
        size = struct.unpack("<I", data[8:12])[0]
        bins = struct.unpack(f"<{(size - 32) // 2}H", data[32:size])
        truth = {0x410 + 4 * i: n for i, n in enumerate(bins) if n}
        for elf in ([], ["-e", self.elf]):
            got = json.loads(mcuprof("export", "--to", "json", *elf, PUBLISHED).stdout)
            self.assertEqual(got["format"], "gmon")
            self.assertEqual(got["hz"], 1000)
            self.assertEqual(got["bin_bytes"], 4)
            self.assertEqual({s["address"]: s["count"] for s in got["samples"]}, truth)
            arcs = {a["to"] & ~1: a["count"] for a in got["arcs"]}
            self.assertEqual(arcs[0x1498], 13155)
        out = os.path.join(self.folder.name, "again.out")
        mcuprof("export", "--to", "gmon", "-e", self.elf, "-o", out, PUBLISHED)
        self.assertEqual(self.gprof(out, "-b"), self.gprof(PUBLISHED, "-b"))

    def test_folded_counts_are_the_samples(self):
        lines = mcuprof("export", "--to", "folded", "-e", self.elf, *OPTIONS, HEX).stdout
        counts = dict(line.rsplit(" ", 1) for line in lines.decode().splitlines())
        self.assertEqual(sum(int(n) for n in counts.values()), 17214)
        self.assertEqual(counts["loop"], "11689")
        path = "main;WAIT1_Waitms;WAIT1_WaitLongCycles;WAIT1_WaitCycles"
        self.assertEqual(counts[path], "3258")

    def test_two_captures_add_up(self):
        got = json.loads(mcuprof("export", "--to", "json", *OPTIONS, HEX, HEX).stdout)
        self.assertEqual(got["events"]["samples"]["received"], 2 * 17214)
        samples, _ = count_text()
        self.assertEqual(
            {s["address"]: s["count"] for s in got["samples"]},
            {pc: 2 * n for pc, n in samples.items()},
        )


if __name__ == "__main__":
    unittest.main()
