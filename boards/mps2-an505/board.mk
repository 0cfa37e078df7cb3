# SPDX-License-Identifier: MIT
# Arm MPS2 with the AN505 image: Cortex-M33 at 20 MHz, secure, 4 MiB code, 4 MiB RAM.
BOARD_CPU := cortex-m33
BOARD_SOURCES := boards/cortex-m/cmsdk.c
MCUPROF_LINK := $(if $(SLOW_LINK),,cmsdk_uart)
BOARD_LINKS := pl080 semihosting
BOARD_LINK_KNOBS := $(if $(filter pl080,$(LINK)),-DBOARD_DMA)
include boards/cortex-m/cortex-m.mk
BOARD_QEMU := qemu-system-arm -M mps2-an505 -icount shift=5,sleep=off
