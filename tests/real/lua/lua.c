/* SPDX-License-Identifier: MIT */
/* Lua runs script.lua, whose function `round` returns text. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "board.h"
#include "lauxlib.h"
#include "lua.h"
#include "lualib.h"
#include "real.h"

extern const char script[];

#ifdef __PICOLIBC__
/* Replaces functions of the C library that need system calls. */
#include <time.h>

FILE *fopen(const char *path, const char *mode)
{
    (void)path, (void)mode;
    return NULL;
}

FILE *freopen(const char *path, const char *mode, FILE *file)
{
    (void)path, (void)mode, (void)file;
    return NULL;
}

clock_t clock(void)
{
    return 0;
}

time_t time(time_t *now)
{
    (void)now;
    return 0;
}
#endif

static const luaL_Reg libraries[] = {
    {LUA_GNAME, luaopen_base},          {LUA_TABLIBNAME, luaopen_table},
    {LUA_STRLIBNAME, luaopen_string},   {LUA_MATHLIBNAME, luaopen_math},
    {LUA_COLIBNAME, luaopen_coroutine},
};

static uint32_t complain(lua_State *lua)
{
    board_printf("lua: %s\n", lua_tostring(lua, -1));
    return 0;
}

uint32_t program(unsigned rounds)
{
    lua_State *lua = luaL_newstate();
    uint32_t sum = 0;

    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++) {
        luaL_requiref(lua, libraries[i].name, libraries[i].func, 1);
        lua_pop(lua, 1);
    }
    if (luaL_loadstring(lua, script) || lua_pcall(lua, 0, 0, 0)) {
        return complain(lua);
    }
    for (unsigned i = 1; i <= rounds; i++) {
        size_t bytes;
        const char *text;

        lua_getglobal(lua, "round");
        lua_pushinteger(lua, (lua_Integer)i);
        if (lua_pcall(lua, 1, 1, 0)) {
            return complain(lua);
        }
        text = lua_tolstring(lua, -1, &bytes);
        sum = checksum(sum, text, bytes);
        lua_pop(lua, 1);
    }
    lua_close(lua);
    return sum;
}
