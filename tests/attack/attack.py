#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Attacks the walk of call paths: makes random programs that are built to break it, runs them in
emulators, and compares each sample's path with what the emulator's log shows. See README.md.

    tests/attack/attack.py [-b BOARD]... [-n SAMPLES] [-s SECONDS] [-k FOLDER] [CLASS...]
    SEED=N tests/attack/attack.py ...     the same programs again"""
import argparse
import collections
import fcntl
import os
import random
import shlex
import shutil
import subprocess
import sys
import time
import typing

sys.path[:0] = ["tests/real", "tests/attack", "bench"]
import generate  # noqa: E402
import real  # noqa: E402
import shares  # noqa: E402
from goals import table  # noqa: E402

FOLDER = "tests/attack"
MISSED_MOST = 0.05     # of each class, and of the mean of all: unsure and cut
MISSED_MEAN = 0.02
UNDECIDED_MOST = 0.005
EXCUSED = ("hand",)    # assembly may keep its caller anywhere, and need not say so
BROKEN_MOST = 3
KNOBS = "-DMCUPROF_ARCS=0 -DMCUPROF_PATHS=62 -DBOARD_COUNT_SAMPLES"
TICK_US = 3000            # handlers take less, also while they are sampled
RUN_SECONDS = 600      # then a program has starved
RAM_BITS = 23          # the addresses of two functions collide in this many low bits


class Board(typing.NamedTuple):
    """`hz`: one sample in 2,000 cycles in the mean, 1,000 to 3,000. `clang`: its arguments.
    `ram`: where code in RAM begins, if the board's linker script does not say."""
    hz: int
    clang: str
    ram: int = 0


BOARDS = {
    "microbit": Board(8000, "--target=thumbv6m-none-eabi"),
    "mps2-an385": Board(12500, "--target=thumbv7m-none-eabi"),
    "mps2-an505": Board(10000, "--target=thumbv8m.main-none-eabi -mfpu=none"),
    "virt": Board(15625, "--target=riscv32-unknown-elf", 0x81700000),
    "versatilepb": Board(15625, "--target=armv5te-none-eabi", 0x01700000),
}
HEADERS = {"arm-none-eabi-": ["-isystem", "/usr/lib/arm-none-eabi/include"],
           "riscv64-unknown-elf-": ["-isystem", "/usr/lib/picolibc/riscv64-unknown-elf/include"]}
LIBRARY = {"arm-none-eabi-": ["-l:libstdc++.a", "-lm"], "riscv64-unknown-elf-": ["-lgcc"]}


class Firmware:
    """What all programs on a board share: the library's objects, made once, and its flags."""
    made = {}

    def __init__(self, board, nested):
        self.board = board
        self.tools = real.BOARDS[board].tools
        self.out = f"build/attack/{board}{'-nested' * nested}"
        knobs = f"{KNOBS} -DMCUPROF_SAMPLE_HZ={BOARDS[board].hz}"
        if nested:
            knobs += f" -DMCUPROF_THROUGH_INTERRUPTS=1 -DREAL_TICK_US={TICK_US}"
        arguments = [f"BOARD={board}", "EXAMPLE=fib", f"OUT={self.out}", f"KNOBS={knobs}"]
        os.makedirs(self.out, exist_ok=True)
        with open(f"{self.out}/lock", "w", encoding="ascii") as lock:  # of other jobs
            fcntl.flock(lock, fcntl.LOCK_EX)
            real.make("firmware", *arguments)
        told = real.make("--eval=show: ; @: $(foreach each,BOARD_MACHINE FW_CFLAGS FW_LDFLAGS "
                         "FW_LIBRARY_OBJECTS BOARD_RUN,$(info $(each) $($(each))))", "show",
                         *arguments)
        found = {name: shlex.split(rest) for name, _, rest in
                 (line.partition(" ") for line in told.splitlines())}
        self.machine, self.run = found["BOARD_MACHINE"], found["BOARD_RUN"]
        self.defines = [flag for flag in found["FW_CFLAGS"] if flag[:2] in ("-I", "-D")] + [
            "-Itests/real", "-Itests/attack", "-DREAL_ROUNDS=1"] + ["-DREAL_MAIN=real_main"] * nested
        self.linking = [flag for flag in found["FW_LDFLAGS"]
                        if flag != "-nostdlib" and not flag.startswith("-Wl,-Map")]
        self.objects = found["FW_LIBRARY_OBJECTS"]
        self.specs = []
        if self.tools.startswith("riscv"):
            self.specs = ["--specs=picolibc.specs"]
            self.objects = [each for each in self.objects if "memory.c" not in each]
            self.linking += ["-Wl,--defsym=__heap_start=0x81900000",
                             "-Wl,--defsym=__heap_end=0x81D00000"]

    @classmethod
    def of(cls, board, nested=False):
        key = board, nested
        if key not in cls.made:
            cls.made[key] = cls(board, nested)
        return cls.made[key]


