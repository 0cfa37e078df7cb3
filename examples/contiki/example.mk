# SPDX-License-Identifier: MIT
# Contiki's processes on a kernel of our own, with the hooks that Contiki would get.
EXAMPLE_KNOBS := -DMCUPROF_TASKS=5 -DMCUPROF_SAMPLE_HZ=500
EXAMPLE_INCLUDES := tests/contiki
EXAMPLE_SOURCES := target/os/contiki/mcuprof_contiki.c
EXAMPLE_LDFLAGS := -Wl,--wrap=process_start -Wl,--wrap=platform_idle
