/* SPDX-License-Identifier: MIT */
/*
 * Three named tasks take turns without an operating system: the program itself calls
 * mcuprof_task_switch(). Each turn makes records, which must not delay the records that
 * announce the firmware and account for what it sent.
 */
#include "board.h"
#include "burn.h"
#include "mcuprof.h"

#define CALLED __attribute__((noinline, noclone, noipa))

enum { TASKS = 3, ROUNDS = 2000 };

static CALLED void red(void)
{
    BURN(200);
}

static CALLED void green(void)
{
    BURN(400);
}

static CALLED void blue(void)
{
    BURN(600);
}

static const struct task {
    const char *name;
    void (*turn)(void);
} tasks[TASKS] = {{"red", red}, {"green", green}, {"blue", blue}};

int main(void)
{
    mcuprof_start();
    for (unsigned i = 0; i < TASKS * ROUNDS; i++) {
        const struct task *task = &tasks[i % TASKS];

        mcuprof_task_switch(task, task->name, false);
        task->turn();
    }
    mcuprof_end();
    board_printf("turns %u\n", TASKS * ROUNDS);
    return 0;
}
