# SPDX-License-Identifier: MIT
# The program of examples/chibios on FreeRTOS, whose kernel is yours:
#   make capture EXAMPLE=freertos FREERTOS_KERNEL_PATH=path/to/FreeRTOS-Kernel
# It ran with V10.5.1 and V11.1.0.
ifeq ($(filter mps2-an385 microbit,$(BOARD)),)
$(error BOARD = $(BOARD): examples/freertos is for mps2-an385 and microbit)
endif
ifeq ($(wildcard $(FREERTOS_KERNEL_PATH)/tasks.c),)
$(error FREERTOS_KERNEL_PATH = $(FREERTOS_KERNEL_PATH): name the folder with the kernel's tasks.c)
endif
ifneq ($(findstring BOARD_LINK_CYCLES,$(KNOBS)),)
$(error BOARD_LINK_CYCLES: SysTick is the kernel's)
endif
EXAMPLE_KNOBS := -DMCUPROF_TASKS=8 -DBOARD_SLEEPS
EXAMPLE_CFLAGS := -finstrument-functions-exclude-file-list=$(FREERTOS_KERNEL_PATH)
EXAMPLE_LDFLAGS := -Wl,--wrap=board_tick_entry,--wrap=SysTick_Handler

FREERTOS_PORT := $(FREERTOS_KERNEL_PATH)/portable/GCC/$(if \
    $(filter cortex-m0,$(BOARD_CPU)),ARM_CM0,ARM_CM3)
EXAMPLE_INCLUDES := examples/freertos examples/chibios target/os/freertos \
    $(FREERTOS_KERNEL_PATH)/include $(FREERTOS_PORT)
EXAMPLE_SOURCES := examples/chibios/shield.c target/os/freertos/mcuprof_freertos.c
EXAMPLE_KERNEL := $(addprefix $(FREERTOS_KERNEL_PATH)/,tasks.c queue.c list.c \
    portable/MemMang/heap_4.c) $(wildcard $(FREERTOS_PORT)/*.c)
