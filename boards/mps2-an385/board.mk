# SPDX-License-Identifier: MIT
# Arm MPS2 with the AN385 image: Cortex-M3 at 25 MHz, 4 MiB code, 4 MiB RAM.
BOARD_CPU := cortex-m3
BOARD_SOURCES := boards/cortex-m/cmsdk.c
MCUPROF_LINK := $(if $(SLOW_LINK),,cmsdk_uart)
BOARD_LINKS := lwip_udp rtt semihosting
ifeq ($(LINK),rtt)
BOARD_PROBE := boards/probe.py --ram 16
BOARD_SCRIPT := -T boards/mps2-an385/shared.ld
endif
include boards/cortex-m/cortex-m.mk
BOARD_QEMU := qemu-system-arm -M mps2-an385 -icount shift=5,sleep=off
