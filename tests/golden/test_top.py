# SPDX-License-Identifier: MIT
"""Frames of `mcuprof top` for captures that are fed at fixed times: one of a real Cortex-M0+, and
some made by hand. Then the program itself, where its output is no terminal.

UPDATE_GOLDEN=1 rewrites top.txt, to be reviewed as a diff."""

import functools
import os
import pty
import re
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from elves import KL25Z, assemble, blinky  # noqa: E402
from mcuprof_run import ELF, EMULATOR, OTHER_ELF, PROGRAM, mcuprof, stream  # noqa: E402
import test_tasks  # noqa: E402
from wire import CALLS, INTERRUPTED, SAMPLES, TIMES_CALLS, TOTALS, WHOLE, Stream  # noqa: E402

GOLDEN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "top.txt")
FRAMES = os.path.abspath("build/tests/top_frames")
HEX = os.path.join(KL25Z, "blink1hex.txt")
KL25Z_OPTIONS = ("format=pa-hex", "hz=1000", "addr-bytes=3", "baud=1500000")
SECOND = 29500  # characters of the hex text


def frames(capture, script, *options):
    """Returns the frames that a script prints for a capture, one after the other."""
    done = subprocess.run([FRAMES, *options, capture], input="\n".join(script) + "\n",
                          capture_output=True, text=True, timeout=180)
    if done.returncode != 0:
        raise AssertionError(f"{options} {capture}: {done.returncode}\n{done.stderr}")
    return done.stdout


@functools.lru_cache
def other_stream():
    """Returns the stream of another firmware."""
    command = [word.replace(ELF, OTHER_ELF) for word in EMULATOR]
    return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, timeout=180,
                          check=True).stdout


def seconds(first, last):
    """Returns the script that feeds these seconds of the real capture."""
    return [f"feed {SECOND} {second - 0.5}" for second in range(first, last + 1)]


