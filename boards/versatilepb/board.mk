# SPDX-License-Identifier: MIT
# Arm Versatile/PB: ARM926EJ-S, 128 MiB RAM at 0.
# BOARD_CPU=arm7tdmi makes code for that.
BOARD_CPU := arm926ej-s
BOARD_STATE := -marm
BOARD_TOOLS := arm-none-eabi-
BOARD_MACHINE := -mcpu=$(BOARD_CPU) $(BOARD_STATE)
BOARD_LIBC := --specs=nano.specs --specs=nosys.specs
BOARD_SOURCES := boards/versatilepb/start.S boards/versatilepb/board.c
MCUPROF_LINK := $(if $(SLOW_LINK),,pl011)
BOARD_QEMU := qemu-system-arm -M versatilepb -audiodev none,id=none \
    -global pl041.audiodev=none -icount shift=5,sleep=off
