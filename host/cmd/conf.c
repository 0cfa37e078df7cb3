/* SPDX-License-Identifier: MIT */
/* Reads mcuprof.conf. */
#include "conf.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../base/quantity.h"
#include "../base/settings.h"

static const struct {
    const char *name;
    size_t offset; /* of a char * in struct conf */
} settings[] = {
    {"build", offsetof(struct conf, build)},
    {"flash", offsetof(struct conf, flash)},
    {"elf", offsetof(struct conf, elf)},
    {"source", offsetof(struct conf, source)},
    {"emulator", offsetof(struct conf, emulator)},
    {"baud", offsetof(struct conf, baud)},
    {"duration", offsetof(struct conf, duration)},
    {"capture", offsetof(struct conf, capture)},
    {"show", offsetof(struct conf, show)},
    {"budgets", offsetof(struct conf, budgets)},
    {"power", offsetof(struct conf, power)},
};
enum { SETTINGS = sizeof settings / sizeof settings[0] };

/* Where the value of a setting goes. */
static char **place_at(struct conf *conf, size_t setting)
{
    return (char **)(void *)((char *)conf + settings[setting].offset);
}

/* The same; NULL: there is no such setting. */
static char **place_of(struct conf *conf, const char *name)
{
    for (size_t i = 0; i < SETTINGS; i++) {
        if (strcmp(settings[i].name, name) == 0)
            return place_at(conf, i);
    }
    return NULL;
}

/* Where the next value of a setting goes: `show` may be there several times. NULL: the
 * error says what is wrong. */
static char **free_place(struct conf *conf, const char *name, struct error *error)
{
    char **place = place_of(conf, name);
    size_t most = place == conf->show ? CONF_SHOWN_MAX : 1;

    if (place == NULL) {
        error_set(error, EXIT_BAD_INPUT, "unknown setting '%.60s' (see man mcuprof-run)",
                  name);
        return NULL;
    }
    for (size_t i = 0; i < most; i++) {
        if (place[i] == NULL)
            return &place[i];
    }
    error_set(error, EXIT_BAD_INPUT, "%s is given more than %s", name,
              most == 1 ? "once" : "16 times");
    return NULL;
}

static bool take_line(void *context, unsigned number, char *name, struct error *error)
{
    char *equals = strchr(name, '='), **place;

    (void)number;
    if (equals == NULL)
        return error_set(error, EXIT_BAD_INPUT, "expected NAME = VALUE");
    *equals = '\0';
    name = quantity_trim(name);
    place = free_place(context, name, error);
    if (place == NULL)
        return false;
    equals = quantity_trim(equals + 1);
    if (*equals == '\0')
        return error_set(error, EXIT_BAD_INPUT, "%s has no value", name);
    *place = strdup(equals);
    return *place != NULL || error_set(error, EXIT_BAD_INPUT, "out of memory");
}

bool conf_read(struct conf *conf, const char *path, struct error *error)
{
    struct error wrong;

    *conf = (struct conf){0};
    errno = 0;
    return settings_read(path, take_line, conf, &wrong) ||
           error_set(error, wrong.status, "%.450s%s", wrong.text,
                     errno == ENOENT ? "; mcuprof run --init writes one" : "");
}

void conf_release(struct conf *conf)
{
    for (size_t i = 0; i < SETTINGS; i++)
        free(*place_at(conf, i));
    for (size_t i = 1; i < CONF_SHOWN_MAX; i++)
        free(conf->show[i]);
    *conf = (struct conf){0};
}

bool conf_elf(const char **elf, struct error *error)
{
    static struct conf conf;

    *elf = conf.elf;
    if (conf.elf != NULL || access(CONF_FILE, F_OK) != 0)
        return true;
    if (!conf_read(&conf, CONF_FILE, error))
        return false;
    if (conf.elf != NULL && access(conf.elf, F_OK) != 0) {
        free(conf.elf); /* it is not built yet */
        conf.elf = NULL;
    }
    *elf = conf.elf;
    return true;
}