class Program:
    """A program of the generator's, as real.Program."""
    messages = subprocess.PIPE

    def __init__(self, board, name, recipe, samples):
        self.board, self.name, self.recipe, self.samples = board, name, recipe, samples
        self.through = recipe.nested and real.BOARDS[board].machine == "arm-m"
        self.firmware = Firmware.of(board, self.through)
        # QEMU prints 35 lines of a RISC-V's registers, so they are in the log only if needed
        self.with_sp = board != "virt" or recipe.needs_sp
        self.out = f"build/attack/{board}/{name}"
        self.elf, self.capture = f"{self.out}/{name}.elf", f"{self.out}/{name}.mprof"

    def compile(self, name, flags=None):
        """Returns the object of a source: the program's by its compiler and flags, others by
        GCC."""
        path = name if os.path.dirname(name) else f"{self.out}/{name}"
        made = f"{self.out}/{os.path.basename(name)}.o"
        own = flags is None
        flags = self.recipe.flags if own else flags
        command = [self.firmware.tools + "gcc"]
        if own and self.recipe.clang and not name.endswith(".S"):
            command = ["clang", *BOARDS[self.board].clang.split(),
                       *HEADERS[self.firmware.tools], "-Wno-unknown-attributes",
                       "-Wno-unused-command-line-argument", "-ffreestanding"]
        elif self.firmware.specs:
            command += self.firmware.specs
        machine = [flag for flag in self.firmware.machine if flag != "-ffreestanding"]
        standard = ["-std=gnu++17"] if name.endswith(".cpp") else ["-std=gnu11"]
        real.output(*command, *machine, *flags, *(standard if not name.endswith(".S") else []),
                    "-ffunction-sections", "-w", *self.firmware.defines,
                    f"-DATTACK_SAMPLES={self.samples}", f"-DFILL={self.fill}",
                    f"-DFLASH_FILL={self.flash_fill}", "-c", "-o", made,
                    path)
        return made

    def link(self):
        others = ["tests/real/real.c"] + ["tests/real/ticks.c"] * self.through
        objects = [self.compile(name) for name in self.recipe.files] + [
            self.compile(name, ["-Os", "-g"] + ["-DREAL_TICK_WORK=handle", "-DREAL_STACK_WORDS=1024"] * self.through)
            for name in others]
        lto = [flag for flag in self.recipe.flags if flag == "-flto"] and [
            flag for flag in self.recipe.flags if flag.startswith(("-f", "-O", "-m"))]
        gcc = self.firmware.tools + "gcc"
        ram = [f"-Wl,--section-start=.ramcode={self.ram:#x}"] * (self.ram > 0)
        made = subprocess.run(
            [gcc, *ram, *self.firmware.specs, *self.firmware.linking, *lto, *self.recipe.linking,
             "-w", "-Wl,--no-warn-rwx-segments", "-o", self.elf, *objects, *self.firmware.objects,
             *LIBRARY[self.firmware.tools]], check=False, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True)
        if made.returncode:
            raise RuntimeError("\n".join(line for line in made.stdout.splitlines()
                                         if "warning" not in line))

    def build(self):
        shutil.rmtree(self.out, ignore_errors=True)
        os.makedirs(self.out)
        for name, text in self.recipe.files.items():
            with open(f"{self.out}/{name}", "w", encoding="ascii") as file:
                file.write(text)
        self.fill = self.flash_fill = 0
        self.ram = BOARDS[self.board].ram
        self.link()
        if self.recipe.collide:
            apart = self.distance(*self.recipe.collide)
            if self.ram:
                self.ram += apart % (1 << RAM_BITS)
            else:
                self.fill, self.flash_fill = max(apart, 0), max(-apart, 0)
            self.link()
        real.output(real.MCUPROF, "unwind", self.elf)
        self.facts = real.Facts(self.elf, real.BOARDS[self.board])

    def distance(self, first, second):
        """Returns how far the first symbol, in RAM, is before the nearest place that has the
        second's low bits."""
        found = {}
        for line in real.output(self.firmware.tools + "nm", self.elf).splitlines():
            address, *_, name = line.split()
            if name in (first, second):
                found[name] = int(address, 16) & ~1
        half = 1 << RAM_BITS - 1
        return (found[second] - found[first] + half) % (2 * half) - half

    def logged(self, _single):
        run = self.firmware.run
        return ["timeout", str(RUN_SECONDS), *run[:-1], "-d",
                "exec,nochain,int" + ",cpu" * self.with_sp, "-D", "LOG", run[-1]]

    def mode(self, _single):
        return "-".join(["sp"] * self.with_sp + ["through"] * self.through)

    run = real.Program.run
    model = real.Program.model


