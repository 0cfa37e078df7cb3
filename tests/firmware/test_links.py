# SPDX-License-Identifier: MIT
"""Links that do not send byte by byte through a UART, each by its real protocol: spans by DMA, by
a FIFO, SPI and I2C, RTT by a probe's stand-in, semihosting, UDP; and USB, with a stand-in for its
stack. The numbers of received and lost events are true, with each size of ring and each way to
wait."""
import collections
import json
import os
import random
import re
import socket
import subprocess
import threading
import time
import unittest

from firmware import LIMIT_SECONDS, MCUPROF, Run, make, output
from truth import truth

RECORD_SECONDS = 300  # for recordings that the end record ends
SPANS = (("mps2-an505", "pl080"), ("virt", "ns16550_fifo"))
# calls in the interrupt handler of examples/truth, which outranks the link
IN_HANDLER = 600
SEMIHOSTING = ("microbit", "virt")
EVENTS = "-DMCUPROF_ENTRIES=0 -DBOARD_COUNT_SAMPLES -DMCUPROF_PATHS=0"


def linked(board, example, link, knobs):
    return Run(board, example, f"{EVENTS} {knobs}", variables=(f"LINK={link}",))


def built(board, example, link, knobs, out):
    """Returns an example's ELF, and the command that runs it."""
    arguments = (f"BOARD={board}", f"EXAMPLE={example}", f"KNOBS={EVENTS} {knobs}",
                 f"LINK={link}", f"OUT={out}")
    make("firmware", *arguments)
    command, _ = make("--eval=show: ; @echo $(BOARD_RUN)", "show", *arguments)
    return f"{out}/{example}.elf", command.split()


class Links(unittest.TestCase):
    def check_truth(self, board, console, capture, elf):
        """Returns what was lost. The last text comes after mcuprof_end(), and is shorter than a
        span."""
        info = json.loads(output("info", "--json", capture))
        model = json.loads(output("export", "--to", "json", "-e", elf, capture))
        expected = truth(board, int(re.search(r"rounds (\d+)", console).group(1)))
        self.assertIn("failures 0", console)
        self.assertTrue(info["complete"])
        self.assertEqual(info["damaged"], 0)
        self.assertEqual(info["arcs"]["received"] + info["arcs"]["lost"],
                         sum(expected.values()))
        self.assertEqual(info["samples"]["received"] + info["samples"]["lost"],
                         int(re.search(r"samples (\d+)", console).group(1)))
        names = [function["name"] for function in model["functions"]]
        for arc in model["function_calls"]:
            if arc["caller"] is not None:
                call = names[arc["caller"]], names[arc["callee"]]
                self.assertLessEqual(arc["count"], expected[call], call)
        return info["arcs"]["lost"]

    def check_run(self, run):
        return self.check_truth(run.board, run.console, run.capture, run.elf)

    def check_storm(self, run):
        """Start, stop and flush, masked or not, over code and handlers that print: the result is
        what the program itself counted."""
        info = run.info()
        self.assertTrue(info["complete"])
        self.assertEqual(info["damaged"], 0)
        self.assertEqual(info["arcs"]["received"] + info["arcs"]["lost"],
                         run.said("main") + run.said("handler"))
        self.assertEqual(info["samples"]["received"] + info["samples"]["lost"],
                         run.said("samples"))


