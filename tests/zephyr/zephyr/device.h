/* SPDX-License-Identifier: MIT */
/* Declarations of Zephyr, by its documentation, to compile against. */
#include <stdbool.h>
#include <stdint.h>
struct device;
/* A test names the chosen nodes by -DCHOSEN_name=1, and no others. */
#define DT_CHOSEN(name)     chosen_##name
#define DT_HAS_CHOSEN(name) CHOSEN_##name
#define DEVICE_DT_GET(node) (&(node))
#define DT_IRQ(node, cell)  DT_IRQ_##cell
enum { DT_IRQ_priority = 0 };
extern const struct device chosen_mcuprof_uart, chosen_mcuprof_timer;
bool device_is_ready(const struct device *device);
