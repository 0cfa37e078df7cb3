# SPDX-License-Identifier: MIT
"""What happens to a capture's file while it is recorded."""
import os
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
        return self.recorder.communicate(stream()[len(self.half):], timeout=30)[1].decode()

    def test_no_output_takes_its_place(self):
        link = self.output + ".link"
        os.symlink(self.output, link)
        other = self.path("other", stream())
        for command in (("export", "--to", "json"), ("merge",), ("html", "-e", ELF)):
            for name in (self.output, link):
                done = mcuprof(*command, "-o", name, other)
                self.assertIn(f"{name}: another mcuprof records to it", done.stderr)
                self.assertEqual(done.returncode, 3)
        self.finish()
        self.assertEqual(self.recorder.returncode, 0)
        self.assertEqual(self.kept(), stream())
        self.assertEqual(mcuprof("merge", "-o", self.output, other).returncode, 0)

    def test_removed(self):
        os.remove(self.output)
        said = self.finish()
        self.assertIn(f"{self.output}: was removed or replaced while it was recorded", said)
        self.assertNotIn("kept", said)
        self.assertEqual(self.recorder.returncode, 3)


if __name__ == "__main__":
    unittest.main()
