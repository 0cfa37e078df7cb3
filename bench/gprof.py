#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares mcuprof gprof with GNU gprof on big programs: user time and peak memory, measured one
after the other in one run. At the sizes of the goals GNU gprof takes ten minutes. All ratios but
those of DWARF grow with the input. See README.md.

    bench/gprof.py [--quick] [WORD...]  --quick: smaller inputs, half a minute, other goals;
                                        WORD: only inputs whose name contains it
"""
import os
import random
import struct
import subprocess
import sys
import tempfile

from goals import table

OUT = "build/bench/gprof"
MEASURED = OUT + "/measured"
PROGRAM = os.path.abspath("build/mcuprof")
GNU = "arm-none-eabi-gprof"
TEXT, FUNCTION_BYTES = 0x8000, 16
LIMIT_SECONDS = 3600
SHORT_SECONDS = 2  # a shorter run is made three times, and the fastest counts
START_SECONDS = 0.01  # a smaller difference is start-up


def elf(path, count):
    """Writes an ARM program of `count` global functions without debug information."""
    names = b"\0" + b"".join(b"function_%06d\0" % i for i in range(count))
    symbols = bytes(16) + b"".join(
        struct.pack("<IIIBBH", 1 + 16 * i, TEXT + FUNCTION_BYTES * i, FUNCTION_BYTES, 0x12, 0, 1)
        for i in range(count))
    section_names = b"\0.text\0.symtab\0.strtab\0.shstrtab\0"
    parts = [b"\x1e\xff\x2f\xe1" * (FUNCTION_BYTES // 4) * count, symbols, names, section_names]
    offsets, at = [], 52
    for part in parts:
        offsets.append(at)
        at += len(part) + -len(part) % 4
    header = struct.pack("<4sBBBB8xHHIIIIIHHHHHH", b"\x7fELF", 1, 1, 1, 0, 2, 40, 1, TEXT, 0, at,
                         0x05000000, 52, 0, 0, 40, 5, 4)
    sections = bytes(40) + b"".join(
        struct.pack("<10I", *section) for section in (
            (1, 1, 6, TEXT, offsets[0], len(parts[0]), 0, 0, 4, 0),
            (7, 2, 0, 0, offsets[1], len(parts[1]), 3, 1, 4, 16),
            (15, 3, 0, 0, offsets[2], len(parts[2]), 0, 0, 1, 0),
            (23, 3, 0, 0, offsets[3], len(parts[3]), 0, 0, 1, 0)))
    with open(path, "wb") as file:
        file.write(header)
        for part in parts:
            file.write(part + bytes(-len(part) % 4))
        file.write(sections)


def gmon(path, low, high, arcs, seed):
    """Writes some samples everywhere, and the given arcs (caller, callee, count)."""
    chance = random.Random(seed)
    bins = (high - low) // 4
    with open(path, "wb") as file:
        file.write(b"gmon" + struct.pack("<I12x", 1) + b"\0"
                   + struct.pack("<IIII15sc", low, high, bins, 1000, b"seconds", b"s")
                   + struct.pack(f"<{bins}H", *chance.choices(range(4), k=bins))
                   + b"".join(struct.pack("<BIII", 1, *arc) for arc in arcs))


def start_of(number):
    return TEXT + FUNCTION_BYTES * number


def call(caller, callee, count=1):
    return start_of(caller) + 4, start_of(callee), count


def random_calls(count, arcs, seed):
    chance = random.Random(seed)
    return [call(chance.randrange(count), chance.randrange(count), chance.randrange(1, 100))
            for _ in range(arcs)]


def tree_calls(count, arcs, seed):
    """Returns calls like random_calls(), but without cycles: callers come before callees."""
    return [call(*sorted((a - TEXT) // FUNCTION_BYTES for a in (caller - 4, callee)), times)
            for caller, callee, times in random_calls(count, arcs, seed)]


def star(count):
    return [call(0, i, i % 7 + 1) for i in range(1, count)]


def fan(count):
    return [call(i, 0, i % 7 + 1) for i in range(1, count)]


def ring(count):
    return [call(i, (i + 1) % count) for i in range(count)] + random_calls(count, 2 * count, 3)


def synthetic(name, count, arcs):
    """Returns (program, profile) of `count` functions."""
    paths = f"{OUT}/{name}-{count}.elf", f"{OUT}/{name}-{count}.gmon"
    elf(paths[0], count)
    gmon(paths[1], TEXT, start_of(count), arcs, 1)
    return paths


def compiled_file(name, first, count):
    """Writes a source file of functions that loop and call the one after next."""
    lines = ["extern volatile int sink;"]
    lines += [f"int function_{i}(int n);" for i in range(first, first + count + 2)]
    for i in range(first, first + count):
        lines += [f"int function_{i}(int n)", "{", "    int x = n * 3;", f"    if (x > {i % 90})",
                  "        sink += x;", f"    for (int i = 0; i < {i % 5 + 2}; i++)",
                  f"        x ^= sink << {i % 7};",
                  f"    return n > {i % 11} ? function_{i + 2}(x) + 1 : x;", "}"]
    with open(name, "w", encoding="ascii") as file:
        file.write("\n".join(lines) + "\n")


def compiled(count):
    """Returns (program, profile, stripped program) of `count` compiled functions with DWARF 5."""
    path = f"{OUT}/dwarf-{count}"
    files, each = [], 500
    if not os.path.exists(path + ".elf"):
        for first in range(0, count, each):
            compiled_file(f"{path}-{first}.c", first, each)
            files.append(f"{path}-{first}.c")
        with open(f"{path}-end.c", "w", encoding="ascii") as file:
            file.write(f"volatile int sink;\nint function_{count}(int n) {{ return n; }}\n"
                       f"int function_{count + 1}(int n) {{ return n; }}\n")
        subprocess.run(["arm-none-eabi-gcc", "-O1", "-gdwarf-5", "-mcpu=cortex-m3", "-mthumb",
                        "-nostdlib", f"-Wl,-Ttext={TEXT:#x},-e,function_0", "-o", path + ".new",
                        *files, f"{path}-end.c"], check=True)
        os.rename(path + ".new", path + ".elf")
    subprocess.run(["arm-none-eabi-strip", "--strip-debug", "-o", path + ".stripped",
                    path + ".elf"], check=True)
    listed = subprocess.run(["arm-none-eabi-nm", "-n", path + ".elf"], check=True, text=True,
                            stdout=subprocess.PIPE).stdout.split("\n")
    starts = [int(line.split()[0], 16) & ~1 for line in listed if " T function_" in line]
    chance = random.Random(5)
    arcs = [(chance.choice(starts) + 4, chance.choice(starts), chance.randrange(1, 50))
            for _ in range(3 * count)]
    gmon(path + ".gmon", TEXT, starts[-1] + 4 & ~3, arcs, 2)
    return path + ".elf", path + ".gmon", path + ".stripped"


def build_measured():
    subprocess.run([os.environ.get("CC", "cc"), "-std=c11", "-D_GNU_SOURCE", "-O2", "-Wall",
                    "-Wextra", "-Werror", "-o", MEASURED, "bench/measured.c"], check=True)


def once(command):
    """Runs the command; returns (user seconds, peak KiB, path of what it printed)."""
    with tempfile.NamedTemporaryFile(dir=OUT, delete=False) as out:
        pass
    done = subprocess.run([MEASURED, out.name, *command], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, timeout=LIMIT_SECONDS, check=True)
    microseconds, memory, status = map(int, done.stdout.split())
    if status:
        raise RuntimeError(f"{' '.join(command)}: status {status}")
    return microseconds / 1e6, memory, out.name


def measure(command):
    seconds, memory, printed = once(command)
    for _ in range(2 if seconds < SHORT_SECONDS else 0):
        os.remove(printed)
        again, memory, printed = once(command)
        seconds = min(seconds, again)
    return seconds, memory, printed


def same(left, right):
    with open(left, "rb") as one, open(right, "rb") as other:
        while True:
            a, b = one.read(1 << 20), other.read(1 << 20)
            if a != b:
                return False
            if not a:
                return True


def compare(name, options, paths, goal):
    """Returns a row of the table, and whether it meets its goals."""
    arguments = [*options.split(), *paths[:2]]
    ours_seconds, ours_memory, ours = measure([PROGRAM, "gprof", *arguments])
    gnu_seconds, gnu_memory, gnu = measure([GNU, *arguments])
    identical = same(ours, gnu)
    os.remove(ours)
    os.remove(gnu)
    ratio = gnu_seconds / max(ours_seconds, 0.001)
    smaller = ours_memory <= gnu_memory
    fast = ratio >= goal or ours_seconds < START_SECONDS
    verdict = ("DIFFERENT" if not identical else "SLOW" if not fast else
               "BIG" if not smaller else "reached")
    print(f"{name} {options}: {verdict}", file=sys.stderr, flush=True)
    return ((name, options, f"{gnu_seconds:.2f}", f"{ours_seconds:.3f}", ratio, goal,
             gnu_memory / 1024, ours_memory / 1024, verdict), verdict == "reached")


def inputs(quick):
    """Returns a list of (name, function that makes (program, profile), [(options, times
    faster)])."""
    many, arcs, calls = (20000, 200000, 4) if quick else (100000, 1000000, 25)
    wide, deep, lines = (10000, 5000, 5) if quick else (50000, 20000, 20)
    tangled = deep // 2
    return [
        ("calls", lambda: synthetic("calls", many, tree_calls(many, arcs, 1)), [("-b", calls)]),
        ("tangled calls", lambda: synthetic("tangle", tangled,
                                            random_calls(tangled, 10 * tangled, 2)),
         [("-b", 1)]),
        ("star", lambda: synthetic("star", wide, star(wide)), [("-b", 10), ("-b -r", 1)]),
        ("fan", lambda: synthetic("fan", wide, fan(wide)), [("-b", 10)]),
        ("one cycle", lambda: synthetic("ring", wide, ring(wide)), [("-b", 10)]),
        ("DWARF", lambda: compiled(deep)[:2],
         [("-b -p -q", 2), ("-b -l -p", 4), ("-b -l -q", 1), ("-b -C", 1)]),
        ("stripped", lambda: (compiled(deep)[2], compiled(deep)[1]),
         [("-b -p -q", 1), ("-b -l -p", lines)]),
    ]


def main(arguments):
    quick = "--quick" in arguments
    words = [word for word in arguments if word != "--quick"]
    os.makedirs(OUT, exist_ok=True)
    build_measured()
    rows, good = [], True
    for name, make, runs in inputs(quick):
        if words and not any(word in name for word in words):
            continue
        paths = make()
        for options, goal in runs:
            row, reached = compare(name, options, paths, goal)
            rows.append(row)
            good &= reached
    table(("input", "options", "GNU s", "ours s", "times faster", "must", "GNU MB", "ours MB", ""),
          rows)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
