# SPDX-License-Identifier: MIT
"""-c on processors where GNU gprof finds no calls: ours finds exactly the direct calls and jumps
to functions that objdump shows."""
import re
import subprocess
import unittest

import images
from judge import Judged

CALL = {"arm": r"blx?", "riscv64": r"jal|jalr|call", "avr": r"r?call", "sparc64": r"call"}
# Jumps can be tail calls; Thumb and A32 have conditional ones, too.
JUMP = {"arm": r"b(eq|ne|cs|cc|mi|pl|vs|vc|hi|ls|ge|lt|gt|le)?(\.[nw])?", "riscv64": r"j|jal",
        "avr": r"r?jmp", "sparc64": r"b|ba(,\w+)?"}


def named(elf):
    """Returns {address: names of the functions there}, with the functions that GNU gprof would
    show."""
    shown = {address: {name for name in names if ".isra." not in name}
             for address, names in elf.names.items()}
    return {address: names for address, names in shown.items() if names}


class Static(Judged):
    def disassembled(self):
        """Returns (calls, jumps) from objdump: pairs of sets of names (callers, callees)."""
        prefix = images.IMAGES[self.image][0]
        images.need(prefix + "objdump")
        text = subprocess.run([prefix + "objdump", "-d", "-j", ".text", "-j", ".code2",
                               images.image(self.image)],
                              check=True, text=True, stdout=subprocess.PIPE).stdout
        machine = prefix.split("-")[0]
        names = named(images.elf(self.image))
        calls, jumps, caller = set(), set(), None
        for line in text.split("\n"):
            heading = re.match(r"([0-9a-f]+) <(.+)>:", line)
            if heading:  # several static functions may share a name
                caller = names.get(int(heading.group(1), 16), {heading.group(2)})
            found = re.match(r"\s*[0-9a-f]+:\t(?:[0-9a-f]+ ?)+\s*\t(\S+)\s(.*)", line)
            target = found and re.search(r"(?:0x)?([0-9a-f]+) <([^>+]+)>", found.group(2))
            callee = target and names.get(int(target.group(1), 16), {target.group(2)})
            if not callee or not caller:
                continue
            pair = min(caller), min(callee)
            if re.fullmatch(CALL[machine], found.group(1)):
                calls.add(pair)
            elif re.fullmatch(JUMP[machine], found.group(1)):
                jumps.add(pair)
        return calls, jumps

    def printed(self):
        """Returns (names, pairs of names) of our call graph of a profile without calls."""
        done = self.place.run("ours", ["-b", "-c", "-q", "-z", "--no-demangle", "prog",
                                       "uncalled.gmon"])
        self.assertEqual((done.status, done.stderr), (0, b""))
        names = {name: min(all_names) for all_names in
                 named(images.elf(self.image)).values() for name in all_names}
        shown, pairs = set(), set()
        for entry in re.split(r"-{47}\n", done.stdout.decode()):
            lines = entry.split("\n")
            primary = next((i for i, line in enumerate(lines) if re.match(r"\[\d+\]", line)), None)
            if primary is None or "as a whole" in lines[primary]:
                continue
            caller = re.match(r"(?:.{45})(\S+)", lines[primary]).group(1)
            shown.add(names.get(caller, caller))
            for line in lines[primary + 1:]:
                callee = re.match(r" {6,}.*\b0(?:/0)? +(\S+)(?: <cycle \d+>)? [\[(]\d+[\])]$", line)
                if callee:
                    pairs.add((names.get(caller, caller), names.get(callee.group(1))))
        return shown, pairs

    def check(self):
        calls, jumps = self.disassembled()
        shown, printed = self.printed()
        # not shown: calls of a function to itself with count 0, and calls of or by what GNU gprof
        # does not take for a function
        calls = {pair for pair in calls if pair[0] != pair[1] and shown.issuperset(pair)}
        self.assertGreater(len(calls), 15, "objdump's listing was not understood")
        self.assertEqual(calls - printed, set(), "calls that are missing")
        self.assertEqual({pair for pair in printed - calls - jumps if pair[0] != pair[1]}, set(),
                         "calls that are not in the code")
        others = {pair for pair in jumps
                  if pair[0] != pair[1] and shown.issuperset(pair)}
        self.assertEqual(others - printed, set(), "tail calls that are missing")


for image in ("m3", "m3-O2", "m0", "m0-plain", "a32", "riscv", "riscv-O2", "riscv-plain", "avr",
              "avr-plain", "sparc", "sparc-plain", "sparc64"):
    label = "Static_" + re.sub(r"\W", "_", image)
    globals()[label] = type(label, (Static,), {"image": image, "test_calls": Static.check})
del Static

if __name__ == "__main__":
    unittest.main()
