# SPDX-License-Identifier: MIT
"""mcuprof export: other programs read its files."""

import csv
import gzip
import io
import json
import os
import re
import struct
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from elves import ARM, PROGRAM, assemble, mcuprof, run  # noqa: E402
from wire import INTERRUPTED, Stream  # noqa: E402

TABLE = [
    (0x8000, 0x100, "T", "main"),
    (0x8100, 0x100, "T", "work"),
    (0x8200, 0x100, "T", "leaf"),
    (0x8300, 0x100, "t", '"odd, \\"name\\""'),
    (0x8400, 0, "T", "_etext"),
]


def gmon_file(histograms, arcs, word="I", order="<", hz=1000):
    """Makes a gmon.out; histograms are (low, width, bins), arcs (from, to, count)."""
    data = struct.pack(f"{order}4sI12x", b"gmon", 1)
    for low, width, bins in histograms:
        data += struct.pack(f"{order}B2{word}2I15sc", 0, low, low + width * len(bins),
                            len(bins), hz, b"seconds", b"s")
        data += struct.pack(f"{order}{len(bins)}H", *bins)
    for start, to, count in arcs:
        data += struct.pack(f"{order}B2{word}I", 1, start, to, count)
    return data


class Export(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.folder = self.temporary.name
        self.elf = assemble(self.folder, 0x8000, TABLE)

    def tearDown(self):
        self.temporary.cleanup()

    def file(self, name, content):
        path = os.path.join(self.folder, name)
        with open(path, "wb") as out:
            out.write(content)
        return path

    def log(self, *lines):
        return self.file("run.log", "".join(line + "\n" for line in lines).encode())

    def export(self, form, *arguments, elf=None):
        return mcuprof("export", "--to", form, "-e", elf or self.elf, *arguments).stdout

    def flat(self, elf, profile):
        """Returns GNU gprof's flat profile: {name: (self seconds, calls)}."""
        rows = run(ARM + "gprof", "-b", "-p", elf, profile).stdout.decode().splitlines()
        table = {}
        for row in rows[5:]:
            fields = row.split()
            calls = int(fields[3]) if len(fields) > 4 else None
            table[fields[-1]] = float(fields[2]), calls
        return table

    def test_more_than_65535_samples_in_a_bin(self):
        given = self.file("in.out", gmon_file([(0x8100, 2, [60000, 60000, 3])] * 3, []))
        out = os.path.join(self.folder, "out.out")
        self.export("gmon", "-o", out, given)
        got = json.loads(mcuprof("export", "--to", "json", out).stdout)
        counts = {s["address"]: s["count"] for s in got["samples"]}
        self.assertEqual(counts, {0x8100: 180000, 0x8102: 180000, 0x8104: 9})
        self.assertEqual(self.flat(self.elf, out)["work"][0], 360.01)

    def test_merge_in_versions_that_there_are(self):
        given = self.file("in.out", gmon_file([(0x8100, 2, [1])], []))
        out = os.path.join(self.folder, "out.out")
        for options, says in ((("--wire", "0"), "--wire 0: not 2 or 3"),
                              (("--wire", "4"), "--wire 4: not 2 or 3"),
                              (("--wire", "3"), "--wire 3 is of mcuprof's own format")):
            done = mcuprof("merge", *options, "-o", out, given, status=2)
            self.assertIn(says, done.stderr.decode())
            self.assertFalse(os.path.exists(out))
        mcuprof("merge", "--wire", "2", "-o", out, given)

    def test_more_than_32_bits_of_calls(self):
        arcs = [(0x8010, 0x8102, 0xFFFFFFFF)] * 3
        given = self.file("in.out", gmon_file([(0x8100, 2, [1])], arcs))
        out = os.path.join(self.folder, "out.out")
        self.export("gmon", "-o", out, given)
        self.assertEqual(self.flat(self.elf, out)["work"][1], 3 * 0xFFFFFFFF)

    def test_code_in_several_places(self):
        log = self.log("8100", "8102", "20000010", "20000012", "20000014", "f0000000", "8200")
        out = os.path.join(self.folder, "out.out")
        self.export("gmon", "--hz", "100", "-o", out, log)
        got = json.loads(mcuprof("export", "--to", "json", out).stdout)
        self.assertEqual(sorted(s["address"] for s in got["samples"]),
                         [0x8100, 0x8102, 0x8200, 0x20000010, 0x20000012, 0x20000014, 0xF0000000])
        self.assertEqual(self.flat(self.elf, out)["work"][0], 0.02)

    def test_big_endian_target(self):
        elf = assemble(self.folder, 0x8000, TABLE, flags=("-EB",), name="big.elf")
        log = self.log(*["8100"] * 7, "8200")
        out = os.path.join(self.folder, "out.out")
        self.export("gmon", "--hz", "100", "-o", out, log, elf=elf)
        self.assertEqual(self.flat(elf, out), {"work": (0.07, None), "leaf": (0.01, None)})
        with open(out, "rb") as file:
            self.assertEqual(file.read(8), b"gmon\0\0\0\1")

    def test_a_call_that_never_returns_is_the_callers(self):
        # the return address 0x8100 is work's first byte; main made the call
        given = self.file("in.out", gmon_file([(0x8200, 2, [1000])], [(0x8100, 0x8202, 5)]))
        out = os.path.join(self.folder, "out.out")
        self.export("gmon", "-o", out, given)
        graph = run(ARM + "gprof", "-b", "-q", self.elf, out).stdout.decode()
        self.assertRegex(graph, r"5/5 +main ")
        self.assertNotIn("work", graph)

    def test_arcs_alone_print_no_nan(self):
        given = self.file("in.out", gmon_file([], [(0x8010, 0x8102, 5)]))
        out = os.path.join(self.folder, "out.out")
        self.export("gmon", "-o", out, given)
        text = run(ARM + "gprof", "-b", self.elf, out).stdout.decode()
        self.assertIn("5/5", text)
        self.assertNotRegex(text, "(?i)nan|inf")

    def test_bins_of_the_input_are_kept(self):
        given = self.file("in.out", gmon_file([(0x8102, 8, [1, 2, 3])], []))
        out = os.path.join(self.folder, "out.out")
        self.export("gmon", "-o", out, given)
        got = json.loads(mcuprof("export", "--to", "json", out).stdout)
        self.assertEqual(got["bin_bytes"], 8)
        self.assertEqual({s["address"]: s["count"] for s in got["samples"]},
                         {0x8102: 1, 0x810A: 2, 0x8112: 3})
        for width in ("2", "12", "3"):
            failed = mcuprof("export", "--to", "gmon", "--bin-bytes", width, "-e", self.elf,
                             "-o", out, given, status=2)
            self.assertIn(b"--bin-bytes", failed.stderr)

    def test_rates(self):
        log = self.log("8100")
        out = os.path.join(self.folder, "out.out")
        unknown = mcuprof("export", "--to", "gmon", "-e", self.elf, "-o", out, log, status=2)
        self.assertIn(b"--hz", unknown.stderr)
        self.assertFalse(os.path.exists(out))
        rounded = mcuprof("export", "--to", "gmon", "-e", self.elf, "--hz", "99.7", "-o", out, log)
        self.assertIn(b"warning: gmon holds whole rates only: 99.7 Hz is written as 100",
                      rounded.stderr)

    def test_folded_stacks_are_those_sampled(self):
        log = self.log("8204 8110 8020", "8204 8112 8020", "8104 8020", "8104", "8204 8110 8020")
        lines = self.export("folded", log).decode().splitlines()
        self.assertEqual(sorted(lines), ["[unknown];work 1", "main;work 1", "main;work;leaf 3"])

    STACKS = ("8204 8110 8020", "8204 8112 8020", "8304 8020", "8104", "8204 8110 8020")

    def test_a_flame_graph_has_the_lines_of_folded(self):
        root = ElementTree.fromstring(self.export("flamegraph", self.log(*self.STACKS)))
        frames = {}
        for group in (e for e in root.iter() if e.get("class") == "f"):
            left, wide, depth = (int(group.get("data-" + key)) for key in "xnd")
            rect = next(e for e in group if e.tag.endswith("rect"))
            self.assertAlmostEqual(float(rect.get("width")), 1180 * wide / 5, places=1)
            self.assertAlmostEqual(float(rect.get("x")), 10 + 1180 * left / 5, places=1)
            frames[depth, left] = group.get("data-name"), wide
        self.assertEqual(frames, {
            (0, 0): ("all", 5), (1, 0): ("[unknown]", 1), (2, 0): ("work", 1),
            (1, 1): ("main", 4), (2, 1): ('odd, "name"', 1), (2, 2): ("work", 3),
            (3, 2): ("leaf", 3)})
        titles = [e.text for e in root.iter() if e.tag.endswith("title")]
        self.assertIn("work: 3 samples, 60.00 \N{PLUS-MINUS SIGN}21.91 %", titles)
        self.assertIn("all: 5 samples, 100.00 %", titles)

    def test_names_that_xml_and_json_may_not_have(self):
        names = ["a<b>&c'", "]]>", "\uffff", "\x01\x7f", "\u00fc"]
        elf = assemble(self.folder, 0x8000, [(0x8000 + 16 * i, 16, "T", f'"{name}"')
                                             for i, name in enumerate(names)] +
                       [(0x8050, 0, "T", "_etext")], name="names.elf")
        shown = sorted([*names[:2], r"\xef\xbf\xbf", r"\x01\x7f", names[4]])
        log = self.log(*(f"{0x8004 + 16 * i:x}" for i in range(len(names))))
        root = ElementTree.fromstring(self.export("flamegraph", log, elf=elf))
        self.assertEqual(sorted(e.get("data-name") for e in root.iter()
                                if e.get("class") == "f" and e.get("data-d") == "1"), shown)
        compared = json.loads(mcuprof("diff", "--json", "-e", elf, log, log).stdout)
        self.assertEqual([len(compared["functions"]), sorted(row["name"] for row in
                          compared["functions"])[0]], [5, r"\x01\x7f"])

    def test_no_picture_of_nothing(self):
        calls = self.file("calls.out", gmon_file([], [(0x8010, 0x8202, 1)]))
        for form in ("flamegraph", "speedscope", "pprof", "firefox"):
            done = mcuprof("export", "--to", form, "-e", self.elf, calls, status=3)
            self.assertEqual(done.stderr, b"mcuprof export: there are neither samples nor timed "
                             b"calls to show\n")
            self.assertEqual(done.stdout, b"")

    def test_speedscope_has_the_lines_of_folded(self):
        made = json.loads(self.export("speedscope", "--hz", "10", self.log(*self.STACKS)))
        profile, = made["profiles"]
        names = [frame["name"] for frame in made["shared"]["frames"]]
        self.assertEqual(len(set(names)), len(names))
        stacks = {";".join(names[i] for i in stack): weight
                  for stack, weight in zip(profile["samples"], profile["weights"], strict=True)}
        self.assertEqual(stacks, {"[unknown];work": 0.1, "main;work;leaf": 0.3,
                                  'main;odd, "name"': 0.1})
        self.assertEqual((profile["unit"], profile["endValue"]), ("seconds", 0.5))

    def firefox_stacks(self, made):
        """Returns {thread: {"outermost;...;innermost": weight}}, with each index resolved."""
        shared, threads = made["shared"], {}
        for table in (*shared.values(), *(t["samples"] for t in made["threads"])):
            if isinstance(table, dict):
                for column in table.values():
                    if isinstance(column, list):
                        self.assertEqual(len(column), table["length"])
        for thread in made["threads"]:
            stacks, samples = {}, thread["samples"]
            self.assertEqual((samples["stack"].pop(), samples["weight"].pop()), (None, 0))
            for stack, weight in zip(samples["stack"], samples["weight"], strict=True):
                names = []
                while stack is not None:
                    func = shared["frameTable"]["func"][shared["stackTable"]["frame"][stack]]
                    names.insert(0, shared["stringArray"][shared["funcTable"]["name"][func]])
                    caller = shared["stackTable"]["prefix"][stack]
                    self.assertTrue(caller is None or caller < stack)
                    stack = caller
                stacks[";".join(names)] = weight
            threads[thread["name"]] = stacks
        return threads

    def test_firefox_has_the_lines_of_folded(self):
        made = json.loads(self.export("firefox", "--hz", "10", self.log(*self.STACKS)))
        self.assertEqual(self.firefox_stacks(made), {"firmware": {
            "[unknown];work": 100, "main;work;leaf": 300, 'main;odd, "name"': 100}})
        samples = made["threads"][0]["samples"]
        self.assertEqual((samples["weightType"], samples["time"]), ("tracing-ms", [0, 100, 200, 500]))
        made = json.loads(self.export("firefox", self.log(*self.STACKS)))
        self.assertEqual(made["threads"][0]["samples"]["weightType"], "samples")
        self.assertEqual(self.firefox_stacks(made)["firmware"]["main;work;leaf"], 3)

    def sampled(self, name, period):
        made = Stream(hz=100000, period=period, flags=4)
        made.time(6000, 100, 20, 500, 0)  # 100 ticks a sample
        for address in (0x8004, 0x8104):
            made.sample(address, 50)
            made.samples += 50
        made.totals()
        capture = os.path.join(self.folder, name + ".mprof")
        made.write(capture)
        return capture

    def test_a_sampling_timer_that_starts_over(self):
        """Of a period's 1,000 ticks the program has all but 10, which the return from the interrupt
        takes."""
        capture = self.sampled("restarts", 1000 | 1 << 31)
        merged = os.path.join(self.folder, "merged.mprof")
        run(PROGRAM, "merge", "-o", merged, capture)
        for path in (capture, merged):
            profile, = json.loads(self.export("speedscope", path))["profiles"]
            self.assertAlmostEqual(profile["endValue"], 0.99)
            self.assertIn(b"took 9.2 % of the time", run(PROGRAM, "report", "--all", "-e", self.elf,
                                                         path).stdout)
        done = subprocess.run([PROGRAM, "info", self.sampled("runs-on", 1000), capture],
                              capture_output=True, check=False)
        self.assertEqual(done.returncode, 3)
        self.assertIn(b"starts over after each sample", done.stderr)

    def test_what_sampling_took_is_in_no_time(self):
        capture = self.sampled("slow", 1000)
        table = self.export("csv", capture).decode()
        profile, = json.loads(self.export("speedscope", capture))["profiles"]
        self.assertAlmostEqual(profile["endValue"], 0.9)
        self.assertAlmostEqual(sum(profile["weights"]), 0.9)
        self.assertIn("0.45", table)
        out = os.path.join(self.folder, "out.pb.gz")
        self.export("pprof", "-o", out, capture)
        with gzip.open(out) as file:
            text = run("protoc", "--decode=pprof.Profile", "-Ihost/export", "pprof.proto",
                       stdin=file.read()).stdout.decode()
        self.assertEqual(re.findall(r"^  value: (\d+)$", text, re.M), ["50", "450000000"] * 2)
        self.assertIn("duration_nanos: 900000000", text)

    def test_long_names_stay_apart(self):
        """Names in C++ that differ after 300 characters are two functions."""
        names = ["_Z" + f"310{'x' * 309}{end}" + "v" for end in "ab"]
        elf = assemble(self.folder, 0x8000, [
            (0x8000 + 16 * i, 16, "T", name) for i, name in enumerate(names)] +
            [(0x8020, 0, "T", "end")], name="long.elf")
        log = self.log(*["8004"] * 2, "8014")
        folded = self.export("folded", log, elf=elf).decode()
        self.assertEqual(folded, f"{'x' * 309}a() 2\n{'x' * 309}b() 1\n")

    def test_pprof_of_timed_calls(self):
        """The run took 1,500 us, the calls of one function took 500."""
        out = os.path.join(self.folder, "out.pb.gz")
        for hz, unit, value in ((0, "ticks", ["500"]),
                                (1000000, "nanoseconds", ["1000000", "500000"])):
            made = Stream()
            if hz > 0:
                made.time(hz, 0, 0, 0, 1000)
            made.call(0x8004, 0x8100, 10, 500, 500, 50, 50)
            if hz > 0:
                made.time(hz, 0, 0, 0, 1500)
            made.end()
            capture = os.path.join(self.folder, "timed.mprof")
            made.write(capture)
            self.export("pprof", "-o", out, capture)
            with gzip.open(out) as file:
                text = run("protoc", "--decode=pprof.Profile", "-Ihost/export", "pprof.proto",
                           stdin=file.read()).stdout.decode()
            self.assertEqual(text.count("sample_type {"), 1)
            self.assertIn(f'string_table: "{unit}"', text)
            self.assertEqual(re.findall(r"^  value: (\d+)$", text, re.M), value)

    def test_pprof_leaves_the_name_of_an_interrupt(self):
        """pprof shows it as it is where no system name could be one of C++."""
        made = Stream(1000, 1000, 0, depth=4)
        made.path(INTERRUPTED, [0x8004], 0x8014)
        made.end()
        capture, out = (os.path.join(self.folder, name) for name in ("irq.mprof", "out.pb.gz"))
        made.write(capture)
        self.export("pprof", "-o", out, capture)
        with gzip.open(out) as file:
            text = run("protoc", "--decode=pprof.Profile", "-Ihost/export", "pprof.proto",
                       stdin=file.read()).stdout.decode()
        strings = re.findall(r'^string_table: "(.*)"$', text, re.M)
        names = {strings[int(name)]: other for name, other in re.findall(
            r"^  name: (\d+)\n(  system_name: )?", text, re.M)}
        self.assertEqual(names.pop("<interrupt>"), "")
        self.assertTrue(names and all(names.values()), names)

    def test_pprof_is_what_protoc_reads(self):
        out = os.path.join(self.folder, "out.pb.gz")
        mcuprof("export", "--to", "pprof", "-e", self.elf, "--hz", "10", "-o", out,
                self.log(*self.STACKS))
        with gzip.open(out) as file:
            text = run("protoc", "--decode=pprof.Profile", "-Ihost/export", "pprof.proto",
                       stdin=file.read()).stdout.decode()
        strings = re.findall(r'^string_table: "((?:[^"\\]|\\.)*)"$', text, re.M)
        functions = dict(re.findall(r"^function \{\n  id: (\d+)\n  name: (\d+)", text, re.M))
        locations = {number: functions[function] for number, function in re.findall(
            r"^location \{\n  id: (\d+)\n.*?    function_id: (\d+)", text, re.M | re.S)}
        stacks = {}
        for sample in re.findall(r"^sample \{\n(.*?)^\}", text, re.M | re.S):
            path = [strings[int(locations[i])] for i in re.findall(r"location_id: (\d+)", sample)]
            stacks.setdefault(";".join(path[::-1]), []).append(re.findall(r"value: (\d+)", sample))
        self.assertEqual(stacks, {  # a caller in two places makes two
            "[unknown];work": [["1", "100000000"]],
            "main;work;leaf": [["2", "200000000"], ["1", "100000000"]],
            'main;odd, \\"name\\"': [["1", "100000000"]]})
        self.assertEqual(strings[0], "")
        # leaf at 0x8204, called by work before 0x8110 or 0x8112, it before 0x8020; and so on
        self.assertEqual(sorted(int(at) for at in re.findall(r"^  address: (\d+)$", text, re.M)),
                         [0x801F, 0x8104, 0x810F, 0x8111, 0x8204, 0x8304])

    def test_folded_shares_a_function_among_its_callers(self):
        bins = [0] * 128
        bins[0] = 100
        arcs = [(0x8010, 0x8202, 1), (0x8110, 0x8202, 2), (0x8020, 0x8102, 9)]
        given = self.file("in.out", gmon_file([(0x8200, 2, bins)], arcs))
        lines = self.export("folded", given).decode().splitlines()
        self.assertEqual(sorted(lines), ["main;leaf 33", "main;work;leaf 67"])

    def test_csv_has_no_formulas(self):
        for name in ("=HYPERLINK(1,2)", "@SUM", "+1", "-1"):
            self.elf = assemble(self.folder, 0x8000, [(0x8000, 0x100, "T", f'"{name}"'),
                                                      (0x8100, 0, "T", "_etext")])
            row, = csv.DictReader(io.StringIO(self.export("csv", self.log("8004")).decode()))
            self.assertEqual(row["name"], "'" + name)

    def test_csv_quotes_names(self):
        log = self.log("8304", "8304", "8104")
        rows = list(csv.DictReader(io.StringIO(self.export("csv", "--hz", "10", log).decode(),
                                               newline="")))
        self.assertEqual([r["name"] for r in rows], ["work", 'odd, "name"'])
        self.assertEqual(rows[1]["address"], "0x8300")
        self.assertEqual(rows[1]["self_seconds"], "0.2")
        self.assertEqual(rows[1]["self_error_seconds"], f"{(2 / 3) ** 0.5 / 10:.9g}")
        self.assertEqual(rows[0]["self_percent"], "33.3333")
        rows = list(csv.DictReader(io.StringIO(self.export("csv", log).decode())))
        self.assertEqual(rows[0]["self_seconds"], "")  # without a rate the time is not known
        self.assertEqual(rows[0]["samples"], "1")

    def test_dot_is_what_graphviz_reads(self):
        given = self.file("in.out", gmon_file([(0x8300, 2, [1000])], [(0x8010, 0x8302, 1234)]))
        text = self.export("dot", given)
        plain = run("dot", "-Tplain", stdin=text).stdout.decode()
        self.assertIn('odd, \\"name\\"', plain)
        self.assertIn("1,234", plain)
        self.assertEqual(len(re.findall("^node", plain, re.M)), 2)
        self.assertEqual(len(re.findall("^edge", plain, re.M)), 1)

    def test_an_edge_says_its_calls_and_their_sites(self):
        """Two places of one function call another; a third does so in another function."""
        given = self.file("in.out", gmon_file([(0x8300, 2, [1])], [
            (0x8010, 0x8302, 1000), (0x8020, 0x8302, 34), (0x8110, 0x8302, 5)]))
        tips = re.findall(r'tooltip="(.*?)\\n([\d,]+ calls? from \d+ sites?)"',
                          self.export("dot", given).decode())
        self.assertEqual(sorted(calls for _, calls in tips),
                         ["1,034 calls from 2 sites", "5 calls from 1 site"])

    def test_the_graph_keeps_to_its_limit_and_says_so(self):
        log = self.log("8304", "8304", "8104", "8004", "8004", "8004")
        text = self.export("dot", "--limit", "2", log).decode()
        self.assertEqual(len(re.findall(r"^ *f\d+ \[", text, re.M)), 2)
        self.assertNotIn("work", text)
        self.assertIn("1 of 3 functions are left out", text)
        self.assertIn("work", self.export("dot", "--limit", "0", log).decode())

    def test_svg_is_a_picture(self):
        given = self.file("in.out", gmon_file([(0x8300, 2, [1000])], [(0x8010, 0x8302, 3)]))
        root = ElementTree.fromstring(self.export("svg", given))
        self.assertTrue(root.tag.endswith("svg"))
        texts = [e.text for e in root.iter() if e.tag.endswith("text")]
        self.assertIn('odd, "name"', texts)
        self.assertIn("100.0 %, 1 s", texts)

    def test_a_full_disk_leaves_nothing(self):
        log = self.log("8104")
        full = mcuprof("export", "--to", "json", "-o", "/dev/full", log, status=3)
        self.assertIn(b"/dev/full: No space left", full.stderr)
        out = os.path.join(self.folder, "missing", "out.json")
        gone = mcuprof("export", "--to", "json", "-o", out, log, status=3)
        self.assertIn(b"No such file", gone.stderr)
        out = os.path.join(self.folder, "out.json")
        limited = subprocess.run(
            ["sh", "-c", 'ulimit -f 1; trap "" XFSZ; exec "$@"', "sh", PROGRAM, "export", "--to",
             "json", "-o", out] + [self.log(*[f"{0x8000 + 2 * i:x}" for i in range(400)])],
            capture_output=True, check=False)
        self.assertEqual(limited.returncode, 3, limited.stderr)
        self.assertIn(b"File too large", limited.stderr)
        self.assertEqual([n for n in os.listdir(self.folder) if n.startswith("out")], [])

    def test_an_older_file_stays_where_writing_fails(self):
        out = self.file("out.out", b"older")
        mcuprof("export", "--to", "gmon", "-e", self.elf, "-o", out, self.log("8104"), status=2)
        with open(out, "rb") as file:
            self.assertEqual(file.read(), b"older")

    def test_wrong_command_lines(self):
        log = self.log("8104")
        table = mcuprof("export", "--help").stdout.decode().split("\n\n")[-1]
        *formats, last = re.findall(r"^(\w+)  +\S", table, re.M)
        for arguments, part in (
            ([log], "--to"),
            (["--to", "png", log], f"there are {', '.join(formats)} or {last} "),
            (["--to", "csv", log], "-e ELF"),
            (["--to", "json"], "FILE"),
            (["--to", "json", "--format", "elf", log], "pclog"),
            (["--to", "json", "--addr-bytes", "9", log], "--addr-bytes"),
        ):
            with self.subTest(arguments=arguments):
                failed = mcuprof("export", *arguments, status=2)
                self.assertIn(part.encode(), failed.stderr)
                self.assertEqual(len(failed.stderr.splitlines()), 1)

    def test_bad_input(self):
        for name, content, part in (
            ("empty", b"", b"empty: empty"),
            ("noise", bytes(range(256)) * 8, b"--format"),
            ("cut.out", gmon_file([(0x8100, 2, [1] * 50)], [])[:-1], b"truncated"),
        ):
            with self.subTest(name=name):
                failed = mcuprof("export", "--to", "json", self.file(name, content), status=3)
                self.assertIn(part, failed.stderr)
                self.assertIn(name.encode(), failed.stderr)
                self.assertEqual(len(failed.stderr.splitlines()), 1)
        self.assertIn(b"is a directory",
                      mcuprof("export", "--to", "json", self.folder, status=3).stderr)

    def test_standard_input_and_strict(self):
        got = json.loads(mcuprof("export", "--to", "json", "-", stdin=b"8100\n8100\n").stdout)
        self.assertEqual(got["samples"], [{"address": 0x8100, "count": 2}])
        strict = mcuprof("export", "--to", "json", "--strict", "-", stdin=b"8100\n", status=1)
        self.assertEqual(json.loads(strict.stdout)["samples"], [{"address": 0x8100, "count": 1}])


if __name__ == "__main__":
    unittest.main()
