# SPDX-License-Identifier: MIT
"""Calls that `mcuprof patch` counts at their sites: tests/rigs/sites. The emulator's log of the
patched firmware, instruction by instruction, is the truth; what the firmware computes is the same as
without; and no byte but those of calls has changed."""
import collections
import json
import os
import re
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../bench"))
import emulator  # noqa: E402
from firmware import MCUPROF, Run, make, output  # noqa: E402

KNOBS = "-DMCUPROF_SITES=128 -DMCUPROF_RING_BYTES=4096"
VARIABLES = ("HOOKS=0", "MORE_SOURCES=tests/rigs/sites/decoys.S")
CALL = re.compile(r" *([0-9a-f]+):\t[0-9a-f]{4} [0-9a-f]{4}\s+(b|bl|b[a-z]{2})(?:\.w)?\t([0-9a-f]+) <")
# Calls that may not be counted: assembly relies on the flags, or reads its own code; RAM is too far.
LEFT = {("carry_in", "takes_carry"), ("keeps_flags", "no_flags"), ("shared", "no_flags"),
        ("far", "near")}


def tool(name, *arguments):
    return subprocess.run(["arm-none-eabi-" + name, *arguments], check=True, text=True,
                          capture_output=True).stdout


class Plain:
    """Firmware as the linker left it: its symbols, its calls by objdump."""

    def __init__(self, run):
        self.run, self.elf = run, run.elf
        self.symbols, self.sizes = {}, {}
        for line in tool("nm", "-S", self.elf).splitlines():
            words = line.split()
            if len(words) >= 3 and not words[-1].startswith("$"):
                self.symbols[words[-1]] = int(words[0], 16)
                self.sizes[words[-1]] = int(words[1], 16) if len(words) == 4 else 0
        self.names = {}
        functions = re.findall(r"^(\S+) .{6}F .*\s(\S+)$", tool("objdump", "-t", self.elf), re.M)
        for address, name in functions:
            self.names.setdefault(int(address, 16), set()).add(name)
        self.starts = sorted(self.names)
        self.sites = {int(at, 16): (kind, int(to, 16)) for at, kind, to in
                      CALL.findall(tool("objdump", "-d", self.elf))}

    def bytes(self, elf=None):
        with open(elf or self.elf, "rb") as file:
            return file.read()

    def offset(self, address):
        """Returns the place of code in the file."""
        for section in re.findall(r"^ +\d+ (\S+) +(\S+)  (\S+)  \S+  (\S+)  ",
                                  tool("objdump", "-h", self.elf), re.M):
            size, low, offset = (int(word, 16) for word in section[1:])
            if low <= address < low + size and section[0] not in (".bss", ".stack"):
                return offset + address - low
        raise AssertionError(hex(address))

    def function(self, address):
        return min(self.names[max(start for start in self.starts if start <= address)])

    def patch(self, *options, name="patched", elf=None):
        out = f"{os.path.dirname(self.elf)}/{name}.elf"
        return out, output("patch", "-o", out, *options, elf or self.elf)

    def command(self):
        return make(f"BOARD={self.run.board}", "EXAMPLE=sites", *VARIABLES,
                    "--eval=show: ; @echo $(BOARD_RUN)", "show")[0].split()

    def may_change(self, elf):
        """Returns the bytes of the file that may change: calls, the library's room, the build ID
        and the unwind table."""
        free = set()
        for at in self.sites:
            free.update(range(self.offset(at), self.offset(at) + 4))
        for name in ("mcuprof_sites", "mcuprof_thunks"):
            place = self.offset(self.symbols[name] & ~1)
            free.update(range(place, place + self.sizes[name]))
        for section in (".note.gnu.build-id", ".mcuprof_unwind"):
            row = re.search(rf" {re.escape(section)} +(\S+)  \S+  \S+  (\S+)  ",
                            tool("objdump", "-h", elf))
            free.update(range(int(row[2], 16), int(row[2], 16) + int(row[1], 16)))
        return free


