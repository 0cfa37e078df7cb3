# SPDX-License-Identifier: MIT
"""tests/run.py: a test that fails, crashes or is skipped for another reason than the two allowed
ones is a failure, and so is a module without tests."""
import os
import sys
import tempfile
import unittest
from unittest import mock

sys.path.insert(0, "tests")
import run  # noqa: E402

BOARD = "of another board than virt"
JUDGE = "avr-gprof is version 2.41, the judge 2.26"


def module(body):
    """Runs a module with this body; returns (passed, failed)."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "test_made.py")
        with open(path, "w", encoding="utf-8") as file:
            file.write("import unittest\nSkip = unittest.SkipTest\n" + body)
        return run.run(path)[1:3]


def tests(*bodies):
    """Returns the text of a class whose tests have these bodies."""
    lines = [f"    def test_{i}(self):\n        {body}\n" for i, body in enumerate(bodies)]
    return "class Made(unittest.TestCase):\n" + "".join(lines)


def skip(reason):
    return f"raise Skip({reason!r})"


@mock.patch.dict(os.environ)
class Run(unittest.TestCase):
    def setUp(self):
        os.environ.pop("CHECK_BOARD", None)

    def test_passes_and_failures(self):
        self.assertEqual(module(tests("pass", "self.fail()", "1 / 0")), (1, 2))

    def test_no_test(self):
        self.assertEqual(module("x = 1\n"), (0, 1))
        self.assertEqual(module("1 / 0\n"), (0, 1))

    def test_ends_amid(self):
        self.assertEqual(module(tests("pass", "import os; os._exit(0)"))[1], 1)

    def test_skips_are_failures(self):
        for reason in ("no tool", "", "it's \"quoted\"", "two\nlines", BOARD, JUDGE):
            with self.subTest(reason=reason), mock.patch("run.is_debian_12", lambda: True):
                self.assertEqual(module(tests("pass", skip(reason))), (1, 1))

    def test_skips_of_classes_and_modules_are_failures(self):
        for body in (tests("pass", "pass") + "    @classmethod\n    def setUpClass(cls):\n"
                     "        raise Skip('no tool')\n",
                     "def setUpModule():\n    raise Skip('no tool')\n" + tests("pass")):
            self.assertEqual(module(body), (0, 1))
        self.assertEqual(module("@unittest.skip('no tool')\n" + tests("pass", "pass")), (0, 2))

    def test_another_board(self):
        os.environ["CHECK_BOARD"] = "virt"
        self.assertEqual(module(tests("pass", skip(BOARD))), (1, 0))
        self.assertEqual(module(tests("pass", skip(BOARD), skip("no tool"))), (1, 1))
        self.assertEqual(module(tests("pass", skip(BOARD + "; no tool"))), (1, 1))

    def test_subtests_of_another_board(self):
        """A test of which some subtests are of this board passes if those do."""
        def loop(*bodies):
            return tests("pass", f"""for body in {bodies!r}:
            with self.subTest(body):
                exec(body)""")
        os.environ["CHECK_BOARD"] = "virt"
        self.assertEqual(module(loop("pass", skip(BOARD))), (2, 0))
        self.assertEqual(module(loop(skip(BOARD), "pass", skip(BOARD))), (2, 0))
        self.assertEqual(module(loop(skip(BOARD), skip(BOARD))), (1, 0))
        self.assertEqual(module(loop("pass", skip("no tool"))), (1, 1))
        self.assertEqual(module(loop("pass", skip(BOARD), "1 / 0")), (1, 1))
        self.assertEqual(module(loop("pass", skip(BOARD), "1 / 0", "1 / 0")), (1, 2))

    def test_what_a_test_prints(self):
        """Output may stand between a test's name and its skip, and is not taken for a skip."""
        os.environ["CHECK_BOARD"] = "virt"
        told = f"print('\\nskipped \"{BOARD}\"'); "
        self.assertEqual(module(tests("pass", "print('line'); " + skip(BOARD))), (1, 0))
        self.assertEqual(module(tests("pass", "print('line'); " + skip("no tool"))), (1, 1))
        self.assertEqual(module(tests("pass", told + "self.fail()"))[1], 1)
        self.assertEqual(module(tests("pass", told + skip("no tool")))[1], 1)

    def test_another_judge(self):
        with mock.patch("run.is_debian_12", lambda: False):
            self.assertEqual(module(tests("pass", skip(JUDGE))), (1, 0))
            self.assertEqual(module(tests("pass", skip("no tool"))), (1, 1))


if __name__ == "__main__":
    unittest.main()
