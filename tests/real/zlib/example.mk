# SPDX-License-Identifier: MIT
# zlib: long functions with many local variables, calls through pointers. Needs no C library.
PACKAGE := zlib
PROGRAM_FILES := adler32.c crc32.c deflate.c inffast.c inflate.c inftrees.c trees.c zutil.c
PROGRAM_INCLUDES := .
PROGRAM_FLAGS := -DZ_SOLO
REAL_ROUNDS ?= 40
include tests/real/real.mk
