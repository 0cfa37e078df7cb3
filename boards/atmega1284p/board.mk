# SPDX-License-Identifier: MIT
# ATmega1284P at 8 MHz, 128 KiB flash, 16 KiB RAM, in simavr.
BOARD_CPU := atmega1284p
BOARD_TOOLS := avr-
# GCC 5 writes STABS where it is not told, and does not know noipa.
BOARD_MACHINE := -mmcu=$(BOARD_CPU) -gdwarf-4 -Wno-attributes -DBOARD_TICK_US=2000
# Of the compiler: its linker script, its start-up code.
BOARD_START :=
BOARD_SCRIPT :=
BOARD_SOURCES := boards/atmega1284p/board.c
BOARD_LIBS := -Wl,--defsym=__vector_13=mcuprof_sample_isr
BOARD_RUNNER := $(BUILD)/runavr
BOARD_RUN := $(BOARD_RUNNER)

$(BOARD_RUNNER): boards/atmega1284p/runavr.c
	@mkdir -p $(@D)
	$(call say,CC,$@)
	$(Q)$(CC) $(HOST_CFLAGS) $(CFLAGS) -o $@ $< $(LDFLAGS) -lsimavr -lelf -lutil
