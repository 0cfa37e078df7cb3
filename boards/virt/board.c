/* SPDX-License-Identifier: MIT */
/*
 * QEMU's RISC-V virt: the 16550 is the link, the machine timer samples, the real-time
 * clock is the examples' tick. Sampling may interrupt all others, and the tick may
 * interrupt the link.
 */
#include <stdbool.h>

#include "board.h"
#include "mcuprof_port.h"

#define WORD(address) (*(volatile uint32_t *)(address))
#define BYTE(address) (*(volatile uint8_t *)(address))

#define FINISHER WORD(0x00100000)

#define RTC_TIME_LOW    WORD(0x00101000)
#define RTC_TIME_HIGH   WORD(0x00101004)
#define RTC_ALARM_LOW   WORD(0x00101008)
#define RTC_ALARM_HIGH  WORD(0x0010100C)
#define RTC_IRQ_ENABLED WORD(0x00101010)
#define RTC_CLEAR_IRQ   WORD(0x0010101C)

#define MTIMECMP_LOW  WORD(0x02004000)
#define MTIMECMP_HIGH WORD(0x02004004)
#define MTIME_LOW     WORD(0x0200BFF8)
#define MTIME_HIGH    WORD(0x0200BFFC)

#define PLIC_PRIORITY(irq) WORD(0x0C000000 + 4 * (irq))
#define PLIC_ENABLE        WORD(0x0C002000)
#define PLIC_THRESHOLD     WORD(0x0C200000)
#define PLIC_CLAIM         WORD(0x0C200004)

#define UART_THR BYTE(MCUPROF_LINK_ADDRESS)
#define UART_FCR BYTE(MCUPROF_LINK_ADDRESS + 2)

enum { UART_IRQ = 10, RTC_IRQ = 11 };
enum { TASK, LINK, TICK }; /* the priority of the code that runs */

#define MIE  (1u << 3) /* in mstatus */
#define STIE (1u << 5) /* in mie */
#define MTIE (1u << 7)
#define MEIE (1u << 11)

#define csr_read(csr)                                                                    \
    ({                                                                                   \
        uint32_t csr_value;                                                              \
        __asm__ volatile(MCUPROF_CSR("csrr %0, " csr) : "=r"(csr_value));                \
        csr_value;                                                                       \
    })
#define csr_do(instruction, csr, value)                                                  \
    __asm__ volatile(MCUPROF_CSR(instruction " " csr ", %0")::"r"(value) : "memory")

extern char __bss_start[], __bss_end[];

int main(void);
void reset_handler(void);
void fault_handler(void);
void external_isr(void);
void paced_isr(void);

void reset_handler(void)
{
    int status;

    for (char *byte = __bss_start; byte < __bss_end; byte++) {
        *byte = 0;
    }
    board_init();
    csr_do("csrs", "mie", MEIE);
    csr_do("csrs", "mstatus", MIE);
    status = main();
    while (mcuprof_state.busy) { /* while the last bytes are being sent */
#if MCUPROF_RTT
        mcuprof_link_isr();
#endif
    }
    board_exit(status);
}

/* Anything unexpected ends the run. */
void fault_handler(void)
{
    board_exit(127);
}

_Noreturn void board_exit(int status)
{
    FINISHER = status ? (uint32_t)status << 16 | 0x3333 : 0x5555;
    for (;;) {
    }
}

/* ---- Interrupts ---- */

bool mcuprof_may_wait(void);
bool mcuprof_may_wait(void)
{
    return MCUPROF_RTT || mcuprof_handled_irq <= LINK;
}

/* Calls `handler` at a priority, with interrupts enabled. */
static void run_at(uint32_t priority, void (*handler)(void))
{
    uint32_t mepc = csr_read("mepc"), mstatus = csr_read("mstatus"),
             before = mcuprof_handled_irq;

    mcuprof_handled_irq = priority;
    PLIC_THRESHOLD = priority;
    csr_do("csrs", "mstatus", MIE);
    handler();
    csr_do("csrc", "mstatus", MIE);
    PLIC_THRESHOLD = before;
    mcuprof_handled_irq = before;
    csr_do("csrw", "mepc", mepc);
    csr_do("csrw", "mstatus", mstatus);
}

static __attribute__((noipa)) void board_tick_entry(void);

/* The sampling timer goes by the program's time: what the link took since it was set is
 * put on to it, without what a tick took meanwhile. In units of mtime. */
static uint32_t link_took, link_since;

static void give_back_link_time(void)
{
    uint32_t before = MTIMECMP_LOW, after = before + link_took;

    if (after < before) {
        MTIMECMP_HIGH++;
    }
    MTIMECMP_LOW = after;
}

