# SPDX-License-Identifier: MIT
"""Firmware is linked with scripts like those of frameworks: the vectors come first, the build ID is
in the code's memory, the binary has the right size, and the target counts all calls."""
import json
import os
import shutil
import struct
import subprocess
import unittest

from firmware import MCUPROF, Run, make
from truth import truth

IN_ORDER = ["nrf5", "arduino_samd", "pico"]         # the code's memory first: mcuprof.ld
BY_NAME = ["stm32cubemx", "zephyr", "mbed"]         # mcuprof_flash.ld
BY_TOOLS = {"mps2-an505": "arm-none-eabi-", "leon3": "sparc64-linux-gnu-"}


class Linked(Run):
    """A run of firmware with the same objects as the script before; only the link differs."""

    def __init__(self, board, optimise, knobs, *variables):
        if os.environ.get("CHECK_BOARD", board) != board:
            raise unittest.SkipTest(f"of another board than {os.environ['CHECK_BOARD']}")
        out = f"build/tests/{board}/scripts{len(optimise + knobs)}"
        self.board = board
        self.elf, self.capture = f"{out}/truth.elf", f"{out}/truth.mprof"
        for path in (self.elf, self.capture):
            if os.path.exists(path):
                os.remove(path)
        self.console, self.summary = make(
            "capture", f"BOARD={board}", "EXAMPLE=truth", f"OUT={out}", f"OPTIMISE={optimise}",
            f"KNOBS=-DMCUPROF_RING_BYTES=4096 {knobs}", *variables)


def linked(board, script, mcuprof_script, optimise="-Os"):
    return Linked(board, optimise, "", f"MCUPROF_SCRIPT={mcuprof_script}",
                  f"BOARD_SCRIPT=-T tests/scripts/{script}.ld")


def binary(run):
    path = run.elf + ".bin"
    subprocess.run([BY_TOOLS[run.board] + "objcopy", "-O", "binary", run.elf, path], check=True)
    with open(path, "rb") as file:
        return file.read()


def sections(run):
    """{name: (address, size)} of what is loaded from the file."""
    listed = subprocess.run([BY_TOOLS[run.board] + "readelf", "-SW", run.elf], check=True,
                            capture_output=True, text=True).stdout
    found = {}
    for line in listed.splitlines():
        words = line.replace("[ ", "[").split()
        if len(words) > 8 and words[2] not in ("NULL", "NOBITS", "Type") and "A" in words[7]:
            found[words[1]] = int(words[3], 16), int(words[5], 16)
    return found


def symbol(run, name):
    listed = subprocess.run([BY_TOOLS[run.board] + "nm", run.elf], check=True,
                            capture_output=True, text=True).stdout
    return next(int(line.split()[0], 16) for line in listed.splitlines()
                if line.split()[-1] == name)


def lint_errors(elf):
    found = subprocess.run([MCUPROF, "lint", "--json", elf], capture_output=True, text=True,
                           check=False).stdout
    return [finding["rule"] for finding in json.loads(found)["findings"]
            if finding["level"] == "error"]


