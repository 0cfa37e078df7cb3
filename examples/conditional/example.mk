# SPDX-License-Identifier: MIT
# Its basic blocks are counted.
EXAMPLE_KNOBS := -DMCUPROF_BLOCKS=1
EXAMPLE_CFLAGS := $(MCUPROF_BLOCK_CFLAGS)
