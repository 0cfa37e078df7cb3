# SPDX-License-Identifier: MIT
# Firmware of the examples, and of the tests' rigs, for the boards: build/firmware/BOARD/EXAMPLE.elf, and what it sends,
# build/firmware/BOARD/EXAMPLE.mprof. One board and one set of knobs at a time:
#   BOARD, EXAMPLE   which
#   KNOBS            e.g. "-DMCUPROF_ENTRIES=0": other values than the board's
#   OPTIMISE         -Os
#   HOOKS            1; 0: nothing is compiled into the example's functions, as it ships
#   PROGRAM_CFLAGS   more flags for a program of tests/real/ alone, e.g. -flto
#   LINK             another of target/link/ than the board's own, where the board has it:
#                    pl080 on mps2-an505, ns16550_fifo on virt, rtt on mps2-an385 and virt,
#                    lwip_udp on mps2-an385, semihosting on all Cortex-M and virt,
#                    avr_spi and avr_twi on atmega1284p
#   MORE_SOURCES     further files, which are not profiled; MORE_LDFLAGS: further flags
#   EXAMPLE_CC       compiles the example alone, e.g. "clang --target=arm-none-eabi"
#   OUT              where to, build/firmware/BOARD
BOARD ?= microbit
EXAMPLE ?= blinky
OPTIMISE ?= -Os
HOOKS ?= 1
KNOBS ?=
OUT ?= $(BUILD)/firmware/$(BOARD)

BOARDS := $(sort $(patsubst boards/%/board.mk,%,$(wildcard boards/*/board.mk)))
EXAMPLES := $(sort $(notdir $(patsubst %/,%,$(dir $(wildcard examples/*/*.c)))))
# Programs that tests alone run.
RIGS := $(sort $(notdir $(patsubst %/,%,$(dir $(wildcard tests/rigs/*/*.c)))))
ifeq ($(filter $(BOARD),$(BOARDS)),)
$(error BOARD = $(BOARD): there are $(BOARDS))
endif
# Programs that others wrote, fetched when they are built: tests/real/README.md.
REAL := $(sort $(notdir $(patsubst %/,%,$(dir $(wildcard tests/real/*/example.mk)))))
ifeq ($(filter $(EXAMPLE),$(EXAMPLES) $(RIGS) $(REAL)),)
$(error EXAMPLE = $(EXAMPLE): there are $(EXAMPLES), and for tests $(RIGS))
endif

# With the knob BOARD_LINK_CYCLES the link is a slow one, for tests: the board's own.
SLOW_LINK := $(findstring BOARD_LINK_CYCLES,$(KNOBS))
include boards/$(BOARD)/board.mk
ifneq ($(LINK),)
ifeq ($(filter $(LINK),$(BOARD_LINKS)),)
$(error LINK = $(LINK): $(BOARD) has $(or $(BOARD_LINKS),no other link))
endif
MCUPROF_LINK := $(LINK)
LINK_KNOBS := $(if $(filter rtt,$(LINK)),-DMCUPROF_RTT=1,-DMCUPROF_SPAN_BYTES=$(if $(filter lwip_udp,$(LINK)),1024,64)) \
    $(BOARD_LINK_KNOBS)
endif
MCUPROF_CPU := $(BOARD_CPU)
MCUPROF_CC := $(EXAMPLE_CC)
include target/mcuprof.mk
# The command that runs an ELF, which is appended, on the board's emulator. Its standard output
# is the serial line, as `mcuprof record` expects of a COMMAND.
BOARD_SERIAL := $(if $(filter rtt,$(LINK)),null,stdio)
BOARD_RUN ?= $(if $(filter rtt,$(LINK)),$(BOARD_PROBE)) $(BOARD_QEMU) -display none \
    -monitor none -serial $(BOARD_SERIAL) -semihosting-config enable=on,target=native -kernel
# An example may have knobs (EXAMPLE_KNOBS) and flags (EXAMPLE_CFLAGS, EXAMPLE_LDFLAGS) that
# it needs, further sources (EXAMPLE_SOURCES: those outside examples/ are not profiled), and an
# operating system's kernel (EXAMPLE_KERNEL, EXAMPLE_INCLUDES), profiled where KERNEL_PROFILED
# is 1.
-include $(wildcard examples/$(EXAMPLE)/example.mk tests/real/$(EXAMPLE)/example.mk)

FW_CC := $(BOARD_TOOLS)gcc
FW_STANDARD := -std=c11
FW_CFLAGS = $(BOARD_MACHINE) $(OPTIMISE) -g -pipe $(FW_STANDARD) -ffunction-sections \
    -fdata-sections -Wall -Wextra -Wshadow -Werror $(MCUPROF_CFLAGS) -Iboards \
    -Iboards/$(BOARD) $(addprefix -I,$(BOARD_INCLUDES)) \
    $(addprefix -isystem ,$(EXAMPLE_INCLUDES)) \
    -DMCUPROF_CONFIG='"mcuprof_board.h"' $(LINK_KNOBS) $(EXAMPLE_KNOBS) $(KNOBS) -MMD \
    -MP
# A board may leave these to its compiler.
BOARD_START ?= -nostartfiles
BOARD_SCRIPT ?= -T boards/$(BOARD)/memory.ld
FW_LDFLAGS = $(BOARD_MACHINE) $(BOARD_START) $(BOARD_LIBC) -Wl,--gc-sections \
    $(EXAMPLE_LDFLAGS) $(MORE_LDFLAGS) $(addprefix -L,$(BOARD_INCLUDES)) \
    $(BOARD_SCRIPT) $(MCUPROF_LDFLAGS) \
    -Wl,-Map=$(@:.elf=.map)

