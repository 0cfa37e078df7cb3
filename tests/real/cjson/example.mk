# SPDX-License-Identifier: MIT
# cJSON: recursion both ways, small functions, the C library's numbers and memory.
PACKAGE := cjson
PROGRAM_FILES := cJSON.c
PROGRAM_INCLUDES := .
# An AVR has little RAM, and a printf() and scanf() of its own for floating-point numbers.
ifeq ($(BOARD_TOOLS),avr-)
EXAMPLE_KNOBS += -DJSON_DEPTH=1
EXAMPLE_LIBS := -Wl,-u,vfprintf,-u,vfscanf -lprintf_flt -lscanf_flt -lm
REAL_ROUNDS ?= 40
else
EXAMPLE_KNOBS += -DJSON_DEPTH=3
EXAMPLE_LIBS := -lm
REAL_ROUNDS ?= 20
endif
include tests/real/real.mk
