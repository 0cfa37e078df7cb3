# SPDX-License-Identifier: MIT
"""The command line: help, manual and completion agree; mistakes are usage errors."""
import fnmatch
import glob
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from mcuprof_run import ELF, mcuprof, stream  # noqa: E402

COMMANDS = ["run", "record", "ports", "top", "report", "annotate", "html", "serve", "diff", "check", "info",
            "export", "merge", "flags", "unwind", "patch",
            "lint", "gprof", "completion", "help"]
ARCHS = ["cortex-m0", "cortex-m0plus", "cortex-m1", "cortex-m23", "cortex-m3", "cortex-m4",
         "cortex-m7", "cortex-m33", "arm7tdmi", "arm920t", "arm926ej-s", "arm946e-s",
         "arm966e-s", "rv32imac", "rv32imc", "rv32i", "rv32emac", "rv32ec", "leon3",
         "atmega328p", "atmega1284p", "atmega2560"]


def compiler(arch):
    if arch.startswith("rv32"):
        abi = "ilp32e" if arch.startswith("rv32e") else "ilp32"
        return ["riscv64-unknown-elf-gcc", f"-march={arch}", f"-mabi={abi}"]
    if arch == "leon3":
        return ["sparc64-linux-gnu-gcc", "-m32", "-mcpu=leon3"]
    if arch == "atmega2560":  # GCC 5 warns that return addresses have only 16 bits
        return ["avr-gcc", f"-mmcu={arch}", "-w"]
    if arch.startswith("atmega"):
        return ["avr-gcc", f"-mmcu={arch}"]
    return ["arm-none-eabi-gcc", f"-mcpu={arch}",
            "-mthumb" if arch.startswith("cortex-m") else "-marm"]


def help_options(text):
    """Returns (letter or "", name, argument or "") of each row of a help text."""
    return re.findall(r"^  (?:-(\w), |    )--([\w-]+)(?: |\[=)?([A-Z][A-Z=]*)?\]?  ", text,
                      re.MULTILINE)


def manual_options(path):
    """Returns the same of each option in a manual page."""
    found = []
    with open(path, encoding="ascii") as file:
        for line in file:
            entry = re.fullmatch(
                r"\.It (?:Fl (\w) , )?Fl Fl ([\w-]+)"
                r"(?:(?: Ns Oo = Ns)? Ar ([A-Z][A-Z=]*)(?: Oc)?)?\n", line)
            if entry:
                found.append(tuple(part or "" for part in entry.groups()))
    return found


def manual_items(path, heading):
    """Returns the names in the first list below a heading of a manual page."""
    with open(path, encoding="ascii") as file:
        below = file.read().split(heading, 1)[1]
    return re.findall(r"^\.It Cm ([\w-]+)$", below.split("\n.El\n")[0], re.MULTILINE)


class HelpTest(unittest.TestCase):
    def test_overview(self):
        done = mcuprof("--help")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(re.findall(r"^  (\w+) +\w", done.stdout, re.MULTILINE), COMMANDS)
        for same in (["-h"], ["help"]):
            self.assertEqual(mcuprof(*same).stdout, done.stdout)

    def test_nothing_asked(self):
        done = mcuprof()
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertEqual(done.stderr, mcuprof("--help").stdout)

    def test_version(self):
        for option in ("--version", "-V"):
            done = mcuprof(option)
            self.assertRegex(done.stdout, r"^mcuprof \d+\.\d+\.\d+\n$")
            self.assertEqual(done.returncode, 0)

    def test_each_command(self):
        for command in COMMANDS:
            with self.subTest(command=command):
                done = mcuprof(command, "--help")
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertTrue(done.stdout.startswith(f"usage: mcuprof {command} "))
                self.assertIn(("h", "help", ""), help_options(done.stdout))
                self.assertEqual(mcuprof("help", command).stdout, done.stdout)
                self.assertEqual(mcuprof(command, "-h").stdout, done.stdout)
                self.assertLessEqual(max(map(len, done.stdout.splitlines())), 100)

    def test_help_to_a_full_disk(self):
        with open("/dev/full", "wb") as full:
            done = mcuprof("--help", stdout=full)
        self.assertEqual(done.stderr,
                         "mcuprof: standard output: No space left on device\n")
        self.assertEqual(done.returncode, 3)


