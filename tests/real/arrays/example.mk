# SPDX-License-Identifier: MIT
# Arrays of variable length, of our own. Needs no C library.
REAL_BOARDS := microbit mps2-an385 mps2-an386 mps2-an505 versatilepb virt leon3
REAL_ROUNDS ?= 60
include tests/real/real.mk
