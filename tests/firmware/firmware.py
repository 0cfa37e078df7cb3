# SPDX-License-Identifier: MIT
"""Builds an example for a board with some knobs, boots it in the board's emulator through
`make capture`, and gives what came over its serial line."""
import hashlib
import json
import os
import re
import subprocess

BOARDS = ["microbit", "mps2-an385", "mps2-an386", "mps2-an505"]
MCUPROF = "build/mcuprof"


class Run:
    """One run of a firmware: its ELF, its capture, its console text."""

    def __init__(self, board, example, knobs="", optimise="-Os"):
        key = hashlib.sha1(f"{knobs} {optimise}".encode()).hexdigest()[:10]
        out = f"build/tests/{board}/{key}"
        self.elf = f"{out}/{example}.elf"
        self.capture = f"{out}/{example}.mprof"
        if os.path.exists(self.capture):
            os.remove(self.capture)
        made = subprocess.run(
            ["make", "-s", "capture", f"BOARD={board}", f"EXAMPLE={example}",
             f"KNOBS={knobs}", f"OPTIMISE={optimise}", f"OUT={out}"],
            capture_output=True, text=True, timeout=60)
        if made.returncode != 0:
            raise AssertionError(f"make capture {board} {example} {knobs}: "
                                 f"{made.returncode}\n{made.stdout}{made.stderr}")
        self.console = made.stdout
        self.summary = made.stderr

    def said(self, word):
        """The number that the firmware printed after this word."""
        return int(re.search(rf"^{word} (\d+)$", self.console, re.M).group(1))

    def info(self):
        return json.loads(output("info", "--json", self.capture))

    def model(self):
        return json.loads(output("export", "--to", "json", "-e", self.elf, self.capture))

    def calls(self):
        """{(caller or None, callee): count} between functions."""
        model = self.model()
        names = [function["name"] for function in model["functions"]]
        return {(None if arc["caller"] is None else names[arc["caller"]],
                 names[arc["callee"]]): arc["count"] for arc in model["function_calls"]}


def output(*arguments):
    """Standard output of mcuprof; an AssertionError with its errors if it fails."""
    ran = subprocess.run([MCUPROF, *arguments], capture_output=True, timeout=120)
    if ran.returncode != 0:
        raise AssertionError(f"mcuprof {arguments}: {ran.returncode}\n{ran.stderr.decode()}")
    return ran.stdout.decode()