class ManualTest(unittest.TestCase):
    def test_options_are_those_of_the_help(self):
        for command in COMMANDS:
            if command == "help":
                continue
            with self.subTest(command=command):
                manual = manual_options(f"man/mcuprof-{command}.1")
                self.assertEqual(len(manual), len(set(manual)))
                self.assertEqual(set(manual),
                                 set(help_options(mcuprof(command, "--help").stdout)))

    def test_commands_are_those_of_the_help(self):
        with open("man/mcuprof.1", encoding="ascii") as file:
            page = file.read()
        self.assertEqual(re.findall(r"^\.It Cm (\w+)\n(?:[A-Z])", page,
                                    re.MULTILINE)[:len(COMMANDS)],
                         COMMANDS)
        pages = {name for name in os.listdir("man") if name.endswith(".1")}
        self.assertEqual(pages, {"mcuprof.1"} | {f"mcuprof-{command}.1"
                                                 for command in COMMANDS[:-1]})

    def test_formats_are_those_of_the_help(self):
        told = mcuprof("export", "--help").stdout.split("\n\n")[-1]
        self.assertEqual(manual_items("man/mcuprof-export.1", "One of:"),
                         re.findall(r"^(\w+)  +\S", told, re.MULTILINE))
        told = re.search(r"--format NAME +(.*?);", mcuprof("info", "--help").stdout).group(1)
        formats = re.split(", | or ", told)
        self.assertEqual(manual_items("man/mcuprof.1", "Ss Captures"), formats)
        for name in formats:
            self.assertNotIn("no format", mcuprof("info", "--format", name, "-",
                                                  input=b"?").stderr)

    def test_figures_are_those_of_the_help(self):
        told = mcuprof("report", "--help").stdout.split("standard error")[1]
        self.assertEqual(manual_items("man/mcuprof-report.1", "Sh FIGURES"),
                         re.findall(r"^(\w+) +[+ ] \w.*$", told, re.MULTILINE))

    def test_lint(self):
        for name in sorted(os.listdir("man")):
            done = subprocess.run(["mandoc", "-T", "lint", f"man/{name}"],
                                  capture_output=True, text=True, check=False)
            # Manual pages of other programs need not be installed.
            faults = [line for line in (done.stdout + done.stderr).splitlines()
                      if "referenced manual not found" not in line
                      and "outdated mandoc.db" not in line]
            self.assertEqual(faults, [])


class UsageTest(unittest.TestCase):
    def assert_usage(self, arguments, expected):
        done = mcuprof(*arguments)
        with self.subTest(arguments=arguments):
            self.assertEqual(done.stderr, expected + "\n")
            self.assertEqual((done.returncode, done.stdout), (2, ""))

    def test_commands(self):
        hint = " (see mcuprof --help)"
        self.assert_usage(["reprot"],
                          f"mcuprof: unknown command 'reprot'; did you mean 'report'?{hint}")
        self.assert_usage(["help", "exprot", ],
                          f"mcuprof: unknown command 'exprot'; did you mean 'export'?{hint}")
        self.assert_usage(["xyzzy"], f"mcuprof: unknown command 'xyzzy'{hint}")
        self.assert_usage(["--verbose"], f"mcuprof: unknown option --verbose{hint}")

    def test_a_file_where_a_command_is_expected(self):
        for path, cause in (("nosuch.elf", "No such file or directory"),
                            ("./nosuch", "No such file or directory"),
                            ("README.md", "is no ELF file, and no command")):
            done = mcuprof(path, "/dev/ttyACM0")
            self.assertEqual((done.returncode, done.stdout, done.stderr),
                             (3, "", f"mcuprof: {path}: {cause}\n"))

    def test_options(self):
        for command in set(COMMANDS) - {"gprof"}:  # its messages are GNU gprof's
            hint = f" (see mcuprof {command} --help)"
            self.assert_usage([command, "--xyzzy"],
                              f"mcuprof {command}: unknown option --xyzzy{hint}")
            self.assert_usage([command, "-?"], f"mcuprof {command}: unknown option -?{hint}")
        self.assert_usage(["info", "--jsno", "x"],
                          "mcuprof info: unknown option --jsno; did you mean --json?"
                          " (see mcuprof info --help)")

    def test_rates(self):
        hint = " (see mcuprof report --help)"
        for rate, cause in (("0", "0 is no rate"), ("-1", "-1 is negative"),
                            ("1e12", "1e12 is too large (at most 1e+09)")):
            self.assert_usage(["report", "--hz", rate, "x"],
                              f"mcuprof report: --hz: {cause}{hint}")
        for command in ("info", "export", "top", "serve"):
            done = mcuprof(command, "--hz", "0", "x")
            self.assertEqual(done.returncode, 2, command)

    def test_operands(self):
        for command in ("record", "top", "report", "annotate", "html", "serve", "diff", "check",
                        "info", "export", "merge", "unwind", "patch", "lint", "completion"):
            done = mcuprof(command)
            with self.subTest(command=command):
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertEqual(done.stderr.count("\n"), 1)
                self.assertTrue(done.stderr.startswith(f"mcuprof {command}: "))
        for arguments in (["record", "a", "b"], ["record", "--"], ["flags", "a", "b"],
                          ["help", "a", "b"], ["completion", "csh"]):
            self.assertEqual(mcuprof(*arguments).returncode, 2, arguments)


