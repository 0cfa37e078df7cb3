# SPDX-License-Identifier: MIT
"""Each view of the page lives where there is little or nothing to show: an empty profile, a
timeline, times or counts alone, and a page of `serve` before the first data."""
import json
import os
import re
import subprocess
import tempfile
import unittest

import pages
import wire


def made(folder, name, fill, **head):
    stream = wire.Stream(**head)
    fill(stream)
    path = os.path.join(folder, f"{name}.mprof")
    stream.write(path)
    return path


def nothing(stream):
    stream.end()


def timeline(stream):
    for number, name in enumerate(("first", "second"), 1):
        stream.task(number, name)
    stream.state(1000000, 0, 1)
    stream.steps(*[(2, 50), (wire.IRQ + 15, 20), (wire.RETURN, 10), (1, 100)] * 20)
    stream.end(totals=False)


def still(stream):
    """A timeline in which nothing ran."""
    stream.task(1, "first")
    stream.state(1000000, 0, 1)
    stream.end(totals=False)


def times(stream):
    stream.time(1000000, 0, 0, 0, 0)
    stream.call(0x8004, 0x8010, 1, 10, 10, 10, 10)
    stream.time(1000000, 0, 0, 0, 30000)
    stream.end()


def no_times(stream):
    """Timed calls whose clock stood still."""
    stream.time(1000000, 0, 0, 0, 0)
    stream.call(0x8004, 0x8010, 5, 0, 0, 0, 0)
    stream.time(1000000, 0, 0, 0, 0)
    stream.end()


def begun(stream):
    """The firmware said hello, and nothing else."""


def sample(stream):
    """One sample, outside of the program."""
    stream.path(wire.WHOLE, [], 0x2000)
    stream.totals()
    stream.end(totals=False)


PAGES = {
    "nothing": (nothing, {}),
    "begun": (begun, {}),
    "sampled": (begun, {"hz": 1000, "period": 1, "flags": wire.SAMPLES, "depth": 16}),
    "sample": (sample, {"hz": 1000, "period": 1, "flags": wire.SAMPLES, "depth": 16}),
    "timeline": (timeline, {"flags": wire.TELLS_TASKS}),
    "still": (still, {"flags": wire.TELLS_TASKS}),
    "times": (times, {}),
    "no_times": (no_times, {}),
}


class Empty(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        kept = tempfile.TemporaryDirectory()
        cls.addClassCleanup(kept.cleanup)
        cls.folder = kept.name
        cls.elf = pages.assemble(cls.folder, ["main", "work"], "app.elf")
        captures = {name: made(cls.folder, name, fill, **head)
                    for name, (fill, head) in PAGES.items()}
        urls = [cls.page(name, path) for name, path in captures.items()]
        urls += [cls.page(f"compared-{name}", "--before", captures[name], captures[name])
                 for name in ("times", "sample")]
        urls += [cls.broken(), cls.live()]
        ran = subprocess.run(["node", "tests/browser/empty.mjs", *urls], capture_output=True,
                             text=True, check=True, timeout=500)
        cls.told = [json.loads(line) for line in ran.stdout.splitlines()]
        assert len(cls.told) >= 15 * len(urls), ran.stdout

    @classmethod
    def page(cls, name, *arguments):
        out = os.path.join(cls.folder, f"{name}.html")
        pages.page(out, cls.elf, *arguments)
        return f"file://{out}"

    @classmethod
    def broken(cls):
        """A page whose tree of call paths is not as the flame graph wants it."""
        log = pages.write_paths(os.path.join(cls.folder, "run.log"), [[1, 0], [0]])
        url = cls.page("broken", "--hz", "1000", log)
        with open(url.removeprefix("file://"), "r+", encoding="utf-8") as file:
            html, times = re.subn(r'(<script id="tree"[^>]*>).*?(</script>)', r"\1{}\2",
                                  file.read())
            assert times == 1
            file.seek(0)
            file.truncate()
            file.write(html)
        return url

    @classmethod
    def live(cls):
        """A page of `serve` to which nothing has come."""
        process = subprocess.Popen([pages.MCUPROF, "serve", "-e", cls.elf, "-"],
                                   stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        cls.addClassCleanup(process.communicate)
        cls.addClassCleanup(process.kill)
        return re.search(r"http://\S+", process.stderr.readline())[0]

    def views(self, part):
        found = [view for view in self.told if part in view["url"]]
        self.assertTrue(found)
        return found

    def assert_alive(self, part):
        for view in self.views(part):
            with self.subTest(url=view["url"].rpartition("/")[2], address=view["address"]):
                self.assertEqual(view["said"], [])
                self.assertTrue(view["text"].strip())
                self.assertNotRegex(view["text"],
                                    r"NaN|Infinity|undefined|null|\[object|“”|cannot be shown")

    def test_little_to_show(self):
        for name in PAGES:
            self.assert_alive(f"/{name}.html")

    def test_compared(self):
        self.assert_alive("/compared-")

    def test_live_before_the_first_data(self):
        self.assert_alive("http://")

    def test_it_says_that_there_is_nothing(self):
        for view in [*self.views("/nothing.html"), *self.views("http://")]:
            self.assertIn("No function ", view["text"])

    def test_an_error_in_a_view_leaves_the_others(self):
        for view in self.views("/broken.html"):
            with self.subTest(address=view["address"]):
                failed = view["address"].startswith("#flame")
                self.assertEqual("This view cannot be shown" in view["text"], failed)
                self.assertTrue(view["text"].strip())


if __name__ == "__main__":
    unittest.main()
