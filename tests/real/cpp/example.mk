# SPDX-License-Identifier: MIT
# C++ of our own: virtual calls, templates, exceptions, the standard library.
ifeq ($(filter arm-none-eabi-,$(BOARD_TOOLS)),)
$(error BOARD = $(BOARD): tests/real/cpp is for Arm, for which Debian has a library of C++)
endif
REAL_BOARDS := microbit mps2-an385 mps2-an386 mps2-an505 versatilepb
EXAMPLE_SOURCES := tests/real/cpp/classes.cpp
# The file's name is given, since nano.specs would choose the library without
# exceptions.
EXAMPLE_LIBS := -l:libstdc++.a -lm
REAL_ROUNDS ?= 150
include tests/real/real.mk
