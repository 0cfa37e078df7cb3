# SPDX-License-Identifier: MIT
"""Programs that are built as for a device: in C and C++, with a C library, its start-up code and
libgcc, with sections dropped, with link-time optimisation, with units whose debug data differ."""

C = "device.c device_parts.c"
C_AND_CXX = "-x c device.c device_parts.c -x c++ device.cc"
C_AND_STD = "-x c device.c device_parts.c -x c++ device_std.cc"
GC = "-ffunction-sections -Wl,--gc-sections"
PLAIN_CXX = "-fno-exceptions -fno-rtti -fno-threadsafe-statics"

AVR = "avr-gcc -mmcu=atmega328p"
M0 = "arm-none-eabi-gcc -mcpu=cortex-m0 -mthumb"
M3 = "arm-none-eabi-gcc -mcpu=cortex-m3 -mthumb"
M3_CXX = "arm-none-eabi-g++ -mcpu=cortex-m3 -mthumb"
RV32 = "riscv64-unknown-elf-gcc -march=rv32imac -mabi=ilp32 --specs=picolibc.specs"
RV32_CXX = RV32.replace("gcc", "g++", 1) + " " + PLAIN_CXX
NANO = "--specs=nano.specs --specs=nosys.specs"
PC = "gcc -no-pie"
PC_CXX = "g++ -no-pie"


def mixed(compiler, cxx, *flags, link=""):
    """Compiles each unit with its own flags: device.c, device_parts.c, device.cc."""
    sources = ("device.c", "device_parts.c", "device.cc")
    compilers = (compiler, compiler, cxx)
    parts = [f"{{out}}.{number}.o" for number in range(len(flags))]
    return [f"{tool} {flag} -c -o {part} {source}"
            for tool, flag, part, source in zip(compilers, flags, parts, sources)] + [
                f"{compiler} {link} -o {{out}} {' '.join(parts)}"]


def one(command, sources):
    return [f"{command} -o {{out}} {sources}"]


def mips(base, target, emulation, flags):
    """Builds the programs without a library by clang and GNU's linker."""
    sources = ("start.c", "leaf.c", "cycles.c", "names.c", "labels.S")
    parts = [f"{{out}}.{number}.o" for number in range(len(sources))]
    return [f"clang --target={target} -ffreestanding -fno-pic -mno-abicalls -G0 {flags} -c -o "
            f"{part} {source}" for part, source in zip(parts, sources)] + [
                f"mips-linux-gnu-ld {emulation} -T firmware.ld --defsym=TEXT_BASE={base:#x} "
                f"--defsym=DATA_BASE={base + 0x100000:#x} -z noexecstack -o {{out}} "
                + " ".join(parts)]


ARM_, RISCV_, AVR_, MIPS_, PC_ = ("arm-none-eabi-", "riscv64-unknown-elf-", "avr-",
                                  "mips-linux-gnu-", "")