# ---- Verdict ----

class Verdict:
    """Numbers of samples of a class: `right`, `wrong`, `unsure` (said so, and right as far as they
    go), `cut`, `undecided` by the log, `lost` on the way."""
    NAMES = ("samples", "wrong", "unsure", "cut", "undecided", "lost")

    def __init__(self):
        self.samples = self.wrong = self.unsure = self.cut = self.undecided = self.lost = 0
        self.examples, self.places, self.programs, self.broken = [], [], 0, 0
        self.shares = shares.Shares()

    def add(self, other):
        for name in self.NAMES:
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.programs += 1
        self.examples += other.examples
        self.shares.add(other.shares)

    def missed(self):
        """Returns the share of the samples that are not told whole."""
        return (self.unsure + self.cut) / max(1, self.samples)


def judge(program, truth):
    result = real.compare(program, truth, program.through)
    verdict = Verdict()
    verdict.samples = result.true
    verdict.undecided = sum(count for (_, _, end), count in truth.samples.items()
                            if end == "undecided")
    verdict.wrong = max(0, result.wrong - verdict.undecided)
    verdict.unsure, verdict.cut, verdict.lost = result.unsure, result.cut, result.lost
    verdict.examples, verdict.places = result.examples, ends(program, result.stacks)
    verdict.shares = shares.judge(program, truth, verdict.missed() > 0)
    return verdict


def ends(program, stacks):
    """Returns a line about the functions and places where paths that are not whole end."""
    places = collections.Counter()
    for (pc, backs, end), count in stacks.items():
        if end in ("unsure", "cut"):
            address = backs[-1] if backs else pc
            number = program.facts.functions.at(address - 1 if backs else pc)
            name = program.facts.functions.names[number] if number is not None else "?"
            places[f"{end} at {address:x} in {name}"] += count
    return [f"{count} {place}" for place, count in places.most_common(4)]


def attack(board, name, recipe, samples):
    """Builds, runs and judges a program."""
    program = Program(board, name, recipe, samples)
    program.build()
    truth = program.run()
    return program, truth, judge(program, truth)


def seeded(seed, *words):
    return random.Random(" ".join([str(seed), *map(str, words)]))


def keep(program, folder, seed):
    """Keeps a program that went wrong."""
    to = os.path.join(folder, f"{program.board}-{program.name}-{seed}")
    shutil.rmtree(to, ignore_errors=True)
    os.makedirs(to)
    for name in [*program.recipe.files, os.path.basename(program.elf)]:
        shutil.copy(f"{program.out}/{name}", to)
    with open(f"{to}/how", "w", encoding="utf-8") as file:
        file.write(f"{program.recipe.says()}\n")
    return to


def print_found(program, truth, found, chosen, seed):
    print(f"{program.board} {program.name} ({program.recipe.says()}):",
          *(f"{each} {getattr(found, each)}" for each in Verdict.NAMES),
          *(f"{each} {truth.odd[each]}" for each in ("lost", "too_deep") if truth.odd[each]))
    for line in [*found.examples[:chosen.examples], *found.places, *found.shares.examples]:
        print("   ", line)
    if chosen.keep:
        print("    kept in", keep(program, chosen.keep, seed))


