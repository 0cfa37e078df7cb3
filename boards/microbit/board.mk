# SPDX-License-Identifier: MIT
# BBC micro:bit: nRF51822, Cortex-M0 at 16 MHz, 256 KiB flash, 16 KiB RAM.
BOARD_CPU := cortex-m0
BOARD_SOURCES := boards/microbit/board.c
MCUPROF_LINK := $(if $(SLOW_LINK),,nrf_uart)
BOARD_LINKS := semihosting
include boards/cortex-m/cortex-m.mk
# An instruction takes 2^6 ns: 15.6 MIPS, about as fast as the chip.
BOARD_QEMU := qemu-system-arm -M microbit -icount shift=6,sleep=off
