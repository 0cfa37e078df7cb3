/* SPDX-License-Identifier: MIT */
/* Declarations of Zephyr, by its documentation, to compile against. */
struct counter_top_cfg {
    uint32_t ticks;
    void (*callback)(const struct device *device, void *data);
    void *user_data;
    uint32_t flags;
};
int counter_start(const struct device *device);
int counter_stop(const struct device *device);
int counter_set_top_value(const struct device *device, const struct counter_top_cfg *top);
int counter_get_value(const struct device *device, uint32_t *ticks);
uint32_t counter_get_top_value(const struct device *device);
uint32_t counter_get_frequency(const struct device *device);
bool counter_is_counting_up(const struct device *device);
