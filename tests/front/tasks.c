/* SPDX-License-Identifier: MIT */
/* A user's program on FreeRTOS: two tasks that work in turn. */
#include "FreeRTOS.h"
#include "task.h"

#include "mcuprof.h"

void uart_setup(void);
void park(void);
void vApplicationIdleHook(void);
void vApplicationStackOverflowHook(TaskHandle_t task, char *name);

_Noreturn void board_exit(int status)
{
    (void)status;
    park();
    for (;;) {
    }
}

void vApplicationIdleHook(void)
{
}

void vApplicationStackOverflowHook(TaskHandle_t task, char *name)
{
    (void)task;
    (void)name;
    board_exit(3);
}

static TaskHandle_t worker, other;

static __attribute__((noinline)) void work(int turns)
{
    for (volatile int i = 0; i < turns; i++) {
    }
}

static void run_other(void *argument)
{
    (void)argument;
    for (;;) {
        (void)ulTaskNotifyTake(pdTRUE, portMAX_DELAY);
        work(2000);
    }
}

static void run_worker(void *argument)
{
    (void)argument;
    mcuprof_start();
    for (int i = 0; i < 50; i++) {
        work(4000);
        (void)xTaskNotifyGive(other);
    }
    mcuprof_end();
    board_exit(0);
}

int main(void)
{
    uart_setup();
    (void)xTaskCreate(run_worker, "worker", 200, NULL, 1, &worker);
    (void)xTaskCreate(run_other, "other", 200, NULL, 2, &other);
    vTaskStartScheduler();
    return 0;
}
