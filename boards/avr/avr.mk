# SPDX-License-Identifier: MIT
# What all boards with an AVR share.
BOARD_TOOLS := avr-
# GCC 5 writes STABS by default, and does not know noipa.
BOARD_MACHINE := -mmcu=$(BOARD_CPU) -gdwarf-4 -Wno-attributes
# The compiler brings its linker script and its start-up code.
BOARD_START :=
BOARD_SCRIPT :=
BOARD_SOURCES := boards/avr/avr.c boards/$(BOARD)/board.c
BOARD_INCLUDES := boards/avr
MCUPROF_LINK := avr_usart
