/* SPDX-License-Identifier: MIT */
/* The port to Zephyr: its drivers of a UART and of a counter, and its tracing hooks. */
#include <errno.h>
#include <zephyr/device.h>
#include <zephyr/drivers/counter.h>
#include <zephyr/drivers/uart.h>
#include <zephyr/init.h>
#include <zephyr/irq.h>
#include <zephyr/kernel.h>
#include <zephyr/sys/printk.h>

#include "mcuprof_port.h"

#define FN MCUPROF_NOT_PROFILED

#ifdef CONFIG_MCUPROF_LINK_UART
#if !DT_HAS_CHOSEN(mcuprof_uart)
#error                                                                                   \
    "mcuprof: name the link's UART in the devicetree: / { chosen { mcuprof,uart = &uart1; }; };"
#endif
static const struct device *const uart = DEVICE_DT_GET(DT_CHOSEN(mcuprof_uart));

FN static void uart_ready(const struct device *device, void *unused)
{
    (void)unused;
    uart_irq_update(device);
    mcuprof_link_entry();
}

/* A driver may call uart_ready() from here. */
FN void mcuprof_link_start(void)
{
    uart_irq_tx_enable(uart);
}

FN void mcuprof_link_idle(void)
{
    uart_irq_tx_disable(uart);
}

/* As a function of its own, by which `mcuprof lint` knows that the driver's leads here.
 */
__noinline FN void mcuprof_link_isr(void)
{
    if (mcuprof_state.busy && uart_irq_tx_ready(uart) > 0) {
        int next = mcuprof_tx_next();

        if (next >= 0) {
            uint8_t byte = (uint8_t)next;

            (void)uart_fifo_fill(uart, &byte, 1);
        }
    }
}

FN static bool link_ready(void)
{
    if (!device_is_ready(uart)) {
        return false;
    }
    return uart_irq_callback_user_data_set(uart, uart_ready, NULL) == 0;
}
#else
FN static bool link_ready(void)
{
    return true;
}
#endif

#ifdef CONFIG_MCUPROF_TIMER_COUNTER
#if !DT_HAS_CHOSEN(mcuprof_timer)
#error                                                                                   \
    "mcuprof: name the sampling timer in the devicetree: / { chosen { mcuprof,timer = &timer1; }; };"
#endif
#define TIMER DT_CHOSEN(mcuprof_timer)

static const struct device *const timer = DEVICE_DT_GET(TIMER);
static bool timer_runs;

/* The sample is taken by an interrupt of the same priority, behind the driver's. */
FN static void timer_due(const struct device *device, void *unused)
{
    (void)device;
    (void)unused;
    NVIC_SetPendingIRQ((IRQn_Type)MCUPROF_ZEPHYR_SAMPLE_IRQ);
}

FN void mcuprof_timer_set(uint32_t ticks)
{
    struct counter_top_cfg top = {.ticks = ticks - 1, .callback = timer_due};

    if (timer_runs) {
        (void)counter_set_top_value(timer, &top);
    }
}

/* In this order: some drivers' start leaves the interrupt disabled. */
FN void mcuprof_timer_start(uint32_t ticks)
{
    (void)counter_start(timer);
    timer_runs = true;
    mcuprof_timer_set(ticks);
}

FN void mcuprof_timer_stop(void)
{
    timer_runs = false;
    (void)counter_stop(timer);
}

FN uint32_t mcuprof_zephyr_since(void)
{
    uint32_t value = 0;

    (void)counter_get_value(timer, &value);
    return counter_is_counting_up(timer) ? value : counter_get_top_value(timer) - value;
}

FN static bool timer_ready(void)
{
    if (!device_is_ready(timer)) {
        return false;
    }
    if (counter_get_frequency(timer) != CONFIG_MCUPROF_TIMER_HZ) {
        printk("mcuprof: the timer's driver says %u Hz, CONFIG_MCUPROF_TIMER_HZ %u\n",
               (unsigned)counter_get_frequency(timer), CONFIG_MCUPROF_TIMER_HZ);
    }
    IRQ_DIRECT_CONNECT(MCUPROF_ZEPHYR_SAMPLE_IRQ, DT_IRQ(TIMER, priority),
                       mcuprof_sample_isr, 0);
    irq_enable(MCUPROF_ZEPHYR_SAMPLE_IRQ);
    return true;
}
#else
FN static bool timer_ready(void)
{
    return true;
}
#endif

#if MCUPROF_TASKS
/* The kernel calls these with CONFIG_TRACING_USER, first for main(), when k_current_get()
 * may not be called yet. */
FN void sys_trace_thread_switched_in_user(void)
{
    k_tid_t thread = k_sched_current_thread_query();

    mcuprof_task_switch(thread, k_thread_name_get(thread),
                        k_thread_priority_get(thread) == K_IDLE_PRIO);
}

FN void sys_trace_thread_abort_user(struct k_thread *thread)
{
    mcuprof_task_end(thread);
}

#if MCUPROF_TIMELINE
FN void sys_trace_thread_sched_ready_user(struct k_thread *thread)
{
    mcuprof_task_ready(thread);
}
#endif
#endif

FN static int start(void)
{
    if (!link_ready() || !timer_ready()) {
        printk("mcuprof: not started: its UART or its timer is not ready\n");
        return -ENODEV;
    }
#ifdef CONFIG_MCUPROF_START
    mcuprof_start();
#endif
    return 0;
}

SYS_INIT(start, APPLICATION, CONFIG_APPLICATION_INIT_PRIORITY);
