# SPDX-License-Identifier: MIT
"""Few libraries are loaded with the program. Others are loaded only by the commands that need them:
such a command names a library that is broken, and all other commands do not notice."""
import os
import pty
import re
import subprocess
import tempfile
import unittest

from mcuprof_run import ELF, PROGRAM, mcuprof, stream

WITH_PROGRAM = {"libdw", "libelf", "libserialport", "libz", "libprotobuf-c", "libm", "libc"}
LOADED = {"libgvc": ("export", "--to", "svg"), "libmicrohttpd": ("serve",), "libncursesw": ("top",)}


def needed(path):
    """Returns {library: file} of the libraries that an ELF file names."""
    told = subprocess.run(["readelf", "-dW", path], capture_output=True, text=True, check=True)
    return {file.split(".so")[0]: file
            for file in re.findall(r"\(NEEDED\).*\[(.*)\]", told.stdout)}


class Packages(unittest.TestCase):
    def test_missing_ones_are_told_before_anything_is_compiled(self):
        with tempfile.TemporaryDirectory() as folder:
            made = subprocess.run(["make", "--no-print-directory", f"BUILD={folder}"],
                                  env={**os.environ, "PKG_CONFIG_LIBDIR": folder},
                                  capture_output=True, text=True, timeout=180, check=False)
            self.assertNotEqual(made.returncode, 0)
            self.assertIn("scripts/setup --program installs", made.stderr)
            self.assertEqual(made.stdout, "")

    def test_setup_helps(self):
        for option, status in ("--help", 0), ("-h", 0), ("--hlep", 2):
            done = subprocess.run(["scripts/setup", option], capture_output=True, text=True,
                                  env={"PATH": "/usr/bin:/bin", "LC_ALL": "C"}, timeout=180,
                                  check=False)
            self.assertEqual(done.returncode, status, done.stderr)
            if status == 0:
                self.assertIn("Usage: scripts/setup [--program] [PACKAGE...]", done.stdout)
                self.assertIn("libelf-dev", done.stdout)
                self.assertIn("gcc-avr", done.stdout)
            else:
                self.assertIn("unknown option --hlep", done.stderr)


class Libraries(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.capture = self.folder + "/capture"
        with open(self.capture, "wb") as file:
            file.write(stream())
        self.files = needed("build/host/loaded.so")

    def broken(self, command, path, file):
        """Runs a command on a terminal, with libraries of ours before the system's."""
        leader, follower = pty.openpty()
        self.addCleanup(os.close, leader)
        self.addCleanup(os.close, follower)
        done = mcuprof(*command, "-e", ELF, self.capture, stdin=follower, stdout=follower,
                       env={**os.environ, "LD_LIBRARY_PATH": path, "TERM": "xterm"})
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertRegex(done.stderr, r"mcuprof \w+: cannot load a library: .*" + re.escape(file))
        return done.stderr

    def test_those_that_all_commands_load(self):
        names = {name for name in needed(PROGRAM) if not name.startswith("ld-linux")}
        self.assertLessEqual(names, WITH_PROGRAM)
        self.assertIn("libdw", names)

    def test_one_that_is_no_library(self):
        for file in (self.files[name] for name in LOADED):
            with open(os.path.join(self.folder, file), "wb"):
                pass
        for name, command in LOADED.items():
            with self.subTest(library=name):
                self.broken(command, self.folder, self.files[name])
        for command in ("report", "--no-pager"), ("export", "--to", "dot"), ("html", "-o", "-"):
            with self.subTest(command=command):
                done = mcuprof(*command, "-e", ELF, self.capture,
                               env={**os.environ, "LD_LIBRARY_PATH": self.folder})
                self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_one_that_lacks_a_function(self):
        for name, command in LOADED.items():
            with self.subTest(library=name):
                path = os.path.join(self.folder, self.files[name])
                subprocess.run(["cc", "-shared", "-o", path, "-x", "c", "/dev/null"], check=True)
                self.assertIn("undefined symbol", self.broken(command, self.folder, path))


if __name__ == "__main__":
    unittest.main()
