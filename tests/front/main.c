/* SPDX-License-Identifier: MIT */
/* A user's program: some work, profiled in between. */
#include "mcuprof.h"

void uart_setup(void);
void park(void);
int helper(int value);
int control(int turns);

__attribute__((noinline)) int helper(int value)
{
    for (volatile int i = 0; i < 400; i++) {
        value += i;
    }
    return value;
}

__attribute__((noinline)) int control(int turns)
{
    int value = 0;

    for (int i = 0; i < turns; i++) {
        value += helper(i);
    }
    return value;
}

int main(void)
{
    uart_setup();
    mcuprof_start();
    (void)control(250);
    mcuprof_end();
    park();
    return 0;
}
