# SPDX-License-Identifier: MIT
"""Three tasks in turn, each event with a record that says whose it is, on a line that does not
keep up, and of which pieces are lost."""
import os
import tempfile
import unittest

from firmware import Run, output

import json

KNOBS = "-DMCUPROF_TASKS=3 -DMCUPROF_ENTRIES=0"
SLOW = " -DBOARD_LINK_CYCLES=4000"
HELLO, TOTALS, END = 0x80, 0xD0, 0xF0  # start bytes, their lowest bits apart


def distances(stream, mask, start):
    """Records between those that begin so."""
    starts = [byte for byte in stream if byte >= 0x80]
    places = [n for n, byte in enumerate(starts) if byte & mask == start]
    return [later - earlier for earlier, later in zip(places, places[1:])]


def told(path):
    """What info says: {task's name: calls}, and the calls lost."""
    info = json.loads(output("info", "--json", path))
    return info


class Robin(unittest.TestCase):
    def run_robin(self, knobs):
        run = Run("mps2-an385", "robin", KNOBS + knobs)
        with open(run.capture, "rb") as file:
            return run, file.read()

    def test_what_is_due_comes_in_time(self):
        for knobs in "", SLOW:
            _, stream = self.run_robin(knobs)
            # each 32nd record is due; a task's name may come with it
            self.assertLess(max(distances(stream, 0xF4, HELLO)), 256 + 32)
            self.assertLess(max(distances(stream, 0xF0, TOTALS)), 192 + 16)

    def test_all_is_accounted_for(self):
        for knobs in "", SLOW:
            run, _ = self.run_robin(knobs)
            arcs = told(run.capture)["received"]["arcs"], told(run.capture)["lost"]["arcs"]
            self.assertEqual(sum(arcs), run.said("turns"))
            if knobs:
                self.assertGreater(arcs[1], 0)

    def test_pieces_of_it_are_lost(self):
        run, stream = self.run_robin("")
        kept = b"".join(stream[at:at + 3500] for at in range(0, len(stream), 3700))
        kept = kept[:-3500] + stream[-3500:]
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "lost.mprof")
            with open(path, "wb") as file:
                file.write(kept)
            info = told(path)
            self.assertEqual(info["received"]["arcs"] + info["lost"]["arcs"], run.said("turns"))
            self.assertGreater(info["received"]["arcs"], run.said("turns") / 2)


if __name__ == "__main__":
    unittest.main()
