# SPDX-License-Identifier: MIT
"""The programs that are judged, compiled once into build/tests/gprof, and their symbols."""
import fcntl
import functools
import hashlib
import os
import re
import shutil
import struct
import subprocess
import unittest

from linked import LINKED

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROGRAMS = os.path.join(ROOT, "tests", "gprof", "programs")
BUILD = os.path.join(ROOT, "build", "tests", "gprof")

# The programs that must be installed, and their Debian packages.
PACKAGES = {
    "gcc": "gcc", "g++": "g++", "clang": "clang", "gprof": "binutils",
    "strip": "binutils", "arm-none-eabi-objdump": "binutils-arm-none-eabi",
    "riscv64-unknown-elf-objdump": "binutils-riscv64-unknown-elf",
    "avr-objdump": "binutils-avr", "sparc64-linux-gnu-objdump": "binutils-sparc64-linux-gnu",
    "riscv64-unknown-elf-g++": "gcc-riscv64-unknown-elf", "avr-g++": "gcc-avr",
    "arm-none-eabi-gcc": "gcc-arm-none-eabi", "arm-none-eabi-gprof": "binutils-arm-none-eabi",
    "riscv64-unknown-elf-gcc": "gcc-riscv64-unknown-elf",
    "riscv64-unknown-elf-gprof": "binutils-riscv64-unknown-elf",
    "avr-gcc": "gcc-avr", "avr-gprof": "binutils-avr", "arm-none-eabi-g++": "gcc-arm-none-eabi",
    "mips-linux-gnu-gprof": "binutils-mips-linux-gnu",
    "mips-linux-gnu-ld": "binutils-mips-linux-gnu",
    "sparc64-linux-gnu-gcc": "gcc-sparc64-linux-gnu",
    "sparc64-linux-gnu-gprof": "binutils-sparc64-linux-gnu",
}

ARM = "arm-none-eabi-"
RISCV = "riscv64-unknown-elf-"
SPARC = "sparc64-linux-gnu-"
X86_FLAGS = "-fno-pic -no-pie -fcf-protection=none"
RISCV_FLAGS = "-march=rv32imac -mabi=ilp32"
SPARC_FLAGS = "-fno-pic -no-pie"
MOVED = f"-ffile-prefix-map={PROGRAMS}=/gone/away"

# name: (prefix of the judge, compiler, flags, compiler of the C++ file; None: names.c is compiled
# instead).
IMAGES = {
    "x86": ("", "gcc", f"-O1 -g {X86_FLAGS}", "g++"),
    "x86-O2": ("", "gcc", f"-O2 -g {X86_FLAGS}", "g++"),
    "x86-O0": ("", "gcc", f"-O0 -g {X86_FLAGS}", "g++"),
    "x86-plain": ("", "gcc", f"-O1 {X86_FLAGS}", "g++"),
    "x86-32": ("", "gcc", f"-m32 -O1 -g {X86_FLAGS}", "g++ -m32"),
    "x86-clang": ("", "clang", "-O1 -g -fno-pic -no-pie", "clang"),
    "x86-moved": ("", "gcc", f"-O1 -g {MOVED} {X86_FLAGS}", None),
    "x86-dwarf4": ("", "gcc", f"-O2 -gdwarf-4 -fdebug-types-section {X86_FLAGS}", "g++"),
    "x86-dwarf3": ("", "gcc", f"-O2 -gdwarf-3 {X86_FLAGS}", "g++"),
    "x86-dwarf2": ("", "gcc", f"-O1 -gdwarf-2 -gstrict-dwarf {X86_FLAGS}", "g++"),
    "x86-packed": ("", "gcc", f"-O2 -g -gz {X86_FLAGS}", "g++"),
    "x86-g1": ("", "gcc", f"-O2 -g1 {X86_FLAGS}", "g++"),
    "x86-sections": ("", "gcc", f"-O2 -g -ffunction-sections {X86_FLAGS}", "g++"),
    "x86-refused": ("", "gcc", f"-O1 -g {X86_FLAGS}", "g++ -DSTATIC_INLINE"),
    "m3": (ARM, "arm-none-eabi-gcc", "-mcpu=cortex-m3 -O1 -g",
           "clang --target=arm-none-eabi -mcpu=cortex-m3"),
    "m3-O2": (ARM, "arm-none-eabi-gcc", "-mcpu=cortex-m3 -O2 -g -ffunction-sections", None),
    "m0": (ARM, "arm-none-eabi-gcc", "-mcpu=cortex-m0 -O0 -g", None),
    "m0-plain": (ARM, "arm-none-eabi-gcc", "-mcpu=cortex-m0 -Os", None),
    "a32": (ARM, "arm-none-eabi-gcc", "-marm -mcpu=arm7tdmi -O2 -g", None),
    "a32-big": (ARM, "arm-none-eabi-gcc", "-marm -mcpu=cortex-r4 -mbig-endian -O1 -g", None),
    "riscv": (RISCV, "riscv64-unknown-elf-gcc", f"{RISCV_FLAGS} -O1 -g", "riscv64-unknown-elf-g++"),
    "riscv-O2": (RISCV, "riscv64-unknown-elf-gcc", f"{RISCV_FLAGS} -O2 -g", None),
    "riscv-plain": (RISCV, "riscv64-unknown-elf-gcc", f"{RISCV_FLAGS} -Os",
                    "riscv64-unknown-elf-g++"),
    "sparc": (SPARC, "sparc64-linux-gnu-gcc", f"-m32 -O1 -g {SPARC_FLAGS}", None),
    "sparc-plain": (SPARC, "sparc64-linux-gnu-gcc", f"-m32 -O2 {SPARC_FLAGS}", None),
    "sparc64": (SPARC, "sparc64-linux-gnu-gcc", f"-O2 -g {SPARC_FLAGS}", None),
    "avr": ("avr-", "avr-gcc", "-mmcu=atmega328p -O1 -g", None),
    "avr-plain": ("avr-", "avr-gcc", "-mmcu=atmega328p -Os", "avr-g++"),
}
# Programs that really run on the PC: (compiler, flags).
HOSTED = {
    "hosted": ("gcc", "-O1 -g -pg -no-pie -fno-inline"),
    "hosted-pie": ("gcc", "-O1 -g -pg -pie -fPIE -fno-inline"),
    "hosted-plain": ("gcc", "-O2 -pg -no-pie -fno-inline"),
}
BASE_FLAGS = ("-ffreestanding -nostdlib -static -fno-asynchronous-unwind-tables -fno-exceptions "
              "-fomit-frame-pointer -Wl,--build-id=none -T firmware.ld")