class Scripts(unittest.TestCase):
    def check(self, run, base, first):
        """Checks a link. `first`: what the binary must begin with."""
        self.assertEqual(run.said("failures"), 0)
        self.assertTrue(run.info()["complete"])
        image, loaded = binary(run), sum(size for _, size in sections(run).values())
        self.assertLessEqual(loaded, len(image))
        self.assertLess(len(image), loaded + 1024)
        self.assertEqual(image[:len(first)], first)
        self.assertEqual(symbol(run, "__mcuprof_base"), base)
        note, size = sections(run)[".note.gnu.build-id"]
        sent = bytes.fromhex(run.info()["build_id"])
        self.assertIn(b"GNU\0" + sent, image)
        self.assertEqual(note + size, symbol(run, "__mcuprof_build_id") + len(sent))
        calls = truth(run.board, run.said("rounds"))
        got = run.calls()
        self.assertEqual({call: got.get(call) for call in calls}, calls)

    def check_arm(self, script, mcuprof_script, optimise="-Os"):
        run = linked("mps2-an505", script, mcuprof_script, optimise)
        vectors = symbol(run, "__stack_top"), symbol(run, "reset_handler") | 1
        self.check(run, 0x10000400 if script == "mbed" else 0x10000000,
                   struct.pack("<2I", *vectors))
        self.assertGreater(run.info()["paths"]["whole"], 0)

    def test_frameworks_that_list_flash_first(self):
        for script in IN_ORDER:
            with self.subTest(script=script):
                self.check_arm(script, "mcuprof.ld")

    def test_frameworks_that_list_ram_first_or_have_no_text(self):
        for script in BY_NAME:
            with self.subTest(script=script):
                self.check_arm(script, "mcuprof_flash.ld")

    def test_script_that_is_given_in_front(self):
        """The script is given in front, as the Pico SDK gives its own. ld then finds no section
        behind which to insert mcuprof.ld."""
        run = Linked("mps2-an505", "-Os", "", "MCUPROF_SCRIPT=mcuprof_flash.ld",
                     "BOARD_SCRIPT=-Wl,--script=tests/scripts/pico.ld")
        self.check(run, 0x10000000, struct.pack("<I", symbol(run, "__stack_top")))

    def test_part_of_zephyrs_script(self):
        """Zephyr puts it between its sections; macros are the head and the end of each."""
        macros = ["SECTION_PROLOGUE(name, options, align)=name options : align",
                  "GROUP_LINK_IN(where)=> where", "ROMABLE_REGION=FLASH",
                  "_TEXT_SECTION_NAME=text", "ROM_ADDR=ORIGIN(FLASH)"]
        part = subprocess.run(["arm-none-eabi-gcc", "-E", "-P", "-undef", "-x", "c",
                               *(f"-D{macro}" for macro in macros),
                               "packaging/zephyr/mcuprof_zephyr.ld"],
                              check=True, capture_output=True, text=True).stdout
        with open("tests/scripts/zephyr.ld", encoding="utf-8") as file:
            before, after = file.read().split("    rodata :")
        script = "build/tests/zephyr_part.ld"
        os.makedirs("build/tests", exist_ok=True)
        with open(script, "w", encoding="utf-8") as file:
            file.write(before + part + "    rodata :" + after)
        run = Linked("mps2-an505", "-Os", "", "MCUPROF_LDFLAGS=-Wl,--build-id=none -Wl,--build-id",
                     f"BOARD_SCRIPT=-T {script}")
        self.check(run, 0x10000000, struct.pack("<I", symbol(run, "__stack_top")))
        self.assertGreater(run.info()["paths"]["whole"], 0)
        # behind the 24 bytes of its head
        self.assertAlmostEqual(sections(run)[".mcuprof_unwind"][1],
                               24 + sections(run)["text"][1] / 10 + 192, delta=4)

    def test_link_time_optimisation(self):
        for script, mcuprof_script in (("pico", "mcuprof.ld"),
                                       ("stm32cubemx", "mcuprof_flash.ld")):
            with self.subTest(script=script):
                self.check_arm(script, mcuprof_script, "-Os -flto")

    def test_rtems(self):
        """RTEMS' heap begins behind the last section, so the build ID must not be there."""
        run = Linked("leon3", "-Os", "-DMCUPROF_PATHS=0",
                     "MCUPROF_LDFLAGS=-Wl,--build-id -Wl,-T,target/os/rtems/mcuprof_rtems.ld",
                     "BOARD_SCRIPT=-T tests/scripts/rtems.ld")
        self.check(run, 0x40000000, b"")
        self.assertLess(symbol(run, "__mcuprof_build_id"), symbol(run, "__bss_start"))

    def test_wrong_script_is_an_error_that_says_what_to_do(self):
        """With `-T` in front the build ID comes before the vectors; with RAM listed first it goes
        there."""
        name = "build/tests/scripts"
        shutil.rmtree(name, ignore_errors=True)
        os.makedirs(name)
        with open(f"{name}/app.c", "w") as file:
            file.write("__attribute__((section(\".vectors\"), used)) const int vectors[] = {1};\n"
                       "int start(void) { return 1; }\n")
        for script, mcuprof, words in (
                ("stm32cubemx", "-Wl,-T,target/mcuprof.ld", "mcuprof_flash.ld"),
                ("rtems", "-Wl,-T,target/mcuprof.ld", "mcuprof_flash.ld"),
                ("zephyr", "-Wl,-T,target/mcuprof.ld", "text"),
                ("stm32cubemx", "-Wl,-T,target/mcuprof_flash.ld", "behind your own script"),
                ("pico", "-Wl,-T,target/mcuprof_flash.ld", "behind your own script")):
            made = subprocess.run(
                ["arm-none-eabi-gcc", "-mcpu=cortex-m33", "-nostdlib", "-Wl,--build-id",
                 "-T", f"tests/scripts/{script}.ld", mcuprof, f"{name}/app.c", "-Wl,-e,start",
                 "-Wl,--defsym=reset_handler=0", "-o", f"{name}/app.elf"],
                capture_output=True, text=True, check=False)
            self.assertNotEqual(made.returncode, 0, script)
            self.assertIn(words, made.stderr)

    def test_weak_vectors_of_a_vendor(self):
        for optimise in ("-Os", "-Os -flto"):
            run = Linked("mps2-an385", optimise, "-DBOARD_WEAK_VECTORS",
                         "EXAMPLE_SOURCES=tests/scripts/vectors.c")
            self.assertEqual(run.said("failures"), 0)
            self.assertTrue(run.info()["complete"])
            self.assertGreater(run.info()["samples"]["received"], 50)
            calls = truth(run.board, run.said("rounds"))
            self.assertEqual({call: run.calls().get(call) for call in calls}, calls)
            self.assertEqual(lint_errors(run.elf), [])

    def test_handlers_that_link_time_optimisation_keeps(self):
        """Without the option a run would lock up; lint must say so, and must say nothing where
        --defsym worked."""
        for optimise, expected in (("-Os", []), ("-Os -flto", ["vector-kept"])):
            out = f"build/tests/mps2-an385/kept{len(optimise)}"
            make("firmware", "BOARD=mps2-an385", "EXAMPLE=truth", f"OUT={out}",
                 f"OPTIMISE={optimise}", "KNOBS=-DBOARD_WEAK_VECTORS", "MORE_LDFLAGS="
                 "-Wl,--defsym=UARTTX0_Handler=mcuprof_link_entry "
                 "-Wl,--defsym=DUALTIMER_HANDLER=mcuprof_sample_isr")
            self.assertEqual(lint_errors(f"{out}/truth.elf"), expected)

    def test_bytes_past_an_idle_link(self):
        """The interrupt that these bytes request is withdrawn; else it would come for ever."""
        for board in ("mps2-an385", "versatilepb"):
            run = Linked(board, "-Os", "", "EXAMPLE_SOURCES=tests/scripts/idle.c",
                         "EXAMPLE_LDFLAGS=-Wl,--wrap=main")
            self.assertEqual(run.said("failures"), 0)
            self.assertTrue(run.info()["complete"])

    def test_binary_of_a_cpp_program(self):
        subprocess.run(["make", "-s", "firmware", "BOARD=mps2-an385", "EXAMPLE=cpp",
                        "OUT=build/tests/mps2-an385/scripts"], check=True, timeout=180)
        path = "build/tests/mps2-an385/scripts/cpp.elf"
        lint = subprocess.run([MCUPROF, "lint", path], capture_output=True, text=True,
                              check=False).stdout
        self.assertNotIn("image-gap", lint)
        subprocess.run(["arm-none-eabi-objcopy", "-O", "binary", path, path + ".bin"],
                       check=True)
        self.assertLess(os.path.getsize(path + ".bin"), 200000)


if __name__ == "__main__":
    unittest.main()
