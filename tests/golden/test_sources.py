# SPDX-License-Identifier: MIT
"""An ELF can name any file of this machine as its source. What is shown of them lies below folders
that the user named, stands in, or keeps the ELF in."""
import os
import re
import shutil
import subprocess
import sys
import unittest
import unittest.mock

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from elves import PROGRAM, InFolder, run  # noqa: E402

SECRET = "the secret of another folder"
TEXT = "int main(void) { return 0; } // " + SECRET + "\n"
PROC = re.compile(r"HOME=|PATH=")


class Sources(InFolder):
    def setUp(self):
        self.place = os.path.join(self.folder.name, self.id().rpartition(".")[2])
        os.makedirs(os.path.join(self.place, "work"))

    def path(self, name):
        return os.path.join(self.place, name)

    def write(self, name, text):
        path = self.path(name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as out:
            out.write(text)
        return path

    def build(self, source, *flags, elf="work/build/app.elf", inside="work"):
        """Compiles a source for a Cortex-M; returns the ELF and a capture of its main."""
        elf = self.path(elf)
        os.makedirs(os.path.dirname(elf), exist_ok=True)
        subprocess.run(["arm-none-eabi-gcc", "-O1", "-g", "-mthumb", "-mcpu=cortex-m3", "-nostdlib",
                        "-Ttext=0x8000", "-e", "main", *flags, "-o", elf, source],
                       cwd=self.path(inside), check=True)
        main = re.search(r"(\w+) T main", run("arm-none-eabi-nm", elf).stdout.decode())[1]
        log = self.write("run.log", f"{int(main, 16):x}\n" * 20)
        return elf, log

    def shown(self, elf, log, *options, inside="elsewhere", commands=("annotate", "html")):
        """Returns what each command shows, run in some folder, and what it warns of."""
        os.makedirs(self.path(inside), exist_ok=True)
        told = []
        for command in commands:
            done = subprocess.run([PROGRAM, command, "-e", elf, "--hz", "100", *options, log],
                                  cwd=self.path(inside), capture_output=True, text=True,
                                  check=False, timeout=180)
            self.assertEqual(done.returncode, 0, done.stderr)
            told.append((done.stdout, done.stderr))
        return told

    def named(self, path, *options, **where):
        """What is shown of an ELF in `work` that says its source is that file."""
        source = self.write("work/evil.c", f'#line 1 "{path}"\nint main(void) {{ return 0; }}\n')
        return self.shown(*self.build(source), *options, **where)

    def assert_refused(self, path, *options, **where):
        for out, errors in self.named(path, *options, **where):
            self.assertNotIn(SECRET, out)
            self.assertNotRegex(out, PROC)
            self.assertIn("not a file below", errors)

    def assert_shown(self, told):
        for out, errors in told:
            self.assertIn(SECRET, out)
            self.assertEqual(errors, "")

    def test_file_elsewhere(self):
        self.assert_refused(self.write("other/secret.c", TEXT))
        self.assert_refused("../other/secret.c")

    def test_folders_that_are_named(self):
        secret = self.write("other/secret.c", TEXT)
        self.assert_shown(self.named(secret, "-I", self.path("other")))
        self.assert_shown(self.named("/gone/secret.c", "--source-map", f"/gone={self.path('other')}"))
        self.assert_shown(self.named(secret, inside="other"))
        self.assert_refused("/gone/../secret.c", "--source-map",
                            f"/gone={os.path.dirname(self.write('other/below/x.c', ''))}")

    def test_files_of_the_kernel_and_devices(self):
        for path in ("/proc/self/environ", "/proc/self/cmdline", "/sys/kernel/profiling",
                     "/dev/null", "/dev/zero", "/dev/tty"):
            with self.subTest(path=path):
                if os.path.exists(path):
                    self.assert_refused(path)
                    self.assert_refused(path, "-I", "/")

    def test_pipe(self):
        os.mkfifo(self.path("work/pipe.c"))
        self.assert_refused(self.path("work/pipe.c"))

    def test_links(self):
        secret = self.write("other/secret.c", TEXT)
        os.symlink(secret, self.path("work/out.c"))
        self.assert_refused(self.path("work/out.c"))
        os.symlink(self.path("other"), self.path("work/folder"))
        self.assert_refused(self.path("work/folder/secret.c"))
        self.assert_shown(self.named(self.path("work/out.c"), "-I", self.path("other")))
        os.symlink(self.write("work/real.c", TEXT), self.path("work/in.c"))
        self.assert_shown(self.named(self.path("work/in.c")))

    def test_hidden(self):
        hidden = self.write("work/.ssh/key.c", TEXT)
        self.assert_refused(hidden, inside="work")
        self.assert_shown(self.named(hidden, "-I", self.path("work/.ssh"), inside="work"))

    def test_project_of_platformio(self):
        """Its ELF lies in a hidden folder, beside the sources of its libraries."""
        self.write("work/src/main.c", TEXT)
        library = self.write("work/.pio/libdeps/uno/Lib/lib.c", TEXT)
        elf = "work/.pio/build/uno/firmware.elf"
        hidden = self.write("work/.pio/key.c", TEXT)
        self.write("work/platformio.ini", "")
        self.assert_shown(self.shown(*self.build("src/main.c", elf=elf)))
        self.assert_shown(self.shown(*self.build(library, elf=elf, inside="work/src")))
        # hidden elsewhere; a link that leads out; an ELF elsewhere; no such project
        self.write("other/secret.c", TEXT)
        os.symlink(self.path("other"), self.path("work/.pio/libdeps/uno/out"))
        for source, where in ((hidden, elf), (library, "work/build/app.elf"),
                              (self.path("work/.pio/libdeps/uno/out/secret.c"), elf)):
            self.assert_not_shown(self.build(source, elf=where))
        os.remove(self.path("work/platformio.ini"))
        self.assert_not_shown(self.build(library, elf=elf))

    def assert_not_shown(self, built):
        for told, errors in self.shown(*built):
            self.assertNotIn(SECRET, told)
            self.assertIn("not a file below", errors)

    def test_wide_folders(self):
        """The user's home, and a folder for all, are no project, though the ELF lies there."""
        elf, log = self.build(self.write("work/app.c", TEXT), elf="work/app.elf")
        self.assert_shown(self.shown(elf, log))
        home = unittest.mock.patch.dict(os.environ, HOME=self.path("work"))
        for (out, errors), how in [*((told, "home") for told in self.with_(home, elf, log)),
                                   *((told, "all") for told in self.for_all(elf, log))]:
            with self.subTest(how=how):
                self.assertNotIn(SECRET, out)
                self.assertIn("not a file below", errors)

    def with_(self, patch, elf, log):
        with patch:
            return self.shown(elf, log)

    def for_all(self, elf, log):
        os.chmod(self.path("work"), 0o1777)
        return self.shown(elf, log)

    def test_builds_in_place(self):
        source = self.write("work/src/app.c", TEXT)
        # compiled where the ELF lies, or above
        self.assert_shown(self.shown(*self.build("src/app.c")))
        self.assert_shown(self.shown(*self.build(source, elf="work/app.elf")))
        # compiled beside the source, as CMake does
        built = self.build(source, inside="work/build", elf="work/build/app.elf")
        self.assert_shown(self.shown(*built, inside="work"))
        for out, errors in self.shown(*built, inside="work/build"):
            self.assertNotIn(SECRET, out)
            self.assertRegex(errors, r"app\.c is not a file below .*: -I DIR shows source below DIR")
        os.makedirs(self.path("work/.git"))
        self.assert_shown(self.shown(*built, inside="work/build"))
        self.assert_shown(self.shown(*built))

    def test_directory_that_only_the_elf_says(self):
        """It opens no folder, unless the ELF lies there."""
        secret = self.write("other/secret.c", TEXT)
        source = self.write("work/evil.c", f'#line 1 "{secret}"\nint main(void) {{ return 0; }}\n')
        elf, log = self.build(source, f"-fdebug-prefix-map={self.path('work')}={self.path('other')}")
        for out, errors in self.shown(elf, log):
            self.assertNotIn(SECRET, out)
            self.assertIn("secret.c is not a file below", errors)

    def test_no_source(self):
        elf, log = self.build(self.write("work/app.c", TEXT))
        (out, errors), = self.shown(elf, log, "--no-source", commands=["html"])
        self.assertNotIn(SECRET, out)
        self.assertEqual(errors, "")
        self.assertRegex(out, r'<script id="source".*"texts": ?false')

    def test_gprof(self):
        """gprof -A has the same rule."""
        folder = self.path("work")
        elf = os.path.join(folder, "app")
        secret = self.write("other/secret.c", TEXT)
        for named, flags, status in ((secret, [], "refused"),
                                     (secret, ["-I", self.path("other")], "shown"),
                                     ("/proc/self/environ", [], "refused"),
                                     (self.write("work/app.c", TEXT), [], "shown")):
            with self.subTest(named=named, flags=flags):
                source = self.write("work/work.i", f'# 1 "{named}"\nint work(void) {{ return 1; }}\n'
                                    "int main(void) { return work() - 1; }\n")
                subprocess.run(["gcc", "-no-pie", "-pg", "-g", "-o", elf, source], check=True)
                subprocess.run([elf], cwd=folder, check=True)
                done = run(PROGRAM, "gprof", "-A", "-z", *flags, elf,
                           os.path.join(folder, "gmon.out"))
                out, errors = done.stdout.decode(), done.stderr.decode()
                self.assertEqual(SECRET in out, status == "shown")
                self.assertNotRegex(out, PROC)
                self.assertEqual("no file below" in errors, status == "refused")


if __name__ == "__main__":
    unittest.main()
