# SPDX-License-Identifier: MIT
"""Runs the program, and the firmware whose stream the tests record."""
import functools
import os
import subprocess

PROGRAM = os.path.abspath(os.environ.get("MCUPROF", "build/mcuprof"))
ELF = os.path.abspath("build/firmware/microbit/blinky.elf")
OTHER_ELF = os.path.abspath("build/firmware/microbit/fib.elf")

# QEMU's serial line is its standard output; -icount makes all runs equal.
EMULATOR = [
    "qemu-system-arm", "-M", "microbit", "-kernel", ELF, "-display", "none",
    "-monitor", "none", "-serial", "stdio",
    "-semihosting-config", "enable=on,target=native", "-icount", "shift=5,sleep=off",
]


def mcuprof(*arguments, **options):
    """Runs the program; returns returncode, and stdout and stderr as text."""
    options.setdefault("stdin", subprocess.DEVNULL)
    if "input" in options:
        del options["stdin"]
        if isinstance(options["input"], str):
            options["input"] = options["input"].encode()
    options.setdefault("stdout", subprocess.PIPE)
    done = subprocess.run([PROGRAM, *map(str, arguments)], stderr=subprocess.PIPE,
                          timeout=180, check=False, **options)
    done.raw = done.stdout
    done.stdout = (done.stdout or b"").decode("latin-1")
    done.stderr = done.stderr.decode("latin-1")
    return done


@functools.lru_cache
def stream():
    """Returns all that the blinky example sends, from its first byte to its end record."""
    for path in (PROGRAM, ELF, OTHER_ELF):
        if not os.path.exists(path):
            raise FileNotFoundError(f"{path}: run `make` and `make firmware EXAMPLE=...` first")
    done = subprocess.run(EMULATOR, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          timeout=180, check=True)
    return done.stdout


def lossy_stream():
    """Returns the stream without its end, and with events before that which nothing proves."""
    data = stream()
    for cut in range(20, len(data), 10):
        done = subprocess.run([PROGRAM, "info", "--format", "mcuprof", "-"], input=data[:-cut],
                              capture_output=True, check=True)
        if b"not proven" in done.stdout:
            return data[:-cut]
    raise ValueError("the stream proves each event")


def hello_bytes():
    """Returns how many bytes of the stream a reader needs to recognise the firmware: all up to the
    build ID, which is the second record of kind 0 and has at most 52 bytes."""
    data = stream()
    hellos = [at for at, byte in enumerate(data) if byte & 0xf0 == 0x80]
    return next(at for at in range(hellos[1] + 1, len(data)) if data[at] & 0x80)
