/* SPDX-License-Identifier: MIT */
/*
 * Tells `mcuprof lint` the knobs of this object (mcuprof_knobs.h). The section is not
 * allocated: the text behind its name, and the assembler's comment that hides what GCC
 * adds, see to that. It costs no byte on the chip. clang knows no such names; Zephyr and
 * ESP-IDF warn of sections that their scripts do not have.
 */
#ifndef MCUPROF_TOLD_H
#define MCUPROF_TOLD_H

#include "mcuprof_config.h"
#include "mcuprof_knobs.h"

#if defined(__arm__)
#define MCUPROF_COMMENT "@"
#elif defined(__riscv)
#define MCUPROF_COMMENT "#"
#elif defined(__sparc__)
#define MCUPROF_COMMENT "!"
#elif defined(__AVR__)
#define MCUPROF_COMMENT ";"
#endif

#if defined(MCUPROF_COMMENT) && defined(__GNUC__) && !defined(__clang__) &&              \
    !defined(__ZEPHYR__) && !defined(ESP_PLATFORM)
#define MCUPROF_KNOB_VALUE(name) (uint32_t)(MCUPROF_##name),
#define MCUPROF_KNOB_ONE(name)   +1
static const struct {
    uint32_t magic, values[0 MCUPROF_KNOBS(MCUPROF_KNOB_ONE)];
    char file[sizeof __BASE_FILE__];
} mcuprof_knobs
    __attribute__((used, section(".mcuprof_knobs,\"\",%progbits" MCUPROF_COMMENT))) = {
        MCUPROF_KNOBS_MAGIC, {MCUPROF_KNOBS(MCUPROF_KNOB_VALUE)}, __BASE_FILE__};
#endif

#endif