class Spans(Links):
    def test_all_of_them_arrive(self):
        for board, link, ring, span in (("mps2-an505", "pl080", 64, 16),
                                        ("mps2-an505", "pl080", 1024, 300),
                                        ("virt", "ns16550_fifo", 128, 64)):
            with self.subTest(board=board, ring=ring):
                lost = self.check_run(linked(
                    board, "truth", link, "-DMCUPROF_WAIT=1 -UMCUPROF_SPAN_BYTES "
                    f"-DMCUPROF_RING_BYTES={ring} -DMCUPROF_SPAN_BYTES={span}"))
                self.assertLessEqual(lost, IN_HANDLER)

    def test_spi_and_i2c(self):
        """A receiver has all: on SPI each byte, on I2C each write, which has 32 of them."""
        wait = "-DMCUPROF_WAIT=1 -UMCUPROF_SPAN_BYTES -DMCUPROF_SPAN_BYTES=32 "
        for link, knobs in (("avr_spi", wait), ("avr_twi", wait), ("avr_twi", "")):
            with self.subTest(link=link, knobs=knobs):
                lost = self.check_run(linked("atmega1284p", "truth", link,
                                             knobs + "-DMCUPROF_RING_BYTES=128"))
                if "WAIT" in knobs:
                    self.assertLessEqual(lost, IN_HANDLER)

    def test_i2c_without_a_receiver_ends(self):
        """No byte is acknowledged: all is lost, and nothing waits for ever."""
        elf, command = built("atmega1284p", "fib", "avr_twi", "-DMCUPROF_WAIT=1",
                             "build/tests/links/refused")
        self.assertEqual(command[1:], ["-u", "twi"])
        make(command[0])
        ran = subprocess.run([command[0], "-u", "0", elf], stdin=subprocess.DEVNULL,
                             capture_output=True, timeout=LIMIT_SECONDS, check=False)
        self.assertEqual((ran.returncode, ran.stdout), (0, b""))

    def test_usb_as_the_page_has_it(self):
        """The lines of docs/links.md, on a stand-in for TinyUSB."""
        with open("docs/links.md", encoding="utf-8") as page:
            lines = re.search(r"^<!-- compiled: usb -->\n\n```c\n(.*?)^```$", page.read(),
                              re.M | re.S)
        os.makedirs("build/tests/links", exist_ok=True)
        with open("build/tests/links/usb.c", "w", encoding="utf-8") as file:
            file.write(lines[1])
        lost = self.check_run(Run(
            "mps2-an385", "truth", f"{EVENTS} -DMCUPROF_WAIT=1 -DMCUPROF_SPAN_BYTES=64",
            variables=("MCUPROF_LINK=", "EXAMPLE_LDFLAGS=-Wl,--wrap=main",
                       "BOARD_INCLUDES=boards/cortex-m tests/tinyusb",
                       "MORE_SOURCES=build/tests/links/usb.c tests/tinyusb/stack.c")))
        self.assertLessEqual(lost, IN_HANDLER)

    def test_the_ring_comes_round_in_a_storm(self):
        for board, link in SPANS:
            with self.subTest(board=board):
                self.check_storm(linked(board, "storm", link, "-DMCUPROF_SAMPLE_HZ=5000 "
                                        "-DTICK_US=300 -DMCUPROF_RING_BYTES=128"))

    def test_a_span_that_leaves_no_room_for_a_record(self):
        with self.assertRaisesRegex(AssertionError, "MCUPROF_SPAN_BYTES"):
            linked("mps2-an505", "fib", "pl080", "-DMCUPROF_RING_BYTES=64 -DMCUPROF_TASKS=4 "
                   "-UMCUPROF_SPAN_BYTES -DMCUPROF_SPAN_BYTES=32")


class Rtt(Links):
    def test_what_does_not_fit_is_lost_and_counted(self):
        run = linked("mps2-an385", "truth", "rtt", "-DMCUPROF_RING_BYTES=64")
        self.assertGreater(self.check_run(run), 0)
        self.check_storm(linked("virt", "storm", "rtt", "-DMCUPROF_RING_BYTES=128"))

    def test_all_arrives_by_a_probes_server_on_tcp(self):
        out = "build/tests/links/tcp"
        elf, command = built("mps2-an385", "truth", "rtt",
                             "-DMCUPROF_WAIT=1 -DMCUPROF_RING_BYTES=64 "
                             "-DMCUPROF_RTT_TURNS=100000000", out)  # a slow PC is waited for
        probe, *rest = command
        with subprocess.Popen([probe, "--tcp", *rest, elf], stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, text=True) as server:
            port = int(server.stdout.readline())
            ran = subprocess.run(
                [MCUPROF, "record", "-e", elf, "-o", f"{out}/truth.mprof",
                 f"tcp:127.0.0.1:{port}"], capture_output=True, text=True,
                timeout=LIMIT_SECONDS, check=False)
        self.assertEqual((ran.returncode, server.returncode), (0, 0), ran.stderr)
        self.assertEqual(self.check_truth("mps2-an385", ran.stdout, f"{out}/truth.mprof", elf), 0)

    def test_firmware_without_a_probe_ends(self):
        """The firmware waits for a probe, gives up, and does not wait again."""
        elf, command = built("virt", "storm", "rtt",
                             "-DMCUPROF_WAIT=1 -DMCUPROF_RTT_TURNS=10000",
                             "build/tests/links/deaf")
        probe, *rest = command
        ran = subprocess.run([probe, "--deaf", *rest, elf], stdin=subprocess.DEVNULL,
                             capture_output=True, timeout=LIMIT_SECONDS, check=False)
        self.assertEqual((ran.returncode, ran.stdout), (0, b""))


