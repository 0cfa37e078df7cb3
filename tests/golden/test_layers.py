# SPDX-License-Identifier: MIT
"""Includes between the folders of host/ point down in the list of host/layers.txt; those within
host/gprof/ in that of host/gprof/layers.txt."""
import glob
import os
import re
import unittest


def layers(path):
    """Returns {folder: its line} of a list."""
    with open(path, encoding="utf-8") as file:
        lines = [line.split() for line in file if not line.startswith("#")]
    return {folder: number for number, line in enumerate(lines) for folder in line}


HOUSE, GPROF = layers("host/layers.txt"), layers("host/gprof/layers.txt")


def room(path, top):
    """Returns the folder below `top` to which a file belongs; for a file that lies in host/ itself
    its name, for one in host/gprof/ itself `gprof`."""
    rest = os.path.relpath(path, top).split("/")
    return rest[0].split(".")[0] if len(rest) > 1 or top == "host" else os.path.basename(top)


def folder(path):
    """Returns the folder below host/ to which a file belongs; wire/ stands beside them."""
    return "wire" if path.startswith("wire/") else room(path, "host")


def folders(top):
    """Returns the folders in a folder in which C files lie."""
    return {room(path, top) for path in glob.glob(top + "/*/*.[ch]")}


def points_down(path, other):
    """Whether a file may include another: see the heads of the two lists."""
    above, below, level = folder(path), folder(other), HOUSE
    if above == below == "gprof":
        above, below, level = room(path, "host/gprof"), room(other, "host/gprof"), GPROF
    return above == below or level[above] < level[below]


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
        wrong = []
        files = sorted(glob.glob("host/**/*.[ch]", recursive=True))
        self.assertGreater(len(files), 100)
        for path in files:
            for other in included(path):
                self.assertTrue(os.path.exists(other), f"{path}: {other}")
                if not points_down(path, other):
                    wrong.append(f"{path} includes {other}")
        self.assertEqual(wrong, [])

    def test_gprof_is_for_the_command_line_alone(self):
        """Who reads the profiler need not pass GNU gprof's emulation."""
        users = {path for path in glob.glob("host/**/*.[ch]", recursive=True)
                 if folder(path) != "gprof" and
                 any(folder(other) == "gprof" for other in included(path))}
        self.assertEqual(users, {"host/main.c", "host/cmd/gprof.c"})

    def test_lists_name_what_is_there(self):
        """No line of the lists outlives its folder."""
        self.assertEqual(HOUSE.keys() - {"main", "wire"}, folders("host"))
        self.assertEqual(GPROF.keys() - {"gprof"}, folders("host/gprof"))


# In these files GNU's BFD, whose output gprof must match, tells machines apart by its own rules.
AS_BFD = {"host/gprof/bfd/lines.c", "host/gprof/bfd/symbols.c", "host/gprof/symbols/image.c",
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
