#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Measures what counting calls at their sites costs real programs on a Cortex-M0+, against the same
ELF before `mcuprof patch`. See README.md.

    bench/sites.py [-s] [-O OPTIMISE]... [PROGRAM...]
"""
import argparse
import re
import sys

sys.path.append("bench")
import counting  # noqa: E402
import real  # noqa: E402
from goals import table  # noqa: E402

PROGRAMS = ("zlib", "cjson", "speex", "kissfft", "lua")
ROOM = 6000
HEADINGS = ("program, calls to", "sites", "of", "calls", "cycles a call", "slower %", "ROM B",
            "RAM B")
FOUND = re.compile(r"(\d+) of (\d+) call sites are counted, in (\d+) bytes of ROM and (\d+) of RAM")


class Plain(counting.Counted):
    """The program with room for call sites."""

    def __init__(self, name, optimise, short):
        super().__init__(name, optimise, counting.LINKS["bytes"], 0,
                         f" -DMCUPROF_SITES={ROOM}" + " -DMCUPROF_SITES_SHORT=1" * short,
                         plain=True)


class Patched(Plain):
    """The program whose calls to some functions are counted."""

    def patch(self, *options):
        """Returns how many sites are counted, how many there are, and the bytes that they take."""
        plain, self.elf = self.elf, self.elf.replace(".elf", ".sites.elf")
        self.capture = self.elf.replace(".elf", ".mprof")
        said = real.output(real.MCUPROF, "patch", "-o", self.elf, *options, plain)
        self.facts = real.Facts(self.elf, real.BOARDS[self.board])
        return map(int, FOUND.search(said).groups())


def measure(name, optimise, short):
    plain = Plain(name, optimise, short)
    plain.build()
    shipped = plain.run()
    for what, options in (("its own", ("--calls", "build/sources/*")), ("all with lines", ())):
        patched = Patched(name, optimise, short)
        patched.build()
        sites, found, rom, ram = patched.patch(*options)
        costs, model = patched.run(), patched.model()
        calls = model["events"]["arcs"]["received"]
        told = re.findall(r"checksum.*", plain.console)
        if not told or re.findall(r"checksum.*", patched.console) != told:
            raise RuntimeError(f"{patched.elf}: another result")
        more = (costs.total - costs.interrupts) - (shipped.total - shipped.interrupts)
        yield (f"{name} {optimise}, {what}", sites, found, calls, more / calls,
               100 * more / (shipped.total - shipped.interrupts), rom, ram)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("programs", nargs="*", default=PROGRAMS)
    parser.add_argument("-O", "--optimise", action="append")
    parser.add_argument("-s", "--short", action="store_true", help="the short form")
    chosen = parser.parse_args()
    table(HEADINGS, [row for optimise in chosen.optimise or ["-Os"]
                     for name in chosen.programs for row in measure(name, optimise, chosen.short)])


if __name__ == "__main__":
    main()
