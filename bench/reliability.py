#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the commands of the table in docs/reliability.md, and writes it anew, row by row: all take a
day. Several may run at once, for other rows.

    bench/reliability.py [--short] [--seconds N] [WORD...]
        WORD: only rows whose command contains it; the others stay as they are
        --seconds: in place of those that a row's command has
"""
import argparse
import datetime
import fcntl
import os
import re
import subprocess
import sys
import time
import typing

PAGE = "docs/reliability.md"
BEGIN, END = "<!-- made by `make reliability` -->\n", "<!-- end -->\n"
PARENT = ("MAKEFLAGS", "MFLAGS", "MAKEOVERRIDES", "MAKELEVEL", "WORDS", "SHORT",
          "SECONDS", "SWEEP", "SEED", "CHECK_BOARD", "FUZZ_TARGETS", "FAULT_TIMES")
HEAD = "| command | tried | bound | outcome | when, and how long |\n| --- | --- | --- | --- | --- |\n"


# What takes hours has a row for each of these.
SAMPLED = ("mps2-an385", "mps2-an386", "mps2-an505", "versatilepb", "virt", "leon3")
BOARDS = (*SAMPLED, "atmega1284p", "mega2560", "microbit")  # measure.py
SWEPT = [board for board in BOARDS if board not in ("mps2-an386", "mega2560")]  # test_sweep.py
ATTACKED = ("microbit", "mps2-an385", "mps2-an505", "virt", "versatilepb")  # attack.py
READERS = sorted(os.listdir("tests/fuzz/corpus"))


class Row(typing.NamedTuple):
    """`found`: a regular expression for the parts of the command's output that the row shows."""
    command: str
    short: str
    tried: str
    bound: str
    found: str


TESTS = r"^(\d+ passed, \d+ failed|Ran \d+ tests)"
ROWS = (
    *(Row(f'make bench-truth WORDS="-s 2 -b {board}"',
          f'make bench-truth WORDS="-s 2 -b {board} -r 4000 zlib truth"',
          "what twelve formats say, beside the emulator's log",
          f"counts exact{'; 93 % of shares within 2 errors; bias 0.2' * (board in SAMPLED)}",
          r"^(?:truth: |(?=MISSED))(.*)") for board in BOARDS),
    *(Row(f'make attack WORDS="-b {board}"', f'make attack WORDS="-b {board} -n 1200 -p 600"',
          "call paths of random programs that are built to break the walk, beside the emulator's "
          "log", "0 wrong; unsure or cut 2 % in the mean, 5 % of each class but two at most; "
          "undecided 0.5 %; 93 % of shares within 2 errors",
          r"^(?:attacked: |(?=MISSED|SEED))(.*)") for board in ATTACKED),
    Row("make faults FAULT_TIMES=1000000", "make faults FAULT_TIMES=20000",
        "one fault of each kind at each byte of four captures; up to four, or bit errors at 10⁻⁶ to "
        "10⁻², in 13 of all modes, six boards, an RTOS",
        "falsely counted, wrong totals, understated, needlessly refused: 0; one fault costs the "
        "blocks that it hits", r"^in all +(.*)"),
    Row("tests/run.py golden/test_no_memory", "tests/run.py golden/test_no_memory",
        "each allocation of each command fails in turn", "an error, or the whole output", TESTS),
    Row("tests/run.py firmware/test_stress", "tests/run.py firmware/test_stress",
        "start, stop, flush, write from a tick, in the midst of the program's own; ring of 64 "
        "bytes; 1,200 baud", "ends; received + lost = counted; results right", TESTS),
    Row("tests/run.py firmware/test_storm firmware/test_brim firmware/test_abi firmware/test_asleep",
        "tests/run.py firmware/test_storm firmware/test_brim firmware/test_abi firmware/test_asleep",
        "interrupts nest while the ring is full; stacks are full to the last word, with the MPU "
        "on; registers and flags; sleep", "no fault; received + lost = counted; as before", TESTS),
    *(Row(f"make sweep CHECK_BOARD={board}",
          f"make sweep CHECK_BOARD={board} SWEEP=61",
          "an interrupt at each instruction of the hooks, start, stop, flush, write, a sample, a "
          "switch of tasks, a mark (SWEEP=61: at each 61st)",
          "received + lost = counted; registers and flags as before", TESTS) for board in SWEPT),
    Row("tests/run.py golden/test_strict golden/test_record golden/test_reconnect golden/test_names",
        "tests/run.py golden/test_strict golden/test_record golden/test_reconnect golden/test_names",
        "each kind of loss by each command; a full disk, two recorders, kill -9, a device that "
        "comes back; hostile names", "told in the same words; nothing received is lost; harmless",
        TESTS),
    Row("make soak", "make soak SECONDS=20",
        "a board at full line rate with tasks, paths, a reset each life; a line that drops, "
        "flips, doubles, inserts", "received + lost = counted; memory grows by 256 KiB at most",
        r"^soaked: (.*)"),
    Row("make bench-large", 'make bench-large WORDS="--gib 0.2 --keys 1000000"',
        "info and report of a capture that is made while they read it; different calls",
        "counts exact; memory grows by 1 MiB at most; 24 bytes for each different call and 64 MiB",
        r"^large: (.*)"),
    Row("make analyse", "make analyse",
        "gcc's `-fanalyzer` and clang's warnings", "no warning", r"^analysed: (.*)"),
    *(Row(f"make fuzz FUZZ_TARGETS={reader} SECONDS=3600",
          f"make fuzz FUZZ_TARGETS={reader} SECONDS=2",
          "hostile input, with ASan and UBSan, in seconds of a processor",
          "no finding; 10 s, 2 GiB at most", rf"^fuzz: {reader} (.*)") for reader in READERS),
)