CXX_FLAGS = ("-std=gnu++14 -ffreestanding -fno-asynchronous-unwind-tables -fno-exceptions -fno-rtti "
             "-fno-threadsafe-statics")


def need(*tools):
    """Fails, naming the package, unless these programs are installed."""
    for tool in tools:
        if not shutil.which(tool):
            raise FileNotFoundError(f"{tool}: not found; install Debian's package "
                                    f"{PACKAGES[tool]} (or run scripts/setup)")


def run(command):
    done = subprocess.run(command, cwd=PROGRAMS, capture_output=True, text=True, timeout=120,
                          stdin=subprocess.DEVNULL, check=False)
    if done.returncode:
        raise AssertionError(f"{' '.join(command)}: status {done.returncode}\n{done.stderr}")


def compile_firmware(name, path):
    prefix, compiler, flags, cxx = IMAGES[name]
    flags = flags.split()
    need(compiler, f"{prefix}gprof")
    base = "0x400000" if not prefix else "0x100" if prefix == "avr-" else "0x8000"
    data = "0x800100" if prefix == "avr-" else "0x820000"
    sources = ["start.c", "leaf.c", "cycles.c", "labels.S"]
    sources[3:3] = [] if cxx else ["names.c"]
    objects = []
    if cxx:
        need(cxx.split()[0])
        part = path + ".names.o"
        without = [flag for flag in flags if flag != "-no-pie"]
        if "arm-none-eabi" in cxx:
            without = ["-O1", "-g"]
        run([*cxx.split(), *without, *CXX_FLAGS.split(), "-c", "-o", part, "names.cc"])
        objects.append(part)
    library = [] if prefix in ("", SPARC) else ["-lgcc"]
    run([compiler, *flags, *BASE_FLAGS.split(),
         f"-Wl,--defsym=TEXT_BASE={base},--defsym=DATA_BASE={data}", "-Wl,-z,noexecstack",
         "-o", path + ".new", *sources, *objects, *library])
    os.rename(path + ".new", path)


def compile_hosted(name, path):
    compiler, flags = HOSTED[name]
    need(compiler)
    run([compiler, *flags.split(), "-o", path + ".new", "hosted.c"])
    folder = path + ".run"
    os.makedirs(folder, exist_ok=True)
    subprocess.run([path + ".new"], cwd=folder, timeout=60, check=True)
    os.rename(os.path.join(folder, "gmon.out"), path + ".gmon")
    os.rename(path + ".new", path)


def compile_linked(name, path):
    for command in LINKED[name][1]:
        words = [word.replace("{out}", path + ".new") for word in command.split()]
        need(words[0])
        run(words)
    os.rename(path + ".new", path)


