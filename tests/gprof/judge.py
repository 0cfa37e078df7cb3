# SPDX-License-Identifier: MIT
"""Runs GNU gprof and ours with the same command line and compares all their output."""
import difflib
import inspect
import os
import re
import subprocess
import tempfile
import unittest

import commands
import gmon
import images
import lookup

PROGRAM = os.path.join(images.ROOT, "build", "mcuprof")
LIMIT_SECONDS = 60
# New memory, and the memory behind it, must hold zeros, because GNU gprof reads some that it never
# wrote.
ENVIRONMENT = {"PATH": os.environ["PATH"], "LC_ALL": "C", "MALLOC_PERTURB_": "255"}


def zeros_for_nan(text):
    """Returns GNU gprof's text with 0 in place of the results of a division by zero."""
    def line(match):
        text = match.group()
        if text.startswith(b"["):
            text = re.sub(rb"^(\[\d+\] *?) {1,2}-?(nan|inf)", rb"\g<1>  0.0", text)
        text = re.sub(rb" (nan|inf)\b", b"0.00", text)
        return re.sub(rb"-?(nan|inf)\b", b"0.00", text)

    text = text.replace(b"counts as inf", b"counts as 0")
    return re.sub(rb"[^\n]*\b(nan|inf)\b[^\n]*", line, text)


def nan_as_zero(gnu, *_):
    """Whether GNU gprof divided by zero; if so, corrects its output."""
    if not re.search(rb"\b(nan|inf)\b", gnu.stdout):
        return False
    gnu.stdout = zeros_for_nan(gnu.stdout)
    return True


def miscounted(gnu, ours, place, _):
    """Whether only GNU gprof crashed. Then it is judged whether each line is where BFD has it;
    programs that GNU gprof can read judge what is made of the lines."""
    if gnu.status == 0 or b"somebody miscounted: ltab.len=" not in gnu.stderr or \
            ours.status != 0 or not (ours.stdout or ours.files) or not place.lines_agree():
        return False
    gnu.status, gnu.stdout, gnu.stderr, gnu.files = 0, ours.stdout, ours.stderr, ours.files
    return True


def big_blocks(gnu, _, place, arguments):
    """Gives GNU gprof the same profile, but with the number of blocks in the byte order that it
    reads."""
    if gnu.status == 0 or b"blocks.gmon: Success\n" not in gnu.stderr:
        return False
    readable = [word.replace("blocks.gmon", "turned.gmon") for word in arguments]
    vars(gnu).update(vars(place.run("gnu", readable)))
    return gnu.status == 0


def unclear(gnu, ours, *_):
    """Whether GNU gprof refused with "Success" as the reason. Ours must then refuse too, and name
    the file."""
    file = re.search(rb"(?m)^(\S+): Success$", gnu.stderr)
    if not file or ours.status != 1 or not re.search(
            rb"(?m)^(PROGRAM: )?" + re.escape(file[1]) + rb": (?!Success).+$", ours.stderr):
        return False
    gnu.stderr = ours.stderr
    return True


def usage(gnu, ours, *_):
    """Whether both list their options after a wrong one, GNU gprof in its words, ours in its
    own."""
    lists = [re.search(rb"(?ms)^PROGRAM: \[.*", result.stderr) for result in (gnu, ours)]
    if gnu.status != 1 or not all(lists):
        return False
    gnu.stderr = gnu.stderr[:lists[0].start()] + lists[1].group()
    return True


def twice(gnu, ours, *_):
    """Whether both order functions alike, but GNU gprof repeats some."""
    lines, once = gnu.stdout.splitlines(), ours.stdout.splitlines()
    rest = iter(lines)
    if len(set(once)) < len(once) or set(once) != set(lines) or len(once) == len(lines) or \
            not all(line in rest for line in once):
        return False
    gnu.stdout = ours.stdout
    return True