class Semihosting(Links):
    def test_the_file_has_all(self):
        for board in SEMIHOSTING:
            with self.subTest(board=board):
                out = f"build/tests/links/semihosting-{board}"
                wire, capture = f"{out}/wire", f"{out}/truth.mprof"
                elf, command = built(board, "truth", "semihosting",
                                     f"'-DMCUPROF_LINK_FILE=\"{wire}\"'", out)
                if os.path.exists(wire):
                    os.remove(wire)
                subprocess.run([*command, elf], stdin=subprocess.DEVNULL, check=True,
                               capture_output=True, timeout=LIMIT_SECONDS)
                ran = subprocess.run([MCUPROF, "record", "-e", elf, "-o", capture, wire],
                                     capture_output=True, text=True, check=True)
                self.assertEqual(self.check_truth(board, ran.stdout, capture, elf), 0)


class Proxy(threading.Thread):
    """Passes the firmware's datagrams on to a port: of 100 three are dropped, three come twice, and
    three come after their successors. The last ones all arrive, because they end the recording."""
    SPARED_FROM = 120

    def __init__(self, come_to, port, chances=(91, 3, 3, 3), dropped=()):
        """dropped: the datagrams to drop, each by the place of its run and by its number."""
        super().__init__()
        self.runs, self.chances, self.dropped = [], chances, dropped
        self.port, self.chance = port, random.Random(15)
        self.counts = collections.Counter()
        self.line = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 << 20)
        self.line.bind(("127.0.0.1", come_to))
        self.ended = False

    def passed_on(self, datagram, fate, held):
        """Returns the datagrams to send now, and the one that is held back or None."""
        if fate == "dropped":
            return [], held
        if fate == "swapped" and held is None:
            return [], datagram
        self.counts["swapped"] += held is not None
        self.counts["came"] += 1 + (held is not None)
        return [datagram] * (1 + (fate == "doubled")) + [held] * (held is not None), None

    def fate(self, datagram):
        run, number = datagram[4:8], int.from_bytes(datagram[8:12], "big")
        if run not in self.runs:
            self.runs.append(run)
        self.counts["first run"] += run == self.runs[0]
        if (self.runs.index(run), number) in self.dropped:
            return "dropped"
        fate = self.chance.choices(("passed", "dropped", "doubled", "swapped"), self.chances)[0]
        return fate if number < self.SPARED_FROM else "passed"

    def run(self):
        held, self.counts["doubled"] = None, 0
        self.line.settimeout(0.1)
        while not self.ended:
            try:
                datagram = self.line.recv(2000)
            except TimeoutError:
                continue
            fate = self.fate(datagram)
            out, held = self.passed_on(datagram, fate, held)
            self.counts[fate] += fate in ("dropped", "doubled")
            for each in out:
                self.line.sendto(each, ("127.0.0.1", self.port))
        self.line.close()


def free_port():
    with socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as free:
        free.bind(("::", 0))
        return free.getsockname()[1]


