# SPDX-License-Identifier: MIT
"""Runs programs that others wrote as firmware, and compares the samples that it sends with the
places where sampling really found it, which follow.c reads from the emulator's log."""
import bisect
import collections
import glob
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
import time
import typing

sys.path.append("bench")
import m0plus  # noqa: E402

FOLDER = "tests/real"
MCUPROF = "build/mcuprof"
CONDITION = "(eq|ne|cs|hs|cc|lo|mi|pl|vs|vc|hi|ls|ge|lt|gt|le)"
LINE = re.compile(r"^ *([0-9a-f]+):\t([0-9a-f ]+)\t(\S+)(?:\t(.*))?")
BX_LR_AS_DATA = ".word\t0xe12fff1e", "bx\tlr"  # in newlib's setjmp() and longjmp()
SYMBOL = re.compile(r"^ *\d+: ([0-9a-f]+) +(\d+|0x[0-9a-f]+) (FUNC|NOTYPE) +\S+ +\S+ +\d+ "
                    r"(\S+)", re.M)


class Board(typing.NamedTuple):
    """`machine`: follow.c's name for it. `right`: the share of paths that must be whole and right.
    `run`: the program that runs the firmware instead of QEMU."""
    machine: str
    tools: str
    right: float
    run: str = ""


BOARDS = {
    "mps2-an385": Board("arm-m", "arm-none-eabi-", 0.99),
    "mps2-an386": Board("arm-m", "arm-none-eabi-", 0.99),
    "mps2-an505": Board("arm-m", "arm-none-eabi-", 0.99),
    "microbit": Board("arm-m", "arm-none-eabi-", 0.99),
    "versatilepb": Board("arm", "arm-none-eabi-", 0.90),
    "virt": Board("riscv", "riscv64-unknown-elf-", 0.98),
    "leon3": Board("sparc", "sparc64-linux-gnu-", 0.90),
    "atmega1284p": Board("avr", "avr-", 0.90, "build/runavr"),
    "mega2560": Board("avr", "avr-", 0.90, "build/runavr -m atmega2560 -f 16000000"),
}
PROGRAM_ONLY = ("-flto", "-g0")  # flags for the program's files alone
WRONG_MOST = 0.001
FAR = 1 << 20  # bytes between code and code in RAM, at the least
TICK_US = 250
TASK = "on_process_stack"  # a function of ticks.c whose caller is not known
SWITCH = "__gnu_thumb1_case_"


def output(*command, **more):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, **more).stdout


# ---- What the disassembly shows ----

def transfer_arm(name, operands, before):
    name = re.sub(r"\.[nw]$", "", name)
    if re.fullmatch(rf"bl{CONDITION}?", name) or (name == "blx" and "<" in operands):
        return "c"
    if re.fullmatch(rf"blx{CONDITION}?", name):
        return "i"
    if re.fullmatch(rf"b{CONDITION}?|cbn?z", name):
        return "j"
    if re.match(r"bx", name):
        return "i" if re.match(rf"mov{CONDITION}? lr, pc", before) else "r"
    if re.match(r"tb[bh]$|rfe", name) or re.match(r"pc,", operands):
        return "r" if not re.match(r"(cmp|str|tst)", name) else None
    return "r" if re.match(r"pop|ldm", name) and re.search(r"\{.*pc\}", operands) else None


def transfer_riscv(name, operands, _before):
    if name == "jal":
        return "c"
    if name == "jalr":
        return "i"
    if name == "j" or re.match(r"b(eq|ne|lt|ge|gt|le)", name):
        return "j"
    return {"jr": "r", "ret": "r", "mret": "x"}.get(name)


def transfer_sparc(name, operands, _before):
    if name == "call":
        return "c" if "<" in operands else "i"
    if re.match(r"f?b", name) and not re.match(r"btst|bset|bclr|btog", name):
        return "j"
    return "r" if name in ("jmp", "jmpl", "ret", "retl", "return") else None


