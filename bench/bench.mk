# SPDX-License-Identifier: MIT
# What profiling costs on the chip and on the wire: see bench/README.md.
BENCHES := wire cycles size ports avr node

.PHONY: bench $(BENCHES:%=bench-%)
bench: $(BUILD)/mcuprof
	@$(MAKE) --no-print-directory -k -j1 $(BENCHES:%=bench-%)

# Seconds and bytes of the PC's, so apart from the others. QUICK=1: not the sizes of the
# goals.
.PHONY: bench-gprof bench-gprof-matrix
bench-gprof: $(BUILD)/mcuprof
	@python3 -B bench/gprof.py $(if $(QUICK),--quick) $(WORDS)
bench-gprof-matrix: $(BUILD)/mcuprof
	@python3 -B bench/gprof_matrix.py $(if $(QUICK),,--full)

# The program beside one of an older source, BEFORE; WORDS: inputs.
.PHONY: bench-host
bench-host: $(BUILD)/mcuprof
	@python3 -B bench/host.py $(BEFORE) $(if $(QUICK),--quick) $(WORDS)

# Programs that others wrote, from Debian's archive; WORDS: its arguments.
.PHONY: bench-paths
bench-paths: $(BUILD)/mcuprof
	@python3 -B bench/paths.py $(WORDS)

$(BENCHES:%=bench-%): bench-%: $(BUILD)/mcuprof
	@echo "== bench/$*.py"
	@python3 -B bench/$*.py

# Their emulator is made with their board alone.
.PHONY: bench-runavr
bench-avr bench-node: bench-runavr
bench-runavr:
	@$(MAKE) --no-print-directory -s BOARD=atmega1284p $(BUILD)/runavr
