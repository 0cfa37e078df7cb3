/* SPDX-License-Identifier: MIT */
/* mcuprof's knobs in ESP-IDF: mcuprof_config.h explains them. */
#include "sdkconfig.h"

#define MCUPROF_TIMER_HZ       16000000 /* the system timer's */
#define MCUPROF_TIMER_RESTARTS 1
#define MCUPROF_PATHS          0 /* IDF's linker script has no room for the unwind table */
#define MCUPROF_SPAN_BYTES     64 /* half of the UART's FIFO */
#define MCUPROF_SAMPLE_HZ      CONFIG_MCUPROF_SAMPLE_HZ
#define MCUPROF_RING_BYTES     CONFIG_MCUPROF_RING_BYTES
#define MCUPROF_FLUSH_MS       CONFIG_MCUPROF_FLUSH_MS
