# SPDX-License-Identifier: MIT
"""mcuprof merge with real firmware. The sum of captures has the captures' content, whether they are
whole, lost events on a slow line, began late, were cut or damaged. The sum of gmon.out files is
that of GNU gprof -s."""
import json
import os
import random
import re
import subprocess
import tempfile
import unittest

from firmware import BOARDS, MCUPROF, Run, output

GPROF = "arm-none-eabi-gprof"


def info(*captures):
    """Returns what info prints, without the number of records (equal counters become one), the
    repairs, the runs (a merged capture is one run) and the cache (which is the firmware's)."""
    told = json.loads(output("info", "--json", *captures))
    for key in ("records", "repaired", "runs", "cache"):
        del told[key]
    if told["unsent"] > 0:  # captures hold a power of two for each run
        told["unsent"] = (told["unsent"] - 1).bit_length() + 1
    return told


def counters(*captures):
    """Returns all counters and all else that merging must keep."""
    model = json.loads(output("export", "--to", "json", *captures))
    del model["records"]
    return model


def damaged(data, places):
    """Returns `data` with nine bytes of text written over those at each place."""
    data = bytearray(data)
    for at in places:
        data[at:at + 9] = b"text line"
    return bytes(data)


def hurt(data, chance):
    """Returns `data` with text or noise over parts of it, cut, begun late, without a part of its
    middle, or with a reset; its first bytes stay, so that it is a capture."""
    first, second = sorted(chance.sample(range(200, len(data)), 2))
    return chance.choice((
        lambda: damaged(data, chance.sample(range(200, len(data)), chance.choice((1, 3, 10)))),
        lambda: data[:first] + chance.randbytes(20) + data[first + 20:],
        lambda: data[:first],
        lambda: data[:first] + data[second:],
        lambda: data[:first] + data,
        lambda: data))()


