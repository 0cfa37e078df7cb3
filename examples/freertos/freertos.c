/* SPDX-License-Identifier: MIT */
/* The program of examples/chibios on FreeRTOS. */
#include <FreeRTOS.h>
#include <queue.h>
#include <semphr.h>
#include <task.h>

#include "board.h"
#include "mcuprof.h"
#include "os.h"

#define FN MCUPROF_NOT_PROFILED

enum { STACK_WORDS = 160, MAILBOX_WORDS = 4 };

static struct {
    void (*run)(void);
    TaskHandle_t task;
    SemaphoreHandle_t done;
} threads[OS_THREADS];
static SemaphoreHandle_t mutex, semaphore;
static QueueHandle_t mailbox;

/* The task of the last slot is deleted by the task that joins it, so that its memory is
 * free at once. All others delete themselves. */
#define LAST ((void *)(uintptr_t)(OS_THREADS - 1))

static FN void run(void *slot)
{
    threads[(uintptr_t)slot].run();
    (void)xSemaphoreGive(threads[(uintptr_t)slot].done);
    if (slot == LAST) {
        vTaskSuspend(NULL);
    }
    vTaskDelete(NULL);
}

FN void os_create(unsigned slot, const char *name, void (*runs)(void), unsigned priority)
{
    threads[slot].run = runs;
    if (xTaskCreate(run, name, STACK_WORDS, (void *)(uintptr_t)slot, priority,
                    &threads[slot].task) != pdPASS) {
        board_exit(2);
    }
}

FN void os_join(unsigned slot)
{
    (void)xSemaphoreTake(threads[slot].done, portMAX_DELAY);
    if (slot == OS_THREADS - 1) {
        vTaskDelete(threads[slot].task);
    }
}

FN void os_sleep(unsigned milliseconds)
{
    vTaskDelay(pdMS_TO_TICKS(milliseconds));
}

FN void os_lock(void)
{
    (void)xSemaphoreTake(mutex, portMAX_DELAY);
}

FN void os_unlock(void)
{
    (void)xSemaphoreGive(mutex);
}

FN void os_post(uint32_t word)
{
    (void)xQueueSend(mailbox, &word, portMAX_DELAY);
}

FN uint32_t os_fetch(void)
{
    uint32_t word = 0;

    (void)xQueueReceive(mailbox, &word, portMAX_DELAY);
    return word;
}

FN void os_signal(void)
{
    BaseType_t woken = pdFALSE;

    (void)xSemaphoreGiveFromISR(semaphore, &woken);
    portYIELD_FROM_ISR(woken);
}

FN void os_wait(void)
{
    (void)xSemaphoreTake(semaphore, portMAX_DELAY);
}

FN void vApplicationIdleHook(void)
{
#ifndef IDLE_SPINS /* for tests that count the time by instructions */
    __asm__ volatile("wfi");
#endif
}

FN void vApplicationStackOverflowHook(TaskHandle_t task, char *name)
{
    (void)task;
    (void)name;
    board_exit(5);
}

/* ---- Interrupts ---- */

#if MCUPROF_CALLS
#define ENTER() MCUPROF_INTERRUPT_ENTER()
#define LEAVE() MCUPROF_INTERRUPT_LEAVE()
#else
#define ENTER() mcuprof_interrupt_enter(0)
#define LEAVE() mcuprof_interrupt_leave()
#endif

/* These wrap the board's and the kernel's handlers (-Wl,--wrap). */
void __real_board_tick_entry(void);
void __wrap_board_tick_entry(void);
void __real_SysTick_Handler(void);
void __wrap_SysTick_Handler(void);

FN void __wrap_board_tick_entry(void)
{
    ENTER();
    __real_board_tick_entry();
    LEAVE();
}

FN void __wrap_SysTick_Handler(void)
{
    ENTER();
    on_system_tick();
    __real_SysTick_Handler();
    LEAVE();
}

/* ---- Start ---- */

static FN void first(void *unused)
{
    (void)unused;
    board_exit(program());
}

FN int main(void)
{
    mutex = xSemaphoreCreateMutex();
    semaphore = xSemaphoreCreateCounting(1000, 0);
    mailbox = xQueueCreate(MAILBOX_WORDS, sizeof(uint32_t));
    for (unsigned slot = 0; slot < OS_THREADS; slot++) {
        threads[slot].done = xSemaphoreCreateBinary();
    }
    (void)xTaskCreate(first, "main", STACK_WORDS, NULL, 2, NULL);
    vTaskStartScheduler();
    return 3;
}
