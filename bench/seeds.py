#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the commands of the table in docs/seeds.md, and writes it anew: what five texts promise, the
command that shows it, what it prints. It takes some minutes.

    bench/seeds.py [WORD...]
        WORD: only rows in which it is; the others stay as they are
"""
import os
import re
import subprocess
import sys
import typing

PAGE = "docs/seeds.md"
BEGIN, END = "<!-- made by `make seeds` -->\n", "<!-- end -->\n"
HEAD = ("| text, section | promise | command | what it prints |\n"
        "| --- | --- | --- | --- |\n")
PARENT = ("MAKEFLAGS", "MFLAGS", "MAKEOVERRIDES", "MAKELEVEL", "WORDS")


class Row(typing.NamedTuple):
    """`found`: a regular expression for the parts of what the command prints that the row shows.
    `waits`: what is missing, or why no emulator shows it; the command is then not run, and comes
    with it where there is one."""
    text: str
    promise: str
    command: str
    found: str = ""
    waits: str = ""


def capture(board, example, then, knobs="", link=""):
    knobs = f' KNOBS="{knobs}"' if knobs else ""
    link = f" LINK={link}" if link else ""
    return f"make capture BOARD={board} EXAMPLE={example}{link}{knobs}; {then}"


TESTS = r"^(\d+ passed, \d+ failed)$"
SAME = r"^(\d+ of \d+ calls print .*)"
TIMED = "-DMCUPROF_CALLS=1 -DMCUPROF_SAMPLES=0"
BLINKY = ("microbit", "blinky")
UPDCRC = ("microbit", "updcrc")
GMON = "build/mcuprof export --to gmon -e $E -o $G $C; "
HEX = ("-e build/kl25z/blinky.elf --hz 1000 --addr-bytes 3 "
       "tests/data/kl25z-blinky/blink1hex.txt")


def same(*options):
    sets = " ".join(f'"{each}"' for each in options)
    return capture(*UPDCRC, f"{GMON}bench/same.py $E $G {sets}")


ROWS = (
    # ---- the thesis ----
    Row("thesis 1.4, 4.1", "the chip measures, the PC makes the profile; a line one way is enough",
        capture(*BLINKY, "build/mcuprof info $C"), r"^(events .*)"),
    Row("thesis 2.2", "a program in step with the sampler is told wrong",
        capture("mps2-an385", "instep", "build/mcuprof report -e $E $C"),
        r"^( *\d[^→\n]*(?:wait_for|early|late))$"),
    Row("thesis 2.3", "of a function that is slow for one caller and fast for another, each caller "
        "is charged the same",
        capture("mps2-an385", "callers", "build/mcuprof report --sites -e $E $C", TIMED),
        r"^( *\d.*→ filter)$"),
    Row("thesis 3.4, 4.4.4", "no tables in RAM that grow with the code (9 kB for 4 kB of code)",
        "make bench-size", r"^(.*RAM.*(?:reached|MISSED).*)"),
    Row("thesis 4.1", "flat profile and call graph of firmware, as gprof prints them",
        capture(*BLINKY, "build/mcuprof gprof -b -p $E $C"), r"^( *\d.* \S*(?:wait_cycles|fade))"),
    Row("thesis 4.1", "basic blocks are counted: left out there as too dear",
        capture(*UPDCRC, "build/mcuprof annotate -e $E $C"), r"^(.*(?:bit < 8; bit).*)"),
    Row("thesis 4.1, 4.3.5, 4.4.2", "any serial interface: UART (also by DMA), a debug port, UDP",
        "tests/run.py firmware/test_links", TESTS),
    Row("thesis 4.1, 4.3.5, 4.4.2", "SPI", capture("atmega1284p", "fib", "build/mcuprof info $C",
                                                   link="avr_spi"), r"^(events .*)"),
    Row("thesis 4.1, 4.3.5, 4.4.2", "I2C", capture("atmega1284p", "fib", "build/mcuprof info $C",
                                                   link="avr_twi"), r"^(events .*)"),
    Row("thesis 4.1, 4.3.5, 4.4.2", "USB, by TinyUSB's CDC (with a stand-in for TinyUSB)",
        "tests/run.py firmware/test_links", TESTS),
    Row("thesis 4.2", "profiling starts and stops at will; stopped, it costs little",
        "make bench-cycles", r"^(.*stopped.*(?:reached|MISSED).*)"),
    Row("thesis 4.2, 7.4", "which functions must not be profiled, with `-pg` by whole files only",
        capture(*BLINKY, "build/mcuprof lint $E"), r"^(\d+ functions: .*|\d+ errors, .*)"),
    Row("thesis 4.2", "interrupts and the kernel of an RTOS had better not be profiled",
        capture("mps2-an385", "chibios", "build/mcuprof report --by task -e $E $C"),
        r"^( *\d.* (?:idle|sensor|display|\[SysTick).*)"),
    Row("thesis 4.3.2", "each call's caller and callee, by `__gnu_mcount_nc`",
        "CHECK_BOARD=microbit tests/run.py firmware/test_calls", TESTS),
    Row("thesis 4.3.3", "samples by a timer, at a rate that is chosen",
        capture(*BLINKY, "build/mcuprof info $C", "-DMCUPROF_SAMPLE_HZ=250"), r"^(sampling .*)"),
    Row("thesis 4.3.3", "on both stack pointers, main and process",
        capture("mps2-an385", "stacks", "build/mcuprof report -e $E $C"),
        r"^( *\d[^→\n]* (?:on_process_stack|on_timer))$"),
    Row("thesis 4.3.4", "a ring of a size that is chosen, guarded against interrupts",
        "CHECK_BOARD=microbit tests/run.py firmware/test_storm", TESTS),
    Row("thesis 4.3.5, 7.4", "the line is full: there the processor halts, here it is counted",
        "CHECK_BOARD=microbit tests/run.py firmware/test_loss", TESTS),
    Row("thesis 4.4.2, 4.4.3", "packets, binary or as hex text, without a serial monitor that "
        "changes them", f"bench/kl25z.py figure42; build/mcuprof report --all {HEX}",
        r"^(events .*|sampled .*)"),
    Row("thesis 4.4.4, 6.2.2", "the PC's counts equal those of another program",
        "tests/run.py golden/test_kl25z", TESTS),
    Row("thesis 4.5, Figures 42, 51", "the profile of Blinky: 59.35 % in `loop`",
        "bench/kl25z.py figure42", r"^(%.*|loop .*)"),
    Row("thesis 4.5, Figures 43, 52", "its call graph",
        f"bench/kl25z.py figure42; build/mcuprof report --graph {HEX}",
        r"^( *[\d.]+ +[\d.]+ +13155/13155 .*)"),
    Row("thesis 4.5, Figures 44, 50", "its call graph drawn",
        f"bench/kl25z.py figure42; build/mcuprof export --to svg -o $G {HEX}; "
        'echo "$(grep -c class=.edge $G) edges"', r"^(\d+ edges)"),
    Row("thesis 5.2, Table VI", "ROM of the profiler: 1,344 bytes",
        "make bench-size", r"^(.*ROM.*(?:reached|MISSED).*)"),
    Row("thesis 5.2", "`gprof -d` as a memory map, to find the size of each function",
        capture(*BLINKY, "build/mcuprof gprof -b -d128 $E $C"), r"^(\[128.*wait_cycles.*)"),
    Row("thesis 5.3, Table VII", "stack of the profiler: 136 bytes",
        "make bench-size", r"^(.*stack.*(?:reached|MISSED).*)"),
    Row("thesis 5.4, Table VIII", "2,739 cycles a call, 1,444 a sample",
        "make bench-cycles", r"^(.*(?:per call|per PC sample|per record).*(?:reached|MISSED).*)"),
    Row("thesis 5.5, Table XI", "tables in RAM are six times faster (323 cycles a call)",
        "make bench-cycles", r"^(cycles per call.*(?:reached|MISSED).*)"),
    Row("thesis 6.2.1", "calls compared with what ran", 'make bench-truth WORDS="-s 2 -b microbit"',
        r"^truth: (.*arcs.*)"),
    Row("thesis 6.2.1, Figure 46", "samples come at their rate: shares are those of what ran",
        "CHECK_BOARD=mps2-an385 tests/run.py firmware/test_sampling", TESTS),
    Row("thesis 6.3.2", "Shield: tasks of FreeRTOS",
        "make capture BOARD=mps2-an385 EXAMPLE=freertos FREERTOS_KERNEL_PATH=...",
        waits="a FreeRTOS kernel, which no package has; its program runs on ChibiOS/RT (4.2)"),
    Row("thesis 7.1", "any processor that GCC compiles for and that has a serial interface",
        "build/mcuprof flags rv32imac", r"(.+)"),
    Row("thesis 7.2", "a port: queue, line, start and stop, timer",
        capture("mps2-an385", "selftest", "build/mcuprof check -e $E "
                "examples/selftest/selftest.budgets $C"),
        r"^(ok .*(?:called|four self >=).*|\d+ kept.*)"),
    Row("thesis 7.3", "rate, address size and range are set on the PC: here the stream says them",
        capture(*BLINKY, "build/mcuprof info $C"), r"^(format .*|sampling .*)"),
    Row("thesis 7.4", "hard faults where critical sections and handlers are profiled",
        "CHECK_BOARD=mps2-an385 tests/run.py firmware/test_brim firmware/test_abi", TESTS),
    Row("thesis 7.4", "calls of one build, samples of another, put together on the PC",
        "CHECK_BOARD=microbit tests/run.py firmware/test_counts_from", TESTS),
    Row("thesis 8.2.1", "one step instead of many by hand, in each environment",
        "tests/run.py golden/test_project", TESTS),
    Row("thesis 8.2.1", "a graphical program: histograms, call graphs",
        capture(*BLINKY, "build/mcuprof html -e $E -o $G $C; "
                'echo "$(wc -c <$G) bytes"'), r"^(\d+ bytes)"),
    Row("thesis 8.2.1", "a plugin for an IDE (Eclipse)", "", waits="the issue on every desk: one "
        "engine in the terminal, the browser, Node and the editor"),
    Row("thesis 8.2.2", "a small cache of calls, another of samples, so that less is sent",
        "make bench-wire", r"^(times fewer.*)"),
    Row("thesis 8.2.2", "an index of functions: a byte in place of an address",
        "bench/kl25z.py index", r"^(its index.*|mcuprof, .*)"),
    # ---- the paper ----
    Row("paper", "all calls of a sensor node timed by GCC's hooks, for each call site",
        capture("atmega1284p", "node", "build/mcuprof report --sites -e $E $C", TIMED),
        r"^(events .*| *\d.*→ crc_byte)"),
    Row("paper, Figure 1", "nodes with file, calls, total, self, min, max; edges with calls, min, "
        "mean, max", capture("mps2-an385", "callers", "build/mcuprof export --to dot -e $E $C",
                             TIMED), r'((?<=label=")filter.*?)"|((?<=tooltip=")slow .*?)"'),
    Row("paper", "compile, flash, collect, graph", "tests/run.py golden/test_project", TESTS),
    Row("paper", "ROM, RAM and cycles of the hooks; the error of one call's time",
        "make bench-node", r"^(cycles per.*|program memory.*|RAM per.*|error of.*)"),
    Row("paper", "five programs: Fibonacci, CRC, sample-and-send, one-way, ping-pong",
        "bench/evaluation.py --short", r"^(Fibonacci.*|CRC.*|sample.*|one-way.*|ping.*|eval.*)"),
    Row("paper", "with and without inlining", "bench/evaluation.py --short",
        r"^(crc .*|sample_and_send .*|all .*)"),
    Row("paper", "ROM by function: 58 or 68 bytes each", "bench/evaluation.py --short",
        r"^(\d+ functions, .*)"),
    Row("paper", "processes of Contiki", 
        capture("atmega1284p", "contiki", "build/mcuprof report --timeline -e $E $C",
                "-DMCUPROF_TIMELINE=1 -DMCUPROF_ARCS=0"),
        r"^( *\d.* (?:radio|filter|sense))$"),
    Row("paper", "energy, the motive: what a function, a task costs of the battery",
        capture("microbit", "asleep", "build/mcuprof report --power examples/asleep/nrf51.power "
                "-e $E $C", "-DMCUPROF_TASKS=2"), r"^((?:energy|battery|.*mAh).*| *\d.* work)$"),
    Row("paper", "a radio between real nodes", "", waits="no emulator at hand has one: two UARTs "
        "are joined instead (`bench/evaluation.py`)"),
    # ---- GNU gprof's manual ----
    Row("gprof 2", "a program is compiled for profiling", "build/mcuprof flags cortex-m0plus",
        r"(.+)"),
    Row("gprof 3", "gmon.out is written when the program ends; here also when it is flushed",
        "CHECK_BOARD=microbit tests/run.py firmware/test_gmon", TESTS),
    Row("gprof 4.1", "output options", same("-p", "-q", "-p -q", "-A", "-A -x", "-C", "-i", "-L -p",
                                            "-t 5 -A -x", "-y -A", "-Z", "-J", "-r", "-T",
                                            "-w 60 -q"), SAME),
    Row("gprof 4.2", "analysis options", same("-a", "-D", "-k main/updcrc", "-l -p", "-l -q",
                                              "-m 5 -A", "-n main -q", "-N main -q", "-z"), SAME),
    Row("gprof 4.2", "`-c`: calls that the code has, though none ran; GNU's has none on Arm",
        capture(*BLINKY, "build/mcuprof gprof -b -q -c $E $C"),
        r"^( +0\.00 +0\.00 +0/0 +(?:square_root|board_printf) .*)"),
    Row("gprof 4.3, 7", "`-s` sums runs that are short",
        capture(*UPDCRC, GMON + "cd build; ./mcuprof gprof -s $E $G $G $G; "
                "./mcuprof gprof -b -p $E gmon.sum"), r"^( *\d.* updcrc)"),
    Row("gprof 4.4", "the older options `-e -E -f -F`",
        same("-e updcrc", "-E updcrc", "-f updcrc", "-F updcrc"), SAME),
    Row("gprof 4.5", "symspecs name functions, files, lines",
        same("-pmake_table", "-pupdcrc.c:main", "-Aupdcrc.c", "-Qmain"), SAME),
    Row("gprof 5.1", "the flat profile", capture(*BLINKY, "build/mcuprof report -e $E $C"),
        r"^( *\d[^→\n]* (?:wait_cycles|square_root))$"),
    Row("gprof 5.2", "the call graph: callers, a function, what it calls",
        capture(*BLINKY, "build/mcuprof report --callers square_root -e $E $C"),
        r"^( *\d.*─ corrected ← .*)$"),
    Row("gprof 5.2.4", "functions that call each other: cycles",
        capture("microbit", "truth", "build/mcuprof gprof -b -q $E $C"), r"^(.*as a whole.*)"),
    Row("gprof 5.3", "line by line", capture(*UPDCRC, "build/mcuprof report --lines -e $E $C"),
        r"^(.*updcrc\.c:\d+.*)"),
    Row("gprof 5.4", "annotated source", capture(*UPDCRC, "build/mcuprof annotate -e $E $C"),
        r"^(.*(?:table\[n\] = c).*)"),
    Row("gprof 6.1", "the error of sampling can be predicted; here it stands beside each figure",
        capture(*BLINKY, "build/mcuprof report -e $E $C"),
        r"^( *\d[^→\n]*±[^→\n]* (?:wave|fade))$"),
    Row("gprof 6.2", "callers' times are estimates; here samples with their paths measure them",
        capture("mps2-an385", "callers", "build/mcuprof report --callers filter -e $E $C"),
        r"^( *\d.*─ (?:slow|fast) ← .*)$"),
    Row("gprof 7", "which lines ran most often: by another program there",
        capture(*UPDCRC, "build/mcuprof annotate -e $E $C"), r"^( .*2048 .*)"),
    Row("gprof 7", "which lines called a function", same("-l -q"), SAME),
    Row("gprof 8", "files of BSD's gprof", "bench/kl25z.py figure42; build/mcuprof gprof -b -p "
        "build/kl25z/blinky.elf tests/data/kl25z-blinky/blink1gmon.out", r"^( *\d.* loop)"),
    Row("gprof 9.2", "gmon.out of any byte order and word size", "tests/run.py gprof/test_others",
        TESTS),
    Row("gprof 9.4", "`-d[num]` prints for each number what that is about",
        capture(*BLINKY, "build/mcuprof gprof -b -d16 $E $C"), r"^(\[16.*fade.*)"),
    # ---- the note on ARM7 ----
    Row("note", "an ARM7's FIQ samples the program counter, ARM and Thumb, with little overhead",
        capture("versatilepb", "shares", "build/mcuprof report --all -e $E $C"),
        r"^(sampling .*| *\d[^→\n]* (?:four|two|one))$"),
    Row("note", "in the FIQ's own registers", "CHECK_BOARD=versatilepb tests/run.py "
        "firmware/test_arm", TESTS),
    Row("note", "firmware as it ships, without instrumentation",
        capture("versatilepb", "shares", "build/mcuprof report --all --paths -e $E $C",
                "-DMCUPROF_ARCS=0"), r"^(paths .*)"),
    Row("note", "a task sends the samples by UDP; a serial line would do, too",
        "tests/run.py firmware/test_links", TESTS),
    Row("note", "the PC turns addresses into a profile",
        r"printf '10\n14\n10\n' >$G; build/mcuprof info --format pclog $G", r"^(events .*)"),
    # ---- the mail on RTEMS ----
    Row("mail", "`_mcount()` for LEON", "CHECK_BOARD=leon3 tests/run.py firmware/test_calls",
        TESTS),
    Row("mail", "the histogram of program counters, by RTEMS' clock tick",
        "CHECK_BOARD=leon3 tests/run.py firmware/test_leon3", TESTS),
    Row("mail", "`profil()`, which newlib has not for SPARC",
        "CHECK_BOARD=leon3 tests/run.py firmware/test_gmon", TESTS),
    Row("mail", "the program counter is in a register window that a handler's `save` hides",
        capture("leon3", "shares", "build/mcuprof report -e $E $C"),
        r"^( *\d[^→\n]* (?:four|two|one))$"),
    Row("mail", "RTEMS itself on LEON3", "make capture BOARD=leon3 EXAMPLE=rtems RTEMS_BSP=...",
        waits="an RTEMS, which no package has; run by hand on 5.3 and 6.2 "
        "([porting](porting.md#tasks-and-interrupts)), compiled against declarations in "
        "`tests/rtems`"),
)


def outcome(row, text, status):
    """Returns a cell: the parts that were found, one after the other."""
    parts = [next(part for part in match.groups() if part)
             for match in re.finditer(row.found, text, re.M)]
    parts = list(dict.fromkeys(re.sub(r"\s+", " ", part.replace("\\n", ", ")).strip()
                               .replace("|", "/").replace("→", "->") for part in parts))
    shown = "; ".join(f"`{part}`" for part in parts)
    kept = status == 0 or "MISSED" in text  # a bench whose goal is missed has run to its end
    return shown if shown and kept else f"**missed** ({status}): {shown or 'nothing'}"


def waiting(row):
    """Returns the cell of a row whose command is not run."""
    return f"waits for {row.waits}" if row.command else row.waits


def environment(command):
    """Returns the variables of a command: $E and $C of what it captures, $G a file."""
    own = {name: value for name, value in os.environ.items() if name not in PARENT}
    of = re.search(r"BOARD=(\S+) EXAMPLE=(\w+)", command)
    own["G"] = os.path.abspath("build/seeds.out")
    own["LC_ALL"] = "C.UTF-8"
    if of:
        at = os.path.abspath(f"build/firmware/{of[1]}/{of[2]}")
        own["E"], own["C"] = f"{at}.elf", f"{at}.mprof"
    return own


def run(command, done={}):
    """Returns (what a command prints, its status); each command runs once."""
    if command not in done:
        ran = subprocess.run(["sh", "-ec", command], check=False, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, text=True, errors="replace",
                             env=environment(command), timeout=3600)
        done[command] = ran.stdout, ran.returncode
    return done[command]


def line(row, cell):
    command = f"`{row.command}`" if row.command else "–"
    return f"| {row.text} | {row.promise} | {command.replace('|', chr(92) + '|')} | {cell} |\n"


def key_of(row):
    return line(row, "").rsplit(" | ", 1)[0]


def read():
    """Returns the page in three parts: before the table's lines, these, and behind them."""
    with open(PAGE, encoding="utf-8") as file:
        before, _, rest = file.read().partition(BEGIN + HEAD)
    lines, _, after = rest.partition(END)
    return before, lines.splitlines(True), after


def write(lines):
    before, _, after = read()
    with open(PAGE + ".new", "w", encoding="utf-8") as file:
        file.write(before + BEGIN + HEAD + "".join(lines) + END + after)
    os.replace(PAGE + ".new", PAGE)


def put(row, cell):
    """Writes a row's cell in place of the old one; returns all cells."""
    cells = dict(each[:-3].rsplit(" | ", 1) for each in read()[1])
    cells[key_of(row)] = cell
    write([f"{key} | {cells[key]} |\n" for key in map(key_of, ROWS) if key in cells])
    return cells


def main(words):
    cells = {}
    for row in ROWS:
        if row.waits:
            cells = put(row, waiting(row))
        elif not words or any(word in key_of(row) for word in words):
            cells = put(row, outcome(row, *run(row.command)))
            print(line(row, cells[key_of(row)]), end="", flush=True)
    return any(cell.startswith("**missed**") for cell in cells.values())


if __name__ == "__main__":
    os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
    sys.exit(main(sys.argv[1:]))
