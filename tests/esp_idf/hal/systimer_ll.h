/* SPDX-License-Identifier: MIT */
/* Declarations of ESP-IDF 5.5, by its headers, to compile against. */
#include <stdbool.h>
#include <stdint.h>
typedef struct systimer_dev_t systimer_dev_t;
extern systimer_dev_t SYSTIMER;
void systimer_ll_counter_snapshot(systimer_dev_t *timer, uint32_t counter);
bool systimer_ll_is_counter_value_valid(systimer_dev_t *timer, uint32_t counter);
uint32_t systimer_ll_get_counter_value_low(systimer_dev_t *timer, uint32_t counter);
uint32_t systimer_ll_get_counter_value_high(systimer_dev_t *timer, uint32_t counter);
void systimer_ll_connect_alarm_counter(systimer_dev_t *timer, uint32_t alarm,
                                       uint32_t counter);
void systimer_ll_enable_alarm_oneshot(systimer_dev_t *timer, uint32_t alarm);
void systimer_ll_set_alarm_target(systimer_dev_t *timer, uint32_t alarm, uint64_t value);
void systimer_ll_apply_alarm_value(systimer_dev_t *timer, uint32_t alarm);
void systimer_ll_enable_alarm(systimer_dev_t *timer, uint32_t alarm, bool enable);
void systimer_ll_enable_alarm_int(systimer_dev_t *timer, uint32_t alarm, bool enable);
void systimer_ll_clear_alarm_int(systimer_dev_t *timer, uint32_t alarm);
