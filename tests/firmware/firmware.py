# SPDX-License-Identifier: MIT
"""Builds an example for a board with some knobs, boots it in the board's emulator with `make
capture`, and returns what came over its serial line."""
import hashlib
import json
import os
import re
import signal
import subprocess
import sys
import typing
import unittest


class Board(typing.NamedTuple):
    """What the tests must know of a board. `turn_ns`: the time of a turn of BURN() on its emulator;
    None if the emulator has only the PC's clock. `tick_caller`: the caller of the function that
    board_tick() is given; None if no code of the ELF calls it (on Thumb-2 board_tick_entry() jumps
    there, and the caller is EXC_RETURN). `fastest_hz`: a sampling rate that leaves some time for
    the program. `blocks`: the compiler can count blocks. `slow_line`: the line can be made slow."""
    tools: str
    turn_ns: typing.Optional[int]
    tick_caller: typing.Optional[str] = "board_tick_entry"
    cortex_m: bool = False
    fpu: bool = False
    byte_order: str = "little"
    fastest_hz: int = 20000
    blocks: bool = True
    slow_line: bool = True


# All boards: a board that is added here is in each test that iterates over them.
BOARDS = {
    "microbit": Board("arm-none-eabi-", 128, cortex_m=True),
    "mps2-an385": Board("arm-none-eabi-", 64, None, cortex_m=True),
    "mps2-an386": Board("arm-none-eabi-", 64, None, cortex_m=True, fpu=True),
    "mps2-an505": Board("arm-none-eabi-", 64, None, cortex_m=True, fpu=True),
    "versatilepb": Board("arm-none-eabi-", 64),
    "virt": Board("riscv64-unknown-elf-", 64),
    "leon3": Board("sparc64-linux-gnu-", 96, byte_order="big", fastest_hz=10000),
    "atmega1284p": Board("avr-", 125, "__vector_16", fastest_hz=1500, blocks=False),
    "mega2560": Board("avr-", None, "__vector_32", fastest_hz=10000, blocks=False,
                      slow_line=False),
}
CORTEX_M = [name for name, board in BOARDS.items() if board.cortex_m]
WITH_BLOCKS = [name for name, board in BOARDS.items() if board.blocks]
WITH_CLOCK = [name for name, board in BOARDS.items() if board.turn_ns]
WITH_SLOW_LINE = [name for name, board in BOARDS.items() if board.slow_line]
MCUPROF = "build/mcuprof"
LIMIT_SECONDS = 120  # also on a busy machine


class Run:
    """One run of a firmware: its ELF, its capture, its console text."""

    def __init__(self, board, example, knobs="", optimise="-Os", cflags=None, variables=()):
        """`cflags`: for the example's files only; None: its own. `variables`: further variables of
        make, NAME=VALUE. With CHECK_BOARD, tests of other boards are skipped."""
        if os.environ.get("CHECK_BOARD", board) != board:
            raise unittest.SkipTest(f"of another board than {os.environ['CHECK_BOARD']}")
        by = sys.argv[1:]  # modules run side by side, so each has folders of its own
        key = f"{knobs} {optimise} {cflags} {variables} {by}"
        key = hashlib.sha1(key.encode()).hexdigest()[:10]
        out = f"build/tests/{board}/{key}"
        self.board = board
        self.elf = f"{out}/{example}.elf"
        self.capture = f"{out}/{example}.mprof"
        if os.path.exists(self.capture):
            os.remove(self.capture)
        self.console, self.summary = make(
            "capture", f"BOARD={board}", f"EXAMPLE={example}", f"KNOBS={knobs}",
            f"OPTIMISE={optimise}", f"OUT={out}",
            *variables, *([] if cflags is None else [f"EXAMPLE_CFLAGS={cflags}"]))

    def said(self, word):
        """Returns the number that the firmware printed after this word."""
        return int(re.search(rf"^{word} (\d+)$", self.console, re.M).group(1))

    def info(self):
        return json.loads(output("info", "--json", self.capture))

    def model(self, *options):
        return json.loads(output("export", "--to", "json", *options, "-e", self.elf,
                                 self.capture))

    def calls(self):
        """Returns {(caller or None, callee): count} of the calls that were counted."""
        model = self.model()
        names = [function["name"] for function in model["functions"]]
        return {(None if arc["caller"] is None else names[arc["caller"]],
                 names[arc["callee"]]): arc["count"]
                for arc in model["function_calls"] if arc["count"]}


def make(*arguments):
    """Runs make; returns its standard output and errors. If make takes too long, ends all processes
    that it started."""
    process = subprocess.Popen(["make", "-s", "PROGRAM_THERE=1", *arguments], text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               start_new_session=True)
    try:
        out, errors = process.communicate(timeout=LIMIT_SECONDS)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGTERM)  # mcuprof record ends the emulator
        out, errors = process.communicate(timeout=LIMIT_SECONDS)
        errors += f"took more than {LIMIT_SECONDS} s\n"
    if process.returncode != 0:
        raise AssertionError(f"make {arguments}: {process.returncode}\n{out}{errors}")
    return out, errors


def output(*arguments):
    """Returns mcuprof's standard output; if it fails, raises an AssertionError with its errors."""
    ran = subprocess.run([MCUPROF, *arguments], capture_output=True, timeout=120)
    if ran.returncode != 0:
        raise AssertionError(f"mcuprof {arguments}: {ran.returncode}\n{ran.stderr.decode()}")
    return ran.stdout.decode()
