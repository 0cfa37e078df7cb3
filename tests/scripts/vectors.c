/* SPDX-License-Identifier: MIT */
/* mcuprof's handlers under the names that a vendor's vector table has. */
#include "mcuprof_port.h"

MCUPROF_VECTOR(DUALTIMER_HANDLER, mcuprof_sample_isr)
MCUPROF_VECTOR(UARTTX0_Handler, mcuprof_link_entry)