class Udp(Links):
    port = None

    def record(self, forward, knobs="-DTURNS=2500", **how):
        """Records examples/udp through a Proxy or, without `forward`, directly. Returns what the
        firmware printed, the recording's errors, its info and what the proxy did.

        The emulator sends all datagrams within 50 ms. So they must fit into what Debian lets a
        socket hold, 416 KiB: a reader that does not run for so long would lose some."""
        Udp.port = Udp.port or free_port()
        port = free_port() if forward else self.port
        proxy = Proxy(self.port, port, **how) if forward else None
        elf, command = built("mps2-an385", "udp", "lwip_udp",
                             f"-DMCUPROF_UDP_PORT={self.port} {knobs}",
                             "build/tests/links/udp")
        capture = "build/tests/links/udp/udp.mprof"
        with subprocess.Popen([MCUPROF, "record", "--duration", str(RECORD_SECONDS), "-e", elf, "-o", capture,
                               f"udp:{port}"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True) as recording:
            wait_for_port(port)
            if forward:
                proxy.start()
            subprocess.run([*command, elf], stdin=subprocess.DEVNULL, check=True,
                           capture_output=True, timeout=LIMIT_SECONDS)
            console, errors = recording.communicate(timeout=2 * RECORD_SECONDS)
        if forward:
            proxy.ended = True
            proxy.join()
        self.assertEqual(recording.returncode, 0, errors)
        return console, errors, json.loads(output("info", "--json", capture)), proxy

    def test_a_reset_within_the_first_datagrams(self):
        """As many calls arrive as both runs made, and no datagram of the second run is taken for
        one of the first; also if its number 0, with the hello that begins the run, is lost."""
        for dropped in (), ((1, 0),):
            with self.subTest(dropped=dropped):
                console, errors, info, proxy = self.record(
                    True, "-DTURNS=400 -DRESET_TURN=100", chances=(1, 0, 0, 0), dropped=dropped)
                calls = [int(count) for count in re.findall(r"calls (\d+)\n", console)]
                came = info["arcs"]["received"]
                self.assertEqual((len(calls), len(proxy.runs), len(info["runs"])), (2, 2, 2))
                self.assertLess(proxy.counts["first run"], 64)
                self.assertEqual(proxy.counts["dropped"], len(dropped))
                if dropped:
                    self.assertIn(" came, 1 lost, 0 doubled, 0 out of order, 0 strange; 1 reset\n",
                                  errors)
                    self.assertGreater(info["arcs"]["lost"], 0)
                    self.assertEqual(came + info["arcs"]["lost"], sum(calls))
                else:
                    self.assertNotIn("datagrams", errors)
                    self.assertEqual((info["arcs"]["lost"], came), (0, sum(calls)))

    def check_account(self, console, info):
        self.assertTrue(info["complete"])
        for kind, name in (("arcs", "calls"), ("samples", "samples")):
            said = re.search(rf"{name} (\d+)\n", console)
            self.assertEqual(info[kind]["received"] + info[kind]["lost"], int(said.group(1)))

    def test_all_of_it_arrives(self):
        console, errors, info, _ = self.record(False)
        self.check_account(console, info)
        self.assertEqual((info["arcs"]["lost"], info["damaged"]), (0, 0))
        self.assertNotIn("datagrams", errors)

    def test_datagrams_that_are_dropped_doubled_and_swapped(self):
        console, errors, info, proxy = self.record(True)
        self.check_account(console, info)
        self.assertGreater(info["arcs"]["lost"], 0)
        self.assertIn("datagrams: {came} came, {dropped} lost, {doubled} doubled, {swapped} out of "
                      "order, 0 strange\n".format(**proxy.counts), errors)
        for fate in "dropped", "doubled", "swapped":
            self.assertGreater(proxy.counts[fate], 0)


def wait_for_port(port):
    """Waits until a program listens on the port."""
    for _ in range(50 * LIMIT_SECONDS):
        with open("/proc/net/udp6", encoding="ascii") as file:
            if f":{port:04X} " in file.read():
                return
        time.sleep(0.02)
    raise AssertionError(f"nobody listens at port {port}")


del Links


if __name__ == "__main__":
    unittest.main()
