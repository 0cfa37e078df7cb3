# SPDX-License-Identifier: MIT
# What profiling costs on the chip and on the wire: see bench/README.md.
BENCHES := wire cycles size

.PHONY: bench $(BENCHES:%=bench-%)
bench: $(BUILD)/mcuprof
	@$(MAKE) --no-print-directory -k -j1 $(BENCHES:%=bench-%)

$(BENCHES:%=bench-%): bench-%: $(BUILD)/mcuprof
	@echo "== bench/$*.py"
	@python3 -B bench/$*.py
