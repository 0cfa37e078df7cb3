# SPDX-License-Identifier: MIT
EXAMPLE_KNOBS := -DMCUPROF_CALLS=1
EXAMPLE_CFLAGS := -fno-builtin
EXAMPLE_LDFLAGS := -Wl,--wrap=qsort -Wl,--wrap=abs