def logged(plain, elf):
    """Runs the patched firmware; returns its console's text and {site: calls} of the calls and jumps
    that ran while the profiler was on."""
    capture = elf[:-4] + ".mprof"
    command, log = plain.command(), elf + ".log"
    console = subprocess.run(
        [MCUPROF, "record", "-e", elf, "-o", capture, "--", *command[:-1], "-singlestep", "-d",
         "exec,nochain,int", "-D", log, command[-1], elf], check=True, text=True,
        capture_output=True, timeout=600).stdout
    on, off = (plain.symbols[f"mcuprof_sites_{what}"] & ~1 for what in ("start", "stop"))
    counts, running, within, before, amid = collections.Counter(), False, False, None, 0
    thunks = plain.symbols["mcuprof_thunks"] & ~1
    thunks, last = range(thunks, thunks + plain.sizes["mcuprof_thunks"]), 0
    ends = on + plain.sizes["mcuprof_sites_start"]
    with open(log, encoding="ascii", errors="replace") as lines:
        for pc in emulator.events(lines):
            amid += pc < 0 and last in thunks
            last = pc
            if pc in plain.sites and running:
                counts[pc] += 1
            if on <= pc < ends:
                within = True
            elif within and pc > 0 and not on <= pc < ends:
                within, running = False, True
            elif pc == off:
                running = False
            if before is not None and pc == before + 4:  # a condition was false
                counts[before] -= 1
            conditional = pc in plain.sites and running and plain.sites[pc][0] not in ("b", "bl")
            before = pc if conditional else None
    os.remove(log)
    assert amid > 0, "no interrupt came within a thunk"
    return console, counts, capture


