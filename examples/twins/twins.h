/* SPDX-License-Identifier: MIT */
#ifndef TWINS_H
#define TWINS_H

#define ALONE __attribute__((noinline, noclone, noipa))

void left(void);
void right(void);

#endif
