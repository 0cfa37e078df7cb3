# SPDX-License-Identifier: MIT
"""Computes how much stack the profiler needs, from the deepest path through its code, and how much
a run used; both without the hardware's exception frames."""
import m0plus
from emulator import Watcher, watch

# The targets of `bx`, `blx` and `add pc` that are not returns.
INDIRECT = {
    "__gnu_mcount_nc": ("mcuprof_arc_stopped", "mcuprof_arc_running"),
    "mcuprof_sample_isr": ("mcuprof_timer_set",),
    "__cyg_profile_func_enter": ("mcuprof_enter",),
    "__cyg_profile_func_exit": ("mcuprof_exit",),
    "put_surely": ("mcuprof_put_words", "mcuprof_send_counter"),
}
CALL, LINK, SAMPLE = "__gnu_mcount_nc", "mcuprof_link_isr", "mcuprof_sample_isr"
# mcuprof_end() is mcuprof_flush() after the counting of calls has stopped: it needs less.
PROGRAM = ("mcuprof_start", "mcuprof_stop", "mcuprof_flush", "mcuprof_write")
CALL_SITE_BYTES = 4  # push {lr}


class Depth:
    """deepest: bytes; open: the same where interrupts are enabled, so that others may come on
    top."""

    def __init__(self):
        self.deepest = self.open = 0

    def see(self, depth, masked):
        self.deepest = max(self.deepest, depth)
        if not masked:
            self.open = max(self.open, depth)


class Code:
    """The profiler's part of an ELF; walks all paths from its entries."""

    def __init__(self, elf):
        self.code = m0plus.load(elf)
        self.entries = {i.function: i.address for i in self.code.values() if i.entry}
        self.functions, self.known = set(), {}

    def depth(self, function, masked=False):
        """Returns the Depth of a call of `function`, with all that it calls."""
        if (function, masked) not in self.known:
            self.known[function, masked] = self.walk(self.entries[function], masked)
        return self.known[function, masked]

    def walk(self, address, masked_before):
        """Returns the Depth of the code at the address. If the function restores a mask that it has
        not saved itself, its first caller saved it: then interrupts are enabled."""
        result, seen, ahead = Depth(), set(), [(address, 0, masked_before, False)]
        while ahead:
            state = address, depth, masked, saved = ahead.pop()
            if state in seen:
                continue
            seen.add(state)
            instruction = self.code[address]
            self.functions.add(instruction.function)
            depth += instruction.stack
            masked, saved = masks_after(instruction, masked, saved)
            result.see(depth, masked)
            for callee in self.callees(instruction):
                below = self.depth(callee, masked)
                result.see(depth + below.deepest, True)
                result.see(depth + below.open, masked and below.open == 0)
            ahead += [(following, depth, masked, saved)
                      for following in self.following(instruction)]
        return result

    def indirect(self, instruction):
        names = INDIRECT.get(instruction.function, ())
        return [name for name in names if name in self.entries]

    def callees(self, instruction):
        if instruction.mnemonic == "bl":
            function = self.code[instruction.target].function
            return [] if self.inner(instruction) else [function]
        if instruction.mnemonic != "blx":
            return []
        callees = self.indirect(instruction)
        if not callees:
            raise KeyError(f"{instruction.function}: what does {instruction.mnemonic} call?")
        return callees

    def inner(self, instruction):
        """Whether the instruction calls a part of its own function; such a call uses no stack."""
        return (instruction.mnemonic == "bl" and
                self.code[instruction.target].function == instruction.function and
                self.entries[instruction.function] != instruction.target)

    def following(self, instruction):
        fall = instruction.address + instruction.size
        if instruction.conditional or self.inner(instruction):
            return [instruction.target, fall]
        if instruction.mnemonic == "b":
            return [instruction.target]
        if (instruction.mnemonic == "bx" and instruction.operands not in ("lr", "ip")) or (
                instruction.mnemonic == "add" and instruction.operands.startswith("pc")):
            return [self.entries[name] for name in self.indirect(instruction)]
        ends = instruction.mnemonic == "bx" or (instruction.mnemonic == "pop" and
                                                "pc" in instruction.operands)
        return [] if ends else [fall]

    def parts(self):
        """Returns {entry: Depth}; the call's includes its call site."""
        parts = {name: self.depth(name)
                 for name in (CALL, LINK, SAMPLE, *PROGRAM) if name in self.entries}
        parts[CALL].deepest += CALL_SITE_BYTES
        parts[CALL].open += CALL_SITE_BYTES
        return parts


def masks_after(instruction, masked, saved):
    """Returns whether interrupts are masked after it, and whether they were when the mask was last
    saved."""
    if instruction.mnemonic in ("cpsid", "cpsie"):
        return instruction.mnemonic == "cpsid", saved
    if "primask" in instruction.operands.lower():
        now = saved if instruction.mnemonic == "msr" else masked
        return now, now
    return masked, saved


def worst(parts):
    """Returns (bytes, path). On top of what the program called may come the link's interrupt, on
    top of that a profiled interrupt, on top of that sampling. All of these but the last are counted
    where interrupts are enabled."""
    chains = [[name] for name in parts if name not in (LINK, SAMPLE)]
    for above in (LINK, CALL, SAMPLE):
        chains += [chain + [above] for chain in chains if len(chain) == 1 or above != CALL
                   or chain[-1] == LINK]
    def bytes_of(chain):
        return sum(parts[name].open for name in chain[:-1]) + parts[chain[-1]].deepest
    deepest = max(chains, key=bytes_of)
    return bytes_of(deepest), deepest


class Used(Watcher):
    """The most stack that the profiler's code really used at once in a run."""

    def __init__(self, firmware, code):
        self.functions = code.functions
        self.sites = {i.address - 2 for i in code.code.values() if i.goal == CALL}
        self.depth = self.most = 0
        watch(firmware, self)

    def executed(self, level, instruction, cycles):
        if instruction.function in self.functions or instruction.address in self.sites:
            self.depth += instruction.stack
            self.most = max(self.most, self.depth)
