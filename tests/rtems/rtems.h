/* SPDX-License-Identifier: MIT */
/*
 * The part of RTEMS' public API that target/os/rtems uses, declared as its manual (RTEMS
 * Classic API Guide, "Interrupt Manager", "Task Manager", "Object Services", "User
 * Extensions Manager", "Fatal Error Manager") and, for the interrupted registers, its
 * SPARC port have it. kernel.c is behind them.
 */
#ifndef RTEMS_H
#define RTEMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifndef __RTEMS_MAJOR__
#define __RTEMS_MAJOR__ 6
#endif

typedef uint32_t rtems_vector_number;
typedef uint32_t rtems_option;
typedef uint32_t rtems_interrupt_level;
typedef uint32_t rtems_id;
typedef struct rtems_tcb rtems_tcb;
typedef enum { RTEMS_SUCCESSFUL = 0, RTEMS_INVALID_NUMBER = 10 } rtems_status_code;
typedef void rtems_isr;
typedef rtems_isr (*rtems_isr_entry)(rtems_vector_number);

rtems_status_code rtems_interrupt_catch(rtems_isr_entry new_isr_handler,
                                        rtems_vector_number vector,
                                        rtems_isr_entry *old_isr_handler);
rtems_interrupt_level rtems_test_disable(void);
void rtems_test_enable(rtems_interrupt_level level);
#define rtems_interrupt_local_disable(level) ((level) = rtems_test_disable())
#define rtems_interrupt_local_enable(level)  rtems_test_enable(level)

bool rtems_interrupt_is_in_progress(void);
#define RTEMS_INTERRUPT_UNIQUE 1u

rtems_id rtems_task_self(void);
int rtems_object_id_get_api(rtems_id id);
#define OBJECTS_INTERNAL_API 1
char *rtems_object_get_name(rtems_id id, size_t length, char *name);

typedef enum { RTEMS_FATAL_SOURCE_EXIT = 5 } rtems_fatal_source;
typedef uint32_t rtems_fatal_code;

typedef struct {
    bool (*thread_create)(rtems_tcb *by, rtems_tcb *created);
    void (*thread_start)(rtems_tcb *by, rtems_tcb *started);
    void (*thread_restart)(rtems_tcb *by, rtems_tcb *restarted);
    void (*thread_delete)(rtems_tcb *by, rtems_tcb *deleted);
    void (*thread_switch)(rtems_tcb *from, rtems_tcb *to);
    void (*thread_begin)(rtems_tcb *begun);
    void (*thread_exitted)(rtems_tcb *exitted);
    void (*fatal)(rtems_fatal_source source, bool always_false, rtems_fatal_code code);
    void (*thread_terminate)(rtems_tcb *terminated);
} rtems_extensions_table;

void rtems_shutdown_executive(uint32_t code) __attribute__((noreturn));

/* What kernel.c has in the place of a clock driver and of a configuration. */
void board_clock(void *unused);
extern const rtems_extensions_table rtems_extensions;

typedef struct {
    uint32_t psr;
    uint32_t pc;
    uint32_t npc;
} CPU_Interrupt_frame;

#endif
