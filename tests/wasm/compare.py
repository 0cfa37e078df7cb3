#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs each command on files by the program and by its build for Node, on each capture in
build/firmware/: what they print, what they write and their status are the same bytes.

tests/wasm/compare.py PROGRAM"""
import concurrent.futures
import glob
import os
import shutil
import subprocess
import sys
import tempfile

NATIVE = os.path.abspath("build/mcuprof")
FORMATS = ("gmon", "folded", "speedscope", "pprof", "firefox", "dot", "json", "csv", "callgrind",
           "flamegraph", "perfetto")
# ELF, CAPTURE, OUT stand for files.
COMMANDS = [
    "report -e ELF CAPTURE", "report --flat --lines --gain -e ELF CAPTURE",
    "report --paths --callers main -e ELF CAPTURE", "report --by task -e ELF CAPTURE",
    "report --timeline -e ELF CAPTURE", "report -e none CAPTURE", "report -e ELF none",
    "report --columns nonsense -e ELF CAPTURE", "report --hz 7 -e ELF CAPTURE CAPTURE",
    "annotate -e ELF CAPTURE", "annotate --asm -e ELF CAPTURE",
    "html -e ELF -o OUT CAPTURE", "html --no-source -e ELF -o OUT --before CAPTURE CAPTURE",
    "diff -e ELF CAPTURE CAPTURE", "info CAPTURE", "info --json CAPTURE", "info ELF",
    "merge -o OUT CAPTURE CAPTURE", "merge --wire 3 -o OUT CAPTURE", "unwind OUT",
    "flags ELF", "lint ELF", "lint --json ELF", "gprof -p ELF CAPTURE", "gprof -b ELF CAPTURE",
    "--help", "help report", "completion bash", "nonsense",
] + [f"export --to {name} -e ELF -o OUT CAPTURE" for name in FORMATS]


def run(program, words, elf, folder):
    """Returns what a run printed, its status, and what it wrote."""
    out = os.path.join(folder, "out")
    if words == ["unwind", "OUT"]:  # in place
        shutil.copy(elf, out)
    words = [out if word == "OUT" else word for word in words]
    ran = subprocess.run([program, *words], stdin=subprocess.DEVNULL, capture_output=True,
                         cwd=folder, timeout=600, check=False)
    wrote = b""
    for name in sorted(os.listdir(folder)):  # gmon.sum, too
        path = os.path.join(folder, name)
        with open(path, "rb") as file:
            wrote += b"%b %o %b" % (name.encode(), os.fstat(file.fileno()).st_mode, file.read())
        os.remove(path)
    return ran.returncode, ran.stdout, ran.stderr.replace(folder.encode(), b""), wrote


def differs(program, words, elf):
    """Returns what differs: "" if nothing does."""
    with tempfile.TemporaryDirectory() as folder:
        both = [run(each, words, elf, folder) for each in (NATIVE, program)]
    names = ("status", "output", "errors", "file")
    # What only the build for Node says of itself.
    if words == ["--help"]:
        both[1] = both[1][0], both[1][1].partition(b"\n\n")[2], *both[1][2:]
    return ", ".join(name for name, one, other in zip(names, *both) if one != other)


def main(program):
    program = os.path.abspath(program)
    pairs = [(path[:-len("mprof")] + "elf", path)
             for path in sorted(glob.glob(os.path.abspath("build/firmware/*/*.mprof")))]
    runs = [([{"ELF": elf, "CAPTURE": capture}.get(word, word) for word in command.split()], elf)
            for elf, capture in pairs for command in COMMANDS]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(lambda each: differs(program, *each), runs))
    for (words, _), what in zip(runs, results):
        if what:
            print(f"FAIL {' '.join(words)}: {what}")
    print(f"{len(runs)} runs of {len(pairs)} captures, {sum(map(bool, results))} differ")
    return 1 if any(results) or not pairs else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
