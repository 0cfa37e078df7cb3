# SPDX-License-Identifier: MIT
"""Bad input: one clear line on standard error, the right exit status, no crash."""
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from mcuprof_run import ELF, OTHER_ELF, PROGRAM, lossy_stream, mcuprof, stream  # noqa: E402

READERS = (
    ("report", "-e", ELF),
    ("info",),
    ("info", "--json", "-e", ELF),
    ("export", "--to", "json"),
    ("export", "--to", "csv", "-e", ELF),
)

BUILD_ID_RECORD = rb"[\x84-\x87][\x00-\x7f]{26}"


class BadInputTest(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = directory.name

    def file(self, name, content):
        path = os.path.join(self.directory, name)
        with open(path, "wb") as file:
            file.write(content)
        return path

    def assert_refused(self, done, command, *parts, status=3):
        self.assertTrue(done.stderr.startswith(f"mcuprof {command}: "), done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertEqual(done.returncode, status)
        self.assertEqual(done.stdout, "")
        for part in parts:
            self.assertIn(part, done.stderr)

    def assert_all_refuse(self, path, *parts):
        for command in READERS:
            with self.subTest(command=command, path=path):
                self.assert_refused(mcuprof(*command, path), command[0], path, *parts)


class CaptureTest(BadInputTest):
    def test_empty(self):
        self.assert_all_refuse(self.file("empty", b""), "empty")

    def test_directory(self):
        self.assert_all_refuse(self.directory, "is a directory")

    def test_missing(self):
        self.assert_all_refuse("/nonexistent/run.mprof", "No such file or directory")

    def test_random(self):
        for seed in range(5):
            data = random.Random(seed).randbytes(20000)
            self.assert_all_refuse(self.file(f"random{seed}", data), "offset 0: expected")

    def test_random_taken_for_each_format(self):
        data = random.Random(1).randbytes(20000)
        path = self.file("random", data)
        for name in ("mcuprof", "pa-hex", "pclog", "gmon"):
            with self.subTest(format=name):
                done = mcuprof("info", "--format", name, path)
                self.assert_refused(done, "info", path, "offset")

    def test_unknown_format(self):
        done = mcuprof("info", "--format", "vcd", self.file("x", stream()))
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertIn("vcd", done.stderr)
        self.assertEqual(done.returncode, 2)

    def test_second_of_two_files(self):
        good = self.file("good", stream())
        bad = self.file("bad", b"")
        self.assert_refused(mcuprof("report", "-e", ELF, good, bad), "report", bad)

    def test_every_truncation(self):
        """All whole records are read, the capture is never called complete, and it fails only with
        --strict."""
        whole = stream()
        complete = json.loads(mcuprof("info", "--json", self.file("t", whole)).stdout)
        self.assertTrue(complete["complete"])
        last = max(at for at, byte in enumerate(whole) if byte & 0x80)
        for size in range(16, last + 2):
            path = self.file("t", whole[:size])
            done = mcuprof("info", "--json", "--format", "mcuprof", path)
            with self.subTest(size=size):
                if done.returncode == 0:
                    info = json.loads(done.stdout)
                    self.assertFalse(info["complete"])
                    for kind in ("samples", "arcs"):
                        self.assertLessEqual(info[kind]["received"],
                                             complete[kind]["received"])
                else:
                    self.assert_refused(done, "info", path, "expected a hello record")

    def test_truncated(self):
        path = self.file("t", stream()[:-20])
        self.assertEqual(mcuprof("report", "-e", ELF, path).returncode, 0)
        self.assertEqual(mcuprof("info", path).returncode, 0)
        done = mcuprof("info", "--strict", path)
        self.assertEqual(done.returncode, 1)
        self.assertIn("no: the end is missing", done.stdout)

    def test_losses_are_told_beside_the_output(self):
        path = self.file("t", lossy_stream())
        for command in (("export", "--to", "csv", "-e", ELF), ("export", "--to", "json"),
                        ("merge",), ("merge", "--to", "gmon", "-e", ELF)):
            done = mcuprof(*command, path)
            self.assertEqual(done.returncode, 0)
            self.assertRegex(done.stderr, f"mcuprof {command[0]}: warning: .*not proven.*\n")
            done = mcuprof(*command, self.file("early", stream()[:1000]))
            self.assertIn("is not known", done.stderr)
            done = mcuprof(*command, self.file("whole", stream()))
            self.assertNotIn("received", done.stderr)

    def test_output_that_is_the_input(self):
        path, content = self.file("t", stream()), stream()
        os.link(path, path + "2")
        elf = self.file("elf", open(ELF, "rb").read())
        for command in (("export", "--to", "csv", "-e", elf, path), ("record", "-e", elf, path),
                        ("html", "-e", elf, path), ("top", "-e", elf, path)):
            done = mcuprof(*command, "-o", elf)
            self.assert_refused(done, command[0], elf, "is both input and output", status=2)
            done = mcuprof("html", "-e", ELF, "--before", path, "-o", path, path + "2")
            self.assert_refused(done, "html", path, "is both input and output", status=2)
        for out in (path, path + "2"):
            done = mcuprof("export", "--to", "json", "-o", out, self.file("u", stream() + b"\n"), path)
            self.assert_refused(done, "export", out, "is both input and output", status=2)
            done = mcuprof("merge", "-o", out, self.file("u", stream() + b"\n"), path)
            self.assert_refused(done, "merge", out, "is both input and output", status=2)
            with open(path, "rb") as file:
                self.assertEqual(file.read(), content)
        done = mcuprof("export", "--to", "csv", "--shipped", elf, "-e", ELF, path, "-o", elf)
        self.assert_refused(done, "export", elf, "is both input and output", status=2)

    def test_output_that_is_the_standard_input_or_output(self):
        """`-o FILE - < FILE` and `FILE >> FILE`."""
        path, content = self.file("t", stream()), stream()
        other = self.file("u", stream())
        for command in (("export", "--to", "json"), ("merge",), ("html", "-e", ELF),
                        ("html", "-e", ELF, other, "--before")):
            with open(path, "rb") as file:
                done = mcuprof(command[0], "-o", path, *command[1:], "-", stdin=file)
            self.assert_refused(done, command[0], path, "is both input and output", status=2)
            with open(path, "ab") as file:
                done = subprocess.run([PROGRAM, *command, path], stdout=file, text=True,
                                      stderr=subprocess.PIPE, check=False)
            self.assertIn("standard output: is both input and output", done.stderr)
            self.assertEqual(done.returncode, 2)
            with open(path, "rb") as file:
                self.assertEqual(file.read(), content)

    def test_output_through_a_link(self):
        """The file that a link names is replaced, with the same permissions; the link stays."""
        capture, target = self.file("t", stream()), self.file("target", b"old")
        link, lost = (os.path.join(os.path.dirname(target), name) for name in ("link", "lost"))
        os.symlink("target", link)
        os.symlink("nowhere", lost)
        os.chmod(target, 0o640)
        self.assertEqual(mcuprof("export", "--to", "json", "-o", link, capture).returncode, 0)
        self.assertTrue(os.path.islink(link))
        self.assertEqual(os.stat(target).st_mode & 0o777, 0o640)
        with open(target, "rb") as file:
            self.assertEqual(file.read(1), b"{")
        done = mcuprof("export", "--to", "json", "-o", lost, capture)
        self.assert_refused(done, "export", lost, "No such file")
        self.assertTrue(os.path.islink(lost))

    def test_control_characters_in_a_name(self):
        done = mcuprof("info", "/nonexistent/a\nb\x1b[2J")
        self.assert_refused(done, "info", r"/nonexistent/a\x0ab\x1b[2J")


class ElfTest(BadInputTest):
    def assert_elf_refused(self, elf, *parts):
        path = self.file("run.mprof", stream())
        for command in ("report", "info"):
            with self.subTest(command=command, elf=elf):
                done = mcuprof(command, "-e", elf, path)
                self.assert_refused(done, command, elf, *parts)
        kept = self.file("kept", b"earlier")
        done = mcuprof("record", "-o", kept, "-e", elf, "-", input=stream())
        self.assertEqual((done.returncode, done.stderr.count("\n")), (3, 1), done.stderr)

    def test_not_an_elf(self):
        self.assert_elf_refused(self.file("x", b"not an ELF" * 100), "not an ELF file")
        self.assert_elf_refused(self.file("empty", b""), "not an ELF file")
        self.assert_elf_refused(self.directory, "is a directory")
        self.assert_elf_refused("/nonexistent.elf", "No such file or directory")

    def test_cut_elf(self):
        with open(ELF, "rb") as file:
            elf = file.read()
        for size in (4, 16, 52, 60, len(elf) // 3, len(elf) // 2, len(elf) - 100):
            self.assert_elf_refused(self.file("cut.elf", elf[:size]))

    def test_without_symbols(self):
        stripped = os.path.join(self.directory, "stripped.elf")
        subprocess.run(["arm-none-eabi-strip", "-o", stripped, ELF], check=True)
        self.assert_elf_refused(stripped, "no function symbols")

    def test_other_build(self):
        path = self.file("run.mprof", stream())
        done = mcuprof("report", "-e", OTHER_ELF, path)
        self.assert_refused(done, "report", path, OTHER_ELF, "build ID")
        forced = mcuprof("report", "--force", "-e", OTHER_ELF, path)
        self.assertEqual(forced.returncode, 0)
        self.assertIn("build ID", forced.stderr)

    def test_other_chip(self):
        """An ELF of this PC, with symbols and a build ID, is refused."""
        source = self.file("pc.c", b"int main(void) { return 0; }\n")
        elf = os.path.join(self.directory, "pc.elf")
        subprocess.run(["cc", "-Wl,--build-id", "-o", elf, source], check=True)
        self.assert_elf_refused(elf, "build ID")
        subprocess.run(["cc", "-Wl,--build-id=none", "-o", elf, source], check=True)
        self.assert_elf_refused(elf, "none")

    def test_other_chip_of_firmware_without_build_id(self):
        """An ELF of another architecture is refused, because the stream names the firmware's."""
        elf = os.path.join(self.directory, "pc.elf")
        subprocess.run(["cc", "-Wl,--build-id=none", "-x", "c", "-o", elf, "-"],
                       input=b"int main(void) { return 0; }\n", check=True)
        run = self.file("run.mprof", re.sub(BUILD_ID_RECORD, b"", stream(), flags=re.S))
        done = mcuprof("report", "-e", elf, run)
        self.assert_refused(done, "report", run, "cortex-m", elf, "x86-64")
        self.assertEqual(mcuprof("report", "--force", "-e", elf, run).returncode, 0)


class SourceTest(BadInputTest):
    def assert_not_recorded(self, source, *parts, status=3, **options):
        output = os.path.join(self.directory, "out.mprof")
        done = mcuprof("record", "-o", output, source, **options)
        with self.subTest(source=source):
            self.assert_refused(done, "record", *parts, status=status)

    def test_what_cannot_be_read(self):
        self.assert_not_recorded(self.directory, "is a directory")
        self.assert_not_recorded("/nonexistent/tty", "/nonexistent/tty: No such file")
        self.assert_not_recorded("tcp:127.0.0.1:1", "tcp:127.0.0.1:1: Connection refused")
        self.assert_not_recorded("tcp:127.0.0.1", "expected tcp:HOST:PORT", status=2)
        self.assert_not_recorded("udp:5555x", "expected udp:PORT", status=2)

    def test_nothing_to_record(self):
        self.assert_not_recorded(self.file("empty", b""), "nothing received")
        self.assert_not_recorded("/dev/null", "/dev/null: nothing received")
        self.assert_not_recorded("-", "standard input: nothing received", input=b"")

    def test_nonsense_is_kept(self):
        data = random.Random(7).randbytes(5000)
        output = os.path.join(self.directory, "out.mprof")
        done = mcuprof("record", "-o", output, "-", input=data)
        self.assertEqual(done.returncode, 3)
        self.assertIn("expected a hello record", done.stderr)
        self.assertIn(f"kept in {output}: 5000 bytes", done.stderr)
        with open(output, "rb") as file:
            self.assertEqual(file.read(), data)

    def test_no_permission(self):
        path = self.file("secret", stream())
        os.chmod(path, 0)
        command = [PROGRAM, "record", "-o", os.devnull, path]
        if os.geteuid() == 0:  # root may read all files without this
            command[:0] = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=180,
                              check=False)
        self.assert_refused(done, "record", f"{path}: Permission denied")


if __name__ == "__main__":
    unittest.main()
