# SPDX-License-Identifier: MIT
"""What rings, erases or turns text around in a name (of a function, task, mark, file) or in the
firmware's text reaches no terminal and no other program: it is shown as bytes, \\x07."""
import os
import re
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import wire  # noqa: E402
from elves import ARM, PROGRAM, InFolder, mcuprof, run  # noqa: E402

HARMFUL = {"bell": "\a", "back": "\b", "delete": "\x7f", "escape": "\x1b[2J", "c1": "\x9b2J",
           "override": "\u202e", "isolate": "\u2067", "mark": "\u200f", "arabic": "\u061c"}
RAW = re.compile("[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
TEXTS = ("callgrind", "csv", "dot", "firefox", "flamegraph", "folded", "json",
         "speedscope")


def escaped(text):
    return "".join(f"\\x{byte:02x}" for byte in text.encode() if byte < 32 or byte >= 127)


class Escapes(InFolder):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        names = ["main", *(f"{key}{value}f" for key, value in HARMFUL.items())]
        lines = [".syntax unified", ".cpu cortex-m3", ".thumb", ".text"]
        for name in names:
            lines += [".thumb_func", f'.type "{name}", %function', f'.global "{name}"',
                      f'"{name}": bl main', f'bx lr', 'nop', f'.size "{name}", 8']
        lines += ['.section .mcuprof_unwind,"a"', ".space 1024"]
        cls.elf = os.path.join(cls.folder.name, "evil\a\u202e.elf")
        run(ARM + "as", "-o", cls.elf + ".o", "-", stdin=("\n".join(lines) + "\n").encode())
        run(ARM + "ld", "-Ttext=0x400", "-e", "main", "-o", cls.elf, cls.elf + ".o")
        cls.capture = cls.make("run\a\u202e.mprof", names)
        cls.log = os.path.join(cls.folder.name, "paths\a.log")
        with open(cls.log, "w", encoding="ascii") as out:
            for i in range(1, len(names)):
                out.write(f"{0x400 + 8 * i:x} 404\n" * 10)

    @classmethod
    def make(cls, name, names):
        stream = wire.Stream(hz=1000, period=1, flags=wire.SAMPLES | wire.TELLS_TASKS, depth=16)
        stream.task(1, "task\a\b\x7f")
        stream.task(1)
        for i in range(len(names)):
            stream.path(wire.WHOLE, [0x404], 0x400 + 8 * i)
        stream.totals()
        stream.end(totals=False)
        path = os.path.join(cls.folder.name, name)
        stream.bytes = b"text \a\b\x7f of it\n" + stream.bytes
        stream.write(path)
        return path

    def assert_clean(self, *told):
        for each in told:
            text = each.decode()
            found = RAW.search(text)
            self.assertIsNone(found, found and text[max(0, found.start() - 60):found.end() + 20])

    def assert_escaped(self, text):
        for key, value in HARMFUL.items():
            shown = key + re.sub(RAW, lambda match: escaped(match[0]), value) + "f"
            self.assertIn(shown, text.replace("\\\\", "\\").replace("&#92;", "\\"))

    def test_reports(self):
        for path in (self.capture, self.log):
            for arguments in (["report"], ["report", "--paths"], ["report", "--graph"],
                              ["report", "--by", "task"], ["annotate"]):
                with self.subTest(arguments=arguments, path=path):
                    done = mcuprof(*arguments, "--limit", "0", "-e", self.elf, "--hz", "100", path)
                    self.assert_clean(done.stdout, done.stderr)
                    if arguments[-1] != "task":
                        self.assert_escaped(done.stdout.decode())
        self.assertIn(b"task\\x07\\x08\\x7f",
                      mcuprof("report", "--by", "task", "-e", self.elf, self.capture).stdout)

    def test_other_commands(self):
        other = os.path.join(self.folder.name, "budgets\a")
        with open(other, "w", encoding="utf-8") as out:
            out.write(f"bell\af self < 1%\n")
        for arguments, status in ((["info", "-e", self.elf, self.capture], 0),
                                  (["info", "--json", "-e", self.elf, self.capture], 0),
                                  (["lint", self.elf], 1), (["unwind", "--table", self.elf], 0),
                                  (["unwind", "-v", self.elf], 0),
                                  (["diff", "-e", self.elf, self.capture, self.capture], 0),
                                  (["check", "--github", "-e", self.elf, other, self.capture], 0),
                                  (["report", "-e", self.elf, "no\a\u202e"], 3),
                                  (["top", "-e", self.elf, self.capture], 0)):
            with self.subTest(arguments=arguments):
                done = subprocess.run([PROGRAM, *arguments], capture_output=True, check=False,
                                      stdin=subprocess.DEVNULL, timeout=180)
                self.assertEqual(done.returncode, status, done.stderr)
                self.assert_clean(done.stdout, done.stderr)

    def test_exports(self):
        for name in TEXTS:
            with self.subTest(name=name):
                done = mcuprof("export", "--to", name, "-e", self.elf, self.capture)
                self.assert_clean(done.stdout, done.stderr)
                self.assert_escaped(done.stdout.decode())

    def test_timeline(self):
        stream = wire.Stream(flags=wire.TELLS_TASKS)
        stream.task(1, "task\a\b\x7f")
        stream.state(1000000, 0, 1)
        stream.steps(*[(wire.IRQ + 15, 20), (wire.RETURN, 10), (1, 100)] * 20)
        stream.end(totals=False)
        stream.write(os.path.join(self.folder.name, "timeline"))
        for arguments in ["export", "--to", "perfetto"], ["report", "--timeline"], ["html"]:
            done = mcuprof(*arguments, "-e", self.elf, os.path.join(self.folder.name, "timeline"))
            text = done.stdout.split(b"</style>")[-1]
            self.assert_clean(text[text.find(b"<script id"):] if b"<html" in text else text)
            self.assertIn(b"task\\x07\\x08\\x7f", text.replace(b"\\\\", b"\\"))

    def test_page(self):
        done = mcuprof("html", "-e", self.elf, self.capture)
        data = b"".join(re.findall(rb'<script id="\w+".*?</script>', done.stdout, re.S))
        self.assert_clean(data, done.stderr)
        self.assert_escaped(data.decode())


if __name__ == "__main__":
    unittest.main()
