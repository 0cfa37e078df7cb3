# SPDX-License-Identifier: MIT
"""Computes how much stack the profiler needs on an AVR, from the deepest path through its
disassembly, and how much a run in simavr used. Both include return addresses and what an interrupt
pushes before its handler."""
import collections
import re
import subprocess

import emulator
from stack import Depth

# The targets of `icall` in C; in assembly the targets are those of its pointers in Z.
INDIRECT = {"put_surely": ("mcuprof_put_words", "mcuprof_send_counter")}
ENTER, EXIT = "__cyg_profile_func_enter", "__cyg_profile_func_exit"
SAMPLE, LINK, TICK, OVERFLOW = ("mcuprof_sample_isr", "__vector_21", "__vector_16",
                                "__vector_34")
INTERRUPTS = {SAMPLE, LINK, TICK, OVERFLOW}
PROGRAM = ("mcuprof_start", "mcuprof_stop", "mcuprof_flush", "mcuprof_write", "mcuprof_end")
RETURN_BYTES = 2
LINE = re.compile(r"^ *([0-9a-f]+):\t([0-9a-f ]+?) *\t(\w+)(?:\t([^;]*))?(?:; (0x[0-9a-f]+))?")
LABEL = re.compile(r"^([0-9a-f]+) <(.+)>:$")
SKIPS = ("cpse", "sbrc", "sbrs", "sbic", "sbis")
Instruction = collections.namedtuple("Instruction", "function mnemonic operands target after")
# depth: bytes. frame: how deep Y is, None if Y is no frame pointer. pushed: the registers on the
# stack. low: the operand of a `subi` of Y's low byte. masked: interrupts are masked. saved:
# {register: whether they were when it got SREG}.
State = collections.namedtuple("State", "depth frame pushed low masked saved")


class Code:
    """An ELF's instructions; walks all paths from an entry."""

    def __init__(self, firmware):
        text = subprocess.run([firmware.tools + "objdump", "-d", firmware.elf], check=True,
                              stdout=subprocess.PIPE, text=True).stdout
        symbols = subprocess.run([firmware.tools + "nm", firmware.elf], check=True,
                                 stdout=subprocess.PIPE, text=True).stdout
        self.entries = {name.split(".")[0]: int(at, 16) for at, name in
                        re.findall(r"^(\w+) [tTwW] (\S+)$", symbols, re.M)}
        self.code, self.known, function = {}, {}, ""
        for line in text.splitlines():
            label, match = LABEL.match(line), LINE.match(line)
            if label:
                function = label[2].split(".")[0]
            elif match:
                at = int(match[1], 16)
                self.code[at] = Instruction(
                    function, match[3], re.split(r",\s*", (match[4] or "").strip()),
                    int(match[5], 16) if match[5] else None, at + len(match[2].split()))

    def depth(self, entry, masked=False):
        """Returns the Depth of a call of this address, with all that it calls."""
        if (entry, masked) not in self.known:
            self.known[entry, masked] = self.walk(entry, masked)
        return self.known[entry, masked]

    def walk(self, entry, masked):
        result, seen = Depth(), set()
        ahead = [(entry, State(RETURN_BYTES, None, (), 0, masked, ()))]
        while ahead:
            at, state = ahead.pop()
            if (at, state) in seen:
                continue
            seen.add((at, state))
            instruction = self.code[at]
            state = step(instruction, state)
            result.see(state.depth, state.masked)
            for callee in self.callees(instruction):
                below = self.depth(callee, state.masked)
                result.see(state.depth + below.deepest, True)
                result.see(state.depth + below.open, state.masked and below.open == 0)
            ahead += [(to, state) for to in self.following(instruction)]
        return result

    def indirect(self, instruction):
        if instruction.function in INDIRECT:
            return [self.entries[name] for name in INDIRECT[instruction.function]]
        pointers = set()
        for at, low in self.code.items():
            high, call = self.code.get(at + 2), self.code.get(at + 4)
            if high and call and call.mnemonic in ("rcall", "icall") and (
                    low.mnemonic, high.mnemonic, low.operands[0], high.operands[0]) == (
                        "ldi", "ldi", "r30", "r31"):
                pointers.add(int(high.operands[1], 0) << 9 | int(low.operands[1], 0) << 1)
        return sorted(pointers & set(self.entries.values()))

    def callees(self, instruction):
        if instruction.mnemonic in ("call", "rcall") and instruction.target != instruction.after:
            return [instruction.target]
        return self.indirect(instruction) if instruction.mnemonic == "icall" else []

    def following(self, instruction):
        name = instruction.mnemonic
        if name in ("ret", "reti"):
            return []
        if name in ("jmp", "rjmp"):
            return [instruction.target]
        if name == "ijmp":
            return self.indirect(instruction)
        if name.startswith("br") and name != "break":
            return [instruction.target, instruction.after]
        if name in SKIPS:
            return [instruction.after, self.code[instruction.after].after]
        return [instruction.after]


