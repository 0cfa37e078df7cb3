# SPDX-License-Identifier: MIT
# The hooks that RTEMS would get, without RTEMS: what they call is in tests/rtems/kernel.c.
# That has the board's timer, in place of its own functions of the sampling timer.
ifneq ($(BOARD),leon3)
$(error BOARD = $(BOARD): examples/ends is for leon3)
endif
EXAMPLE_KNOBS := -DMCUPROF_PROFIL=1 -DMCUPROF_PATHS=0 -DMCUPROF_DITHER=0 -DMCUPROF_IRQ_TRAPS=1 \
    -DMCUPROF_TIMER_RESTARTS=0 -DMCUPROF_SAMPLE_HZ=1000
EXAMPLE_INCLUDES := tests/rtems target/os/rtems target/gmon
EXAMPLE_SOURCES := target/os/rtems/mcuprof_rtems.c target/gmon/mcuprof_gmon.c \
    tests/rtems/kernel.c
EXAMPLE_LDFLAGS := -Wl,--wrap=rtems_interrupt_handler_install -Wl,--wrap=board_tick_entry \
    -Wl,-z,muldefs
