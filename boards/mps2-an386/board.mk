# SPDX-License-Identifier: MIT
# Arm MPS2 with the AN386 image: Cortex-M4 at 25 MHz, 4 MiB code, 4 MiB RAM.
BOARD_CPU := cortex-m4
BOARD_SOURCES := boards/cortex-m/cmsdk.c
MCUPROF_LINK := $(if $(SLOW_LINK),,cmsdk_uart)
BOARD_LINKS := semihosting
include boards/cortex-m/cortex-m.mk
BOARD_QEMU := qemu-system-arm -M mps2-an386 -icount shift=5,sleep=off
