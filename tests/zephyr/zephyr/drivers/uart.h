/* SPDX-License-Identifier: MIT */
/* Declarations of Zephyr, by its documentation, to compile against. */
typedef void (*uart_irq_callback_user_data_t)(const struct device *device, void *data);
int uart_irq_callback_user_data_set(const struct device *device,
                                    uart_irq_callback_user_data_t callback, void *data);
int uart_irq_update(const struct device *device);
int uart_irq_tx_ready(const struct device *device);
void uart_irq_tx_enable(const struct device *device);
void uart_irq_tx_disable(const struct device *device);
int uart_fifo_fill(const struct device *device, const uint8_t *bytes, int count);
