/* SPDX-License-Identifier: MIT */
/* Declarations of Zephyr, by its documentation, to compile against. */
#define SYS_INIT(function, level, priority)                                              \
    int (*const sys_init_##function##level)(void) = (function)
