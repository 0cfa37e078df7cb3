# SPDX-License-Identifier: MIT
"""`mcuprof serve` shows the page while the capture comes: to a browser on this machine, and to
nobody else."""
import contextlib
import http.client
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import unittest

import pages

firmware = pages.firmware
LIMIT_SECONDS = 120


class Serve(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        run = firmware.Run("microbit", "blinky", "-DMCUPROF_SAMPLE_HZ=4000")
        cls.elf = run.elf
        with open(run.capture, "rb") as file:
            cls.capture = file.read()
        report = subprocess.run([pages.MCUPROF, "export", "--to", "json", "-e", run.elf,
                                 run.capture], capture_output=True, check=True)
        cls.model = json.loads(report.stdout)

    def start(self, *options):
        """Starts the command with a pipe from this program as its source; sets `port`."""
        process = subprocess.Popen([pages.MCUPROF, "serve", "-e", self.elf, *options, "-"],
                                   stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE)
        self.addCleanup(self.end, process)
        said = process.stderr.readline().decode()
        while "warning" in said:
            said = process.stderr.readline().decode()
        url = re.fullmatch(r"mcuprof serve: (http://127\.0\.0\.1:(\d+)/)\n", said)
        self.assertIsNotNone(url, said)
        self.url, self.port = url[1], int(url[2])
        return process

    def end(self, process):
        if process.poll() is None:
            process.kill()
        process.stdin.close()
        process.stderr.close()
        process.wait()

    def send(self, process, part):
        process.stdin.write(part)
        process.stdin.flush()

    def ask(self, path, method="GET", **headers):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=LIMIT_SECONDS)
        self.addCleanup(connection.close)
        connection.request(method, path, headers=headers)
        return connection.getresponse()

    def ask_until_answered(self, path):
        """As long as all connections are taken, the server ends another one at once."""
        for _ in range(100 * LIMIT_SECONDS):
            try:
                return self.ask(path)
            except (http.client.RemoteDisconnected, ConnectionResetError):
                time.sleep(0.01)
        raise AssertionError("no connection is free")

    def test_who_may_ask_what(self):
        self.start()
        page = self.ask("/")
        self.assertEqual(page.status, 200)
        self.assertEqual(page.getheader("Content-Type"), "text/html; charset=utf-8")
        text = page.read().decode()
        self.assertIn("connect-src 'self'", text)
        self.assertTrue(text.rstrip().endswith("</html>"))
        for path in ("/x", "/data/", "//", "/../etc/passwd", "/%2e%2e"):
            self.assertEqual(self.ask(path).status, 404, path)
        for method in ("POST", "PUT", "DELETE", "HEAD"):
            self.assertEqual(self.ask("/", method).status, 405, method)
        self.assertEqual(self.ask("/", Host=f"localhost:{self.port}").status, 200)
        for host in (f"evil.example:{self.port}", "127.0.0.1", f"127.0.0.1:{self.port}.evil", ""):
            self.assertEqual(self.ask("/data", Host=host).status, 403, host)
        with self.assertRaises(OSError):  # another address of this machine
            socket.create_connection(("127.0.0.2", self.port), 5)

    def test_events(self):
        process = self.start()
        events = self.ask("/events")
        self.assertEqual(events.getheader("Content-Type"), "text/event-stream")
        self.assertEqual(events.readline(), b"data: 1\n")
        self.assertEqual(events.readline(), b"\n")
        self.send(process, self.capture[:len(self.capture) // 2])
        self.assertEqual(events.readline(), b"data: 2\n")
        self.send(process, self.capture[len(self.capture) // 2:])
        process.stdin.close()
        lines = [events.readline()]
        while lines[-1] != b"event: end\n":
            lines.append(events.readline())
        told = b"".join(lines)
        self.assertRegex(told, rb"^\n(data: \d+\n\n)+event: end\n$")
        numbers = [int(number) for number in re.findall(rb"\d+", told)]
        self.assertEqual(numbers, list(range(3, 3 + len(numbers))))
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(LIMIT_SECONDS), 0)

    def test_news_are_the_difference(self):
        """What is new, with what was there, makes the data; most of these were there."""
        process, compared = self.start(), 0
        parts = [self.capture[i:i + 400] for i in range(0, len(self.capture), 400)]

        def data():
            text = self.ask("/data", Connection="close").read().decode()
            return text, int(re.search(r'<script id="version"[^>]*>(\d+)<', text)[1])
        self.send(process, parts[0])
        for part in parts[1:]:
            before, version = data()
            self.send(process, part)
            until = time.monotonic() + LIMIT_SECONDS
            while data()[1] == version:
                self.assertLess(time.monotonic(), until)
                time.sleep(0.05)
            news = self.ask(f"/news?from={version}", Connection="close")
            said, (after, newer) = news.read().decode(), data()
            if news.getheader("Content-Type") != "application/json" or newer != version + 1:
                continue  # it was not quick enough
            pieces = re.split(r"(?<=\],)", before)
            made = "".join(each if isinstance(each, str) else "".join(pieces[each[0]:sum(each)])
                           for each in json.loads(said))
            self.assertEqual(made, after)
            compared += 1
            if compared == 3 and len(said) < len(after) / 2:
                break
        self.assertGreaterEqual(compared, 1)
        whole, _ = data()
        for version in ("", "?from=", "?from=0", "?from=x", "?from=99999999999999999999"):
            self.assertEqual(self.ask(f"/news{version}").read().decode(), whole)
        process.stdin.close()

    def test_connections_that_send_nothing_end(self):
        """Also half a request. There are 32 connections; who waits for events keeps one."""
        self.start()
        events = self.ask("/events")
        silent = [socket.create_connection(("127.0.0.1", self.port), LIMIT_SECONDS)
                  for _ in range(31)]
        for number, each in enumerate(silent):
            self.addCleanup(each.close)
            each.settimeout(LIMIT_SECONDS)
            if number % 2:
                each.sendall(b"GET / HTTP/1.1\r\nHost: ")
        for each in silent:
            try:
                self.assertEqual(each.recv(1), b"")
            except ConnectionResetError:
                pass
        self.assertEqual(self.ask_until_answered("/").status, 200)
        for _ in range(9):  # the first data's event, and comments each few seconds since
            self.assertNotEqual(events.readline(), b"")

    def test_a_browser_sees_what_comes(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "run.mprof")
            process = self.start("-o", path)
            with subprocess.Popen(["node", "tests/browser/live.mjs", self.url],
                                  stdout=subprocess.PIPE, text=True) as browser:
                told = [json.loads(browser.stdout.readline())]
                self.send(process, self.capture[:len(self.capture) // 2])
                told.append(json.loads(browser.stdout.readline()))
                self.send(process, self.capture[len(self.capture) // 2:])
                process.stdin.close()
                told += map(json.loads, browser.stdout)
            process.send_signal(signal.SIGINT)
            self.assertEqual(process.wait(LIMIT_SECONDS), 0)
            with open(path, "rb") as file:
                self.assertEqual(file.read(), self.capture)
        self.assertEqual((told[0]["state"], told[0]["functions"]), ("live", []))
        self.assertEqual([each["complaints"] for each in told], [[]] * len(told))
        self.assertEqual(told[-1]["state"], "ended")
        samples = [int(re.sub(r"\D", "", each["note"]) or 0) for each in told]
        self.assertEqual(samples, sorted(samples))
        self.assertEqual(samples[-1], self.model["events"]["samples"]["received"])
        self.assertTrue(0 < samples[1] < samples[-1])
        hottest = max((each for each in self.model["functions"] if not each["overhead"]),
                      key=lambda each: each["self_seconds"])
        self.assertEqual(told[-1]["functions"][0], hottest["name"])

    def test_the_timeline_grows(self):
        """The page's table shows all that came, also before the input has ended."""
        run = firmware.Run("mps2-an385", "timeline", "-DMCUPROF_TIMELINE=1")
        self.elf = run.elf
        with open(run.capture, "rb") as file:
            capture = file.read()
        process, known = self.start(), []
        events = self.ask("/events")
        for part in (b"", capture[:len(capture) // 2], capture[len(capture) // 2:]):
            self.send(process, part)
            events.readline(), events.readline()
            found = re.search(r'<script id="timeline"[^>]*>(.*?)</script>',
                              self.ask("/data").read().decode())
            known.append(json.loads(found[1])["known"] if found else 0)
        process.stdin.close()
        self.assertEqual(known[0], 0)
        self.assertTrue(0 < known[1] < known[2], known)
        exported = subprocess.run([pages.MCUPROF, "export", "--to", "json", "-e", run.elf,
                                   run.capture], capture_output=True, check=True).stdout
        self.assertEqual(known[2], json.loads(exported)["timeline"]["seconds"])

    def overview(self):
        """Asks by a connection that ends, for the server takes a few at once."""
        text = self.ask("/data", Connection="close").read().decode()
        return json.loads(re.search(r'<script id="overview"[^>]*>(.*?)</script>', text)[1])

    def wait_for(self, true):
        """Asks for the data until `true` accepts them."""
        until = time.monotonic() + LIMIT_SECONDS
        while not true(found := self.overview()):
            self.assertLess(time.monotonic(), until, found)
            time.sleep(0.1)
        return found

    def test_another_build(self):
        """Firmware that is built anew is shown as soon as its ELF is there."""
        other = firmware.Run("microbit", "shares", "-DMCUPROF_ARCS=0")
        with tempfile.TemporaryDirectory() as folder, open(other.capture, "rb") as file:
            new, own = file.read(), self.elf
            self.elf = shutil.copy(own, os.path.join(folder, "firmware.elf"))
            process = self.start()
            self.assertIsNone(self.overview()["problem"])
            self.send(process, self.capture)
            self.wait_for(lambda page: page["run"]["samples"] > 0)
            self.send(process, new)  # the profile that begins anew has the bytes behind this
            self.wait_for(lambda page: page["run"]["samples"] == 0)
            self.send(process, new)
            found = self.wait_for(lambda page: page["problem"])
            self.assertRegex(found["problem"], "made by firmware with build ID .* but .* has")
            self.assertEqual(found["run"]["samples"], 0)
            shutil.copy(other.elf, self.elf)
            found = self.wait_for(lambda page: page["run"]["samples"] > 0)
            self.assertIsNone(found["problem"])
            names = re.search(r'<script id="functions".*', self.ask("/data").read().decode())[0]
            self.assertIn('"one"', names)
            process.stdin.close()
            said = [process.stderr.readline().decode() for _ in range(4)]
            self.assertRegex("".join(said), r"is read again until it fits[^\n]*\n.*"
                                            r"it is that of the firmware now\n")

    def test_one_task(self):
        run = firmware.Run("microbit", "chibios", "-DMCUPROF_SAMPLE_HZ=2000")
        self.elf = run.elf
        with open(run.capture, "rb") as file:
            capture = file.read()
        process = self.start("--task", "sensor")
        self.assertIsNone(self.overview()["problem"])
        self.send(process, capture)
        found = self.wait_for(lambda page: page["run"]["samples"] > 0)
        self.assertEqual([row[0] for row in found["tasks"]["rows"]], ["sensor"])
        self.assertIsNone(found["problem"])
        process = self.start("--task", "nobody")
        self.send(process, capture)
        found = self.wait_for(lambda page: page["problem"])
        self.assertRegex(found["problem"], "nobody: nothing was counted of it; of .*sensor")
        process.stdin.close()
        self.assertEqual(process.wait(LIMIT_SECONDS), 3)
        process = self.start("--through-interrupts")
        with contextlib.suppress(BrokenPipeError):  # it may end before it has read all
            self.send(process, capture)
        self.assertEqual(process.wait(LIMIT_SECONDS), 3)
        self.assertIn(b"build the firmware with MCUPROF_THROUGH_INTERRUPTS=1",
                      process.stderr.read())

    def test_a_port_that_is_taken(self):
        self.start()
        ran = subprocess.run([pages.MCUPROF, "serve", "-e", self.elf, "--port", str(self.port), "-"],
                             capture_output=True, text=True, stdin=subprocess.DEVNULL,
                             timeout=LIMIT_SECONDS, check=False)
        self.assertEqual(ran.returncode, 3)
        self.assertRegex(ran.stderr, rf"^mcuprof serve: port {self.port}: .*in use\n$")

    def test_another_elf(self):
        other = firmware.Run("microbit", "shares", "-DMCUPROF_ARCS=0")
        ran = subprocess.run([pages.MCUPROF, "serve", "-e", other.elf, "-"], input=self.capture,
                             capture_output=True, timeout=LIMIT_SECONDS, check=False)
        self.assertEqual(ran.returncode, 3)
        self.assertIn(b"build ID", ran.stderr)

    def test_usage(self):
        for arguments in (["-"], ["-e", self.elf], ["-e", self.elf, "--port", "65536", "-"],
                          ["-e", self.elf, "a", "b"], ["-e", self.elf, "--source-map", "x", "-"]):
            ran = subprocess.run([pages.MCUPROF, "serve", *arguments], capture_output=True,
                                 stdin=subprocess.DEVNULL, timeout=LIMIT_SECONDS, check=False)
            self.assertEqual((ran.returncode, ran.stdout), (2, b""), arguments)
            self.assertEqual(ran.stderr.count(b"\n"), 1)


if __name__ == "__main__":
    unittest.main()
