# SPDX-License-Identifier: MIT
"""The ATmega1284P in simavr: a real serial device, the simulator's own count of cycles, constants
in flash, optimisation levels. The ATmega2560 in simavr: program counters of 3 bytes, and all tests
that need a clock, which QEMU does not have."""
import json
import os
import re
import subprocess
import tempfile
import unittest

from firmware import MCUPROF, Run, make, output
from truth import truth

BOARD, RUNAVR = "atmega1284p", "build/runavr"


class Avr(unittest.TestCase):
    def test_serial_device(self):
        run = Run(BOARD, "truth", "-DBOARD_COUNT_SAMPLES")
        piped = run.calls(), run.info()
        os.remove(run.capture)
        simulator = subprocess.Popen([RUNAVR, "-p", run.elf], stdout=subprocess.PIPE, text=True)
        try:
            device = simulator.stdout.readline().strip()
            record = subprocess.Popen([MCUPROF, "record", "-e", run.elf, "-o", run.capture,
                                       "--duration", "20", device],
                                      stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            while not os.path.exists(run.capture):  # by then the device is open
                self.assertIsNone(record.poll(), device)
            line = os.open(device, os.O_WRONLY | os.O_NOCTTY)
            os.write(line, b"\n")  # the simulator begins
            text, errors = record.communicate(timeout=120)
            os.close(line)
        finally:
            simulator.terminate()
            simulator.wait(timeout=120)
            simulator.stdout.close()
        self.assertEqual(record.returncode, 0, errors)
        self.assertIn("samples ", text)
        self.assertEqual((run.calls(), run.info()), piped)

    def test_cycles_of_a_function(self):
        """two() runs a loop of 4 cycles, 250 times more often than one()."""
        run = Run(BOARD, "shares", "-DMCUPROF_ARCS=0 -DMCUPROF_SAMPLE_HZ=20")
        done = subprocess.run([RUNAVR, "-c", "-t", "one", "-t", "two", run.elf], timeout=120,
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 0)
        took = {}
        for name in ("one", "two"):
            cycles = [int(at) for at in re.findall(rf"^[+-] {name} (\d+)$", done.stderr, re.M)]
            self.assertEqual(len(cycles), 2 * 2000)
            # some of these cycles are of interrupts
            took[name] = min(end - start for start, end in zip(cycles[::2], cycles[1::2]))
        self.assertEqual(took["two"] - took["one"], 4 * 250)
        self.assertGreater(int(re.search(r"^cycles (\d+)$", done.stderr, re.M)[1]),
                           2000 * 8 * 1000)

    def test_time_of_one_call(self):
        """The shortest call of filter() from each caller takes the simulator's cycles from the
        entry's hook to the exit's, within a tick, less the 13 cycles that GCC adds before the
        exit's hook."""
        run = Run(BOARD, "callers", "-DMCUPROF_CALLS=1 -DMCUPROF_SAMPLES=0")
        enter, leave = "__cyg_profile_func_enter", "__cyg_profile_func_exit"
        done = subprocess.run([RUNAVR, "-t", "filter", "-t", enter, "-t", leave, run.elf],
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                              timeout=120, check=True)
        cycles = re.findall(rf"^\+ filter .*\n\+ {enter} .*\n- {enter} (\d+)\n\+ {leave} (\d+)$",
                            done.stderr, re.M)
        took = [int(end) - int(start) - 13 for start, end in cycles]
        self.assertEqual(len(took), 200)
        model = run.model()
        at = next(f["address"] for f in model["functions"] if f["name"] == "filter")
        measured = sorted(call["shortest_ticks"] for call in model["calls"] if call["to"] == at)
        self.assertEqual(len(measured), 2)
        for ticks, truth in zip(measured, (min(took[:100]), min(took[100:]))):
            self.assertAlmostEqual(ticks, truth, delta=1)

    def test_calls_and_samples(self):
        """Calls and samples share a cache. A sample has two equal keys, a call has two different
        ones."""
        run = Run(BOARD, "truth", "-DMCUPROF_CALLS=1 -DMCUPROF_DEPTH=40 -DBOARD_COUNT_SAMPLES "
                  "-DMCUPROF_RING_BYTES=4096 -DMCUPROF_SAMPLE_HZ=500")
        self.assertEqual(run.said("failures"), 0)
        info = run.info()
        self.assertEqual(run.calls(), truth(BOARD, run.said("rounds")))
        self.assertEqual(info["samples"], {"received": run.said("samples"), "lost": 0})
        self.assertGreater(info["samples"]["received"], 100)

    def test_constants_stay_in_flash(self):
        run = Run(BOARD, "fib", "-DMCUPROF_RING_BYTES=64")
        symbols = subprocess.run(["avr-nm", run.elf], capture_output=True, text=True,
                                 check=True).stdout
        for name in ("hello", "words_records", "__mcuprof_build_id"):
            at = int(re.search(rf"^(\w+) \w {name}$", symbols, re.M)[1], 16)
            self.assertLess(at, 0x800000, name)

    def test_code_above_64_kib(self):
        """Program counters of 16 bits, addresses of 17; constants and the build ID far apart."""
        with tempfile.TemporaryDirectory() as folder:
            filler = f"{folder}/filler.o"
            subprocess.run(["avr-gcc", "-mmcu=atmega1284p", "-c", "-x", "assembler", "-o",
                            filler, "-"], check=True, text=True,
                           input='.section .lowtext, "ax", @progbits\n'
                                 ".global filler\nfiller: .space 66000\n")
            run = Run(BOARD, "truth", "-DMCUPROF_RING_BYTES=4096",
                      variables=(f"BOARD_LIBS=-Wl,--defsym=__vector_13=mcuprof_sample_isr "
                                 f"{filler} -Wl,-u,filler",))
        functions = {f["name"]: f for f in run.model()["functions"]}
        self.assertGreater(functions["main"]["address"], 0x10000)
        self.assertEqual(run.calls(), truth(BOARD, run.said("rounds")))
        self.assertGreater(functions["fibonacci"]["samples"], 5)

    def test_optimisation_levels(self):
        for optimise in ("-O1", "-O2", "-O3"):
            with self.subTest(optimise=optimise):
                run = Run(BOARD, "truth", "-DMCUPROF_RING_BYTES=4096", optimise)
                self.assertEqual(run.said("failures"), 0)
                self.assertEqual(run.calls(), truth(BOARD, run.said("rounds")))


class TwoNodes(unittest.TestCase):
    """Two nodes, whose second UARTs are joined; each sends its profile over its first."""
    def test_each_sends_its_profile(self):
        make("build/runavr", f"BOARD={BOARD}")
        with tempfile.TemporaryDirectory() as folder:
            out = [f"{folder}/{peer}" for peer in (1, 2)]
            for peer in (1, 2):
                make("firmware", f"BOARD={BOARD}", "EXAMPLE=node", f"OUT={out[peer - 1]}",
                     f"KNOBS=-DMCUPROF_CALLS=1 -DMCUPROF_SAMPLES=0 -DNODE_PEER={peer}")
            with open(f"{out[0]}/wire", "wb") as wire:
                subprocess.run([RUNAVR, "-n", f"{out[1]}/node.elf", "-o", f"{out[1]}/wire",
                                f"{out[0]}/node.elf"], check=True, stdout=wire, timeout=120)
            for node, right, sums in ((out[0], b"right 10\n", 340), (out[1], b"right 20\n", 360)):
                model = json.loads(output("export", "--to", "json", "-e", f"{node}/node.elf",
                                          f"{node}/wire"))
                self.assertTrue(model["complete"])
                self.assertEqual(model["events"]["calls"]["lost"], 0)
                calls = {f["name"]: f["calls"] for f in model["functions"]}
                self.assertEqual(calls["crc_byte"], sums)
                self.assertEqual(calls["turn"], 10)
                with open(f"{node}/wire", "rb") as wire:
                    self.assertIn(right, wire.read())

    def test_second_node_needs_a_file(self):
        make("build/runavr", f"BOARD={BOARD}")
        done = subprocess.run([RUNAVR, "-n", "x.elf", "x.elf"], capture_output=True, text=True,
                              timeout=60)
        self.assertEqual((done.returncode, done.stderr), (
            2, "runavr: -n ELF needs -o FILE, a file that can be written\n"))


class Paths(unittest.TestCase):
    """Paths are off by default. The mega2560 runs in simavr, which has a clock."""
    BOARDS = {BOARD: ("atmega1284p", 13, "__vector_16", ()),
              "mega2560": ("atmega2560", 17, "__vector_32", (
                  "BOARD_RUNNER=build/runavr",
                  f"BOARD_RUN={RUNAVR} -m atmega2560 -f 16000000"))}

    def paths(self, board, knobs, filler=2, known=0.98):
        """Returns {names, outermost first: samples}, with the code behind `filler` bytes. Checks
        that of at least `known` paths the end is known."""
        cpu, vector, _, variables = self.BOARDS[board]
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run(["avr-gcc", f"-mmcu={cpu}", "-c", "-x", "assembler", "-o",
                            f"{folder}/filler.o", "-"], check=True, text=True,
                           input='.section .lowtext, "ax", @progbits\n'
                                 f".global filler\nfiller: .space {filler}\n")
            run = Run(board, "truth", "-DMCUPROF_ARCS=0 -DMCUPROF_RING_BYTES=1024 " + knobs,
                      variables=(*variables, f"BOARD_LIBS=-Wl,--defsym=__vector_{vector}="
                                 f"mcuprof_sample_isr {folder}/filler.o -Wl,-u,filler"))
        self.assertEqual(run.said("failures"), 0)
        self.assertEqual(run.info()["samples"]["lost"], 0)
        ends = run.model()["paths"]
        self.assertGreater(ends["whole"] + ends["interrupt"], known * sum(ends.values()))
        lines = (line.rsplit(" ", 1) for line in output(
            "export", "--to", "folded", "-e", run.elf, run.capture).splitlines())
        return {tuple(names.split(";")): int(count) for names, count in lines}

    def check(self, board, paths):
        """Checks that each call is one of the source's, that nothing calls an interrupt's handler,
        and that the profiler's own frames are apart."""
        paths = {path: count for path, count in paths.items() if path[0] != "[profiler]"}
        calls = {*truth(board, 1), ("init", "main")}
        callees = {callee for _, callee in calls} - {"on_timer"}
        for path in paths:
            for pair in zip(path, path[1:]):
                if pair[1] in callees:
                    self.assertIn(pair, calls, path)
            if path[0] == "<interrupt>":
                self.assertEqual(path[1], self.BOARDS[board][2])
        self.assertGreater(sum(paths.values()), 100)
        self.assertGreater(sum(count for path, count in paths.items()
                               if path[:2] in (("init", "main"), ("<interrupt>",
                                                                  self.BOARDS[board][2]))),
                           0.98 * sum(paths.values()))
        self.assertTrue(any(path[0] == "<interrupt>" for path in paths))

    def test_calls(self):
        # a mega2560's run is short: 120 samples at its own rate, of which 3 hit an interrupt
        for board, fillers, rate in ((BOARD, (2, 40000, 66000), ""),
                                     ("mega2560", (2, 66000, 132000),
                                      "-DMCUPROF_SAMPLE_HZ=2500")):
            for filler in fillers:
                with self.subTest(board=board, filler=filler):
                    self.check(board, self.paths(board, f"-DMCUPROF_PATHS=40 {rate}", filler))

    def test_deeper_than_there_are_slots(self):
        for board in self.BOARDS:
            with self.subTest(board=board):
                paths = self.paths(board, "-DMCUPROF_PATHS=4 -DMCUPROF_PATH_CACHE=8",
                                   known=0)
                deep = [path for path in paths if path.count("fibonacci") > 2]
                self.assertTrue(deep)
                for path in deep:
                    self.assertEqual(path[0], "[unknown]", path)
                    self.assertLessEqual(len(path), 2 + 4, path)

    def test_with_timed_calls_and_tasks(self):
        for knobs in ("-DMCUPROF_CALLS=1 -DMCUPROF_DEPTH=40 -DMCUPROF_RING_BYTES=4096",
                      "-DMCUPROF_TASKS=2"):
            with self.subTest(knobs=knobs):
                run = Run(BOARD, "truth", f"-DMCUPROF_PATHS=20 -DMCUPROF_SAMPLE_HZ=200 {knobs}")
                stacks = run.model()["stacks"]
                self.assertGreater(sum(stack["count"] for stack in stacks), 20)
                self.assertGreater(max(len(stack["addresses"]) for stack in stacks), 10)


class ThreeBytes(unittest.TestCase):
    """The ATmega2560's firmware, for QEMU and for the chip (BOARD_CHIP), where assembly counts
    timed calls."""
    BOARD, HZ = "mega2560", 16000000
    SIMAVR = ("BOARD_RUNNER=build/runavr", f"BOARD_RUN={RUNAVR} -m atmega2560 -f {HZ}")

    def run_it(self, example, knobs, variables=()):
        return Run(self.BOARD, example, knobs, variables=(*self.SIMAVR, *variables))

    def test_counts(self):
        """The line has 1 Mbaud, so that with a ring of this size nothing is lost."""
        for knobs in ("", "-DMCUPROF_WAIT=1"):
            run = self.run_it("truth", "-DMCUPROF_RING_BYTES=4096 -DBOARD_COUNT_SAMPLES " + knobs)
            self.assertEqual(run.said("failures"), 0)
            self.assertEqual(run.calls(), truth(self.BOARD, run.said("rounds")))
            self.assertEqual(run.info()["samples"], {"received": run.said("samples"), "lost": 0})

    def test_timed_counts(self):
        for entries, ring, knobs in ((8, 4096, ""), (64, 4096, ""), (8, 4096, "-DBOARD_CHIP"),
                                     (64, 4096, "-DBOARD_CHIP"),
                                     (8, 128, "-DBOARD_CHIP -DMCUPROF_WAIT=1")):
            run = self.run_it("truth", "-DMCUPROF_CALLS=1 -DMCUPROF_SAMPLES=0 -DMCUPROF_DEPTH=40 "
                              f"-DMCUPROF_ENTRIES={entries} -DMCUPROF_RING_BYTES={ring} {knobs}")
            expected = truth(self.BOARD, run.said("rounds"))
            self.assertEqual(run.calls(), expected)
            self.assertEqual(run.info()["calls"], {"received": sum(expected.values()), "lost": 0})

    def test_times(self):
        """Calls run a loop of 4 cycles 250 and 2250 times; the shortest are right within a tick
        and the call's own cycles."""
        for chip, tick, within in ("", 8, 2), ("-DBOARD_CHIP", 1, 8):
            run = self.run_it("callers", f"-DMCUPROF_CALLS=1 -DMCUPROF_SAMPLES=0 {chip}")
            model = run.model()
            at = next(f["address"] for f in model["functions"] if f["name"] == "filter")
            shortest = sorted(call["shortest_ticks"] for call in model["calls"]
                              if call["to"] == at)
            self.assertEqual(model["time_base"]["hz"], self.HZ // tick)
            self.assertEqual(len(shortest), 2)
            for ticks, cycles in zip(shortest, (1000, 9000)):
                self.assertAlmostEqual(ticks, cycles / tick, delta=within)

    def test_samples_above_128_kib(self):
        """Samples have all of the program counter; calls have 16 bits of it, in words."""
        with tempfile.TemporaryDirectory() as folder:
            filler = f"{folder}/filler.o"
            subprocess.run(["avr-gcc", "-mmcu=atmega2560", "-c", "-x", "assembler", "-o",
                            filler, "-"], check=True, text=True,
                           input='.section .lowtext, "ax", @progbits\n'
                                 ".global filler\nfiller: .space 132000\n")
            run = self.run_it("shares", "-DMCUPROF_ARCS=0", (
                f"BOARD_LIBS=-Wl,--defsym=__vector_17=mcuprof_sample_isr {filler} "
                "-Wl,-u,filler",))
        functions = {f["name"]: f for f in run.model()["functions"]}
        self.assertGreater(functions["four"]["address"], 0x20000)
        shares = [functions[name]["samples"] for name in ("four", "two", "one")]
        for share, expected in zip(shares, (4 / 7, 2 / 7, 1 / 7)):
            self.assertAlmostEqual(share / sum(shares), expected, delta=0.06)


if __name__ == "__main__":
    unittest.main()
