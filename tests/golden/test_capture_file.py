# SPDX-License-Identifier: MIT
"""What happens to a capture's file while it is recorded."""
import fcntl
import os
import socket
import struct
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from mcuprof_run import ELF, mcuprof, stream  # noqa: E402
from test_record import RecordTest, wait_for  # noqa: E402


class CaptureFile(RecordTest):
    def setUp(self):
        super().setUp()
        self.half = stream()[:len(stream()) // 2]
        self.recorder = self.start("-", stdin=subprocess.PIPE)
        self.recorder.stdin.write(self.half)
        self.recorder.stdin.flush()
        wait_for(lambda: self.kept_bytes() == len(self.half), "half of it is there")

    def finish(self):
        return self.recorder.communicate(stream()[len(self.half):], timeout=120)[1].decode()

    def test_no_output_takes_its_place(self):
        link = self.output + ".link"
        os.symlink(self.output, link)
        other = self.path("other", stream())
        for command in (("export", "--to", "json"), ("merge",), ("html", "-e", ELF)):
            for name in (self.output, link):
                done = mcuprof(*command, "-o", name, other)
                self.assertIn(f"{name}: is locked: does another mcuprof record to it?", done.stderr)
                self.assertEqual(done.returncode, 3)
        self.finish()
        self.assertEqual(self.recorder.returncode, 0)
        self.assertEqual(self.kept(), stream())
        self.assertEqual(mcuprof("merge", "-o", self.output, other).returncode, 0)

    def assert_gone(self):
        said = self.finish()
        self.assertIn(f"{self.output}: was removed, moved or replaced while it was recorded",
                      said)
        self.assertNotIn("kept", said)
        self.assertEqual(self.recorder.returncode, 3)

    def test_removed(self):
        os.remove(self.output)
        self.assert_gone()

    def test_moved(self):
        os.rename(self.output, self.output + ".old")
        self.assert_gone()

    def test_removed_beside_another_name(self):
        os.link(self.output, self.output + ".link")
        os.remove(self.output)
        self.assert_gone()

    def test_replaced(self):
        os.rename(self.path("other", b"x"), self.output)
        self.assert_gone()
        self.assertEqual(self.kept(), b"x")

    def test_moved_to_another_name_and_back(self):
        os.rename(self.output, self.output + ".old")
        os.rename(self.output + ".old", self.output)
        self.finish()
        self.assertEqual(self.recorder.returncode, 0)


class LockedFile(RecordTest):
    def test_readers_lock_does_no_harm(self):
        capture = self.path("capture", stream())
        with open(self.path("out.json", b"old"), "rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH)
            done = mcuprof("export", "--to", "json", "-o", file.name, capture)
        self.assertEqual((done.returncode, done.stderr), (0, ""))


class CaptureOfFailedSource(RecordTest):
    def test_both_are_told(self):
        """The source's own error, and that the capture is gone."""
        listener = socket.create_server(("127.0.0.1", 0))
        recorder = self.start(f"tcp:127.0.0.1:{listener.getsockname()[1]}")
        client = listener.accept()[0]
        client.sendall(stream()[:100])
        wait_for(lambda: self.kept_bytes() == 100, "100 bytes are there")
        os.rename(self.output, self.output + ".old")
        client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        client.close()
        listener.close()
        said = recorder.communicate(timeout=120)[1].decode()
        self.assertIn("reset by peer after 100 bytes; ", said)
        self.assertIn("was removed, moved or replaced", said)
        self.assertEqual(recorder.returncode, 3)


if __name__ == "__main__":
    unittest.main()