def outcome(row, text, status):
    """Returns a cell: the parts that were found, one after the other."""
    found = re.findall(row.found, text, re.M)
    counted = {}
    for each in found:
        each = re.sub(r"  +", " ", each).replace("|", "/")
        counted[each] = counted.get(each, 0) + 1
    cell = "; ".join(f"{each}{f' ({times} times)' if times > 1 else ''}"
                     for each, times in counted.items())
    return f"{'kept' if status == 0 else '**missed**'}: {cell or 'nothing printed'}"


def is_of(row, line):
    """Whether a line of the table is this row's, with whatever seconds."""
    return any(f"`{re.sub('SECONDS=[0-9]+', 'SECONDS=', command)}`"
               in re.sub("SECONDS=[0-9]+", "SECONDS=", line)
               for command in (row.command, row.short))


def run(row, chosen):
    command, began = row.short if chosen.short else row.command, time.monotonic()
    if chosen.seconds is not None:
        command = re.sub("SECONDS=[0-9]+", f"SECONDS={chosen.seconds}", command)
    # this make must not inherit the variables of the make that runs this
    own = {name: value for name, value in os.environ.items() if name not in PARENT}
    done = subprocess.run(["sh", "-c", command], check=False, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace", env=own)
    seconds = time.monotonic() - began
    return (f"| `{command}` | {row.tried} | {row.bound} | "
            f"{outcome(row, done.stdout, done.returncode)} | "
            f"{datetime.date.today()}, {seconds:.0f} s |\n"), done.returncode == 0


def put(row, line):
    """Writes a row's line in place of the old one, whoever else writes others."""
    with open(__file__, encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with open(PAGE, encoding="utf-8") as file:
            before, _, rest = file.read().partition(BEGIN)
        old, _, after = rest.partition(END)
        lines = {row: line for row in ROWS for line in old.splitlines(True) if is_of(row, line)}
        lines[row] = line
        with open(PAGE + ".new", "w", encoding="utf-8") as file:
            file.write(before + BEGIN + HEAD +
                       "".join(lines[each] for each in ROWS if each in lines) + END + after)
        os.replace(PAGE + ".new", PAGE)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("words", nargs="*")
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--seconds", type=int)
    chosen = parser.parse_args()
    rows = [row for row in ROWS
            if not chosen.words or any(word in row.command for word in chosen.words)]
    if not rows:
        sys.exit(f"bench/reliability.py: no row's command contains {' or '.join(chosen.words)}")
    kept = True
    for row in rows:
        line, good = run(row, chosen)
        kept = kept and good
        print(line, end="", flush=True)
        put(row, line)
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
