# SPDX-License-Identifier: MIT
# `make help` lists what there is to make.
BUILD := build
.DEFAULT_GOAL := all
.DELETE_ON_ERROR:

include host/host.mk
include boards/firmware.mk

.PHONY: all
all: $(BUILD)/mcuprof
