# SPDX-License-Identifier: MIT
"""The goals, and the printing of figures beside their goals."""

# key: (what, published in the thesis, its code re-measured at -Os, must reach, aim).
# Numbers are upper limits; a RATIO is a lower one.
GOALS = {
    "arcs_wire": ("times fewer bytes: calls alone, 8 entries", "-", "1", 150, 250),
    "all_wire": ("times fewer bytes: whole stream, 32 entries", "-", "1", 10, 20),
    "call": ("cycles per call, counter in the cache at its own place", "2,739", "1,582", 80,
             52),
    "call_searched": ("  those found by search included", "2,739", "1,582", 80, 52),
    "sample": ("cycles per PC sample, counter in the cache at its own place", "1,444", "989",
               130, 85),
    "sample_searched": ("  those found by search included", "1,444", "989", 130, 85),
    "record": ("cycles per record sent", "2,739", "1,582", 900, 400),
    "stopped": ("cycles per call when stopped", "-", "51-57", 25, 18),
    "slowdown": ("slow-down of recursive fib(15)", "-", "49", 4, 2.5),
    "rom": ("ROM, bytes", "1,344", "764", 1344, 764),
    "ram": ("static RAM, no cache, 64-byte ring, bytes", "70", "71", 96, 70),
    "stack": ("worst stack, own frames nested, bytes", "136", "208", 136, 96),
}
RATIOS = {"arcs_wire", "all_wire"}


def number(value):
    if isinstance(value, float):
        return f"{value:,.1f}" if abs(value) < 1000 else f"{value:,.0f}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def table(headings, rows):
    """Prints rows under headings. The first column is aligned left, all others right."""
    cells = [headings] + [[number(value) for value in row] for row in rows]
    widths = [max(len(row[i]) for row in cells) for i in range(len(headings))]
    for row in cells:
        print("  ".join([row[0].ljust(widths[0])] +
                        [cell.rjust(width) for cell, width in zip(row[1:], widths[1:])])
              .rstrip())
    print()


class Goals:
    """Collects our figures; report() prints them beside the goals."""

    def __init__(self):
        self.ours = {}

    def reached(self, key, limit):
        return self.ours[key] >= limit if key in RATIOS else self.ours[key] <= limit

    def report(self):
        """Prints the table; returns the exit status, 1 if a "must" is missed."""
        rows, missed = [], 0
        for key in self.ours:
            what, published, remeasured, must, aim = GOALS[key]
            verdict = ("aim reached" if self.reached(key, aim) else
                       "reached" if self.reached(key, must) else "MISSED")
            missed += verdict == "MISSED"
            rows.append((what, published, remeasured, must, aim, self.ours[key], verdict))
        table(("goal", "thesis", "at -Os", "must", "aim", "ours", ""), rows)
        return 1 if missed else 0
