/* SPDX-License-Identifier: MIT */
/* Runs one program with sampling on, and gives its C library the console. */
#include "real.h"
#include "board.h"
#include "mcuprof.h"

uint32_t checksum(uint32_t sum, const void *data, size_t bytes)
{
    const uint8_t *at = data;

    for (size_t i = 0; i < bytes; i++) {
        sum = (sum ^ at[i]) * 16777619u; /* FNV-1a */
    }
    return sum;
}

uint32_t next_random(void)
{
    static uint32_t state = 1;

    state = state * 1664525u + 1013904223u; /* Numerical Recipes */
    return state >> 8;
}

/* The C library calls this. */
int _write(int file, const char *text, int bytes);
int _write(int file, const char *text, int bytes)
{
    int left = bytes;

    (void)file;
    while (left) {
        size_t taken = mcuprof_write(text, (size_t)left);

        text += taken;
        left -= (int)taken;
    }
    return bytes;
}

#ifdef __PICOLIBC__
#include <stdio.h>

static char storage[64]; /* the thread's storage: errno */

static int put(char byte, FILE *file)
{
    (void)file;
    return _write(1, &byte, 1) - 1;
}

static FILE console = FDEV_SETUP_STREAM(put, NULL, NULL, _FDEV_SETUP_WRITE);
FILE *const stdin = &console;
FILE *const stdout = &console;
FILE *const stderr = &console;

int getpid(void);
int getpid(void)
{
    return 1;
}

int kill(int process, int number);
int kill(int process, int number)
{
    (void)process;
    board_exit(number);
}

static void set_up(void)
{
    __asm__ volatile("mv tp, %0" ::"r"(storage));
}
#else
static void set_up(void)
{
}
#endif

/* A program that gives up ends the run. */
_Noreturn void _exit(int status);
_Noreturn void _exit(int status)
{
    board_exit(status ? status : 1);
}

#ifndef REAL_MAIN /* ticks.c has its own main() */
#define REAL_MAIN main
#else
int REAL_MAIN(void);
#endif

int REAL_MAIN(void)
{
    set_up();
    mcuprof_start();
    board_printf("checksum %x\n", (unsigned)program(REAL_ROUNDS));
    mcuprof_end();
    return 0;
}
