# SPDX-License-Identifier: MIT
"""Reads what `mcuprof annotate` prints."""
import os
import re
import subprocess

from firmware import MCUPROF

COLUMNS = ["self %", "samples", "below %", "ran", "calls", "line"]


class Row:
    """The text of each column of a line, an instruction or inlined code."""

    def __init__(self, cells, source):
        self.share = float(cells.get("self %") or 0)
        self.samples = float((cells.get("samples") or "0").split()[0])
        self.at_most = cells.get("ran", "").startswith("≤")
        self.ran = int(cells["ran"].lstrip("≤")) if cells.get("ran") else None
        self.calls = self.entries = 0
        if found := re.search(r"(\d+)→", cells.get("calls", "")):
            self.calls = int(found[1])
        if found := re.search(r"→(\d+)", cells.get("calls", "")):
            self.entries = int(found[1])
        self.line = cells.get("line", "")
        self.source = source
        self.inlined = re.match(r" *↳ (\S+) (\S+:\d+)", source)


class Function:
    def __init__(self, title, place):
        found = re.match(r"(.+?)(?:  |$)(?:((?:below )?[\d.]+) %, ([\d.]+)(?: ±[\d.]+)? samples)?",
                         title)
        self.name = found[1]
        self.share = 0 if (found[2] or "below").startswith("below") else float(found[2])
        self.samples = float(found[3] or 0)
        self.written = "as written" in title
        self.title, self.place, self.rows = title, place, []

    def line(self, number):
        return next(row for row in self.rows if row.line == str(number))


def parse(text):
    """Returns the functions, in order."""
    lines, functions, ends = text.split("\n"), [], None
    for at, line in enumerate(lines):
        if line.endswith("  source") and " line " in line:
            ends = [(name, line.index(name) + len(name)) for name in COLUMNS if name in line]
            functions.append(Function(lines[at - 3], lines[at - 2]))
            source = line.index("source")
        elif line == "":
            ends = None
        elif ends:
            cells, begin = {}, 0
            for name, end in ends:
                cells[name] = line[begin:end].strip()
                begin = end
            functions[-1].rows.append(Row(cells, line[source:]))
    return functions


def annotate(*arguments, status=0, environment=None):
    """Returns (functions, standard output, standard error)."""
    ran = subprocess.run([MCUPROF, "annotate", "--limit", "0", *map(str, arguments)], capture_output=True,
                         timeout=60, check=False,
                         env=dict(os.environ, LC_ALL="C.UTF-8", **(environment or {})))
    errors = ran.stderr.decode()
    if ran.returncode != status:
        raise AssertionError(f"annotate {arguments}: {ran.returncode}\n{errors}")
    return parse(ran.stdout.decode()), ran.stdout.decode(), errors