def step(instruction, state):
    """Returns the state after an instruction that is not a call."""
    name, operands = instruction.mnemonic, instruction.operands
    if (name, operands[0]) == ("push", "r28"):
        state = state._replace(pushed=(*state.pushed, state.frame))
    if (name, operands[0]) == ("pop", "r28"):
        state = state._replace(frame=state.pushed[-1], pushed=state.pushed[:-1])
    if name in ("push", "pop"):
        return state._replace(depth=state.depth + (1 if name == "push" else -1))
    if name == "rcall" and instruction.target == instruction.after:
        return state._replace(depth=state.depth + RETURN_BYTES)
    if name in ("cli", "sei"):
        return state._replace(masked=name == "cli")
    if name in ("in", "out"):
        return move(name, operands, state)
    return state if state.frame is None else frame_of(name, operands, state)


def move(name, operands, state):
    """Returns the state after an `in` or `out` of the stack pointer or of SREG."""
    if (name, *operands) == ("in", "r28", "0x3d"):
        return state._replace(frame=state.depth)
    if (name, *operands) == ("out", "0x3d", "r28"):
        return state._replace(depth=state.frame)
    saved = dict(state.saved)
    if name == "in" and operands[1] == "0x3f":
        saved[operands[0]] = state.masked
        return state._replace(saved=tuple(sorted(saved.items())))
    if name == "out" and operands[0] == "0x3f":  # if not saved here, enabled is the worst
        return state._replace(masked=saved.get(operands[1], False))
    return state


def frame_of(name, operands, state):
    """Returns the state after arithmetic on Y, which sets the stack pointer later."""
    if operands[0] == "r28" and name in ("sbiw", "adiw"):
        bytes_more = int(operands[1], 0)
        return state._replace(frame=state.frame + (bytes_more if name == "sbiw" else -bytes_more))
    if operands[0] == "r28" and name == "subi":
        return state._replace(low=int(operands[1], 0))
    if operands[0] == "r29" and name == "sbci":
        less = int(operands[1], 0) << 8 | state.low
        return state._replace(frame=state.frame + (less - 0x10000 if less & 0x8000 else less))
    return state


def worst(firmware):
    """Returns {entry: Depth}."""
    code = Code(firmware)
    return {name: code.depth(code.entries[name], name in INTERRUPTS)
            for name in (ENTER, EXIT, SAMPLE, LINK, *PROGRAM) if name in code.entries}


def used(firmware):
    """Returns {entry: the most bytes that a run used}, without those of interrupts in between."""
    symbols = subprocess.run([firmware.tools + "nm", firmware.elf], check=True,
                             stdout=subprocess.PIPE, text=True).stdout
    there = set(re.findall(r" [tTwW] (\w+)$", symbols, re.M))
    command = [*emulator.expand("$(BOARD_RUN)", *firmware.arguments), "-s"]
    for name in sorted(there & {ENTER, EXIT, *INTERRUPTS, *PROGRAM}):
        command += ["-t", name]
    done = subprocess.run([*command, firmware.elf], stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, check=True, text=True, timeout=300)
    most = collections.Counter()
    for line in done.stderr.splitlines():
        if line.startswith("-"):
            _, name, _, stack = line.split()
            most[name] = max(most[name], int(stack))
    return most


def nested(parts):
    """Returns the most that the profiler uses at once: on top of what the program called comes an
    interrupt that lets others in and of which a call is counted, and on top of that sampling, or
    the link's interrupt. All of these but the last are counted where interrupts are not masked."""
    called = max(parts[name].open for name in parts if name not in (SAMPLE, LINK))
    top = max(parts[name].deepest for name in parts if name in INTERRUPTS)
    return called + max(parts[ENTER].open, parts[EXIT].open) + top