def transfer_avr(name, operands, _before):
    if name in ("call", "rcall"):
        return None if re.match(r"\.\+0\b", operands) else "c"  # `rcall .+0` only grows the stack
    if name in ("jmp", "rjmp") or re.match(r"br[a-z]{2}$|cpse|sb[ri][cs]$", name):
        return "j"
    return {"icall": "i", "eicall": "i", "ret": "r", "ijmp": "r", "eijmp": "r",
            "reti": "x"}.get(name)


TRANSFERS = {"arm-m": transfer_arm, "arm": transfer_arm, "riscv": transfer_riscv,
             "sparc": transfer_sparc, "avr": transfer_avr}


def instructions(listing):
    """Returns (address, size, mnemonic, operands) of each instruction that `objdump -d` prints."""
    found = []
    for line in listing.splitlines():
        match = LINE.match(line.replace(*BX_LR_AS_DATA))
        if match and not match[3].startswith(".") and "undefined" not in match[3]:
            found.append((int(match[1], 16), len(match[2].replace(" ", "")) // 2, match[3],
                          match[4] or ""))
    return found


def transfers(machine, code):
    """Yields (address, size, kind, target) of each instruction that may jump. ARMv4T's Thumb code
    calls a function pointer by a call of a `bx` instruction."""
    thunks = {address for address, _, name, operands in code if name == "bx" and operands != "lr"}
    for i, (address, size, name, operands) in enumerate(code):
        before = " ".join(code[i - 1][2:]) if i else ""
        kind = TRANSFERS[machine](name, operands, re.sub(r"\s+", " ", before))
        if not kind:
            continue
        target = re.search(r"(?:^|[ ,\t])(?:0x)?([0-9a-f]+) <", operands) if kind in "cj" else None
        if machine == "sparc":
            size = 8  # with the delay slot
            kind = "x" if kind == "r" and i + 1 < len(code) and code[i + 1][2] == "rett" else kind
        target = int(target[1], 16) if target else 0
        yield address, size, "i" if kind == "c" and target in thunks else kind, target


class Functions:
    """The functions of an ELF by number and by address. Parts that the compiler moved away (.cold)
    belong to their function. The symbols of AVR's libgcc do not have the type of functions. A
    place with several names, as __muldf3 and __aeabi_dmul, is one function: `one_name` has the
    name in `names` of each other one, unless that name is a function's elsewhere, too."""

    def __init__(self, elf, board, limit):
        mask = ~1 if board.tools == "arm-none-eabi-" else ~0
        found, end = {}, 0
        symbols = [(int(address, 16) & mask, kind, int(size, 0), name) for address, size, kind, name
                   in SYMBOL.findall(output(board.tools + "readelf", "-sW", elf))
                   if kind == "FUNC" or board.machine == "avr"]
        for start, kind, size, name in sorted(symbols, key=lambda symbol: symbol[:2]):
            if start < limit and (kind == "FUNC" or start >= end) and (
                    start not in found or found[start][0] == 0):
                found[start] = (size, name)
                end = max(end, start + size)
        self.starts, self.starts_set = sorted(found), set(found)
        self.parts, self.names, whole = [], [], {}
        for start, after in zip(self.starts, [*self.starts[1:], limit]):
            size, name = found[start]
            base = name.split(".cold")[0]
            if base == name or base not in whole:
                whole[base] = len(self.names)
                self.names.append(base)
            self.parts.append((start, min(start + size, after) if size else after, whole[base]))
        self.one_name = self.find_names(symbols)

    def find_names(self, symbols):
        found = collections.defaultdict(set)
        for start, _, _, name in symbols:
            number = self.at(start)
            if number is not None and start in self.starts_set:
                found[name].add(self.names[number])
        return {name: min(names) for name, names in found.items()
                if len(names) == 1 and name not in self.names}

    def called(self, name):
        """Returns what the function is called in `names`."""
        return self.one_name.get(name, name)

    def at(self, address):
        """Returns the number of the function at the address, or None."""
        i = bisect.bisect_right(self.starts, address) - 1
        return self.parts[i][2] if i >= 0 and address < self.parts[i][1] else None

    def on(self, path):
        """Returns the numbers of the functions on a path: (pc, return addresses)."""
        return [self.at(path[0]), *(self.at(back - 1) for back in path[1])]


