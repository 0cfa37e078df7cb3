/* SPDX-License-Identifier: MIT */
/* Declarations of ESP-IDF 5.5, by its headers, to compile against. */
enum { ETS_UART1_INTR_SOURCE = 22, ETS_SYSTIMER_TARGET1_INTR_SOURCE = 38 };
