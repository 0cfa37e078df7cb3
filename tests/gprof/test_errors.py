# SPDX-License-Identifier: MIT
"""Damaged profiles and programs: both gprofs give the same words and the same status."""
import struct
import unittest

import gmon
import images
from commands import split
from judge import Judged, method_name

CUTS = (0, 1, 2, 3, 4, 5, 7, 8, 12, 19, 20, 21, 24, 28, 29, 32, 36, 40, 44, 52, 60, 61, 64, 68,
        80, -300, -200, -61, -20, -13, -12, -5, -4, -1)


def damaged(elf):
    """Returns {name: bytes} of profiles that are each wrong in one way."""
    whole = gmon.kinds(elf, 50)
    both, bsd44 = whole["both"], whole["bsd44"]
    maker = gmon.Maker(elf, 51)
    low, high, count = gmon.span(elf, 4)
    bins = maker.bins(count)
    files = {}
    for cut in CUTS:
        files[f"magic{cut}"] = both[:cut]
        files[f"bsd{cut}"] = whole["bsd"][:cut]
        files[f"bsd44_{cut}"] = bsd44[:cut]
    if "blocks" in whole and elf.order == "<":
        for cut in (-1, -4, -5, -9, 21, 22, 24, 25, 29):
            files[f"blocks{cut}"] = whole["blocks"][:cut]
    for version in (0, 2, 3, 256, 1 << 24, 0xffffffff):
        files[f"version{version}"] = maker.new(version).arcs(maker.program_arcs()).data
    for tag in (3, 4, 65, 255):
        files[f"tag{tag}"] = both + bytes([tag]) + b"something"
    files["otherorder"] = gmon.kinds(
        type("Other", (), dict(vars(elf), order="<>"[elf.order == "<"]))(), 50)["both"]
    if elf.word == 4:  # with 8 bytes GNU gprof takes long
        files["otherword"] = gmon.kinds(
            type("Other", (), dict(vars(elf), word=12 - elf.word))(), 50)["both"]

    def histograms(*records):
        made = maker.new()
        for record in records:
            made.histogram(*record[:3], **(record[3] if len(record) > 3 else {}))
        return made.data

    files["nobins"] = histograms((low, high, []))
    files["norange"] = histograms((low, low, bins))
    files["backwards"] = histograms((high, low, bins))
    files["norate"] = histograms((low, high, bins, {"rate": 0}))
    files["overlap"] = histograms((low, high, bins), (low + 4, high + 4, bins))
    files["inside"] = histograms((low, high, bins), (low + 40, low + 80, bins[:10]))
    files["around"] = histograms((low + 40, low + 80, bins[:10]), (low, high, bins))
    files["scales"] = histograms((low, low + 80, bins[:20]), (low + 80, low + 240, bins[:20]))
    files["dimensions"] = histograms((low, high, bins),
                                     (low, high, bins, {"dimension": b"ticks"}))
    files["abbreviations"] = histograms((low, high, bins),
                                        (low, high, bins, {"abbreviation": b"t"}))
    files["rates"] = histograms((low, high, bins), (low, high, bins, {"rate": 7}))
    files["outside"] = histograms((high + 0x10000, high + 0x20000, bins))
    files["top"] = histograms(((1 << 8 * elf.word) - 4 * count, (1 << 8 * elf.word) - 4, bins))
    header = bytearray(both)
    struct.pack_into(elf.order + "I", header, 21 + 2 * elf.word, 1 << 18)  # more takes long
    files["manybins"] = bytes(header)
    if elf.order == "<":
        files["manyblocks"] = maker.new().data + b"\2" + struct.pack("<I", 0x7fffffff)
    header = bytearray(bsd44)
    struct.pack_into(elf.order + "I", header, 2 * elf.word, 2 * elf.word + 24)
    files["bsdsize"] = bytes(header)
    struct.pack_into(elf.order + "I", header, 2 * elf.word, 1 << 18)
    files["bsdmany"] = bytes(header)
    return files


