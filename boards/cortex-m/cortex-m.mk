# SPDX-License-Identifier: MIT
# What all boards with a Cortex-M share.
BOARD_TOOLS := arm-none-eabi-
BOARD_MACHINE := -mcpu=$(BOARD_CPU) -mthumb
BOARD_LIBC := --specs=nano.specs --specs=nosys.specs
BOARD_SOURCES += boards/cortex-m/startup.c boards/cortex-m/paced.c
BOARD_INCLUDES := boards/cortex-m
