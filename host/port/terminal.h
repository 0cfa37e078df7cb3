/* SPDX-License-Identifier: MIT */
/* Terminals and serial lines: what <termios.h> does not have. */
#ifndef MCUPROF_HOST_PORT_TERMINAL_H
#define MCUPROF_HOST_PORT_TERMINAL_H

#include <stdbool.h>

/* ioctl(TIOCGWINSZ): how many columns a terminal has. 0: it does not tell, or is none. */
unsigned port_terminal_columns(int fd);

/* Linux' struct termios2: makes a serial line raw, 8 data bits, no parity, 1 stop bit, no
 * flow control, at any rate that the driver takes, also one without a Bxxx constant.
 * *taken is the nearest rate that the driver has. false: see errno. */
bool port_set_line(int fd, unsigned baud, unsigned *taken);

#endif
