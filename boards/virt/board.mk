# SPDX-License-Identifier: MIT
# QEMU's RISC-V virt: RV32, machine mode, 128 MiB RAM at 0x80000000.
BOARD_CPU := rv32imac
BOARD_ABI := $(if $(findstring rv32e,$(BOARD_CPU)),ilp32e,ilp32)
BOARD_TOOLS := riscv64-unknown-elf-
BOARD_MACHINE := -march=$(BOARD_CPU) -mabi=$(BOARD_ABI) -ffreestanding
BOARD_LIBC := -nostdlib
BOARD_LIBS := -lgcc
BOARD_SOURCES := boards/virt/start.S boards/virt/board.c boards/virt/setjmp.S \
    boards/memory.c
MCUPROF_LINK := $(if $(SLOW_LINK),,ns16550)
BOARD_LINKS := ns16550_fifo rtt semihosting
BOARD_PROBE := boards/probe.py --ram 32
# 2^5 ns an instruction; the tick's clock is the real-time one, on the machine's time.
BOARD_QEMU := qemu-system-riscv32 -M virt -m 32M -bios none -rtc base=2000-01-01,clock=vm \
    -icount shift=5,sleep=off
