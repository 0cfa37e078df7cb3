# SPDX-License-Identifier: MIT
# `make help` lists what there is to make.
BUILD := build
.DEFAULT_GOAL := all
.DELETE_ON_ERROR:

# V=1 shows the commands.
Q := $(if $(V),,@)
say = $(if $(V),,@printf '  %-5s %s\n' $(1) $(2))

include host/host.mk
include boards/firmware.mk

.PHONY: all
all: $(BUILD)/mcuprof
