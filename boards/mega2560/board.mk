# SPDX-License-Identifier: MIT
# ATmega2560 at 16 MHz, 256 KiB flash, 8 KiB RAM, in QEMU, whose time here is the PC's.
BOARD_CPU := atmega2560
include boards/avr/avr.mk
BOARD_LIBS := -Wl,--defsym=__vector_17=mcuprof_sample_isr
# In each profiled function, and here, GCC 5 warns that a return address has only 16
# bits; no option turns off this warning alone.
BOARD_PROFILE_CFLAGS := -w
$(OUT)/target/core/mcuprof_calls.c.o: BOARD_MACHINE += -w
BOARD_RUN := boards/mega2560/run.sh
