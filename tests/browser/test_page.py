# SPDX-License-Identifier: MIT
"""The page of `mcuprof html`: its data are the report's, and in Chromium (page.mjs) each view shows
them, is reached by mouse, key and address, and sends nothing anywhere."""
import base64
import collections
import json
import os
import re
import subprocess
import tempfile
import unittest
import zlib

import pages

SCRIPT = "tests/browser/page.mjs"
SCRIPTS = SCRIPT, *(f"tests/browser/{each}.mjs" for each in ("access", "flame", "layout", "timeline"))
WEB = "host/page/web"
MOST_BYTES = 2_000_000  # of a page without its data


BLOCK = re.compile(r'<script id="(\w+)" type="application/(json|zlib)">(.*?)</script>\n', re.S)


def data_of(path):
    """Returns the page's blocks of data by name, and the page without them."""
    with open(path, encoding="utf-8") as file:
        html = file.read()
    return ({name: json.loads(text if kind == "json" else zlib.decompress(base64.b64decode(text)))
             for name, kind, text in BLOCK.findall(html)}, BLOCK.sub("", html))


def rows(table):
    return [dict(zip(table["columns"], row)) for row in table["rows"]]


def nodes_of(tree):
    """Returns [path, where it begins, all, own] of the tree's nodes, each before those below it."""
    nodes, open_nodes, at, count = [], [], 0, len(tree["values"]) // 3
    for depth, name, own in zip(*(tree["values"][i * count:][:count] for i in range(3))):
        del open_nodes[depth:]
        assert len(open_nodes) == depth, "a node without the one above it"
        nodes.append([[*(open_nodes[-1][0] if open_nodes else []), tree["names"][name]], at, 0, own])
        open_nodes.append(nodes[-1])
        for node in open_nodes:
            node[2] += own
        at += own
    assert at == tree["total"]
    return nodes


def lines_of(tree):
    """Returns {"root;child;leaf": count} of the tree's nodes."""
    return {";".join(path): own for path, _, _, own in nodes_of(tree) if own}


def model_of(arguments):
    ran = subprocess.run([pages.MCUPROF, "export", "--to", "json", "-e", *arguments],
                         capture_output=True, check=True, timeout=120)
    return json.loads(ran.stdout)


