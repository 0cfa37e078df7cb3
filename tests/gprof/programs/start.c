/* SPDX-License-Identifier: MIT */
#include "parts.h"

void _start(void);
unsigned plain_label(void);
unsigned typed_label(void);

int main(void)
{
    unsigned sum = 0;

    for (unsigned i = 0; i < 10; i++) {
        sum += alpha(i);
        sum += beta(i) + gamma_(i);
        sum += self(i) + ping(i);
    }
    sum += red(20) + maybe(sum);
    sum += elsewhere(sum) + from_cxx(sum);
    sink = sum;
    return 0;
}

void _start(void)
{
    main();
    for (;;)
        sink++;
}
