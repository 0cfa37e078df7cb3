# SPDX-License-Identifier: MIT
"""Compares the table of `mcuprof unwind` with the compiler's frame information, as readelf prints
it.

    PYTHONPATH=tests/golden python3 tests/golden/frames.py ELF...
"""
import bisect
import re
import subprocess
import sys

from mcuprof_run import PROGRAM

ENTRY = re.compile(r" FDE .*pc=([0-9a-f]+)\.\.([0-9a-f]+)")
FUNCTION = re.compile(r"^ *\d+: ([0-9a-f]+) +(\d+) FUNC +\S+ +\S+ +\d+ (\S+)", re.M)
CODE = re.compile(r"^ *([0-9a-f]+):\t[0-9a-f ]+\t(\S+)", re.M)
CALLS = ("bl", "blx", "jal", "jalr")


def output(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True,
                          errors="replace").stdout


class Machine:
    """readelf's names for the stack pointer and the frame pointer. readelf calls every return
    address `ra`."""

    def __init__(self, elf):
        header = output("readelf", "-h", elf)
        self.arm = "RISC-V" not in header
        self.tools = "arm-none-eabi-" if self.arm else "riscv64-unknown-elf-"
        symbols = FUNCTION.findall(output(self.tools + "readelf", "-sW", elf))
        starts = [int(address, 16) for address, _, name in symbols if name == "mcuprof_start"]
        starts += [min((int(address, 16) & ~1, int(address, 16)) for address, *_ in symbols)[1]]
        self.sp, self.fp = ("r13", "r7" if starts[0] & 1 else "r11") if self.arm else ("sp", "s0")
        mask = ~1 if self.arm else ~0
        self.functions = {int(address, 16) & mask: (int(size), name)
                          for address, size, name in symbols if int(size) > 0}


def told(elf, machine):
    """Returns {address: (register, offset, {register: offset from the base})} for each place where
    the frame information of a linked function changes; None behind a function."""
    found, here, names = {}, None, []
    for line in output(machine.tools + "readelf", "--debug-dump=frames-interp", elf).splitlines():
        entry, words = ENTRY.search(line), line.split()
        if entry:
            low, high = (int(each, 16) for each in entry.groups())
            here = high if machine.functions.get(low, (0,))[0] == high - low else None
        elif " CIE " in line or not words:
            here = None
        elif here and words[0] == "LOC":
            names = words[2:]
        elif here:
            register, offset = re.fullmatch(r"(\w+)([+-]\d+)", words[1]).groups()
            saved = {name: int(rule[1:]) for name, rule in zip(names, words[2:])
                     if re.fullmatch(r"c-\d+", rule)}
            found[int(words[0], 16)] = (register, int(offset), saved)
            found.setdefault(here, None)
    return found


def rows(elf):
    """Returns the rows of the table: {address: (fp or sp, size, where, saved)}."""
    found = {}
    for line in output(PROGRAM, "unwind", "--table", elf).splitlines():
        address, size, where, _ = line.split()
        where, _, saved = where.partition(",")
        found[int(address, 16)] = ("fp" if size.startswith("fp+") else "sp",
                                   int(size.removeprefix("fp+")), where, saved or "0")
    return found


def at(places, address):
    return places[1][bisect.bisect_right(places[0], address) - 1]


def sorted_places(found):
    keys = sorted(found)
    return keys, [found[key] for key in keys]


def agrees(machine, row, frame, uses_saved, is_call):
    """Whether a row agrees with the frame information. Sizes are not compared if one uses the stack
    pointer and the other the frame pointer. A register that was loaded again also still lies on the
    stack; but then no call follows."""
    base, size, where, saved = row
    register, offset, slots = frame
    right = [where == (str(-slots["ra"] // 4) if "ra" in slots else "link") or
             ("ra" not in slots and where.isdigit() and not is_call)]
    if register == (machine.fp if base == "fp" else machine.sp):
        right.append(size == offset)
    elif base == "fp":
        right.append(False)
    if uses_saved:
        slot = str(-slots[machine.fp] // 4) if machine.fp in slots else "0"
        right.append(saved == slot or (where == "link" and saved == "0") or
                     (slot == "0" and saved != "lost" and not is_call))
    return all(right)


def is_freed(row, frame, machine):
    """Whether an epilogue has freed part of the frame: Thumb's frame information does not cover
    epilogues."""
    base, size, where, _ = row
    register, offset, _ = frame
    return size < offset or (base == "sp" and register == machine.fp)


def compare(elf):
    """Compares all calls. Returns how many there were, in how many of them the frame pointer gives
    the frame, how many places the table does not know, and lines about differences."""
    machine = Machine(elf)
    table, frames = sorted_places(rows(elf)), sorted_places(told(elf, machine))
    uses_saved = any(row[0] == "fp" for row in table[1])
    code = {int(address, 16): name for address, name in
            CODE.findall(output(machine.tools + "objdump", "-d", elf))}
    calls = {address for address, name in code.items() if name in CALLS}
    compared, based, unknown, wrong = 0, 0, 0, []
    for address in sorted(calls.union(table[0], frames[0])):
        frame = at(frames, address) if address >= frames[0][0] else None
        row = at(table, address)
        is_call = address in calls
        if frame is None or row[2] in ("end", "handler") or code.get(address, "nop") == "nop":
            continue
        if is_call:
            compared, based = compared + 1, based + (row[0] == "fp")
        if row[2] == "unknown":
            unknown += 1
        elif not agrees(machine, row, frame, uses_saved, is_call) and (
                is_call or not is_freed(row, frame, machine)):
            wrong.append(f"{address:x}: {row}, but {frame}")
    return compared, based, unknown, wrong


if __name__ == "__main__":
    for each in sys.argv[1:]:
        counts = compare(each)
        print(f"{each}: {counts[0]} calls, {counts[1]} of them by the frame pointer; "
              f"{counts[2]} places unknown, {len(counts[3])} differ")
        print("".join(line + "\n" for line in counts[3][:20]), end="")
