# SPDX-License-Identifier: MIT
# Has the chschd.c of ChibiOS/RT 4 say when a thread may run: where it goes into the ready
# list, and where it runs at once.
/^thread_t \*chSchReadyI(/,/^}/ s/tp->state = CH_STATE_READY;/MCUPROF_CHIBIOS_READY(tp); &/
/^void chSchWakeupS(/,/^}/ s/currp = ntp;/MCUPROF_CHIBIOS_READY(ntp); &/