class Sites(unittest.TestCase):
    maxDiff = None

    def build(self, board, optimise="-Os", knobs="", variables=()):
        return Plain(Run(board, "sites", f"{KNOBS} {knobs}", optimise,
                         variables=(*VARIABLES, *variables)))

    def check(self, board, optimise="-Os", knobs="", variables=()):
        plain = self.build(board, optimise, knobs, variables)
        elf, said = plain.patch("-v")
        console, counts, capture = logged(plain, elf)
        self.assertEqual(re.findall(r"result \d+", console),
                         re.findall(r"result \d+", plain.run.console))
        self.check_arcs(plain, elf, capture, counts)
        self.check_bytes(plain, elf)
        return plain, elf, said

    def check_arcs(self, plain, elf, capture, counts):
        """Every arc has the log's count; every call that ran is counted but those that cannot be."""
        info = json.loads(output("info", "--json", capture))
        self.assertTrue(info["complete"])
        self.assertEqual((info["arcs"]["lost"], info["damaged"]), (0, 0))
        arcs = json.loads(output("export", "--to", "json", "-e", elf, capture))["arcs"]
        self.assertGreater(len(arcs), 25)
        sent = {arc["from"] - 4: (arc["to"], arc["count"]) for arc in arcs}
        self.assertEqual(len(sent), len(arcs))
        for site, (to, count) in sent.items():
            self.assertEqual((to, count), (plain.sites[site][1], counts[site]), hex(site))
        left = [site for site, count in counts.items() if count and site not in sent
                and plain.sites[site][1] in plain.names]
        files = tool("addr2line", "-e", plain.elf, *map(hex, left)).splitlines()
        self.assertEqual({(plain.function(site), callee) for site, file in zip(left, files)
                          for callee in plain.names[plain.sites[site][1]]
                          if "/target/" not in file and not callee.startswith("mcuprof_")}, LEFT)

    def check_bytes(self, plain, elf):
        before, after = plain.bytes(), plain.bytes(elf)
        self.assertEqual(len(before), len(after))
        changed = {i for i, pair in enumerate(zip(before, after)) if pair[0] != pair[1]}
        self.assertEqual(changed - plain.may_change(elf), set())

    def test_thumb_1(self):
        self.check("microbit")

    def test_thumb_2(self):
        self.check("mps2-an385", "-O2")

    def test_short(self):
        """The thunks share a part."""
        self.check("microbit", knobs="-DMCUPROF_SITES_SHORT=1")

    def test_armv8(self):
        self.check("mps2-an505", "-O3", variables=(
            "EXAMPLE_CC=clang --target=arm-none-eabi -Wno-unknown-warning-option",))

    def test_samples(self):
        """A sample in a thunk has the path of the call, and is the profiler's."""
        plain = self.build("microbit", knobs="-DMCUPROF_SAMPLE_HZ=20000")
        elf, _ = plain.patch()
        capture = elf[:-4] + ".mprof"
        command = plain.command()
        output("record", "-e", elf, "-o", capture, "--", *command, elf)
        model = json.loads(output("export", "--to", "json", "-e", elf, capture))
        paths = json.loads(output("info", "--json", capture))["paths"]
        self.assertEqual(paths["unsure"], 0)
        names = [function["name"] for function in model["functions"]]
        self.assertIn("leaf", names)
        before = plain.bytes(elf)
        output("unwind", elf)  # it was done already
        self.assertEqual(before, plain.bytes(elf))


    def test_never_flushed(self):
        """Sampling sends the counts, one site a sample; nothing in the program starts or ends."""
        variables = ("HOOKS=0",)
        run = Run("microbit", "endless", "-DMCUPROF_SITES=60 -DBOARD_COUNT_SAMPLES "
                  "-DMCUPROF_AUTO_START=1 -DMCUPROF_FLUSH_MS=100", variables=variables)
        patched, command = Plain(run).patch()[0], Plain(run).command()
        run.capture = patched[:-4] + ".mprof"
        output("record", "-e", patched, "-o", run.capture, "--", *command, patched)
        run.elf = patched
        calls = run.calls()
        self.assertEqual([calls["main", name] for name in ("four", "two", "one")], [300] * 3)

    def test_exceptions(self):
        """The unwind table of C++ says of all code but the thunks what it said before: also that
        the unwinder has one caller, whose address a thunk now has, too."""
        out = "build/tests/mps2-an385/sites_cpp"
        make("firmware", "BOARD=mps2-an385", "EXAMPLE=cpp", f"OUT={out}",
             "KNOBS=-DMCUPROF_ARCS=1 -DMCUPROF_SITES=1500 -DMCUPROF_SITES_SHORT=1")
        before, after = f"{out}/cpp.elf", f"{out}/patched.elf"
        said = output("patch", "-o", after, before)
        self.assertGreater(int(said.split()[0]), 126)  # of several groups
        self.assertNotIn("flags", said)
        room = next(line.split() for line in tool("nm", "-S", before).splitlines()
                    if line.endswith(" mcuprof_thunks"))
        low = int(room[0], 16) & ~1
        tables = [self.table(elf, low, low + int(room[1], 16)) for elf in (before, after)]
        self.assertTrue(any("@" in said for said in tables[0].values()))
        self.assertEqual(*tables)

    @staticmethod
    def table(elf, low, high):
        """Returns what the unwind table says at each second byte of code in flash, without the
        thunks from `low` to `high`."""
        rows = re.findall(r"^(00\S+) +(\S+ +\S+) ", output("unwind", "--table", elf), re.M)
        places, said = [(int(place, 16), row) for place, row in rows], {}
        for (place, row), (end, _) in zip(places, places[1:]):
            said.update((at, row) for at in range(place, end, 2) if not low <= at < high)
        return said


