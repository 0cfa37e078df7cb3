# SPDX-License-Identifier: MIT
"""Includes between the folders of host/ point down in the list of host/layers.txt."""
import glob
import os
import re
import unittest


def layers():
    """Returns {folder: its line}; `main` stands for host/main.c."""
    with open("host/layers.txt", encoding="utf-8") as file:
        lines = [line.split() for line in file if not line.startswith("#")]
    return {folder: number for number, line in enumerate(lines) for folder in line}


def folder(path):
    """Returns the folder below host/ to which a file belongs."""
    place, name = os.path.split(path)
    return name.split(".")[0] if place == "host" else place.removeprefix("host/")


def included(path):
    """Returns the project's files that a file includes."""
    with open(path, encoding="utf-8") as file:
        names = re.findall(r'^#include "([^"]+)"', file.read(), re.M)
    for name in names:
        tried = [os.path.normpath(os.path.join(place, name))
                 for place in (os.path.dirname(path), "host", "wire")]
        yield next((each for each in tried if os.path.exists(each)), name)


class Layers(unittest.TestCase):
    def test_includes_point_down(self):
        level, wrong = layers(), []
        files = sorted(glob.glob("host/**/*.[ch]", recursive=True))
        self.assertGreater(len(files), 100)
        for path in files:
            for other in included(path):
                self.assertTrue(os.path.exists(other), f"{path}: {other}")
                above, below = folder(path), folder(other)
                if above != below and level[above] >= level[below]:
                    wrong.append(f"{path} includes {other}")
        self.assertEqual(wrong, [])


# In these files GNU's BFD, whose output gprof must match, tells machines apart by its own rules.
AS_BFD = {"host/bfd/lines.c", "host/bfd/symbols.c", "host/gprof/symbols/image.c",
          "host/gprof/symbols/symbols.c"}


class Architectures(unittest.TestCase):
    def test_machines_are_told_apart_in_arch_alone(self):
        named = set()
        for path in glob.glob("host/**/*.[ch]", recursive=True):
            with open(path, encoding="utf-8") as file:
                if re.search(r"\b(EM_[A-Z0-9]\w*|MCUPROF_WIRE_ARCH_[A-Z]\w*)", file.read()):
                    named.add(path)
        self.assertEqual({path for path in named if folder(path) != "arch"}, AS_BFD)

    def test_both_halves_have_the_same(self):
        """A folder in target/arch has its file in host/arch, and its number on the wire."""
        with open("wire/mcuprof_wire.h", encoding="utf-8") as file:
            numbers = re.findall(r"MCUPROF_WIRE_ARCH_([A-Z]\w*) +\d", file.read())
        ports = os.listdir("target/arch")
        self.assertEqual({name.lower().replace("_", "-") for name in numbers}, {*ports, "pc"})
        files = {os.path.basename(path)[:-2] for path in glob.glob("host/arch/*.c")}
        self.assertEqual(files, {*ports, "arch", "others"})


if __name__ == "__main__":
    unittest.main()
