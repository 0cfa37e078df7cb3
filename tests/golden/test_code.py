# SPDX-License-Identifier: MIT
"""The source code: clang and gcc give no warnings, the format is the house's, each file has its
licence."""
import glob
import os
import subprocess
import unittest

TARGET_INCLUDES = ["-Itarget/include", "-Itarget/core", "-Itarget/arch/cortex-m", "-Iwire"]


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, timeout=300)


def target_sources():
    """Yields each file of target/core and target/link, with the knob of its kind of link: the core
    serves all kinds. lwIP's headers are only there where tests/firmware/test_links.py has fetched
    them."""
    spans, rtt = "-DMCUPROF_SPAN_BYTES=64", "-DMCUPROF_RTT=1"
    for source in glob.glob("target/core/*.c"):
        yield from ((source, knobs) for knobs in ([], [spans], [rtt]))
    for source in sorted(set(glob.glob("target/link/*.c")) - {"target/link/lwip_udp.c"}):
        with open(source, encoding="utf-8") as file:
            text = file.read()
        yield source, [spans] if "mcuprof_tx_span" in text else [rtt] if "_RTT" in text else []


def sources():
    listed = run("git", "ls-files", "*.c", "*.h").stdout.split()
    return listed or glob.glob("*/**/*.[ch]", recursive=True)


class Code(unittest.TestCase):
    def test_host_builds_without_warnings_by_clang(self):
        made = run("make", "-s", "BUILD=build/clang", "CC=clang", "CFLAGS=-O0",
                   "build/clang/mcuprof")
        self.assertEqual(made.returncode, 0, made.stderr[-3000:])

    def test_target_builds_without_warnings_by_clang(self):
        knobs = ["-DMCUPROF_TIMER_HZ=1000000", "-DMCUPROF_TIME_HZ=1000000",
                 "-DMCUPROF_TIME()=0", "-DMCUPROF_LINK_ADDRESS=0x40000000",
                 "-DMCUPROF_LINK_DMA=0x50000000", "-DMCUPROF_LINK_DMA_CONFIG=0",
                 "-DMCUPROF_LINK_TARGET=0x42"]
        for cpu in ("cortex-m0", "cortex-m4", "cortex-m33"):
            for more in ([], ["-DMCUPROF_CALLS=1", "-DMCUPROF_TASKS=4"]):
                for source, link in target_sources():
                    made = run("clang", "--target=arm-none-eabi", f"-mcpu={cpu}", "-std=c11",
                               "-Os", "-ffreestanding", "-Wall", "-Wextra", "-Wshadow",
                               "-Werror", *knobs, *more, *link, *TARGET_INCLUDES, "-c",
                               "-o", os.devnull, source)
                    self.assertEqual(made.returncode, 0, made.stderr)

    def test_other_ports_build_without_warnings_by_clang(self):
        for arch, flags in (("arm", ["--target=arm-none-eabi", "-mcpu=arm7tdmi"]),
                            ("arm", ["--target=arm-none-eabi", "-mcpu=arm926ej-s", "-mthumb"]),
                            ("riscv", ["--target=riscv32-unknown-elf", "-march=rv32imac"])):
            for source in glob.glob("target/core/*.c"):
                made = run("clang", *flags, "-std=c11", "-Os", "-ffreestanding", "-Wall",
                           "-Wextra", "-Wshadow", "-Werror", "-DMCUPROF_TIMER_HZ=1000000",
                           "-Itarget/include", "-Itarget/core", f"-Itarget/arch/{arch}",
                           "-Iwire", "-c", "-o", os.devnull, source)
                self.assertEqual(made.returncode, 0, made.stderr)

    def test_headers_serve_cpp(self):
        code = """
            #include "mcuprof.h"
            #include "mcuprof_port.h"
            #include "mcuprof_setjmp.h"
            extern jmp_buf env;
            void fails(jmp_buf);
            int returns(void);
            int returns(void)
            {
                if (setjmp(env) == 0) {
                    fails(env);
                }
                switch (setjmp(env)) {
                case 0:
                    (longjmp)(env, 1);
                default:
                    return 1;
                }
            }
            extern "C" int absolute(int);
            MCUPROF_WRAP(int, absolute, (int value), (value))
            void handler(void);
            void handler(void)
            {
                MCUPROF_INTERRUPT_ENTER();
                mcuprof_link_isr();
                mcuprof_link_entry();
                mcuprof_mark("received", mcuprof_tx_next());
                mcuprof_mark("sent", mcuprof_tx_next_if(returns()));
                MCUPROF_INTERRUPT_LEAVE();
            }"""
        for standard in ("c++98", "c++11", "c++14", "c++17", "c++20", "c++23"):
            for knobs in ("", "CALLS=1", "TASKS=4", "TASKS=4 CALLS=1", "BLOCKS=1", "WAIT=1",
                          "TIMELINE=1", "PATHS=0", "PATHS=0 ENTRIES=0", "KEEP_FLAGS=1",
                          "ARCS=0", "SAMPLES=0", "RING_BYTES=1024", "THROUGH_INTERRUPTS=1",
                          "TIMER_SINCE()=0u", "AUTO_START=1", "FLUSH_MS=500"):
                with self.subTest(standard=standard, knobs=knobs):
                    made = subprocess.run(
                        ["arm-none-eabi-g++", f"-std={standard}", "-mcpu=cortex-m0", "-mthumb",
                         "-Wall", "-Wextra", "-Wshadow", "-Wcast-qual", "-Werror",
                         "-DMCUPROF_TIMER_HZ=1000000",
                         "-DMCUPROF_TIME()=0", "-DMCUPROF_TIME_HZ=1", "-DMCUPROF_LINK_IRQ=1",
                         *(f"-DMCUPROF_{knob}" for knob in knobs.split()),
                         *TARGET_INCLUDES, "-x", "c++", "-fsyntax-only", "-"],
                        input=code, capture_output=True, text=True, timeout=180)
                    self.assertEqual(made.returncode, 0, made.stderr)

    def test_format(self):
        made = run("clang-format", "--dry-run", "-Werror", *sources())
        self.assertEqual(made.returncode, 0, made.stderr[:2000])

    def test_licence_line(self):
        for path in sources():
            with open(path, encoding="utf-8") as file:
                self.assertIn("SPDX-License-Identifier: MIT", file.readline(), path)

    def test_no_long_files(self):
        for path in sources():
            with open(path, encoding="utf-8") as file:
                self.assertLessEqual(sum(1 for _ in file), 600, path)


if __name__ == "__main__":
    unittest.main()
