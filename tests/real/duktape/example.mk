# SPDX-License-Identifier: MIT
# Duktape: an interpreter of JavaScript in one file of 100,000 lines, with longjmp for errors.
PACKAGE := duktape
PROGRAM_FILES := src/duktape.c
PROGRAM_INCLUDES := src
REAL_BOARDS := mps2-an385 mps2-an386 mps2-an505 virt
REAL_ROUNDS ?= 10
include tests/real/script.mk
