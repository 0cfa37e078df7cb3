/* SPDX-License-Identifier: MIT */
/* MuJS runs script.js, whose function `round` returns text. */
#include "mujs.h"

#include <string.h>

#include "board.h"
#include "real.h"

extern const char script[];

#ifdef __PICOLIBC__
/* Replaces a function of the C library that needs system calls. */
#include <time.h>

time_t time(time_t *now)
{
    (void)now;
    return 0;
}
#endif

uint32_t program(unsigned rounds)
{
    js_State *js = js_newstate(NULL, NULL, JS_STRICT);
    uint32_t sum = 0;

    if (!js || js_dostring(js, script)) {
        board_printf("mujs: the script is not right\n");
        return 0;
    }
    for (unsigned i = 1; i <= rounds; i++) {
        js_getglobal(js, "round");
        js_pushundefined(js);
        js_pushnumber(js, i);
        if (js_pcall(js, 1)) {
            board_printf("mujs: %s\n", js_trystring(js, -1, "error"));
            return 0;
        }
        const char *text = js_tostring(js, -1);
        sum = checksum(sum, text, strlen(text));
        js_pop(js, 1);
    }
    js_freestate(js);
    return sum;
}