class Facts:
    """Writes a file beside an ELF, with what follow.c must know of it."""

    def __init__(self, elf, board):
        self.path = elf + ".facts"
        if is_older(self.path, elf, __file__):
            self.write(elf, board)
        with open(self.path, encoding="ascii") as file:
            self.functions = Functions(elf, board, int(file.readline().split()[-1], 16))

    def write(self, elf, board):
        # in the order of the sections, of which mcuprof.ld may put one behind another
        code = sorted(instructions(output(board.tools + "objdump", "-d", "-z", elf)))
        first, limit = code[0][0], code[-1][0] + code[-1][1]
        ram = next((i for i in range(1, len(code)) if code[i][0] - code[i - 1][0] > FAR), None)
        ranges = [(first, limit)] if ram is None else [
            (first, code[ram - 1][0] + code[ram - 1][1]), (code[ram][0], limit)]
        costs = m0plus.load(elf) if "v6" in self.cpu(elf, board) else {}
        with open(self.path, "w", encoding="ascii") as file:
            file.write(f"machine {board.machine}")
            file.write("".join(f" {low:x} {high:x}" for low, high in ranges) + "\n")
            functions = Functions(elf, board, limit)
            for start, end, number in functions.parts:
                file.write(f"f {start:x} {end:x} {number} {functions.names[number][:79]}\n")
            for address in self.found_path(costs):
                file.write(f"m {address:x}\n")
            for address, *_ in code:
                cycles = costs[address].cycles if address in costs else 1
                file.write(f"i {address:x} {cycles}\n")
            for address, size, kind, target in transfers(board.machine, code):
                cycles = costs[address].taken_cycles if address in costs else 1
                file.write(f"t {address:x} {size} {kind} {target:x} {cycles}\n")

    @staticmethod
    def found_path(costs):
        """Returns where a Cortex-M's sampling interrupt has found the path, in a list: it first sets
        paths.saying there."""
        return sorted(address for address, instruction in costs.items()
                      if instruction.function == "mcuprof_sample_isr" and
                      re.match(r"strb r\d, \[r4, #11\]", f"{instruction.mnemonic} "
                               f"{instruction.operands}"))[:1]

    @staticmethod
    def cpu(elf, board):
        if board.machine != "arm-m":
            return ""
        found = re.search(r"Tag_CPU_arch: (\S+)", output(board.tools + "readelf", "-A", elf))
        return found[1] if found else ""


# ---- Running ----

def is_older(made, *sources):
    """Whether `made` is older than a source, or does not exist."""
    return not os.path.exists(made) or os.path.getmtime(made) < max(map(os.path.getmtime, sources))


def for_the_pc(name, sources, *flags):
    """Returns a program or library for the PC that is made of these sources and headers. Builds it
    if it is older than one of them."""
    made = f"build/tests/{name}"
    if is_older(made, *sources):
        os.makedirs(os.path.dirname(made), exist_ok=True)
        subprocess.run(["cc", "-O2", "-Wall", "-Wextra", *flags, "-o", f"{made}.{os.getpid()}",
                        *(source for source in sources if source.endswith(".c"))], check=True)
        os.replace(f"{made}.{os.getpid()}", made)
    return os.path.abspath(made)


def tool(name, *flags):
    """Returns a program or library of this folder, for the PC."""
    return for_the_pc(name, glob.glob(f"{FOLDER}/{name.split('.')[0]}*.[ch]"), *flags)


def follower(name):
    """Returns the program bench/NAME.c, which reads the emulator's log."""
    return for_the_pc(name, [f"bench/{name}.c", "bench/log.c", "bench/log.h",
                             f"{FOLDER}/follow_facts.c", f"{FOLDER}/follow.h"])


def make(*arguments):
    return output("make", "-s", *arguments)


