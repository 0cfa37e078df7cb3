# SPDX-License-Identifier: MIT
"""mcuprof record: every source, every way to end, and what is kept after an error."""
import fcntl
import os
import pty
import re
import resource
import select
import shlex
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from mcuprof_run import (ELF, EMULATOR, OTHER_ELF, PROGRAM, hello_bytes, mcuprof,
                         stream)  # noqa: E402

ALL = re.compile(r"bytes in [\d.]+ s, all [\d,]+ calls and [\d,]+ samples received\n$")


def wait_for(condition, what):
    for _ in range(3000):
        if condition():
            return
        time.sleep(0.02)
    raise AssertionError(f"waited in vain until {what}")


class RecordTest(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = directory.name
        self.output = self.path("out.mprof")

    def path(self, name, content=None):
        path = os.path.join(self.directory, name)
        if content is not None:
            with open(path, "wb") as file:
                file.write(content)
        return path

    def kept(self):
        with open(self.output, "rb") as file:
            return file.read()

    def kept_bytes(self):
        return os.path.getsize(self.output) if os.path.exists(self.output) else -1

    def start(self, *arguments, **options):
        """Starts the program."""
        options.setdefault("stderr", subprocess.PIPE)
        options.setdefault("stdout", subprocess.PIPE)
        options.setdefault("stdin", subprocess.DEVNULL)
        process = subprocess.Popen([PROGRAM, "record", "-o", self.output, *arguments],
                                   **options)
        self.addCleanup(self.end, process)
        return process

    @staticmethod
    def end(process):
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout, process.stderr):
            if pipe is not None:
                pipe.close()

    def assert_one_line(self, text, *parts):
        self.assertTrue(text.startswith("mcuprof record: "), text)
        self.assertEqual(text.count("\n"), 1, text)
        for part in parts:
            self.assertIn(part, text)


