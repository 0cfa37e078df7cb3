# SPDX-License-Identifier: MIT
"""The program is C11 and POSIX.1-2008. What only some systems have lies in host/port/: the compiler
declares nothing else to the other files, and they neither say otherwise nor use it undeclared."""
import glob
import os
import re
import subprocess
import tempfile
import unittest

# The headers of C11 and POSIX.1-2008 that the program may include, and those of its libraries.
STANDARD = {
    "assert.h", "ctype.h", "errno.h", "inttypes.h", "limits.h", "locale.h", "math.h", "setjmp.h",
    "signal.h", "stdarg.h", "stdbool.h", "stddef.h", "stdint.h", "stdio.h", "stdlib.h", "string.h",
    "time.h", "wchar.h",
    "arpa/inet.h", "dlfcn.h", "fcntl.h", "fnmatch.h", "glob.h", "langinfo.h", "libgen.h", "netdb.h",
    "netinet/in.h", "poll.h", "pthread.h", "search.h", "spawn.h", "strings.h", "sys/socket.h",
    "sys/stat.h", "sys/types.h", "sys/wait.h", "termios.h", "unistd.h"}
LIBRARIES = {
    "curses.h", "dwarf.h", "elf.h", "elfutils/libdw.h", "gelf.h", "graphviz/gvc.h", "libelf.h",
    "libiberty/demangle.h", "libserialport.h", "loaded.h", "microhttpd.h", "pprof.pb-c.h", "stab.h",
    "zlib.h"}


def text_of(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def ported():
    """Returns the functions that host/port/ stands for: port_NAME() for NAME(), and some that have
    another form there."""
    names = {"flock", "getrandom", "ioctl", "prctl"}
    for path in glob.glob("host/port/*.h"):
        names |= set(re.findall(r"\bport_(\w+)\(", text_of(path)))
    return names


class Port(unittest.TestCase):
    def setUp(self):
        self.sources = [path for path in glob.glob("host/**/*.[ch]", recursive=True)
                        if "/node_modules/" not in path and not path.startswith("host/port/")]
        self.assertGreater(len(self.sources), 100)

    def test_others_include_what_is_standard(self):
        wrong = [f"{path}: <{name}>" for path in self.sources
                 for name in re.findall(r"^#include <(.*)>", text_of(path), re.M)
                 if name not in STANDARD | LIBRARIES]
        self.assertEqual(wrong, [])

    def test_others_do_not_ask_for_more(self):
        asks = re.compile(r"_(GNU|DEFAULT|BSD|POSIX_C|XOPEN)_SOURCE\b")
        self.assertEqual([path for path in self.sources if asks.search(text_of(path))], [])

    def test_others_link_with_none_of_it(self):
        names, wrong = ported(), []
        self.assertIn("qsort_r", names)
        objects = [path for path in ("build/" + source[:-1] + "o" for source in self.sources)
                   if path.endswith(".o") and os.path.exists(path)]
        self.assertGreater(len(objects), 100)
        told = subprocess.run(["nm", "-A", "-u", *objects], capture_output=True, text=True,
                              check=True)
        for line in told.stdout.splitlines():
            path, name = line.split(":")[0], line.split()[-1]
            if re.sub(r"^__(\w+)_chk$", r"\1", name) in names:
                wrong.append(f"{path}: {name}")
        self.assertEqual(wrong, [])

    def test_the_compiler_refuses_others(self):
        """A file that uses what only glibc has is not compiled; in host/port/ it is."""
        rule = subprocess.run(["make", "-n", "V=1", "-W", "host/main.c", "build/host/main.o"],
                              capture_output=True, text=True, check=True, timeout=300).stdout
        command = next(line for line in rule.splitlines() if " -c -o " in line).split()
        with tempfile.TemporaryDirectory() as folder:
            probe = folder + "/probe.c"
            for body, is_refused in ("(void)qsort_r", True), ("(void)qsort", False):
                with open(probe, "w", encoding="utf-8") as file:
                    file.write(f"#include <stdlib.h>\nint main(void)\n{{\n    {body};\n}}\n")
                words = [folder + "/probe.o" if word.endswith("/main.o") else
                         probe if word == "host/main.c" else word for word in command]
                done = subprocess.run([word.strip("'") for word in words], capture_output=True,
                                      text=True, check=False, timeout=60)
                self.assertEqual(done.returncode != 0, is_refused, done.stderr)
                self.assertEqual("qsort_r" in done.stderr, is_refused)


if __name__ == "__main__":
    unittest.main()
