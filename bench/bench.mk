# SPDX-License-Identifier: MIT
# What profiling costs on the chip and on the wire: see bench/README.md.
BENCHES := wire cycles links size ports avr node evaluation

.PHONY: bench $(BENCHES:%=bench-%)
bench: $(BUILD)/mcuprof
	@$(MAKE) --no-print-directory -k -j1 $(BENCHES:%=bench-%)

# These measure seconds and bytes of the PC, so they are apart from the others. QUICK=1:
# smaller inputs than those of the goals.
.PHONY: bench-gprof bench-gprof-matrix
bench-gprof: $(BUILD)/mcuprof
	@python3 -B bench/gprof.py $(if $(QUICK),--quick) $(WORDS)
bench-gprof-matrix: $(BUILD)/mcuprof
	@python3 -B bench/gprof_matrix.py $(if $(QUICK),,--full)

# Compares the program with BEFORE, built from an older source; WORDS: inputs.
.PHONY: bench-host
bench-host: $(BUILD)/mcuprof
	@python3 -B bench/host.py $(BEFORE) $(if $(QUICK),--quick) $(WORDS)

# In a browser: the page of `html`, and speedscope's, which is fetched from npm.
.PHONY: bench-page
bench-page: $(BUILD)/mcuprof
	@node bench/page.mjs $(WORDS)

# Runs programs that others wrote, from Debian's archive; WORDS: the arguments.
.PHONY: bench-paths
bench-paths: $(BUILD)/mcuprof
	@python3 -B bench/paths.py $(WORDS)

# Counts the calls of those programs, and compares them with what the user would ship.
.PHONY: bench-counting
bench-counting: $(BUILD)/mcuprof
	@python3 -B bench/counting.py $(WORDS)

# Counts them at their sites, in the linked ELF.
.PHONY: bench-sites
bench-sites: $(BUILD)/mcuprof
	@python3 -B bench/sites.py $(WORDS)

# Times them, and compares the times with those of the programs as shipped.
.PHONY: bench-timed
bench-timed: $(BUILD)/mcuprof
	@python3 -B bench/timed.py $(WORDS)

# Compares what commands and exports say with the emulator's log; WORDS: the arguments.
.PHONY: bench-truth
bench-truth: $(BUILD)/mcuprof
	@python3 -B bench/truth/measure.py $(WORDS)

$(BENCHES:%=bench-%): bench-%: $(BUILD)/mcuprof
	@echo "== bench/$*.py"
	@python3 -B bench/$*.py

# make builds the emulator only for its board.
.PHONY: bench-runavr
bench-avr bench-node bench-evaluation: bench-runavr
bench-runavr:
	@$(MAKE) --no-print-directory -s BOARD=atmega1284p $(BUILD)/runavr

# An emulated board for SECONDS (600) on a line that is full and loses bytes.
.PHONY: soak
soak: $(BUILD)/mcuprof
	@python3 -B bench/soak.py --seconds $(if $(filter file,$(origin SECONDS)),600,$(SECONDS)) \
	    $(WORDS)

# Captures larger than memory, and of 10^7 different calls; WORDS: the arguments.
.PHONY: bench-large
bench-large: $(BUILD)/mcuprof
	@python3 -B bench/large.py $(WORDS)

# Runs the rows of docs/reliability.md and writes its table. SHORT=1: in minutes; WORDS: only
# rows whose command contains one; SECONDS: in place of the seconds that a row's command has.
.PHONY: reliability
reliability: $(BUILD)/mcuprof $(FAULT_CAPTURE)
	@python3 -B bench/reliability.py $(if $(SHORT),--short) \
	    $(if $(filter file,$(origin SECONDS)),,--seconds $(SECONDS)) $(WORDS)

# Runs the rows of docs/seeds.md and writes its table; WORDS: only rows in which one is.
.PHONY: seeds
seeds: $(BUILD)/mcuprof bench-runavr
	@python3 -B bench/seeds.py $(WORDS)
