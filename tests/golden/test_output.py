# SPDX-License-Identifier: MIT
"""A command that a signal ends leaves no temporary file beside its output, and the older output as
it was."""
import functools
import os
import resource
import signal
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from elves import PROGRAM, InFolder, assemble  # noqa: E402

OLD = b"what was there before\n"


class Output(InFolder):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.elf = assemble(cls.folder.name, 0x8000, [(0x8000, 16, "T", "main"),
                                                     (0x8010, 16, "T", "work")])
        cls.log = os.path.join(cls.folder.name, "run.log")
        with open(cls.log, "w", encoding="ascii") as out:
            out.write("8000\n" * 10 + "8010\n" * 10)

    def page(self, objdump, **how):
        """Writes a page over an older file. The objdump is a shell script. Returns how that ended,
        and what is in the folder and in the file."""
        place = os.path.join(self.folder.name, self.id())
        os.makedirs(place, exist_ok=True)
        script, out = os.path.join(self.folder.name, "objdump"), os.path.join(place, "out.html")
        with open(script, "w", encoding="ascii") as file:
            file.write(f"#!/bin/sh\n{objdump}\n")
        os.chmod(script, 0o755)
        with open(out, "wb") as file:
            file.write(OLD)
        done = subprocess.run([PROGRAM, "html", "-e", self.elf, "--hz", "100", "-o", out,
                               "--objdump", script, self.log], capture_output=True, check=False,
                              timeout=180, **how)
        with open(out, "rb") as file:
            return done, os.listdir(place), file.read()

    def test_signals(self):
        """One that is ignored, as nohup has SIGHUP, stays so: here none is."""
        for name in ("TERM", "HUP", "INT", "PIPE"):
            with self.subTest(name=name):
                done, files, text = self.page(
                    f"kill -{name} $PPID; sleep 1", preexec_fn=functools.partial(
                        signal.signal, getattr(signal, f"SIG{name}"), signal.SIG_DFL))
                self.assertEqual(done.returncode, -getattr(signal, f"SIG{name}"))
                self.assertEqual((files, text), (["out.html"], OLD))

    def test_a_file_that_must_not_grow(self):
        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
            resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192))

        done, files, text = self.page("exit 1", preexec_fn=limit)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn(b"out.html: File too large", done.stderr)
        self.assertEqual((files, text), (["out.html"], OLD))

    def test_a_signal_that_is_ignored(self):
        """As nohup does."""
        done, files, text = self.page("kill -HUP $PPID", preexec_fn=lambda: signal.signal(
            signal.SIGHUP, signal.SIG_IGN))
        self.assertEqual((done.returncode, files), (0, ["out.html"]))
        self.assertNotEqual(text, OLD)


if __name__ == "__main__":
    unittest.main()
