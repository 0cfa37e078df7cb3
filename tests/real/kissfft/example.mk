# SPDX-License-Identifier: MIT
# KISS FFT in fixed point: recursion over the factors, long arithmetic.
PACKAGE := kissfft
PROGRAM_FILES := kiss_fft.c kiss_fftr.c
PROGRAM_INCLUDES := .
PROGRAM_FLAGS := -DFIXED_POINT=16
EXAMPLE_LIBS := -lm
REAL_ROUNDS ?= $(if $(filter avr-,$(BOARD_TOOLS)),1,12)
include tests/real/real.mk
