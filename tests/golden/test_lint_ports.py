# SPDX-License-Identifier: MIT
"""`mcuprof lint` of RISC-V, ARM9 and AVR firmware."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from lint_firmware import APP, MANY, PROFILED, TIMED, Board  # noqa: E402


class Riscv(Board):
    arch, tools = "riscv", "riscv64-unknown-elf-"
    machine = ["-march=rv32imac", "-mabi=ilp32", "-ffreestanding"]
    includes = ["-Iboards/virt", "-Itarget/arch/riscv"]
    board = ["boards/virt/start.S", "boards/virt/board.c", "boards/virt/setjmp.S",
             "boards/memory.c", "target/link/ns16550.c"]
    link = ["-nostartfiles", "-nostdlib", "-Wl,--gc-sections", "-Tboards/virt/memory.ld"]

    def test_good(self):
        self.build(more=["-lgcc"])
        self.assertEqual(self.bad(), {})

    def test_blocks(self):
        flags, knobs = ["-fsanitize-coverage=trace-pc"], ["-DMCUPROF_BLOCKS=1"]
        self.build(flags=flags, knobs=knobs, more=["-lgcc"])
        self.assertEqual(self.bad(), {})
        self.build(flags=[*PROFILED, *flags], knobs=[*knobs, "-DMCUPROF_ARCS=0"],
                   more=["-lgcc"])
        self.assertEqual(self.bad(), {"idle-hook": ["_mcount"]})

    def test_nothing_refers_to_the_sampling_interrupt(self):
        self.build(instead={self.board[0]: lambda text: text.replace(
            "j       mcuprof_sample_isr", "j       fault_handler")}, more=["-lgcc"])
        self.assertEqual(self.bad(), {"vector-sampling": []})

    def test_naked_function(self):
        self.build(APP + '__attribute__((naked,used)) void bare(void) { __asm__("ret"); }\n',
                   more=["-lgcc", "-Wl,-u,bare"])
        self.assertEqual(self.bad(), {"naked-instrumented": ["bare"]})

    def test_code_far_from_what_the_table_covers(self):
        """As an ESP32's in flash, far above that in RAM: of its prologues nothing is known."""
        self.build(APP + '__attribute__((section(".far"))) void far(void) { seen = 2; twice(1); }\n',
                   more=["-lgcc", "-Wl,-u,far", "-Wl,--section-start=.far=0x80100000"])
        self.assertEqual(self.bad(), {})

    def test_handler(self):
        for mark in ("", "no_instrument_function,"):
            self.build(APP + f"__attribute__((interrupt,{mark}used)) void handler(void) "
                       "{ seen = 1; }\n", more=["-lgcc", "-Wl,--no-gc-sections"])
            self.assertEqual(self.bad(), {} if mark else {"handler-instrumented": ["handler"]})


class Arm(Board):
    arch = "arm"
    machine = ["-mcpu=arm926ej-s", "-marm"]
    includes = ["-Iboards/versatilepb", "-Itarget/arch/arm"]
    board = ["boards/versatilepb/start.S", "boards/versatilepb/board.c", "target/link/pl011.c"]
    link = ["-nostartfiles", "--specs=nano.specs", "--specs=nosys.specs", "-Wl,--gc-sections",
            "-Tboards/versatilepb/memory.ld"]

    def test_good(self):
        self.build()
        self.assertEqual(self.bad(), {})

    def test_handler(self):
        self.build(APP + "__attribute__((interrupt(\"IRQ\"),used)) void handler(void) "
                   "{ seen = 1; }\n", more=["-Wl,--no-gc-sections"])
        self.assertEqual(self.bad(), {"handler-instrumented": ["handler"]})

    def test_thumb_loses_its_caller(self):
        app = APP.replace("int main(void)", MANY).replace("twice(3)", "many(seen, 1, 2, 3)")
        self.build(app, [*PROFILED, "-mthumb", "-O2"])
        self.assertEqual(self.bad(), {"caller-lost": ["many"]})

    def test_no_vector_samples(self):
        self.build(instead={self.board[0]: lambda text: text.replace(
            "b       mcuprof_sample_isr", "b       fault")})
        self.assertEqual(self.bad(), {"vector-sampling": []})


class Avr(Board):
    arch, tools = "avr", "avr-"
    machine = ["-mmcu=atmega1284p", "-gdwarf-4", "-Wno-attributes", "-std=c11",
               "-DBOARD_TICK_US=2000"]
    includes = ["-Iboards/atmega1284p", "-Iboards/avr", "-Itarget/arch/avr"]
    board = ["boards/avr/avr.c", "boards/atmega1284p/board.c", "target/link/avr_usart.c"]
    link = ["-Wl,--gc-sections"]
    profiled = ["-finstrument-functions", *PROFILED[1:]]
    VECTOR = ["-Wl,--defsym=__vector_13=mcuprof_sample_isr"]

    def test_good(self):
        self.build(more=self.VECTOR)
        self.assertEqual(self.bad(), {})
        self.assertEqual(self.summary["count_calls"], 3)

    def test_no_vector_samples(self):
        self.build(more=["-Wl,-u,mcuprof_sample_isr"])
        self.assertEqual(self.bad(), {"vector-sampling": []})

    def test_pg_calls_nothing(self):
        self.build(flags=PROFILED, more=self.VECTOR)
        self.assertEqual(list(self.bad()), ["hooks-lost"])

    def test_arguments_are_popped_late(self):
        knobs = ["-DMCUPROF_CALLS=1"]
        self.build(flags=TIMED, knobs=knobs, more=self.VECTOR)
        self.assertEqual(self.bad(), {})
        self.build(flags=[flag for flag in TIMED if flag != "-fno-defer-pop"], knobs=knobs,
                   more=self.VECTOR)
        self.assertEqual(list(self.bad()), ["defer-pop"])


class LargeAvr(Avr):
    machine = ["-mmcu=atmega2560", *Avr.machine[1:], "-w"]
    includes = ["-Iboards/mega2560", *Avr.includes[1:]]
    board = ["boards/avr/avr.c", "boards/mega2560/board.c", "target/link/avr_usart.c"]
    VECTOR = ["-Wl,--defsym=__vector_17=mcuprof_sample_isr"]

    def bad(self):
        """avr-ld 2.26 makes no build ID for these chips."""
        bad = super().bad()
        self.assertEqual(bad.pop("no-build-id"), [])
        self.assertIn("left empty", self.findings()["no-build-id"]["detail"])
        return bad

    def test_code_beyond_128_kib(self):
        self.build(APP.replace("int work", '__attribute__((section(".far"))) int work'),
                   more=[*self.VECTOR, "-Wl,--section-start=.far=0x28000"])
        self.assertEqual(self.bad(), {"address-lost": ["work"]})


del Board
