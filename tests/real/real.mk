# SPDX-License-Identifier: MIT
# What the programs of tests/real/ share. Each sets PACKAGE, one of Debian's source packages,
# PROGRAM_FILES and their PROGRAM_FLAGS. The files are compiled as they would ship: without -pg,
# so that calls are not counted (bench/counting.py sets KERNEL_PROFILED=1 and MCUPROF_ARCS=1).
# The programs do their work REAL_ROUNDS times, in some 2 seconds on a Cortex-M at 25 MHz.
PROGRAM_CFLAGS ?=
EXAMPLE_KNOBS += -DREAL_ROUNDS=$(REAL_ROUNDS) \
    $(if $(findstring MCUPROF_ARCS,$(KNOBS)),,-DMCUPROF_ARCS=0)
EXAMPLE_SOURCES += tests/real/real.c tests/real/$(EXAMPLE)/$(EXAMPLE).c
# Cortex-M: the program runs on the process stack, with nested interrupts every
# REAL_TICK_US.
ifneq ($(findstring REAL_TICK_US,$(KNOBS)),)
EXAMPLE_KNOBS += -DREAL_MAIN=real_main
EXAMPLE_SOURCES += tests/real/ticks.c
endif
EXAMPLE_KERNEL := $(addprefix $(BUILD)/sources/$(PACKAGE)/,$(PROGRAM_FILES))
EXAMPLE_INCLUDES += $(addprefix $(BUILD)/sources/$(PACKAGE)/,$(PROGRAM_INCLUDES)) tests/real

# The C library is newlib, with floating-point numbers in printf(), or picolibc.
REAL_C_arm-none-eabi- := -Wl,-u,_printf_float,-u,_scanf_float
REAL_C_riscv64-unknown-elf- := -Wl,--defsym=__heap_start=0x81800000,--defsym=__heap_end=0x81C00000
# On AVR paths are off by default.
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

# The C compiler knows C++ by the file's name.
$(filter %.cpp.o,$(REAL_OBJECTS)): FW_STANDARD := -std=c++17
