# SPDX-License-Identifier: MIT
"""Static functions of several files that have one name: the name means all of them, and FILE:NAME
one."""
import json
import os
import re
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from elves import InFolder, mcuprof, run  # noqa: E402

CODE = """static __attribute__((noinline)) int step(int i) {{ return i * {factor} + 1; }}
int {file}(int i) {{ return step(i) - 1; }}
"""
INLINED = """extern volatile int seen;
static inline int step(int i) {{ __asm__ volatile("sev"); seen = i; return i * {factor} + 1; }}
__attribute__((noinline)) int {file}(int i) {{ return step(i) - 1; }}
"""
START = "int a(int), b(int); int main(void) { return a(1) + b(2); }\n"


class Names(InFolder):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        sources = [cls.file(f"{name}.c", CODE.format(file=name, factor=factor))
                   for name, factor in (("a", 3), ("b", 5))]
        cls.elf = os.path.join(cls.folder.name, "names.elf")
        run("arm-none-eabi-gcc", "-O1", "-g", "-mthumb", "-mcpu=cortex-m3", "-nostdlib", "-e",
            "main", "-o", cls.elf, cls.file("main.c", START), *sources)
        table = run("arm-none-eabi-nm", cls.elf).stdout.decode()
        steps = [int(at, 16) for at in re.findall(r"(\w+) t step", table)]
        main = int(re.search(r"(\w+) T main", table)[1], 16)
        cls.log = cls.file("run.log", f"{main:x}\n" * 60 + f"{min(steps):x}\n" * 30 +
                           f"{max(steps):x}\n" * 10)

    @classmethod
    def file(cls, name, text):
        path = os.path.join(cls.folder.name, name)
        with open(path, "w", encoding="utf-8") as out:
            out.write(text)
        return path

    def mcuprof(self, *arguments, status=0):
        done = mcuprof(*arguments[:1], "-e", self.elf, "--hz", "100", *arguments[1:],
                       status=status)
        return (done.stdout + done.stderr).decode()

    def test_focus(self):
        for command in ("report", "annotate"):
            shares = {name: self.mcuprof(command, "--focus", name, self.log)
                      for name in ("step", "a.c:step", "b.c:step")}
            self.assertEqual(len(set(shares.values())), 3)
            self.mcuprof(command, "--focus", "c.c:step", self.log, status=2)
            self.mcuprof(command, "--focus", "main.c:step", self.log, status=2)
        rows = {name: re.findall(r"^ *([\d.]+) .* (.\.c:step)$",
                                 self.mcuprof("report", "--flat", "--focus", name, self.log), re.M)
                for name in ("step", "a.c:step", "b.c:step")}
        self.assertEqual(rows["step"], rows["a.c:step"] + rows["b.c:step"])
        self.assertEqual(rows["b.c:step"], [("10", "b.c:step")])

    def parts(self, debug):
        """Makes an ELF of two files of one name. Returns it and the addresses of step() in it."""
        sources = []
        for name, factor in (("a", 3), ("b", 5)):
            os.makedirs(os.path.join(self.folder.name, name), exist_ok=True)
            sources.append(self.file(f"{name}/part.c", CODE.format(file=name, factor=factor)))
        elf = os.path.join(self.folder.name, f"parts{debug}.elf")
        run("arm-none-eabi-gcc", "-O1", debug, "-mthumb", "-mcpu=cortex-m3", "-nostdlib", "-e",
            "main", "-o", elf, self.file("main.c", START + CODE.format(file="start", factor=7)),
            *sources)
        return elf, re.findall(r"(\w+) t step", run("arm-none-eabi-nm", elf).stdout.decode())

    def test_files_of_one_name(self):
        """Their folders tell them apart, where the ELF has debug information."""
        for debug, names in (("-g", ["a/part.c:step", "b/part.c:step", "main.c:step"]),
                             ("-g0", ["main.c:step", "part.c:step", "part.c:step"])):
            elf, steps = self.parts(debug)
            log = self.file("parts.log", "\n".join(steps))
            rows = json.loads(mcuprof("export", "--to", "json", "-e", elf, log).stdout)["functions"]
            self.assertEqual(sorted(row["name"] for row in rows), names)
            folded = mcuprof("export", "--to", "folded", "-e", elf, log).stdout.decode()
            self.assertEqual(folded, "".join(f"{name} 1\n" for name in names))

    def test_inlined_functions_in_files_of_one_name(self):
        sources = []
        for name, factor in (("c", 3), ("d", 5)):
            os.mkdir(os.path.join(self.folder.name, name))
            sources.append(self.file(f"{name}/part.c", INLINED.format(file=name, factor=factor)))
        elf = os.path.join(self.folder.name, "inlined.elf")
        run("arm-none-eabi-gcc", "-O2", "-g", "-mthumb", "-mcpu=cortex-m3", "-nostdlib", "-e",
            "main", "-o", elf, self.file("main.c", "int c(int), d(int); volatile int seen;\n"
                                         "int main(void) { return c(1) + d(2); }\n"), *sources)
        code = run("arm-none-eabi-objdump", "-d", elf).stdout.decode()
        logs = [f"{at} {at}\n" for at in re.findall(r"(\w+):.*\tsev", code)]
        self.assertEqual(len(logs), 2)
        log = self.file("inlined.log", "".join(logs))
        folded = mcuprof("export", "--to", "folded", "-e", elf, log).stdout.decode()
        self.assertEqual(set(re.findall(r"([^; \n]+) \(inlined\)", folded)),
                         {"c/part.c:step", "d/part.c:step"})

    def test_one_name_of_several(self):
        """What sums functions has the name that was asked for, or that of all of them."""
        elf, steps = self.parts("-g0")
        log = self.file("paths.log", "".join(f"{at} {max(steps)}\n" for at in steps))
        for name, share in (("step", "100"), ("part.c:step", "67"), ("main.c:step", "33")):
            self.assertRegex(mcuprof("report", "--callers", name, "-e", elf, log).stdout.decode(),
                             rf"Callers of {name}( \(several functions\))?  [^\0]*(?m:^ *{share} +.* {name}$)")
        for base, new in (("-g0", "-g"), ("-g", "-g0")):
            base, new = self.parts(base)[0], self.parts(new)[0]
            made = json.loads(mcuprof("diff", "--json", "--base-elf", base, "-e", new, log,
                                      log).stdout)["functions"]
            self.assertEqual({row["name"]: [round(3 * row["self"][when]) for when in (
                "before", "after")] for row in made if "step" in row["name"]},
                             {"part.c:step": [2, 2], "main.c:step": [1, 1]})

    def test_files_of_link_time_optimisation(self):
        """The symbol table has none: those of the debug information tell what the profiler is."""
        sources = [self.file(name, CODE.format(file=file, factor=factor).replace("step", f"{file}_in"))
                   for name, file, factor in (("mcuprof_part.c", "a", 3), ("of_the_program.c", "b", 5))]
        elf = os.path.join(self.folder.name, "lto.elf")
        run("arm-none-eabi-gcc", "-O1", "-g", "-flto", "-mthumb", "-mcpu=cortex-m3", "-nostdlib",
            "-e", "main", "-o", elf, self.file("main.c", START), *sources)
        table = run("arm-none-eabi-nm", elf).stdout.decode()
        log = self.file("lto.log", "\n".join(re.findall(r"(\w+) t [ab]_in", table)))
        rows = json.loads(mcuprof("export", "--to", "json", "-e", elf, log).stdout)["functions"]
        self.assertEqual({row["symbol"].split(".")[0]: row["overhead"] for row in rows},
                         {"a_in": True, "b_in": False})

    def test_budgets(self):
        for name, share in (("step", 40), ("a.c:step", 30), ("b.c:step", 10)):
            budgets = self.file("budgets", f"{name} self < 100%\n")
            self.assertRegex(self.mcuprof("check", budgets, self.log), f"(?m)^ok +{share} ±")
        budgets = self.file("budgets", "c.c:step self < 1%\n")
        self.assertNotRegex(self.mcuprof("check", budgets, self.log, status=1), "(?m)^ok")


if __name__ == "__main__":
    unittest.main()
