# SPDX-License-Identifier: MIT
"""An edge between folders of host/ points down, as host/layers.txt has them."""
import glob
import os
import re
import unittest


def layers():
    """{folder: its line}; main.c lies in host/ itself."""
    with open("host/layers.txt", encoding="utf-8") as file:
        lines = [line.split() for line in file if not line.startswith("#")]
    return {folder: number for number, line in enumerate(lines) for folder in line}


def folder(path):
    """That a file belongs to, below host/."""
    place, name = os.path.split(path)
    return name.split(".")[0] if place == "host" else place.removeprefix("host/")


def included(path):
    """The project's files that a file includes."""
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


if __name__ == "__main__":
    unittest.main()
