/* SPDX-License-Identifier: MIT */
/* Duktape runs script.js, whose function `round` returns text. */
#include "duktape.h"

#include "board.h"
#include "real.h"

extern const char script[];

#ifdef __PICOLIBC__
/* Replaces functions of the C library that need system calls. */
#include <stdlib.h>
#include <sys/time.h>

int gettimeofday(struct timeval *now, void *zone)
{
    (void)zone;
    *now = (struct timeval){0};
    return 0;
}
#endif

uint32_t program(unsigned rounds)
{
    duk_context *js = duk_create_heap_default();
    uint32_t sum = 0;

    if (!js || duk_peval_string(js, script)) {
        board_printf("duktape: %s\n", js ? duk_safe_to_string(js, -1) : "no memory");
        return 0;
    }
    duk_pop(js);
    for (unsigned i = 1; i <= rounds; i++) {
        duk_size_t bytes;

        duk_get_global_string(js, "round");
        duk_push_uint(js, i);
        if (duk_pcall(js, 1)) {
            board_printf("duktape: %s\n", duk_safe_to_string(js, -1));
            return 0;
        }
        const char *text = duk_get_lstring(js, -1, &bytes);
        sum = checksum(sum, text, bytes);
        duk_pop(js);
    }
    duk_destroy_heap(js);
    return sum;
}
