# SPDX-License-Identifier: MIT
"""`mcuprof top` in a real terminal, tmux's. The firmware is in an emulator whose serial line is a
TCP server. Tests keys, sizes, a link that is lost and found, and the end."""

import os
import pty
import re
import socket
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from mcuprof_run import ELF, EMULATOR, OTHER_ELF, PROGRAM, mcuprof, stream  # noqa: E402
from wire import SAMPLES, TOTALS, Stream  # noqa: E402

WAIT_S = 60


def free_port():
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        return server.getsockname()[1]


class Terminal(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = directory.name
        self.socket = os.path.join(self.directory, "tmux")
        self.port = free_port()
        self.source = f"tcp:127.0.0.1:{self.port}"

    def tmux(self, *arguments):
        done = subprocess.run(["tmux", "-S", self.socket, "-f", os.devnull, "-u", *arguments],
                              capture_output=True, text=True, timeout=WAIT_S, check=True)
        return done.stdout

    def emulate(self):
        """Starts the firmware. It runs as soon as its line is connected, and ends by itself."""
        line = f"tcp:127.0.0.1:{self.port},server=on,wait=on"
        command = [line if word == "stdio" else word for word in EMULATOR]
        emulator = subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                    stdout=subprocess.DEVNULL)

        def end():
            emulator.kill()
            emulator.wait()
        self.addCleanup(end)
        return emulator

    def start(self, *arguments, size=(80, 24), environment=()):
        """Starts the program in a terminal. Below its last frame its exit status is printed."""
        self.socket += "+"  # a server that was killed may still be there
        words = " ".join(["env", "LC_ALL=C.UTF-8", *environment, PROGRAM, "top", *arguments])
        self.tmux("new-session", "-d", "-x", str(size[0]), "-y", str(size[1]),
                  f"{words}; echo status $?; exec sleep 100")
        self.addCleanup(self.kill)

    def kill(self):
        """Ends the terminal, if there is one."""
        subprocess.run(["tmux", "-S", self.socket, "kill-server"], stderr=subprocess.DEVNULL,
                       timeout=WAIT_S, check=False)

    def screen(self, *options):
        return self.tmux("capture-pane", "-p", *options)

    def press(self, *keys):
        self.tmux("send-keys", *keys)

    def wait_for(self, pattern, *options):
        """Waits until the screen matches and is the same twice, for a frame may be half drawn;
        returns the screen."""
        end = time.monotonic() + WAIT_S
        text = ""
        while time.monotonic() < end:
            before, text = text, self.screen(*options)
            if text == before and re.search(pattern, text, re.M):
                return text
            time.sleep(0.05)
        raise AssertionError(f"waited in vain for {pattern}:\n{text}")

    def wait_until_not(self, pattern):
        end = time.monotonic() + WAIT_S
        while re.search(pattern, self.screen(), re.M):
            self.assertLess(time.monotonic(), end, f"still {pattern}:\n{self.screen()}")
            time.sleep(0.05)

    def start_emulated(self, *arguments):
        """Starts both, and waits until the firmware has run once and its line is gone."""
        self.emulate()
        end = time.monotonic() + WAIT_S
        while time.monotonic() < end:  # until the emulator listens
            with open("/proc/net/tcp", encoding="ascii") as lines:
                if f":{self.port:04X} 00000000:0000 0A" in lines.read():
                    break
            time.sleep(0.05)
        self.start("-e", ELF, *arguments, self.source)
        return self.wait_for(r"LINK LOST(.|\n)*wait_cycles$")

    @staticmethod
    def rows(text):
        """Returns the functions in the order of the table."""
        return re.findall(r"^[> ] *[<\d.]+ .* (\w+)$", text, re.M)

    def test_the_end_says_what_is_wrong(self):
        made = Stream(hz=1000000, period=1000, flags=SAMPLES)
        made.words(TOTALS, 1, 0, 0, made.hash)
        made.end(totals=False)
        path = os.path.join(self.directory, "run.mprof")
        made.write(path)
        self.start("-e", ELF, "--force", path)
        self.wait_for("run.mprof")
        self.press("q")
        self.assertRegex(self.wait_for("status 0"), r"mcuprof_start\(\)\s+never: nothing was measured")

    def test_keys(self):
        text = self.start_emulated("-w", "0")
        self.assertIn("since the start", text)
        self.assertRegex(text, r"(?m)^> *[89]\d(\.\d)? +[\d.]+ +[89]\d(\.\d)? .* wait_cycles$")
        self.assertIn("lost 0", text)
        by_self = self.rows(text)
        self.press("N")
        by_name = self.rows(self.wait_for(r"\*function"))
        self.assertEqual(by_name, sorted(by_name))
        self.press("R")
        self.wait_for(r"^> .* wave$")
        self.press("P")
        self.assertEqual(self.rows(self.wait_for(r"^> .* wait_cycles$")), by_self)
        self.press("Down", "Enter")
        self.wait_for(r"square_root\n.* called by corrected\n(.*\n)* .* path square_root < ")
        self.press("Enter", "Home")
        self.wait_until_not("called by")
        self.press("/", "W", "a", "v", "Enter")
        self.assertEqual(self.rows(self.wait_for("^filter: Wav  ")), ["wave"])
        self.press("Escape")
        self.wait_until_not("filter: ")
        self.press("c")
        self.wait_for(r"console ──(.|\n)*^beat 75, brightness \d+$")
        self.press("c", "Tab")
        self.wait_for("nothing is known of tasks")
        self.press("Tab", "Tab", "?")
        self.assertIn("freezes the figures", self.wait_for("any key goes back"))
        self.press("x", "q")
        self.assertIn("status 0", self.wait_for(r"^status \d"))
        self.assertIn("samples received", self.screen())

    def test_link_lost_and_found_while_frozen(self):
        out = os.path.join(self.directory, "out.mprof")
        self.start_emulated("-w", "0", "-o", out)
        before = self.wait_for("recording out.mprof, ")
        self.press("Space")
        table = self.wait_for("FROZEN").split("trend")[1].rsplit("\n", 2)[0].rstrip()
        self.emulate()
        self.wait_for("link lost [2-9] times|LINK LOST 0:0[0-1]")
        self.wait_for(r"recording out.mprof, (?!%s)" % re.search(
            r"recording out.mprof, (\d+)", before).group(1))
        self.assertEqual(self.screen().split("trend")[1].rsplit("\n", 2)[0].rstrip(), table)
        self.press("Space")
        self.wait_until_not("FROZEN")
        self.press("q")
        self.wait_for("^status 0")
        with open(out, "rb") as file:
            self.assertEqual(file.read(), stream() * 2)
        info = mcuprof("info", out).stdout
        self.assertIn("2 runs: ", info)

    def test_sizes(self):
        self.start_emulated("-w", "0")
        text = self.screen()
        for columns, rows in ((40, 12), (20, 5), (2, 2), (1, 1), (300, 100), (40, 12)):
            self.tmux("resize-window", "-x", str(columns), "-y", str(rows))
            time.sleep(0.3)
        small = self.wait_for(r"^\*self % .* calls/s  function$")
        self.assertEqual(len(small.rstrip("\n").splitlines()), 12)
        self.assertLessEqual(max(map(len, small.splitlines())), 40)
        self.assertIn("wait_cycles", small)
        self.tmux("resize-window", "-x", "80", "-y", "24")
        self.wait_for("trend")
        self.assertEqual(self.rows(text), self.rows(self.screen()))

    def test_colours(self):
        """Hot functions are red; NO_COLOR makes them bold, and the row of the cursor inverse."""
        path = os.path.join(self.directory, "in")
        with open(path, "wb") as file:
            file.write(stream())
        self.start("-e", ELF, path)
        self.wait_for("wait_cycles")
        self.assertIn("\x1b[31m", self.screen("-e"))
        self.press("q")
        self.wait_for("^status 0")
        self.kill()
        self.start("-e", ELF, path, environment=["NO_COLOR=1"])
        text = self.wait_for("wait_cycles", "-e")
        self.assertNotRegex(text, r"\x1b\[(\d+;)*3[0-7]")
        self.assertRegex(text, r"\x1b\[[\d;]*7m")

    def test_wrong_elf(self):
        path = os.path.join(self.directory, "in")
        elf = os.path.join(self.directory, "firmware.elf")
        with open(path, "wb") as file:
            file.write(stream())
        os.symlink(OTHER_ELF, elf)
        self.start("-e", elf, path)
        self.wait_for("build ID(.|\n)*0x0000")
        os.symlink(ELF, elf + ".new")
        os.replace(elf + ".new", elf)  # as a linker does
        self.assertNotIn("build ID", self.wait_for("wait_cycles$"))

    def test_what_a_command_says_stands_behind(self):
        """A command's standard error does not go over the frames."""
        self.start("--", "sh", "-c", "'echo a word of the command >&2; sleep 1; exit 3'")
        self.wait_for("the source has ended")
        self.assertNotIn("a word of the command", self.screen())
        self.press("q")
        self.assertIn("a word of the command", self.wait_for(r"^status \d"))

    def test_a_serial_line_is_found_again(self):
        """A pseudo terminal takes the place of a device that was unplugged."""
        device = os.path.join(self.directory, "ttyACM0")
        first, slave = pty.openpty()
        os.symlink(os.ttyname(slave), device)
        os.close(slave)
        self.start("-e", ELF, "-b", "115200", device)
        self.wait_for("nothing received yet|quiet")
        half = len(stream()) // 2
        os.write(first, stream()[:half])
        text = self.wait_for("wait_cycles$")
        self.assertRegex(text, r"link \d+ %, [\d.]+ kB/s")
        os.close(first)
        self.wait_for(r"LINK LOST(.|\n)*No such file|LINK LOST(.|\n)*vanished")
        os.unlink(device)
        self.wait_for("LINK LOST(.|\n)*No such file")
        second, slave = pty.openpty()
        self.addCleanup(os.close, second)
        os.symlink(os.ttyname(slave), device)
        os.close(slave)
        self.wait_until_not("LINK LOST")
        os.write(second, stream()[half:])
        self.wait_for(r"the firmware stopped the profiler(.|\n)*link lost 1 time")
        self.press("C-c")
        self.wait_for("^status 0")


if __name__ == "__main__":
    unittest.main()
