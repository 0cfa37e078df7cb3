# SPDX-License-Identifier: MIT
"""Reads the instructions of a linked ELF, and tells what each costs on a Cortex-M0+ without wait
states by its Technical Reference Manual."""
import re
import subprocess

EXCEPTION_CYCLES = 15  # for the entry, and as many for the return

CONDITIONAL = re.compile(r"b(eq|ne|cs|hs|cc|lo|mi|pl|vs|vc|hi|ls|ge|lt|gt|le)(\.[nw])?$")
LINE = re.compile(r"^ *([0-9a-f]+):\t([0-9a-f ]+)\t(\S+)(?:\t([^@;<]*)(?:<(\S+)>)?)?")
LABEL = re.compile(r"^([0-9a-f]+) <(.+)>:$")


class Instruction:
    """Members: address, size (bytes), mnemonic, operands (text), function; cycles, and taken_cycles
    if it branches; stack: the bytes by which it lowers sp; target of a branch or None, and goal,
    the target's name; conditional: the next instruction may follow; entry: it is the first of its
    function."""

    def __init__(self, address, size, mnemonic, operands="", function=None, goal=None):
        self.address, self.size = address, size
        self.mnemonic = re.sub(r"\.[nw]$", "", mnemonic)
        self.operands, self.function, self.goal = operands.strip(), function, goal
        self.entry = False
        self.conditional = bool(CONDITIONAL.match(mnemonic))
        branches = self.conditional or self.mnemonic in ("b", "bl")
        self.target = int(self.operands.split()[0], 16) if branches else None
        self.cycles = self.cost()
        self.taken_cycles = 2 if self.conditional else self.cycles
        self.stack = self.lowers()

    def cycles_to(self, following):
        """Returns the cycles if the instruction at address `following` (or None) is next."""
        falls = following in (None, self.address + self.size)
        return self.cycles if falls else self.taken_cycles

    def registers(self):
        """Returns how many registers a {list} names."""
        count = 0
        for part in re.search(r"\{(.*)\}", self.operands).group(1).split(","):
            ends = re.findall(r"\d+", part)
            ranged = "-" in part and len(ends) == 2
            count += int(ends[1]) - int(ends[0]) + 1 if ranged else 1
        return count

    def cost(self):
        name, operands = self.mnemonic, self.operands
        if name == "pop" and "pc" in operands:
            return 3 + self.registers()
        if name in ("push", "pop", "ldmia", "stmia", "ldm", "stm"):
            return 1 + self.registers()
        if name.startswith(("ldr", "str")):
            return 2
        if name in ("bl", "mrs", "msr", "dsb", "dmb", "isb"):
            return 3
        if name in ("b", "bx", "blx") or operands.startswith("pc,"):
            return 2
        return 1

    def lowers(self):
        if self.mnemonic in ("push", "pop"):
            sign = 1 if self.mnemonic == "push" else -1
            return 4 * sign * self.registers()
        fixed = re.match(r"sp, (?:sp, )?#(\d+)", self.operands)
        if self.mnemonic in ("add", "sub") and fixed:
            return int(fixed.group(1)) * (1 if self.mnemonic == "sub" else -1)
        return 0


def decode(listing):
    """Returns {address: Instruction} from the text that `objdump -d` prints."""
    found, function = {}, None
    for line in listing.splitlines():
        label = LABEL.match(line)
        if label:
            start, function = int(label.group(1), 16), label.group(2)
            continue
        match = LINE.match(line)
        if match and not match.group(3).startswith("."):
            address, size = int(match.group(1), 16), len(match.group(2).replace(" ", "")) // 2
            found[address] = Instruction(address, size, match.group(3), match.group(4) or "",
                                         function, match.group(5))
            found[address].entry = address == start
    return found


def load(elf):
    return decode(subprocess.run(["arm-none-eabi-objdump", "-d", elf], check=True,
                                 stdout=subprocess.PIPE, text=True).stdout)


def cycles(path):
    """Returns the cycles of a path: instructions in the order of execution. The last one does not
    branch."""
    after = [instruction.address for instruction in path[1:]] + [None]
    return sum(instruction.cycles_to(following)
               for instruction, following in zip(path, after))
