# SPDX-License-Identifier: MIT
"""Static functions of one name in two files stay two, in each format and view. What is true is
worked out from the capture's addresses with addr2line."""
import collections
import csv
import gzip
import html
import io
import json
import os
import re
import shutil
import subprocess
import unittest

from firmware import Run, output

INLINED = " (inlined)"


def shown(function, file, twins):
    return f"{os.path.basename(file)}:{function}" if function in twins else function


def outside(*command, **more):
    """What a program that is not ours prints."""
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=120,
                          **more).stdout


def read_callgrind(path):
    """Returns {(file, function): (own, whole)} as callgrind_annotate has it."""
    found = {}
    for column, options in enumerate((["--inclusive=no"], ["--inclusive=yes"])):
        text = outside("callgrind_annotate", "--threshold=100", "--auto=no", *options, path)
        for cost, file, name in re.findall(r"^ *([\d,]+) \(.*?%\)  (\S+?):(\S+)$", text, re.M):
            row = found.setdefault((os.path.basename(file), name), [0, 0])
            row[column] = int(cost.replace(",", ""))
    return found


class Twins(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.made = Run("microbit", "twins", "-DMCUPROF_ARCS=0")
        stacks = json.loads(output("export", "--to", "json", cls.made.capture))["stacks"]
        # a return address stands for the call before it
        wanted = sorted({address - (level > 0) for stack in stacks
                         for level, address in enumerate(stack["addresses"])})
        cls.places = dict(zip(wanted, map(cls.look_up, wanted)))
        cls.paths = collections.Counter()
        cls.own, cls.whole = collections.Counter(), collections.Counter()
        cls.own_lines = collections.Counter()
        for stack in stacks:
            path = [frame for level, address in reversed(list(enumerate(stack["addresses"])))
                    for frame in cls.places[address - (level > 0)]]
            names = [name for name, _ in path]
            profiler = ["[profiler]"] if names[-1].startswith(("mcuprof", "__gnu_mcount")) else []
            cls.paths[";".join([*profiler, names[-1]] if profiler else names)] += stack["count"]
            functions = [name for name in names if not name.endswith(INLINED)]
            cls.own[functions[-1]] += stack["count"]
            cls.own_lines[path[-1]] += stack["count"]
            for name in set(functions):
                cls.whole[name] += stack["count"]
        cls.samples = sum(cls.paths.values())

    @classmethod
    def look_up(cls, address):
        """Returns [(name, line)] of an address, the function before what is inlined in it."""
        text = outside("arm-none-eabi-addr2line", "-fi", "-e", cls.made.elf, hex(address))
        pairs = re.findall(r"(\S+)\n(\S+):(\d+)", text)
        names = [shown(function, file, ("work", "step")) + (INLINED if at < len(pairs) - 1 else "")
                 for at, (function, file, _) in enumerate(pairs)]
        return [(name, int(line)) for name, (_, _, line) in zip(names, pairs)][::-1]

    def export(self, form, *options):
        out = f"{self.made.capture}.{form}"
        output("export", "--to", form, "-e", self.made.elf, "-o", out, *options,
               self.made.capture)
        with open(out, "rb") as file:
            return file.read() if form == "pprof" else file.read().decode()

    def test_the_loads_are_those_that_were_written(self):
        """left.c burns 6,000 turns a round, right.c 2,000."""
        share = self.whole["left.c:work"] / self.samples
        self.assertLess(abs(share - 0.75), 4 * (0.75 * 0.25 / self.samples)**0.5)
        self.assertGreater(self.samples, 300)
        self.assertEqual({name for path in self.paths for name in path.split(";")
                          if "work" in name or "step" in name},
                         {"left.c:work", "right.c:work", f"left.c:step{INLINED}",
                          f"right.c:step{INLINED}"})

    def test_folded(self):
        lines = dict(line.rsplit(" ", 1) for line in self.export("folded").splitlines())
        self.assertEqual({path: int(count) for path, count in lines.items()}, self.paths)

    def test_speedscope(self):
        made = json.loads(self.export("speedscope"))
        names = [frame["name"] for frame in made["shared"]["frames"]]
        profile, = made["profiles"]
        unit = profile["endValue"] / self.samples
        self.assertEqual({";".join(names[at] for at in stack): round(weight / unit)
                          for stack, weight in zip(profile["samples"], profile["weights"])},
                         self.paths)

    def test_firefox(self):
        made = json.loads(self.export("firefox"))
        shared, (thread,) = made["shared"], made["threads"]
        unit = sum(thread["samples"]["weight"]) / self.samples
        found = {}
        for stack, weight in zip(thread["samples"]["stack"], thread["samples"]["weight"]):
            names = []
            while stack is not None:
                function = shared["frameTable"]["func"][shared["stackTable"]["frame"][stack]]
                names.insert(0, shared["stringArray"][shared["funcTable"]["name"][function]])
                stack = shared["stackTable"]["prefix"][stack]
            if names:
                found[";".join(names)] = round(weight / unit)
        self.assertEqual(found, self.paths)

    def test_flamegraph(self):
        boxes = re.findall(r'data-name="([^"]*)" data-x="\d+" data-n="(\d+)" data-d="\d+"',
                           self.export("flamegraph"))
        wide = collections.Counter()
        for name, count in boxes:
            wide[html.unescape(name).removesuffix(INLINED)] += int(count)
        for name in ("left.c:work", "right.c:work"):
            self.assertEqual(wide[name], self.whole[name])

    def test_pprof(self):
        """Each sample is in its line, also that of an inlined function."""
        text = outside("protoc", "--decode=pprof.Profile", "-Ihost/export", "pprof.proto",
                       input=gzip.decompress(self.export("pprof")).decode("latin-1"),
                       encoding="latin-1")
        strings = re.findall(r'^string_table: "(.*)"$', text, re.M)
        functions = {number: (strings[int(name)], strings[int(file or 0)]) for number, name, file in
                     re.findall(r"^function \{\n  id: (\d+)\n  name: (\d+)\n(?:  system_name: \d+\n)?"
                                r"(?:  filename: (\d+)\n)?", text, re.M)}
        locations = {}
        for block in re.findall(r"^location \{\n(.*?)^\}", text, re.M | re.S):
            lines = [(*functions[function], int(line or 0)) for function, line in re.findall(
                r"function_id: (\d+)\n(?:    line: (\d+)\n)?", block)]
            address = re.search(r"address: (\d+)", block)
            locations[re.match(r"  id: (\d+)", block)[1]] = (address and int(address[1]), lines)
        for address, lines in locations.values():
            if address is None:  # what stands above the profiler's own
                self.assertEqual(lines, [("[profiler]", "", 0)])
                continue
            self.assertEqual([(name, line) for name, _, line in lines],
                             [(name.removesuffix(INLINED), line)
                              for name, line in reversed(self.places[address])])
            for name, file, _ in lines:
                if ":" in name:
                    self.assertEqual(os.path.basename(file), name.split(":")[0])
        found = collections.Counter()
        for block in re.findall(r"^sample \{\n(.*?)^\}", text, re.M | re.S):
            name, _, line = locations[re.search(r"location_id: (\d+)", block)[1]][1][0]
            found[name, line] += int(re.search(r"value: (\d+)", block)[1])
        self.assertEqual(found, {(name.removesuffix(INLINED), line): count
                                 for (name, line), count in self.own_lines.items()})

    @unittest.skipUnless(shutil.which("go"), "Debian's golang-go has pprof, for people only")
    def test_go_reads_pprof(self):
        self.export("pprof")
        text = outside("go", "tool", "pprof", "-list", "work", "-sample_index=samples",
                       f"{self.made.capture}.pprof")
        for name in ("left.c:work", "right.c:work"):
            part = text[text.index(f"== {name} in "):].splitlines()
            self.assertEqual(re.match(r" *\d+ +(\d+)", part[1])[1], str(self.whole[name]))
            line = next(line for line in part if "[work]" in line)
            self.assertEqual(line.split()[0], str(next(
                count for (its, at), count in self.own_lines.items()
                if its == name and f" {at}:" in line)))

    def test_callgrind(self):
        self.export("callgrind")
        found = read_callgrind(f"{self.made.capture}.callgrind")
        unit = sum(own for own, _ in found.values()) / self.samples
        for name in ("left.c:work", "right.c:work"):
            own, whole = found[name.split(":")[0], name]
            self.assertEqual((round(own / unit), round(whole / unit)),
                             (self.own[name], self.whole[name]))

    def test_tables(self):
        table = list(csv.DictReader(io.StringIO(self.export("csv"))))
        model = json.loads(self.export("json"))["functions"]
        program = sum(row["samples"] for row in model if not row["overhead"])
        report = output("report", "--flat", "-e", self.made.elf, self.made.capture)
        compared = json.loads(output("diff", "--json", "-e", self.made.elf, self.made.capture,
                                     self.made.capture))["functions"]
        for name in ("left.c:work", "right.c:work"):
            share = 100 * self.own[name] / program
            row, = (row for row in table if row["name"] == name)
            self.assertAlmostEqual(float(row["self_percent"]), share, 2)
            row, = (row for row in model if row["name"] == name)
            self.assertEqual((row["samples"], row["symbol"], os.path.basename(row["file"])),
                             (self.own[name], "work", name.split(":")[0]))
            self.assertRegex(report, rf"(?m)^ *{share:.0f} .* {name}$")
            row, = (row for row in compared if row["name"] == name)
            self.assertAlmostEqual(row["total"]["after"], self.whole[name] / program)

    def test_the_page(self):
        out = f"{self.made.capture}.html"
        output("html", "-e", self.made.elf, "-o", out, self.made.capture)
        with open(out, encoding="utf-8") as file:
            data = dict(re.findall(r'<script id="(\w+)" type="application/json">(.*?)</script>',
                                   file.read(), re.S))
        tree, functions = json.loads(data["tree"]), json.loads(data["functions"])
        rows = [dict(zip(functions["columns"], row)) for row in functions["rows"]]
        counts, above = collections.Counter(), []
        nodes = len(tree["values"]) // 3
        for depth, name, own in zip(*(tree["values"][i * nodes:][:nodes] for i in range(3))):
            function = tree["functions"][name]
            if function is not None:
                self.assertEqual(rows[function]["name"], tree["names"][name])
            above[depth:] = [tree["names"][name]]
            counts.update({each: own for each in above})
        sources = [each["name"] for each in json.loads(data["source"])["functions"]]
        for name in ("left.c:work", "right.c:work"):
            self.assertEqual(counts[name], self.whole[name])
            self.assertIn(name, sources)

    def test_a_function_that_was_inlined_is_compared(self):
        """One build calls step(), the other one inlines it: nothing changed by that."""
        apart = Run("microbit", "twins", "-DMCUPROF_ARCS=0 -DTWINS_APART")
        options = ("--base-elf", apart.elf, "-e", self.made.elf, apart.capture, self.made.capture)
        made = json.loads(output("diff", "--json", *options))
        rows = {row["name"]: row for row in made["functions"]}
        self.assertEqual(len(rows), len(made["functions"]))
        for name, own, whole in (("left.c:work", 4500, 6000), ("right.c:work", 1000, 2000),
                                 ("left.c:step", 1500, 1500), ("right.c:step", 1000, 1000)):
            row, inlined = rows[name], name.endswith("step")
            self.assertEqual((row["inlined_before"], row["inlined_after"]), (False, inlined))
            for figures, turns in (("self", own), ("total", whole)):
                for when in ("before", "after"):
                    self.assertLess(abs(row[figures][when] - turns / 8000),
                                    4 * row[figures][f"{when}_error"] + 0.01, (name, figures, when))
            self.assertLess(abs(row["total"]["sigmas"]), 4)
        text = output("diff", "--all", *options)
        self.assertRegex(text, r"now inlined  left\.c:step\n")
        back = output("diff", "--all", "--base-elf", self.made.elf, "-e", apart.elf,
                      self.made.capture, apart.capture)
        self.assertRegex(back, r"was inlined  left\.c:step\n")
        page = f"{self.made.capture}.html"
        output("html", "-o", page, "--before", apart.capture, *options[:4], self.made.capture)
        with open(page, encoding="utf-8") as file:
            data = json.loads(re.search(r'<script id="changes" type="application/json">(.*?)'
                                        r"</script>", file.read(), re.S)[1])
        shown = {row["name"]: row for row in (dict(zip(data["columns"], each))
                                              for each in data["rows"])}
        for name, row in rows.items():
            self.assertAlmostEqual(shown[name]["total_after"], 100 * row["total"]["after"])
        self.assertEqual(shown["right.c:step"]["inlined"], "now inlined")

    def test_trees_of_the_report(self):
        for name in ("left", "right"):
            text = output("report", "--callers", f"{name}.c:work", "-e", self.made.elf,
                          self.made.capture)
            self.assertRegex(text, rf"Callers of {name}\.c:work  [^\0]*"
                             rf"  {name}\.c:work\n.*└─ {name} ← main\b")
        both = output("report", "--callers", "work", "-e", self.made.elf, self.made.capture)
        self.assertRegex(both, r"Callers of work \(several functions\)  [^\0]*─ left ← [^\0]*─ right ← ")
        steps = output("report", "--callers", "step", "-e", self.made.elf, self.made.capture)
        self.assertRegex(steps, r"[^\0]*─ left\.c:work ← [^\0]*─ right\.c:work ← ")


if __name__ == "__main__":
    unittest.main()