class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.kept = tempfile.TemporaryDirectory()
        cls.folder = cls.kept.name
        cls.made = pages.make_all(cls.folder)
        ran = subprocess.run(["node", SCRIPT, cls.folder], capture_output=True, text=True,
                             check=False, timeout=900)
        cls.told = {}
        for line in ran.stdout.splitlines():
            told = json.loads(line)
            cls.told[told["name"]] = told["failure"]
        cls.errors = ran.stderr

    @classmethod
    def tearDownClass(cls):
        cls.kept.cleanup()

    def path(self, name):
        return os.path.join(self.folder, f"{name}.html")

    def test_figures_are_those_of_the_export(self):
        for name in ("blinky", "throws", "chibios", "large"):
            with self.subTest(name=name):
                data, _ = data_of(self.path(name))
                ours, theirs = rows(data["functions"]), model_of(self.made[name])["functions"]
                self.assertEqual(
                    [(row["name"], row["address"], row["self"], row["error"], row["total"],
                      row["calls"]) for row in ours],
                    [(row["name"], row["address"], row["self_seconds"],
                      row["self_error_seconds"], row["total_seconds"], row["calls"])
                     for row in theirs])

    def test_energies_are_those_of_the_export(self):
        data, _ = data_of(self.path("energy"))
        theirs, overview = model_of(self.made["energy"])["energy"], data["overview"]
        self.assertEqual(
            [(row["name"], row["self_joules"], row["self_joules_error"] or None,
              row["total_joules"], row["total_joules_error"] or None)
             for row in rows(data["functions"])],
            [(each["name"], each["self_joules"], each["self_error_joules"], each["total_joules"],
              each["total_error_joules"]) for each in theirs["functions"]])
        used = {task["name"]: (task["joules"], task["error_joules"]) for task in theirs["tasks"]}
        self.assertEqual({row["name"]: (row["joules"], row["joules_error"])
                          for row in rows(overview["tasks"]) if row["joules"] > 0}, used)
        self.assertEqual((overview["energy"]["joules"], overview["energy"]["error"]),
                         (theirs["joules"], theirs["error_joules"]))
        paths = sorted((path["joules"] for path in theirs["paths"]), reverse=True)
        hottest = data_of(self.path("energy"))[0]["hottest"]
        self.assertEqual(len(hottest["energies"]), len(hottest["paths"]))
        self.assertLessEqual({joules for joules, _ in hottest["energies"]}, set(paths))
        plain, _ = data_of(self.path("chibios"))
        self.assertNotIn("energy", plain["overview"])
        self.assertNotIn("self_joules", plain["functions"]["columns"])

    def test_arcs_are_those_of_the_export(self):
        data, _ = data_of(self.path("blinky"))
        model = model_of(self.made["blinky"])
        theirs, program = model["function_calls"], model["program_seconds"]
        samples = sum(each["samples"] for each in model["functions"] if not each["overhead"])
        arcs, width = data["arcs"], len(data["arcs"]["columns"])
        arcs["rows"] = [arcs["values"][i:i + width] for i in range(0, len(arcs["values"]), width)]
        self.assertEqual([(row["caller"], row["callee"], row["calls"], row["interrupt"] == 1)
                          for row in rows(arcs)],
                         [(row["caller"], row["callee"], row["count"], row["interrupt"])
                          for row in theirs])
        for ours, other in zip(rows(arcs), theirs):
            time, error, share_error = arcs["times"][ours["time"]]
            self.assertAlmostEqual(time, other["self_seconds"] + other["children_seconds"], 9)
            self.assertEqual(error, other["error_seconds"])
            share = time / program
            rule = (share * samples + 1) / (samples + 2)  # Laplace's, for few samples
            expected = 100 * max(share * (1 - share) / samples,
                                 rule * (1 - rule) / (samples + 3) + (rule - share)**2)**0.5
            self.assertAlmostEqual(share_error, expected if time > 0 else 0, 9)

    def test_times_of_calls_are_those_of_the_export(self):
        data, _ = data_of(self.path("callers"))
        theirs = model_of(self.made["callers"])["functions"]
        timed = [row["timed"] for row in theirs]
        self.assertTrue(any(timed))
        self.assertEqual(
            [(row["self"], row["total"], row["longest"]) for row in rows(data["functions"])],
            [(each["self_ticks"], each["total_ticks"], each["longest_ticks"]) if each else (0, 0, 0)
             for each in timed])

    def test_the_tree_is_what_folded_writes(self):
        """Without what is the profiler's: all shares of the page are of the program."""
        for name in ("throws", "chibios"):
            with self.subTest(name=name):
                ran = subprocess.run([pages.MCUPROF, "export", "--to", "folded", "-e",
                                      *self.made[name]], capture_output=True, text=True, check=True)
                folded = dict(line.rsplit(" ", 1) for line in ran.stdout.splitlines())
                program = {path: int(count) for path, count in folded.items()
                           if "[profiler]" not in path.split(";")[:2]}
                self.assertLess(len(program), len(folded))
                self.assertEqual(lines_of(data_of(self.path(name))[0]["tree"]), program)

    def test_the_overview_has_the_tree_s_large_nodes(self):
        for name in ("blinky", "chibios", "large"):
            data, _ = data_of(self.path(name))
            large, tree = data["hottest"]["large"], data["tree"]
            self.assertEqual(large["total"], tree["total"])

            nodes = [(large["values"][i], large["names"][large["values"][i + 1]],
                      *large["values"][i + 2:i + 4]) for i in range(0, len(large["values"]), 4)]
            self.assertEqual(sorted(nodes), sorted(
                (len(path) - 1, path[-1], at, count) for path, at, count, _ in nodes_of(tree)
                if count > tree["total"] // 400))

    def test_tasks_have_shares_of_the_program(self):
        data, _ = data_of(self.path("chibios"))
        tree, told = data["tree"], data["hottest"]
        tasks = {path[0]: count for path, _, count, _ in nodes_of(tree) if len(path) == 1}
        for name, share, _ in told["tasks"]:
            self.assertAlmostEqual(share, 100 * tasks.get(name, 0) / tree["total"], 6)
        idle = {row["name"] for row in rows(data["overview"]["tasks"]) if row["idle"]}
        self.assertAlmostEqual(told["idle"][0], sum(
            share for name, share, _ in told["tasks"] if name in idle), 6)

    def test_the_tree_is_the_log_s(self):
        """Each function has 16 bytes; without a caller nothing is known but the function."""
        told = collections.Counter()
        log = next(each for each in self.made["large"] if each.endswith(".log"))
        with open(log, encoding="ascii") as lines:
            for line in lines:
                told[";".join(f"function_{(int(at, 16) - 0x8000) // 16:05}"
                              for at in reversed(line.split()))] += 1
        tree = lines_of(data_of(self.path("large"))[0]["tree"])
        self.assertEqual({path.removeprefix("[unknown];"): count for path, count in tree.items()},
                         told)

    def test_hottest_paths_are_shares_of_the_program(self):
        for name in ("blinky", "chibios"):
            data, _ = data_of(self.path(name))
            program = lines_of(data["tree"])
            for share, _, *frames in data["hottest"]["paths"]:
                count = program[";".join(frame for frame, _ in frames)]
                self.assertAlmostEqual(share, 100 * count / sum(program.values()), 6)

    def slices(self, name):
        """Returns the slices that ran, [name, from, ticks]: those of the page, and those
        exported."""
        line = data_of(self.path(name))[0]["timeline"]
        tracks, ran, at = rows(line["tracks"]), line["ran"], line["start"]
        shown = []
        for track, ticks in zip(ran[::2], ran[1::2]):
            shown.append(["not known" if track is None else tracks[track]["name"], at, ticks])
            at += ticks
        self.assertEqual(at, line["end"])
        done = subprocess.run([pages.MCUPROF, "export", "--to", "perfetto", "-e", *self.made[name]],
                              capture_output=True, check=True)
        trace = json.loads(done.stdout)["traceEvents"]
        tracks = {event["tid"]: event["args"]["name"] for event in trace
                  if event["name"] == "thread_name"}
        first = min(event["ts"] for event in trace if event["ph"] == "X")
        drawn = [[event["name"], round((event["ts"] - first) * line["hz"] / 1e6),
                  round(event["dur"] * line["hz"] / 1e6)] for event in trace if event["ph"] == "X"]
        spans = {mark["name"] for mark in rows(line["marks"])}
        return shown, [each for each in drawn if each[0] not in spans], line, drawn

    def test_the_timeline_is_the_export(self):
        for name in ("lossy", "marks", "switches"):
            with self.subTest(name=name):
                shown, exported, line, _ = self.slices(name)
                self.assertEqual(shown, exported)
                self.assertEqual(line["left_out"], 0)
                self.assertEqual("not known" in {each for each, _, _ in shown}, name == "lossy")

    def test_spans_and_marks_are_those_of_the_export(self):
        _, _, line, drawn = self.slices("marks")
        at, spans = 0, []
        for mark, behind, ticks in zip(*(line["spans"][i::3] for i in range(3))):
            at += behind
            spans.append([rows(line["marks"])[mark]["name"], at - ticks, ticks])
        self.assertEqual(spans, [each for each in drawn if each[0] == "packet"])
        self.assertEqual((len(spans), len(line["values"])), (40, 3 * 40))

    def test_a_timeline_adds_up_as_in_the_export(self):
        for name in ("lossy", "marks"):
            with self.subTest(name=name):
                line = data_of(self.path(name))[0]["timeline"]
                theirs = model_of(self.made[name])["timeline"]
                self.assertEqual((line["known"], line["unknown"], line["gaps"], line["lost"]),
                                 (theirs["seconds"], theirs["unknown_seconds"], theirs["gaps"],
                                  theirs["lost"]))
                for ours, other in zip(rows(line["tracks"]), theirs["tracks"], strict=True):
                    spread = other["stretches"] or {"count": 0, "longest_seconds": None}
                    self.assertEqual(
                        (ours["name"], ours["ran"], ours["times"], ours["max"]),
                        (other["name"], other["seconds"], spread["count"],
                         spread["longest_seconds"]))
                    self.assertEqual(sum(ours["bins"][2::3]), ours["times"])
                    self.assertAlmostEqual(ours["load"], 100 * other["seconds"] / line["known"], 6)

    def test_a_long_timeline_is_cut(self):
        """The page has only its last 300,000 slices."""
        path, out = (os.path.join(self.folder, name) for name in ("long.mprof", "long.html"))
        elf, capture = self.made["switches"]
        subprocess.run([pages.MCUPROF, "merge", "-o", path, *[capture] * 4], check=True,
                       capture_output=True)
        pages.page(out, elf, path)
        line = data_of(out)[0]["timeline"]
        self.assertEqual(len(line["ran"]) // 2, 300000)
        self.assertEqual(len(line["runs"]), 4)
        self.assertEqual(line["left_out"], 4 * pages.SWITCHES - 300000)
        self.assertEqual(sum(line["ran"][1::2]), line["end"] - line["start"])
        self.assertAlmostEqual(line["known"], line["end"] / line["hz"], 6)

    def test_hostile_names_stay_data(self):
        data, html = data_of(self.path("hostile"))
        self.assertEqual((html.count("<script"), html.count("</script>")), (1, 1))
        names = [row["name"] for row in rows(data["functions"])]
        for name in pages.HOSTILE[:-1]:
            self.assertIn(name, names)
        longest = max(names, key=len)
        self.assertTrue(longest.startswith("yyyy") and longest.endswith("…"))
        with open(self.path("hostile"), encoding="utf-8") as file:
            whole = file.read()
        self.assertLess(len(whole), 200_000)
        for block in BLOCK.finditer(whole):
            self.assertNotIn("<", block[3])
        self.assertEqual(len(BLOCK.findall(whole)), len(data))

    def test_size(self):
        for name in ("blinky", "throws"):
            _, html = data_of(self.path(name))
            self.assertLess(len(html.encode()), MOST_BYTES)

    def test_it_names_no_other_place(self):
        """It has no address of another host, except that of SVG's namespace."""
        _, html = data_of(self.path("blinky"))
        found = {address for address in re.findall(r"https?:\\?/\\?/[\w./-]+", html)
                 if "www.w3.org" not in address}
        self.assertEqual(found, set())

    def test_no_output_to_nowhere(self):
        blinky = self.made["blinky"]
        ran = subprocess.run([pages.MCUPROF, "html", "-e", blinky[0], "-o",
                              os.path.join(self.folder, "no", "such.html"), blinky[1]],
                             capture_output=True, text=True, check=False)
        self.assertEqual((ran.returncode, ran.stderr.count("\n")), (3, 1))

    def test_base_elf_without_before(self):
        blinky = self.made["blinky"]
        ran = subprocess.run([pages.MCUPROF, "html", "-e", blinky[0], "--base-elf", blinky[0],
                              blinky[1]], capture_output=True, text=True, check=False)
        self.assertEqual(ran.returncode, 2)
        self.assertIn("--before", ran.stderr)

    def test_without_objdump_it_says_so(self):
        out = os.path.join(self.folder, "without.html")
        said = pages.page(out, *self.made["blinky"], "--objdump", "no-such-objdump")
        self.assertIn("no-such-objdump", said)
        data, _ = data_of(out)
        self.assertFalse(data["source"]["code"])
        self.assertTrue(data["source"]["functions"])

    def test_fewer_sources(self):
        out = os.path.join(self.folder, "fewer.html")
        pages.page(out, *self.made["blinky"], "--sources", "1")
        source = data_of(out)[0]["source"]
        self.assertEqual(len(source["functions"]), 1)
        self.assertGreater(source["left_out"], 0)

    def check(self, name):
        self.assertIn(name, self.told, self.errors)
        self.assertIsNone(self.told[name], self.told[name])


def browser_test(name):
    return lambda self: self.check(name)


for _script in SCRIPTS:
    with open(_script, encoding="utf-8") as _file:
        for _name in re.findall(r'^ *test\("(.+?)"', _file.read(), re.M):
            setattr(Page, "test_browser_" + re.sub(r"\W+", "_", _name), browser_test(_name))

if __name__ == "__main__":
    unittest.main()
