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
include tests/tests.mk
-include bench/bench.mk

.PHONY: help all demo test setup install clean
help:
	@echo "make demo              set up, build, profile examples/blinky on an emulated board"
	@echo "make test              set up, build, run all tests"
	@echo "make check-unit        the PC's modules alone, in seconds; check-cli: what commands print;"
	@echo "                       check-gprof; check-firmware BOARD=...: firmware of one board"
	@echo "make                   build the program: $(BUILD)/mcuprof"
	@echo "make firmware          build $(BUILD)/firmware/BOARD/EXAMPLE.elf"
	@echo "make capture           run it, leave what it sent beside it: EXAMPLE.mprof"
	@echo "make bench             what profiling costs on the chip and on the wire"
	@echo "make faults            damage captures in 10^7 ways: nothing false is counted"
	@echo "make fuzz              fuzz the readers, SECONDS=60 each"
	@echo "make check-format      compare the sources with .clang-format; 'make format' mends"
	@echo "make install           to PREFIX, /usr/local by default"
	@echo "make clean             remove $(BUILD)/"
	@echo
	@echo "BOARD=$(BOARD)   one of: $(BOARDS)"
	@echo "EXAMPLE=$(EXAMPLE)   one of: $(EXAMPLES)"
	@echo "KNOBS, OPTIMISE, HOOKS, OUT   see boards/firmware.mk;  V=1 shows commands"

all: $(BUILD)/mcuprof

setup:
	@scripts/setup

# A recursive make, for the packages must be there before anything is asked of them.
demo: setup
	@$(MAKE) --no-print-directory capture HOOKS=0
	@echo
	@$(BUILD)/mcuprof report -e $(OUT)/$(EXAMPLE).elf $(OUT)/$(EXAMPLE).mprof

test: setup
	@$(MAKE) --no-print-directory test-all

PREFIX ?= /usr/local
install: $(BUILD)/mcuprof
	install -D -m 755 $(BUILD)/mcuprof $(DESTDIR)$(PREFIX)/bin/mcuprof
	install -d $(DESTDIR)$(PREFIX)/share/man/man1
	install -m 644 man/*.1 $(DESTDIR)$(PREFIX)/share/man/man1

clean:
	rm -rf $(BUILD)