# name: (prefix of the judge, commands). Debian's avr-gprof is 2.26. Only it finds the lines of
# stabs beside libgcc's DWARF, so it judges those programs. But unlike 2.40 it takes a wrong line
# where a function was dropped, so the PC's gprof judges AVR programs that have only DWARF.
LINKED = {
    "avr-libc": (AVR_, one(f"{AVR} -O1 -g", C)),
    "avr-libc-lto": (AVR_, one(f"{AVR} -Os -g -flto {GC}", C)),
    "avr-libc-c++": (AVR_, mixed(AVR, "avr-g++ -mmcu=atmega328p -std=gnu++11 "
                                 "-fno-threadsafe-statics", "-O2 -g", "-Os -g", "-O2 -g")),
    "avr-libc-mixed": (AVR_, mixed(AVR, None, "-O1 -g", "-O1 -gdwarf-4")),
    "avr-libc-mixed2": (AVR_, mixed(AVR, None, "-O2 -gdwarf-2", "-Os -g")),
    "avr-libc-big": (AVR_, one("avr-gcc -mmcu=atmega2560 -mcall-prologues -mrelax -O3 -g "
                               f"{GC}", C + " -lprintf_flt -lm")),
    "avr-libc-dwarf": (PC_, one(f"avr-gcc -mmcu=atmega1284p -Os -gdwarf-4 {GC}", C)),
    "avr-libc-tiny": (PC_, one("avr-gcc -mmcu=attiny85 -Os -gdwarf-3 -flto", C)),
    "newlib": (ARM_, one(f"{M3} -O2 -g --specs=rdimon.specs", C)),
    "newlib-a32": (ARM_, one(f"arm-none-eabi-gcc -marm -O1 -g --specs=rdimon.specs {GC}", C)),
    "newlib-nano": (ARM_, one(f"{M0} -Os -g {NANO} {GC}", C)),
    "newlib-nano-lto": (ARM_, one(f"{M3_CXX} -O2 -g -flto {NANO} {GC}", C_AND_CXX)),
    "newlib-c++": (ARM_, one(f"{M3_CXX} -O1 -g {PLAIN_CXX} {NANO}", C_AND_CXX)),
    "newlib-std": (ARM_, one(f"{M3_CXX} -Os -g --specs=nano.specs --specs=rdimon.specs {GC}",
                             C_AND_STD)),
    "newlib-mixed": (ARM_, mixed(M3, f"{M3_CXX} {PLAIN_CXX}", "-O2 -gdwarf-2", "-O2 -gdwarf-5",
                                 "-O1 -gdwarf-4", link=NANO)),
    "newlib-stabs": (ARM_, mixed(M3, None, "-O1 -gstabs", "-O1 -gdwarf-4", link=NANO)),
    "newlib-split": (ARM_, one(f"{M3} -O1 -g -gsplit-dwarf {NANO}", C)),
    "picolibc-arm": (ARM_, one(f"{M3} -O2 -g --specs=picolibc.specs {GC}", C)),
    "picolibc-arm-lto": (ARM_, one(f"{M0} -Os -g -flto --specs=picolibc.specs {GC}", C)),
    "picolibc": (RISCV_, one(f"{RV32} -O2 -g", C)),
    "picolibc-64": (RISCV_, one("riscv64-unknown-elf-gcc -march=rv64imac -mabi=lp64 "
                                "-mcmodel=medany --specs=picolibc.specs -O1 -g", C)),
    "picolibc-rv32i": (RISCV_, one("riscv64-unknown-elf-gcc -march=rv32i -mabi=ilp32 -Os -g "
                                   f"--specs=picolibc.specs -msave-restore {GC}", C)),
    "picolibc-lto": (RISCV_, one(f"{RV32} -O2 -g -flto {GC}", C)),
    "picolibc-mixed": (RISCV_, mixed(RV32, RV32_CXX, f"-gdwarf-2 -O3 {GC}", "-O2",
                                     f"-gdwarf-5 -O0 {GC}", link=GC)),
    "pc-std": (PC_, one(f"{PC_CXX} -O2 -g {GC}", C_AND_STD)),
    "pc-lto": (PC_, one(f"{PC_CXX} -O2 -g -flto", C_AND_STD)),
    "pc-types": (PC_, one(f"{PC_CXX} -O2 -gdwarf-5 -fdebug-types-section", C_AND_STD)),
    "pc-split": (PC_, mixed(PC, PC_CXX, "-O2 -gdwarf-4", "-O2 -g -gsplit-dwarf -fno-inline "
                            "-ffunction-sections", f"-O2 -g {PLAIN_CXX}")),
    "pc-stabs": (PC_, mixed(PC, None, "-O1 -gstabs", "-O1 -gdwarf-4")),
    "mips": (MIPS_, mips(0x400000, "mips-none-elf", "-EB", "-O1 -g")),
    "mips-high": (MIPS_, mips(0x80001000, "mips-none-elf", "-EB", "-O1 -g")),
    "mips-micro": (MIPS_, mips(0x9d000000, "mipsel-none-elf", "-EL",
                               "-O2 -gdwarf-4 -mmicromips")),
    "mips-64": (MIPS_, mips(0xffffffff80001000, "mips64-none-elf", "-melf64btsmip",
                            "-O2 -g")),
}