class SourceTest(RecordTest):
    def assert_recorded(self, status, stdout, stderr):
        self.assertEqual(stderr.count("\n"), 1, stderr)
        self.assertRegex(stderr, ALL)
        self.assertEqual(status, 0)
        self.assertEqual(self.kept(), stream())
        self.assertIn("beat 0, brightness 145", stdout)

    def test_file(self):
        done = mcuprof("record", "-o", self.output, self.path("in", stream()))
        self.assert_recorded(done.returncode, done.stdout, done.stderr)

    def test_record_and_report_in_one(self):
        done = mcuprof(ELF, "-o", self.output, self.path("in", stream()))
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stderr, ALL)
        report = mcuprof("report", "-e", ELF, self.output).stdout
        self.assertIn("beat 0, brightness 145", done.stdout)
        self.assertTrue(done.stdout.endswith("\n" + report), done.stdout)
        self.assertIn("Flat profile", report)
        broken = mcuprof(ELF, "-o", self.output, self.path("none", b""), "--bogus")
        self.assertEqual((broken.returncode, broken.stdout), (2, ""))

    def test_text_without_a_profile(self):
        done = mcuprof(ELF, "-o", self.output, self.path("in", b"hello\n" * 50))
        self.assertEqual(done.stdout, "hello\n" * 50)  # and no report
        self.assertIn("the firmware prints, but nothing came from the profiler: does it call "
                      "mcuprof_start(), and is this the profiler's UART, not the console's?; kept in ",
                      done.stderr)
        self.assertEqual(done.returncode, 3)
        done = mcuprof(ELF, "-o", self.output, self.path("in", bytes(range(256))))
        self.assertIn("with the profiler started?", done.stderr)  # a wrong rate, more likely

    def test_two_runs_in_one_file(self):
        done = mcuprof("record", "-o", self.output, self.path("in", stream() * 2))
        self.assertEqual(done.returncode, 0)
        self.assertEqual(self.kept(), stream() * 2)

    def test_standard_input(self):
        done = mcuprof("record", "-o", self.output, "-", input=stream())
        self.assert_recorded(done.returncode, done.stdout, done.stderr)

    def test_command(self):
        done = mcuprof("record", "-e", ELF, "-o", self.output, "--", *EMULATOR)
        self.assert_recorded(done.returncode, done.stdout, done.stderr)

    def test_command_goes_on_after_the_end_record(self):
        at = shlex.quote(self.path("in", stream()))
        begun = time.monotonic()
        done = mcuprof("record", "-o", self.output, "--", "sh", "-c",
                       f"cat {at}; exec sleep 50")
        self.assert_recorded(done.returncode, done.stdout, done.stderr)
        self.assertLess(time.monotonic() - begun, 20)

    def test_command_may_be_ahead(self):
        """An emulator that finds its pipe full may lose an interrupt: it holds 1 MiB."""
        done = mcuprof("record", "-o", self.output, "--", "python3", "-c",
                       "import fcntl; fcntl.fcntl(1, fcntl.F_GETPIPE_SZ) >= 1 << 20 or exit(7)")
        self.assert_one_line(done.stderr, "python3: nothing received: does the command run ")

    def test_named_pipe(self):
        pipe = self.path("pipe")
        os.mkfifo(pipe)
        process = self.start(pipe)
        with open(pipe, "wb") as file:
            file.write(stream())
        stdout, stderr = process.communicate(timeout=120)
        self.assert_recorded(process.returncode, stdout.decode(), stderr.decode())

    def serve(self, family, address, spec):
        server = socket.socket(family)
        self.addCleanup(server.close)
        server.bind((address, 0))
        server.listen()
        server.settimeout(120)

        def send():
            peer = server.accept()[0]
            for at in range(0, len(stream()), 50):
                peer.sendall(stream()[at:at + 50])
                time.sleep(0.01)
            peer.close()

        thread = threading.Thread(target=send)
        thread.start()
        done = mcuprof("record", "-o", self.output,
                       f"tcp:{spec}:{server.getsockname()[1]}")
        self.assert_recorded(done.returncode, done.stdout, done.stderr)
        thread.join()

    def test_tcp(self):
        self.serve(socket.AF_INET, "127.0.0.1", "127.0.0.1")

    def test_tcp_by_name(self):
        self.serve(socket.AF_INET, "127.0.0.1", "localhost")

    def test_output_to_standard_output(self):
        done = mcuprof("record", "-o", "-", self.path("in", stream()))
        self.assertEqual(done.raw, stream())
        self.assertIn("beat 0, brightness 145", done.stderr)
        self.assertRegex(done.stderr, ALL)

    def test_default_output(self):
        done = mcuprof("record", self.path("in", stream()), cwd=self.directory)
        self.assertEqual(done.returncode, 0)
        self.output = self.path("mcuprof.mprof")
        self.assertEqual(self.kept(), stream())


