# SPDX-License-Identifier: MIT
"""The documentation's worked examples decode to the values it names, and its links have targets."""
import glob
import json
import os
import re
import subprocess
import tempfile
import unittest

from mcuprof_run import PROGRAM


def mcuprof(*arguments):
    ran = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True,
                         check=True, timeout=180)
    return ran.stdout


class Docs(unittest.TestCase):
    def example(self, number=0):
        """Returns the bytes of a listing and its lines of explanation."""
        with open("docs/wire.md", encoding="utf-8") as file:
            listing = re.findall(r"```hex\n(.*?)```", file.read(), re.S)[number]
        data = b""
        for line in listing.splitlines():
            octets = re.match(r"(?:[0-9a-f]{2} ?)*(?= |$)", line)
            data += bytes.fromhex(octets.group(0))
        return data, listing

    def test_worked_example(self):
        data, listing = self.example(1)
        with tempfile.NamedTemporaryFile(suffix=".mprof") as file:
            file.write(data)
            file.flush()
            info = json.loads(mcuprof("info", "--json", file.name))
            model = json.loads(mcuprof("export", "--to", "json", file.name))
        self.assertTrue(info["complete"])
        self.assertEqual((info["damaged"], info["console_bytes"]), (0, 10))
        self.assertEqual(info["hz"], 1000)
        self.assertEqual(info["arcs"], {"received": 1974, "lost": 0})
        self.assertEqual(info["samples"], {"received": 4, "lost": 0})
        words = re.findall(r" = ((?:[0-9a-f]{2} ?){4})", listing)
        self.assertEqual(info["build_id"], "".join(words).replace(" ", ""))
        said = [(int(site, 16), int(callee, 16), int(count or 1)) for site, callee, count in
                re.findall(r"call site (0x\w+)\n.*callee (0x\w+)(?:\n.*count (\d+))?", listing)]
        self.assertEqual({(a["from"], a["to"], a["count"]) for a in model["arcs"]}, set(said))
        self.assertEqual(sorted(s["address"] for s in model["samples"]),
                         sorted(int(pc, 16) for pc in re.findall(r"pc (0x\w+)", listing)))

    def test_example_of_timed_calls(self):
        data, listing = self.example(2)
        with tempfile.NamedTemporaryFile(suffix=".mprof") as file:
            file.write(data)
            file.flush()
            info = json.loads(mcuprof("info", "--json", file.name))
            model = json.loads(mcuprof("export", "--to", "json", file.name))
        self.assertTrue(info["complete"])
        self.assertEqual((info["damaged"], info["console_bytes"], len(data)), (0, 10, 219))
        self.assertEqual((info["calls"], info["task_switches"]), ({"received": 1974, "lost": 0}, 1))
        self.assertIn("timed calls sent 1975\n", listing)  # with task switches
        figures = [int(figure.replace(",", "")) for figure in
                   re.findall(r"(?:base|inside|outside|other|run) ([\d]+) ", listing)][-5:]
        self.assertEqual(list(info["time_base"].values()), figures)
        said = set()
        for text in re.split(r"timed calls?:", listing)[1:]:
            text = text.partition("check")[0]
            said.add(tuple(int(number, 16) for number in re.findall(r"0x\w+", text)) + tuple(
                int(figure) for figure in
                re.findall(r"(?:count|total|self|shortest|longest) (\d+)", text)))
        keys = ("from", "to", "count", "total_ticks", "self_ticks", "shortest_ticks",
                "longest_ticks")
        ours = {tuple(call[key] for key in keys) for call in model["calls"]}
        self.assertEqual({row if row[2] > 1 else row[:2] + row[3:5] for row in ours}, said)

    def test_example_of_paths(self):
        data, listing = self.example()
        with tempfile.NamedTemporaryFile(suffix=".mprof") as file:
            file.write(data)
            file.flush()
            info = json.loads(mcuprof("info", "--strict", "--json", file.name))
            model = json.loads(mcuprof("export", "--to", "json", file.name))
        self.assertEqual(info["samples"], {"received": 8, "lost": 0})
        self.assertEqual(info["paths"], {"depth": 8, "distinct": 6, "whole": 6, "interrupt": 1,
                                         "cut": 1, "unsure": 0,
                                         "through_interrupts": False})
        ends, said, places = ("whole", "interrupt", "cut", "unsure"), {}, {}
        for record in re.split(r"\n(?=\w\w {26}\S)", listing):
            pc, count = (re.search(field, record) for field in (r"pc (0x\w+)", r"count (\d+)"))
            shape = re.search(r"anew, (\w+); (\d)|(\d) frames? gone; (\d)", record)
            if "block ends" in record:
                places = {}
            if shape and shape[1]:
                end, frames = shape[1], []
            elif shape:
                frames = frames[:len(frames) - int(shape[3])]
            new = re.findall(r"(?:place (\d+): )?return address (0x\w+)", record)
            for place, address in new:
                frames = [*frames, int(address, 16)]
                at = frames[-1] // 2 % 64
                self.assertEqual(places.setdefault(at, frames[-1]), frames[-1])
                self.assertEqual(place or str(at), str(at))
            if pc:
                self.assertEqual(len(new), int(shape[2] or shape[4]) if shape else 0)
                key = ends.index(end), int(pc[1], 16), *frames[::-1]
                said[key] = said.get(key, 0) + int(count[1] if count else 1)
        ours = {(ends.index(stack["end"]), *stack["addresses"]): stack["count"]
                for stack in model["stacks"]}
        self.assertEqual(ours, said)

    def test_example_of_a_timeline(self):
        data, listing = self.example(3)
        with tempfile.NamedTemporaryFile(suffix=".mprof") as file:
            file.write(data)
            file.flush()
            info = json.loads(mcuprof("info", "--json", file.name))
            trace = json.loads(mcuprof("export", "--to", "perfetto", file.name))
        self.assertTrue(info["complete"])
        self.assertEqual((info["damaged"], info["timeline"]["received"]), (0, 4))
        hz = int(re.search(r"(\d+) ticks in a second", listing)[1])
        slices = [(event["tid"] - 1, round(event["ts"] * hz / 1e6), round(event["dur"] * hz / 1e6))
                  for event in trace["traceEvents"] if event["ph"] == "X"]
        begun = int(re.search(r"at (\d+) ticks", listing)[1])
        self.assertEqual(slices, [(2, begun, 10), (0x1000 + 15, begun + 10, 5),
                                  (2, begun + 15, 2), (3, begun + 17, 2**14 + 128)])
        for what, number in (("sent", 0), ("lost", 0)):
            self.assertIn(f"{number} events {what}", listing)
        for record in re.split(r"\n(?=\w\w {26}\S)", listing.strip()):
            octets = bytes.fromhex("".join(re.findall(r"^((?:\w\w )+)", record, re.M)))
            self.assertEqual(int(re.search(r"check: (\d+)", record)[1]),
                             self.accumulate(octets[:-1]))

    @staticmethod
    def accumulate(record):
        check = 0
        for byte in record:
            check = (3 * check + byte) % 2**32
        return check

    def test_example_of_words(self):
        data, listing = self.example(4)
        with tempfile.NamedTemporaryFile(suffix=".mprof") as file:
            file.write(data)
            file.flush()
            info = json.loads(mcuprof("info", "--strict", "--json", file.name))
            model = json.loads(mcuprof("export", "--to", "json", file.name))
        self.assertEqual((info["complete"], info["hz"], info["console_bytes"]), (True, 1000, 3))
        said = re.findall(r"(?:pc|return address) (0x\w+)", listing)
        self.assertEqual({int(address, 16) for address in said},
                         {address for stack in model["stacks"] for address in stack["addresses"]})
        self.assertEqual(sorted(stack["addresses"] for stack in model["stacks"]),
                         [[0x204, 0x122, 0x142], [0x208, 0x11c, 0x142], [0x20a, 0x11c, 0x142]])

    def test_task_records(self):
        with open("docs/wire.md", encoding="utf-8") as file:
            records = re.findall(r"^    (e\w(?: \w\w)+)  ", file.read(), re.M)
        self.assertEqual(len(records), 2)
        for record in map(bytes.fromhex, records):
            self.assertEqual(self.accumulate(record[:-1]) % 127, record[-1])
            self.assertEqual(len(record), 4 + (record[0] & 15))

    def words(self, start, *words):
        """Makes a record of words."""
        record = bytes([start, *(word >> 7 * i & 0x7F for word in words for i in range(5))])
        return record + bytes([self.accumulate(record) % 127])

    def test_record_through_an_interrupt(self):
        """The example is put between a hello and an end; the default and --through-interrupts are
        tested."""
        with open("docs/wire.md", encoding="utf-8") as file:
            text = file.read()
        record = bytes.fromhex(re.search(r"^    (f8 44(?: \w\w)+)$", text, re.M)[1])
        self.assertIn(f"check: {self.accumulate(record[:-1])} mod 127", text)
        data = self.words(0x8A, 25000000, 25000, 0, 0x4250011 | 1 << 23) + record
        value = 0
        for byte in data:
            value = (257 * value + byte) % 2**32
        with tempfile.NamedTemporaryFile(suffix=".mprof") as file:
            file.write(data + self.words(0xF0, value))
            file.flush()
            ended, whole = (json.loads(mcuprof("export", "--to", "json", *option, file.name))
                            for option in ((), ("--through-interrupts",)))
        self.assertEqual(ended["stacks"], [{"addresses": [0x200, 0x20C], "count": 1,
                                            "end": "interrupt"}])
        self.assertEqual(whole["stacks"], [{"addresses": [0x200, 0x20C, 0x11C, 0x142],
                                            "count": 1, "end": "whole", "hit": [2]}])

    def test_links(self):
        for path in glob.glob("*.md") + glob.glob("*/*.md"):
            with open(path, encoding="utf-8") as file:
                for link in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", file.read()):
                    self.assertTrue(os.path.exists(os.path.join(os.path.dirname(path), link)),
                                    f"{path}: {link}")


if __name__ == "__main__":
    unittest.main()
