/* SPDX-License-Identifier: MIT */
/* Declarations of ESP-IDF 5.5, by its headers, to compile against. */
typedef int esp_err_t;
#define ESP_OK 0
