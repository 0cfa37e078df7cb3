# SPDX-License-Identifier: MIT
# Lua: an interpreter, with calls through tables of functions, longjmp for errors and coroutines.
PACKAGE := lua5.4
PROGRAM_FILES := $(patsubst %,src/%.c,lapi lcode lctype ldebug ldo ldump lfunc lgc llex lmem \
    lobject lopcodes lparser lstate lstring ltable ltm lundump lvm lzio lauxlib lbaselib \
    lcorolib lmathlib lstrlib ltablib)
PROGRAM_INCLUDES := src
PROGRAM_FLAGS := -DLUA_USE_C89
EXAMPLE_SOURCES := tests/real/lua/script.S
EXAMPLE_LIBS := -lm
$(OUT)/tests/real/lua/script.S.o: tests/real/lua/script.lua
REAL_ROUNDS ?= 50
include tests/real/real.mk
# The stack is 17 frames deep on average, and a burst of new frames does not fit into the
# default ring.
EXAMPLE_KNOBS += $(if $(findstring MCUPROF_PATHS,$(KNOBS)),,-DMCUPROF_PATHS=124) \
    $(if $(findstring RING_BYTES,$(KNOBS)),,-DMCUPROF_RING_BYTES=1024)
