# SPDX-License-Identifier: MIT
"""A release builds, installs and writes the page where there is neither a network nor npm; without
its page the program says so."""
import os
import re
import shutil
import subprocess
import tempfile
import unittest

from mcuprof_run import ELF, stream

# Without a right to it (a container may have none) there is a network, but nothing to ask it with.
OFFLINE = ["unshare", "--map-root-user", "--net"]
FORBIDDEN = "node", "npm", "npx", "curl", "wget"


def run(*command, **options):
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=900,
                          **options)
    if done.returncode != 0:
        raise AssertionError(f"{command}: {done.stdout[-2000:]}\n{done.stderr}")
    return done.stdout


class Release(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = folder.name
        archive = cls.archive = run("make", "-s", "dist", "PROGRAM_THERE=1").split()[-1]
        cls.version = re.search(r"mcuprof-(.*)\.tar\.gz", archive)[1]
        run("tar", "-x", "-C", cls.folder, "-f", archive)
        cls.root = f"{cls.folder}/mcuprof-{cls.version}"
        tools = cls.folder + "/tools"
        os.mkdir(tools)
        for name in FORBIDDEN:
            with open(f"{tools}/{name}", "w", encoding="utf-8") as file:
                file.write(f"#!/bin/sh\necho {name} >> {cls.folder}/asked\nexit 1\n")
            os.chmod(f"{tools}/{name}", 0o755)
        cls.environment = {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}"}
        cls.offline = OFFLINE if subprocess.run([*OFFLINE, "true"], capture_output=True,
                                                check=False).returncode == 0 else []
        with open(cls.folder + "/run.mprof", "wb") as file:
            file.write(stream())

    def make(self, *words):
        return run(*self.offline, "make", "-j2", "CFLAGS=-O0", *words, cwd=self.root,
                   env=self.environment)

    def html(self, program):
        return subprocess.run([program, "html", "-e", ELF, self.folder + "/run.mprof"], text=True,
                              capture_output=True, check=False, timeout=300)

    def test_builds_installs_and_has_its_page(self):
        prefix = self.folder + "/usr"
        told = self.make() + self.make("install", f"PREFIX={prefix}")
        self.assertNotIn("without the page", told)
        self.assertFalse(os.path.exists(self.folder + "/asked"))
        program = prefix + "/bin/mcuprof"
        self.assertEqual(run(program, "--version").split()[1], self.version)
        done = self.html(program)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        with open("build/host/page/page.html", encoding="utf-8") as file:
            script = re.search("<script>.*?</script>", file.read(), re.S)[0]
        self.assertIn(script, done.stdout)
        self.assertIn("wait_cycles", done.stdout)
        self.check_without_page()

    def check_without_page(self):
        """Where there is no page, `make` says so, unless it is not wanted; then `html` does."""
        self.assertNotIn("without the page", self.make("PAGE=0"))
        shutil.move(self.root + "/host/page/page.html", self.folder)
        self.assertIn("built without the page of html and serve", self.make())
        done = self.html(self.root + "/build/mcuprof")
        self.assertEqual((done.returncode, done.stdout), (3, ""))
        self.assertIn("built without its page", done.stderr)
        shutil.move(self.folder + "/page.html", self.root + "/host/page")
        self.make()
        self.assertEqual(self.html(self.root + "/build/mcuprof").returncode, 0)

    def test_has_what_git_has(self):
        """And the page, and nothing else; the same files make the same bytes."""
        with open(self.archive, "rb") as file:
            first = file.read()
        run("make", "-s", "dist", "PROGRAM_THERE=1")
        with open(self.archive, "rb") as file:
            self.assertEqual(file.read(), first)
        listed = run("tar", "-t", "-f", self.archive).splitlines()
        files = {path.split("/", 1)[1] for path in listed if not path.endswith("/")}
        self.assertEqual(files, {*run("git", "ls-files").splitlines(), "host/page/page.html"})

    def test_says_its_version_everywhere(self):
        def first(path, pattern):
            with open(f"{self.root}/{path}", encoding="utf-8") as file:
                return re.search(pattern, file.read(), re.M)[1]

        self.assertEqual({first("NEWS.md", r"^## (\S+)"),
                          first("debian/changelog", r"^mcuprof \((.*)\)"),
                          first("packaging/esp-idf/mcuprof/idf_component.yml",
                                r'^version: "(.*)"')}, {self.version})


if __name__ == "__main__":
    unittest.main()
