# SPDX-License-Identifier: MIT
"""Includes between the folders of host/ point down in the list of host/layers.txt; those within
host/gprof/ in that of host/gprof/layers.txt. So do calls, and within a folder they go one way."""
import glob
import os
import re
import subprocess
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


def uses():
    """Returns {file: files whose functions or data it uses}, as their objects in build/ tell."""
    files = [path for path in glob.glob("host/**/*.c", recursive=True)
             if os.path.exists(f"build/{path[:-2]}.o")]
    told = subprocess.run(["nm", "-A", *(f"build/{path[:-2]}.o" for path in files)],
                          capture_output=True, text=True, check=True).stdout
    symbols = re.findall(r"^build/(\S+)\.o:[0-9a-f ]*([A-Z]) (\w+)$", told, re.M)
    homes = {name: path + ".c" for path, kind, name in symbols if kind != "U"}
    used = {path: set() for path in files}
    for path, kind, name in symbols:
        if kind == "U" and name in homes:
            used[path + ".c"].add(homes[name])
    return used


def circles(used):
    """Returns the sets of files each of which uses all others of its set, through others or not."""
    reached = {path: set(others) for path, others in used.items()}
    for middle in used:
        for others in reached.values():
            if middle in others:
                others |= reached[middle]
    return {frozenset(other for other in others if path in reached[other])
            for path, others in reached.items() if path in others}


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

    def test_calls_point_down(self):
        """A header may declare what lies above, and then no include shows it. gprof/gprof.h does:
        it declares the ways into the rooms below it."""
        used = uses()
        self.assertGreater(len(used), 200)
        self.assertEqual([(path, other) for path, others in used.items() for other in others
                          if folder(path) != "gprof" and not points_down(path, other)], [])

    def test_files_call_one_way(self):
        """Two files may use each other, as a command and its parts; more make a knot."""
        self.assertEqual([sorted(circle) for circle in circles(uses()) if len(circle) > 2], [])

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