class FlagsTest(unittest.TestCase):
    def test_known(self):
        patterns = mcuprof("flags").stdout.split()
        served = []
        for path in glob.glob("target/arch/*/cpus"):
            with open(path, encoding="utf-8") as file:
                served += file.read().replace("%", "*").split()
        self.assertLessEqual(set(served), set(patterns))
        self.assertTrue(all(any(fnmatch.fnmatch(pattern, of) for of in served)
                            for pattern in patterns))

    def test_both(self):
        self.assertEqual(mcuprof("flags", "cortex-m0plus").stdout,
                         "CFLAGS += -pg -fno-optimize-sibling-calls -fno-lto -ffixed-r8 -ffixed-r9 "
                         "-ffixed-r10 -ffixed-r11\nLDFLAGS += -Wl,--build-id -Wl,-T,mcuprof.ld "
                         "-Wl,--wrap=__cxa_end_cleanup\n")

    def test_one(self):
        self.assertEqual(mcuprof("flags", "--cflags", "cortex-m4").stdout,
                         "-pg -fno-optimize-sibling-calls -fno-lto\n")
        self.assertEqual(mcuprof("flags", "--ldflags", "cortex-m4").stdout,
                         "-Wl,--build-id -Wl,-T,mcuprof.ld -Wl,--wrap=__cxa_end_cleanup\n")
        self.assertEqual(mcuprof("flags", "--ldflags", "rv32imac").stdout,
                         "-Wl,--build-id -Wl,-T,mcuprof.ld\n")

    def test_thumb(self):
        self.assertEqual(mcuprof("flags", "--cflags", "--thumb", "arm7tdmi").stdout,
                         mcuprof("flags", "--cflags", "cortex-m0").stdout)
        self.assertEqual(mcuprof("flags", "--thumb", "rv32imac").returncode, 2)

    def test_what_the_skip_option_refuses(self):
        for wrong in (["--skip", "run.mprof"], ["--skip", "run.mprof", "a.elf", "b.elf"],
                      ["--skip", "run.mprof", "--calls", "a.elf"]):
            self.assertEqual(mcuprof("flags", *wrong).returncode, 2, wrong)
        done = mcuprof("flags", "--skip", "no such capture", "build/mcuprof")
        self.assertEqual((done.returncode, done.stdout), (3, ""))
        self.assertIn("no such capture", done.stderr)

    def test_unknown(self):
        self.assertEqual(mcuprof("flags", "--cflags", "--calls", "--clang", "cortex-m0").stdout,
                         "-finstrument-functions -fno-optimize-sibling-calls -fno-lto\n")
        self.assertEqual(mcuprof("flags", "--ldflags", "--clang", "cortex-m0").stdout,
                         mcuprof("flags", "--ldflags", "cortex-m0").stdout)
        done = mcuprof("flags", "--clang", "cortex-m0")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("--clang: its -pg calls nothing on bare metal; say --calls", done.stderr)
        done = mcuprof("flags", "cortex-a9")
        self.assertEqual(done.returncode, 2)
        self.assertIn("no port for 'cortex-a9'; there are ones for cortex-m0* ", done.stderr)

    def test_makefile_fragment_has_the_same(self):
        makefile = ("include target/mcuprof.mk\n"
                    "$(info $(strip $(MCUPROF_PROFILE_CFLAGS)))\n"
                    "$(info $(strip $(MCUPROF_PROFILE_CFLAGS) "
                    "$(filter-out -fno-lto -fno-optimize-sibling-calls,$(MCUPROF_BLOCK_CFLAGS))))\n"
                    "$(info $(strip $(MCUPROF_CALL_CFLAGS)))\n"
                    "$(info $(strip $(MCUPROF_LDFLAGS)))\nall:;@:\n")
        for arch in [*ARCHS, "cortex-m0.small-multiply", "cortex-m55", "rv32imafc", "arm968e-s",
                     "leon5", "atmega644", "at90can128"]:
            done = subprocess.run(["make", "-s", "-f", "-", f"MCUPROF_CPU={arch}"],
                                  input=makefile, capture_output=True, text=True,
                                  check=True)
            with self.subTest(arch=arch):
                profiled, blocks, calls, link = done.stdout.splitlines(keepends=True)
                for flags, options in ((profiled, ["--cflags"]), (link, ["--ldflags"]),
                                       (calls, ["--cflags", "--calls"]),
                                       (blocks, ["--cflags", "--blocks"])):
                    told = mcuprof("flags", *options, arch)
                    if "--blocks" in options and arch.startswith("at"):
                        self.assertEqual((told.returncode, told.stdout), (2, ""))
                        self.assertIn(f"no blocks for '{arch}'", told.stderr)
                        self.assertEqual(told.stderr.count("\n"), 1)
                    else:
                        self.assertEqual(flags.replace("target/", ""), told.stdout)

    def test_gcc_takes_them(self):
        """GCC takes the flags, and even from a function that needs many registers the caller is
        known."""
        for arch, *thumb in [*zip(ARCHS), ("arm7tdmi", "--thumb"), ("arm926ej-s", "--thumb")]:
            flags = mcuprof("flags", "--cflags", *thumb, arch).stdout.split()
            done = subprocess.run(
                [*compiler(arch), *(["-mthumb"] if thumb else []),
                 "-O2", *flags, "-S", "-x", "c", "-o", "-", "-"],
                input="int f(int *);\nint g(int *a, int *b, int *c, int *d) { int s = 0;"
                      "for (int i = 0; i < *a; i++) s += f(a) * f(b) * f(c) * f(d) * i;"
                      "return s; }\n",
                capture_output=True, text=True, check=False)
            with self.subTest(arch=arch, thumb=thumb):
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                before = re.split("__gnu_mcount_nc|_mcount|__cyg_profile_func_enter", done.stdout)[0]
                self.assertNotEqual(before, done.stdout)
                self.assertNotRegex(before, r"mov\s+lr, r")


