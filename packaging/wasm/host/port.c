/* SPDX-License-Identifier: MIT */
/* host/port/ for WebAssembly: what musl lacks, and what such a program cannot ask for. */
#include "port/sort.h"
#include "port/system.h"
#include "port/terminal.h"
#include "shell.h"

#include <errno.h>
#include <search.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* emscripten declares it, and does not have it. */
void *reallocarray(void *items, size_t count, size_t size)
{
    if (size == 0 || count <= SIZE_MAX / size)
        return realloc(items, count * size);
    errno = ENOMEM;
    return NULL;
}

/* ---- Sorting: stable, as glibc's is ---- */

struct order {
    size_t size;
    int (*compare)(const void *left, const void *right, void *context);
    void *context;
};

/* Merges two sorted halves, of which the left one lies in `spare`, into `items`. */
static void merge(const struct order *order, char *items, size_t lefts, size_t rights,
                  const char *spare)
{
    const char *left = spare, *right = items + lefts * order->size;
    char *to = items;

    for (; lefts > 0 && rights > 0; to += order->size) {
        bool is_left = order->compare(left, right, order->context) <= 0;
        const char **from = is_left ? &left : &right;

        memmove(to, *from, order->size);
        *from += order->size;
        *(is_left ? &lefts : &rights) -= 1;
    }
    memcpy(to, left, lefts * order->size);
}

static void sort(const struct order *order, char *items, size_t count, char *spare)
{
    size_t half = count / 2;

    if (count < 2)
        return;
    sort(order, items, half, spare);
    sort(order, items + half * order->size, count - half, spare);
    memcpy(spare, items, half * order->size);
    merge(order, items, half, count - half, spare);
}

void port_qsort_r(void *items, size_t count, size_t size,
                  int (*compare)(const void *left, const void *right, void *context),
                  void *context)
{
    const struct order order = {size, compare, context};
    char *spare = malloc(count / 2 * size + 1);

    if (spare == NULL)
        abort();
    sort(&order, items, count, spare);
    free(spare);
}

static int compare_plainly(const void *left, const void *right, void *context)
{
    int (*const *compare)(const void *left, const void *right) = context;

    return (*compare)(left, right);
}

/* In place of musl's, which is not stable: equal items stay as they are, as by glibc. */
void qsort(void *items, size_t count, size_t size,
           int (*compare)(const void *left, const void *right))
{
    port_qsort_r(items, count, size, compare_plainly, &compare);
}

void port_tdestroy(void *tree, void (*release)(void *item))
{
    tdestroy(tree, release);
}

/* ---- The system ---- */

int port_glob_braces(const char *pattern, glob_t *paths)
{
    return glob(pattern, 0, NULL, paths);
}

/* In place of emscripten's, which does not ask the system. */
mode_t umask(mode_t mask)
{
    return shell_umask(mask);
}

/* Files have no locks here. */
bool port_lock(int fd, bool exclusive)
{
    (void)fd;
    (void)exclusive;
    return true;
}

bool port_pipe2(int ends[2])
{
    return pipe(ends) == 0;
}

void port_pipe_holds(int end, int bytes)
{
    (void)end;
    (void)bytes;
}

void port_end_with_parent(void)
{
}

bool port_random(void *bytes, size_t size)
{
    return getentropy(bytes, size) == 0;
}

unsigned port_terminal_columns(int fd)
{
    return shell_columns(fd);
}

bool port_set_line(int fd, unsigned baud, unsigned *taken)
{
    (void)fd;
    (void)baud;
    (void)taken;
    errno = ENOSYS;
    return false;
}
