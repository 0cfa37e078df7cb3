# SPDX-License-Identifier: MIT
# MuJS: an interpreter of JavaScript with a large switch for its instructions, longjmp for
# errors, and deep recursion.
PACKAGE := mujs
PROGRAM_FILES := one.c
PROGRAM_INCLUDES := .
EXAMPLE_SOURCES := tests/real/mujs/script.S
EXAMPLE_LIBS := -lm
$(OUT)/tests/real/mujs/script.S.o: tests/real/script.js
REAL_BOARDS := mps2-an385 mps2-an386 mps2-an505 virt
REAL_ROUNDS ?= 20
include tests/real/real.mk
EXAMPLE_KNOBS += $(if $(findstring MCUPROF_PATHS,$(KNOBS)),,-DMCUPROF_PATHS=124) \
    $(if $(findstring RING_BYTES,$(KNOBS)),,-DMCUPROF_RING_BYTES=1024)