class CompletionTest(unittest.TestCase):
    def complete(self, *words):
        """Returns what bash proposes for the last word."""
        script = mcuprof("completion", "bash").stdout + """
            COMP_WORDS=("$@")
            COMP_CWORD=$(($# - 1))
            _mcuprof
            printf '%s\\n' "${COMPREPLY[@]}"
        """
        done = subprocess.run(["bash", "-c", script, "bash", "mcuprof", *words],
                              capture_output=True, text=True, check=True)
        self.assertEqual(done.stderr, "")
        return done.stdout.split()

    def test_bash_commands(self):
        self.assertEqual(self.complete("re"), ["record", "report"])
        self.assertEqual(self.complete(""), COMMANDS + ["--help", "--version"])

    def test_bash_options(self):
        for command in COMMANDS:
            names = [f"--{name}" for _, name, _ in
                     help_options(mcuprof(command, "--help").stdout)]
            self.assertEqual(sorted(self.complete(command, "--")), sorted(names))

    def test_bash_operands(self):
        self.assertEqual(self.complete("flags", "cortex-m0"), ["cortex-m0", "cortex-m0plus"])
        self.assertEqual(self.complete("flags", ""), ARCHS)
        self.assertEqual(self.complete("help", "exp"), ["export"])
        self.assertEqual(self.complete("help", ""), COMMANDS)
        self.assertEqual(self.complete("completion", ""), ["bash", "zsh", "fish"])
        self.assertEqual(self.complete("report", "-e", "Makefil"), ["Makefile"])
        self.assertEqual(self.complete("info", "Makefil"), ["Makefile"])
        self.assertEqual(self.complete("flags", "--cflags", "cortex-m3"),
                         ["cortex-m3", "cortex-m33"])

    def test_zsh_and_fish_know_every_option(self):
        for shell in ("zsh", "fish"):
            script = mcuprof("completion", shell).stdout
            for command in COMMANDS:
                for letter, name, _ in help_options(mcuprof(command, "--help").stdout):
                    if name == "help":
                        continue
                    pattern = (rf"'--{name}=?-?\[" if shell == "zsh" else
                               rf"__fish_seen_subcommand_from {command}' -l {name}"
                               rf"{f' -s {letter}' if letter else ''} ")
                    self.assertRegex(script, pattern)