class Truth:
    """What follow.c prints. `samples`: a Counter of (pc, return addresses, whole, interrupt or
    undecided);
    `cycles` of each sampling interrupt, `found` (cycles until it had found its path, how long that
    is), `split` by function; `handlers`: instructions by function in other interrupts; `self`,
    `inclusive` and `timed`: instructions by function; `arcs` between two functions; `calls` that
    hooks saw, by (from, to), `blocks` by address; `odd`."""

    def __init__(self, path):
        self.samples, self.odd = collections.Counter(), {}
        self.cycles, self.found, self.split, self.handlers = [], [], {}, {}
        self.self, self.inclusive, self.timed, self.arcs = {}, {}, {}, {}
        self.calls, self.blocks = {}, {}
        with open(path, encoding="ascii") as file:
            for line in file:
                self.add(line.split())

    def add(self, words):
        kind, rest = words[0], words[1:]
        if kind == "s":
            end = {"main": "whole"}.get(rest[0], rest[0])
            pc, *backs = (int(word, 16) for word in rest[1:])
            self.samples[pc, tuple(backs), end] += 1
        elif kind == "c":
            cycles, *found = map(int, rest)
            self.cycles.append(cycles)
            self.found.append(found)
        elif kind == "w":
            self.split[int(rest[0])] = int(rest[1])
        elif kind == "y":
            self.handlers[int(rest[0])] = int(rest[1])
        elif kind == "n":
            number, *counts = map(int, rest)
            self.self[number], self.inclusive[number], self.timed[number] = counts
        elif kind == "a":
            self.arcs[int(rest[0]), int(rest[1])] = int(rest[2])
        elif kind == "h":
            self.calls[int(rest[0]), int(rest[1])] = int(rest[2])
        elif kind == "b":
            self.blocks[int(rest[0], 16)] = int(rest[1])
        elif kind == "x":
            self.odd[rest[0]] = int(rest[1])

    def write(self, path):
        """Writes a line for each distinct path, the most frequent first."""
        with open(path, "w", encoding="ascii") as file:
            for (pc, backs, end), count in self.samples.most_common():
                words = [f"{address:x}" for address in (pc, *backs)]
                file.write(" ".join([str(count), *words, *(["interrupt"] * (end != "whole"))])
                           + "\n")


