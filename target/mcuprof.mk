# SPDX-License-Identifier: MIT
# mcuprof for a firmware's Makefile:
#
#     MCUPROF_CPU := cortex-m0plus            # as in -mcpu=, -march= or -mmcu=
#     MCUPROF_LINK := pl011                   # a file of target/link; or none: your own
#     include path/to/mcuprof/target/mcuprof.mk
#
# then compile MCUPROF_SOURCES with MCUPROF_CFLAGS, add MCUPROF_PROFILE_CFLAGS to the files
# to be profiled (leave out start-up code), and link with MCUPROF_LDFLAGS. With the knob
# MCUPROF_BLOCKS=1, the basic blocks of files to which MCUPROF_BLOCK_CFLAGS are added are
# counted. MCUPROF_CC is the firmware's compiler, if that is not CC.
MCUPROF_TARGET := $(patsubst %/,%,$(dir $(lastword $(MAKEFILE_LIST))))
ifndef MCUPROF_CPU
$(error MCUPROF_CPU: name the processor as for -mcpu=, -march= or -mmcu=, before \
    including mcuprof.mk)
endif

# The folder of target/arch/ that serves this processor: its file cpus says which.
mcuprof_serves = $(filter $(shell cat $(1)),$(MCUPROF_CPU))
MCUPROF_ARCH := $(strip $(foreach cpus,$(wildcard $(MCUPROF_TARGET)/arch/*/cpus), \
    $(if $(call mcuprof_serves,$(cpus)),$(notdir $(patsubst %/,%,$(dir $(cpus)))))))
ifeq ($(MCUPROF_ARCH),)
$(error MCUPROF_CPU = $(MCUPROF_CPU): no port; there are ones for \
    $(subst %,...,$(sort $(shell cat $(MCUPROF_TARGET)/arch/*/cpus))))
endif

# The file of target/link/ that sends.
mcuprof_links := $(basename $(notdir $(wildcard $(MCUPROF_TARGET)/link/*.c)))
ifneq ($(filter-out $(mcuprof_links),$(MCUPROF_LINK)),)
$(error MCUPROF_LINK = $(MCUPROF_LINK): there are $(mcuprof_links))
endif

MCUPROF_SOURCES := $(wildcard $(MCUPROF_TARGET)/core/*.c) \
    $(wildcard $(MCUPROF_TARGET)/arch/$(MCUPROF_ARCH)/*.[cS]) \
    $(MCUPROF_LINK:%=$(MCUPROF_TARGET)/link/%.c)
MCUPROF_CFLAGS := -I$(MCUPROF_TARGET)/include -I$(MCUPROF_TARGET)/core \
    -I$(MCUPROF_TARGET)/arch/$(MCUPROF_ARCH) -I$(MCUPROF_TARGET)/../wire

# With the knob MCUPROF_CALLS=1 these take the place of MCUPROF_PROFILE_CFLAGS: each function
# calls the profiler at its entry and exit. -fno-defer-pop pops arguments on the stack (AVR)
# right after their call: a function that is expanded inline ends with the stack pointer that
# it began with. -fno-tree-ter computes a function's result before it calls the profiler.
MCUPROF_CC ?= $(CC)
mcuprof_clang := $(findstring clang,$(notdir $(MCUPROF_CC)))
MCUPROF_CALL_CFLAGS := -finstrument-functions -fno-optimize-sibling-calls \
    $(if $(mcuprof_clang),,-fno-defer-pop -fno-tree-ter) -fno-lto

# Sibling calls are jumps: the callee would seem called by its caller's caller. Where
# Thumb-1 saves r8 to r11, GCC moves them through lr before it calls mcount, which then
# takes one of them for the caller: on ARM7 and ARM9 add MCUPROF_THUMB1_CFLAGS to
# files compiled with -mthumb. Link-time optimisation drops the calls of mcount
# unless the link itself has -pg, which the C libraries' specs do not allow. For AVR -pg
# calls nothing, and neither does clang's on bare metal: time the calls, which counts them, too.
MCUPROF_THUMB1_CFLAGS := -ffixed-r8 -ffixed-r9 -ffixed-r10 -ffixed-r11
MCUPROF_PROFILE_CFLAGS := \
    $(if $(filter avr,$(MCUPROF_ARCH)),-finstrument-functions,-pg) \
    -fno-optimize-sibling-calls -fno-lto \
    $(if $(filter cortex-m0% cortex-m1 cortex-m1.% cortex-m23,$(MCUPROF_CPU)), \
        $(MCUPROF_THUMB1_CFLAGS))
ifneq ($(mcuprof_clang),)
MCUPROF_PROFILE_CFLAGS = $(error MCUPROF_PROFILE_CFLAGS: -pg of $(MCUPROF_CC) calls \
    nothing on bare metal; set the knob MCUPROF_CALLS=1 and use MCUPROF_CALL_CFLAGS)
endif

# Each basic block calls the profiler (GCC 6 or later). A sibling call of it, at the end of a
# function, would be counted at the place to which the function returns.
MCUPROF_BLOCK_CFLAGS := -fsanitize-coverage=trace-pc -fno-optimize-sibling-calls -fno-lto

# Firmware whose calls are counted at their sites: `make firmware.counts.elf`. The library needs the
# knob MCUPROF_SITES; MCUPROF_PATCH has options, such as --calls main.c.
%.counts.elf: %.elf
	mcuprof patch -o $@ $(MCUPROF_PATCH) $<

# The build ID, and the script that places it. If your linker script lists RAM before FLASH,
# set MCUPROF_SCRIPT := mcuprof_flash.ld before you include this file. ld must read that
# script after yours, so put MCUPROF_LDFLAGS behind your script's -T then.
MCUPROF_SCRIPT ?= mcuprof.ld
ifeq ($(MCUPROF_SCRIPT),mcuprof.ld)
MCUPROF_LDFLAGS := -Wl,--build-id -Wl,-T,$(MCUPROF_TARGET)/mcuprof.ld
else
MCUPROF_LDFLAGS := -Wl,--build-id -T $(MCUPROF_TARGET)/$(MCUPROF_SCRIPT)
endif
# C++: what keeps paths below the end of a clean-up whole (core/mcuprof_arm_cleanup.h).
ifneq ($(filter arm cortex-m,$(MCUPROF_ARCH)),)
MCUPROF_LDFLAGS += -Wl,--wrap=__cxa_end_cleanup
endif
