# SPDX-License-Identifier: MIT
"""The commands that README.md, docs/ and examples/ show, run as they stand; what stands below them is in what
they print. Such an indented block has `<!-- run -->` above it; other blocks are not run."""
import glob
import os
import re
import subprocess
import unittest

from firmware import LIMIT_SECONDS

MARK = re.compile(r"^<!-- run -->\n\n((?: {4}.*\n|\n(?= {4}))+)", re.M)


def blocks(path):
    """Returns for each block that is run its commands and the lines that they print."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    for block in MARK.findall(text):
        commands, _, printed = re.sub(r"^ {4}", "", block, flags=re.M).partition("\n\n")
        yield commands, printed.strip("\n")


class Examples(unittest.TestCase):
    def check(self, path):
        ran = 0
        for commands, printed in blocks(path):
            with self.subTest(path=path, commands=commands):
                done = subprocess.run(["sh", "-ec", commands], capture_output=True, text=True,
                                      timeout=2 * LIMIT_SECONDS, check=False)
                self.assertEqual(done.returncode, 0, done.stderr)
                told = re.sub(r" +$", "", done.stdout, flags=re.M)
                self.assertIn(printed, told)
            ran += 1
        return ran

    def test_examples(self):
        self.assertGreater(self.check("examples/README.md"), 0)
        with open("examples/README.md", encoding="utf-8") as file:
            named = set(re.findall(r"`(\w+)`", file.read()))
        self.assertEqual({*os.listdir("examples")} - {"README.md"} - named, set())

    def test_docs(self):
        paths = ["README.md", *sorted(glob.glob("docs/**/*.md", recursive=True))]
        ran = {path: self.check(path) for path in paths}
        blocks_of = {"docs/links.md": 4, "docs/porting.md": 1, "docs/questions.md": 7, "docs/times.md": 1}
        self.assertEqual({path: ran[path] for path in blocks_of}, blocks_of)

    def test_what_runs_a_board_is_marked(self):
        """A block that captures on a board that all have is run."""
        for path in ["README.md", "examples/README.md", *glob.glob("docs/**/*.md", recursive=True)]:
            with open(path, encoding="utf-8") as file:
                rest = MARK.sub("", file.read())
            for line in re.findall(r"^ *make capture .*", rest, re.M):
                self.assertIn("RTEMS_BSP=", line, f"{path}: not marked: {line}")


if __name__ == "__main__":
    unittest.main()
