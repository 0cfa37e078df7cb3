# SPDX-License-Identifier: MIT
# MuJS: an interpreter of JavaScript with a large switch for its instructions, longjmp for
# errors, and deep recursion.
PACKAGE := mujs
PROGRAM_FILES := one.c
PROGRAM_INCLUDES := .
REAL_BOARDS := mps2-an385 mps2-an386 mps2-an505 virt
REAL_ROUNDS ?= 20
include tests/real/script.mk
