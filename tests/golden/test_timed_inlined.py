# SPDX-License-Identifier: MIT
"""Who made timed calls of inlined functions, in each table and export, from captures made by
hand of code that a compiler inlined."""

import json
import math
import os
import re
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from elves import ARM, mcuprof, run  # noqa: E402
from wire import Stream  # noqa: E402

# mul is inlined in fft, in plain, in handler and in tick; fft in spectrum; tick in timer.
SOURCE = """\
#define INLINED static inline __attribute__((always_inline))
__attribute__((noipa)) int work(int x) { __asm__ volatile("nop"); return x; }
INLINED int mul(int x) {
    __asm__ volatile("nop");
    return x * 3;
}
INLINED int fft(int x) {
    return mul(x) + work(x);
}
__attribute__((noipa)) int spectrum(int x) {
    return fft(x) + 1;
}
__attribute__((noipa)) int plain(int x) {
    return mul(x) - 1;
}
__attribute__((noipa)) int twice(int x) {
    int y = mul(x);
    return y + fft(y);
}
__attribute__((noipa)) int handler(int x) {
    return mul(x);
}
int (*volatile pointer)(int);
int (*const kept[])(int) = {mul, fft};
int main(void) {
    spectrum(1);
    plain(2);
    twice(3);
    pointer(4);
    return 0;
}
INLINED int tick(int x) {
    return mul(x) + 2;
}
__attribute__((noipa)) int timer(int x) {
    return tick(x) + 1;
}
__attribute__((section(".vectors"), used)) const void *const vectors[18] = {
    (void *)0x20001000, main, main, main, [15] = handler, tick, timer};
#define HOOK __attribute__((noipa, no_instrument_function))
HOOK void __cyg_profile_func_enter(void *function, void *site) { }
HOOK void __cyg_profile_func_exit(void *function, void *site) { }
"""
HANDLES = 0xFFFFFFF9
HOOKS = ("__cyg_profile_func_enter", "__cyg_profile_func_exit")
PAIR = 146  # instructions of a pair of hooks on a Cortex-M