class SerialTest(RecordTest):
    def setUp(self):
        super().setUp()
        self.master, slave = os.openpty()
        self.addCleanup(self.hang_up)
        self.device = os.ttyname(slave)
        os.close(slave)

    def hang_up(self):
        if self.master >= 0:
            os.close(self.master)
        self.master = -1

    def is_raw(self):
        return termios.tcgetattr(self.master)[3] & termios.ECHO == 0

    def rates(self):
        """Returns the line's rates in and out, from struct termios2."""
        tcgets2 = 0x802c542a
        line = fcntl.ioctl(self.master, tcgets2, bytes(44))
        return struct.unpack_from("II", line, 36)

    def start_raw(self, *arguments):
        process = self.start(*arguments, self.device)
        wait_for(self.is_raw, "the line is raw")
        return process

    def test_until_the_end_record(self):
        process = self.start_raw("--baud", "57600")
        self.assertEqual(self.rates(), (57600, 57600))
        os.write(self.master, stream())
        stdout, stderr = process.communicate(timeout=120)
        self.assertRegex(stderr.decode(), ALL)
        self.assertEqual(process.returncode, 0)
        self.assertEqual(self.kept(), stream())
        self.assertIn(b"brightness", stdout)

    def test_silence_names_what_to_look_at(self):
        process = self.start_raw("-b", "57600", "-d", "0.2")
        _, stderr = process.communicate(timeout=120)
        self.assertEqual(process.returncode, 3)
        self.assert_one_line(stderr.decode(), "nothing received at 57600 baud: look at the device")
        for word in ("mcuprof ports", "pins", "--baud", "mcuprof_start()", "transmit interrupt"):
            self.assertIn(word, stderr.decode())

    def test_odd_rate(self):
        process = self.start_raw("-b", "123457")
        os.write(self.master, stream())
        process.communicate(timeout=120)
        self.assertEqual(process.returncode, 0)
        self.assertEqual(self.rates(), (123457, 123457))

    def receive_half(self):
        process, half = self.start_raw(), stream()[:len(stream()) // 2]
        os.write(self.master, half)
        wait_for(lambda: self.kept_bytes() == len(half), "the bytes are in the file")
        return process, half

    def test_vanishes(self):
        process, half = self.receive_half()
        self.hang_up()
        stderr = process.communicate(timeout=120)[1].decode()
        self.assert_one_line(stderr, f"{self.device}: vanished after {len(half)} bytes; "
                                     f"kept in {self.output}: {len(half)} bytes, ")
        self.assertEqual(process.returncode, 3)
        self.assertEqual(self.kept(), half)

    def test_killed(self):
        """kill -9 loses nothing that was received."""
        process, half = self.receive_half()
        process.kill()
        process.wait(timeout=120)
        self.assertEqual(self.kept(), half)
        done = mcuprof("info", self.output)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("more may be lost", done.stdout)

    def test_vanishes_before_a_byte(self):
        process = self.start_raw()
        self.hang_up()
        stderr = process.communicate(timeout=120)[1].decode()
        self.assert_one_line(stderr, f"{self.device}: vanished after 0 bytes\n")
        self.assertEqual(process.returncode, 3)

    def test_two_readers(self):
        first = self.start_raw()
        done = mcuprof("record", "-o", self.path("second"), self.device)
        self.assert_one_line(done.stderr, f"{self.device}: in use by another program")
        self.assertEqual(done.returncode, 3)
        os.write(self.master, stream())
        first.communicate(timeout=120)
        self.assertEqual(first.returncode, 0)


class EndTest(RecordTest):
    def start_half(self, *arguments):
        """Starts a command that sends half of the stream and then nothing for long."""
        self.half = stream()[:len(stream()) // 2]
        at = shlex.quote(self.path("in", self.half))
        process = self.start(*arguments, "--", "sh", "-c",
                             f"echo $$ >{self.directory}/pid; cat {at}; exec sleep 50")
        wait_for(lambda: self.kept_bytes() == len(self.half), "half is in the file")
        return process

    def assert_command_gone(self):
        with open(self.path("pid"), encoding="ascii") as file:
            pid = int(file.read())
        with self.assertRaises(ProcessLookupError):
            os.kill(pid, 0)

    def assert_stopped(self, process, how):
        stderr = process.communicate(timeout=120)[1].decode()
        self.assert_one_line(stderr, f"{self.output}: {len(self.half):,} bytes in ", how)
        self.assertEqual(process.returncode, 0)
        self.assertEqual(self.kept(), self.half)
        self.assert_command_gone()
        self.assertEqual(mcuprof("info", self.output).returncode, 0)

    def test_interrupt(self):
        process = self.start_half()
        process.send_signal(signal.SIGINT)
        self.assert_stopped(process, "; stopped by Ctrl-C\n")

    def test_terminate(self):
        process = self.start_half()
        process.send_signal(signal.SIGTERM)
        self.assert_stopped(process, "; stopped by a signal\n")

    def test_interrupt_before_a_byte(self):
        process = self.start("--", "sleep", "50")
        wait_for(lambda: self.kept_bytes() == 0, "the file is there")
        process.send_signal(signal.SIGINT)
        stderr = process.communicate(timeout=120)[1].decode()
        self.assert_one_line(stderr, "no events received; stopped by Ctrl-C")
        self.assertEqual(process.returncode, 0)

    def test_duration(self):
        begun = time.monotonic()
        process = self.start_half("--duration", "2")
        self.assert_stopped(process, "; the time is up\n")
        self.assertGreaterEqual(time.monotonic() - begun, 2)

    def test_duration_without_a_byte(self):
        done = mcuprof("record", "-o", self.output, "-d", "0.2", "--", "sleep", "50")
        self.assert_one_line(done.stderr, "sleep: nothing received")
        self.assertEqual(done.returncode, 3)

    def test_end_of_input_without_an_end_record(self):
        half = stream()[:len(stream()) // 2]
        done = mcuprof("record", "-o", self.output, "-", input=half)
        self.assert_one_line(done.stderr, "; the input ended without an end record\n")
        self.assertEqual(done.returncode, 0)

    def test_strict(self):
        whole = mcuprof("record", "--strict", "-o", self.output, "-", input=stream())
        self.assertEqual(whole.returncode, 0)
        # A flipped bit in one record is repaired.
        data = bytearray(stream())
        starts = [at for at, byte in enumerate(data) if byte & 0x80]
        middle = len(starts) // 2
        data[starts[middle] + 1] ^= 1
        done = mcuprof("record", "--strict", "-o", self.output, "-", input=bytes(data))
        self.assert_one_line(done.stderr, "received, 1 repaired\n")
        self.assertEqual(done.returncode, 0)
        # A second damaged record near by is one too many.
        data[starts[middle + 3] + 1] ^= 1
        done = mcuprof("record", "--strict", "-o", self.output, "-", input=bytes(data))
        self.assert_one_line(done.stderr, "2 damaged records discarded")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(self.kept(), bytes(data))

    def test_command_fails(self):
        at = shlex.quote(self.path("in", stream()[:len(stream()) // 2]))
        done = mcuprof("record", "-o", self.output, "--", "sh", "-c", f"cat {at}; exit 9")
        self.assertIn("sh: the command ended with exit status 9\n", done.stderr)
        done = mcuprof("record", "-o", self.output, "--", "sh", "-c", "kill -SEGV $$")
        self.assertIn("killed by signal 11", done.stderr)
        self.assertEqual(done.returncode, 3)

    def test_one_byte_is_no_bytes(self):
        for sent, says in (("x", ": 1 byte, "), ("xy", ": 2 bytes, ")):
            done = mcuprof("record", "-o", self.output, "--", "sh", "-c", f"printf {sent}")
            self.assertIn(says, done.stderr)

    def test_command_missing(self):
        done = mcuprof("record", "-o", self.output, "--", "/nonexistent/emulator")
        self.assert_one_line(done.stderr, "/nonexistent/emulator: cannot run: No such file")
        self.assertEqual(done.returncode, 3)


class OutputTest(RecordTest):
    def test_full_disk(self):
        done = mcuprof("record", "-o", "/dev/full", self.path("in", stream()))
        self.assert_one_line(done.stderr,
                             "/dev/full: No space left on device after 0 bytes\n")
        self.assertEqual(done.returncode, 3)

    def test_file_size_limit(self):
        limit = 4096
        data = stream() * (3 * limit // len(stream()))

        def limit_files():
            signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

        done = mcuprof("record", "-o", self.output, "-", input=data,
                       preexec_fn=limit_files)
        self.assert_one_line(done.stderr, f"{self.output}: File too large after 4096 bytes",
                             f"; kept in {self.output}: 4096 bytes")
        self.assertEqual(done.returncode, 3)
        self.assertEqual(self.kept(), data[:limit])
        told = re.search(r"([\d,]+) calls and ([\d,]+) samples", done.stderr).groups()
        self.assertIn(f"{told[0]} calls and {told[1]} samples",
                      mcuprof("info", self.output).stdout)

    def test_two_recorders_to_one_file(self):
        half = stream()[:len(stream()) // 2]
        first = self.start("-", stdin=subprocess.PIPE)
        first.stdin.write(half)
        first.stdin.flush()
        wait_for(lambda: self.kept_bytes() == len(half), "half of it is there")
        done = mcuprof("record", "-o", self.output, "-", input=b"x")
        self.assert_one_line(done.stderr, f"{self.output}: another mcuprof records to it")
        self.assertEqual(done.returncode, 3)
        first.stdin.write(stream()[len(half):])
        first.communicate(timeout=30)
        self.assertEqual(first.returncode, 0)
        self.assertEqual(self.kept(), stream())

    def test_closed_pipe(self):
        reader, writer = os.pipe()
        os.close(reader)
        done = mcuprof("record", "-o", "-", self.path("in", stream()), stdout=writer)
        os.close(writer)
        self.assert_one_line(done.stderr, "standard output: Broken pipe after 0 bytes\n")
        self.assertEqual(done.returncode, 3)

    def test_nobody_reads_the_console_text(self):
        reader, writer = os.pipe()
        os.close(reader)
        done = mcuprof("record", "-o", self.output, self.path("in", stream()),
                       stdout=writer)
        os.close(writer)
        self.assertRegex(done.stderr, ALL)
        self.assertEqual(done.returncode, 0)
        self.assertEqual(self.kept(), stream())

    def test_earlier_capture_survives_a_wrong_source(self):
        self.path("out.mprof", b"earlier")
        done = mcuprof("record", "-o", self.output, "/nonexistent/tty")
        self.assertEqual(done.returncode, 3)
        self.assertEqual(self.kept(), b"earlier")

    def test_onto_itself(self):
        self.path("out.mprof", stream())
        done = mcuprof("record", "-o", self.output, self.output)
        self.assert_one_line(done.stderr, "is both the source and the capture")
        self.assertEqual(done.returncode, 2)
        self.assertEqual(self.kept(), stream())

    def test_is_on_disk_at_once(self):
        process = self.start("-", stdin=subprocess.PIPE)
        for at in range(0, 60, 20):
            process.stdin.write(stream()[at:at + 20])
            process.stdin.flush()
            wait_for(lambda end=at + 20: self.kept_bytes() == end, "the bytes are there")
        process.stdin.write(stream()[60:])
        process.communicate(timeout=120)
        self.assertEqual(process.returncode, 0)


class ElfTest(RecordTest):
    def test_wrong_elf(self):
        process = self.start("-e", OTHER_ELF, "-", stdin=subprocess.PIPE)
        process.stdin.write(stream()[:hello_bytes()])
        process.stdin.flush()
        # The program does not wait for the rest.
        self.assertEqual(process.wait(timeout=120), 3)
        stderr = process.stderr.read().decode()
        ids = re.findall(r"\b[0-9a-f]{40}\b", stderr)
        self.assertEqual(len(set(ids)), 2, stderr)
        self.assert_one_line(stderr, OTHER_ELF, f"; kept in {self.output}: ")
        self.assertEqual(self.kept(), stream()[:hello_bytes()])

    def test_forced(self):
        done = mcuprof("record", "--force", "-e", OTHER_ELF, "-o", self.output, "-",
                       input=stream())
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.kept(), stream())

    def test_right_elf(self):
        done = mcuprof("record", "-e", ELF, "-o", self.output, "-", input=stream())
        self.assertEqual(done.returncode, 0, done.stderr)


class TerminalTest(RecordTest):
    """The command as users see it: both outputs are one terminal of 80 columns."""

    def watch(self, *arguments, interrupt_at=None):
        pid, terminal = pty.fork()
        if pid == 0:
            os.execv(PROGRAM, [PROGRAM, "record", "-o", self.output, *arguments])
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        screen = b""
        end = time.monotonic() + 120
        while time.monotonic() < end:
            if select.select([terminal], [], [], 0.1)[0]:
                try:
                    screen += os.read(terminal, 65536)
                except OSError:  # no process has the terminal open any more
                    break
            if interrupt_at is not None and interrupt_at in screen:
                os.write(terminal, b"\x03")  # Ctrl-C on the keyboard
                interrupt_at = None
        status = os.waitpid(pid, 0)[1]
        os.close(terminal)
        return os.waitstatus_to_exitcode(status), screen.decode("latin-1")

    @staticmethod
    def rendered(screen):
        """Returns the lines that stay on the screen, after carriage return and erase-to-end."""
        lines = []
        for line in screen.replace("\r\n", "\n").split("\n"):
            shown = ""
            for part in re.split(r"(\r|\x1b\[K)", line):
                if part == "\r":
                    column = 0
                    rest = shown
                elif part == "\x1b[K":
                    shown = shown[:column]
                elif part:
                    rest = shown
                    column = len(part) if "\r" in line else len(shown) + len(part)
                    shown = part + rest[len(part):] if "\r" in line else shown + part
            lines.append(shown)
        return lines

    def slow(self, data, pause="0.15", size=20):
        """Returns a command that sends the data in small pieces."""
        path = self.path("slow", data)
        return ["--", sys.executable, "-c",
                "import os, sys, time\n"
                f"data = open({path!r}, 'rb').read()\n"
                f"for at in range(0, len(data), {size}):\n"
                f"    os.write(1, data[at:at + {size}]); time.sleep({pause})\n"]

    def test_status_line_and_console_text(self):
        status, screen = self.watch("-e", ELF, *self.slow(stream()))
        self.assertEqual(status, 0)
        drawn = re.findall(r"\r([\d.]+ s  [^\x1b]*)\x1b\[K", screen)
        self.assertGreater(len(drawn), 5)
        self.assertTrue(all(len(line) <= 79 for line in drawn))
        self.assertRegex(drawn[-1], r"\d samples?  .*/s.* % \w+")
        text = [line for line in self.rendered(screen) if line]
        end = next(i for i, line in enumerate(text) if line.startswith("mcuprof record: next:"))
        self.assertEqual(" ".join(line.strip() for line in text[end:]), "mcuprof record: next: "
                         f"mcuprof report -e {ELF} {self.output}")
        text = text[:4] + [" ".join(line.strip() for line in text[4:end])]
        self.assertEqual(text[:-1], [f"beat {n}, brightness {b}" for n, b in
                                     ((0, 145), (25, 153), (50, 166), (75, 163))])
        self.assertRegex(text[-1] + "\n", ALL)

    def test_ctrl_c_reaches_only_the_program(self):
        half = stream()[:len(stream()) // 2]
        path = shlex.quote(self.path("in", half))
        status, screen = self.watch(
            "--", "sh", "-c", f"trap 'echo interrupted >&2' INT; cat {path}; sleep 50",
            interrupt_at=f"{len(half):,} bytes".encode())
        self.assertEqual(status, 0)
        self.assertIn("; stopped by Ctrl-C", self.words(screen))
        self.assertNotIn("interrupted", screen)
        self.assertEqual(self.kept(), half)

    def test_control_characters_are_shown(self):
        wild = b"a\x1b[2Jb\x07\x7f\tc\n"
        status, screen = self.watch(*self.slow(wild + stream(), "0", 4096))
        self.assertEqual(status, 0)
        self.assertIn("a\\x1b[2Jb\\x07\\x7f\tc\r\n", screen)

    def test_files_get_the_text_as_it_is(self):
        wild = b"a\x1b[2Jb\x07\x7f\tc\n"
        done = mcuprof("record", "-o", self.output, "-", input=wild + stream())
        self.assertTrue(done.raw.startswith(wild), done.raw[:40])

    def test_unfinished_line(self):
        at = stream().rindex(b"\n", 0, -1)
        status, screen = self.watch(*self.slow(b"no newline " + stream()[:at], "0", 4096))
        self.assertEqual(status, 0)
        self.assertIn("no newline", screen)
        self.assertTrue(self.rendered(screen)[-2].startswith("mcuprof record: "), screen)

    def test_hint_when_nothing_comes(self):
        status, screen = self.watch("-d", "5.5", "--", "sleep", "50")
        self.assertEqual(status, 3)
        self.assertEqual(screen.count("nothing received yet: is the profiler started"), 1)

    def words(self, screen):
        return re.sub(r"\s+", " ", " ".join(self.rendered(screen)))

    def test_hint_when_nonsense_comes(self):
        status, screen = self.watch("-d", "5.5", "--", "sh", "-c", "printf '\\201\\202'; sleep 50")
        self.assertEqual(status, 3)
        self.assertIn("2 bytes, but no profile record yet: is the baud rate right, the profiler "
                      "started?", self.words(screen))

    def test_hint_when_only_text_comes(self):
        status, screen = self.watch("-d", "5.5", "--", "sh", "-c", "echo hello; sleep 50")
        self.assertEqual(status, 3)
        self.assertEqual(self.words(screen).count("the firmware prints, but nothing came from "
                                                  "the profiler: does it call mcuprof_start(), "
                                                  "and is this"), 2)

    def test_firmware_that_never_flushed(self):
        half = self.path("half", stream()[:len(stream()) // 2])
        status, screen = self.watch("-e", ELF, half)
        self.assertEqual(status, 0)
        words = self.words(screen)
        self.assertIn("may still be in the firmware, which did not flush at the end", words)
        self.assertIn("mcuprof record: call mcuprof_flush() now and then", words)
        self.assertTrue(words.strip().endswith(f"next: mcuprof report -e {ELF} {self.output}"), words)
        for line in screen.replace("\x1b[K", "").splitlines():
            self.assertLessEqual(len(line), 80)


if __name__ == "__main__":
    unittest.main()
