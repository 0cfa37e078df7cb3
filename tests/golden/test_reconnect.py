# SPDX-License-Identifier: MIT
"""`mcuprof record --reconnect`: a source that is lost and found."""
import json
import os
import socket
import sys
import threading
import tty
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from mcuprof_run import mcuprof, stream  # noqa: E402
from test_record import RecordTest, wait_for  # noqa: E402


class Reconnect(RecordTest):
    def serve_parts(self, *parts):
        """Starts a server that sends one part a connection; returns its address."""
        server = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(server.close)
        server.settimeout(120)

        def send():
            for part in parts:
                peer = server.accept()[0]
                peer.sendall(part)
                peer.close()

        thread = threading.Thread(target=send)
        thread.start()
        self.addCleanup(thread.join)
        return f"tcp:127.0.0.1:{server.getsockname()[1]}"

    def test_what_comes_back_is_taken_up_again(self):
        whole, half = stream(), len(stream()) // 2
        spec = self.serve_parts(whole[:half], whole[half + 300:])
        done = mcuprof("record", "--reconnect", "-o", self.output, spec)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.kept(), whole[:half] + whole[half + 300:])
        gone, back, summary = done.stderr.splitlines()
        self.assertEqual(gone, f"mcuprof record: {spec}: gone (it is tried again)")
        self.assertRegex(back, r": back after \d\.\d s$")
        self.assertRegex(summary, r" lost.*; gone 1 time, \d\.\d s in all$")
        told = json.loads(mcuprof("info", "--json", self.output).stdout)
        everything = json.loads(mcuprof("info", "--json", self.path("all", whole)).stdout)
        for kind in ("samples", "arcs"):
            self.assertEqual(told[kind]["received"] + told[kind]["lost"],
                             everything[kind]["received"])
        self.assertGreater(told["arcs"]["lost"], 0)

    def plug_in(self, name):
        """Makes a terminal that this name leads to; returns its other end."""
        master, slave = os.openpty()
        tty.setraw(slave)
        os.symlink(os.ttyname(slave), name)
        return master, slave

    def test_a_device_that_is_plugged_in_again(self):
        device, half = self.path("tty"), len(stream()) // 2
        ends = self.plug_in(device)
        process = self.start("--reconnect", device)
        os.write(ends[0], stream()[:half])
        wait_for(lambda: self.kept_bytes() == half, "the bytes are in the file")
        os.unlink(device)
        for end in ends:
            os.close(end)
        gone = process.stderr.readline().decode()
        self.assertIn(f"{device}: vanished after {half} bytes (it is tried again)", gone)
        ends = self.plug_in(device)
        self.assertRegex(process.stderr.readline().decode(), r": back after \d+\.\d s$")
        os.write(ends[0], stream()[half:])
        stderr = process.communicate(timeout=120)[1].decode()
        for end in ends:
            os.close(end)
        self.assertRegex(stderr, r" all .* received; gone 1 time, \d+\.\d s in all$")
        self.assertEqual((process.returncode, self.kept()), (0, stream()))

    def test_what_does_not_come_back(self):
        half = stream()[:len(stream()) // 2]
        done = mcuprof("record", "-o", self.output, self.serve_parts(half))
        self.assertIn("the input ended without an end record", done.stderr)
        done = mcuprof("record", "--reconnect", "-o", self.output, self.path("half", half))
        self.assert_one_line(done.stderr, "the input ended without an end record")
        done = mcuprof("record", "--reconnect", "-d", "3", "-o", self.output,
                       self.serve_parts(half))
        self.assertRegex(done.stderr.splitlines()[-1], "gone 1 time, .*; the time is up$")
        self.assertEqual((done.returncode, self.kept()), (0, half))


if __name__ == "__main__":
    unittest.main()