class Damaged(Judged):
    @classmethod
    def files(cls):
        return dict(super().files(), **damaged(images.elf(cls.image)))


def damaged_cases(image):
    members = {"image": image, "__module__": __name__}
    for number, name in enumerate(damaged(images.elf(image))):
        def test(self, name=name):
            for options in ([], ["-i"], ["-l", "-p"]):
                self.judge(["-b", *options, "prog", name], empty=True)

        members[method_name(number, [name])] = test
    for number, command in enumerate(split("""
        prog both.gmon rates
        prog both.gmon overlap
        prog magic-1 both.gmon
        prog both.gmon tag3
        prog bsd44.gmon both.gmon bsd-1
        prog bsd.gmon bsdsize
        prog magic4 nothere
        -Obsd prog bsd20
        -O4.4bsd prog bsd44_20
        -O4.4bsd prog both.gmon
        -Omagic prog bsd44.gmon
        -Omagic prog magic3
        -s prog magic-1
        -s prog overlap
        prog -
        """), 500):
        members[method_name(number, command)] = (
            lambda self, command=command: self.judge(["-b", *command], empty=True))
    return type("Damaged_" + image, (Damaged,), members)


class Programs(Judged):
    """Files that are no program, and a program without symbols."""
    image = "x86"

    @classmethod
    def files(cls):
        with open(images.image("x86"), "rb") as file:
            elf = file.read()
        with open(images.stripped(), "rb") as file:
            stripped = file.read()
        return dict(super().files(), stripped=stripped, header=elf[:64], short=elf[:20],
                    half=elf[:len(elf) // 2], none=b"", text=b"no program\n" * 10)

    def judged_with(self, image, *options):
        self.judge(["-b", *options, image, "gmon.out"])

    def test_stripped(self):
        self.judged_with("stripped")

    def test_stripped_lines(self):
        self.judged_with("stripped", "-l")

    def test_stripped_with_table(self):
        self.judged_with("stripped", "-S", "table")

    def test_stripped_with_map(self):
        self.judged_with("stripped", "-R", "map")

    def test_empty(self):
        self.judged_with("none")

    def test_text(self):
        self.judged_with("text")

    def test_no_program(self):
        self.judged_with("nothere")

    def test_directory(self):
        self.judged_with(".")

    def test_header_alone(self):
        self.judged_with("header")

    def test_short_header(self):
        self.judged_with("short")

    def test_half(self):
        self.judged_with("half")

    def test_table_without_program(self):
        self.judge(["-b", "-S", "table", "nothere", "gmon.out"])

    def test_no_profile_and_no_program(self):
        self.judge(["-b", "nothere", "nothereeither"])

    def test_profile_is_a_directory(self):
        self.judge(["-b", "prog", "."])

    def test_sum_cannot_be_written(self):
        self.judge(["-b", "-s", "prog", "gmon.out"], blocked="gmon.sum")

    def test_standard_input(self):
        with open(self.place.path("gnu", "both.gmon"), "rb") as file:
            self.judge(["-b", "prog", "-"], stdin=file.read())

    def test_standard_input_twice(self):
        with open(self.place.path("gnu", "both.gmon"), "rb") as file:
            self.judge(["-b", "prog", "-", "-"], stdin=file.read())

    def test_posixly_correct(self):
        self.judge(["-b", "prog", "gmon.out", "-p"], environment={"POSIXLY_CORRECT": "1"})

    def test_gprof_path(self):
        self.judge(["-b", "-A"], environment={"GPROF_PATH": images.PROGRAMS})


DamagedX86 = damaged_cases("x86")
DamagedArm = damaged_cases("m3")
DamagedSparc = damaged_cases("sparc")
DamagedSparc64 = damaged_cases("sparc64")
del Damaged

if __name__ == "__main__":
    unittest.main()
