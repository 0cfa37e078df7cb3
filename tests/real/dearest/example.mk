# SPDX-License-Identifier: MIT
# The dearest samples: two stacks as deep as paths can be, in turn, of functions that are called
# from one place each, so that all frames are new and no address is remembered. Of our own.
REAL_BOARDS := microbit mps2-an385 mps2-an386 mps2-an505
REAL_ROUNDS ?= 600
include tests/real/real.mk