FW_LIBRARY := $(MCUPROF_SOURCES) $(BOARD_SOURCES) boards/printf.c $(MORE_SOURCES)
FW_LIBRARY_OBJECTS = $(FW_LIBRARY:%=$(OUT)/%.o)
FW_HEADERS := $(wildcard examples/$(EXAMPLE)/*.h tests/rigs/$(EXAMPLE)/*.h target/*/*.h \
    target/arch/$(MCUPROF_ARCH)/* wire/*.h boards/*.h boards/$(BOARD)/* $(addsuffix /*,$(BOARD_INCLUDES)) \
    $(addsuffix /*.h,$(filter examples/% target/%,$(EXAMPLE_INCLUDES))))

# How the example's calls are counted, or timed.
FW_PROFILE_CFLAGS := $(if $(filter 0,$(HOOKS)),,$(if \
    $(findstring MCUPROF_CALLS=1,$(EXAMPLE_KNOBS) $(KNOBS)), \
    $(MCUPROF_CALL_CFLAGS),$(MCUPROF_PROFILE_CFLAGS)) $(BOARD_PROFILE_CFLAGS))

EXAMPLE_KERNEL_OBJECTS := $(EXAMPLE_KERNEL:%=$(OUT)/%.o)
EXAMPLE_OBJECTS := $(EXAMPLE_SOURCES:%=$(OUT)/%.o) $(EXAMPLE_KERNEL_OBJECTS)
$(EXAMPLE_KERNEL_OBJECTS): FW_CFLAGS += -std=gnu11 -w
$(filter %.c.o,$(EXAMPLE_KERNEL_OBJECTS)): FW_CFLAGS += \
    $(if $(filter 1,$(KERNEL_PROFILED)),$(FW_PROFILE_CFLAGS))
$(filter %.s.o,$(EXAMPLE_KERNEL_OBJECTS)): FW_CFLAGS += -x assembler-with-cpp

# Objects are made anew when the board or the knobs change.
FW_KNOBS := $(strip $(BOARD) $(LINK) $(OPTIMISE) $(FW_PROFILE_CFLAGS) $(EXAMPLE_KNOBS) $(KNOBS) \
    $(EXAMPLE_CFLAGS) $(KERNEL_PROFILED) $(BOARD_CPU) $(PROGRAM_CFLAGS))
FW_KNOBS_WORD := '$(subst ','\'',$(FW_KNOBS))'
$(OUT)/knobs: FORCE
	@mkdir -p $(@D)
	@echo $(FW_KNOBS_WORD) | cmp -s - $@ || echo $(FW_KNOBS_WORD) > $@

define profiled_rules
$(OUT)/$(1)/%.c.o: $(1)/%.c $(OUT)/knobs $(FW_HEADERS)
	@mkdir -p $$(@D)
	$$(call say,FW,$$@)
	$$(Q)$$(or $$(EXAMPLE_CC),$$(FW_CC)) $$(FW_CFLAGS) $$(FW_PROFILE_CFLAGS) $$(EXAMPLE_CFLAGS) \
	    -c -o $$@ $$<
endef
$(foreach folder,examples tests/rigs,$(eval $(call profiled_rules,$(folder))))

$(OUT)/%.o: % $(OUT)/knobs $(FW_HEADERS)
	@mkdir -p $(@D)
	$(call say,FW,$@)
	$(Q)$(FW_CC) $(FW_CFLAGS) -c -o $@ $<

# The unwind table, where the firmware has room for one.
FW_UNWIND = if $(BOARD_TOOLS)nm $@ | grep -q ' mcuprof_unwind_table$$'; \
    then $(BUILD)/mcuprof unwind $@ $(if $(V),,>/dev/null); fi

define example_rules
$(OUT)/$(1).elf: | $(BUILD)/mcuprof
$(OUT)/$(1).elf: $(patsubst %,$(OUT)/%.o,$(wildcard examples/$(1)/*.c tests/rigs/$(1)/*.c)) $(if \
    $(filter $(1),$(EXAMPLE)),$(EXAMPLE_OBJECTS)) $$(FW_LIBRARY_OBJECTS)
	$$(call say,LINK,$$@)
	$$(Q)$$(FW_CC) $$(FW_LDFLAGS) -o $$@ $$^ $$(EXAMPLE_LIBS) $$(BOARD_LIBS)
	$$(Q)$$(FW_UNWIND)
endef
$(foreach example,$(EXAMPLES) $(RIGS) $(filter $(EXAMPLE),$(REAL)), \
    $(eval $(call example_rules,$(example))))

$(OUT)/%.mprof: $(OUT)/%.elf $(BUILD)/mcuprof $(BOARD_RUNNER)
	$(Q)$(BUILD)/mcuprof record -e $< -o $@ -- $(BOARD_RUN) $<

.PHONY: firmware capture FORCE
firmware: $(OUT)/$(EXAMPLE).elf
capture: $(OUT)/$(EXAMPLE).mprof
FORCE:

# libsimavr runs the boards with an AVR, and ELFs of others; see runavr.c.
$(BUILD)/runavr: boards/avr/runavr.c
	@mkdir -p $(@D)
	$(call say,CC,$@)
	$(Q)$(CC) $(HOST_CFLAGS) $(CFLAGS) -o $@ $< $(LDFLAGS) -lsimavr -lelf -lutil
