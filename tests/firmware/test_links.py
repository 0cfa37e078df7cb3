# SPDX-License-Identifier: MIT
"""Links other than a UART byte by byte, each by its real protocol: spans by DMA and by a FIFO, RTT
by a probe's stand-in, semihosting. What was received and what was lost are the truth, whatever the
ring and however it waits."""
import json
import os
import re
import subprocess
import unittest

from firmware import LIMIT_SECONDS, MCUPROF, Run, make, output
from truth import truth

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
        """Returns what was lost. The last words come after mcuprof_end(), and are fewer bytes than
        a span."""
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
        """Start, stop and flush, masked or not, over code and handlers that print: the program
        itself counted."""
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
                             "-DMCUPROF_WAIT=1 -DMCUPROF_RING_BYTES=64", out)
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
        """It waits, gives up, and from then on waits no more."""
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


del Links


if __name__ == "__main__":
    unittest.main()
