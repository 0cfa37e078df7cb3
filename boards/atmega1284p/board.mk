# SPDX-License-Identifier: MIT
# ATmega1284P at 8 MHz, 128 KiB flash, 16 KiB RAM, in simavr.
BOARD_CPU := atmega1284p
include boards/avr/avr.mk
BOARD_MACHINE += -DBOARD_TICK_US=2000
BOARD_LIBS := -Wl,--defsym=__vector_13=mcuprof_sample_isr
BOARD_RUNNER := $(BUILD)/runavr
BOARD_RUN := $(BOARD_RUNNER)