class Inlined(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        source, cls.elf = (os.path.join(cls.folder.name, name) for name in ("t.c", "t.elf"))
        with open(source, "w", encoding="ascii") as out:
            out.write(SOURCE)
        run(ARM + "gcc", "-mcpu=cortex-m0", "-O2", "-g", "-finstrument-functions",
            "-nostdlib", "-Wl,-emain", "-Wl,-Ttext=0x8000", "-o", cls.elf, source)
        cls.at = {line.split()[2]: int(line.split()[0], 16) for line in
                  run(ARM + "nm", cls.elf).stdout.decode().splitlines()}
        code = run(ARM + "objdump", "-d", cls.elf).stdout.decode()
        calls = re.findall(r"^ *([0-9a-f]+):.*\tbl\t.*<(\w+)>", code, re.M)
        cls.sites = {name: int(address, 16) + 4 for address, name in calls
                     if name != "work" and name not in HOOKS}
        cls.works = [int(address, 16) + 4 for address, name in calls if name == "work"]
        cls.pointed = int(re.search(r"([0-9a-f]+):.*\tblx\t", code)[1], 16) + 2

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def capture(self, *calls, inside=3, outside=7):
        """`calls`: (site, callee, count)."""
        stream = Stream()
        stream.time(1000000, inside, outside, 100, 100000)
        for site, callee, count in calls:
            stream.call(site, self.at[callee], count, 100 * count, 50 * count, 100, 100)
        stream.end()
        path = os.path.join(self.folder.name, "run.mprof")
        stream.write(path)
        return path

    def export(self, form, path):
        return mcuprof("export", "--to", form, "-e", self.elf, path).stdout.decode()

    def callers(self, path):
        model = json.loads(self.export("json", path))
        names = [function["name"] for function in model["functions"]]
        return {(None if call["caller"] is None else names[call["caller"]],
                 names[call["callee"]]): call["count"] for call in model["function_calls"]}

    def test_what_is_inlined_in_the_function_called(self):
        site = self.sites["spectrum"]
        path = self.capture((site, "spectrum", 10), (site, "fft", 10), (site, "mul", 10),
                            (self.sites["plain"], "plain", 5), (self.sites["plain"], "mul", 5))
        self.assertEqual(self.callers(path), {
            ("main", "spectrum"): 10, ("spectrum", "fft"): 10, ("fft", "mul"): 10,
            ("main", "plain"): 5, ("plain", "mul"): 5})
        timed = {function["name"]: function["timed"] for function in
                 json.loads(self.export("json", path))["functions"]}
        self.assertEqual(timed["mul"]["total_ticks"], 1500)

    def test_each_table_and_export(self):
        site = self.sites["spectrum"]
        path = self.capture((site, "spectrum", 10), (site, "fft", 10), (site, "mul", 10))
        sites = mcuprof("report", "--sites", "-e", self.elf, path).stdout.decode()
        self.assertEqual(set(re.findall(r"(\w+) \(t\.c:(\d+)\) -> (\w+)",
                                        sites.replace("→", "->"))),
                         {("main", "26", "spectrum"), ("spectrum", "11", "fft"),
                          ("fft", "8", "mul")})
        graph = mcuprof("report", "--graph", "-e", self.elf, path).stdout.decode()
        self.assertRegex(graph, r"10/10 +fft .*\n\[\d\].* mul \[\d\]\n")
        dot = self.export("dot", path)
        numbers = {name: number for number, name in re.findall(r'(f\d+) \[label="(\w+)', dot)}
        edges = re.findall(r"(f\d+) -> (f\d+) ", dot)
        self.assertEqual(sorted(edges), sorted([
            (numbers["main"], numbers["spectrum"]), (numbers["spectrum"], numbers["fft"]),
            (numbers["fft"], numbers["mul"])]))
        self.assertEqual(self.callgrind(path), {("main", "spectrum", 26), ("fft", "mul", 8),
                                                ("spectrum", "fft", 11)})
        for command in ("export", "merge"):
            gmon = os.path.join(self.folder.name, command + ".out")
            mcuprof(command, "--to", "gmon", "-e", self.elf, "-o", gmon, path)
            graph = mcuprof("gprof", "-b", "-q", self.elf, gmon).stdout.decode()
            self.assertRegex(graph, r"10/10 +fft \[\d\]\n\[\d\].* mul \[\d\]\n", command)
            self.assertRegex(graph, r"10/10 +spectrum \[\d\]\n\[\d\].* fft \[\d\]\n", command)
        source = mcuprof("annotate", "--focus", "main", "-e", self.elf, path).stdout.decode()
        self.assertRegex(source, r"  10(→|->) +26 +spectrum\(1\);")

    def callgrind(self, path):
        """Returns {(caller, callee, line)}."""
        names, found, caller = {}, set(), None
        lines = self.export("callgrind", path).splitlines()
        for i, line in enumerate(lines):
            match = re.match(r"c?fn=(?:\((\d+)\))? ?(.*)", line)
            if match and match[2]:
                names[match[1]] = match[2]
            if line.startswith("fn="):
                caller = names[match[1]]
            elif line.startswith("cfn="):
                found.add((caller, names[match[1]], int(lines[i + 2].split()[0])))
        return found

    def test_a_function_pointer_says_nothing(self):
        at = self.pointed
        self.assertEqual(self.callers(self.capture((at, "spectrum", 3), (at, "fft", 3),
                                                   (at, "mul", 3))),
                         {("main", "spectrum"): 3, ("spectrum", "fft"): 3, ("fft", "mul"): 3})
        # mul is inlined in both that were called: whose it was is not known
        path = self.capture((at, "spectrum", 3), (at, "plain", 2), (at, "fft", 3), (at, "mul", 5))
        self.assertEqual(self.callers(path), {
            ("main", "spectrum"): 3, ("main", "plain"): 2, ("spectrum", "fft"): 3,
            (None, "mul"): 5})
        self.assertIn("[unknown] (inlined)", mcuprof("report", "--sites", "-e", self.elf,
                                                     path).stdout.decode())

    def test_an_interrupts_handler(self):
        path = self.capture((HANDLES, "handler", 4), (HANDLES, "mul", 4))
        self.assertEqual(self.callers(path), {(None, "handler"): 4, ("handler", "mul"): 4})

    def test_a_handler_inlined_in_another(self):
        """The hardware may have called it, too: its runs are not the other one's calls."""
        path = self.capture((HANDLES, "timer", 4), (HANDLES, "tick", 9), (HANDLES, "mul", 9))
        self.assertEqual(self.callers(path), {(None, "timer"): 4, (None, "tick"): 9,
                                              ("tick", "mul"): 9})
        # at a function pointer it is as any other
        at = self.pointed
        path = self.capture((at, "timer", 4), (at, "tick", 4), (at, "mul", 4))
        self.assertEqual(self.callers(path), {("main", "timer"): 4, ("timer", "tick"): 4,
                                              ("tick", "mul"): 4})

    def test_inlined_twice(self):
        """The nearest function around both."""
        at = self.sites["twice"]
        path = self.capture((at, "twice", 4), (at, "fft", 4), (at, "mul", 8))
        self.assertEqual(self.callers(path), {("main", "twice"): 4, ("twice", "fft"): 4,
                                              ("twice", "mul"): 8})
        self.assertRegex(mcuprof("report", "--sites", "-e", self.elf, path).stdout.decode(),
                         r"twice \(inlined\) .* mul")

    def test_inlined_code_makes_its_calls_itself(self):
        """Both in spectrum and in fft's own code; where fft was not timed, its caller does."""
        site = self.sites["spectrum"]
        inner = [(work, "work", 1) for work in self.works if self.at["spectrum"] < work]
        self.assertGreaterEqual(len(self.works), 3)
        timed = self.callers(self.capture((site, "spectrum", 1), (site, "fft", 1), *inner))
        self.assertEqual({caller for caller, callee in timed if callee == "work"}, {"fft"})
        timed = self.callers(self.capture((site, "spectrum", 1), *inner))
        self.assertIn(("spectrum", "work"), timed)
        self.assertEqual(timed.get(("main", "spectrum")), 1)

    def test_the_code_around_its_hooks_is_none(self):
        """What is inlined saves no registers: nothing of its caller's time is its own."""
        site = self.sites["spectrum"]
        for inlined, callee in (True, "fft"), (False, "work"):
            at = site if inlined else self.works[-1]
            path = self.capture((site, "spectrum", 10), (site, "twice", 10), (at, callee, 10),
                                inside=PAIR, outside=PAIR)
            timed = {function["name"]: function["timed"] for function in
                     json.loads(self.export("json", path))["functions"]}
            self.assertEqual(timed[callee]["self_ticks"] == 500, inlined, callee)
            self.assertGreaterEqual(timed[callee]["self_ticks"], 500)


class Moved(unittest.TestCase):
    """A function that is inlined where it ships, and the one around it, may take something of each
    other: their errors are larger than that of a third one."""
    NOPS = '__asm__ volatile("' + "nop\\n" * 10 + '");'
    SOURCE = f"""
        PART int part(int x) {{ {NOPS} return x; }}
        __attribute__((noipa)) int whole(int x) {{ {NOPS} return part(x) + 1; }}
        __attribute__((noipa)) int other(int x) {{ {NOPS} return x; }}
        int main(void) {{ return whole(other(1)); }}
        #define HOOK __attribute__((noipa, no_instrument_function))
        HOOK void __cyg_profile_func_enter(void *function, void *site) {{ }}
        HOOK void __cyg_profile_func_exit(void *function, void *site) {{ }}
        """
    NOINLINE, INLINE = ("static __attribute__((noinline, noclone))",
                        "static inline __attribute__((always_inline))")

    def build(self, name, part, *flags):
        elf = os.path.join(self.folder, name)
        with open(elf + ".c", "w", encoding="ascii") as out:
            out.write(self.SOURCE)
        run(ARM + "gcc", "-mcpu=cortex-m0", "-O2", "-g", "-nostdlib", "-Wl,-emain",
            "-Wl,-Ttext=0x8000", f"-DPART={part}", *flags, "-o", elf, elf + ".c")
        return elf

    def test_inlined_where_it_ships(self):
        with tempfile.TemporaryDirectory() as self.folder:
            ran = self.build("ran.elf", self.NOINLINE, "-finstrument-functions")
            at = {line.split()[2]: int(line.split()[0], 16) for line in
                  run(ARM + "nm", ran).stdout.decode().splitlines()}
            stream, path = Stream(), os.path.join(self.folder, "run.mprof")
            stream.time(1000000, 100, 100 * PAIR - 100, 0, 0)
            for name in ("part", "whole", "other"):
                stream.call(0xFFFFFFF8, at[name], 100, 70000, 70000, 700, 700)
            stream.time(1000000, 100, 100 * PAIR - 100, 0, 20000000)
            stream.end()
            stream.write(path)
            for way, error in ((self.INLINE, 0.05), (self.NOINLINE, 0.015)):
                ships = self.build("ships.elf", way)
                model = json.loads(mcuprof("export", "--to", "json", "-e", ran, "--shipped", ships,
                                           path).stdout)
                for function in model["functions"]:
                    if function["timed"]:
                        part = 0.015 if function["name"] == "other" else error
                        self.assertAlmostEqual(
                            function["timed"]["self_error_ticks"],
                            math.hypot(part * 70000, 0.018 * 100 * 100,
                                       math.sqrt((100 + 100 ** 2 / 2) / 6)), delta=0.001)


if __name__ == "__main__":
    unittest.main()