# All known differences, with their reasons. The third item is a function that decides from the two
# results whether the difference is this one, and then changes GNU gprof's result into what ours
# must be.
KNOWN = [
    ("no rate", "times of a profile without samples or rate are 0, not the nan of 0/0",
     nan_as_zero),
    ("lines", "GNU gprof's two passes over the lines of C++ do not always agree; it then ends",
     miscounted),
    ("blocks", "GNU gprof swaps the number of basic blocks of a big-endian program twice",
     big_blocks),
    ("reason", "where GNU gprof refuses with \"Success\" for a reason, ours says what is wrong",
     unclear),
    ("orders", "with -k or -q FROM/TO, GNU gprof's -r prints these functions twice", twice),
    ("usage", "the options are listed in our own words", usage),
]


class Result:
    def __init__(self, done, program, files):
        self.status = done.returncode
        self.stdout = done.stdout
        self.stderr = re.sub(program, b"PROGRAM:", done.stderr)
        self.files = files

    def __str__(self):
        parts = [f"status {self.status}", "--- stderr", self.stderr.decode("latin-1"),
                 "--- stdout", self.stdout.decode("latin-1")]
        for name, data in sorted(self.files.items()):
            parts += [f"--- file {name}", data.decode("latin-1") if name.endswith("-ann")
                      else data.hex(" ", 4)]
        return "\n".join(parts)

    def __eq__(self, other):
        return str(self) == str(other)


def masked(name, data):
    """Returns a gmon.sum without the spare bytes, which GNU gprof does not set."""
    if name == "gmon.sum" and data.startswith(b"gmon"):
        return data[:8] + bytes(12) + data[20:]
    return data


class Place:
    """Two equal folders, each with a program and its profiles: one for each gprof."""

    def __init__(self, name, extra=None):
        self.name = name
        self.folder = tempfile.TemporaryDirectory(prefix="gprof-")
        self.image = images.image(name)
        self.given = {}
        self.agree = None
        for file in ("a.out", "prog"):
            self.link(file, self.image)
        for file, data in (extra or {}).items():
            self.write(file, data)

    @property
    def judge(self):
        return images.judge(self.name)

    def link(self, name, target):
        for side in ("gnu", "ours"):
            os.makedirs(self.path(side), exist_ok=True)
            os.symlink(target, self.path(side, name))
        self.given[name] = None

    def write(self, name, data):
        for side in ("gnu", "ours"):
            os.makedirs(os.path.dirname(self.path(side, name)), exist_ok=True)
            with open(self.path(side, name), "wb") as file:
                file.write(data)
        self.given[name] = data

    def path(self, side, name=""):
        return os.path.join(self.folder.name, side, name)

    def lines_agree(self):
        if self.agree is None:
            self.agree = lookup.lines_agree(self)
        return self.agree

    def run(self, side, arguments, stdin=b"", environment=None, blocked=None):
        """`blocked`: a file that cannot be written, because a directory has its name."""
        if blocked:
            os.mkdir(self.path(side, blocked))
        try:
            return self.run_in(side, arguments, stdin, environment)
        finally:
            if blocked:
                os.rmdir(self.path(side, blocked))

    def run_in(self, side, arguments, stdin, environment):
        if side == "gnu":
            command, program = [self.judge], rb"(?m)^(Usage: )?\S*gprof:?"
        else:
            command, program = [PROGRAM, "gprof"], rb"(?m)^(Usage: )?(\S*mcuprof )?\S*gprof:?"
        done = subprocess.run(command + arguments, cwd=self.path(side), input=stdin,
                              env=dict(ENVIRONMENT, **(environment or {})),
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              timeout=LIMIT_SECONDS, check=False)
        files = {}
        for name in set(os.listdir(self.path(side))) - {key.split("/")[0] for key in self.given}:
            if os.path.isdir(self.path(side, name)):
                continue
            with open(self.path(side, name), "rb") as file:
                files[name] = masked(name, file.read())
            os.remove(self.path(side, name))
        return Result(done, program, files)

    def close(self):
        self.folder.cleanup()


