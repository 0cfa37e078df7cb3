/* SPDX-License-Identifier: MIT */
/* Declarations of ESP-IDF 5.5, by its headers, to compile against. */
#include "esp_err.h"
enum { ESP_INTR_FLAG_LEVEL1 = 1 << 1, ESP_INTR_FLAG_LEVEL5 = 1 << 5 };
typedef struct intr_handle_data_t *intr_handle_t;
esp_err_t esp_intr_alloc(int source, int flags, void (*handler)(void *), void *arg,
                         intr_handle_t *handle);
int esp_intr_get_intno(intr_handle_t handle);
