/* SPDX-License-Identifier: MIT */
#include "ports.h"

#include <libserialport.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/path.h"
#include "../port/text.h"

static bool is_told(const char *text)
{
    return text != NULL && text[0] != '\0';
}

/* The driver's description; if it says nothing better, it is the device's name. */
static const char *what_it_is(const struct port_facts *facts)
{
    const char *name = path_tail(facts->source, 1);
    const char *text = is_told(facts->product) ? facts->product : facts->description;
    return is_told(text) && strcmp(text, name) != 0 ? text : "";
}

bool port_describe(struct port *port, const struct port_facts *facts)
{
    const char *what = what_it_is(facts);
    const char *maker = is_told(facts->manufacturer) ? facts->manufacturer : "";
    const char *serial = is_told(facts->serial) ? facts->serial : "";
    if (strstr(what, maker) != NULL) /* such as "Arduino Uno", whose maker is Arduino */
        maker = "";
    *port = (struct port){.source = strdup(facts->source)};
    if (port_asprintf(&port->device, "%s%s%s%s%s", what, *what && *maker ? ", " : "",
                      maker,
                      !*serial          ? ""
                      : *what || *maker ? ", serial "
                                        : "serial ",
                      serial) < 0)
        port->device = NULL;
    if (facts->usb_vendor >= 0 && facts->usb_product >= 0)
        snprintf(port->usb, sizeof port->usb, "%04x:%04x",
                 (unsigned)facts->usb_vendor & 0xffff,
                 (unsigned)facts->usb_product & 0xffff);
    return port->source != NULL && port->device != NULL;
}

void port_release(struct port *port)
{
    free(port->source);
    free(port->device);
    *port = (struct port){.source = NULL};
}

static bool add(struct ports *ports, const struct sp_port *found)
{
    struct port_facts facts = {
        .source = sp_get_port_name(found),
        .description = sp_get_port_description(found),
        .product = sp_get_port_usb_product(found),
        .manufacturer = sp_get_port_usb_manufacturer(found),
        .serial = sp_get_port_usb_serial(found),
        .usb_vendor = -1,
        .usb_product = -1,
    };
    if (sp_get_port_usb_vid_pid(found, &facts.usb_vendor, &facts.usb_product) != SP_OK)
        facts.usb_vendor = facts.usb_product = -1;
    return port_describe(&ports->items[ports->count++], &facts);
}

static int by_source(const void *left, const void *right)
{
    const struct port *a = left, *b = right;
    return port_strverscmp(a->source, b->source);
}

bool ports_find(struct ports *ports, struct error *error)
{
    struct sp_port **found = NULL;
    size_t count = 0;
    *ports = (struct ports){.items = NULL};
    if (sp_list_ports(&found) != SP_OK)
        return error_set(error, EXIT_BAD_INPUT, "the serial devices cannot be listed");
    while (found[count] != NULL)
        count++;
    ports->items = calloc(count + 1, sizeof *ports->items);
    bool done = ports->items != NULL;
    for (size_t i = 0; i < count && done; i++)
        done = add(ports, found[i]);
    sp_free_port_list(found);
    if (!done)
        return error_no_memory(error);
    qsort(ports->items, ports->count, sizeof *ports->items, by_source);
    return true;
}

void ports_release(struct ports *ports)
{
    for (size_t i = 0; i < ports->count; i++)
        port_release(&ports->items[i]);
    free(ports->items);
    *ports = (struct ports){.items = NULL};
}