def run_class(board, name, seed, chosen):
    """Attacks with programs of a class until there are enough samples. Returns the Verdict."""
    verdict, number = Verdict(), 0
    while verdict.samples < chosen.samples and verdict.broken < BROKEN_MOST:
        recipe = generate.make(name, seeded(seed, board, name, number), board)
        label = f"{name}-{number}"
        number += 1
        try:
            program, truth, found = attack(board, label, recipe,
                                           min(chosen.samples, chosen.program_samples))
        except (RuntimeError, subprocess.CalledProcessError) as error:
            verdict.broken += 1
            print(f"{board} {label} ({recipe.says()}): {error}: {getattr(error, 'stderr', '')}")
            continue
        verdict.add(found)
        if chosen.verbose or found.missed() > MISSED_MOST or found.wrong or found.undecided:
            print_found(program, truth, found, chosen, seed)
        shutil.rmtree(program.out)
        sys.stdout.flush()
    return verdict


def summary(board, verdicts):
    """Returns a line about all classes of a board, and what is beyond the bounds."""
    bound = {name: verdict for name, verdict in verdicts.items() if name not in EXCUSED}
    samples, wrong, undecided = (sum(getattr(verdict, each) for verdict in verdicts.values())
                                 for each in ("samples", "wrong", "undecided"))
    mean = sum(verdict.missed() for verdict in bound.values()) / max(1, len(bound))
    missed = [f"{verdict.broken} programs of {name} were not built or did not run"
              for name, verdict in verdicts.items() if verdict.broken]
    missed += [f"{name}: unsure or cut {100 * verdict.missed():.1f} %"
               for name, verdict in bound.items() if verdict.missed() > MISSED_MOST]
    if wrong:
        missed.append(f"wrong {wrong}")
    if mean > MISSED_MEAN:
        missed.append(f"unsure or cut {100 * mean:.1f} % in the mean")
    if undecided > UNDECIDED_MOST * samples:
        missed.append(f"undecided {undecided}")
    told = shares.Shares()
    for verdict in verdicts.values():
        told.add(verdict.shares)
    missed += told.missed()
    programs = sum(verdict.programs for verdict in verdicts.values())
    worst = max(bound, key=lambda name: bound[name].missed(), default=None)
    most = f", at most {100 * bound[worst].missed():.2f} % ({worst})" if worst else ""
    excused = "".join(f", {name} {100 * verdicts[name].missed():.1f} %" for name in EXCUSED
                      if name in verdicts)
    return (f"attacked: {board}: {samples:,} samples in {programs} programs of {len(verdicts)} "
            f"classes: {wrong} wrong; unsure or cut {100 * mean:.2f} % in the mean{most}{excused}; "
            f"{undecided} undecided; within two errors: {told.says()}",
            [f"{board}: {each}" for each in missed])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("classes", nargs="*", metavar="CLASS",
                        help=f"of {' '.join(generate.CLASSES)}")
    parser.add_argument("-b", "--board", action="append", choices=list(BOARDS))
    parser.add_argument("-n", "--samples", type=int, default=6000, help="of each class and board")
    parser.add_argument("-p", "--program-samples", type=int, default=600, help="of each program")
    parser.add_argument("-k", "--keep", help="a folder for the programs that went wrong")
    parser.add_argument("-e", "--examples", type=int, default=4)
    parser.add_argument("-v", "--verbose", action="store_true", help="a line for each program")
    chosen = parser.parse_args()
    seed = int(os.environ.get("SEED") or random.SystemRandom().randrange(1 << 32))
    print(f"SEED={seed}", flush=True)
    rows, missed = [], []
    for board in chosen.board or BOARDS:
        verdicts = {name: run_class(board, name, seed, chosen)
                    for name in chosen.classes or generate.CLASSES if generate.fits(name, board)}
        rows += [(f"{board} {name}", verdict.programs,
                  *(getattr(verdict, each) for each in Verdict.NAMES), 100 * verdict.missed())
                 for name, verdict in verdicts.items()]
        line, beyond = summary(board, verdicts)
        print(line, *(f"MISSED: {each}" for each in beyond), "", sep="\n", flush=True)
        missed += beyond
    table(("board, class", "programs", *Verdict.NAMES, "unsure, cut %"), rows)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
