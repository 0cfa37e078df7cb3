# SPDX-License-Identifier: MIT
# On ChibiOS/RT 4.0.0, which npm fetches into $(BUILD)/chibios when this example is built.
# The kernel's licence is the GPL 3 or later, and so is that of the firmware linked with it;
# nothing of it is part of mcuprof. KERNEL_PROFILED=1 profiles the kernel, too.
ifeq ($(filter mps2-an385 microbit,$(BOARD)),)
$(error BOARD = $(BOARD): examples/chibios is for mps2-an385 and microbit)
endif
ifneq ($(findstring BOARD_LINK_CYCLES,$(KNOBS)),)
$(error BOARD_LINK_CYCLES: SysTick is the kernel's)
endif
EXAMPLE_KNOBS := -DMCUPROF_TASKS=8 -DBOARD_SLEEPS
EXAMPLE_CFLAGS := $(if $(KERNEL_PROFILED),,-finstrument-functions-exclude-file-list=chibios/os/)
EXAMPLE_LDFLAGS := -Wl,--wrap=board_tick_entry

CHIBIOS_PORT := $(if $(filter cortex-m0,$(BOARD_CPU)),v6m,v7m)
CHIBIOS_FETCHED := $(BUILD)/chibios/fetched
CHIBIOS := $(BUILD)/chibios/node_modules/chibios/os
CHIBIOS_SCHD := $(BUILD)/chibios/os/rt/src/chschd.c
EXAMPLE_INCLUDES := examples/chibios target/os/chibios $(CHIBIOS)/rt/include \
    $(CHIBIOS)/common/oslib/include $(CHIBIOS)/common/ports/ARMCMx \
    $(CHIBIOS)/common/ports/ARMCMx/compilers/GCC $(CHIBIOS)/common/ext/CMSIS/include
EXAMPLE_KERNEL := $(addprefix $(CHIBIOS)/,$(patsubst %,rt/src/%.c,chsys chdebug chvt chschd \
    chthreads chregistry chsem chmtx) common/oslib/src/chmboxes.c \
    common/ports/ARMCMx/chcore.c common/ports/ARMCMx/chcore_$(CHIBIOS_PORT).c \
    common/ports/ARMCMx/compilers/GCC/chcoreasm_$(CHIBIOS_PORT).s)
EXAMPLE_KERNEL := $(patsubst $(CHIBIOS)/rt/src/chschd.c,$(CHIBIOS_SCHD),$(EXAMPLE_KERNEL))

$(EXAMPLE_KERNEL) $(OUT)/examples/chibios/chibios.c.o: | $(CHIBIOS_FETCHED)
# The kernel says when a thread may run: it has no hook there.
$(CHIBIOS_SCHD): target/os/chibios/ready.sed | $(CHIBIOS_FETCHED)
	@mkdir -p $(@D)
	$(Q)sed -f $< $(CHIBIOS)/rt/src/chschd.c >$@
$(CHIBIOS_FETCHED): examples/chibios/package.json examples/chibios/package-lock.json
	@mkdir -p $(@D)
	$(call say,NPM,$(CHIBIOS))
	$(Q)cp $^ $(@D) && cd $(@D) && flock package.json sh -c 'test -e $(@F) -a \
	    $(@F) -nt package.json || npm ci --ignore-scripts --no-audit --no-fund \
	    --fetch-retries=3 --fetch-retry-mintimeout=2000 --fetch-retry-factor=2 >npm.log 2>&1 \
	    || { cat npm.log >&2; false; }' && touch $(@F)
