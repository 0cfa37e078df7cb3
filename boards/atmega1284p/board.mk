# SPDX-License-Identifier: MIT
# ATmega1284P at 8 MHz, 128 KiB flash, 16 KiB RAM, in simavr.
BOARD_CPU := atmega1284p
include boards/avr/avr.mk
BOARD_MACHINE += -DBOARD_TICK_US=2000
BOARD_LIBS := -Wl,--defsym=__vector_13=mcuprof_sample_isr
BOARD_LINKS := avr_spi avr_twi
BOARD_LINK_KNOBS := $(if $(filter avr_spi,$(LINK)),-DBOARD_SPI,-DBOARD_TWI)
BOARD_RUNNER := $(BUILD)/runavr
BOARD_RUN := $(BOARD_RUNNER) $(if $(LINK),-u $(LINK:avr_%=%))
