# SPDX-License-Identifier: MIT
# Tests: see tests/README.md.
UNIT_TESTS := $(patsubst %.c,$(BUILD)/%,$(wildcard tests/unit/test_*.c))

$(BUILD)/tests/unit/%: tests/unit/%.c $(BUILD)/libmcuprof-host.a
	@mkdir -p $(@D)
	$(call say,TEST,$@)
	$(Q)$(CC) $(HOST_CFLAGS) $(HOST_LIBS_CFLAGS) $(CFLAGS) -o $@ $< \
	    $(BUILD)/libmcuprof-host.a $(LDFLAGS) $(HOST_LDLIBS) -lcmocka

# The firmware's encoder against the decoder, once for each set of knobs:
# entries, ring bytes, wait, arcs, samples.
WIRE_TESTS := $(addprefix $(BUILD)/tests/unit/test_wire_,0_64_0_1_1 0_1024_1_1_1 \
    1_256_0_1_1 2_1024_1_1_1 8_64_0_1_1 8_256_0_1_0 8_256_0_0_1 64_256_0_1_1)
UNIT_TESTS += $(WIRE_TESTS)
PC_CFLAGS := -Itests/pc -Itarget/include -Itarget/core -DMCUPROF_CONFIG='"mcuprof_pc.h"'
PC_SOURCES := tests/pc/port.c target/core/mcuprof.c
wire_knob = $(word $(1),$(subst _, ,$(@F:test_wire_%=%)))

$(WIRE_TESTS): tests/pc/test_wire.c tests/pc/faults.c $(PC_SOURCES) $(wildcard tests/pc/*.h \
    target/include/*.h target/core/*.h wire/*.h) $(BUILD)/libmcuprof-host.a
	@mkdir -p $(@D)
	$(call say,TEST,$@)
	$(Q)$(CC) $(PC_CFLAGS) -DMCUPROF_ENTRIES=$(call wire_knob,1) \
	    -DMCUPROF_RING_BYTES=$(call wire_knob,2) -DMCUPROF_WAIT=$(call wire_knob,3) \
	    -DMCUPROF_ARCS=$(call wire_knob,4) -DMCUPROF_SAMPLES=$(call wire_knob,5) \
	    $(filter-out -MMD -MP,$(HOST_CFLAGS)) $(HOST_LIBS_CFLAGS) $(CFLAGS) -o $@ \
	    $(filter %.c,$^) $(BUILD)/libmcuprof-host.a $(LDFLAGS) $(HOST_LDLIBS) -lcmocka

# Injects faults into a recorded capture, for tests/firmware/test_faults.py.
FAULT_CAPTURE := $(BUILD)/tests/fault_capture
$(FAULT_CAPTURE): tests/pc/fault_capture.c tests/pc/faults.c tests/pc/faults.h \
    $(BUILD)/libmcuprof-host.a
	@mkdir -p $(@D)
	$(call say,TEST,$@)
	$(Q)$(CC) $(filter-out -MMD -MP,$(HOST_CFLAGS)) $(HOST_LIBS_CFLAGS) $(CFLAGS) -Itests/pc \
	    -o $@ $(filter %.c,$^) $(BUILD)/libmcuprof-host.a $(LDFLAGS) $(HOST_LDLIBS)

# WORDS picks tests by name.
.PHONY: test-all check-format format
test-all: $(BUILD)/mcuprof $(UNIT_TESTS) $(FAULT_CAPTURE)
	@$(MAKE) --no-print-directory -s firmware EXAMPLE=blinky BOARD=microbit
	@$(MAKE) --no-print-directory -s firmware EXAMPLE=fib BOARD=microbit
	@$(MAKE) --no-print-directory -s firmware EXAMPLE=truth BOARD=microbit
	@tests/run.py $(WORDS)

C_FILES := $(shell git ls-files '*.c' '*.h' 2>/dev/null)
check-format:
	@clang-format --dry-run -Werror $(C_FILES)
format:
	@clang-format -i $(C_FILES)

-include $(UNIT_TESTS:=.d)
