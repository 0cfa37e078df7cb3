# SPDX-License-Identifier: MIT
# Tests: see tests/README.md.
UNIT_TESTS := $(patsubst %.c,$(BUILD)/%,$(wildcard tests/unit/test_*.c))

$(BUILD)/tests/unit/%: tests/unit/%.c $(BUILD)/libmcuprof-host.a
	@mkdir -p $(@D)
	$(call say,TEST,$@)
	$(Q)$(CC) $(HOST_CFLAGS) $(HOST_LIBS_CFLAGS) $(CFLAGS) -o $@ $< \
	    $(BUILD)/libmcuprof-host.a $(LDFLAGS) $(HOST_LDLIBS) -lcmocka


# WORDS picks tests by name.
.PHONY: test-all check-format format
test-all: $(BUILD)/mcuprof $(UNIT_TESTS)
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