class Program:
    """A program of this folder, built for a board. `cpu`: another processor to compile for than
    the board's own. `messages`: where mcuprof's go, as in subprocess."""
    messages = None

    def __init__(self, name, board, cpu=None, optimise="-Os", knobs="", variables=(),
                 through=False):
        if through:
            tick = "" if "REAL_TICK_US" in knobs else f"-DREAL_TICK_US={TICK_US} "
            knobs = f"-DMCUPROF_THROUGH_INTERRUPTS=1 {tick}{knobs}".strip()
        self.through = through
        key = hashlib.sha1(f"{cpu} {optimise} {knobs} {variables}".encode()).hexdigest()[:10]
        self.name, self.board, self.cpu, self.optimise = name, board, cpu, optimise
        self.out = f"build/real/{board}/{key}"
        self.elf, self.capture = f"{self.out}/{name}.elf", f"{self.out}/{name}.mprof"
        flags = optimise.split()
        own = " ".join(flag for flag in flags if flag in PROGRAM_ONLY)
        others = " ".join(flag for flag in flags if flag not in PROGRAM_ONLY)
        self.arguments = [f"BOARD={board}", f"EXAMPLE={name}", f"OUT={self.out}",
                          f"OPTIMISE={others}", f"KNOBS={knobs}",
                          *([f"BOARD_CPU={cpu}"] if cpu else []),
                          *([f"PROGRAM_CFLAGS={own}"] if own else []), *variables]

    def build(self):
        make("firmware", *self.arguments)
        self.facts = Facts(self.elf, BOARDS[self.board])

    def logged(self, single):
        """Returns the command that runs the program and writes a log; LOG stands for the log's
        name."""
        runner = BOARDS[self.board].run.split()
        if runner:  # its log always has every instruction
            make(runner[0], *self.arguments)
            return [*runner, "-l", "LOG"]
        command = make("--eval=show: ; @echo $(BOARD_RUN)", "show", *self.arguments).split()
        return [*command[:-1], *(["-singlestep"] if single else []), "-d", "exec,nochain,int",
                "-D", "LOG", command[-1]]

    def run(self, single=False):
        """Runs the program; `capture` gets what it sends. Returns the Truth, which is also written
        to ELF.truth. `single`: the log has each instruction."""
        follow, quiet = tool("follow"), tool("unflushed.so", "-shared", "-fPIC")
        run = self.logged(single)
        stripped, raw = self.elf + ".stripped", self.elf + ".followed"
        # without symbols the log is shorter
        output(BOARDS[self.board].tools + "objcopy", "--strip-all", self.elf, stripped)
        started = time.monotonic()
        with tempfile.TemporaryDirectory() as folder:
            fifo = os.path.join(folder, "log")
            os.mkfifo(fifo)
            with subprocess.Popen(["sh", "-c", f"exec {follow} {self.facts.path} "
                                   f"{self.mode(single)}"
                                   f" <{fifo} >{raw}"]
                                  ) as following:
                self.console = output(
                    MCUPROF, "record", "-e", self.elf, "-o", self.capture, "--", "env",
                    f"LD_PRELOAD={quiet}", *(fifo if word == "LOG" else word for word in run),
                    stripped, stderr=self.messages)
            if following.returncode != 0:
                raise RuntimeError(f"{self.elf}: its log could not be followed")
        self.seconds = time.monotonic() - started
        truth = Truth(raw)
        truth.write(self.elf + ".truth")
        return truth

    def mode(self, single):
        """Returns follow.c's mode."""
        return ("through" if self.through else
                "single" if single or BOARDS[self.board].run else "")

    def model(self, through=False, shipped=None):
        """Returns what JSON says. `shipped`: the Program without hooks to compare its code with."""
        return json.loads(output(MCUPROF, "export", "--to", "json", "-e", self.elf,
                                 self.capture, *(["--through-interrupts"] if through else []),
                                 *(["--shipped", shipped.elf] if shipped else []),
                                 stderr=self.messages))


# ---- What was sent, compared with the truth ----

PROGRAMS = sorted(os.path.basename(os.path.dirname(path))
                  for path in glob.glob(f"{FOLDER}/*/example.mk"))


def fits(name, board):
    """Whether the program runs on this board. Its example.mk may name the boards. AVR has little
    RAM, so programs run there only if their example.mk names it. LEON3 has no C library."""
    if board == "leon3":
        return name == "zlib"
    with open(f"{FOLDER}/{name}/example.mk", encoding="ascii") as file:
        text = file.read()
    if BOARDS[board].machine == "avr" and "avr-" not in text:
        return False
    only = re.search(r"^REAL_BOARDS := (.*)$", text, re.M)
    return not only or board in only[1].split()


class Result:
    """Numbers of samples. `true`: all; of those sent: `right` (whole, or up to their interrupt),
    `cut` and `unsure` (right as far as they go), `wrong`; `lost`: not sent. `stacks`: those sent,
    as in Truth.samples; `examples`: lines about wrong ones."""

    def __init__(self, true):
        self.true, self.right, self.wrong, self.lost = true, 0, 0, 0
        self.cut = self.unsure = 0
        self.stacks, self.examples = collections.Counter(), []


def sent(program, through=False):
    """Returns the capture's content, as in Truth.samples but also with the ends cut and unsure;
    None if it has no paths. `through`: paths have interrupted code, with 1 added to its address."""
    stacks, found = program.model(through)["stacks"], collections.Counter()
    mask = ~1 if BOARDS[program.board].tools == "arm-none-eabi-" else ~0
    for stack in stacks:
        pc, *backs = ((address & mask) + (level in stack.get("hit", ()))
                      for level, address in enumerate(stack["addresses"]))
        found[pc, tuple(backs), stack.get("end", "whole")] += stack["count"]
    return found if stacks else None


