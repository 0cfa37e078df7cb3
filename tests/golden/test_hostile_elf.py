# SPDX-License-Identifier: MIT
"""ELF files that somebody made up: compressed debug sections that would fill the memory, and a
place for the unwind table where something else lies."""
import os
import struct
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from elves import PROGRAM, InFolder, run  # noqa: E402

CODE = """
.syntax unified
.cpu cortex-m0
.thumb
.text
.global main
.thumb_func
.type main, %function
main: bx lr
.size main, 2
.section .mcuprof_unwind,"a"
.space 256
.section .debug_loc
.space 10000
"""


class Elf:
    """A 32-bit little-endian ELF whose section headers can be changed."""
    FIELDS = "name type flags address offset size link info align each".split()

    def __init__(self, path):
        with open(path, "rb") as file:
            self.bytes = bytearray(file.read())
        self.table, = struct.unpack_from("<I", self.bytes, 32)
        self.count, names = struct.unpack_from("<HH", self.bytes, 48)
        at = self.header(names)["offset"]
        self.names = {}
        for i in range(1, self.count):
            name = at + self.header(i)["name"]
            self.names[self.bytes[name:self.bytes.index(0, name)].decode()] = i

    def header(self, index):
        return dict(zip(self.FIELDS, struct.unpack_from("<10I", self.bytes,
                                                        self.table + 40 * index)))

    def section(self, name):
        return self.header(self.names[name])

    def change(self, section, **fields):
        for field, value in fields.items():
            struct.pack_into("<I", self.bytes, self.table + 40 * self.names[section] +
                             4 * self.FIELDS.index(field), value)

    def write(self, path):
        with open(path, "wb") as file:
            file.write(self.bytes)
        return path


class Hostile(InFolder):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.elf = cls.path("plain.elf")
        source = cls.path("plain.s")
        with open(source, "w", encoding="ascii") as out:
            out.write(CODE)
        run("arm-none-eabi-as", "-gdwarf-4", "-o", source + ".o", source)
        run("arm-none-eabi-ld", "-Ttext=0x8000", "-e", "main", "-o", cls.elf, source + ".o")
        cls.log = cls.path("run.log")
        with open(cls.log, "w", encoding="ascii") as out:
            out.write("8000\n" * 10)

    @classmethod
    def path(cls, name):
        return os.path.join(cls.folder.name, name)

    def fails(self, *arguments):
        done = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, check=False,
                              timeout=180)
        self.assertIn(done.returncode, (1, 3), done.stderr)
        return done.stderr

    # ---- Compressed sections ----

    def compressed(self, form):
        """An ELF with compressed debug information, and where a section says how large it is."""
        elf = self.path(f"{form}.elf")
        run("arm-none-eabi-objcopy", f"--compress-debug-sections={form}", self.elf, elf)
        return Elf(elf)

    def swollen(self, form, size):
        made = self.compressed(form)
        if form == "zlib-gabi":
            at = made.section(".debug_loc")["offset"]
            self.assertEqual(struct.unpack_from("<II", made.bytes, at), (1, 10000))
            struct.pack_into("<I", made.bytes, at + 4, size)
        else:
            at = made.section(".zdebug_loc")["offset"]
            self.assertEqual(struct.unpack_from(">4sQ", made.bytes, at), (b"ZLIB", 10000))
            struct.pack_into(">Q", made.bytes, at + 4, size)
        return made.write(self.path(f"swollen-{form}.elf"))

    def test_compressed_sections(self):
        for form in ("zlib-gabi", "zlib-gnu"):
            with self.subTest(form=form):
                elf = self.compressed(form).write(self.path("sound.elf"))
                run(PROGRAM, "report", "-e", elf, "--hz", "100", self.log)

    def test_absurd_sizes(self):
        for form in ("zlib-gabi", "zlib-gnu"):
            elf = self.swollen(form, 0xf0000000)
            for command in (("report", "-e", elf, "--hz", "100", self.log), ("lint", elf),
                            ("annotate", "-e", elf, "--hz", "100", self.log), ("unwind", elf)):
                with self.subTest(form=form, command=command[0]):
                    self.assertRegex(self.fails(*command),
                                     r"damaged ELF: its compressed debug sections would have "
                                     r"40\d{8} bytes, but the file has \d{3,5}\n\Z")
            self.assertIn("compressed debug sections would have 40",
                          self.fails("gprof", elf, self.log))

    def test_sizes_that_together_are_absurd(self):
        made = Elf(self.swollen("zlib-gabi", 50 << 20))
        run(PROGRAM, "lint", made.write(self.path("one.elf")), status=1)
        other = made.section(".debug_loc")
        for name in (".debug_line", ".debug_info"):
            made.change(name, **{key: other[key] for key in ("flags", "offset", "size")})
        self.assertIn("would have 157286400 bytes",
                      self.fails("lint", made.write(self.path("three.elf"))))

    # ---- Where the table goes ----

    def assert_overlaps(self, made, what):
        elf = made.write(self.path("overlaps.elf"))
        self.assertIn(f"section .mcuprof_unwind overlaps {what}, which the table would overwrite",
                      self.fails("unwind", elf))
        with open(elf, "rb") as file:
            self.assertEqual(file.read(), made.bytes)

    def test_a_table_over_other_sections(self):
        for name in (".text", ".symtab", ".debug_line"):
            with self.subTest(name=name):
                made = Elf(self.elf)
                made.change(".mcuprof_unwind", offset=made.section(name)["offset"])
                self.assert_overlaps(made, name)

    def test_a_table_over_the_headers(self):
        made = Elf(self.elf)
        for offset in (0, 40, made.table + 8):
            with self.subTest(offset=offset):
                made.change(".mcuprof_unwind", offset=offset)
                self.assert_overlaps(made, "the ELF's own tables")

    def test_a_table_beyond_the_end(self):
        made = Elf(self.elf)
        for offset in (len(made.bytes) - 8, len(made.bytes), 0x70000000):
            with self.subTest(offset=offset):
                made.change(".mcuprof_unwind", offset=offset)
                self.fails("unwind", made.write(self.path("beyond.elf")))
                self.assertEqual(os.path.getsize(self.path("beyond.elf")), len(made.bytes))

    def test_a_table_in_its_place(self):
        with open(self.elf, "rb") as file:
            whole = file.read()
        elf = self.path("sound-table.elf")
        with open(elf, "wb") as file:
            file.write(whole)
        run(PROGRAM, "unwind", elf)


if __name__ == "__main__":
    unittest.main()