class InfoTest(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.capture = os.path.join(directory.name, "run.mprof")
        with open(self.capture, "wb") as file:
            file.write(stream())

    def info(self, *arguments):
        return json.loads(mcuprof("info", "--json", *arguments).stdout)

    def test_json(self):
        info = self.info(self.capture)
        self.assertEqual(list(info), ["format", "build_id", "hz", "complete", "accounted",
                                      "unaccounted", "mismatch", "earlier", "unproven",
                                      "unsent", "records", "damaged", "discarded",
                                      "repaired", "unshown", "console_bytes", "samples", "arcs",
                                      "blocks", "calls", "sites", "task_switches", "time_base", "sampling",
                                      "timeline", "paths", "cache", "runs"])
        self.assertEqual(info["runs"], [{
            "input": 0, "offset": stream().index(0x8A), "cut": False}])
        self.assertEqual((info["unproven"], info["unsent"], info["unaccounted"]),
                         (0, 0, False))
        notes = subprocess.run(["arm-none-eabi-readelf", "-n", ELF], capture_output=True,
                               text=True, check=True).stdout
        self.assertEqual(info["build_id"],
                         re.search(r"Build ID: ([0-9a-f]{40})", notes).group(1))
        self.assertEqual(info["format"], "mcuprof")
        self.assertGreater(info["hz"], 0)
        self.assertTrue(info["complete"] and info["accounted"])
        self.assertEqual(info["damaged"], 0)
        self.assertGreater(info["console_bytes"], 0)
        for kind in ("samples", "arcs"):
            self.assertGreater(info[kind]["received"], 0)
            self.assertEqual(info[kind]["lost"], 0)
        self.assertEqual(info["calls"], {"received": 0, "lost": 0})

    def test_several_files_are_summed(self):
        once = self.info(self.capture)
        twice = self.info(self.capture, self.capture)
        for member in ("records", "console_bytes"):
            self.assertEqual(twice[member], 2 * once[member])
        for kind in ("samples", "arcs"):
            self.assertEqual(twice[kind]["received"], 2 * once[kind]["received"])

    def test_what_a_format_does_not_tell(self):
        with open(self.capture, "w", encoding="ascii") as file:
            file.write("00000100\n00000104\n00000100\n")
        info = self.info("--format", "pclog", self.capture)
        self.assertEqual((info["build_id"], info["hz"], info["accounted"]),
                         (None, None, False))
        self.assertEqual(info["samples"]["received"], 3)
        self.assertEqual(self.info("--hz", "250", self.capture)["hz"], 250)

    def test_text(self):
        text = mcuprof("info", "-e", ELF, self.capture).stdout
        self.assertRegex(text, r"build ID +[0-9a-f]{40}\n")
        self.assertRegex(text, r"ELF .*: ARM, \d+ functions, build ID the same\n")
        self.assertRegex(text, r"events +all [\d,]+ calls and [\d,]+ samples received\npaths .*\n$")

    def test_standard_input(self):
        self.assertEqual(mcuprof("info", "-", input=stream()).stdout,
                         mcuprof("info", self.capture).stdout)


if __name__ == "__main__":
    unittest.main()
