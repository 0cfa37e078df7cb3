/* SPDX-License-Identifier: MIT */
/* <termios.h> cannot be included beside struct termios2. */
#include "terminal.h"

#include <asm/termbits.h>
#include <sys/ioctl.h>

unsigned port_terminal_columns(int fd)
{
    struct winsize size;

    return ioctl(fd, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

bool port_set_line(int fd, unsigned baud, unsigned *taken)
{
    struct termios2 line;

    if (ioctl(fd, TCGETS2, &line) != 0)
        return false;
    line.c_iflag = IGNBRK;
    line.c_oflag = 0;
    line.c_lflag = 0;
    /* Without HUPCL, closing leaves DTR alone: on many boards it is the reset line. */
    line.c_cflag = CREAD | CLOCAL | CS8 | BOTHER | (BOTHER << IBSHIFT);
    line.c_ispeed = line.c_ospeed = baud;
    line.c_cc[VMIN] = 1; /* a read of 0 bytes then means that the device is gone */
    line.c_cc[VTIME] = 0;
    if (ioctl(fd, TCSETS2, &line) != 0 || ioctl(fd, TCGETS2, &line) != 0)
        return false;
    *taken = line.c_ospeed;
    return true;
}
