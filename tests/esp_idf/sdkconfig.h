/* SPDX-License-Identifier: MIT */
/* What packaging/esp-idf/mcuprof/Kconfig gives by default. */
#define CONFIG_MCUPROF_TX_GPIO    4
#define CONFIG_MCUPROF_BAUD       921600
#define CONFIG_MCUPROF_SAMPLE_HZ  1000
#define CONFIG_MCUPROF_RING_BYTES 1024
#define CONFIG_MCUPROF_FLUSH_MS   1000
