# SPDX-License-Identifier: MIT
"""`ports` lists the serial devices that the kernel has, but no other terminals."""
import glob
import os
import pty
import stat
import unittest

from mcuprof_run import mcuprof


def devices():
    """The kernel's serial devices: terminals with a device and a driver behind them."""
    return {"/dev/" + path.split("/")[4] for path in glob.glob("/sys/class/tty/*/device/driver")}


class Ports(unittest.TestCase):
    def test_lists_what_the_kernel_has(self):
        leader, follower = pty.openpty()
        try:
            done = mcuprof("ports")
            terminal = os.ttyname(follower)
        finally:
            os.close(leader)
            os.close(follower)
        listed = [line.split()[0] for line in done.stdout.splitlines()[1:]]
        self.assertNotIn(terminal, listed)
        self.assertEqual(len(listed), len(set(listed)))
        self.assertLessEqual(set(listed), devices())
        # the kernel lists a PC's UARTs with or without a chip; `ports` only those with a chip
        plugged = {path for path in devices() if not path.startswith("/dev/ttyS")}
        self.assertLessEqual({path for path in plugged if os.path.exists(path)}, set(listed))
        for path in listed:
            self.assertTrue(stat.S_ISCHR(os.stat(path).st_mode), path)
        if listed:
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertRegex(done.stdout, r"\Asource +USB id +device\n")
        else:
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertIn("no serial device", done.stderr)

    def test_wrong_command_line(self):
        done = mcuprof("ports", "/dev/ttyUSB0")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("expected no argument, not '/dev/ttyUSB0'", done.stderr)


if __name__ == "__main__":
    unittest.main()
