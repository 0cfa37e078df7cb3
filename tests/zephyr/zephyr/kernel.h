/* SPDX-License-Identifier: MIT */
/* Declarations of Zephyr, by its documentation, to compile against. */
#define __noinline  __attribute__((noinline))
#define K_IDLE_PRIO 15
typedef enum { NO_IRQ = -1 } IRQn_Type;
void NVIC_SetPendingIRQ(IRQn_Type irq);
typedef struct k_thread *k_tid_t;
k_tid_t k_sched_current_thread_query(void);
const char *k_thread_name_get(k_tid_t thread);
int k_thread_priority_get(k_tid_t thread);
/* tracing_user.h */
void sys_trace_thread_switched_in_user(void);
void sys_trace_thread_abort_user(struct k_thread *thread);
void sys_trace_thread_sched_ready_user(struct k_thread *thread);
