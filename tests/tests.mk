# SPDX-License-Identifier: MIT
# Tests: CONTRIBUTING.md says what is where.
UNIT_TESTS := $(patsubst %.c,$(BUILD)/%,$(wildcard tests/unit/test_*.c))

CHECK_UNIT := $(UNIT_TESTS)
$(CHECK_UNIT:=.o): $(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(HOST_CFLAGS) $(HOST_LIBS_CFLAGS) $(CFLAGS) -c -o $@ $<
$(CHECK_UNIT): %: %.o $(BUILD)/libmcuprof-host.a
	$(call say,TEST,$@)
	$(Q)$(CC) $(CFLAGS) -o $@ $< $(BUILD)/libmcuprof-host.a $(LDFLAGS) $(HOST_LDLIBS) \
	    -lcmocka

# The firmware's encoder against the decoder, once for each set of knobs:
# entries, ring bytes, wait, arcs, samples, blocks; where it sends spans, their bytes.
WIRE_TESTS := $(addprefix $(BUILD)/tests/unit/test_wire_,0_64_0_1_1_0 0_1024_1_1_1_0 \
    1_256_0_1_1_0 2_1024_1_1_1_0 8_64_0_1_1_0 8_256_0_1_0_0 8_256_0_0_1_0 64_256_0_1_1_0 \
    0_64_0_1_1_1 1_1024_1_1_1_1 8_64_0_1_1_1 8_256_0_0_1_1 8_256_0_1_0_1 16_256_0_0_0_1 \
    64_256_0_1_1_1 0_64_0_1_1_0_32 0_256_1_1_1_0_1 8_1024_0_1_1_0_300)
UNIT_TESTS += $(WIRE_TESTS)
PC_CFLAGS := -Itests/pc -Itarget/include -Itarget/core -DMCUPROF_CONFIG='"mcuprof_pc.h"'
PC_SOURCES := tests/pc/port.c $(wildcard target/core/*.c)
wire_knob = $(word $(1),$(subst _, ,$(@F:test_wire_%=%)))

FAULTS_C := tests/pc/faults.c tests/pc/faults_words.c tests/pc/edits.c
$(WIRE_TESTS): tests/pc/test_wire.c $(FAULTS_C) $(PC_SOURCES) $(wildcard tests/pc/*.h \
    target/include/*.h target/core/*.h wire/*.h) $(BUILD)/libmcuprof-host.a
	@mkdir -p $(@D)
	$(call say,TEST,$@)
	$(Q)$(CC) $(PC_CFLAGS) -DMCUPROF_ENTRIES=$(call wire_knob,1) \
	    -DMCUPROF_RING_BYTES=$(call wire_knob,2) -DMCUPROF_WAIT=$(call wire_knob,3) \
	    -DMCUPROF_ARCS=$(call wire_knob,4) -DMCUPROF_SAMPLES=$(call wire_knob,5) \
	    -DMCUPROF_BLOCKS=$(call wire_knob,6) \
	    -DMCUPROF_SPAN_BYTES=$(or $(call wire_knob,7),0) \
	    $(filter-out -MMD -MP,$(HOST_CFLAGS)) $(HOST_LIBS_CFLAGS) $(CFLAGS) -o $@ \
	    $(filter %.c,$^) $(BUILD)/libmcuprof-host.a $(LDFLAGS) $(HOST_LDLIBS) -lcmocka

# The same with tasks: entries, ring bytes, wait.
TASK_TESTS := $(addprefix $(BUILD)/tests/unit/test_wire_tasks_,0_128_0 0_256_1 1_256_0 \
    16_256_0)
UNIT_TESTS += $(TASK_TESTS)
task_knob = $(word $(1),$(subst _, ,$(@F:test_wire_tasks_%=%)))

$(TASK_TESTS): tests/pc/test_wire_tasks.c $(FAULTS_C) $(PC_SOURCES) $(wildcard \
    tests/pc/*.h target/include/*.h target/core/*.h wire/*.h) $(BUILD)/libmcuprof-host.a
	@mkdir -p $(@D)
	$(call say,TEST,$@)
	$(Q)$(CC) $(PC_CFLAGS) -DMCUPROF_ENTRIES=$(call task_knob,1) \
	    -DMCUPROF_RING_BYTES=$(call task_knob,2) -DMCUPROF_WAIT=$(call task_knob,3) \
	    -DMCUPROF_TASKS=4 \
	    $(filter-out -MMD -MP,$(HOST_CFLAGS)) $(HOST_LIBS_CFLAGS) $(CFLAGS) -o $@ \
	    $(filter %.c,$^) $(BUILD)/libmcuprof-host.a $(LDFLAGS) $(HOST_LDLIBS) -lcmocka

# The same with paths: depth, addresses remembered, ring bytes, arcs, tasks, 1 where they go on
# through interrupts, 1 where their interrupt's time is measured.
PATH_TESTS := $(addprefix $(BUILD)/tests/unit/test_wire_paths_,2_8_64_0_0 24_64_256_0_0 \
    24_64_256_1_3 124_16_1024_1_0 5_32_64_0_0 24_64_1024_0_0_1_1 24_16_256_1_3_1)
UNIT_TESTS += $(PATH_TESTS)
path_knob = $(word $(1),$(subst _, ,$(@F:test_wire_paths_%=%)))

$(PATH_TESTS): tests/pc/test_wire_paths.c $(FAULTS_C) $(PC_SOURCES) $(wildcard \
    tests/pc/*.h target/include/*.h target/core/*.h wire/*.h) $(BUILD)/libmcuprof-host.a
	@mkdir -p $(@D)
	$(call say,TEST,$@)
	$(Q)$(CC) $(PC_CFLAGS) -DMCUPROF_PATHS=$(call path_knob,1) \
	    -DMCUPROF_PATH_CACHE=$(call path_knob,2) -DMCUPROF_RING_BYTES=$(call path_knob,3) \
	    -DMCUPROF_ARCS=$(call path_knob,4) -DMCUPROF_TASKS=$(call path_knob,5) \
	    -DMCUPROF_THROUGH_INTERRUPTS=$(or $(call path_knob,6),0) \
	    $(if $(call path_knob,7),'-DMCUPROF_TIMER_SINCE()=0u') \
	    $(filter-out -MMD -MP,$(HOST_CFLAGS)) $(HOST_LIBS_CFLAGS) $(CFLAGS) -o $@ \
	    $(filter %.c,$^) $(BUILD)/libmcuprof-host.a $(LDFLAGS) $(HOST_LDLIBS) -lcmocka

# The same with a timeline: ring bytes, counters.
TIMELINE_TESTS := $(addprefix $(BUILD)/tests/unit/test_wire_timeline_,64_0 128_8 1024_0)
UNIT_TESTS += $(TIMELINE_TESTS)
timeline_knob = $(word $(1),$(subst _, ,$(@F:test_wire_timeline_%=%)))

$(TIMELINE_TESTS): tests/pc/test_wire_timeline.c $(FAULTS_C) $(PC_SOURCES) $(wildcard \
    tests/pc/*.h target/include/*.h target/core/*.h wire/*.h) $(BUILD)/libmcuprof-host.a
	@mkdir -p $(@D)
	$(call say,TEST,$@)
	$(Q)$(CC) $(PC_CFLAGS) -DMCUPROF_TIMELINE=1 -DMCUPROF_TASKS=64 \
	    -DMCUPROF_RING_BYTES=$(call timeline_knob,1) \
	    -DMCUPROF_ENTRIES=$(call timeline_knob,2) \
	    $(filter-out -MMD -MP,$(HOST_CFLAGS)) $(HOST_LIBS_CFLAGS) $(CFLAGS) -o $@ \
	    $(filter %.c,$^) $(BUILD)/libmcuprof-host.a $(LDFLAGS) $(HOST_LDLIBS) -lcmocka

# Injects faults into a recorded capture, for tests/firmware/test_faults.py.
FAULT_CAPTURE := $(BUILD)/tests/fault_capture
$(FAULT_CAPTURE): tests/pc/fault_capture.c $(FAULTS_C) tests/pc/faults.h \
    $(BUILD)/libmcuprof-host.a
	@mkdir -p $(@D)
	$(call say,TEST,$@)
	$(Q)$(CC) $(filter-out -MMD -MP,$(HOST_CFLAGS)) $(HOST_LIBS_CFLAGS) $(CFLAGS) -Itests/pc \
	    -o $@ $(filter %.c,$^) $(BUILD)/libmcuprof-host.a $(LDFLAGS) $(HOST_LDLIBS)

# Turns captures of version 2 of the wire into version 3, for tests/firmware/test_faults.py.
TO_WORDS := $(BUILD)/tests/to_words
$(TO_WORDS): tests/pc/to_words.c $(BUILD)/libmcuprof-host.a
	@mkdir -p $(@D)
	$(call say,TEST,$@)
	$(Q)$(CC) $(filter-out -MMD -MP,$(HOST_CFLAGS)) $(HOST_LIBS_CFLAGS) $(CFLAGS) -o $@ \
	    $(filter %.c,$^) $(BUILD)/libmcuprof-host.a $(LDFLAGS) $(HOST_LDLIBS) \
	    -Wl,--wrap=profile_stack,--wrap=profile_count_all,--wrap=profile_call_record

# Draws frames of `mcuprof top`, for tests/golden/test_top.py.
TOP_FRAMES := $(BUILD)/tests/top_frames
$(TOP_FRAMES): tests/top/frames.c $(BUILD)/libmcuprof-host.a
	@mkdir -p $(@D)
	$(call say,TEST,$@)
	$(Q)$(CC) $(filter-out -MMD -MP,$(HOST_CFLAGS)) $(HOST_LIBS_CFLAGS) $(CFLAGS) -o $@ \
	    $(filter %.c,$^) $(BUILD)/libmcuprof-host.a $(LDFLAGS) $(HOST_LDLIBS)

# The full run, of an hour and more: FAULT_TIMES=N, 10^7 by default.
.PHONY: faults
faults: $(BUILD)/mcuprof $(FAULT_CAPTURE) $(TO_WORDS)
	$(Q)FAULT_TIMES=$(or $(FAULT_TIMES),10000000) PYTHONDONTWRITEBYTECODE=1 \
	    PYTHONPATH=tests/firmware python3 -m unittest test_faults

# An interrupt at each instruction that the profiler executes, on all boards: an hour and more.
# CHECK_BOARD: on one; SWEEP=N: at each Nth.
.PHONY: sweep
sweep: $(BUILD)/mcuprof
	$(Q)SWEEP=$(or $(SWEEP),1) PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=tests/firmware python3 -m unittest \
	    test_sweep

# Random programs that are built to break the walk of call paths: tests/attack/README.md. SEED=N
# repeats a run; WORDS: the arguments.
.PHONY: attack
attack: $(BUILD)/mcuprof
	$(Q)$(if $(SEED),SEED=$(SEED)) python3 -B tests/attack/attack.py $(WORDS)

# Hostile input for the readers: `make fuzz` looks for new inputs (SECONDS for each target), and so
# do the tests, for a minute. They begin with those in tests/fuzz/corpus, whose folders are the
# targets.
SECONDS ?= 3600
FUZZ_TARGETS := $(notdir $(wildcard tests/fuzz/corpus/*))
FUZZERS := $(FUZZ_TARGETS:%=$(BUILD)/fuzz/%)
FUZZ_SOURCES := $(wildcard tests/fuzz/fuzz.c tests/fuzz/fuzz_gprof.c host/port/*.c host/base/*.c \
    host/arch/*.c host/graph/*.c host/image/*.c host/profile/*.c host/capture/*.c \
    host/functions/*.c host/hook_cost/*.c host/analysis/*.c host/answers/*.c host/decode/*.c \
    host/gprof/*.c host/gprof/*/*.c host/unwind/*.c host/lint/*.c)
FUZZ_CFLAGS = $(filter-out -MMD -MP -O2,$(HOST_CFLAGS)) -O1 $(HOST_LIBS_CFLAGS) \
    -fno-omit-frame-pointer -fno-sanitize-recover=all
FUZZ_HEADERS := $(wildcard tests/fuzz/*.h host/*.h host/*/*.h host/*/*/*.h wire/*.h)

# One program, which looks at the name that it is called by.
FUZZER := $(BUILD)/fuzz/fuzzer
$(FUZZER): tests/fuzz/libfuzzer.c $(FUZZ_SOURCES) $(FUZZ_HEADERS)
	@mkdir -p $(@D)
	$(call say,FUZZ,$@)
	$(Q)clang $(FUZZ_CFLAGS) -fsanitize=fuzzer,address,undefined -o $@ $(filter %.c,$^) \
	    $(HOST_LDLIBS)
$(FUZZERS): $(FUZZER)
	$(Q)ln -f $< $@

.PHONY: fuzz
fuzz: $(FUZZERS)
	$(Q)python3 -B tests/fuzz/fuzz.py $(BUILD)/fuzz $(SECONDS) $(FUZZ_TARGETS)

# WORDS picks tests by name.
.PHONY: test-programs test-all check-format format
test-programs: $(FUZZERS) $(BUILD)/mcuprof $(UNIT_TESTS) $(FAULT_CAPTURE) $(TO_WORDS) $(TOP_FRAMES)
test-all: test-programs
	@$(MAKE) --no-print-directory -s firmware EXAMPLE=blinky BOARD=microbit
	@$(MAKE) --no-print-directory -s firmware EXAMPLE=fib BOARD=microbit
	@$(MAKE) --no-print-directory -s firmware EXAMPLE=truth BOARD=microbit
	@tests/run.py $(WORDS)

# The inner loop: each builds what it needs, and no more.
.PHONY: check-unit check-gprof check-cli check-firmware
check-unit: $(CHECK_UNIT)
	@tests/run.py $^
check-gprof: $(BUILD)/mcuprof
	@tests/run.py tests/gprof/
check-cli: $(BUILD)/mcuprof $(TOP_FRAMES)
	@$(MAKE) --no-print-directory -s firmware EXAMPLE=blinky BOARD=microbit
	@$(MAKE) --no-print-directory -s firmware EXAMPLE=fib BOARD=microbit
	@tests/run.py tests/golden/
check-firmware: $(BUILD)/mcuprof $(FAULT_CAPTURE) $(TO_WORDS)
	@CHECK_BOARD=$(BOARD) tests/run.py tests/firmware/

# The unit tests and what commands print once more, under ASan and UBSan, which end a program that
# does wrong or leaks; all but the tests that look at sources or at how the program is built, and
# the one that takes memory away. Tests name build/, so this is made in a tree of links to this one.
SANITIZED := $(BUILD)/sanitized
SANITIZE := -fsanitize=address,undefined -fno-sanitize-recover=undefined
UNSANITIZED := code dist layers libraries no_memory pack port
.PHONY: test-sanitized
test-sanitized:
	@$(MAKE) --no-print-directory -s firmware EXAMPLE=blinky BOARD=microbit
	@$(MAKE) --no-print-directory -s firmware EXAMPLE=fib BOARD=microbit
	@$(MAKE) --no-print-directory -s firmware EXAMPLE=truth BOARD=microbit
	@mkdir -p $(SANITIZED)/build
	@ln -sfn $(CURDIR)/$(BUILD)/firmware $(SANITIZED)/build/firmware
	@ln -sfn $(filter-out %/. %/.. %/$(BUILD),$(wildcard $(CURDIR)/* $(CURDIR)/.*)) $(SANITIZED)
	@$(MAKE) --no-print-directory -C $(SANITIZED) LDFLAGS="$(SANITIZE)" \
	    CFLAGS="-O1 -fno-omit-frame-pointer $(SANITIZE)" build/mcuprof $(CHECK_UNIT:$(BUILD)/%=build/%) \
	    $(TOP_FRAMES:$(BUILD)/%=build/%)
	@cd $(SANITIZED) && LSAN_OPTIONS=suppressions=tests/leaks.supp:print_suppressions=0 \
	    tests/run.py $(CHECK_UNIT:$(BUILD)/%=build/%) \
	    $(filter-out $(UNSANITIZED:%=tests/golden/test_%.py),$(wildcard tests/golden/test_*.py))

# Mutations of host/, one at a time, against the tests that run them: SEED=N repeats a run,
# COUNT=N how many. It takes some minutes for each. Not the tests that look at sources.
.PHONY: mutations
mutations:
	@$(MAKE) --no-print-directory -s firmware EXAMPLE=blinky BOARD=microbit
	@$(MAKE) --no-print-directory -s firmware EXAMPLE=fib BOARD=microbit
	@$(MAKE) --no-print-directory -s firmware EXAMPLE=truth BOARD=microbit
	$(Q)$(if $(SEED),SEED=$(SEED)) $(if $(COUNT),COUNT=$(COUNT)) python3 -B tests/mutations.py \
	    $(filter-out $(UNSANITIZED:%=tests/golden/test_%.py),$(wildcard tests/golden/test_*.py))

# The program once more, by clang and by gcc with its analyser, and the firmware by the analyser
# (AVR's gcc has none): each warning is an error. The analyser takes memory that a function hands
# out through a pointer for lost; LeakSanitizer looks for leaks, in the tests of the readers and in
# `make fuzz`.
ANALYSED := gcc clang
ANALYSE_gcc := -fanalyzer -Wno-analyzer-malloc-leak
ANALYSED_BOARDS := microbit versatilepb virt leon3
ANALYSED_MODES := SAMPLES TASKS BLOCKS TIMELINE CALLS
.PHONY: analyse
$(ANALYSED_BOARDS:%=analyse-on-%): $(BUILD)/mcuprof
analyse: $(ANALYSED:%=analyse-%) $(ANALYSED_BOARDS:%=analyse-on-%)
	@echo "analysed: $(words $(HOST_SOURCES)) files of host/ by $(ANALYSED), target/ on" \
	    "$(ANALYSED_BOARDS) in $(words $(ANALYSED_MODES)) modes, no warning"
analyse-on-%:
	@rm -rf $(BUILD)/analysed/$*-*
	$(Q)set -e; for mode in $(ANALYSED_MODES); do \
	    $(MAKE) --no-print-directory firmware EXAMPLE=truth BOARD=$* \
	        OUT=$(BUILD)/analysed/$*-$$mode OPTIMISE="-Os -fanalyzer" \
	        KNOBS="-DMCUPROF_$$mode=1"; done
analyse-%:
	@rm -rf $(BUILD)/analysed/$*
	@$(MAKE) --no-print-directory BUILD=$(BUILD)/analysed/$* CC=$* CFLAGS="$(ANALYSE_$*)" \
	    $(BUILD)/analysed/$*/mcuprof

C_FILES := $(shell git ls-files '*.c' '*.h' 2>/dev/null)
check-format:
	@clang-format --dry-run -Werror $(C_FILES)
format:
	@clang-format -i $(C_FILES)

ifndef PROGRAM_THERE
-include $(UNIT_TESTS:=.d)
endif
