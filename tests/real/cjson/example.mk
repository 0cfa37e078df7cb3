# SPDX-License-Identifier: MIT
# cJSON: recursion both ways, small functions, the C library's numbers and memory.
PACKAGE := cjson
PROGRAM_FILES := cJSON.c
PROGRAM_INCLUDES := .
EXAMPLE_LIBS := -lm
REAL_ROUNDS ?= 20
include tests/real/real.mk