class Attacked(unittest.TestCase):
    """An ELF that cannot be patched is refused, and nothing is written; else no byte changes that is
    no call."""

    @classmethod
    def setUpClass(cls):
        cls.plain = Plain(Run("microbit", "sites", KNOBS, variables=VARIABLES))
        cls.folder = os.path.dirname(cls.plain.elf)

    def refused(self, elf, reason, *options):
        out = f"{self.folder}/refused.elf"
        done = subprocess.run([MCUPROF, "patch", "-o", out, *options, elf], text=True,
                              capture_output=True, timeout=120)
        self.assertEqual((done.returncode, done.stdout), (3, ""), done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1)
        self.assertRegex(done.stderr, reason)
        self.assertFalse(os.path.exists(out))

    def copy(self, name, *options):
        elf = f"{self.folder}/{name}.elf"
        tool("objcopy", *options, self.plain.elf, elf)
        return elf

    def changed_code(self, elf, patched):
        """Returns the addresses of the calls that differ."""
        before, after = self.plain.bytes(elf), self.plain.bytes(patched)
        text = re.search(r" \.text +(\S+)  (\S+)  \S+  (\S+)  ", tool("objdump", "-h", elf))
        size, low, offset = (int(word, 16) for word in text.groups())
        thunks = self.plain.symbols["mcuprof_thunks"] & ~1
        return {at for at in range(low, low + size, 2) if not thunks - 4 <= at < thunks +
                self.plain.sizes["mcuprof_thunks"] and
                before[offset + at - low:offset + at - low + 2] !=
                after[offset + at - low:offset + at - low + 2]}

    def test_without_mapping_symbols(self):
        """Data among code is found by following the code."""
        elf = self.copy("unmapped", "-w", "--strip-symbol=$*")
        with_them = self.changed_code(self.plain.elf, self.plain.patch()[0])
        without = self.changed_code(elf, self.plain.patch(name="of_unmapped", elf=elf)[0])
        self.assertEqual(without, with_them)
        self.assertGreater(len(with_them), 50)

    def test_refused(self):
        patched, _ = self.plain.patch()
        self.refused(patched, "is patched already")
        self.refused(self.copy("stripped", "--strip-all"), "no function symbols")
        self.refused(self.copy("roomless", "--strip-symbol=mcuprof_thunks"), "no room")
        self.refused(self.plain.elf, "is called 'absent'", "--calls", "absent")
        self.refused("build/mcuprof", "on Cortex-M only")
        half = f"{self.folder}/half.elf"
        with open(half, "wb") as file:
            file.write(self.plain.bytes()[:20000])
        self.refused(half, "truncated")
        few = Run("microbit", "sites", KNOBS.replace("128", "9"), variables=VARIABLES)
        self.refused(few.elf, r"\d\d call sites .* no room .* MCUPROF_SITES=\d\d ")
        hooked = Run("microbit", "sites", KNOBS, variables=VARIABLES[1:])
        self.refused(hooked.elf, "-finstrument-functions")

    def test_chosen(self):
        _, said = self.plain.patch("--calls", "leaf", "--calls", "fib*", name="chosen")
        self.assertRegex(said, r"^(\d+) of \1 call sites")
        _, fewer = self.plain.patch("--calls", "sites.c", "--without", "leaf", name="chosen")
        _, more = self.plain.patch("--calls", "sites.c", name="chosen")
        count = [int(text.split()[0]) for text in (said, fewer, more)]
        self.assertLess(count[1], count[2])
        self.assertGreater(count[2], count[0])

    def test_said(self):
        """info and lint know a patched ELF, and that a plain one is none."""
        patched, said = self.plain.patch()
        sites = int(said.split()[0])
        for elf, count in ((patched, sites), (self.plain.elf, 0)):
            lint = json.loads(output("lint", "--json", elf))
            rules = {finding["rule"] for finding in lint["findings"]}
            self.assertEqual((lint["sites"], "not-patched" in rules), (count, count == 0))
            self.assertNotIn("nothing-instrumented", rules)
        info = output("info", "-e", self.plain.elf, self.plain.run.capture)
        self.assertNotIn("call site", info)
        capture = patched[:-4] + ".mprof"
        output("record", "-e", patched, "-o", capture, "--", *self.plain.command(), patched)
        self.assertIn(f"counted at {sites} call sites",
                      output("info", "-e", patched, capture))
        self.check_uncounted(patched, capture, "through pointers")
        self.check_uncounted(self.plain.elf, self.plain.run.capture)

    def check_uncounted(self, elf, capture, told=None):
        """report, and check of a budget on calls, say which calls are not among those counted."""
        budgets = f"{self.folder}/budgets"
        for budget, tells in (("leaf calls >= 0", told), ("leaf self < 101%", None)):
            with open(budgets, "w", encoding="ascii") as file:
                file.write(budget)
            done = subprocess.run([MCUPROF, "check", "-e", elf, budgets, capture], text=True,
                                  capture_output=True)
            self.assertEqual("through pointers" in done.stderr, tells is not None, done.stderr)
        self.assertEqual("of all tasks together, without those through pointers" in
                         output("report", "-e", elf, capture),
                         told is not None)

    def test_make_and_cmake(self):
        """One line each: the same ELF as by hand."""
        by_hand, _ = self.plain.patch(name="by_hand")
        with open(f"{self.folder}/Makefile", "w", encoding="ascii") as file:
            file.write("MCUPROF_CPU := cortex-m0\nall:\n"
                       f"include {os.getcwd()}/target/mcuprof.mk\n")
        path = f"{os.getcwd()}/build:{os.environ['PATH']}"
        subprocess.run(["make", "-s", "-C", self.folder, "sites.counts.elf"], check=True,
                       env={**os.environ, "PATH": path}, capture_output=True)
        self.assertEqual(self.plain.bytes(by_hand),
                         self.plain.bytes(f"{self.folder}/sites.counts.elf"))
        lists, built = f"{self.folder}/cmake", f"{self.folder}/cmake/build"
        os.makedirs(lists, exist_ok=True)
        with open("examples/cmake/CMakeLists.txt", encoding="ascii") as example, \
                open(f"{lists}/CMakeLists.txt", "w", encoding="ascii") as file:
            text = example.read().replace("${CMAKE_CURRENT_SOURCE_DIR}/../..", os.getcwd())
            text = text.replace("PRIVATE MCUPROF_CONFIG", "PRIVATE MCUPROF_SITES=99 MCUPROF_CONFIG")
            file.write(re.sub(r"mcuprof_profile\(.*\n", "", text) +
                       "mcuprof_patch(blinky.elf --without main)\n")
        for command in (["-S", lists, "-B", built], ["--build", built]):
            subprocess.run(["cmake", *command], check=True, capture_output=True)
        self.assertGreater(json.loads(output(
            "lint", "--json", f"{built}/blinky.counts.elf"))["sites"], 10)

    def test_same_file(self):
        elf = self.copy("same")
        before = self.plain.bytes(elf)
        done = subprocess.run([MCUPROF, "patch", "-o", elf, elf], capture_output=True)
        self.assertEqual((done.returncode, self.plain.bytes(elf)), (2, before))

    def test_damaged(self):
        """Bytes of the ELF's tables are flipped in turn."""
        whole, elf = self.plain.bytes(), f"{self.folder}/damaged.elf"
        sections = int.from_bytes(whole[32:36], "little")
        places = [*range(16, 116, 3), *range(sections, len(whole), 7)]
        free, out = self.plain.may_change(self.plain.elf), f"{self.folder}/out.elf"
        for number, place in enumerate(places):
            damaged = bytearray(whole)
            damaged[place] ^= (1, 0x80, 0xff)[number % 3]
            with open(elf, "wb") as file:
                file.write(damaged)
            done = subprocess.run([MCUPROF, "patch", "-o", out, elf], capture_output=True,
                                  timeout=60)
            self.assertIn(done.returncode, (0, 3), place)
            if done.returncode == 0:
                after = self.plain.bytes(out)
                self.assertEqual({i for i, pair in enumerate(zip(damaged, after))
                                  if pair[0] != pair[1]} - free, set(), place)
                os.remove(out)


if __name__ == "__main__":
    unittest.main()
