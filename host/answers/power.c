/* SPDX-License-Identifier: MIT */
#include "power.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../base/quantity.h"
#include "../base/settings.h"
#include "../base/vector.h"
#include "../capture/tasks.h"

static const struct {
    const char *name;
    size_t offset; /* of a double in struct power */
    enum quantity quantity;
    double factor;
    const char *wanted;
} settings[] = {
    {"voltage", offsetof(struct power, volts), QUANTITY_VOLTAGE, 1,
     "a voltage, e.g. 3 V"},
    {"running", offsetof(struct power, running), QUANTITY_CURRENT, 1,
     "a current, e.g. 4.4 mA"},
    {"idle", offsetof(struct power, idle), QUANTITY_CURRENT, 1, "a current, e.g. 2.6 uA"},
    {"tolerance", offsetof(struct power, tolerance), QUANTITY_PERCENT, 0.01,
     "0 to 100 %, e.g. 5 %"},
    {"battery", offsetof(struct power, battery), QUANTITY_CHARGE, 1,
     "a charge, e.g. 220 mAh"},
};
enum { VOLTAGE, RUNNING, IDLE, TOLERANCE, BATTERY, SETTINGS };
enum { NEEDED = TOLERANCE }; /* the settings before this one must be there */
_Static_assert(sizeof settings / sizeof settings[0] == SETTINGS, "a name for each");

/* No board has more of anything; and no product of such figures overflows. */
static const double value_max = 1e12;

/* What is read, and which settings were there. */
struct reading {
    struct power *power;
    bool there[SETTINGS];
};

static double *place_of(struct power *power, size_t setting)
{
    return (double *)(void *)((char *)power + settings[setting].offset);
}

/* ---- Lines ---- */

static bool read_value(const char *name, const char *text, enum quantity wanted,
                       const char *example, double *value, struct error *error)
{
    enum quantity quantity;

    return (quantity_read(text, value, &quantity) && quantity == wanted &&
            *value <= value_max) ||
           error_set(error, EXIT_BAD_INPUT, "%.60s = %.60s: expected %s", name, text,
                     example);
}

static bool add_task(struct power *power, const char *name, const char *text,
                     struct error *error)
{
    double amperes;

    if (*name == '\0')
        return error_set(error, EXIT_BAD_INPUT,
                         "expected the task's name: task NAME = "
                         "13 mA");
    if (!read_value(name, text, QUANTITY_CURRENT, settings[RUNNING].wanted, &amperes,
                    error))
        return false;
    for (size_t i = 0; i < power->task_count; i++) {
        if (strcmp(power->tasks[i].name, name) == 0)
            return error_set(error, EXIT_BAD_INPUT, "task %.60s is given more than once",
                             name);
    }
    if (!vector_grow(&power->tasks, power->task_count, &power->tasks_allocated,
                     sizeof *power->tasks))
        return error_no_memory(error);
    power->tasks[power->task_count] = (struct power_task){strdup(name), amperes};
    return power->tasks[power->task_count++].name != NULL || error_no_memory(error);
}

/* Whether a value that was read can be. */
static bool is_possible(size_t setting, double value)
{
    switch (setting) {
    case IDLE:
        return true;
    case TOLERANCE:
        return value <= 1;
    default:
        return value > 0;
    }
}

static bool set(struct reading *reading, const char *name, const char *text,
                struct error *error)
{
    size_t i = 0;

    while (i < SETTINGS && strcmp(settings[i].name, name) != 0)
        i++;
    if (i == SETTINGS)
        return error_set(error, EXIT_BAD_INPUT,
                         "unknown setting '%.60s': there are voltage, running, idle, "
                         "task NAME, tolerance and battery",
                         name);
    if (reading->there[i])
        return error_set(error, EXIT_BAD_INPUT, "%s is given more than once", name);
    double *value = place_of(reading->power, i);
    if (!read_value(name, text, settings[i].quantity, settings[i].wanted, value, error))
        return false;
    *value *= settings[i].factor;
    reading->there[i] = true;
    return is_possible(i, *value) ||
           error_set(error, EXIT_BAD_INPUT, "%s = %.60s: expected %s", name, text,
                     settings[i].wanted);
}

/* Cuts off what follows a # with blanks around it: a task may be called "worker #2". */
static void cut_comment(char *line)
{
    for (char *at = line; (at = strchr(at, '#')) != NULL; at++) {
        if ((at == line || isspace((unsigned char)at[-1])) &&
            (at[1] == '\0' || isspace((unsigned char)at[1]))) {
            *at = '\0';
            return;
        }
    }
}

static bool take_line(void *context, unsigned number, char *name, struct error *error)
{
    static const char task[] = "task";
    struct reading *reading = context;
    size_t length = strlen(task);

    (void)number;
    cut_comment(name);
    char *equals = strrchr(name, '='); /* a task's name may have one */
    if (equals == NULL)
        return error_set(error, EXIT_BAD_INPUT,
                         "'%.60s': expected NAME = VALUE, e.g. running = 4.4 mA", name);
    *equals = '\0';
    name = quantity_trim(name);
    equals = quantity_trim(equals + 1);
    return strncmp(name, task, length) == 0 && strchr(" \t", name[length]) != NULL
               ? add_task(reading->power, quantity_trim(name + length), equals, error)
               : set(reading, name, equals, error);
}

bool power_read(struct power *power, const char *path, struct error *error)
{
    struct reading reading = {.power = power};

    *power = (struct power){.path = strdup(path)};
    if (power->path == NULL)
        return error_no_memory(error);
    if (!settings_read(path, take_line, &reading, error))
        return false;
    for (size_t i = 0; i < NEEDED; i++) {
        if (!reading.there[i])
            return error_set(error, EXIT_BAD_INPUT, "%.300s: %s is missing: %s", path,
                             settings[i].name, settings[i].wanted);
    }
    return true;
}

void power_release(struct power *power)
{
    for (size_t i = 0; i < power->task_count; i++)
        free(power->tasks[i].name);
    free(power->tasks);
    free(power->path);
    *power = (struct power){.path = NULL};
}

/* ---- Currents ---- */

double power_of_task(const struct power *power, const struct profile *profile,
                     uint32_t number)
{
    const struct power_task *called = NULL;
    char label[TASK_LABEL_MAX];

    task_label(label, profile, number);
    for (size_t i = 0; i < power->task_count; i++) {
        if (strcmp(power->tasks[i].name, label) == 0)
            return power->tasks[i].amperes;
        if (called == NULL && task_is_called(profile, number, power->tasks[i].name))
            called = &power->tasks[i];
    }
    if (called != NULL)
        return called->amperes;
    return task_is_idle(profile, number) ? power->idle : power->running;
}

void power_bounds(const struct power *power, double *least, double *most)
{
    *least = fmin(power->running, power->idle);
    *most = fmax(power->running, power->idle);
    for (size_t i = 0; i < power->task_count; i++) {
        *least = fmin(*least, power->tasks[i].amperes);
        *most = fmax(*most, power->tasks[i].amperes);
    }
}
