# SPDX-License-Identifier: MIT
"""Runs the program, and assembles ELF files from tables of symbols for it."""

import os
import subprocess
import tempfile
import unittest
import unittest.mock

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
KL25Z = os.path.join(ROOT, "tests", "data", "kl25z-blinky")
PROGRAM = os.path.join(ROOT, "build", "mcuprof")
ARM = "arm-none-eabi-"


def run(*arguments, status=0, stdin=None):
    """Runs a program; returns what it printed. Fails if its exit status is not the expected one."""
    done = subprocess.run(arguments, input=stdin, capture_output=True, check=False)
    if done.returncode != status:
        raise AssertionError(
            f"{' '.join(arguments)}: status {done.returncode}, expected {status}\n"
            + done.stderr.decode(errors="replace")
        )
    return done


def mcuprof(*arguments, status=0, stdin=None):
    return run(PROGRAM, *arguments, status=status, stdin=stdin)


def symbols(path):
    """Reads the (address, size, type, name) of each symbol from an `nm -S -n` listing."""
    table = []
    with open(path, encoding="ascii") as lines:
        for line in lines:
            fields = line.split()
            size = int(fields[1], 16) if len(fields) == 4 else 0
            table.append((int(fields[0], 16), size, fields[-2], fields[-1]))
    return table


def assemble(folder, base, table, flags=(), name="firmware.elf"):
    """Makes an ELF whose .text begins at `base` and has Thumb functions at these addresses."""
    lines = [".syntax unified", ".cpu cortex-m0plus", ".thumb", ".text"]
    at = base
    for address, size, kind, symbol in table:
        if address > at:
            lines.append(f".space {address - at}")
            at = address
        if kind != "t":
            lines.append(f".{'weak' if kind == 'W' else 'global'} {symbol}")
        lines += [".thumb_func", f".type {symbol}, %function", f"{symbol}:"]
        if size:
            lines.append(f".size {symbol}, {size}")
    elf = os.path.join(folder, name)
    source, part = elf + ".s", elf + ".o"
    with open(source, "w", encoding="utf-8") as out:
        out.write("\n".join(lines) + "\n")
    big = ["-EB"] if "-EB" in flags else []
    run(ARM + "as", *flags, "-o", part, source)
    run(ARM + "ld", *big, f"-Ttext={base:#x}", "-e", f"{base:#x}", "-o", elf, part)
    return elf


def assemble_code(folder, code, name="code.elf", base=0x8000):
    """Makes an ELF of Thumb code at `base`; each label that is a name belongs to a function."""
    lines = [".syntax unified", ".cpu cortex-m0plus", ".thumb", ".text"]
    for line in code.strip().splitlines():
        label, colon, _ = line.strip().partition(":")
        if colon and label.isidentifier():
            lines += [f".global {label}", ".thumb_func", f".type {label}, %function"]
        lines.append(line)
    elf = os.path.join(folder, name)
    run(ARM + "as", "-o", elf + ".o", "-", stdin=("\n".join(lines) + "\n").encode())
    run(ARM + "ld", f"-Ttext={base:#x}", "-e", f"{base:#x}", "-o", elf, elf + ".o")
    return elf


def blinky(folder):
    """Makes an ELF with the symbols of the KL25Z capture's firmware."""
    table = symbols(os.path.join(KL25Z, "blinky.symbols"))
    return assemble(folder, 0x410, table, name="blinky.elf")


class InFolder(unittest.TestCase):
    """Tests that share a folder. What mcuprof prints is UTF-8."""
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        locale = unittest.mock.patch.dict(os.environ, LC_ALL="C.UTF-8")
        locale.start()
        cls.addClassCleanup(locale.stop)
