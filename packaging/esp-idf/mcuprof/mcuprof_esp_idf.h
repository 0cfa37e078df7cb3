/* SPDX-License-Identifier: MIT */
/* mcuprof on an ESP32-C3 with ESP-IDF: docs/platforms/esp-idf.md. */
#ifndef MCUPROF_ESP_IDF_H
#define MCUPROF_ESP_IDF_H

#include "esp_err.h"
#include "mcuprof.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Sets UART1 up, takes alarm 1 of the system timer, and starts. Call it once. It returns
 * ESP_OK, or what IDF said of the UART or of an interrupt. Context: task. */
esp_err_t esp_mcuprof_begin(void);

#ifdef __cplusplus
}
#endif

#endif