def sources_key(*words):
    """Returns a key that changes with the sources and the command."""
    digest = hashlib.sha256(" ".join(map(str, words)).encode())
    for name in sorted(os.listdir(PROGRAMS)):
        with open(os.path.join(PROGRAMS, name), "rb") as source:
            digest.update(source.read())
    return digest.hexdigest()[:12]


@functools.lru_cache(None)
def image(name):
    """Returns the path of a program's ELF; compiles it if it is not there yet."""
    if name == "stripped":
        return stripped()
    if name == "mcuprof":
        return os.path.join(ROOT, "build", "mcuprof")
    command = IMAGES.get(name) or HOSTED.get(name) or LINKED[name]
    compile_it = (compile_firmware if name in IMAGES else
                  compile_hosted if name in HOSTED else compile_linked)
    path = os.path.join(BUILD, f"{name}-{sources_key(*command, BASE_FLAGS, CXX_FLAGS)}.elf")
    os.makedirs(BUILD, exist_ok=True)
    with open(os.path.join(BUILD, name + ".lock"), "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not os.path.exists(path):
            compile_it(name, path)
    return path


def stripped():
    """Returns the first program without its symbols."""
    need("strip")
    whole = image("x86")
    path = whole.replace(".elf", ".stripped")
    if not os.path.exists(path):
        run(["strip", "-s", "-o", f"{path}.{os.getpid()}", whole])
        os.rename(f"{path}.{os.getpid()}", path)
    return path


# The judge is Debian 12's version. Others print other things: 2.26 finds other lines, and 2.41 and
# later were not compared.
VERSION = "2.40"
VERSIONS = {"avr-gprof": "2.26"}


@functools.lru_cache(None)
def version(program):
    """Returns a version such as 2.40, from the last word of the first line."""
    text = subprocess.run([program, "--version"], check=True, text=True,
                          stdout=subprocess.PIPE).stdout
    return re.match(r"\d+\.\d+", text.split("\n", 1)[0].split()[-1])[0]


def judge(name):
    """Returns the GNU gprof whose output counts as right for this program. If another version is
    installed, the program's cases are skipped."""
    program = (IMAGES | LINKED).get(name, ("",))[0] + "gprof"
    need(program)
    wanted = VERSIONS.get(program, VERSION)
    if version(program) != wanted:
        raise unittest.SkipTest(f"{program} is version {version(program)}, the judge {wanted}")
    return program


class Elf:
    """The parts of an ELF from which a gmon.out for it is made."""

    def __init__(self, path):
        with open(path, "rb") as file:
            self.data = file.read()
        self.wide = self.data[4] == 2
        self.order = ">" if self.data[5] == 2 else "<"
        self.word = 8 if self.wide else 4
        sections = self.sections()
        text = next(part for part in sections if part["name"] == ".text")
        self.low, self.high = text["address"], text["address"] + text["size"]
        self.code_high = max(part["address"] + part["size"] for part in sections
                             if part["flags"] & 4)
        self.functions = {}  # name: address, Thumb bit cleared; of equal names the first
        self.names = {}  # address: names
        self.thumb = False
        self.read_symbols(sections)

    def sections(self):
        start = struct.unpack_from(self.order + ("Q" if self.wide else "I"), self.data,
                                   40 if self.wide else 32)[0]
        size, count, names = struct.unpack_from(self.order + "HHH", self.data,
                                                58 if self.wide else 46)
        layout = self.order + ("IIQQQQII" if self.wide else "IIIIIIII")
        keys = ("name", "type", "flags", "address", "offset", "size", "link")
        found = [dict(zip(keys, struct.unpack_from(layout, self.data, start + i * size)))
                 for i in range(count)]
        for part in found:
            part["name"] = self.string(found[names]["offset"] + part["name"])
        return found

    def string(self, at):
        return self.data[at:self.data.index(b"\0", at)].decode()

    def read_symbols(self, sections):
        table = next((part for part in sections if part["type"] == 2), None)
        if not table:
            return
        machine = struct.unpack_from(self.order + "H", self.data, 18)[0]
        names = sections[table["link"]]["offset"]
        step = 24 if self.wide else 16
        for at in range(table["offset"], table["offset"] + table["size"], step):
            if self.wide:
                name, info, _, section, value = struct.unpack_from(self.order + "IBBHQ",
                                                                   self.data, at)
            else:
                name, value, _, info, _, section = struct.unpack_from(self.order + "IIIBBH",
                                                                      self.data, at)
            if info & 15 == 2 and 0 < section < 0xff00:
                if machine == 40:
                    self.thumb |= bool(value & 1)
                    value &= ~1
                self.functions.setdefault(self.string(names + name), value)
                self.names.setdefault(value, set()).add(self.string(names + name))


@functools.lru_cache(None)
def elf(name):
    return Elf(image(name))
