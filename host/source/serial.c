/* SPDX-License-Identifier: MIT */
/*
 * A serial device: raw, 8 data bits, no parity, 1 stop bit, no flow control, at any rate
 * that the driver takes. libserialport opens the port; it cannot open a pty, so what it
 * refuses is opened here.
 */
#include <errno.h>
#include <fcntl.h>
#include <libserialport.h>
#include <string.h>
#include <unistd.h>

#include "../port/system.h"
#include "../port/terminal.h"
#include "backend.h"

enum { DEFAULT_BAUD = 115200 };

/* Opens the port with libserialport; false (without an error text) if that fails. */
static bool open_port(struct source *source, unsigned baud)
{
    if (sp_get_port_by_name(source->name, &source->port) != SP_OK)
        return false;
    if (sp_open(source->port, SP_MODE_READ) == SP_OK) {
        if (sp_set_baudrate(source->port, (int)baud) == SP_OK &&
            sp_get_port_handle(source->port, &source->fd) == SP_OK)
            return true;
        sp_close(source->port);
    }
    sp_free_port(source->port);
    source->port = NULL;
    source->fd = -1;
    return false;
}

static bool open_device(struct source *source, struct error *error)
{
    source->fd = open(source->name, O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    if (source->fd >= 0)
        return true;
    return error_set(error, EXIT_BAD_INPUT, "%s: %s%s", source->name, strerror(errno),
                     errno == EACCES ? " (is the user in the device's group?)" : "");
}

static bool set_line(struct source *source, unsigned baud, struct error *error)
{
    unsigned taken;

    if (!port_set_line(source->fd, baud, &taken))
        return error_set(error, EXIT_BAD_INPUT, "%s: cannot set %u baud: %s",
                         source->name, baud, strerror(errno));
    /* Drivers round the rate to one they can do; a UART tolerates a difference of about 2
     * %. */
    if (taken < baud - baud / 50 || taken > baud + baud / 50)
        return error_set(error, EXIT_BAD_INPUT,
                         "%s: the driver does not take %u baud (nearest: %u)",
                         source->name, baud, taken);
    return true;
}

bool source_serial_open(struct source *source, unsigned baud, struct error *error)
{
    if (baud == 0)
        baud = DEFAULT_BAUD;
    if (!open_port(source, baud) && !open_device(source, error))
        return false;
    if (!isatty(source->fd)) /* /dev/null and /dev/zero have no line to set */
        return true;
    /* Two readers of one line would each get half of the bytes. */
    if (!port_lock(source->fd, true) && errno == EWOULDBLOCK)
        return error_set(error, EXIT_BAD_INPUT, "%s: in use by another program",
                         source->name);
    if (!set_line(source, baud, error))
        return false;
    source->serial = true;
    source->baud = baud;
    return true;
}

void source_serial_close(struct source *source)
{
    sp_close(source->port);
    sp_free_port(source->port);
    source->port = NULL;
    source->fd = -1;
}
