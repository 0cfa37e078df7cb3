# SPDX-License-Identifier: MIT
# Three tasks on RTEMS, whose BSP for LEON3 is installed beside its compiler:
#   make capture BOARD=leon3 EXAMPLE=rtems RTEMS_BSP=/opt/rtems/6/sparc-rtems6/leon3
ifneq ($(BOARD),leon3)
$(error BOARD = $(BOARD): examples/rtems is for leon3)
endif
ifeq ($(wildcard $(RTEMS_BSP)/lib/linkcmds),)
$(error RTEMS_BSP = $(RTEMS_BSP): name the folder of an installed BSP, with its lib/linkcmds)
endif
RTEMS_BSP_FOLDER := $(patsubst %/,%,$(RTEMS_BSP))
RTEMS_TRIPLE := $(notdir $(patsubst %/,%,$(dir $(RTEMS_BSP_FOLDER))))
BOARD_TOOLS := $(dir $(patsubst %/,%,$(dir $(RTEMS_BSP_FOLDER))))bin/$(RTEMS_TRIPLE)-

# RTEMS has its own start-up code, memory map and interrupts.
BOARD_SOURCES :=
BOARD_MACHINE := -mcpu=leon3
BOARD_START := -B$(RTEMS_BSP_FOLDER)/lib/ -qrtems
BOARD_SCRIPT :=
MCUPROF_LDFLAGS := -Wl,--build-id -Wl,-T,target/os/rtems/mcuprof_rtems.ld
# rtems/confdefs.h of RTEMS 5 is GNU C.
EXAMPLE_CFLAGS := -std=gnu11
EXAMPLE_INCLUDES := target/os/rtems $(RTEMS_BSP_FOLDER)/lib/include
EXAMPLE_SOURCES := target/os/rtems/mcuprof_rtems.c
EXAMPLE_KNOBS := -DMCUPROF_TASKS=8 -DMCUPROF_PATHS=0 -DMCUPROF_DITHER=0 -DMCUPROF_IRQ_TRAPS=1 \
    -DMCUPROF_TIMER_RESTARTS=0 -DMCUPROF_SAMPLE_HZ=1000
EXAMPLE_LDFLAGS := -Wl,--wrap=rtems_interrupt_handler_install \
    -Wl,--wrap=rtems_interrupt_entry_install
