# SPDX-License-Identifier: MIT
"""The Arduino library: its sketch, compiled with Arduino's own core for the ATmega1284P and with the
flags of its platform.txt, run in simavr, whose own account of cycles the profile must fit."""
import collections
import glob
import json
import os
import re
import shutil
import subprocess
import unittest

from firmware import MCUPROF, make, output

HARDWARE = "/usr/share/arduino/hardware"
CORE = f"{HARDWARE}/arduino/avr/cores/arduino"
LIBRARY = "build/tests/arduino"
ELF = f"{LIBRARY}/sketch.elf"
HZ = 16000000
# DECIMAL_DIG: Debian's avr-gcc 5 does not have it in C++, which its Arduino core asks for.
FLAGS = ["-mmcu=atmega1284p", "-g", "-gdwarf-4", "-Os", "-w", "-ffunction-sections",
         "-fdata-sections", f"-DF_CPU={HZ}L", "-DARDUINO=10812", "-DARDUINO_ARCH_AVR",
         "-DDECIMAL_DIG=__DECIMAL_DIG__", f"-I{CORE}",
         f"-I{HARDWARE}/mighty-1284p/variants/standard", f"-I{LIBRARY}/src"]
LANGUAGES = {".c": ["avr-gcc", "-std=gnu11", "-flto"],
             ".cpp": ["avr-g++", "-std=gnu++11", "-fpermissive", "-fno-exceptions",
                      "-fno-threadsafe-statics", "-flto"],
             ".S": ["avr-gcc", "-x", "assembler-with-cpp"]}
SAMPLE = "mcuprof_sample_isr"
PROFILER = SAMPLE, "mcuprof_link_isr"
FUNCTIONS = {"much()": "_Z4muchv", "some()": "_Z4somev", "little()": "_Z6littlev"}


def build(sketch, flags=(), archive=False):
    """Builds as the IDE does: the core is an archive, from which the linker takes what is used.
    archive: libraries are in it, too, as arduino-mk has them."""
    shutil.rmtree(LIBRARY, ignore_errors=True)
    os.makedirs(LIBRARY)
    subprocess.run(["packaging/arduino/make-library", LIBRARY], check=True)
    with open(f"{LIBRARY}/examples/{sketch}/{sketch}.ino", encoding="utf-8") as text, \
         open(f"{LIBRARY}/sketch.cpp", "w", encoding="utf-8") as file:
        file.write("#include <Arduino.h>\n" + text.read())
    objects = {CORE: [], LIBRARY: []}
    for source in (*glob.glob(f"{CORE}/*"), *glob.glob(f"{LIBRARY}/src/*"),
                   f"{LIBRARY}/sketch.cpp"):
        compiler = LANGUAGES.get(os.path.splitext(source)[1])
        if compiler:
            made = f"{LIBRARY}/{os.path.basename(source)}.o"
            in_archive = source.startswith(CORE) or (archive and "/src/" in source)
            objects[CORE if in_archive else LIBRARY].append(made)
            subprocess.run([*compiler, *FLAGS, *flags, "-c", "-o", made, source], check=True)
    subprocess.run(["avr-gcc-ar", "rcs", f"{LIBRARY}/core.a", *objects[CORE]], check=True)
    subprocess.run(["avr-gcc", *FLAGS, "-flto", "-fuse-linker-plugin", "-Wl,--gc-sections",
                    "-o", ELF, *objects[LIBRARY], f"{LIBRARY}/core.a", "-lm"], check=True)


def cycles(log):
    """Returns {function: cycles from its entries to its returns}, and the cycles of the whole run.
    The profiler's interrupts are in no other function: one of which more samples need a record
    would seem to take longer."""
    spent, entered = collections.Counter(), {}
    for line in log.splitlines():
        words = line.split()
        if words[0] == "+":
            entered[words[1]] = int(words[2])
        elif words[0] == "-":
            span = int(words[2]) - entered.pop(words[1])
            spent[words[1]] += span
            if words[1] in PROFILER:
                for name in entered:
                    spent[name] -= span
        elif words[0] == "cycles":
            spent["all"] = int(words[1])
    return spent


class Runavr(unittest.TestCase):
    def test_usage_tells_all_options(self):
        make("build/runavr")
        for wrong in ((), ("-x",), ("a", "b")):
            ran = subprocess.run(["build/runavr", *wrong], capture_output=True, text=True,
                                 check=False)
            self.assertNotEqual(ran.returncode, 0)
            self.assertEqual(re.findall(r"^  -(\w) .*\w", ran.stderr, re.M), list("mfupctslno"))


class Arduino(unittest.TestCase):
    def test_through_a_print(self):
        build("Shares", archive=True)
        self.check_against_the_cycles_of_simavr()

    def test_second_uart_beside_serial(self):
        build("Beside", ["-DMCUPROF_ARDUINO_UART=1"])
        self.check_against_the_cycles_of_simavr("-u", "1")

    def check_against_the_cycles_of_simavr(self, *uart):
        make("build/runavr")  # whatever the board
        traced = [word for name in (*FUNCTIONS.values(), *PROFILER)
                  for word in ("-t", name)]
        capture = f"{LIBRARY}/sketch.mprof"
        ran = subprocess.run(
            [MCUPROF, "record", "-e", ELF, "-o", capture, "--", "build/runavr", "-m",
             "atmega1284p", "-f", str(HZ), *uart, "-c", *traced, ELF],
            capture_output=True, text=True, check=False, timeout=180)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        truth = cycles(ran.stderr)
        info = json.loads(output("info", "--json", capture))
        samples = info["samples"]["received"]
        self.assertTrue(info["complete"])
        self.assertEqual(info["samples"]["lost"], 0)
        # the timer starts over behind each sample
        program = truth["all"] - truth[SAMPLE]
        self.assertAlmostEqual(samples, program / HZ * 1000, delta=0.02 * samples)
        model = json.loads(output("export", "--to", "json", "-e", ELF, capture))
        got = {function["name"]: function["samples"] for function in model["functions"]}
        for name, symbol in FUNCTIONS.items():
            share = truth[symbol] / (truth["all"] - sum(truth[name] for name in PROFILER))
            deviation = (samples * share * (1 - share)) ** 0.5
            self.assertAlmostEqual(got[name], samples * share, delta=2 * deviation, msg=name)


if __name__ == "__main__":
    unittest.main()