def begins_one(stack, left):
    """Returns a true path among those left that begins like this cut one, or None."""
    pc, backs, _ = stack
    return next((true for true in left if left[true] and true[0] == pc and
                 true[1][:len(backs)] == backs), None)


def shown(program, true, through):
    """Returns the part of a true path that must be sent: through interrupts as far as a task's
    stack goes, else up to the handler."""
    pc, backs, end = true
    names = [program.facts.functions.names[number] if number is not None else None
             for number in program.facts.functions.on((pc, backs))]
    backs = backs[:names.index(TASK)] if TASK in names else backs
    hit = next((level for level, back in enumerate(backs) if back & 1), None)
    return (pc, backs, end) if through or hit is None else (pc, backs[:hit], "interrupt")


def by_function(program, stacks):
    """libgcc's switches for Thumb-1 end with the address of their target in the place of the return
    address, so from there only the caller's function can be told: these get the address behind its
    begin."""
    functions, found = program.facts.functions, collections.Counter()
    for (pc, backs, end), count in stacks.items():
        number = functions.at(pc)
        if backs and number is not None and functions.names[number].startswith(SWITCH):
            i = bisect.bisect_right(functions.starts, backs[0] - 1) - 1
            backs = (functions.starts[i] + 1, *backs[1:])
        found[pc, backs, end] += count
    return found


def compare(program, truth, through=False):
    """Compares how often each path was sent with how often it was true. The order of samples is not
    known."""
    samples, result = truth.samples, Result(sum(truth.samples.values()))
    stacks = sent(program, through)
    if stacks is None:
        return compare_pcs(program, truth, result)
    if program.through:
        samples = collections.Counter()
        for true, count in truth.samples.items():
            samples[shown(program, true, through)] += count
    result.stacks = stacks
    stacks, samples = by_function(program, stacks), by_function(program, samples)
    right = stacks & samples
    rest, left = stacks - right, samples - right
    result.right = sum(right.values())
    for stack in sorted(rest, key=lambda stack: -len(stack[1])):
        for _ in range(rest[stack]):
            true = begins_one(stack, left) if stack[2] in ("cut", "unsure") else None
            if true:
                left[true] -= 1
                setattr(result, stack[2], getattr(result, stack[2]) + 1)
            else:
                result.wrong += 1
                result.examples.append("wrong: " + described(program, stack))
    result.lost = max(0, result.true - sum(stacks.values()))
    result.examples += [f"true: {described(program, true)}" for true in +left][:20]
    return result


def compare_pcs(program, truth, result):
    """Compares only the program counters, in a capture without paths."""
    true, found = collections.Counter(), collections.Counter()
    for (pc, _, _), count in truth.samples.items():
        true[pc] += count
    for sample in program.model()["samples"]:
        found[sample["address"]] += sample["count"]
    result.stacks = truth.samples
    result.examples.append(f"no paths were sent; {sum((true & found).values())} of "
                           f"{sum(found.values())} program counters are true")
    result.lost = result.true - sum((true & found).values())
    return result


def described(program, stack):
    pc, backs, end = stack
    functions = program.facts.functions
    names = [functions.names[number] if number is not None else "?"
             for number in functions.on((pc, backs))]
    return f"{pc:x} {' '.join(f'{back:x}' for back in backs)} {end}: {' < '.join(names)}"


def missed(program, truth, result):
    """Returns a line for each requirement that is not met."""
    name, found = f"{program.elf}", []
    for odd in ("skipped", "lost", "too_deep"):
        if truth.odd[odd]:
            found.append(f"{name}: the truth is not sure of itself: {odd} {truth.odd[odd]}")
    if result.right < BOARDS[program.board].right * result.true:
        found.append(f"{name}: {result.right} of {result.true} paths are right")
    if result.wrong > WRONG_MOST * result.true:
        found.append(f"{name}: {result.wrong} of {result.true} paths are wrong")
    return found
