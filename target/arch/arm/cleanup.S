/* SPDX-License-Identifier: MIT */
#include "mcuprof_arm_cleanup.h"
