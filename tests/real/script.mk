# SPDX-License-Identifier: MIT
# What the interpreters of JavaScript share, beside real.mk: they run script.js.
EXAMPLE_SOURCES := tests/real/script.S
EXAMPLE_LIBS := -lm
$(OUT)/tests/real/script.S.o: tests/real/script.js
include tests/real/real.mk
# Their stacks are too deep for the default depth and ring.
EXAMPLE_KNOBS += $(if $(findstring MCUPROF_PATHS,$(KNOBS)),,-DMCUPROF_PATHS=124) \
    $(if $(findstring RING_BYTES,$(KNOBS)),,-DMCUPROF_RING_BYTES=1024)
