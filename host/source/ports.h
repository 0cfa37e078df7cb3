/* SPDX-License-Identifier: MIT */
/* The serial devices of this machine. */
#ifndef MCUPROF_HOST_SOURCE_PORTS_H
#define MCUPROF_HOST_SOURCE_PORTS_H

#include <stdbool.h>
#include <stddef.h>

#include "../base/error.h"

/* The device itself says what it is: text from outside, so print it through style_text().
 */
struct port {
    char *source; /* what source_open() takes */
    char *device; /* "USB to UART Bridge, Silicon Labs, serial 0001"; may be "" */
    char usb[12]; /* vendor and product, "10c4:ea60"; "" where it is no USB device */
};

struct ports {
    struct port *items; /* sorted by `source`; numbers in names by their value */
    size_t count;
};

/* The facts known of one device; strings may be NULL, usb below 0: it is no USB device.
 */
struct port_facts {
    const char *source, *description, *product, *manufacturer, *serial;
    int usb_vendor, usb_product;
};
/* false: out of memory. */
bool port_describe(struct port *port, const struct port_facts *facts);
void port_release(struct port *port);

/* Lists the ports that libserialport finds: no pseudo-terminals, no consoles. Release
 * *ports in any case. false: the error says why. */
bool ports_find(struct ports *ports, struct error *error);
void ports_release(struct ports *ports);

#endif