class Frames(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = os.path.join
        cls.elf = blinky(cls.folder.name)
        cls.tasks_elf = assemble(
            cls.folder.name, 0x8000,
            [(0x8000 + 64 * i, 64, "T", name) for i, name in enumerate(test_tasks.NAMES)],
            name="tasks.elf")
        with open(GOLDEN, encoding="utf-8") as golden:
            parts = re.split(r"^=== (.*) ===\n", golden.read(), flags=re.M)
        cls.golden = dict(zip(parts[1::2], parts[2::2]))
        cls.seen = {}

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()
        if os.environ.get("UPDATE_GOLDEN"):
            with open(GOLDEN, "w", encoding="utf-8") as golden:
                for name in sorted(cls.seen):
                    golden.write(f"=== {name} ===\n{cls.seen[name]}")

    def write(self, name, stream_made):
        path = os.path.join(self.folder.name, name)
        stream_made.write(path)
        return path

    def assert_golden(self, name, text):
        self.seen[name] = text
        if not os.environ.get("UPDATE_GOLDEN"):
            self.assertEqual(text, self.golden.get(name), name)

    def real(self, script, *options):
        return frames(HEX, script, f"elf={self.elf}", *KL25Z_OPTIONS, *options)

    def paths(self):
        """main calls read_sensor, which calls filter; a SysTick hits both."""
        made = Stream(hz=1000000, period=1000, flags=SAMPLES, depth=8)
        main, read, work = (address + 4 for address in (0x8000, 0x8040, 0x80C0))
        made.path(WHOLE, [main], read + 2, 30)
        made.path(WHOLE, [main, read], work + 2, 50)
        made.path(WHOLE, [main], work + 8, 10)
        made.path(INTERRUPTED, [], 0x8104, 5)
        made.path(WHOLE, [], main + 8, 5)
        made.totals()
        return made

    def turning(self, timed):
        """Makes 10 seconds in which filter's share shrinks and read_sensor's grows; the last second
        loses events. Returns the capture's path, and what feeds a second at a time."""
        made = Stream(hz=1000000, period=1000, flags=TIMES_CALLS if timed else SAMPLES)
        ends, path = [0], os.path.join(self.folder.name, "turning")
        for second in range(10):
            few = 300 if second < 8 else 100
            for address, count in ((0x8080, few), (0x8040, 600 - few), (0x80C0, 400)):
                if timed:
                    made.call(0x8004, address, count, 1000 * count, 1000 * count, 1000, 1000)
                else:
                    made.sample(address + 4, count)
                    made.samples += count
            if timed:
                made.time(1000000, 1, 2, 0, 1000000 * (second + 1))
            made.words(TOTALS, CALLS if timed else 1, made.calls if timed else
                       made.samples + (second == 9) * 40, (second == 9) * 60, made.hash)
            if second == 9:
                made.check()  # totals count when the next block holds
            ends.append(len(made.bytes))
        with open(path, "wb") as out:
            out.write(made.bytes)
        return path, [f"feed {end - begin} {second + 0.5}" for second, (begin, end) in
                      enumerate(zip(ends, ends[1:]))]

    def test_trend_and_losses(self):
        for timed in (False, True):
            path, script = self.turning(timed)
            elf = f"elf={self.tasks_elf}"
            text = frames(path, ["size 80 10", *script[:-1], "pass 9", "frame", *script[-1:],
                                 "pass 10", "frame", "pass 14", "key w", "key w", "key w", "frame"],
                          elf, "window=5")
            self.assert_golden(f"trend{', timed' * timed}", text)
            steady, turned, _ = text.split("mcuprof top")[1:]
            for name, arrow in ("filter", "↓"), ("read_sensor", "↑"), ("work", " "):
                self.assertRegex(turned, rf"[▁-█] {arrow} +{name}\n")
            self.assertIn("lost 0", steady)
            self.assertIn("lost 100 (2 %)" if not timed else "lost 60 (1.2 %)", turned)

    # ---- The real capture ----

    def test_a_few_seconds(self):
        self.assert_golden("nothing yet", self.real(["pass 2", "frame", "pass 6", "frame"]))
        self.assert_golden("14 seconds", self.real([*seconds(1, 14), "frame"]))
        self.assert_golden("14 seconds, ASCII",
                           self.real([*seconds(1, 14), "frame"], "ascii=1"))
        self.assert_golden("14 seconds, tints",
                           self.real([*seconds(1, 14), "frame"], "colour=1"))

    def test_the_window_is_of_the_last_seconds(self):
        """A window of 2 s has the samples that came in these 2 s; since the start, it has all."""
        text = self.real([*seconds(1, 14), "frame", "key w", "key w", "key w", "key w", "frame"],
                         "window=2")
        two, whole = re.findall(r"([\d.]+) samples/s", text)
        self.assertIn("last 2 s", text)
        self.assertIn("since the start", text)
        self.assertAlmostEqual(float(two), 1000, delta=250)
        self.assertAlmostEqual(float(whole), 1000, delta=100)
        self.assertIn("75.1   0.4     75.1", self.real([*seconds(1, 14), "frame"]))

    def test_all_of_it_is_what_report_says(self):
        """If the capture is fed in pieces and looked at in between, the sums are still those of a
        report."""
        script = []
        for second in range(1, 19):
            script += [*seconds(second, second), "frame"]
        last = self.real([*script, "frame"], "window=0").split("mcuprof top")[-1]
        report = mcuprof("report", "-e", self.elf, "--flat", "--addr-bytes", "3", "--hz", "1000",
                         HEX).stdout
        shares = {name: share for share, name in
                  re.findall(r"^ *([<\d.]+) .* (\w+)$", report, re.M)}
        rows = re.findall(r"^[> ] *([<\d.]+) .* (\w+)$", last, re.M)
        self.assertGreater(len(rows), 8)
        for share, name in rows:
            self.assertEqual(share, shares[name], name)

    def test_order(self):
        begin = seconds(1, 12)
        for key, name in (("T", "total"), ("C", "calls"), ("M", "mean"), ("N", "name")):
            self.assert_golden(f"by {name}", self.real(["size 80 14", *begin, f"key {key}",
                                                        "frame"]))
        reverse = self.real([*begin, "key N", "frame", "key R", "frame"])
        ascending, descending = (re.findall(r"^[> ] .* [_▁-█]+ +(\w+)$", text, re.M)
                                 for text in reverse.split("mcuprof top")[1:])
        self.assertGreater(len(ascending), 3)
        self.assertEqual(ascending, sorted(ascending))
        self.assertEqual(descending, sorted(descending)[::-1])
        by_key = self.real([*begin, "key S", "frame"])
        self.assertEqual(by_key, self.real([*begin, "key T", "frame"]))

    def test_columns(self):
        """Functions whose calls are timed, in 1,000 ticks of 1 us."""
        made = Stream(hz=1000000, period=1000, flags=TIMES_CALLS)
        for address, times in ((0x8040, (4, 4)), (0x8080, (2, 2, 2)), (0x80C0, (5,))):
            for ticks in times:
                made.call(0x8004, address, 1, ticks, ticks, ticks, ticks)
        made.time(1000000, 0, 0, 0, 1000)
        made.totals()
        path = os.path.join(self.folder.name, "columns")
        made.write(path)
        for columns, order, expected in (
                ("samples,timed_calls,mean", "timed_calls",
                 [["*timed", "calls", "mean", "trend", "function"],
                  [">", "3", "2.00", "µs", "filter"], ["2", "4.00", "µs", "read_sensor"],
                  ["1", "5.00", "µs", "work"]]),
                ("mean,self_percent", "mean",
                 [["*mean", "timed", "self", "%", "trend", "function"],
                  [">", "5.00", "µs", "0.50", "work"], ["4.00", "µs", "0.80", "read_sensor"],
                  ["2.00", "µs", "0.60", "filter"]])):
            with self.subTest(columns=columns):
                text = frames(path, [f"feed {len(made.bytes)} 0.5", "frame"], "window=0",
                              f"elf={self.tasks_elf}", f"columns={columns}", f"sort={order}")
                rows = [[word for word in line.split() if not re.search("[▁-█↑↓]", word)]
                        for line in text.splitlines()]
                begin = next(i for i, row in enumerate(rows) if "function" in row)
                self.assertEqual(rows[begin:begin + len(expected)], expected, text)

    def test_what_is_not_known_comes_last(self):
        """Whatever the order; work is sampled, and none of its calls timed."""
        made = Stream(hz=1000000, period=1000, flags=TIMES_CALLS | SAMPLES)
        made.call(0x8004, 0x8040, 1, 4, 4, 4, 4)
        made.call(0x8004, 0x8080, 1, 2, 2, 2, 2)
        made.sample(0x80C4, 5)
        made.samples += 5
        made.time(1000000, 0, 0, 0, 1000)
        made.totals()
        path = self.write("unknown", made)
        for keys, expected in (([], ["read_sensor", "filter", "work"]),
                               (["key R"], ["filter", "read_sensor", "work"])):
            text = frames(path, [f"feed {len(made.bytes)} 0.5", *keys, "frame"], "window=0",
                          f"elf={self.tasks_elf}", "sort=timed_total")
            self.assertEqual(re.findall(r"(?m) (read_sensor|filter|work)$", text), expected, text)

    def test_filter(self):
        self.assert_golden("filter", self.real([
            "size 80 12", *seconds(1, 12), "key /", "key b", "key i", "key x", "frame",
            "key backspace", "key enter", "frame", "key /", "key escape", "frame"]))

    def test_freeze(self):
        text = self.real(["size 80 12", *seconds(1, 5), "key space", "frame", *seconds(6, 12),
                          "frame", "key space", "frame"])
        one, two, three = text.split("mcuprof top")[1:]
        self.assertIn("FROZEN", one)
        self.assertEqual(one.splitlines()[2:], two.splitlines()[2:])
        self.assertNotIn("FROZEN", three)
        self.assertNotEqual(one.splitlines()[2:], three.splitlines()[2:])

    def test_sizes(self):
        begin = [*seconds(1, 12), "key c"]
        sizes = ["80 24", "40 12", "200 60", "1 1", "2 2", "0 0", "20 5", "8 3", "1000 2", "80 24"]
        texts = [self.real([*begin, *[f"size {size}\nframe" for size in sizes[:n + 1]]])
                 for n in range(len(sizes))]
        whole = texts[0]
        self.assertEqual(texts[-1].removeprefix(texts[-2]), whole)  # no other size shows
        self.assert_golden("40 x 12", self.real([*begin, "size 40 12", "frame"]))
        self.assert_golden("120 x 30", self.real([*begin, "size 120 30", "frame"]))
        for n, size in enumerate(sizes[1:], 1):
            columns, rows = map(int, size.split())
            lines = texts[n].removeprefix(texts[n - 1]).split("\n")[:-1]
            self.assertEqual(len(lines), rows, size)
            self.assertLessEqual(max(map(len, lines), default=0), columns, size)

    def test_tiny(self):
        """At each size a row of the table is shown, and of the page of keys at least its last
        line."""
        for size in ("80 8", "20 5", "20 4"):
            told = self.real([*seconds(1, 12), f"size {size}", "frame", "key ?", "frame"])
            self.assertRegex(told, r"\n> 7\d\.\d .*\n(?:.*\n)*\? keys", size)
            self.assertRegex(told, r"\nany key goes back\n$", size)

    def test_shares_of_the_profiler_are_those_of_a_report(self):
        stream = Stream(hz=100000, period=1000, flags=SAMPLES)
        stream.time(6000, 100, 20, 500, 0)  # sampling took 10 %
        for address, count in ((0x8004, 75), (0x8204, 25)):
            stream.sample(address, count)
            stream.samples += count
        stream.totals()
        path = self.write("slow", stream)
        elf = assemble(self.folder.name, 0x8000, [(0x8000, 256, "T", "main"),
                                                  (0x8200, 256, "T", "mcuprof_count"),
                                                  (0x8300, 0, "T", "_etext")],
                       name="slow.elf")
        report = mcuprof("report", "--all", "-e", elf, path).stdout
        self.assertRegex(report, r"profiler .*\(25\.0 %\)\n")
        self.assertIn("took 10.0 % of the time", report)
        text = frames(path, ["feed 99999 0.5", "frame"], f"elf={elf}")
        self.assertIn("profiler 25.0 %  sampling 10.0 %", text)
        self.assertIn("profiler 25.0 %  sampling 10.0 %", mcuprof("top", "-e", elf, path).stdout)

    def test_cut_or_unsure_paths(self):
        elf = assemble(self.folder.name, 0x1000, [(0x1000, 256, "T", "main"),
                                                  (0x1100, 0, "T", "_etext")], name="open.elf")
        for unsure in 19, 20:
            stream = Stream(hz=100000, period=1000, flags=SAMPLES, depth=8)
            stream.path(0, [], 0x1004, 1000 - unsure)
            stream.path(3, [], 0x1004, unsure)
            stream.totals()
            path = self.write("open", stream)
            for text in (frames(path, ["feed 99999 0.5", "frame"], f"elf={elf}"),
                         mcuprof("top", "-e", elf, path).stdout):
                self.assertEqual("cut or unsure paths 2.0 %" in text, unsure == 20, text)

    def test_cursor(self):
        """The cursor stays with its function when the order changes."""
        chosen = re.findall(r"^> .* (\w+)$", self.real([
            *seconds(1, 12), "frame", "key down", "key down", "frame", "key N", "frame", "key P",
            "frame", "key up", "frame", "key end", "frame", "key page-down", "frame", "key home",
            "frame", "size 80 8", "key end", "frame", "key page-up", "frame"]), re.M)
        self.assertEqual(chosen[:5], ["loop"] + 3 * ["WAIT1_Wait100Cycles"]
                         + ["WAIT1_WaitCycles"])
        self.assertEqual((chosen[5], chosen[7]), ("main", "loop"))
        self.assertEqual(chosen[6], chosen[5])
        self.assertEqual(len(chosen), 10)

    def test_link(self):
        self.assert_golden("link lost and found", self.real([
            "size 80 10", *seconds(1, 8), "frame", "link lost 8", "pass 12", "frame", "link up 14",
            *seconds(15, 17), "frame", "pass 25", "frame"]))

    def test_help(self):
        text = self.real(["key ?", "frame", "key x", "frame"])
        self.assert_golden("help", text.split("mcuprof top")[0])
        self.assertIn("mcuprof top", text)
        self.assertEqual(self.real(["key h", "frame"]), self.real(["key ?", "frame"]))

    def test_keys_that_end(self):
        self.assertEqual(self.real(["key q"]), "the end\n")
        self.assertEqual(self.real(["key /", "key q", "key escape"]), "")

    def test_another_firmware(self):
        """If a second firmware comes on the line, all begins anew; the message about it disappears
        after a while."""
        path = os.path.join(self.folder.name, "two")
        with open(path, "wb") as out:
            out.write(other_stream() + stream())
        first = len(other_stream())
        rest = [f"feed 100 {i / 100 + 3}" for i in range(len(stream()) // 100)]
        one, two, *_, last = frames(path, [
            f"feed {first} 1", "frame", *rest, "frame", "size 0 9", "frame", "size 1 9", "frame",
            "size 80 24", "pass 40", "key w", "key w", "key w", "frame"],
            f"elf={ELF}").split("mcuprof top")[1:]
        self.assertNotIn("one firmware", one)
        self.assertIn("expected one firmware in a capture", two)
        self.assertIn("All was counted anew", two)
        for text in (two, last):
            self.assertRegex(text, r" wait_cycles\n")
        self.assertNotIn("one firmware", last)

    # ---- Captures made by hand ----

    def test_expand(self):
        path = self.write("paths", self.paths())
        begin = ["feed 0 1.5", "size 80 16", "frame", "key enter", "frame", "key down",
                 "key down", "frame", "key enter"]
        self.assert_golden("expand", frames(path, [
            *begin, "key home", "key down", "key enter", "frame", "key escape", "frame"],
            f"elf={self.tasks_elf}"))

    def test_tasks(self):
        for name in ("sampled", "timed"):
            path = self.write(name, getattr(test_tasks, name)())
            self.assert_golden(f"tasks, {name}", frames(path, [
                "size 80 12", "feed 0 1.5", "frame", "key tab", "frame", "key down", "key enter",
                "frame", "key escape", "frame"], f"elf={self.tasks_elf}"))

    def test_wrong_elf(self):
        path = self.write("wrong", test_tasks.sampled())
        self.assert_golden("wrong ELF", frames(path, [
            "size 80 12", "feed 0 1.5", "problem a: is of firmware with build ID 1, but "
            "firmware.elf has build ID 2", "frame", "problem -", "frame"],
            f"elf={self.tasks_elf}"))

    def test_garbage(self):
        path = os.path.join(self.folder.name, "garbage")
        with open(path, "wb") as out:
            out.write(bytes((i * i * 31 + i // 7) % 256 for i in range(200000)))
        script = [f"feed 5000 {i / 4 + 0.25}\nframe" for i in range(40)]
        text = frames(path, ["size 80 10", *script, "finish 12", "frame"])
        self.assertIn("is the speed of the line right (--baud)?", " ".join(text.split()))
        self.assertIn("nothing was counted yet", text)
        self.assertNotIn("%  ", text.split("mcuprof top")[-1].replace("0 %  ", ""))

    def test_hostile_names_and_text(self):
        made = Stream(hz=1000000, period=1000, flags=SAMPLES)
        made.sample(0x8004, 10)
        made.samples = 10
        made.totals()
        path = self.write("text", made)
        with open(path, "ab") as out:
            out.write(b"\x1b[31mred\x1b[0m\x07 a\tb\x1b]0;title\n\r\nlast" + b"x" * 1000)
        text = frames(path, ["feed 0 1", "key tab", "key tab", "frame"], f"elf={self.tasks_elf}")
        self.assertIn("red\\x07 a  b0;title\n\nlastxxx", text)
        self.assertNotIn("\x1b", text)


class Program(unittest.TestCase):
    """Where standard output is no terminal, lines are printed."""

    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = directory.name

    def path(self, name, content=b""):
        path = os.path.join(self.directory, name)
        with open(path, "wb") as file:
            file.write(content)
        return path

    def test_file(self):
        done = mcuprof("top", "-e", ELF, self.path("in", stream()))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"^[\d.]+ s  ended  \d+ samples  \d+ calls  lost 0  "
                                      r"profiler [\d.]+ %  sampling [\d.]+ %  "
                                      r"[\d.]+ % \w+(, [\d.]+ % \w+){4}\n$")
        self.assertRegex(done.stderr, r"^mcuprof top: .*bytes in [\d.]+ s, all [\d,]+ calls and "
                                      r"[\d,]+ samples received\n$")

    def test_a_line_each_window(self):
        """Slow firmware gets a line for each window, also while nothing comes."""
        path, third = self.path("in", stream()), len(stream()) // 3 + 1
        slow = (f"for at in 0 1 2; do tail -c +$((at * {third} + 1)) {path} | head -c {third}; "
                "sleep 1; done")
        done = mcuprof("top", "-e", ELF, "-w", "1", "-d", "4.8", "--", "sh", "-c",
                       slow + "; exec sleep 50")
        lines = done.stdout.splitlines()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([round(float(line.split(" s")[0])) for line in lines], [1, 2, 3, 4, 5],
                         done.stdout)
        rates = [re.search(r"  (\d+) samples/s", line) for line in lines]
        self.assertTrue(all(rates[:3]), done.stdout)
        self.assertEqual(rates[4], None)  # nothing came in the last second
        self.assertIn("stopped", lines[3])

    def test_dumb_terminal(self):
        """An editor's terminal cannot show frames."""
        leader, follower = pty.openpty()
        self.addCleanup(os.close, leader)
        done = subprocess.run([PROGRAM, "top", "-e", ELF, self.path("in", stream())],
                              stdin=subprocess.DEVNULL, stdout=follower, stderr=subprocess.PIPE,
                              env={**os.environ, "TERM": "dumb"}, timeout=180, check=False)
        os.close(follower)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(os.read(leader, 4096), rb"^0\.\d s  ended  \d+ samples .* wait_cycles")

    def test_records_what_comes(self):
        out = self.path("out")
        done = mcuprof("top", "-e", ELF, "-o", out, "-w", "1", "--", *EMULATOR)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(out, "rb") as file:
            self.assertEqual(file.read(), stream())

    def test_wrong_elf(self):
        done = mcuprof("top", "-e", OTHER_ELF, self.path("in", stream()))
        self.assertEqual(done.returncode, 3)
        self.assertIn("wrong ELF", done.stdout)
        self.assertIn("build ID", done.stderr)
        forced = mcuprof("top", "--force", "-e", OTHER_ELF, self.path("in", stream()))
        self.assertEqual(forced.returncode, 0)
        self.assertNotIn("wrong ELF", forced.stdout)

    def test_bad_inputs(self):
        for content, status, said in ((b"", 3, "nothing received"),
                                      (b"hello\n" * 50, 3, "expected a hello record"),
                                      (b"\xff\x80\x00" * 999, 3, "expected a hello record")):
            done = mcuprof("top", self.path("in", content))
            self.assertEqual((done.returncode, said in done.stderr), (status, True), done.stderr)
        half = mcuprof("top", "--strict", self.path("in", stream()[:-len(stream()) // 3]))
        self.assertEqual(half.returncode, 1, half.stderr)

    def test_usage(self):
        path = self.path("in", stream())
        for arguments, said in (((), "expected a SOURCE"), ((path, path), "one SOURCE at a time"),
                                (("--sort", "x", path), "--sort: no figure 'x'"),
                                (("--sort", "self,calls", path), "not one figure"),
                                (("--sort", "max", path), "--sort: max is not known of a window"),
                                (("--columns", "self,p99", path), "--columns: p99 is not known"),
                                (("--columns", "self,", path), "--columns: 'self,' lacks"),
                                (("--columns", "age", path), "--columns: no figure 'age'"),
                                (("-w", "61", path), "not 0 to 60"),
                                (("-o", "-", path), "standard output is for the figures"),
                                (("--color", "x", path), "not auto, always or never")):
            done = mcuprof("top", *arguments)
            self.assertEqual((done.returncode, done.stdout), (2, ""), arguments)
            self.assertIn(said, done.stderr)
        missing = mcuprof("top", self.path("in") + "x")
        self.assertEqual(missing.returncode, 3)


if __name__ == "__main__":
    unittest.main()
