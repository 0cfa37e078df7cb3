# SPDX-License-Identifier: MIT
"""The same capture given twice, and the ELF of an earlier build: each command says it. Bytes that a
server or a driver sends again count once."""
import json
import os
import random
import shutil
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from elves import ARM, InFolder, assemble, mcuprof, run  # noqa: E402
from wire import SAMPLES, TELLS_TASKS, WHOLE, Stream  # noqa: E402

MAIN = 0x1000


class Twice(InFolder):
    def setUp(self):
        self.elf = assemble(self.folder.name, MAIN, [(MAIN, 64, "T", "main"),
                                                     (MAIN + 64, 0, "T", "_etext")])
        self.one, self.copy, self.other = (
            os.path.join(self.folder.name, name) for name in ("one", "copy", "other"))
        for path, samples in (self.one, 500), (self.other, 501):
            made = Stream(hz=1000000, period=1000, flags=SAMPLES, depth=4)
            made.path(WHOLE, [], MAIN + 4, samples)
            made.totals()
            made.write(path)
        shutil.copy(self.one, self.copy)
        self.budget = os.path.join(self.folder.name, "budget")
        with open(self.budget, "w", encoding="ascii") as out:
            out.write("main self < 101%\n")

    def warned(self, command, *arguments):
        return mcuprof(command, *arguments).stderr.decode()

    def test_commands_that_sum(self):
        out = os.path.join(self.folder.name, "out")
        said = (f"warning: {self.copy} is the same capture as {self.one}: what is in it counts "
                "twice")
        for command, *options in (["merge", "-o", out], ["info"], ["info", "--json"],
                                  ["report", "-e", self.elf], ["annotate", "-e", self.elf],
                                  ["html", "-e", self.elf, "-o", out],
                                  ["check", "-e", self.elf, self.budget],
                                  ["export", "-e", self.elf, "--to", "folded"]):
            with self.subTest(command):
                self.assertIn(said, self.warned(command, *options, self.one, self.other, self.copy))
                self.assertNotIn("same capture",
                                 self.warned(command, *options, self.one, self.other))

    def test_the_same_name(self):
        self.assertIn(f"{self.one} is the same capture as {self.one}",
                      self.warned("info", self.one, self.one))

    def test_diff_and_regressions(self):
        said = f"warning: {self.copy} is the same capture as {self.one}: it is compared with itself"
        self.assertIn(said, self.warned("diff", "-e", self.elf, self.one, self.copy))
        self.assertEqual(self.warned("diff", "-e", self.elf, self.one, self.other), "")
        with open(self.budget, "w", encoding="ascii") as out:
            out.write("regression against one < 3%\n")
        self.assertIn("warning: the capture is the same capture as one: it is compared with itself",
                      self.warned("check", "-e", self.elf, self.budget, self.copy))

    # ---- Two builds ----

    def build(self, name, text):
        elf = os.path.join(self.folder.name, name)
        shutil.copy(self.elf, elf)
        note = elf + ".note"
        with open(note, "wb") as out:
            out.write(b"\x04\0\0\0\x14\0\0\0\x03\0\0\0GNU\0" + text * 20)
        run(ARM + "objcopy", f"--add-section=.note.gnu.build-id={note}",
            "--set-section-flags=.note.gnu.build-id=alloc,readonly", elf)
        return elf

    def capture(self, name, text):
        path = os.path.join(self.folder.name, name)
        made = Stream(hz=1000000, period=1000, flags=SAMPLES, depth=4)
        made.words(0, 4 | 2, *[int.from_bytes(text * 4, "little")] * 5)  # the build ID
        made.path(WHOLE, [], MAIN + 4, 500)
        made.totals()
        made.write(path)
        return path

    def test_base_elf_is_named_where_it_is_wanted(self):
        new, before, after = self.build("new.elf", b"n"), self.capture("before", b"o"), \
            self.capture("after", b"n")
        error = mcuprof("diff", "-e", new, before, after, status=3).stderr.decode()
        self.assertIn(f"{before}: made by firmware with build ID 6f6f", error)
        self.assertIn("if it is of an earlier build: --base-elf OLD.elf", error)
        error = mcuprof("diff", "-e", new, after, before, status=3).stderr.decode()
        self.assertNotIn("--base-elf", error)
        with open(self.budget, "w", encoding="ascii") as out:
            out.write("regression against before < 3%\n")
        error = mcuprof("check", "-e", new, self.budget, after, status=3).stderr.decode()
        self.assertIn("--base-elf OLD.elf", error)
        mcuprof("diff", "-e", new, "--base-elf", self.build("old.elf", b"o"), before, after)

    def test_a_second_elf_is_refused(self):
        for command, first in ("diff", self.one), ("check", self.budget):
            for option in (["-e"], ["--elf"]):
                error = mcuprof(command, "-e", "old.elf", *option, self.elf, first, self.other,
                                status=2).stderr.decode()
                self.assertIn(f"-e old.elf -e {self.elf}: the ELF of the earlier capture is given "
                              "by --base-elf", error)
        mcuprof("report", "-e", "none", "-e", self.elf, self.one)  # here the last one counts


class Again(InFolder):
    """A server sends its buffer again: the bytes come twice, from and to any place in a record."""
    BUFFER = 65536

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        made = Stream(hz=1000000, period=1000, flags=SAMPLES | TELLS_TASKS, depth=8)
        made.task(1, "one")
        made.task(2, "two")
        rng = random.Random(7)
        while len(made.bytes) < 200000:
            made.task(1 + rng.randrange(2))
            for _ in range(40):
                made.path(WHOLE, [MAIN + 4 * rng.randrange(400) for _ in range(rng.randrange(6))],
                          MAIN + 4 * rng.randrange(400))
            if rng.randrange(4) == 0:
                made.totals()
            else:
                made.check()
        made.totals()
        made.check()
        cls.bytes, cls.samples = made.bytes, made.samples

    def info(self, data, base=None):
        path = os.path.join(self.folder.name, "capture")
        with open(path, "wb") as out:
            out.write(data)
        info = json.loads(mcuprof("info", "--json", path).stdout)
        told = {"samples": info["samples"], "runs": len(info["runs"]), "mismatch": info["mismatch"],
                "unaccounted": info["unaccounted"]}
        tasks = {each["task"]: each["count"] for each in json.loads(
            mcuprof("export", "--to", "json", path).stdout)["samples"]}
        if base:
            self.assertEqual((told, tasks.keys()), base)
        return told, tasks.keys()

    def test_a_buffer_that_is_sent_again(self):
        base = self.info(self.bytes)
        self.assertEqual(base[0]["samples"], {"received": self.samples, "lost": 0})
        rng = random.Random(8)
        for turn in range(10):
            to = rng.randrange(self.BUFFER, len(self.bytes))
            again = self.bytes[to - self.BUFFER:to] * (1 + turn % 2)
            with self.subTest(to=to, times=1 + turn % 2):
                self.info(self.bytes[:to] + again + self.bytes[to:], base)

    def test_a_few_blocks_that_are_sent_again(self):
        base = self.info(self.bytes)
        rng = random.Random(9)
        for _ in range(6):
            to = rng.randrange(30000, len(self.bytes))
            size = rng.randrange(1000, 20000)
            with self.subTest(to=to, size=size):
                self.info(self.bytes[:to] + self.bytes[to - size:], base)


if __name__ == "__main__":
    unittest.main()
