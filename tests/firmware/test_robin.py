# SPDX-License-Identifier: MIT
"""Three tasks take turns, so that each event needs a record that names its task. The line does not
keep up, and parts of the stream are lost."""
import json
import os
import tempfile
import unittest

from firmware import Run, output

KNOBS = "-DMCUPROF_TASKS=3 -DMCUPROF_ENTRIES=0"
SLOW = " -DBOARD_LINK_CYCLES=400"
HELLO, TOTALS, END = 0x80, 0xD0, 0xF0  # start bytes without their lowest bits


def distances(stream, mask, start):
    """Returns how many records there are from each one that begins so to the next."""
    starts = [byte for byte in stream if byte >= 0x80]
    places = [n for n, byte in enumerate(starts) if byte & mask == start]
    return [later - earlier for earlier, later in zip(places, places[1:])]


def calls(path):
    """Returns the arcs that info calls received and lost."""
    told = json.loads(output("info", "--json", path))["arcs"]
    return told["received"], told["lost"]


class Robin(unittest.TestCase):
    def run_robin(self, knobs):
        run = Run("mps2-an385", "robin", KNOBS + knobs)
        with open(run.capture, "rb") as file:
            return run, file.read()

    def test_what_is_due_comes_in_time(self):
        for knobs in "", SLOW:
            _, stream = self.run_robin(knobs)
            # at least each 32nd record is one that is due; a record with a task's name may precede
            # it
            self.assertLess(max(distances(stream, 0xF4, HELLO)), 256 + 32)
            self.assertLess(max(distances(stream, 0xF0, TOTALS)), 192 + 16)

    def test_what_is_due_comes_in_time_where_calls_are_sent(self):
        """Calls for which there are too few counters make records in a way of their own. (A
        program that starts again sends a hello, and counts to the next totals anew.)"""
        for knobs in "-DMCUPROF_ENTRIES=2", "-DMCUPROF_ENTRIES=4 -DMCUPROF_PATHS=0":
            for ring in 256, 1024:
                for example, least, most in (("blinky", 6, 192), ("truth", 3, 192 + 64)):
                    run = Run("microbit", example, f"{knobs} -DMCUPROF_RING_BYTES={ring}")
                    with open(run.capture, "rb") as file:
                        stream = file.read()
                    self.assertGreater(len(distances(stream, 0xF4, HELLO)), least)
                    self.assertLess(max(distances(stream, 0xF4, HELLO)), 256 + 32)
                    self.assertLess(max(distances(stream, 0xF0, TOTALS)), most + 16)

    def test_all_is_accounted_for(self):
        for knobs in "", SLOW:
            run, _ = self.run_robin(knobs)
            received, lost = calls(run.capture)
            self.assertEqual(received + lost, run.said("turns"))
            self.assertEqual(lost > 0, knobs == SLOW)

    def test_pieces_of_it_are_lost(self):
        run, stream = self.run_robin("")
        kept = b"".join(stream[at:at + 3500] for at in range(0, len(stream) - 4000, 3700))
        kept += stream[-2000:]
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "lost.mprof")
            with open(path, "wb") as file:
                file.write(kept)
            received, lost = calls(path)
            self.assertEqual(received + lost, run.said("turns"))
            self.assertGreater(received, run.said("turns") / 2)


if __name__ == "__main__":
    unittest.main()
