# SPDX-License-Identifier: MIT
# QEMU's leon3_generic: LEON3 at 40 MHz, 8 register windows, RAM at 0x40000000.
BOARD_CPU := leon3
BOARD_TOOLS := sparc64-linux-gnu-
# The compiler is made for Linux on SPARC V9: the flags leave out its libraries, which
# are not V8 code, and its defaults.
BOARD_MACHINE := -m32 -mcpu=leon3 -mno-user-mode -ffreestanding -fno-pie -no-pie \
    -fno-stack-protector -fno-asynchronous-unwind-tables -nostdlib -static -Wl,-z,noexecstack
BOARD_SOURCES := boards/leon3/start.S boards/leon3/board.c boards/leon3/clock.c \
    boards/leon3/setjmp.S boards/memory.c
MCUPROF_LINK := $(if $(SLOW_LINK),,apbuart)
# 2^5 ns an instruction: 31 MIPS, about what the chip does.
BOARD_RUN := qemu-system-sparc -M leon3_generic -m 16M -icount shift=5,sleep=off \
    -display none -monitor none -serial stdio -kernel
