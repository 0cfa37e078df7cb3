/* SPDX-License-Identifier: MIT */
/* Only the processor differs from the AN385. */
#include "../mps2-an385/board_irqs.h"
