/* SPDX-License-Identifier: MIT */
/* getopt_long(), which the BSDs and most C libraries have, too. Its messages are glibc's
 * where GNU gprof's are wanted. */
#ifndef MCUPROF_HOST_PORT_OPTIONS_H
#define MCUPROF_HOST_PORT_OPTIONS_H

#include <getopt.h>

#endif
