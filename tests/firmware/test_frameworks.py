# SPDX-License-Identifier: MIT
"""mcuprof as a module of Zephyr and a component of ESP-IDF, against declarations of their APIs.
test_scripts.py links with a part of Zephyr's script; what was run with the real ones is in
docs/platforms/."""
import os
import re
import subprocess
import tempfile
import unittest

from firmware import Run
from truth import truth

ESP_IDF = "packaging/esp-idf/mcuprof"
ZEPHYR = "packaging/zephyr"
KNOBS = {"SRAM_BASE_ADDRESS": 0x20000000, "SRAM_SIZE": 64, "APPLICATION_INIT_PRIORITY": 90,
         "MCUPROF_TIMER_HZ": 1000000, "MCUPROF_SAMPLE_HZ": 1000, "MCUPROF_PATHS": 24,
         "MCUPROF_RING_BYTES": 1024, "MCUPROF_FLUSH_MS": 1000, "MCUPROF_START": 1}
COUNTER = {"MCUPROF_TIMER_COUNTER": 1}
UART = {"MCUPROF_LINK_UART": 1}
THREADS = {"MCUPROF_TASKS": 8, "MCUPROF_ARCS": 1}


def text_of(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def compiled(knobs, *more):
    return subprocess.run(
        ["arm-none-eabi-gcc", "-std=gnu17", "-mcpu=cortex-m3", "-mthumb", "-Os", "-Wall", "-Wextra",
         "-Wshadow", "-Werror", "-c", "-o", os.devnull, "-Itarget/include", "-Itarget/core",
         "-Itarget/arch/cortex-m", "-Iwire", "-Itests/zephyr", f"-I{ZEPHYR}",
         '-DMCUPROF_CONFIG="mcuprof_zephyr.h"',
         *(f"-DCONFIG_{name}={value}" for name, value in {**KNOBS, **knobs}.items()),
         "-DMCUPROF_ZEPHYR_SAMPLE_IRQ=31", *more,
         f"{ZEPHYR}/zephyr_port.c"], capture_output=True, text=True, timeout=180, check=False)


def devicetree_names(nodes, chosen):
    """Lines of Zephyr's devicetree_generated.h. `nodes` has {label: (address, interrupts, status)},
    and for a controller that is not the processor's a fourth."""
    lines = []
    for label, (address, interrupts, status, *controller) in nodes.items():
        name = f"{label.rstrip('0123456789')}@{address:x}"
        node = "DT_N_S_soc_S_" + name.replace("@", "_")
        lines += [f"{node}_FULL_NAME \"{name}\"", f"{node}_STATUS_{status} 1",
                  f"DT_N_NODELABEL_{label}       {node}"]
        for i, (irq, priority) in enumerate(interrupts):
            lines += [f"{node}_IRQ_IDX_{i}_VAL_irq {irq}",
                      f"{node}_IRQ_IDX_{i}_VAL_irq_EXISTS 1",
                      f"{node}_IRQ_IDX_{i}_VAL_priority {priority}",
                      f"{node}_IRQ_IDX_{i}_CONTROLLER DT_N_S_soc_S_{(controller or ['nvic'])[0]}"]
        lines += [f"DT_CHOSEN_{use}           {node}" for use, of in chosen.items() if of == label]
    return "".join(f"#define {line}\n" for line in lines)


def devicetree_checked(nodes, chosen, **options):
    """Returns what CMake says of a devicetree, on one line, and whether it goes on."""
    options = {"NUM_IRQS": 32, "MCUPROF_LINK_UART": "y", "MCUPROF_TIMER_COUNTER": "y",
               "MCUPROF_SAMPLE_IRQ": -1, "UART_CONSOLE": "y", **options}
    with tempfile.TemporaryDirectory() as folder:
        with open(folder + "/generated.h", "w", encoding="utf-8") as file:
            file.write(devicetree_names(nodes, chosen))
        with open(folder + "/check.cmake", "w", encoding="utf-8") as file:
            file.write("cmake_minimum_required(VERSION 3.20)\n"
                       f"include({os.path.abspath(ZEPHYR)}/devicetree.cmake)\n"
                       f"mcuprof_check_devicetree({folder}/generated.h number)\n"
                       "message(STATUS \"number ${number}\")\n")
        made = subprocess.run(
            ["cmake", *(f"-DCONFIG_{name}={value}" for name, value in options.items()), "-P",
             folder + "/check.cmake"], capture_output=True, text=True, timeout=180, check=False)
    return " ".join((made.stdout + made.stderr).split()), made.returncode == 0


class ZephyrDevicetree(unittest.TestCase):
    CHOSEN = {"mcuprof_uart": "uart1", "mcuprof_timer": "timer1", "zephyr_console": "uart0"}
    NODES = {"uart0": (0x4000, [(1, 3), (0, 3)], "okay"), "uart1": (0x5000, [(3, 3), (2, 3)], "okay"),
             "timer0": (0x1000, [(31, 3)], "disabled"), "timer1": (0x1800, [(30, 0)], "okay"),
             "buttons": (0, [(28, 0)], "okay", "gpio")}

    def said(self, words, goes_on=False, nodes=None, chosen=None, **options):
        text, went_on = devicetree_checked({**self.NODES, **(nodes or {})},
                                           {**self.CHOSEN, **(chosen or {})}, **options)
        self.assertIn(words, text)
        self.assertEqual(went_on, goes_on, text)
        return text

    def test_number_of_the_samples_interrupt_is_found(self):
        text = self.said("number 29", True)
        self.assertIn("interrupt 29, which the devicetree gives to no hardware", text)
        self.assertNotIn("Warning", text)
        self.said("number 28", True, MCUPROF_SAMPLE_IRQ=28)
        # Also where a disabled device has it, and numbers that begin alike.
        self.said("is the interrupt of timer@1000; the devicetree gives to no hardware: 4 5 ",
                  MCUPROF_SAMPLE_IRQ=31)
        self.said("there is no such interrupt", MCUPROF_SAMPLE_IRQ=32)
        self.said("CONFIG_MCUPROF_TIMER_OWN", NUM_IRQS=4)
        self.assertNotIn("number 2", self.said("number", True, MCUPROF_TIMER_COUNTER=""))

    def test_handlers_that_no_sample_can_interrupt_are_named(self):
        text = self.said("will lack the interrupt handlers of uart@4000 uart@5000:", True,
                         nodes={"timer1": (0x1800, [(30, 3)], "okay")})
        self.assertIn("interrupts = <...> of &timer1", text)
        self.assertNotIn("timer@1000", text)

    def test_devices_that_cannot_be_used_are_told(self):
        self.said('uart@5000, which mcuprof,uart names, is not enabled: say &uart1 { status = "okay"',
                  nodes={"uart1": (0x5000, [(3, 3)], "disabled")})
        self.said("timer@1000, which mcuprof,timer names, is not enabled",
                  chosen={"mcuprof_timer": "timer0"})
        self.said("uart@4000 is mcuprof,uart, and zephyr,console as well",
                  chosen={"mcuprof_uart": "uart0"})
        self.said("number 29", True, chosen={"mcuprof_uart": "uart0"}, UART_CONSOLE="n")


class Zephyr(unittest.TestCase):
    def test_port_compiles(self):
        chosen = ["-DCHOSEN_mcuprof_uart=1", "-DCHOSEN_mcuprof_timer=1"]
        timeline = ["-DMCUPROF_TIMELINE=1", "-DMCUPROF_TIME()=0u", "-DMCUPROF_TIME_HZ=1000000"]
        for knobs, more in (({**UART, **COUNTER}, chosen), ({**UART, **COUNTER, **THREADS}, chosen),
                            ({"MCUPROF_LINK_RTT": 1, **COUNTER}, chosen[1:]),
                            ({"MCUPROF_LINK_OWN": 1, "MCUPROF_TIMER_OWN": 1}, []),
                            ({**UART, **COUNTER, **THREADS}, chosen + timeline)):
            made = compiled(knobs, *more)
            self.assertEqual(made.returncode, 0, made.stderr)

    def test_node_that_is_not_chosen_is_told(self):
        for more, words in ((["-DCHOSEN_mcuprof_timer=1"], "mcuprof,uart = "),
                            (["-DCHOSEN_mcuprof_uart=1"], "mcuprof,timer = ")):
            made = compiled({**UART, **COUNTER}, *more)
            self.assertNotEqual(made.returncode, 0)
            self.assertIn(words, made.stderr)

    def test_kconfig_has_the_knobs_that_are_used(self):
        kconfig = text_of(f"{ZEPHYR}/Kconfig")
        defined = re.findall(r"^(?:menu)?config (MCUPROF\w*)$", kconfig, re.M)
        self.assertEqual(len(defined), len(set(defined)))
        used = set()
        for name in os.listdir(ZEPHYR):
            used |= set(re.findall(r"CONFIG_(MCUPROF\w*)", text_of(f"{ZEPHYR}/{name}")))
        # The application's own link and timer need nothing.
        self.assertEqual(used | {"MCUPROF_LINK_OWN", "MCUPROF_TIMER_OWN"}, set(defined))

    def test_files_that_cmake_names_are_there(self):
        for file in re.findall(r"\b\w+\.(?:c|ld|h)\b", text_of(f"{ZEPHYR}/CMakeLists.txt")):
            self.assertTrue(os.path.exists(f"{ZEPHYR}/{file}"), file)

    def test_module_is_where_zephyr_looks(self):
        module = dict(re.findall(r"^\s*(\w+): (\S+)$", text_of("zephyr/module.yml"), re.M))
        self.assertEqual(module["name"], "mcuprof")
        self.assertTrue(os.path.exists(module["cmake"] + "/CMakeLists.txt"))
        self.assertTrue(os.path.exists(module["kconfig"]))


class EspIdf(unittest.TestCase):
    def test_file_that_is_not_there_is_told(self):
        for file, there in (("src/work.c", True), ("work.c", False),
                            ("${CMAKE_BINARY_DIR}/made.c", True)):
            with tempfile.TemporaryDirectory() as folder:
                os.mkdir(folder + "/src")
                with open(folder + "/src/work.c", "w", encoding="ascii"):
                    pass
                with open(folder + "/CMakeLists.txt", "w", encoding="ascii") as lists:
                    lists.write("cmake_minimum_required(VERSION 3.16)\nproject(app NONE)\n"
                                f"include({os.path.abspath(ESP_IDF)}/project_include.cmake)\n"
                                f"mcuprof_profile({file})\n")
                made = subprocess.run(["cmake", "-S", folder, "-B", folder + "/build"],
                                      capture_output=True, text=True, timeout=180, check=False)
                self.assertEqual(made.returncode == 0, there, made.stderr)
                said = " ".join(made.stderr.split())
                self.assertEqual(f"there is no {folder}/work.c:" in said, not there, said)

    def test_console_on_the_links_uart_is_told(self):
        for console, words in ((1, "mcuprof sends by UART1"), (0, ""), (-1, "")):
            made = self.compiled("esp_port.c", f"-DCONFIG_ESP_CONSOLE_UART_NUM={console}")
            self.assertEqual(made.returncode != 0, bool(words), made.stderr)
            self.assertIn(words, made.stderr)

    def compiled(self, file, *more):
        return subprocess.run(
            ["riscv64-unknown-elf-gcc", "-std=gnu17", "-march=rv32imc", "-mabi=ilp32", "-Os",
             "-ffreestanding", "-Wall", "-Wextra", "-Wshadow", "-Werror", "-c", "-o", os.devnull,
             "-Itarget/include", "-Itarget/core", "-Itarget/arch/riscv", "-Iwire", "-Itests/esp_idf",
             f"-I{ESP_IDF}", '-DMCUPROF_CONFIG="mcuprof_esp_idf_config.h"', *more,
             f"{ESP_IDF}/{file}"], capture_output=True, text=True, timeout=180, check=False)

    def test_port_compiles(self):
        for file in ("esp_port.c", "entry.S"):
            made = self.compiled(file)
            self.assertEqual(made.returncode, 0, made.stderr)

    def test_entry_lets_samples_and_other_interrupts_through(self):
        """On a board whose vectors are like IDF's."""
        run = Run("virt", "truth", "-DMCUPROF_RING_BYTES=4096", variables=(
            f"EXAMPLE_SOURCES=tests/scripts/esp_entry.S {ESP_IDF}/entry.S",
            "EXAMPLE_LDFLAGS=-Wl,--wrap=main"))
        self.assertEqual(run.said("failures"), 0)
        self.assertTrue(run.info()["complete"])
        self.assertGreater(run.info()["samples"]["received"], 50)
        self.assertEqual(run.calls(), truth("virt", run.said("rounds")))

    def test_kconfig_has_the_knobs_that_are_used(self):
        defined = re.findall(r"^ *config (MCUPROF\w*)$", text_of(f"{ESP_IDF}/Kconfig"), re.M)
        for folder in (ESP_IDF, "tests/esp_idf"):
            used = set()
            for name in os.listdir(folder):
                if os.path.isfile(f"{folder}/{name}"):
                    used |= set(re.findall(r"CONFIG_(MCUPROF\w*)", text_of(f"{folder}/{name}")))
            self.assertEqual(used, set(defined), folder)

    def test_manifest(self):
        manifest = text_of(f"{ESP_IDF}/idf_component.yml")
        version = re.search(r'MCUPROF_VERSION "(.*)"', text_of("host/cmd/cmd.h")).group(1)
        self.assertIn(f'version: "{version}"\n', manifest)
        for file in re.findall(r"\b\w+\.[cS]\b", text_of(f"{ESP_IDF}/CMakeLists.txt")):
            self.assertTrue(os.path.exists(f"{ESP_IDF}/{file}"), file)


if __name__ == "__main__":
    unittest.main()