/* Handles also those that come meanwhile: it saves an entry for each byte. */
__attribute__((interrupt)) void external_isr(void)
{
    uint32_t irq, began = MTIME_LOW;

    while ((irq = PLIC_CLAIM) != 0) {
        if (irq == RTC_IRQ) {
            link_took += began - link_since;
            run_at(TICK, board_tick_entry);
            link_since = MTIME_LOW;
        } else if (irq == UART_IRQ) {
            link_took = 0;
            link_since = began;
            run_at(LINK, mcuprof_link_entry);
            link_took += MTIME_LOW - link_since;
            give_back_link_time();
        }
        PLIC_CLAIM = irq;
        began = MTIME_LOW;
    }
}

/* ---- The link ---- */

void board_init(void)
{
#if MCUPROF_SPAN_BYTES
    UART_FCR = 1; /* FIFOs */
#endif
    PLIC_PRIORITY(UART_IRQ) = LINK;
    PLIC_PRIORITY(RTC_IRQ) = TICK;
    PLIC_ENABLE = 1u << UART_IRQ | 1u << RTC_IRQ;
}

void board_put(uint8_t byte)
{
    UART_THR = byte;
}

static uint64_t now(void)
{
    uint32_t high, low;

    do {
        high = MTIME_HIGH;
        low = MTIME_LOW;
    } while (high != MTIME_HIGH);
    return (uint64_t)high << 32 | low;
}

#ifndef BOARD_LINK_CYCLES
void paced_isr(void)
{
}
#else
/* A slow link for tests: the emulated UART takes any number of bytes at once, so here the
 * supervisor's timer lets one byte out every BOARD_LINK_CYCLES cycles of 32 ns. */
#define BYTE_TICKS                                                                       \
    ((BOARD_LINK_CYCLES * 32ull * (MCUPROF_TIMER_HZ / 1000000) + 999) / 1000)

static uint64_t next_byte;

static void set_next_byte(uint64_t at)
{
    next_byte = at;
    csr_do("csrw", "0x15D", 0xFFFFFFFF); /* stimecmph */
    csr_do("csrw", "0x14D", (uint32_t)at);
    csr_do("csrw", "0x15D", (uint32_t)(at >> 32));
}

void mcuprof_link_start(void)
{
    csr_do("csrs", "0x31A", 1u << 31); /* menvcfgh.STCE: there is such a timer */
    set_next_byte(now() + BYTE_TICKS);
    csr_do("csrs", "mie", STIE);
}

void mcuprof_link_isr(void)
{
    if (mcuprof_state.busy && now() >= next_byte) {
        int byte = mcuprof_tx_next();

        if (byte >= 0) {
            board_put((uint8_t)byte);
            set_next_byte(now() + BYTE_TICKS);
        }
    }
}

void mcuprof_link_idle(void)
{
    set_next_byte(UINT64_MAX);
}

__attribute__((interrupt)) void paced_isr(void)
{
    csr_do("csrc", "mie", STIE);
    run_at(LINK, mcuprof_link_entry);
    csr_do("csrs", "mie", STIE);
}
#endif

/* ---- Timers ---- */

static void set_sample_time(uint64_t at)
{
    MTIMECMP_HIGH = 0xFFFFFFFF; /* keeps an interrupt from coming between the two
                                 * writes */
    MTIMECMP_LOW = (uint32_t)at;
    MTIMECMP_HIGH = (uint32_t)(at >> 32);
}

void mcuprof_timer_start(uint32_t ticks)
{
    set_sample_time(now() + ticks);
    csr_do("csrs", "mie", MTIE);
}

volatile unsigned board_samples;

void mcuprof_timer_set(uint32_t ticks)
{
#ifdef BOARD_COUNT_SAMPLES
    board_samples++;
#endif
    link_took = 0;
    link_since = MTIME_LOW;
    set_sample_time(now() + ticks);
}

void mcuprof_timer_stop(void)
{
    csr_do("csrc", "mie", MTIE);
}

static void (*tick_handler)(void);
static uint64_t tick_at;
static uint32_t tick_ns;

static void set_alarm(void)
{
    tick_at += tick_ns;
    RTC_ALARM_HIGH = (uint32_t)(tick_at >> 32);
    RTC_ALARM_LOW = (uint32_t)tick_at;
}

void board_tick(uint32_t microseconds, void (*handler)(void))
{
    RTC_IRQ_ENABLED = microseconds != 0;
    if (microseconds != 0) {
        uint32_t low = RTC_TIME_LOW;

        tick_handler = handler;
        tick_ns = microseconds * 1000;
        tick_at = (uint64_t)RTC_TIME_HIGH << 32 | low;
        RTC_CLEAR_IRQ = 1;
        set_alarm();
    }
}

static void board_tick_entry(void)
{
    RTC_CLEAR_IRQ = 1;
    tick_handler();
    if (RTC_IRQ_ENABLED) { /* unless the handler has stopped it */
        set_alarm();
    }
}
