# SPDX-License-Identifier: MIT
"""--counts-from: calls that one build counts, beside the time of another, which ships."""
import json
import re
import subprocess
import unittest

from firmware import MCUPROF, Run, output

SHIPS = ("-DMCUPROF_ARCS=0",)
COUNTS = ("-DMCUPROF_SAMPLES=0",)


class CountsFrom(unittest.TestCase):
    def both(self, board, example, optimise, cflags=None):
        ships = Run(board, example, *SHIPS, optimise, cflags, ("HOOKS=0",))
        counts = Run(board, example, *COUNTS, optimise, cflags)
        return ships, counts

    @staticmethod
    def calls(model):
        names = [each["name"] for each in model["functions"]]
        return {(None if arc["caller"] is None else names[arc["caller"]], names[arc["callee"]]):
                arc["count"] for arc in model["function_calls"] if arc["count"]}

    def shown(self, ships, counts, *command):
        return output(*command, "-e", ships.elf, "--counts-from", counts.elf, ships.capture,
                      counts.capture)

    def test_all_calls_are_there(self):
        """Where both builds have the same functions, each call is told as the build that counts
        tells it, and the time is the other's."""
        for board in "microbit", "virt", "versatilepb":
            with self.subTest(board=board):
                ships, counts = self.both(board, "blinky", "-Os")
                both = json.loads(self.shown(ships, counts, "export", "--to", "json"))
                self.assertEqual(self.calls(both), counts.calls())
                time = {each["name"]: each["self_seconds"] for each in both["functions"]}
                alone = {each["name"]: each["self_seconds"] for each in ships.model()["functions"]}
                self.assertEqual({name: time[name] for name in alone}, alone)

    def test_each_command(self):
        ships, counts = self.both("microbit", "blinky", "-Os")
        self.assertRegex(self.shown(ships, counts, "report", "--flat"),
                         r"(?m)^ +\d+ .* 1000 .* wait_cycles$")
        annotated = self.shown(ships, counts, "annotate", "--focus", "fade")
        self.assertRegex(annotated, r"(?m) 6400\u2192 +\d+ +sum \+= corrected")
        self.assertIn('"wait_cycles"', self.shown(ships, counts, "html"))

    def test_what_is_inlined_is_said(self):
        """The build that ships has inlined a function: its calls cannot be shown, and who called
        from within it is not known."""
        may_inline = " ".join(f"-D{word}=unused" for word in ("noinline", "noclone", "noipa"))
        ships = Run("microbit", "blinky", f"{SHIPS[0]} {may_inline}", "-O2", None, ("HOOKS=0",))
        counts = Run("microbit", "blinky", *COUNTS)
        ran = subprocess.run([MCUPROF, "export", "--to", "json", "-e", ships.elf, "--counts-from",
                              counts.elf, ships.capture, counts.capture], capture_output=True,
                             text=True, check=True)
        listed = subprocess.run(["arm-none-eabi-nm", ships.elf], capture_output=True, text=True,
                                check=True).stdout
        names = set(re.findall(r" [tTwW] (\w+)$", listed, re.M))
        calls = counts.calls()
        gone = sum(count for (_, to), count in calls.items() if to not in names)
        by = sum(count for (by, to), count in calls.items()
                 if to in names and by is not None and by not in names)
        self.assertGreater(gone, 0)
        self.assertRegex(ran.stderr, rf"warning: .*: {gone} calls? of \d+ functions? are not shown: the build")
        self.assertEqual(f"{by} call" in ran.stderr, by > 0)
        kept = {(by if by in names else None, to): 0 for by, to in calls if to in names}
        for (by, to), count in calls.items():
            if to in names:
                kept[by if by in names else None, to] += count
        self.assertEqual(self.calls(json.loads(ran.stdout)), kept)

    def test_wrong_captures(self):
        ships, counts = self.both("microbit", "blinky", "-Os")
        for captures, said in (([ships.capture], "none of the captures is of this build"),
                               ([counts.capture], "all captures are of this build")):
            ran = subprocess.run([MCUPROF, "report", "-e", ships.elf, "--counts-from", counts.elf,
                                  *captures], capture_output=True, text=True, check=False)
            self.assertEqual(ran.returncode, 3)
            self.assertIn(said, ran.stderr)
        ran = subprocess.run([MCUPROF, "report", "-e", counts.elf, "--counts-from", ships.elf,
                              ships.capture, counts.capture], capture_output=True, text=True,
                             check=False)
        self.assertIn("have calls of their own", ran.stderr)


if __name__ == "__main__":
    unittest.main()