class Merge(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.folder = directory.name

    def path(self, name, data=None):
        path = os.path.join(self.folder, name)
        if data is not None:
            with open(path, "wb") as file:
                file.write(data)
        return path

    def merge(self, *arguments):
        out = self.path("sum")
        output("merge", "-o", out, *arguments)
        return out

    def check(self, *captures):
        told, counted = info(*captures), counters(*captures)
        merged = self.merge(*captures)
        self.assertEqual(info(merged), told)
        self.assertEqual(counters(merged), counted)
        if told["timeline"] is None:  # version 3 has no place for one
            words = self.path("words")
            output("merge", "--wire", "3", "-o", words, *captures)
            self.assertEqual(info(words), told)
            self.assertEqual(counters(words), counted)
        return merged

    def test_every_board(self):
        for board in BOARDS:
            with self.subTest(board=board):
                run = Run(board, "fib")
                merged = self.check(run.capture, run.capture, run.capture)
                self.assertEqual(info(merged)["arcs"]["received"],
                                 3 * info(run.capture)["arcs"]["received"])
                self.assertLess(os.path.getsize(merged), 2 * os.path.getsize(run.capture))
                report = output("report", "--all", "-e", run.elf, merged)
                whole = output("report", "--all", "-e", run.elf, *3 * [run.capture])
                self.assertEqual(report.split("\n")[2:], whole.split("\n")[2:])

    def test_of_sums(self):
        run = Run("microbit", "truth")
        twice = self.merge(run.capture, run.capture)
        os.rename(twice, self.path("twice"))
        merged = self.merge(self.path("twice"), run.capture)
        self.assertEqual(info(merged), info(*3 * [run.capture]))
        os.rename(merged, self.path("thrice"))
        self.assertEqual(info(self.merge(*2 * [self.path("thrice")])), info(*6 * [run.capture]))

    def test_blocks(self):
        self.check(*2 * [Run("microbit", "updcrc").capture])

    def test_losses_survive(self):
        run = Run("microbit", "updcrc", "-DMCUPROF_ENTRIES=1 -DBOARD_LINK_CYCLES=5000 "
                  "-DMCUPROF_RING_BYTES=64")
        lost = info(run.capture)["blocks"]["lost"]
        self.assertGreater(lost, 0)
        merged = self.check(run.capture, run.capture)
        self.assertEqual(info(merged)["blocks"]["lost"], 2 * lost)

    def test_what_came_in_part(self):
        run = Run("microbit", "blinky")
        with open(run.capture, "rb") as file:
            whole = file.read()
        part = {
            "late": whole[len(whole) // 2:],
            "cut": whole[:-len(whole) // 3],
            "both": whole[len(whole) // 6:-len(whole) // 6],
            "damaged": damaged(whole, range(300, len(whole), 900)),
            "middle": whole[:len(whole) // 3] + whole[len(whole) // 2:],
        }
        for name, data in part.items():
            self.path(name, data)
        self.assertGreater(info(self.path("late"))["earlier"], 0)
        self.assertGreater(info(self.path("damaged"))["damaged"], 0)
        self.assertGreater(info(self.path("middle"))["samples"]["lost"], 0)
        for one in part:
            with self.subTest(one=one):
                self.check(self.path(one))
                self.check(self.path(one), run.capture)
                self.check(*map(self.path, part), self.path(one))

    def test_damaged_anywhere(self):
        """Damage may hit whatever a capture says of itself, the totals among it."""
        run = Run("microbit", "blinky")
        with open(run.capture, "rb") as file:
            whole = file.read()
        totals = [found.start() for found in re.finditer(b"[\xd0-\xdf]", whole)]
        places = [range(first, len(whole), every)
                  for every in (400, 900) for first in range(300, 300 + every, 60)]
        for where in (*places, totals):
            with self.subTest(where=where):
                one = self.path("one", damaged(whole, where))
                told = info(one)
                self.assertGreater(told["damaged"] + told["discarded"], 0)
                self.check(one)
                merged = info(self.check(one, run.capture))
                self.assertTrue(merged["accounted"])
                if not told["accounted"]:
                    self.assertTrue(merged["unaccounted"])
        self.assertFalse(told["accounted"])     # with all its totals damaged

    def test_sums_of_what_was_damaged(self):
        """Sums of up to three captures, each damaged in another way, are written as read."""
        blinky = Run("microbit", "blinky")
        timeline = Run("mps2-an385", "timeline")
        for run, first in ((blinky, 0), (timeline, 1000)):
            with open(run.capture, "rb") as file:
                whole = file.read()
            for seed in range(first, first + 40):
                with self.subTest(capture=run.capture, seed=seed):
                    chance = random.Random(seed)
                    captures = [self.path(f"{i}", hurt(whole, chance))
                                for i in range(chance.randint(1, 3))]
                    self.check(*captures)

    def test_what_each_run_left(self):
        """Of three runs two or three left their 16 counters in the firmware."""
        run = Run("microbit", "blinky")
        with open(run.capture, "rb") as file:
            whole = file.read()
        cut = whole[:2 * len(whole) // 3]
        for data, unsent in ((2 * cut + whole, 32), (3 * cut, 48), (cut + 2 * whole, 16)):
            with self.subTest(unsent=unsent):
                told = [json.loads(output("info", "--json", capture))["unsent"] for capture in
                        (self.path("one", data), self.merge(self.path("one")))]
                self.assertEqual(told, [unsent, unsent])

    def test_cut_anywhere(self):
        """A capture may end anywhere between two records of totals."""
        run = Run("microbit", "blinky")
        with open(run.capture, "rb") as file:
            whole = file.read()
        for end in range(len(whole) // 2, len(whole), 23):
            with self.subTest(end=end):
                self.check(self.path("cut", whole[:end]))

    def refused(self, *arguments, status=3):
        out = self.path("none")
        ran = subprocess.run([MCUPROF, "merge", "-o", out, *arguments], text=True,
                             capture_output=True, timeout=180, check=False)
        self.assertEqual((ran.returncode, ran.stdout, ran.stderr.count("\n")),
                         (status, "", 1), ran.stderr)
        self.assertEqual(os.path.exists(out), False)
        return ran.stderr

    def test_what_does_not_add_up(self):
        fib, other = Run("microbit", "fib"), Run("microbit", "truth")
        self.assertIn("build ID", self.refused(fib.capture, other.capture))
        self.assertIn("build ID", self.refused("-e", other.elf, fib.capture))
        samples = self.path("log", b"00000100\n00000104\n")
        self.assertIn("Hz", self.refused(fib.capture, "--hz", "999", samples))
        self.assertIn("expected one of", self.refused(fib.capture, self.path("x", b"none")))
        stacks = self.path("stacks", b"00000100 00000200\n00000104 00000200\n")
        self.assertIn("-e ELF", self.refused("--to", "gmon", stacks, status=2))
        self.assertIn("-e ELF", self.refused("--to", "gmon", fib.capture, status=2))
        self.assertIn("not mcuprof or gmon", self.refused("--to", "x", fib.capture, status=2))

    def test_strict(self):
        run = Run("microbit", "fib")
        output("merge", "--strict", "-o", self.path("sum"), run.capture)
        log = self.path("log", b"00000100\n00000104\n")
        ran = subprocess.run([MCUPROF, "merge", "--strict", "-o", self.path("sum"), log],
                             capture_output=True, timeout=180, check=False)
        self.assertEqual(ran.returncode, 1)
        self.assertEqual(info(self.path("sum"))["samples"]["received"], 2)

    def test_gmon_as_gnu_gprof(self):
        for example in ("blinky", "updcrc"):
            with self.subTest(example=example):
                run = Run("microbit", example)
                one = self.path("gmon.one")
                output("export", "-e", run.elf, "--to", "gmon", "-o", one, run.capture)
                merged = self.merge(one, one, one)
                self.assertEqual(counters(merged), counters(one, one, one))
                same = self.path("with.elf")
                output("merge", "-e", run.elf, "-o", same, one, one, one)
                with open(merged, "rb") as left, open(same, "rb") as right:
                    self.assertEqual(left.read(), right.read())
                elf = os.path.abspath(run.elf)
                subprocess.run([GPROF, "-s", "-b", elf, one, one, one], cwd=self.folder,
                               check=True, capture_output=True, timeout=180)
                texts = [subprocess.run([GPROF, "-b", *mode, elf, path], check=True,
                                        capture_output=True, timeout=180).stdout
                         for path in (merged, self.path("gmon.sum"))
                         for mode in ([], ["-l", "-p"])]
                self.assertEqual(texts[:2], texts[2:])
                self.assertGreater(len(texts[0]), 500)

    def test_to_gmon(self):
        run = Run("microbit", "fib")
        merged = self.merge("--to", "gmon", "-e", run.elf, run.capture, run.capture)
        output("export", "--to", "gmon", "-e", run.elf, "-o", self.path("export"),
               run.capture, run.capture)
        with open(merged, "rb") as left, open(self.path("export"), "rb") as right:
            self.assertEqual(left.read(), right.read())

    def test_other_formats(self):
        log = self.path("log", b"00000100\n00000104\n00000100\n")
        merged = self.merge("--hz", "250", log, log)
        self.assertEqual(counters(merged)["samples"],
                         [{"address": 0x100, "count": 4}, {"address": 0x104, "count": 2}])
        told = info(merged)
        self.assertEqual((told["format"], told["hz"], told["accounted"], told["complete"]),
                         ("mcuprof", 250, False, True))


if __name__ == "__main__":
    unittest.main()
