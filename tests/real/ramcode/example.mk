# SPDX-License-Identifier: MIT
# Code in RAM, of our own, in the place that code in flash has there. Needs no C library.
ifeq ($(filter microbit mps2-an385 virt,$(BOARD)),)
$(error BOARD = $(BOARD): tests/real/ramcode knows the places for microbit, mps2-an385 and virt)
endif
REAL_BOARDS := microbit mps2-an385 virt
REAL_ROUNDS ?= 300
# The cache of return addresses knows 23 bits of an address at the most.
RAM_microbit := 0x20003000
RAM_mps2-an385 := 0x20003000
RAM_virt := 0x81003000
FLASH_microbit := 0x3000
FLASH_mps2-an385 := 0x3000
FLASH_virt := 0x80003000
include tests/real/real.mk
# not those of real.mk: with its C library the code is too long for these places
EXAMPLE_LDFLAGS := -Wl,--section-start=.ram_twin=$(RAM_$(BOARD)) \
    -Wl,--section-start=.twin=$(FLASH_$(BOARD))
