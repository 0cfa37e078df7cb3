# SPDX-License-Identifier: MIT
# What the programs of tests/real/ share. Each names its PACKAGE, of Debian's source
# packages, its files, PROGRAM_FILES, and flags of theirs, PROGRAM_FLAGS; they are compiled
# as they would ship: without -pg, and calls are not counted.
# What they do they do REAL_ROUNDS times: some 2 seconds on a Cortex-M at 25 MHz.
PROGRAM_CFLAGS ?=
EXAMPLE_KNOBS += -DMCUPROF_ARCS=0 -DREAL_ROUNDS=$(REAL_ROUNDS)
EXAMPLE_SOURCES += tests/real/real.c tests/real/$(EXAMPLE)/$(EXAMPLE).c
# Cortex-M: on the process stack, with interrupts in one another every REAL_TICK_US.
ifneq ($(findstring REAL_TICK_US,$(KNOBS)),)
EXAMPLE_KNOBS += -DREAL_MAIN=real_main
EXAMPLE_SOURCES += tests/real/ticks.c
endif
EXAMPLE_KERNEL := $(addprefix $(BUILD)/sources/$(PACKAGE)/,$(PROGRAM_FILES))
EXAMPLE_INCLUDES += $(addprefix $(BUILD)/sources/$(PACKAGE)/,$(PROGRAM_INCLUDES)) tests/real

# The C library: newlib, of which printf() can print floating-point numbers, or picolibc.
REAL_C_arm-none-eabi- := -Wl,-u,_printf_float,-u,_scanf_float
REAL_C_riscv64-unknown-elf- := -Wl,--defsym=__heap_start=0x81800000,--defsym=__heap_end=0x81C00000
# Off on AVR, unless asked for.
ifeq ($(BOARD_TOOLS),avr-)
EXAMPLE_KNOBS += $(if $(findstring MCUPROF_PATHS,$(KNOBS)),,-DMCUPROF_PATHS=12)
endif

EXAMPLE_LDFLAGS += $(REAL_C_$(BOARD_TOOLS))
ifeq ($(BOARD_TOOLS),riscv64-unknown-elf-)
BOARD_LIBC := --specs=picolibc.specs
EXAMPLE_SPECS := --specs=picolibc.specs
BOARD_LIBS :=
endif

$(BUILD)/sources/%/.fetched: scripts/sources
	$(call say,FETCH,$(@D))
	$(Q)scripts/sources $*

REAL_OBJECTS := $(patsubst %,$(OUT)/%.o,$(EXAMPLE_SOURCES) $(EXAMPLE_KERNEL))
$(EXAMPLE_KERNEL) $(REAL_OBJECTS): $(if $(PACKAGE),| $(BUILD)/sources/$(PACKAGE)/.fetched)
$(REAL_OBJECTS): FW_CFLAGS += $(EXAMPLE_SPECS) $(PROGRAM_FLAGS) $(PROGRAM_CFLAGS)

# The compiler of C knows C++ by the file's name.
$(filter %.cpp.o,$(REAL_OBJECTS)): FW_STANDARD := -std=c++17
