#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the unit tests (programs) and the other tests (Python modules), as many at once as there are
processors, and ends with a line that counts them.

tests/run.py [WORD...]     only those whose name contains a WORD"""
import concurrent.futures
import glob
import json
import os
import platform
import re
import subprocess
import sys
import tempfile
import time

LIMIT_SECONDS = 1800  # of one program or module, also on a busy machine
LIMITS = {"tests/fuzz/test_fuzz.py": 3600}  # a minute of the processor for each of eleven readers
MODULE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "module.py")
# A test may be skipped for two reasons; all other skips are failures. With CHECK_BOARD, it belongs
# to another board. Where this is not Debian 12, GNU's gprof may be another version, which prints
# other things; on Debian 12 no test is skipped.
OTHER_BOARD = re.compile(r"of another board than \S+$")
OTHER_JUDGE = re.compile(r"\S*gprof is version \S+, the judge \S+$")


def found():
    """Returns the names of the jobs: programs of tests/unit, modules of the other folders."""
    programs = sorted(path for path in glob.glob("build/tests/unit/test_*")
                      if os.access(path, os.X_OK))
    modules = sorted(glob.glob("tests/*/test_*.py"))
    slow_first = sorted(modules, key=lambda path: (path not in LIMITS, "firmware" not in path))
    return slow_first + programs


def count_unit(text, status):
    passed = sum(map(int, re.findall(r"^\[  PASSED  \] (\d+) test", text, re.M)))
    failed = sum(map(int, re.findall(r"^\[  FAILED  \] \w+: (\d+) test", text, re.M)))
    failed = failed or len(re.findall(r"^\[  FAILED  \] \w+$", text, re.M))
    return passed, failed or int(status != 0), set()


def may_skip(reason):
    return bool("CHECK_BOARD" in os.environ and OTHER_BOARD.match(reason) or
                not is_debian_12() and OTHER_JUDGE.match(reason))


def is_debian_12():
    try:
        told = platform.freedesktop_os_release()
    except OSError:
        return False
    return (told.get("ID"), told.get("VERSION_ID")) == ("debian", "12")


def count_module(told, status):
    """Counts a module's tests. A skip without an allowed reason is a failure. A test of which some
    subtests were skipped has passed if the others passed."""
    passed, failed = told["passed"], told["failed"]
    for reasons, ran in told["skipped"]:
        unlawful = len(reasons) - sum(map(may_skip, reasons))
        failed += unlawful
        passed += ran and not unlawful
    return passed, failed or int(status != 0), {
        reason for reasons, _ in told["skipped"] for reason in reasons}


def run_command(command, path):
    environment = dict(os.environ, PYTHONPATH=os.path.dirname(path), PYTHONDONTWRITEBYTECODE="1")
    try:
        ran = subprocess.run(command, env=environment, text=True, stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, errors="replace",
                             timeout=LIMITS.get(path, LIMIT_SECONDS), check=False)
        return ran.stdout, ran.returncode
    except subprocess.TimeoutExpired as expired:
        return f"{expired}", 1


def run_module(path):
    """Does the same as run() for a module, without the seconds."""
    with tempfile.NamedTemporaryFile("r", encoding="utf-8") as told:
        name = os.path.basename(path)[:-3]
        text, status = run_command([sys.executable, MODULE, name, told.name], path)
        try:
            counts = json.load(told)
        except ValueError:  # it ended before
            return 0, 1, set(), text
    return *count_module(counts, status), text


def run(path):
    """Returns (path, passed, failed, reasons to skip, seconds, output). A job without tests counts
    as failed, unless it says why they were skipped."""
    started = time.monotonic()
    if path.endswith(".py"):
        passed, failed, reasons, text = run_module(path)
    else:
        text, status = run_command([path], path)
        passed, failed, reasons = count_unit(text, status)
    if passed + failed == 0 and not reasons:
        failed, text = 1, text + f"{path}: ran no test\n"
    return path, passed, failed, reasons, time.monotonic() - started, text


def main(words):
    jobs = [path for path in found() if not words or any(word in path for word in words)]
    passed = failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for done in concurrent.futures.as_completed([pool.submit(run, job) for job in jobs]):
            path, good, bad, reasons, seconds, text = done.result()
            passed, failed = passed + good, failed + bad
            print(f"{'ok  ' if bad == 0 else 'FAIL'} {path}: {good} passed, {bad} failed, "
                  f"{seconds:.1f} s", flush=True)
            for reason in sorted(reasons):
                print(f"     {path}: skipped tests: {reason}", flush=True)
            if bad:
                print(text, flush=True)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
