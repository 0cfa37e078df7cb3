/* SPDX-License-Identifier: MIT */
/* mcuprof's knobs on this board. */
#define MCUPROF_TIMER_HZ       10000000
#define MCUPROF_TIMER_RESTARTS 1
#define MCUPROF_TIMER_SINCE()  /* mtime - mtimecmp */                                    \
    (*(volatile uint32_t *)0x0200BFF8u - *(volatile uint32_t *)0x02004000u)
#define MCUPROF_TIME_HZ 1000000000 /* QEMU's cycles, with -icount, are nanoseconds */
#define MCUPROF_TIME()                                                                   \
    __extension__({                                                                      \
        uint32_t time_now;                                                               \
        __asm__ volatile(MCUPROF_CSR("csrr %0, mcycle") : "=r"(time_now));               \
        time_now;                                                                        \
    })
#define MCUPROF_LINK_ADDRESS 0x10000000
