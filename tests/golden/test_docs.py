# SPDX-License-Identifier: MIT
"""The documentation's worked example decodes to what it says; links in it lead somewhere."""
import glob
import json
import os
import re
import subprocess
import tempfile
import unittest


def mcuprof(*arguments):
    ran = subprocess.run(["build/mcuprof", *arguments], capture_output=True, text=True,
                         check=True, timeout=60)
    return ran.stdout


class Docs(unittest.TestCase):
    def example(self):
        """The bytes of the listing, and its lines of explanation."""
        with open("docs/wire.md", encoding="utf-8") as file:
            listing = re.search(r"```hex\n(.*?)```", file.read(), re.S).group(1)
        data = b""
        for line in listing.splitlines():
            octets = re.match(r"(?:[0-9a-f]{2} ?)*(?= |$)", line)
            data += bytes.fromhex(octets.group(0))
        return data, listing

    def test_worked_example(self):
        data, listing = self.example()
        with tempfile.NamedTemporaryFile(suffix=".mprof") as file:
            file.write(data)
            file.flush()
            info = json.loads(mcuprof("info", "--json", file.name))
            model = json.loads(mcuprof("export", "--to", "json", file.name))
        self.assertTrue(info["complete"])
        self.assertEqual((info["damaged"], info["console_bytes"]), (0, 10))
        self.assertEqual(info["hz"], 1000)
        self.assertEqual(info["arcs"], {"received": 1974, "lost": 0})
        self.assertEqual(info["samples"], {"received": 4, "lost": 0})
        words = re.findall(r" = ((?:[0-9a-f]{2} ?){4})", listing)
        self.assertEqual(info["build_id"], "".join(words).replace(" ", ""))
        said = [(int(site, 16), int(callee, 16), int(count or 1)) for site, callee, count in
                re.findall(r"call site (0x\w+)\n.*callee (0x\w+)(?:\n.*count (\d+))?", listing)]
        self.assertEqual({(a["from"], a["to"], a["count"]) for a in model["arcs"]}, set(said))
        self.assertEqual(sorted(s["address"] for s in model["samples"]),
                         sorted(int(pc, 16) for pc in re.findall(r"pc (0x\w+)", listing)))

    def test_links(self):
        for path in glob.glob("*.md") + glob.glob("*/*.md"):
            with open(path, encoding="utf-8") as file:
                for link in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", file.read()):
                    self.assertTrue(os.path.exists(os.path.join(os.path.dirname(path), link)),
                                    f"{path}: {link}")


if __name__ == "__main__":
    unittest.main()
