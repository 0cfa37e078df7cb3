/* SPDX-License-Identifier: MIT */
/* What a program of Contiki includes. */
#include <sys/process.h>
