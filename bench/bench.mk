# SPDX-License-Identifier: MIT
# What profiling costs on the chip and on the wire: see bench/README.md.
BENCHES := wire cycles size ports

.PHONY: bench $(BENCHES:%=bench-%)
bench: $(BUILD)/mcuprof
	@$(MAKE) --no-print-directory -k -j1 $(BENCHES:%=bench-%)

# Seconds and bytes of the PC's, so apart from the others. FULL=1: the sizes of the goals.
.PHONY: bench-gprof
bench-gprof: $(BUILD)/mcuprof
	@python3 -B bench/gprof.py $(if $(FULL),--full) $(WORDS)

$(BENCHES:%=bench-%): bench-%: $(BUILD)/mcuprof
	@echo "== bench/$*.py"
	@python3 -B bench/$*.py
