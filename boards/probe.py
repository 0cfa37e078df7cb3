#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Stands in for a debug probe with RTT: runs an emulator whose RAM is a file, finds the control
block there, and passes on what the firmware writes, as OpenOCD's or J-Link's server does.

    boards/probe.py --ram MIB [--tcp] [--deaf] EMULATOR ARGUMENT...

Standard output gets the bytes; with --tcp the number of a TCP port, whose first client gets the
bytes, and whom the emulator waits for. --deaf: the probe reads nothing."""
import argparse
import mmap
import os
import socket
import subprocess
import sys
import tempfile
import time

IDENTIFIER = b"SEGGER RTT\0\0\0\0\0\0"
# Words of the control block, behind the identifier and two counts of buffers: the first buffer.
NAME, START, BYTES, WRITTEN, READ = range(6, 11)


class Ram:
    """The RAM as words and bytes. A pointer's low bits are its place in the file: both machines'
    RAM begins at a multiple of its size."""

    def __init__(self, file, size):
        file.truncate(size)
        self.bytes = mmap.mmap(file.fileno(), size)
        self.words = memoryview(self.bytes).cast("I")
        self.block = None

    def find(self):
        at = self.bytes.find(IDENTIFIER)
        if at >= 0:
            assert at % 4 == 0, "the control block is not aligned"
            self.block = at // 4
            assert (self.words[self.block + 4], self.words[self.block + 5]) == (1, 0)

    def take(self):
        """Returns the bytes that came since the last time."""
        if self.block is None:
            self.find()
            return b""
        start, size, written, read = (self.words[self.block + word]
                                      for word in (START, BYTES, WRITTEN, READ))
        assert written < size and read < size
        start %= len(self.bytes)
        parts = [(read, written)] if written >= read else [(read, size), (0, written)]
        got = b"".join(self.bytes[start + begin:start + end] for begin, end in parts)
        self.words[self.block + READ] = written
        return got


def first_client():
    with socket.create_server(("127.0.0.1", 0)) as server:
        print(server.getsockname()[1], flush=True)
        return server.accept()[0].makefile("wb")


def main():
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--ram", type=int, required=True)
    parser.add_argument("--tcp", action="store_true")
    parser.add_argument("--deaf", action="store_true")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    chosen = parser.parse_args()
    with tempfile.TemporaryFile(dir="/dev/shm") as file:
        ram = Ram(file, chosen.ram << 20)
        out = first_client() if chosen.tcp else sys.stdout.buffer
        memory = (f"memory-backend-file,id=ram,size={chosen.ram}M,share=on,"
                  f"mem-path=/proc/{os.getpid()}/fd/{file.fileno()}")
        first, *rest = chosen.command
        with subprocess.Popen([first, "-object", memory, "-machine", "memory-backend=ram", *rest],
                              stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL) as emulator:
            ended = False
            while not ended:
                ended = emulator.poll() is not None  # before the last look
                if not chosen.deaf:
                    out.write(ram.take())
                    out.flush()
                time.sleep(0.0005)
        return emulator.returncode


if __name__ == "__main__":
    sys.exit(main())
