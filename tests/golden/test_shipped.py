# SPDX-License-Identifier: MIT
"""--shipped in all commands that show times of calls."""

import json
import os
import re
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from elves import ARM, assemble_code, mcuprof, run  # noqa: E402
from mcuprof_run import PROGRAM  # noqa: E402
from timed_calls import PAIR, TimedCase, looped, without_hooks  # noqa: E402
from wire import FIRST, Stream  # noqa: E402


class Commands(TimedCase):
    """loop's 9,000 ticks are fewer as it ships, for its loop has two instructions less there."""

    def setUp(self):
        super().setUp()
        folder = self.folder.name
        self.ran = assemble_code(folder, looped("nop; nop"))
        self.ships = assemble_code(folder, without_hooks(looped("")), "shipped.elf")
        at = {line.split()[2]: int(line.split()[0], 16)
              for line in run(ARM + "nm", self.ran).stdout.decode().splitlines()}
        stream = Stream()
        stream.time(1000000, 100, 2 * PAIR - 100, 0, 0)
        stream.call(at["main"] + 4, at["outer"], 1, 10000, 1000, 10000, 10000)
        stream.call(at["outer"] + 8, at["loop"], 100, 9000, 9000, 90, 90)
        stream.time(1000000, 100, 2 * PAIR - 100, 0, 200000)
        stream.end()
        self.capture = os.path.join(folder, "code.mprof")
        stream.write(self.capture)
        model = json.loads(self.done("export", "--to", "json", self.capture))
        self.was, self.is_now = (
            {f["name"]: f["timed"]["self_ticks"] for f in json.loads(text)["functions"]
             if f["timed"]}["loop"]
            for text in (json.dumps(model), self.done("export", "--to", "json", "--shipped",
                                                      self.ships, self.capture)))
        self.assertLess(self.is_now, 0.9 * self.was)

    def done(self, command, *arguments, status=0):
        return mcuprof(command, "-e", self.ran, *arguments, status=status).stdout.decode()

    def page(self, *arguments):
        page = os.path.join(self.folder.name, "page.html")
        self.done("html", "-o", page, *arguments, self.capture)
        with open(page, encoding="utf-8") as file:
            return file.read()

    def test_html(self):
        self.assertIn(str(self.was), self.page())
        page = self.page("--shipped", self.ships)
        self.assertIn(str(self.is_now), page)
        self.assertNotIn(str(self.was), page)

    def test_check(self):
        budgets = os.path.join(self.folder.name, "budgets")
        with open(budgets, "w", encoding="ascii") as file:
            file.write(f"loop mean < {(self.was + self.is_now) // 200} us\n")
        self.done("check", budgets, self.capture, status=1)
        self.done("check", "--shipped", self.ships, budgets, self.capture)

    def mean(self, *arguments):
        rows = json.loads(self.done("diff", "--json", *arguments, self.capture, self.capture)
                          )["functions"]
        row = next(row for row in rows if row["name"] == "loop")
        return row["mean_seconds_before"], row["mean_seconds_after"]

    def test_diff(self):
        was, is_now = self.mean()[0], self.is_now * 1e-8
        self.assertGreater(was, is_now * 1.1)
        for both in ([], ["--base-elf", self.ran, "--base-shipped", self.ships]):
            for mean in self.mean("--shipped", self.ships, *both):
                self.assertAlmostEqual(mean, is_now)

    def test_one_of_two_profiles_alone_is_not_corrected(self):
        both = ["-e", self.ran, self.capture, self.capture]
        # no budget has a baseline, and nothing is read
        for command, more in (("diff", both), ("check", ["-e", self.ran, "none", "none"]),
                              ("html", ["-e", self.ran, "--before", self.capture, self.capture,
                                        "-o", self.capture + "x"])):
            for one in (["--base-elf", self.ran, "--shipped", self.ships],
                        ["--base-elf", self.ran, "--base-shipped", self.ships],
                        ["--base-shipped", self.ships]):
                says = mcuprof(command, *one, *more, status=2).stderr.decode()
                self.assertRegex(says, "--base-shipped.* need")

    def test_serve_opens_it(self):
        says = mcuprof("serve", "-e", self.ran, "--shipped", sys.executable, self.capture,
                       status=3).stderr.decode()
        self.assertRegex(says, re.escape(sys.executable) + ": it is for")

    def test_serve_waits_for_firmware_that_ships(self):
        """Firmware for another core (ARM's older ones, which have ELFs like these) is no end."""
        other = Stream()
        other.first = *other.first[:3], other.first[3] & ~15 | 2
        other.bytes, other.hash = b"", 0
        other.hello(FIRST)
        with open(self.capture, "rb") as file:
            right = file.read()
        server = subprocess.Popen(
            [PROGRAM, "serve", "-e", self.ran, "--shipped", self.ships, "-"],
            stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        try:
            for sent, wanted in (
                    (other.bytes, b"is for firmware of a Cortex-M; the ELF is read again"),
                    (right, b"it is that of the firmware now")):
                server.stdin.write(sent)
                server.stdin.flush()
                self.assertTrue(any(wanted in line for line in iter(server.stderr.readline, b"")))
        finally:
            server.kill()
            server.communicate()


if __name__ == "__main__":
    unittest.main()
