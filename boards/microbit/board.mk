# SPDX-License-Identifier: MIT
# BBC micro:bit: nRF51822, Cortex-M0 at 16 MHz, 256 KiB flash, 16 KiB RAM.
BOARD_CPU := cortex-m0
BOARD_ARCH := cortex-m
BOARD_SOURCES := boards/cortex-m/startup.c boards/cortex-m/paced.c boards/printf.c boards/microbit/board.c
BOARD_INCLUDES := boards/cortex-m
# 2^6 ns an instruction: 15.6 MIPS, about what the chip does.
BOARD_QEMU := qemu-system-arm -M microbit -icount shift=6,sleep=off
