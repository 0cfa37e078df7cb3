# SPDX-License-Identifier: MIT
"""Captures of version 1 of the wire, from when firmware sent it, are read as they were read then,
and nothing is reported that their check of 7 bits cannot prove."""
import glob
import json
import os
import subprocess
import tempfile
import unittest

from mcuprof_run import PROGRAM

FOLDER = "tests/data/version1/"


def mcuprof(*arguments, status=0):
    ran = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True,
                         check=False, timeout=180)
    assert ran.returncode == status, ran.stderr
    return ran.stdout


def kept(name):
    with open(FOLDER + name, encoding="utf-8") as file:
        return json.load(file)


class Version1(unittest.TestCase):
    maxDiff = None

    def write(self, data):
        with tempfile.NamedTemporaryFile(suffix=".mprof", delete=False) as file:
            file.write(data)
        self.addCleanup(os.remove, file.name)
        return file.name

    def bytes(self, name):
        with open(FOLDER + name + ".mprof", "rb") as file:
            return file.read()

    def info(self, path):
        return json.loads(mcuprof("info", "--json", path))

    def test_all_that_was_read_is(self):
        self.assertEqual(len(glob.glob(FOLDER + "*.mprof")), 3)
        for name in ("fib", "truth", "calls"):
            path = FOLDER + name + ".mprof"
            export, then = (json.loads(mcuprof("export", "--to", "json", path)),
                            kept(name + ".json"))
            self.assertEqual({key: export[key] for key in then}, then)  # there may be more
            info = self.info(path)
            then = kept(name + ".info.json")
            self.assertEqual({key: info[key] for key in then}, then)
            self.assertEqual((info["unproven"], info["unsent"], info["repaired"]), (0, 0, 0))
            mcuprof("info", "--strict", path)

    def test_late_and_cut(self):
        whole = self.bytes("truth")
        late = self.info(self.write(whole[len(whole) // 3:]))
        self.assertEqual(late["format"], "mcuprof")
        self.assertGreater(late["earlier"], 0)
        self.assertGreater(late["arcs"]["received"], 0)
        cut = self.info(self.write(whole[:len(whole) // 2]))
        self.assertEqual((cut["complete"], cut["unsent"], cut["unaccounted"]),
                         (False, 8, True))
        mcuprof("info", "--strict", self.write(whole[:len(whole) // 2]), status=1)

    def test_a_damaged_hello_is_outvoted(self):
        whole = bytearray(self.bytes("truth"))
        hellos = [at for at, byte in enumerate(whole) if byte & 0xF4 == 0x80]
        self.assertGreater(len(hellos), 2)
        for one in (hellos[0], hellos[-1]):
            data = bytearray(whole)
            data[one + 10] ^= 1  # the base of addresses changes, and ...
            check = data[one]
            for group in data[one + 1:one + 21]:
                check = (3 * check + group) % 2**32
            data[one + 21] = check % 127  # ... the check is made right again
            model = json.loads(mcuprof("export", "--to", "json", self.write(bytes(data))))
            self.assertEqual(model["arcs"], kept("truth.json")["arcs"])

    def test_merged_it_is_version_2(self):
        path = FOLDER + "truth.mprof"
        merged = self.write(b"")
        mcuprof("merge", "-o", merged, path, path)
        self.assertEqual(self.info(merged)["arcs"]["received"],
                         2 * self.info(path)["arcs"]["received"])
        with open(merged, "rb") as file:
            self.assertEqual(file.read()[0], 0x8A)

    def test_a_sum_says_all_that_is_not_known(self):
        """What came is not what was sent, and the end is not there: the sum says both."""
        data = bytearray(self.bytes("truth")[:2183])
        data[4] += 42  # a change that the check of 7 bits does not find: 3 * 42 + 1 = 127
        data[5] += 1
        once, sum_of_it = self.write(bytes(data)), self.write(b"")
        mcuprof("merge", "-o", sum_of_it, once)
        for path in (once, sum_of_it):
            info = self.info(path)
            self.assertEqual([info[key] for key in ("mismatch", "unaccounted", "complete",
                                                    "damaged", "unsent")],
                             [True, True, False, 0, 8])


if __name__ == "__main__":
    unittest.main()
