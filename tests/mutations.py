#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Puts mutations into host/, one at a time, and tells which tests catch them.

tests/mutations.py UNIT_DIR MODULE... (make mutations; SEED=N repeats a run, COUNT=N)

It works in a tree of links to the project, build/mutations, with a copy of host/. That tree is
built twice: with --coverage, to learn which tests run which lines, and under ASan and UBSan, to
be mutated: an index one too large then fails as it does in make test-sanitized. A place is drawn
from the lines that some test runs; the unit tests that run it are run first, then the modules,
until one fails. A mutation that compiles to the same bytes is drawn again.

What passes all its tests is printed as a diff: look whether it changes an answer. It ends with
status 1 where such mutations are left, and 2 where it could not run."""
import glob
import json
import os
import random
import re
import shutil
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TREE = os.path.join(ROOT, "build", "mutations")
COVERED = os.path.join(TREE, "covered")
MUTATED = os.path.join(TREE, "mutated")
COUNTS = os.path.join(TREE, "counts")  # a folder for each test, with the counters that it left
LIMIT_SECONDS = 600  # of one test; a mutation may never end
SANITIZE = "-fsanitize=address,undefined -fno-sanitize-recover=undefined"
MUTATED_FLAGS = ("-g0 -O1 " + SANITIZE, SANITIZE)
LEAKS = {"LSAN_OPTIONS": "suppressions=tests/leaks.supp:print_suppressions=0"}
# (what it is called, a pattern, what it becomes). Blanks around an operator, as clang-format lays
# them, keep pointers and types out.
OPERATORS = [
    ("boundary", r" < ", " <= "), ("boundary", r" <= ", " < "),
    ("boundary", r" > ", " >= "), ("boundary", r" >= ", " > "),
    ("equal", r" == ", " != "), ("equal", r" != ", " == "),
    ("logical", r" && ", " || "), ("logical", r" \|\| ", " && "),
    ("arithmetic", r" \+ ", " - "), ("arithmetic", r" - ", " + "),
    ("arithmetic", r" \* (?=[a-z0-9(])", " / "), ("arithmetic", r" / ", " * "),
    ("arithmetic", r" \+= ", " -= "), ("arithmetic", r" -= ", " += "),
    ("negated", r"(?<=if \()(?=[a-z])", "!"), ("negated", r"(?<=[ (])!(?=[a-z])", ""),
    ("constant", r"(?<=[ (\[])0(?=[;,)\]])", "1"), ("constant", r"(?<=[ (\[])1(?=[;,)\]])", "0"),
    ("constant", r"\btrue\b", "false"), ("constant", r"\bfalse\b", "true"),
    ("statement", r"^ +[a-z_]+\([^;]*\);$", ";"), ("statement", r"^ +[a-z_>.\[\]-]+ [-+|]?= [^;]*;$", ";"),
]


def lay_tree(folder):
    """Makes a tree of links to the project, with a copy of host/ and a build folder of its own."""
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(os.path.join(folder, "build"))
    for name in os.listdir(ROOT):
        if name not in ("build", "host"):
            os.symlink(os.path.join(ROOT, name), os.path.join(folder, name))
    os.symlink(os.path.join(ROOT, "build", "firmware"), os.path.join(folder, "build", "firmware"))
    shutil.copytree(os.path.join(ROOT, "host"), os.path.join(folder, "host"), symlinks=True)


def build(folder, flags, linked, programs):
    """Returns what the compiler said where it failed, else None."""
    command = ["make", "-C", folder, "-j2", f"CFLAGS={flags}", f"LDFLAGS={linked}", *programs]
    ran = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                         errors="replace", check=False)
    return None if ran.returncode == 0 else ran.stdout


def passes(folder, test, environment=None):
    """Runs one test, a program or a module, and tells whether it passed."""
    command = [os.path.join(folder, test)]
    if test.endswith(".py"):
        name = os.path.basename(test)[:-3]
        command = [sys.executable, "-B", "-m", "unittest", "-f", name]
    environment = dict(os.environ, PYTHONPATH=os.path.dirname(test), **LEAKS, **(environment or {}))
    try:
        ran = subprocess.run(command, cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                             timeout=LIMIT_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return False
    return ran.returncode == 0


def cover(tests):
    """Runs each test on the covered tree, with its counters in a folder of its own. Returns those
    that passed: the others cannot judge."""
    judges = []
    for test in tests:
        kept = os.path.join(COUNTS, os.path.basename(test))
        if passes(COVERED, test, {"GCOV_PREFIX": kept}):
            judges.append(test)
        else:
            print(f"{test} fails without a mutation, and is left out", flush=True)
    return judges


def lines_run(test, path):
    """Returns the lines of a file that a test ran."""
    data = os.path.join(COUNTS, os.path.basename(test)) + os.path.join(
        COVERED, "build", path[:-2] + ".gcda")
    if not os.path.exists(data):
        return set()
    note = os.path.join(COVERED, "build", path[:-2] + ".gcno")
    shutil.copy(note, os.path.dirname(data))
    ran = subprocess.run(["gcov", "--json-format", "--stdout", data], cwd=COVERED, text=True,
                         stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
    files = [file for text in ran.stdout.splitlines() for file in json.loads(text)["files"]]
    return {line["line_number"] for file in files if file["file"].endswith(path)
            for line in file["lines"] if line["count"] > 0}


def without_text(line):
    """Blanks out strings, characters and comments, so that a place in them is never drawn."""
    def blank(found):
        return "\0" * len(found.group())
    return re.sub(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'|//.*|/\*.*?\*/', blank, line)


def places(path):
    """Returns (line number, kind, line as it becomes) of each mutation of a file."""
    found = []
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        lines = file.read().splitlines()
    for number, line in enumerate(lines, 1):
        if line.lstrip().startswith(("*", "/*", "#", "static", "const", "_Static_assert")):
            continue
        code = without_text(line)
        for kind, pattern, put in OPERATORS:
            for at in re.finditer(pattern, code):
                found.append((number, kind, line[:at.start()] + put + line[at.end():]))
    return found


def put_line(path, number, line):
    """Writes a file of the mutated tree with one line changed, or as it is where line is None."""
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        lines = file.read().splitlines()
    old = lines[number - 1]
    if line is not None:
        lines[number - 1] = line
    with open(os.path.join(MUTATED, path), "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
    return old


def object_bytes(path):
    with open(os.path.join(MUTATED, "build", path[:-2] + ".o"), "rb") as file:
        return file.read()


def judge(path, number, line, judges, programs):
    """Puts one mutation in. Returns what caught it, "passed", or None where it is none."""
    runners = [test for test in judges if number in lines_run(test, path)]
    if not runners:
        return None
    before = object_bytes(path)
    put_line(path, number, line)
    try:
        wrong = build(MUTATED, *MUTATED_FLAGS, [f"build/{path[:-2]}.o"])
        if wrong or object_bytes(path) == before or build(MUTATED, *MUTATED_FLAGS, programs):
            return None
        caught = next((test for test in runners if not passes(MUTATED, test)), None)
        return caught or "passed"
    finally:
        put_line(path, number, None)
        build(MUTATED, *MUTATED_FLAGS, [f"build/{path[:-2]}.o"])


def draw(chance, judges, programs, count):
    """Draws mutations until COUNT were judged. Returns [(path, number, kind, line, verdict)]."""
    paths = sorted(path for path in glob.glob("host/**/*.c", root_dir=ROOT, recursive=True)
                   if path != "host/main.c")
    every = [(path, *place) for path in paths for place in places(path)]
    done = []
    chance.shuffle(every)
    for path, number, kind, line in every:
        if len(done) == count:
            break
        verdict = judge(path, number, line, judges, programs)
        if verdict:
            done.append((path, number, kind, line, verdict))
            print(f"{len(done)} of {count}: {path}:{number} {kind}: {verdict}", flush=True)
    return done


def tell(done, seed):
    left = [told for told in done if told[4] == "passed"]
    unit = sum("/unit/" in told[4] for told in done)
    for path, number, kind, line, _ in left:
        with open(os.path.join(ROOT, path), encoding="utf-8") as file:
            old = file.read().splitlines()[number - 1]
        print(f"\n{path}:{number}: {kind}\n-{old}\n+{line}")
    print(f"\nseed {seed}: {len(done)} mutations, {len(done) - len(left)} caught, {unit} of them by "
          f"unit tests; {len(left)} passed all tests that run them")
    return 1 if left else 0


def main(modules):
    seed = int(os.environ.get("SEED") or time.time_ns() % 2**32)
    count = int(os.environ.get("COUNT") or 40)
    print(f"seed {seed}", flush=True)
    units = [f"build/tests/unit/{os.path.basename(path)[:-2]}"
             for path in sorted(glob.glob(os.path.join(ROOT, "tests/unit/test_*.c")))]
    programs = ["build/mcuprof", "build/tests/top_frames", *units]
    shutil.rmtree(COUNTS, ignore_errors=True)
    for folder, flags, linked in ((COVERED, "-O0 --coverage", "--coverage"),
                                  (MUTATED, *MUTATED_FLAGS)):
        lay_tree(folder)
        wrong = build(folder, flags, linked, programs)
        if wrong:
            print(wrong, file=sys.stderr)
            return 2
    judges = cover(units + sorted(modules))
    return tell(draw(random.Random(seed), judges, programs, count), seed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