def difference(gnu, ours):
    lines = difflib.unified_diff(str(gnu).splitlines(), str(ours).splitlines(), "GNU gprof",
                                 "mcuprof gprof", lineterm="", n=2)
    text = "\n".join(line.replace("\f", "^L") for line in lines)
    return text if len(text) < 6000 else text[:6000] + "\n..."


def object_map(elf):
    """Returns a map for -R: each object has three functions, some are unknown, one object is
    unused."""
    lines = ["No symbols in empty.o", "unused.o: 0000 T nothing_of_it"]
    for number, name in enumerate(sorted(elf.functions, key=elf.functions.get)):
        if number % 5:
            lines.append(f"part{number // 3 % 6}.o:{number:08x} T {name}")
    return ("\n".join(lines) + "\n").encode()


def symbol_table(elf):
    """Returns a symbol table for -S. The last symbol has no samples, since GNU gprof reads its end
    beyond its table."""
    return (commands.SYMBOL_TABLE.replace("BASE", f"{elf.low >> 8:x}")
            .replace("END", f"{elf.code_high:x}").encode())


class Judged(unittest.TestCase):
    """The base of the classes that cases() makes. All tests of a class share one Place."""
    image = None
    seed = 1

    @classmethod
    def setUpClass(cls):
        if not os.path.exists(PROGRAM):
            raise FileNotFoundError(f"{PROGRAM}: run `make` first")
        cls.place = Place(cls.image, cls.files())
        cls.addClassCleanup(cls.place.close)

    @classmethod
    def files(cls):
        """Returns {name: bytes} of the files beside the program."""
        if cls.image in images.HOSTED:
            with open(images.image(cls.image) + ".gmon", "rb") as file:
                return {"gmon.out": file.read()}
        elf = images.elf(cls.image)
        if "alpha" not in elf.functions:  # the program is not made of start.c
            profiles = gmon.linked(elf, cls.seed)
            profiles["out"] = profiles.pop("gmon")
            return {f"{name}.gmon" if name != "out" else "gmon.out": data
                    for name, data in profiles.items()}
        profiles = gmon.kinds(elf, cls.seed)
        files = {f"{name}.gmon": data for name, data in profiles.items()}
        files["gmon.out"] = profiles["rich"]
        if elf.order == ">":
            files["turned.gmon"] = gmon.turned_blocks(profiles["blocks"])
        files["map"] = object_map(elf)
        files["table"] = symbol_table(elf)
        files["arguments"] = b"-p  -q '-w' \"30\" -k main/b\\eta"
        return files

    def judge(self, arguments, empty=False, **more):
        """Fails unless both print the same, and print something (unless `empty`)."""
        gnu = self.place.run("gnu", arguments, **more)
        if not empty:
            self.assertTrue(gnu.stdout or gnu.stderr or gnu.files, "nothing to compare")
        ours = self.place.run("ours", arguments, **more)
        if gnu != ours:
            any(entry[2](gnu, ours, self.place, arguments) for entry in KNOWN)
        if gnu != ours:
            command = " ".join([self.place.judge, *arguments])
            self.fail(f"{self.place.name}: {command}\n{self.place.image}\n"
                      f"{difference(gnu, ours)}")


def method_name(number, arguments):
    return f"test_{number:03}_" + re.sub(r"[^\w]+", "_", " ".join(arguments)).strip("_")[:60]


def cases(image, commands, label=None, seed=1, **more):
    """Makes a class with a test for each command line of a program."""
    if "plain" in image:
        more.setdefault("empty", True)  # there is nothing to annotate

    def test(arguments):
        return lambda self: self.judge(["-b", *arguments], **more)

    module = inspect.currentframe().f_back.f_globals["__name__"]
    members = {"image": image, "seed": seed, "__module__": module}
    for number, arguments in enumerate(commands):
        members[method_name(number, arguments)] = test(list(arguments))
    name = label or re.sub(r"\W", "_", image)
    return type(f"Judged_{name}", (Judged,), members)
