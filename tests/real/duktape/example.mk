# SPDX-License-Identifier: MIT
# Duktape: an interpreter of JavaScript in one file of 100,000 lines, with longjmp for errors.
PACKAGE := duktape
PROGRAM_FILES := src/duktape.c
PROGRAM_INCLUDES := src
EXAMPLE_SOURCES := tests/real/duktape/script.S
EXAMPLE_LIBS := -lm
$(OUT)/tests/real/duktape/script.S.o: tests/real/script.js
REAL_BOARDS := mps2-an385 mps2-an386 mps2-an505 virt
REAL_ROUNDS ?= 10
include tests/real/real.mk
EXAMPLE_KNOBS += $(if $(findstring MCUPROF_PATHS,$(KNOBS)),,-DMCUPROF_PATHS=124) \
    $(if $(findstring RING_BYTES,$(KNOBS)),,-DMCUPROF_RING_BYTES=1024)
