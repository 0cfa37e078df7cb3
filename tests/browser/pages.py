# SPDX-License-Identifier: MIT
"""Profiles for pages: of firmware in emulators, of a program with 20,000 functions, and of one
whose names would break out of the page."""
import os
import random
import subprocess
import sys

for folder in ("tests/firmware", "tests/golden"):
    sys.path.append(folder)
import elves  # noqa: E402
import firmware  # noqa: E402
import wire  # noqa: E402

MCUPROF = "build/mcuprof"
LARGE = 20000
DEEP = 65
SWITCHES = 100000
HOSTILE = [
    "</script><script>document.title='broken'</script>", "<!--<script>", "]]>", "&amp;&#60;b>",
    "'\\\"", "<img src=x onerror=alert(1)>", "x${alert(1)}", "\u2028\u2029", "a;b c 12",
    "@DATA@", "__proto__", "ж" * 40, "y" * 2**20]


def page(out, elf, *rest):
    """Makes a page; returns what the command said on standard error."""
    ran = subprocess.run([MCUPROF, "html", "-e", elf, "-o", out, *rest], capture_output=True,
                         text=True, check=False, timeout=120)
    if ran.returncode != 0:
        raise AssertionError(f"{rest}: {ran.returncode}\n{ran.stderr}")
    return ran.stderr


def assemble(folder, names, name):
    """Makes an ELF whose functions have these names, 16 bytes each, from 0x8000 on."""
    elf = os.path.join(folder, name)
    with open(elf + ".s", "w", encoding="utf-8") as out:
        out.write(".syntax unified\n.cpu cortex-m0plus\n.thumb\n.text\n")
        for number, each in enumerate(names):
            quoted = each.replace("\\", "\\\\").replace('"', '\\"')
            out.write(f'.set f{number}, .\n.thumb_func\n.type "{quoted}", %function\n"{quoted}":\n'
                      f'.rept 8\nnop\n.endr\n.size "{quoted}", 16\n')
    elves.run(elves.ARM + "as", "-o", elf + ".o", elf + ".s")
    elves.run(elves.ARM + "ld", "-Ttext=0x8000", "-e", "0x8000", "-o", elf, elf + ".o")
    return elf


def address(number, offset=8):
    return f"{0x8000 + 16 * number + offset:x}"


def write_paths(path, paths):
    """Writes a log of paths: numbers of functions, leaf first."""
    with open(path, "w", encoding="ascii") as out:
        for numbers in paths:
            out.write(" ".join(map(address, numbers)) + "\n")
    return path


def large(folder):
    """Returns the ELF and the log of a program in which each of 20,000 functions was sampled."""
    chance = random.Random(1)
    elf = assemble(folder, [f"function_{i:05}" for i in range(LARGE)], "large.elf")

    def path(leaf):
        outer = [leaf]
        while outer[-1] > 0 and len(outer) < 30:
            outer.append(chance.randrange(outer[-1]) if outer[-1] > 8 else outer[-1] - 1)
        return outer
    leaves = [*range(LARGE), *(int(LARGE * chance.random()**3) for _ in range(2 * LARGE))]
    return elf, write_paths(os.path.join(folder, "large.log"), map(path, leaves))


def deep(folder):
    """Returns the ELF and the log of a program that is 65 calls deep, as an interpreter is."""
    elf = assemble(folder, [f"level_{i}" for i in range(DEEP)], "deep.elf")
    paths = [list(range(leaf, -1, -1)) for leaf in (*range(DEEP), *[DEEP - 1] * DEEP)]
    return elf, write_paths(os.path.join(folder, "deep.log"), paths)


def hostile(folder):
    elf = assemble(folder, ["main", *HOSTILE], "hostile.elf")
    paths = [[number, 0] for number in range(1, len(HOSTILE) + 1)]
    return elf, write_paths(os.path.join(folder, "hostile.log"), paths)


def switches(folder):
    """Writes a timeline of two tasks and an interrupt: 100,000 switches, 1 or 2 us apart."""
    made = wire.Stream(flags=wire.TELLS_TASKS)
    for number, name in enumerate(("first", "second"), 1):
        made.task(number, name)
    made.state(1000000, 0, 1)
    for _ in range(SWITCHES // 80):
        made.steps(*[(2, 1), (wire.IRQ + 15, 1), (wire.RETURN, 2), (1, 1)] * 20)
    made.end(totals=False)
    made.write(os.path.join(folder, "switches.mprof"))
    return os.path.join(folder, "switches.mprof")


def singles(folder):
    """Writes calls of one function, each with its own time: 1 to 200 us."""
    made = wire.Stream(flags=wire.TIMES_CALLS)
    made.time(1000000, 0, 0, 0, 0)
    for took in range(1, 201):
        made.call(0x8004, 0x8010, 1, took, took, took, took)
    made.time(1000000, 0, 0, 0, 30000)
    made.end()
    made.write(os.path.join(folder, "singles.mprof"))
    return os.path.join(folder, "singles.mprof")


def power(folder):
    """Writes a file of currents for the tasks of `chibios`."""
    path = os.path.join(folder, "shield.power")
    with open(path, "w", encoding="utf-8") as out:
        out.write("voltage = 3.3 V\nrunning = 20 mA\nidle = 3 mA\ntask display = 45 mA\n"
                  "tolerance = 5 %\nbattery = 1.2 Ah\n")
    return path


def make_all(folder):
    """Makes all pages in a folder; returns {name: (ELF, captures...)}. In `packed` the source is
    compressed, too."""
    blinky = firmware.Run("microbit", "blinky", "-DMCUPROF_SAMPLE_HZ=4000")
    throws = firmware.Run("mps2-an385", "throws", "-DMCUPROF_SAMPLE_HZ=4000")
    chibios = firmware.Run("microbit", "chibios", "-DMCUPROF_SAMPLE_HZ=4000")
    callers = firmware.Run("mps2-an385", "callers",
                           "-DMCUPROF_CALLS=1 -DMCUPROF_SAMPLES=0")
    counts = firmware.Run("microbit", "fib", "-DMCUPROF_SAMPLES=0")
    before = firmware.Run("microbit", "shares", "-DMCUPROF_ARCS=0")
    after = firmware.Run("microbit", "shares", "-DMCUPROF_ARCS=0 -DSHARES_ONE=2000")
    lossy = firmware.Run("mps2-an385", "chibios", "-DMCUPROF_TIMELINE=1 -DMCUPROF_RING_BYTES=64")
    marks = firmware.Run("mps2-an385", "timeline", "-DMCUPROF_TIMELINE=1")
    made = {name: (run.elf, run.capture) for name, run in
            {"blinky": blinky, "throws": throws, "chibios": chibios, "callers": callers,
             "counts": counts, "lossy": lossy, "marks": marks}.items()}
    made["shares"] = (after.elf, "--before", before.capture, "--base-elf", before.elf,
                      after.capture)
    made["same"] = (after.elf, "--before", after.capture, after.capture)
    made["energy"] = (*made["chibios"], "--power", power(folder))
    made["large"], made["hostile"], made["deep"] = large(folder), hostile(folder), deep(folder)
    made["switches"] = made["large"][0], switches(folder)
    made["singles"] = assemble(folder, ["main", "work"], "singles.elf"), singles(folder)
    for name in ("large", "hostile", "deep"):
        made[name] = (*made[name], "--hz", "1000")
    for name, arguments in made.items():
        page(os.path.join(folder, f"{name}.html"), *arguments)
    page(os.path.join(folder, "packed.html"), *made["large"], "--sources", "600")
    return made
