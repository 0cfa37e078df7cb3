/* SPDX-License-Identifier: MIT */
#ifndef TASK_H
#define TASK_H

typedef struct tskTaskControlBlock *TaskHandle_t;

TaskHandle_t xTaskGetCurrentTaskHandle(void);
TaskHandle_t xTaskGetIdleTaskHandle(void);
char *pcTaskGetName(TaskHandle_t xTaskToQuery);

#endif
