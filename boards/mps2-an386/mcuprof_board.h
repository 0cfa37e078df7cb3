/* SPDX-License-Identifier: MIT */
/* As the AN385 in all but its processor. */
#include "../mps2-an385/mcuprof_board.h"
