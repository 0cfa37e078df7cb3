/* SPDX-License-Identifier: MIT */
/* Declarations of Zephyr, by its documentation, to compile against. */
__attribute__((format(printf, 1, 2))) void printk(const char *format, ...);
